MODULE Nested
  RECORD inner
    num a;
    pos p;
  ENDRECORD
  RECORD outer
    inner one;
    string text;
    bool ok;
  ENDRECORD
  CONST inner i1:=[1,[1,2,3]];
  CONST outer o1:=[[1,[1,2,3]],"x",TRUE];
  CONST outer o2:=[i1,"y",FALSE];
  PERS outer list{2}:=[[[1,[1,2,3]],"x",TRUE],[[2,[4,5,6]],"",FALSE]];
  CONST num x0:=500;
  CONST pos base:=[x0,2*x0,-x0];
  CONST orient down:=[0,0,1,0];
  CONST confdata front:=[0,0,0,0];
  CONST extjoint none:=[9E9,9E9,9E9,9E9,9E9,9E9];
  CONST robtarget built:=[base,down,front,none];
  CONST robtarget many{2}:=[built,built];
  VAR num sized{x0};
  PROC main()
    MoveJ built, v100, fine, tool0;
    MoveJ many{2}, v100, fine, tool0;
    MoveJ [base, down, front, none], v100, fine, tool0;
    MoveJ [[o1.one.p.x+800, 0, 900], down, front, none], v100, fine, tool0;
  ENDPROC
ENDMODULE
