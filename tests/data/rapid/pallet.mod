MODULE Pallet
  RECORD layer
    num count;
    robtarget first;
    pos step;
  ENDRECORD
  RECORD stack
    layer lower;
    layer upper;
    string name;
  ENDRECORD
  ALIAS num level;
  ALIAS robtarget place;
  CONST num COLS:=3;
  CONST num ROWS:=2;
  CONST num CELLS:=COLS*ROWS;
  CONST num pitch:=110.5;
  CONST level lowest:=1;
  CONST place pBase:=[[700,-300,500],[0,0,1,0],[-1,0,-1,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST place pTop:=pBase;
  CONST robtarget pCorner:=[[700+pitch,-300,500],[0,0,1,0],[-1,0,-1,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  PERS layer l1:=[6,[[700,-300,500],[0,0,1,0],[-1,0,-1,0],[9E9,9E9,9E9,9E9,9E9,9E9]],[0,0,120]];
  VAR num heights{CELLS};
  VAR num grid{2,3}:=[[1,2,3],[4,5,6]];
  VAR zonedata z:=z60;
  VAR speeddata v:=v500;
  CONST jointtarget jHome:=[[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];

  PROC main()
    MoveAbsJ jHome\NoEOffs, vmax, fine, tool0;
    FOR r FROM 0 TO ROWS-1 DO
      FOR c FROM 0 TO COLS-1 STEP 1 DO
        place1 Offs(pBase, c*pitch, r*pitch, 0);
      ENDFOR
    ENDFOR
    MoveJ pTop, v, z, tool0;
    MoveL pCorner, v, fine, tool0;
    MoveAbsJ [[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]], v, fine, tool0;
  ENDPROC

  PROC place1(robtarget p \switch Slow \num Dz | num Layers, VAR num n)
    IF Present(Slow) THEN
      MoveL p, v50, fine, tool0;
    ELSE
      MoveL p, v500, fine, tool0;
    ENDIF
    heights{n}:=heights{n}+1;
  ENDPROC
ENDMODULE
