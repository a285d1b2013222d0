%%%
  VERSION:1
  LANGUAGE:ENGLISH
%%%

MODULE Weld
  PERS tooldata tWeldGun:=[TRUE,[[12.3,0,350.1],[0.898794,0,0.438371,0]],[2.4,[-10,0,120],[1,0,0,0],0.02,0.02,0.003]];
  TASK PERS seamdata sm1:=[0.5,0.5,[5,0,24,120,0,0,0,0,0],0,0,0,0,0,[0,0,0,0,0,0,0,0,0],0,0,[0,0,0,0,0,0,0,0,0],0,0,[0,0,0,0,0,0,0,0,0],0.5];
  TASK PERS welddata wd1:=[10,0,[5,0,24,120,0,0,0,0,0],[0,0,0,0,0,0,0,0,0]];
  TASK PERS weavedata wv1:=[1,0,2,3,0,0,0,0,0,0,0,0,0,0,0];
  PERS trackdata tr1:=[0,FALSE,0,[0,0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0]];
  CONST robtarget pw10:=[[950,-100,700],[0.0112,0.7119,0.7021,-0.0113],[-1,0,-1,0],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]];
  CONST robtarget pw20:=[[950,100,700],[0.011,0.712,0.702,-0.011],[0,0,-1,0],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]];
  PROC main()
    MoveJ Offs(pw10,0,0,150), v1000, z50, tWeldGun\WObj:=wobj0;
    ArcLStart pw10, v1000, sm1, wd1 \Weave:=wv1, fine, tWeldGun \WObj:=wobj0;
    ArcLEnd pw20, v1000, sm1, wd1 \Weave:=wv1, fine, tWeldGun;
    MoveL Offs(pw20,0,0,150), v1000, fine, tWeldGun;
  ERROR
    IF ERRNO=AW_START_ERR OR ERRNO=AW_WELD_ERR RETRY;
  ENDPROC
ENDMODULE
