"""RAPID modules that several test files read."""

import numpy as np
import pinocchio as pin

from irbmodels import rapid

MANUAL = "[[600,500,225.3],[1,0,0,0],[1,1,0,0],[11,12.3,9E9,9E9,9E9,9E9]]"


S4 = '''%%%
  VERSION:1
  LANGUAGE:ENGLISH
%%%

MODULE spindel
  CONST robtarget p10:=[[600.00,500,225.3],[1,0,0,0],
    [1,1,0,0], ! configuration
    [11,12.3,9E9,9E9,9E9,9E9]];
  PERS tooldata tGun:=[TRUE,[[97.4,0,223.1],[0.924,0.001,0.382,0.01]],[5,[23,0,75],[1,0,0,0],0,0,0]];
  VAR num nCount:=-0;
  PROC main()
    ! ENDPROC is no end in a comment
    MoveJ p10,v1000,z50,tGun;
    MoveL [[1,2,3],[9,9,9,9],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tGun;
    TPWrite "ENDPROC, ""quoted""";
  ENDPROC
ENDMODULE
'''


IRC5 = """MODULE CalibData(SYSMODULE, NOSTEPIN)\r
    !***************************************\r
    ! Module: CalibData, "an unpaired quote in a comment\r
    !***************************************\r
    RECORD weldpoint\r
        robtarget where;\r
        num speed; bool last;\r
    ENDRECORD\r
    ALIAS num level;\r
    CONST num N:=2;\r
    PERS tooldata mill:=[TRUE,[[270.94,-4.707,504.723],[0,0.38285,0,0.92381]],[7,[270.94,-4.707,504.7],[1,0,0,0],0.1,0.1,0.1]];\r
    TASK PERS wobjdata wStn:=[FALSE,FALSE,"STN1",[[1701.5,-720.42,649.1],[1,0,0,0]],[[0,0,120],[0.707106781,0,0,0.707106781]]];\r
    TASK PERS wobjdata wFix:=[FALSE,TRUE,"",[[992.9,-216.9,565],[0.27444,0.27271,0.64992,0.65415]],[[0,0,0],[1,-0.00161,0,0]]];\r
    local const jointtarget home:=[[0,-20,1.5E+01,.5,30.,-3.6205E-05],[9E+09,9e9,9E+9,9E09,9E+09,9000000000]];\r
    CONST robtarget pts{N}:=[[[1449.182064069,600,1345.018020125],[0,0,1,0],[0,0,0,0],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]],\r
        [[-988.40,-1149.72,286.39],[0.707491,-3.6205E-05,-0.00194672,-0.70672],[0,-1,-1,1],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]]];\r
    PERS weldpoint wp:=[[[0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0,0,0]],0xFF,TRUE];\r
    VAR level h{2,3}:=[[1,-2,3],[.5,1.,+0]]; VAR speeddata slow:=[100,20,5000,1000]; VAR zonedata Z:=[FALSE,1,1,1,0.1,1,0.1];\r
    VAR clock c1; VAR intnum i1; PERS welddata wd:=[1,[2,TRUE],"a"];\r
    CONST string s:="say ""hi"" \\\\ \\0Aend! [";\r
    CONST num twice:=2*N+pi;\r
    CONST loaddata load1 := [ 5.2 , [34.6,-12.3,73.3] , [1,0,0,0] , 0.048,0.077,0.012 ] ;\r
    CONST pose fr:=[[1,2,3],[0.5,0.5,0.5,0.5]]; CONST pos o:=[-0,0.,1E-7]; VAR bool ok:=true;\r
    FUNC num inner(num a) IF a>0 THEN RETURN 1; ENDIF RETURN 0; ENDFUNC\r
    LOCAL TRAP tr RETURN; ENDTRAP\r
    PROC p() endproc\r
ENDMODULE\r
! the end"""


SHORT = "Module\tm CONST num a:=1;ENDMODULE"


GOOD = [
    S4.replace("[0.924,0.001,0.382,0.01]", "[0.923880,0,0.382683,0]"),
    IRC5,
    SHORT,
    "MODULE empty\nENDMODULE",
]


def module(body):
    return rapid.read(f"MODULE m\n{body}\nENDMODULE")


def pose(rng):
    q = rng.normal(size=4)
    return pin.SE3(
        pin.Quaternion(*(q / np.linalg.norm(q))).toRotationMatrix(), rng.uniform(-1, 1, 3)
    )


FRAME = "[9E9,9E9,9E9,9E9,9E9,9E9]"


PROGRAM = rf"""MODULE prog
  CONST robtarget p10:=[[600,500,225.3],[1,0,0,0],[1,1,0,0],{FRAME}];
  CONST robtarget pts{{2}}:=[[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}],[[4,5,6],[0,1,0,0],[0,0,0,0],{FRAME}]];
  CONST robtarget turned:=[[100,-200,300],[0.5,0.5,-0.5,0.5],[0,-1,0,0],{FRAME}];
  CONST robtarget half:=p10;
  CONST jointtarget home:=[[0,10,20,0,30,-40],{FRAME}];
  PERS tooldata tGun:=[TRUE,[[97.4,0,223.1],[0.923880,0,0.382683,0]],[5,[23,0,75],[1,0,0,0],0,0,0]];
  TASK PERS wobjdata wFix:=[FALSE,TRUE,"",[[10,20,30],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];
  VAR speeddata vSlow:=[12,34,56,78];
  CONST num h:=5; VAR num k:=2; VAR num empty; VAR robtarget moved:=[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}];
  PROC main()
    CONST num h:=7; ! hides the module's
    ConfL\Off;
    MoveAbsJ home\NoEOffs, v1000, fine, tool0;
    movel p10,vSlow,z50,tGun\WObj:=wFix; MoveJ pts{{k}}, vmax, z200, tGun;
    MoveC p10, pts{{1}}, v5\V:=2*h-4/2, z0, tOther\WObj:=wOther;
    MoveL Offs(p10, 0, -(h+1), 2 * h - 1), v100\T:=5, z10, tool0 \Corr;
    MoveL [[7,8,9],[1,0,0,0],[0,0,0,0],{FRAME}], [1,2,3,4], [FALSE,1,2,3,4,5,6], tool0;
    MoveL \Conc, p10, v100, z1\Inpos:=inpos50, tGun;
    IF k=1 MoveL p10, v10, fine, tool0;
    FOR i FROM 1 TO 2 DO
      MoveL pts{{i}}, v10, fine, tool0;
      WHILE TRUE DO MoveL p10, v20, fine, tool0; ENDWHILE
      IF k>2 THEN MoveL p10, v30, fine, tool0; ELSE MoveL p10, v40, fine, tool0; ENDIF
    ENDFOR
    TPWrite "MoveL p10, v100;"; ! MoveL p10, v100, fine, tool0;
    MoveL CRobT(\Tool:=tGun), v100, fine, tool0;
    MoveL moved, v100, fine, tool0;
    MoveL half, v100, fine, tool0;
    MoveL nowhere, v100, fine, tool0;
    MoveL Offs(p10, empty, 0, 0), v100, fine, tool0;
    TriggL p10, v100, gunOn, fine, tool0;
    GOTO again;
  ERROR
    MoveJ p10, v50, fine, tool0;
  ENDPROC
  LOCAL FUNC num two(robtarget p10, \switch on)
    moved.trans.z := 3;
    MoveL p10, v60, fine, tool0;
  ENDFUNC
ENDMODULE
"""
