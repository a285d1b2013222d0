MODULE Inspect
  VAR num state:=0;
  VAR num result{10,2};
  CONST num START:=1;
  CONST num MEASURE:=2;
  VAR bool done;
  CONST robtarget pIn:=[[800,0,900],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  PROC main()
    TEST state
    CASE START, MEASURE:
      MoveJ pIn, v500, z20, tool0;
    CASE 3:
      FOR i FROM 10 TO 1 STEP -2 DO result{i,1} := i; ENDFOR
    DEFAULT:
      TPWrite "state " \Num:=state;
    ENDTEST
    WHILE NOT done DO
      done := (state > 3) AND (state <= 5) XOR FALSE;
      state := state + 1;
      IF state = 4 THEN WaitTime 0.1; ELSE WaitTime 0.2; ENDIF
    ENDWHILE
    MoveJ RelTool(pIn, 0, 0, -50 \Rx:=0 \Ry:=10), v100 \T:=2, fine, tool0;
    retreat \Slow \dist:=20;
    state := result{1, START};
  ENDPROC
  PROC retreat(\switch Slow \num dist)
    VAR num d:=10;
    IF Present(dist) d:=dist;
    MoveL Offs(pIn,0,0,d), v50, fine, tool0;
  ENDPROC
ENDMODULE
