"""Instructions that change later moves, searches, names of options, and the summary of moves."""

import pytest
from rapid_modules import FRAME, MANUAL, module

from irbmodels import rapid


def run_of(main, declarations="", others=""):
    """Return the moves of a program whose main begins on line 4."""
    text = (
        f"MODULE m\nCONST robtarget p:={MANUAL}; {declarations}\nPROC main()\n{main}\nENDPROC\n"
        f"{others}\nENDMODULE"
    )
    return rapid.sequence_of(rapid.read(text))


LINE, JOINT = "MoveL p,v100,fine,tool0;", "MoveJ p,v100,fine,tool0;"
MAYBE = "IF DInput(di1)=1 {}\n"


@pytest.mark.parametrize(
    ("instruction", "effect"),
    [
        ("AccSet 50,50;", "limits accelerations"),
        ("PathAccLim TRUE\\AccMax:=2,FALSE;", "limits accelerations"),
        ("EOffsSet [1,0,0,0,0,0];", "external axes"),
        ("MoveExtJ jp,vrot10,fine;", "external axes"),
        ("SyncMoveOn sync1,all;", "other tasks"),
        ("WaitSyncTask sync1,all;", "other tasks"),
        ("SoftAct 3,20;", "how closely"),
        ("SoftDeact;", "how closely"),
        ("SingArea\\Wrist;", "off its programmed orientation"),
        ("StopMove;", "leaves the path"),
        ("SpeedRefresh 50;", "slows moves"),
        ("WaitTime 0.5;", "how long it waits"),
        ("WaitDI di1,1;", "how long it waits"),
        ("PDispOff;", "not displaced"),
        ("GripLoad load0;", "no payload"),
        ("ConfL\\Off;", "nearest"),
        ("ConfJ\\On;", "programmed configuration"),
        ("VelSet 50,800;", "50 % of the programmed ones, at most 800 mm/s"),
    ],
)
def test_settings_say_what_they_do_to_a_check(instruction, effect):
    """Each stands in the sequence with its effect and leaves the moves after it known; in a branch
    that depends on the run those that only limit the motion or wait make no branch to choose.
    """
    setting, move = run_of(f"{instruction}\n{LINE}")
    assert effect in setting.effect
    assert not setting.unknown
    assert move.target is not None
    assert not setting.is_motion
    followed = ("PDisp", "GripLoad", "Conf", "VelSet")
    moves = run_of(f"{MAYBE.format(instruction)}{LINE}")
    listed = 2 if "how long" in effect else 1  # a wait is named wherever it may stand
    assert len(moves) == (3 if instruction.startswith(followed) else listed)


@pytest.mark.parametrize(
    ("setting", "v_tcp", "v_ori"),
    [
        ("VelSet 50,5000;", 50, 250),
        ("VelSet 100,30;", 30, 500),
        ("VelSet 200,150;", 150, 1000),
        ("VelSet 50,5000; VelSet 100,5000;", 100, 500),
    ],
)
def test_velset_scales_and_bounds_speeds(setting, v_tcp, v_ori):
    """Of v100, 100 mm/s and 500 deg/s: percent of both, and a bound on the TCP alone."""
    speed = run_of(f"{setting}\n{LINE}")[-1].speed
    assert (speed.v_tcp, speed.v_ori) == (v_tcp, v_ori)
    unknown = run_of(f"{MAYBE.format(setting.split(';')[0] + ';')}{LINE}")[-1]
    assert "whether VelSet changes the speed depends on the IF of line 4" in unknown.unknown


def test_velset_of_a_published_example():
    r"""``VelSet 50,800``: v1000 goes at 500 mm/s, with \V:=2000 at 800 mm/s, \T:=5 takes 10 s."""
    moves = run_of(
        "VelSet 50,800; MoveL p,v1000,z10,tool0; MoveL p,v1000\\V:=2000,z10,tool0;"
        "MoveL p,v1000\\T:=5,z10,tool0; VelSet 0,800; MoveL p,v1000,z10,tool0;"
    )
    assert [move.speed.v_tcp for move in moves[1:3]] == [500, 800]
    assert moves[3].seconds == 10
    assert "0 % and 800 mm/s are no speeds" in moves[5].unknown
    assert run_of("MoveL p,v7000,z10,tool0;")[0].speed.v_tcp == 7000


def test_a_displacement_is_left_by_pdispoff():
    """Targets after PDispOn are not known, jointtargets are; PDispOff ends that if it runs."""
    joint = f"MoveAbsJ [[0,0,0,0,30,0],{FRAME}],v100,fine,tool0;"
    on, line, axes, off, after = run_of(f"PDispOn p,tool0;\n{LINE}\n{joint}\nPDispOff;\n{LINE}")
    assert on.unknown
    assert "PDispOn of line 4 displaces" in line.unknown
    assert axes.target is not None
    assert not off.unknown
    assert str(after.target) == MANUAL
    moves = run_of(f"PDispSet pd;\n{MAYBE.format('PDispOff;')}{LINE}", "VAR pose pd;")
    assert "whether targets are displaced depends on the IF of line 5" in moves[-1].unknown


def test_confj_and_confl_concern_their_own_moves():
    """Each of joint and linear moves; both are on where a program begins."""
    moves = run_of(
        f"{LINE}{JOINT}ConfJ\\Off;{LINE}{JOINT}ConfL\\Off;{LINE}{JOINT}ConfJ\\On;{JOINT}"
    )
    assert [move.monitored for move in moves if move.is_motion] == [
        *(True, True),
        *(True, False),
        *(False, False),
        True,
    ]


@pytest.mark.parametrize("switch", ["ConfL", "ConfJ"])
def test_a_configuration_is_taken_after_a_branch_that_takes_it(switch):
    r"""``\\Off`` in one branch of an IF leaves it on after the other, in either order."""
    for first, second in (("Off", "On"), ("On", "Off"), ("Off", "Off")):
        branches = f"{switch}\\{first}; ELSE {switch}\\{second};"
        moves = run_of(f"IF DInput(di1)=1 THEN {branches} ENDIF\n{LINE}{JOINT}")
        monitored = {"ConfL": moves[-2].monitored, "ConfJ": moves[-1].monitored}
        assert monitored.pop(switch) == ("On" in (first, second))
        assert monitored.popitem()[1]
    maybe = MAYBE.format(r"ConfL\Off;")
    assert run_of(maybe + LINE)[-1].monitored


def test_a_search_goes_to_its_target_at_most():
    """The whole way is a move; the point it writes, and where the arm stands, depend on the run."""
    search, found, here = run_of(
        "SearchL\\Stop,di1\\PosFlank,p1,Offs(p,0,0,-50),v20,tool0;\n"
        "MoveL p1,v100,fine,tool0;\nMoveL CRobT(),v100,fine,tool0;",
        f"VAR robtarget p1:={MANUAL};",
    )
    assert search.target.trans.z == 225.3 - 50
    assert search.zone.finep
    assert "at most" in search.effect
    assert not search.options
    assert "p1 is changed on line 4" in found.unknown
    assert here.unknown
    circle = run_of("SearchC di1,p1,Offs(p,9,0,0),p,v20,tool0;", "VAR robtarget p1;")[0]
    assert circle.via.trans.x == 609


def test_names_of_options_and_placeholders_are_read():
    """Types, constants and instructions of options; a procedure of that name is the program's."""
    one = module(
        "<TDN> <DDN> VAR capevent e:=AT_POINT; VAR ee_event s:=EE_START; PERS cssframe f:=CSS_X;"
        "VAR errnum n:=AW_WELD_ERR; VAR o_robtarget o; <RDN>"
    )
    assert len(one.declarations) == 5
    assert rapid.write(one) == one.text
    moves = run_of(f"<SMT>\n{LINE}\nCamFlush cam1; EGMReset id1; INVERTDO do1;\n{LINE}")
    assert len(moves) == 2
    assert run_of("CamFlush;", others=f"PROC CamFlush() {LINE} ENDPROC")[0].target is not None
    strange = run_of("RunGripperMagic do1;")
    assert "no procedure of this module" in strange[0].unknown


def test_late_binding_is_followed_where_its_text_is_known():
    others = f"PROC go2() {LINE} ENDPROC\nPROC go3(num n) {LINE} ENDPROC"
    body = 'VAR num n:=1; n:=n+1; %"go"+which%;'
    assert run_of(body, 'CONST string which:="2";', others)[0].target is not None
    for which in ('CONST string which:="3";', 'CONST string which:="9";', "VAR string w;"):
        assert run_of(body, which, others)[0].unknown


def test_the_summary_counts_moves_and_names_causes():
    """Resolved moves, unresolved ones by cause with lines, and other instructions apart."""
    moves = run_of(
        f"{LINE}\nMoveL q,v100,fine,tool0;\nMoveL q,v100,fine,tool0;\nMoveJ r,v9,fine,tool0;\ngrip;",
    )
    summary = rapid.summary_of(moves)
    assert (summary.resolved, summary.total) == (1, 4)
    assert [move.instruction for move in summary.others] == ["grip"]
    first, second = summary.causes.items()
    assert first[1] == ("5", "6")
    assert first[0].startswith("q is declared neither")
    assert second[1] == ("7",)
    assert str(summary).startswith("1 of 4 moves resolved; lines 5, 6: q is declared neither")
