"""Move instructions: targets, arguments, blocks, errors."""

import random
import re

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from rapid_modules import FRAME, MANUAL, PROGRAM, module, pose

import irbmodels as irb
from irbmodels import rapid


def test_moves_come_in_the_order_of_the_text():
    """Every instruction that moves, or changes moves, with line, column and routine; texts and
    comments hold none.
    """
    read = rapid.read(PROGRAM)
    moves = rapid.moves_of(read)
    assert rapid.write(read) == PROGRAM
    lines = PROGRAM.splitlines()
    for move in moves:
        assert lines[move.line - 1][move.column - 1 :].startswith(move.instruction)
        assert PROGRAM.count(move.text)
    assert [(move.line, move.column) for move in moves] == sorted(
        (move.line, move.column) for move in moves
    )
    words = (
        "ConfL MoveAbsJ movel MoveJ MoveC MoveL MoveL MoveL MoveL MoveL MoveL MoveL MoveL MoveL"
        " MoveL MoveL MoveL MoveL TriggL"
    )
    assert [move.instruction for move in moves] == [*words.split(), "GOTO", "MoveJ", "MoveL"]
    assert [move.routine for move in moves] == ["main"] * 21 + ["two"]
    assert rapid.moves_of(read, "TWO") == moves[-1:]
    with pytest.raises(irb.UnknownName, match="no routine 'tw'; did you mean 'two'"):
        rapid.moves_of(read, "tw")


def test_arguments_of_moves():
    """Targets by name, element and literal; predefined, declared and inline speeds and zones; tools
    and work objects.
    """
    read = rapid.read(PROGRAM)
    _, absolute, line, joint, circle, offs, inline, conc = rapid.moves_of(read)[:8]
    assert absolute.target == read["home"]
    assert (absolute.speed.v_tcp, absolute.zone.finep, absolute.options, absolute.wobj_name) == (
        1000.0,
        True,
        (),
        "wobj0",
    )
    assert absolute.tool.tframe.trans.values == (0.0, 0.0, 0.0)
    assert (line.target, line.speed, line.zone.pzone_ori) == (read["p10"], read["vSlow"], 75.0)
    assert (line.tool_name, line.tool, line.wobj) == ("tGun", read["tGun"], read["wFix"])
    assert (joint.target, joint.zone.zone_ori, joint.speed.v_tcp) == (read["pts"][1], 30.0, 5000.0)
    # 2 * 7 - 4 / 2
    assert (circle.via, circle.target, circle.speed.v_tcp) == (read["p10"], read["pts"][0], 12.0)
    assert (circle.tool_name, circle.tool, circle.wobj_name, circle.wobj) == (
        "tOther",
        None,
        "wOther",
        None,
    )
    assert offs.target.trans.values == (600.0, 500.0 - 8.0, 225.3 + 13.0)  # h is the routine's
    assert (offs.target.robconf, offs.seconds, offs.options) == (
        read["p10"].robconf,
        5.0,
        ("\\Corr",),
    )
    assert inline.target.trans.values == (7.0, 8.0, 9.0)
    assert (inline.speed.values, inline.zone.zone_reax) == ((1.0, 2.0, 3.0, 4.0), 6.0)
    assert (conc.target, conc.zone.pzone_tcp, conc.unknown) == (read["p10"], 1.0, "")


def test_blocks_around_a_move_are_named():
    """IF with and without THEN, FOR, WHILE, and a handler, innermost last; after their end they are
    gone.
    """
    inside = {move.line: move.inside for move in rapid.moves_of(rapid.read(PROGRAM))}
    row = PROGRAM.splitlines().index("    IF k=1 MoveL p10, v10, fine, tool0;") + 1
    loop = f"FOR of line {row + 1}"
    assert inside[row] == (f"IF of line {row}",)
    assert inside[row + 2] == (loop,)
    assert inside[row + 3] == (loop, f"WHILE of line {row + 3}")
    assert inside[row + 4] == (loop, f"IF of line {row + 4}")
    assert inside[row + 7] == ()
    assert next(block for block in inside.values() if "ERROR handler of line 34" in block)


@together(
    "start, reason",
    [
        ("ConfL", "ConfL is not evaluated; it may change where or how"),
        ("MoveL pts{i}", "i is the counter of the FOR on line 21"),
        ("MoveL CRobT", r"CRobT\(\) is not evaluated"),
        ("MoveL moved", "moved is changed on line 38"),
        ("MoveL nowhere", "nowhere is declared neither in this module"),
        ("MoveL Offs(p10, empty", "empty of line 10 has no value until the program runs"),
        ("GOTO", "GOTO is not evaluated"),
        ("MoveL p10, v60", "p10 is a parameter of the routine on line 37"),
    ],
)
def test_what_depends_on_the_run_is_reported(start, reason):
    """A target that the text does not tell is None, with the reason; the others of the program keep
    theirs.
    """
    actual = [move for move in rapid.moves_of(rapid.read(PROGRAM)) if move.text.startswith(start)]
    assert len(actual) == 1
    assert actual[0].target is None
    assert re.search(reason, actual[0].unknown)
    assert sum(bool(move.unknown) for move in rapid.moves_of(rapid.read(PROGRAM))) == 8


def test_other_modules_targets_are_known():
    """Targets of modules that were read with it are found, LOCAL ones are not; a change in any
    routine of its own counts.
    """
    data = rapid.read(
        f"MODULE d\nCONST robtarget a:=[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}];\nLOCAL CONST num"
        " b:=3;\nENDMODULE"
    )
    body = "PROC p()\nMoveL a, v10, fine, tool0;\nMoveL Offs(a,b,0,0), v10, fine, tool0;\nENDPROC\n"
    one, other = rapid.moves_of(rapid.read(f"MODULE m\n{body}ENDMODULE", uses=[data]))
    assert one.target == data["a"]
    assert "b is declared neither" in other.unknown
    for change in ("a := x;", "a.trans.x:=1;", "pts{2}.trans.x := 1; Incr a;", "IF TRUE a:=x;"):
        one, _ = rapid.moves_of(
            rapid.read(f"MODULE m\n{body}PROC q()\n{change}\nENDPROC\nENDMODULE", uses=[data])
        )
        assert "a is changed on line 7" in one.unknown, change
    one, _ = rapid.moves_of(
        rapid.read(
            f"MODULE m\n{body}PROC q()\nVAR robtarget a;\na := x; other"
            " \\a:=1;\nENDPROC\nENDMODULE",
            uses=[data],
        )
    )
    assert one.target == data["a"]  # the other routine has its own
    for change, known in (
        ("PROC q() a.trans.x:=1; ENDPROC", False),
        ("PROC q() VAR robtarget a; a.trans.x:=1; ENDPROC", True),
        ("PROC q(robtarget a) a.trans.x:=1; ENDPROC", True),
    ):
        other = rapid.read(
            "MODULE e\nPERS robtarget"
            f" a:=[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}];\n{change}\nENDMODULE"
        )
        one, _ = rapid.moves_of(rapid.read(f"MODULE m\n{body}ENDMODULE", uses=[other]))
        assert one.unknown == (
            "" if known else "a is changed on line 3 of e: what it is then depends on the run"
        )
        one, _ = rapid.moves_of(
            rapid.read(
                f"MODULE m\nLOCAL CONST robtarget a:={MANUAL};\n{body}ENDMODULE", uses=[other]
            )
        )
        assert str(one.target) == MANUAL
    own = (
        "PROC p()\nVAR robtarget a;\nVAR robtarget b:=c;\na := c; MoveL a, v10, fine,"
        " tool0;\nENDPROC\n"
    )
    (one,) = rapid.moves_of(rapid.read(f"MODULE m\nCONST robtarget c:={MANUAL};\n{own}ENDMODULE"))
    assert "a is changed on line 6" in one.unknown


def test_offs_and_reltool_are_products_of_matrices():
    """Offs shifts along the work object; RelTool is T Trans(d) Rx Ry Rz: shifted in the tool, then
    about x, new y, new z.
    """

    def turn(axis, degrees):
        return pin.AngleAxis(np.radians(degrees), np.eye(3)[axis]).matrix()

    rng = np.random.default_rng(3)
    for _ in range(20):
        start, d, angles = (
            pose(rng),
            rng.uniform(-100, 100, 3).round(3),
            rng.uniform(-180, 180, 3).round(2),
        )
        target = rapid.RobTarget(
            rapid.Pose.of(start).trans, rapid.Pose.of(start).rot, (0, 0, 0, 0), rapid.ExtJoint()
        )
        words = f"{d[0]},{d[1]},{d[2]}"
        calls = (
            f"Offs(p,{words})",
            rf"RelTool(p,{words}\Rx:={angles[0]} \Ry:={angles[1]} \Rz:={angles[2]})",
        )
        lines = "".join(f"MoveL {call},v5,fine,tool0;\n" for call in calls)
        moves = rapid.moves_of(module(f"CONST robtarget p:={target};\nPROC a()\n{lines}ENDPROC"))
        offs, tool = (move.target.pose() for move in moves)
        first = target.pose()
        np.testing.assert_allclose(offs.rotation, first.rotation, atol=1e-15)
        np.testing.assert_allclose(offs.translation, first.translation + d / 1000.0, atol=1e-12)
        np.testing.assert_allclose(
            tool.translation, first.translation + first.rotation @ d / 1000.0, atol=1e-12
        )
        expected = first.rotation @ turn(0, angles[0]) @ turn(1, angles[1]) @ turn(2, angles[2])
        # a quaternion has nine decimals
        np.testing.assert_allclose(tool.rotation, expected, atol=3e-9)


SPEEDS = "5 10 20 30 40 50 60 80 100 150 200 300 400 500 600 800 1000 1500 2000 2500 3000 4000 5000"
# pzone_tcp [mm]; pzone_ori, pzone_eax, zone_leax [mm]; zone_ori, zone_reax [deg]
ZONES = {
    "z0": (0.3, 0.3, 0.03), "z1": (1, 1, 0.1), "z5": (5, 8, 0.8), "z10": (10, 15, 1.5),
    "z15": (15, 23, 2.3), "z20": (20, 30, 3), "z30": (30, 45, 4.5), "z40": (40, 60, 6),
    "z50": (50, 75, 7.5), "z60": (60, 90, 9), "z80": (80, 120, 12), "z100": (100, 150, 15),
    "z150": (150, 225, 23), "z200": (200, 300, 30),
}  # fmt: skip


def test_predefined_data_are_those_of_controllers():
    """All of them, as rpiRobotics/abb_motion_program_exec@4967763 (rapid_types.py) and, ten zones,
    robotics/open_abb@1680b86 (abb.py) have them. v_ori is 500 deg/s, v_leax 5000 mm/s, v_reax
    1000 deg/s; vmax is assumed.
    """
    load0 = "[0.001,[0,0,0.001],[1,0,0,0],0,0,0]"
    expected = {
        **{f"v{v}": f"[{v},500,5000,1000]" for v in (*SPEEDS.split(), 6000, 7000)},
        "vmax": "[5000,500,5000,1000]",
        "fine": "[TRUE,0,0,0,0,0,0]",
        **{
            name: f"[FALSE,{tcp},{wide},{wide},{angle},{wide},{angle}]"
            for name, (tcp, wide, angle) in ZONES.items()
        },
        "load0": load0,
        "tool0": f"[TRUE,[[0,0,0],[1,0,0,0]],{load0}]",
        "wobj0": '[FALSE,TRUE,"",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]]',
    }
    assert {name: str(value) for name, value in rapid.PREDEFINED.items()} == expected


BAD_MOVES = [  # text after the declarations, on line 4; column; reason
    ("MoveL p,v5,fine;", 1, "MoveL has 3 arguments; it takes ToPoint, Speed, Zone, Tool"),
    ("MoveL p,v5,fine,tool0,wobj0;", 1, "MoveL has 5 arguments"),
    (
        "MoveC p,v5,fine,tool0;",
        1,
        "MoveC has 4 arguments; it takes CirPoint, ToPoint, Speed, Zone, Tool",
    ),
    ("MoveAbsJ j,fine,tool0;", 1, "it takes ToJointPos, Speed, Zone, Tool"),
    ("MoveL p,v5,fine,tool0", 22, "';' is missing after 'tool0'"),
    ("MoveL p v5,fine,tool0;", 8, "';' is missing after 'p'"),
    ("MoveL p,,v5,fine,tool0;", 9, "found ',' where a value belongs"),
    ("MoveL *,v5,fine,tool0;", 7, "found '*' where a value belongs"),
    ("MoveL ,v5,fine,tool0;", 7, "found ',' where a value belongs"),
    ("MoveL p,v5,fine,tool0\\;", 23, "found ';' where a name belongs"),
    ("MoveL p,v5,fine,tool0\\WObj;", 22, "\\WObj needs a value"),
    ("MoveL p,v5,fine,tool0\\WObj:=;", 29, "found ';' where a value belongs"),
    ("MoveL j,v5,fine,tool0;", 7, "MoveL's target is a robtarget; j is a jointtarget"),
    ("MoveAbsJ p,v5,fine,tool0;", 10, "MoveAbsJ's target is a jointtarget; p is a robtarget"),
    ("MoveL v5,p,fine,tool0;", 7, "MoveL's target is a robtarget; v5 is a speeddata"),
    ("MoveL p,z5,fine,tool0;", 9, "MoveL's speed is a speeddata; z5 is a zonedata"),
    ("MoveL p,v5,v5,tool0;", 12, "MoveL's zone is a zonedata; v5 is a speeddata"),
    ("MoveL p,v5,fine,n;", 17, "MoveL's tool is a tooldata; n is a num"),
    (
        "MoveL p,v5,fine,tool0\\WObj:=tool0;",
        29,
        "MoveL's work object is a wobjdata; tool0 is a tooldata",
    ),
    ("MoveL 5,v5,fine,tool0;", 7, "MoveL's target is a robtarget, not 5"),
    ("MoveL p,100,fine,tool0;", 9, "MoveL's speed is a speeddata, not 100"),
    ('MoveL "p",v5,fine,tool0;', 7, "MoveL's target is a robtarget, not"),
    ("MoveL [[1,2,3],[1,0,0,0],[0,0,0,0]],v5,fine,tool0;", 7, "MoveL's target has 3 components"),
    (
        "MoveL [[1,2,3],[2,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v5,fine,tool0;",
        16,
        "quaternion [2,0,0,0] has length 2",
    ),
    (
        "MoveL [[1,2,3],[1,0,0,0,[0,0,0,0],[9E9]],v5,fine,tool0;",
        55,
        "'[' of line 4, column 7 is not closed",
    ),
    ("MoveL a{3},v5,fine,tool0;", 9, "a{3}: the array has elements 1 to 2"),
    ("MoveL a{1.5},v5,fine,tool0;", 9, "a{1.5}: the array has elements 1 to 2"),
    ("MoveL a,v5,fine,tool0;", 7, "MoveL's target is a robtarget; a is an array of robtarget"),
    ("MoveL a.trans,v5,fine,tool0;", 9, "a is a robtarget, which has no trans"),
    ("MoveL p{1},v5,fine,tool0;", 9, "p is a robtarget, which has no 1"),
    ("MoveL p.trans,v5,fine,tool0;", 7, "MoveL's target is a robtarget; p.trans is a pos"),
    ("MoveL Offs(p,p.trans.w,0,0),v5,fine,tool0;", 22, "a pos has no w, but x, y, z"),
    (
        "MoveL Offs(p,0,0),v5,fine,tool0;",
        7,
        "Offs takes a robtarget and three lengths, not 3 arguments",
    ),
    ("MoveL Offs(p,0,0,p),v5,fine,tool0;", 18, "this number is a num; p is a robtarget"),
    ("MoveL Offs(p,0,0,TRUE),v5,fine,tool0;", 18, "this number is a number, not TRUE"),
    ("MoveL Offs(p,0,0,0\\Rx:=5),v5,fine,tool0;", 19, "Offs has no \\Rx"),
    ("MoveL RelTool(p,0,0,0\\Rw:=5),v5,fine,tool0;", 22, "RelTool has no \\Rw"),
    ("MoveL RelTool(p,0,0,0\\Rx),v5,fine,tool0;", 22, "\\Rx needs a value"),
    (
        "MoveL RelTool(u,0,0,0\\Rx:=5),v5,fine,tool0;",
        15,
        "RelTool: a quaternion of four zeros is no rotation",
    ),
    ("VAR robtarget w:=5;\nMoveL p,v5,fine,tool0;", 18, "w is robtarget"),
]


@together("body, column, reason", BAD_MOVES)
def test_malformed_moves_say_where_and_why(body, column, reason):
    """What cannot be an instruction is refused with line and column; reading the module does not
    look, and succeeds.
    """
    point = f"[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}]"
    head = (
        f"CONST robtarget p:={point}; CONST jointtarget j:=[[0,0,0,0,0,0],{FRAME}]; CONST num"
        " n:=1; "
    )
    head += (
        f"CONST robtarget a{{2}}:=[{point},{point}]; CONST robtarget"
        f" u:={point.replace('[1,0,0,0]', '[0,0,0,0]')};"
    )
    read = module(f"{head}\nPROC main()\n{body}\nENDPROC")
    with pytest.raises(irb.RapidError) as caught:
        rapid.moves_of(read)
    assert (caught.value.line, caught.value.column) == (4, column)
    assert reason in caught.value.reason


def test_broken_programs_end_in_an_answer_or_a_place():
    """Programs with random characters put in or taken out are listed, or refused with line and
    column; none hangs or crashes.
    """
    rng = random.Random(4)
    words = [
        *'()[]{};,:=.\\"! \n',
        "MoveL ",
        "IF ",
        "THEN ",
        "ENDIF ",
        "FOR ",
        "ENDFOR ",
        "p10",
        "PROC ",
        "Offs(",
        "CONST num x:=3;",
        ":=",
    ]
    listed, lines = 0, []
    for _ in range(60):
        text = PROGRAM
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(PROGRAM.index("PROC main"), len(text))
            text = text[:place] + rng.choice(words) + text[place + rng.choice((0, 0, 1, 5)) :]
        try:
            listed += bool(rapid.moves_of(rapid.read(text)))
        except irb.RapidError as err:
            lines.append(err.line)
    assert listed > 5
    assert all(1 <= line <= PROGRAM.count("\n") + 4 for line in lines)
