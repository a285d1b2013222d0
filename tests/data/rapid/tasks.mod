MODULE Sync
  PERS tasks all{2}:=[["T_ROB1"],["T_ROB2"]];
  VAR syncident sync1;
  TASK PERS bool inHome:=FALSE;
  PERS wzstationary serviceZone:=[1];
  VAR wztemporary tempZone;
  VAR shapedata volume;
  VAR triggdata gunOn;
  VAR triggios ios{2}:=[[TRUE,5,TRUE,"doGun","",1,2],[TRUE,15,TRUE,"doAir","",0,0]];
  VAR mecunit unit:=ROB_ID;
  VAR loadsession session;
  VAR motsetdata settings;
  VAR restartdata restart;
  VAR uishownum panel:=-1;
  VAR listitem items{2}:=[["a","b"],["c","d"]];
  VAR pathrecid record1;
  VAR opnum compare:=LTEQ;
  VAR icondata icon:=iconInfo;
  VAR buttondata buttons:=btnYesNo;
  VAR tunetype tune:=TUNE_DF;
  VAR datapos block;
  VAR rmqslot slot; VAR rmqheader head; VAR rmqmessage message;
  VAR egmident egm; VAR egm_minmax limits:=[-1,1];
  VAR iounit_state state:=IOUNIT_RUNNING;
  VAR corrdescr corr;
  VAR identno id; VAR taskid task1;
  VAR signaldo doGun; ALIAS signaldi input;
  PROC main()
    VAR pos corner1:=[0,0,0];
    VAR pos corner2:=[500,500,500];
    WaitSyncTask \InPos, sync1, all;
    SyncMoveOn sync1, all;
    MoveJ [[900,0,900],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]\ID:=10, v100, z10, tool0;
    SyncMoveOff sync1;
    WZBoxDef \Inside, volume, corner1, corner2;
    TriggIO gunOn, 10 \DOp:=doGun, 1;
    TriggL [[900,0,800],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]], v100, gunOn, fine, tool0;
    AliasIO "doGripper", doGun;
  ENDPROC
ENDMODULE
