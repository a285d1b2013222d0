"""Types, constants and instructions of ABB's options: arc, spot, vision, conveyors, SoftMove ...

Names as ``rapid-for-vim`` 2.3.0 (KnoP-01/rapid-for-vim, commit c6d41ad, ``syntax/rapid.vim``) lists
them for RobotWare 4 to 7; what is common to all controllers stands in :mod:`.predefined` and
:mod:`.value_builder`. Values of the constants are not published.
"""

from __future__ import annotations

import re

OPTION_TYPES = frozenset(
    re.findall(
        r"\w+",
        """
    accdata adaptdata advseamdata arctrackdata be_device be_scan be_tooldesign
    capaptrreferencedata capevent capmvsttim captestno captrackdata css_offset_dir css_soft_dir
    cssframe dadescapp dadescprc daintdata deflectiondata ee_event errorinfo fcplane fcprocessdata
    gunnum inttypes menudata multidata o_jointtarget o_robtarget opttrackdata partadv partdata
    pnpdata proc_times searchdata singdata smeqtype standno stopmovestartmove_mem sup_timeouts
    supervtype tasksatstart toolinfo toolno visiondata
    """,
    )
)
"""Names in lower case; kept as numbers, texts and tuples without a check of components."""

_CONSTANTS = {
    "aiotrigg": (
        "AIO_ABOVE_HIGH AIO_BELOW_HIGH AIO_ABOVE_LOW AIO_BELOW_LOW AIO_BETWEEN AIO_OUTSIDE"
        " AIO_ALWAYS"
    ),
    "busstate": "BUSSTATE_ERROR BUSSTATE_HALTED BUSSTATE_INIT BUSSTATE_RUN BUSSTATE_STARTUP",
    "capevent": (
        "CAP_START START_PRE PRE_STARTED START_MAIN MAIN_STARTED STOP_WEAVESTART WEAVESTART_REGAIN"
        " MOTION_DELAY STARTSPEED_TIME MAIN_MOTION MOVE_STARTED RESTART NEW_INSTR AT_POINT"
        " AT_RESTARTPOINT LAST_SEGMENT PROCESS_END_POINT END_MAIN MAIN_ENDED PATH_END_POINT"
        " PROCESS_ENDED END_POST1 POST1_ENDED END_POST2 POST2_ENDED CAP_STOP CAP_PF_RESTART"
        " EQUIDIST AT_ERRORPOINT FLY_START FLY_END LAST_INSTR_ENDED END_PRE PRE_ENDED START_POST1"
        " POST1_STARTED START_POST2 POST2_STARTED"
    ),
    "inttypes": "USINT UINT UDINT ULINT SINT INT DINT LINT",
    "sensorstate": "STATE_ERROR STATE_UNDEFINED STATE_CONNECTED STATE_OPERATING STATE_CLOSED",
    "stoppoint": "fllwtime",
    "string": (
        "flp1 usbdisk1 usbdisk2 usbdisk3 usbdisk4 usbdisk5 usbdisk6 usbdisk7 usbdisk8 usbdisk9"
        " usbdisk10"
    ),
    "tpnum": "TP_LATEST TP_PROGRAM TP_SCREENVIEWER",
    "tsp_status": (
        "TSP_STATUS_NOT_NORMAL_TASK TSP_STATUS_DEACT TSP_STATUS_DEACT_SERV_ROUT TSP_STATUS_ACT"
        " TSP_UNCHECKED_RUN_SERV_ROUT TSP_NORMAL_UNCHECKED TSP_STATIC_UNCHECKED"
        " TSP_SEMISTATIC_UNCHECKED TSP_NORMAL_CHECKED TSP_STATIC_CHECKED TSP_SEMISTATIC_CHECKED"
    ),
    "constant": (  # of a type that the list does not tell
        "CT_CONTINUOUS CT_COUNT_CYCLES CT_COUNT_CYC_ACTION CT_PERIODICAL EGM_MAX_RAPID_DNUM"
        " END_OF_LIST MaxToolAngle MinToolAngle OP_NO_ROBOT OP_SERVICE OP_PRODUCTION gsOpen"
        " gsVacuumOff gsBackward gsClose gsVacuumOn gsForward gsReset gaSetAndCheck gaSet gaCheck"
        " gaCheckClose"
    ),
}
_PREFIXED = {  # by the beginning of their names: type, and ends
    "EE_": (
        "ee_event",
        "START CYCLE_START PROC_START PRE_PROD CLOSE_JIG INDEX PRE_PART POST_PART OPEN_JIG"
        " SERVICE POST_PROD ABORT WAIT_ORDER POST_PROC POWERON POWERON_OR_START RESTART"
        " START_OR_RESTART STOP QSTOP STOP_OR_QSTOP RESET STEP STEP_FWD STEP_BCK BEFORE_INIT"
        " AFTER_INIT BEFORE_PROD AFTER_PROD BEFORE_MENU AFTER_MENU ERROR HOMERUN PROG_END"
        " AFTER_PROG_NUMBER PROGNO_UNKNOWN PROD_UNKNOWN MSG_WRITTEN MSG_ACKNOWLEDGED"
        " AFTER_PART BEFORE_HOMERUN AFTER_HOMERUN BLOCKED",
    ),
    "CSS_": (
        "constant",
        "POSX NEGX POSY NEGY POSZ NEGZ X Y Z XY XZ YZ XYZ XYRZ ARM_ANGLE REFFRAME_TOOL"
        " REFFRAME_WOBJ",
    ),
    "FC_": (
        "constant",
        "REFFRAME_TOOL REFFRAME_WOBJ LIN_X LIN_Y LIN_Z ROT_X ROT_Y ROT_Z SPEED_RATIO_MIN"
        " NO_OF_SPEED_LEVELS",
    ),
    "GAP_": (
        "constant",
        "SERVICE_TYPE SETUP_TYPE STATE_IDLE STATE_PART STATE_SERV STATE_SETUP STATE_UNKN"
        " TASK_NAME TASK_NO SHOW_ALWAYS SHOW_NEVER SHOW_SAFE SHOW_SERVICE",
    ),
    "PM_": (
        "constant",
        "ACK NACK LOST RECOVER_CONTINUE_OPERATION RECOVER_REDO_LAYER RECOVER_NEXT_PALLET"
        " RECOVER_REDO_LAST_PICK FLOW_ERROR FLOW_FINISH_CYCLE FLOW_FINISH_LAYER"
        " FLOW_FINISH_PALLET FLOW_RUNNING FLOW_STOP_IMMEDIATELY FLOW_STOPPED"
        " FLOW_STOPPING_AFTER_CYCLE FLOW_STOPPING_AFTER_LAYER FLOW_STOPPING_AFTER_PALLET"
        " APPROACH_POS DEPART_POS TARGET_POS EVENT_PROC EVENT_DO EVENT_GO MOVE_JOINT MOVE_LIN"
        " SEARCH_X SEARCH_Y SEARCH_Z SING_AREA_OFF SING_AREA_WRI STOP_NOT_USED STOP PSTOP"
        " SSTOP PROJECT_STOPPED PROJECT_STOPPING PROJECT_STARTING PROJECT_RUNNING"
        " PROJECT_ERROR",
    ),
    "LTAPP__": (
        "constant",
        "AGE ANGLE AREA CAMCHECK GAP JOINT_NO LASER_OFF MISMATCH PING POWER_UP RESET STEPDIR"
        " THICKNESS UNIT X Y Z APM_P1 APM_P2 APM_P3 APM_P4 APM_P5 APM_P6 ROT_Y ROT_Z X0 Y0 Z0"
        " X1 Y1 Z1 X2 Y2 Z2",
    ),
    "BE": (
        "constant",
        "Success NoOverwrite NoNameMatch NoBEDataMod ArrayFull ToolNotFound InvalidSignal"
        " AliasSet RangeLimFail RangeSingFail RangeTiltFail ScanPlaneErr BFrameNotRead"
        " ScanRadZero HeightSrchErr BeamNotFound BeamSpinErr SrchErrInBeam SrchErrNoDet"
        " NumOfScansErr DiaZeroOrLess SliceCountErr GetNewTcpMax BeamOriFail GetTcpDelErr"
        " RefPosSetErr RefToolSetErr RefBeamSetErr BFrameDefErr SetupAlready RefResetErr"
        " SetupFailed ToolNotSet StartChanged BeamMoveErr CheckTcp CheckErr SkipUpdate"
        " StrtningErr AllNotSet QuikRefNotDef ConvergErr InstFwdErr GetGantryErr UnknownErr",
    ),
}
_TYPES = {
    **{name.lower(): kind for kind, names in _CONSTANTS.items() for name in names.split()},
    **{
        f"{start}{end}".lower(): kind
        for start, (kind, ends) in _PREFIXED.items()
        for end in ends.split()
    },
}
_ERRORS = re.compile(r"(aw|corr|sen|sys_err|tc_err|cap_sen|pm_err)_\w+|cap_\w+_err|pw_equip_err")
"""Errors, which are too many to be listed."""

QUIET = frozenset(
    re.findall(
        r"\w+",
        """
    acteventbuffer aliascamera arcrefresh camflush camgetparameter camgetresult camloadjob
    camreqimage camsetexposure camsetparameter camsetprogrammode camsetrunmode camstartloadjob
    camwaitloadjob cancelload checkprogref cnvgeninstr connect consolewrite corrclear dagetcurrdata
    dasetcurrdata deacteventbuffer egmgetid egmreset egmsetupai egmsetupao egmsetupgi egmsetupltapp
    egmsetupuc egmstreamstart egmstreamstop fitcircle getgroupsignalinfo getjointdata
    getmaxusagetime gettorquemargin hollowwristreset icap invertdo ipathpos ipssetparam matrixsolve
    matrixsolveqr matrixsvd pathlengthreset pathlengthstart pathlengthstop pathrecstart pathrecstop
    pntproduserlog readvararr removeallcyclicbool removecyclicbool removedir resetaxisdistance
    resetaxismovetime resetmaxusagetime resetppmoved resettorquemargin safetycontrollersyncrequest
    savecfgdata setupcyclicbool setwrprocname siclose siconnect sigetcyclic sisetcyclic
    swgetcalibdata swgetfixtipdata swsetintforcedata swsetintgundata swsetintsimdata
    swsetintspotdata testsigndefine testsignreset writevararr wzdoset
    """,
    )
)
"""Instructions, in lower case, that move no axis and change no later move.

A procedure of the program with such a name hides the instruction.
"""


def option_type_of(name: str) -> str:
    """Return the type of an option's constant, by its name in lower case; empty for others."""
    return _TYPES.get(name) or ("errnum" if _ERRORS.fullmatch(name) else "")
