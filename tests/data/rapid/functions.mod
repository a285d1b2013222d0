MODULE Functions
  FUNC num area(num w, num h \switch half)
    VAR num a;
    a := w * h;
    IF Present(half) a := a / 2;
    RETURN a;
  ENDFUNC
  LOCAL FUNC robtarget above(robtarget p, num dz)
    p.trans.z := p.trans.z + dz;
    RETURN p;
  ENDFUNC
  FUNC bool isHome(INOUT jointtarget j, PERS num tol{*,*}, VAR signaldi s)
    FOR i FROM 1 TO Dim(tol,1) DO
      FOR k FROM Dim(tol,2) TO 1 STEP -1 DO
        IF Abs(tol{i,k}) > 1E-3 AND NOT (TestDI(s) OR i DIV 2 = 1) RETURN FALSE;
      ENDFOR
    ENDFOR
    again:
    IF j.robax.rax_1 MOD 90 <> 0 GOTO again;
    RETURN TRUE;
  BACKWARD
    RETURN FALSE;
  ENDFUNC
  PROC main()
    VAR robtarget p;
    VAR num n{3}:=[1,2,3];
    p := CRobT(\Tool:=tool0 \WObj:=wobj0);
    p := above(p, 50);
    ConfL\Off; ConfJ\Off; SingArea\Wrist; AccSet 50, 50; VelSet 80, 1500; GripLoad load0;
    MoveL above(p, 20), v100, fine, tool0;
    n{2} := area(2, 3 \half) + n{Trunc(1.5)};
    WaitUntil DOutput(doReady) = high \MaxTime:=5;
    WaitTime \InPos, 0.5;
    PulseDO \PLength:=0.2, doGun;
    Stop \NoRegain;
    ExitCycle;
  ENDPROC
ENDMODULE
