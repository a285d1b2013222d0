MODULE Wrappers
  CONST robtarget pA:=[[900,0,900],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST jointtarget jA:=[[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  PROC main()
    MoveAbsJ jA,v100,fine,tool0;
    go;
  ENDPROC
  PROC go(\PERS wobjdata WObj \switch Conc \num T \num V \switch Corr)
    MoveL \Conc?Conc, pA, v100 \V?V \T?T, fine, tool0 \WObj?WObj \Corr?Corr;
    IF Present(WObj) THEN
      MoveL Offs(pA,0,0,10), v100, fine, tool0\WObj:=WObj;
    ENDIF
  ENDPROC
  PROC goThere(robtarget p, speeddata v, zonedata z, PERS tooldata tool \PERS wobjdata WObj)
    MoveL p, v, z, tool \WObj?WObj;
    MoveL p, v, fine, tool0 \WObj?WObj;
  ENDPROC
ENDMODULE
