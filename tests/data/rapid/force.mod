MODULE Force
  PERS fcforcevector limit:=[1,2,3,4,5,6];
  VAR fcdamping damping;
  VAR egmstate state:=EGM_STATE_CONNECTED;
  VAR num speeds{3}:=[v100.v_tcp, v200.v_tcp, vmax.v_ori];
  CONST string unit:="ROB_1";
  VAR cameratarget part;
  VAR cameradev camera;
  VAR testsignal signal;
  VAR paridnum id:=TOOL_LOAD_ID;
  PROC main()
    FCAct tool0;
    FCRefLine FC_X, 10, 5;
    FCDeact;
    EGMRunPose egm1, EGM_STOP_HOLD \x \y;
    CamReqImage camera;
    MoveExtJ [[9E9,9E9,9E9,9E9,9E9,9E9],[10,9E9,9E9,9E9,9E9,9E9]], vrot10, fine;
  ENDPROC
ENDMODULE
