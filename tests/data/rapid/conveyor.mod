MODULE Conveyor
  PERS wobjdata wCnv:=[FALSE,FALSE,"CNV1",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];
  CONST robtarget pPick:=[[100,0,50],[0,1,0,0],[0,0,0,0],[0,9E9,9E9,9E9,9E9,9E9]];
  VAR intnum newItem;
  PROC main()
    ActUnit CNV1;
    WaitWObj wCnv \RelDist:=300;
    MoveL pPick, v500, fine, tool0 \WObj:=wCnv;
    DropWObj wCnv;
    DeactUnit CNV1;
    StopMove;
    RestoPath;
    WHILE TRUE DO
      WaitDI di1, 1;
    ENDWHILE
  ENDPROC
ENDMODULE
