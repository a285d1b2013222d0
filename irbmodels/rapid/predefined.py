"""Predefined data of every controller: speeds, zones, ``tool0``, ``wobj0``, ``load0``, constants.

As public drivers for these controllers list them (rpiRobotics/abb_motion_program_exec@4967763
rapid_types.py; ten zones, robotics/open_abb@1680b86 abb.py); ABB's own source is the technical
reference manual of RAPID's data types (3HAC16581-1: speeddata, zonedata, tooldata, wobjdata), which
was not at hand. Grade: published, but for the speed of ``vmax``.
"""

from __future__ import annotations

import re

from .options import option_type_of
from .records import Orient, Pos, Pose, Value
from .values import LoadData, SpeedData, ToolData, WobjData, ZoneData

VMAX_TCP = 5000.0
"""[mm/s] of ``vmax``: assumed.

It depends on the type of robot, and no number was found for these.
"""

_SPEEDS = (5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 600, 800)
_FAST = (1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000)
# name: path zone of the TCP [mm]; of orientation and external axes [mm]; zone of orientation and
# rotating axes [deg]
_ZONES = {
    "z0": (0.3, 0.3, 0.03),
    "z1": (1, 1, 0.1),
    "z5": (5, 8, 0.8),
    "z10": (10, 15, 1.5),
    "z15": (15, 23, 2.3),
    "z20": (20, 30, 3.0),
    "z30": (30, 45, 4.5),
    "z40": (40, 60, 6.0),
    "z50": (50, 75, 7.5),
    "z60": (60, 90, 9.0),
    "z80": (80, 120, 12),
    "z100": (100, 150, 15),
    "z150": (150, 225, 23),
    "z200": (200, 300, 30),
}


def _speed(v_tcp: float) -> SpeedData:
    return SpeedData(v_tcp, 500.0, 5000.0, 1000.0)


_IDENTITY = Pose(Pos(0.0, 0.0, 0.0), Orient(1.0, 0.0, 0.0, 0.0))
_LOAD0 = LoadData(0.001, Pos(0.0, 0.0, 0.001), Orient(1.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0)
PREDEFINED: dict[str, Value] = {
    **{f"v{speed}": _speed(speed) for speed in (*_SPEEDS, *_FAST)},
    "vmax": _speed(VMAX_TCP),
    "fine": ZoneData(True, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    **{
        name: ZoneData(False, path, wide, wide, angle, wide, angle)
        for name, (path, wide, angle) in _ZONES.items()
    },
    "tool0": ToolData(True, _IDENTITY, _LOAD0),
    "load0": _LOAD0,
    "wobj0": WobjData(False, True, "", _IDENTITY, _IDENTITY),
}
"""By name in lower case."""

# types as the manual of instructions, functions and data types has them (3HAC16581-1,
# 3HAC050917-001: not at hand); names as rapid-for-vim 2.3.0 lists them, but for C_MOTSET C_PROGDISP
# edge followtime high low ROB_ID TUNE_PG TUNE_PH TUNE_PI, which are assumed
_NAMED = {
    "num": "pi EOF EOF_NUM WAIT_MAX",
    "string": "stEmpty STR_DIGIT STR_LOWER STR_UPPER STR_WHITE diskhome diskram disktemp",
    "byte": "EOF_BIN",
    "dionum": "low high edge",
    "btnres": "resUnkwn resOK resAbort resRetry resIgnore resCancel resYes resNo",
    "buttondata": "btnNone btnOK btnAbrtRtryIgn btnOKCancel btnRetryCancel btnYesNo btnYesNoCancel",
    "icondata": "iconNone iconInfo iconWarning iconError",
    "opnum": "LT LTEQ EQ NOTEQ GTEQ GT",
    "opcalc": "OpAdd OpSub OpMult OpDiv OpMod",
    "stoppoint": "inpos stoptime followtime",
    "stoppointdata": (
        "inpos20 inpos50 inpos100 stoptime0_5 stoptime1_0 stoptime1_5 fllwtime0_5 fllwtime1_0"
        " fllwtime1_5"
    ),
    "speeddata": (
        "vrot1 vrot2 vrot5 vrot10 vrot20 vrot50 vrot100 vlin10 vlin20 vlin50 vlin100 vlin200"
        " vlin500 vlin1000"
    ),
    "socketstatus": "SOCKET_CREATED SOCKET_CONNECTED SOCKET_BOUND SOCKET_LISTENING SOCKET_CLOSED",
    "iounit_state": (
        "IOUNIT_LOG_STATE_DISABLED IOUNIT_LOG_STATE_ENABLED IOUNIT_PHYS_STATE_DEACTIVATED"
        " IOUNIT_PHYS_STATE_RUNNING IOUNIT_PHYS_STATE_ERROR IOUNIT_PHYS_STATE_UNCONNECTED"
        " IOUNIT_PHYS_STATE_UNCONFIGURED IOUNIT_PHYS_STATE_STARTUP IOUNIT_PHYS_STATE_INIT"
        " IOUNIT_RUNNING IOUNIT_RUNERROR IOUNIT_DISABLE IOUNIT_OTHERERR"
    ),
    "busstate": (
        "IOBUS_LOG_STATE_STOPPED IOBUS_LOG_STATE_STARTED IOBUS_PHYS_STATE_HALTED"
        " IOBUS_PHYS_STATE_RUNNING IOBUS_PHYS_STATE_ERROR IOBUS_PHYS_STATE_STARTUP"
        " IOBUS_PHYS_STATE_INIT"
    ),
    "event_type": (
        "EVENT_NONE EVENT_POWERON EVENT_START EVENT_STOP EVENT_QSTOP EVENT_RESTART EVENT_RESET"
        " EVENT_STEP"
    ),
    "exec_level": "LEVEL_NORMAL LEVEL_TRAP LEVEL_SERVICE",
    "handler_type": "HANDLER_NONE HANDLER_BWD HANDLER_ERR HANDLER_UNDO",
    "symnum": (
        "OP_UNDEF OP_AUTO OP_MAN_PROG OP_MAN_TEST "
        "RUN_UNDEF RUN_CONT_CYCLE RUN_INSTR_FWD RUN_INSTR_BWD RUN_SIM RUN_STEP_MOVE"
    ),
    "errdomain": (
        "COMMON_ERR OP_STATE SYSTEM_ERR HARDWARE_ERR PROGRAM_ERR MOTION_ERR OPERATOR_ERR IO_COM_ERR"
        " USER_DEF_ERR SAFETY_ERR PROCESS_ERR CFG_ERR OPTION_PROD_ERR ARCWELD_ERR SPOTWELD_ERR"
        " PAINT_ERR PICKWARE_ERR"
    ),
    "errtype": "TYPE_ALL TYPE_ERR TYPE_STATE TYPE_WARN",
    "errnum": "ERRNO",
    "intnum": "INTNO",
    "mecunit": "ROB_ID",
    "motsetdata": "C_MOTSET",
    "progdisp": "C_PROGDISP",
    "cfgdomain": "ALL_DOMAINS EIO_DOMAIN MMC_DOMAIN MOC_DOMAIN PROC_DOMAIN SIO_DOMAIN SYS_DOMAIN",
    "tunetype": (
        "TUNE_DF TUNE_DH TUNE_DG TUNE_DI TUNE_DK TUNE_DL TUNE_KP TUNE_KV TUNE_TI TUNE_FRIC_LEV"
        " TUNE_FRIC_RAMP TUNE_PG TUNE_PH TUNE_PI"
    ),
    "motionprocessmode": (
        "OPTIMAL_CYCLE_TIME_MODE LOW_SPEED_ACCURACY_MODE LOW_SPEED_STIFF_MODE ACCURACY_MODE"
        " MPM_USER_MODE_1 MPM_USER_MODE_2 MPM_USER_MODE_3 MPM_USER_MODE_4"
    ),
    "triggmode": "TRIGG_MODE1 TRIGG_MODE2 TRIGG_MODE3",
    "loadidnum": "MASS_KNOWN MASS_WITH_AX3",
    "paridnum": (
        "TOOL_LOAD_ID PAY_LOAD_ID IRBP_K IRBP_L IRBP_C IRBP_C_INDEX IRBP_T IRBP_R IRBP_A IRBP_B"
        " IRBP_D"
    ),
    "paridvalidnum": "ROB_LOAD_VAL ROB_NOT_LOAD_VAL ROB_LM1_LOAD_VAL",
    "signalorigin": "SIGORIG_NONE SIGORIG_CFG SIGORIG_ALIAS",
    "egmframetype": "EGM_FRAME_BASE EGM_FRAME_TOOL EGM_FRAME_WOBJ EGM_FRAME_WORLD EGM_FRAME_JOINT",
    "egmstate": "EGM_STATE_DISCONNECTED EGM_STATE_CONNECTED EGM_STATE_RUNNING",
    "egmstopmode": "EGM_STOP_HOLD EGM_STOP_RAMP_DOWN",
}
_TYPES = {name.lower(): kind for kind, names in _NAMED.items() for name in names.split()}
_ERRORS = re.compile(r"err_\w+|long_jmp_all_err")  # too many to be listed


def type_of(name: str) -> str:
    """Return the type of a predefined name, in any case; empty for other names.

    Values of most constants are left out: programs compare them with data of the run.
    """
    lower = name.lower()
    if lower in PREDEFINED:
        return PREDEFINED[lower].rapid
    listed = _TYPES.get(lower) or option_type_of(lower)
    return listed or ("errnum" if _ERRORS.fullmatch(lower) else "")
