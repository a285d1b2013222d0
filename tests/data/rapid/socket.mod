MODULE Server
  VAR socketdev listener;
  VAR socketdev client;
  VAR socketstatus status := SOCKET_CLOSED;
  VAR string received;
  VAR rawbytes buffer;
  VAR byte data{4};
  VAR bool ok;
  CONST num PORT := 5000;
  CONST num tmo := WAIT_MAX;
  VAR string parts{3} := ["", stEmpty, "c"];

  PROC accept()
    SocketCreate listener;
    SocketBind listener, "192.168.125.1", PORT;
    SocketListen listener;
    SocketAccept listener, client \Time:=WAIT_MAX;
  ERROR
    IF ERRNO = ERR_SOCK_TIMEOUT THEN
      RETRY;
    ENDIF
    RAISE;
  ENDPROC

  PROC main()
    accept;
    WHILE SocketGetStatus(client) <> SOCKET_CLOSED DO
      SocketReceive client \Str:=received \Time:=tmo;
      parse received;
    ENDWHILE
  UNDO
    SocketClose client;
  ENDPROC

  LOCAL PROC parse(string line)
    VAR num comma;
    VAR num x;
    comma := StrFind(line, 1, ",");
    ok := StrToVal(StrPart(line, 1, comma - 1), x);
    IF NOT ok OR StrLen(line) = 0 RETURN;
    TPWrite "x=" + NumToStr(x, 2) + ByteToStr(data{1} \Hex);
    SocketSend client \Str:="ok" + "\0D\0A";
  ENDPROC
ENDMODULE
