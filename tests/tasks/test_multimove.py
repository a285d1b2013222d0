"""Programs of several tasks: where they wait, what they do together, folders of backups."""

import json

import pytest
from path_programs import joints
from rich.console import Console

import irbmodels as irb
from irbmodels import rapid
from irbmodels.rapid.program.files import read_task
from irbmodels.report.path.multimove import sync_record, sync_table
from irbmodels.tasks.multimove import (
    TaskCheck,
    joint_moves,
    sync_points,
    sync_problems,
)
from irbmodels.tasks.path_check import check_path, programmed_motion

BODY = (
    "WaitSyncTask \\InPos, s1, all;",
    "SyncMoveOn s2, all \\TimeOut:=60;",
    "MoveAbsJ {far}\\ID:=10, v1000, fine, tool0;",
    "MoveAbsJ {near}\\ID:=20, v1000, fine, tool0;",
    "SyncMoveOff s3;",
)
NEAR = joints(0, 0, 0, 0, 30, 0)


def module(body, far=20, name="Task"):
    """A task's program: line 3 stands, the body begins in line 4."""
    text = "\n".join(body).format(far=joints(far, 0, 0, 0, 30, 0), near=NEAR)
    return (
        f"MODULE {name}\nVAR syncident s1; VAR syncident s2; VAR syncident s3;"
        f' PERS tasks all{{2}}:=[["T_ROB1"],["T_ROB2"]]; PROC main()\n'
        f"MoveAbsJ {NEAR}, v1000, fine, tool0;\n{text}\nENDPROC\nENDMODULE\n"
    )


def task(name, robot, body, far=20):
    arm, moves = irb.load(robot), rapid.sequence_of(rapid.read(module(body, far)))
    program = programmed_motion(arm, moves)
    return TaskCheck(name, arm, check_path(arm, program), sync_points(moves, program.timings))


def test_points_and_joint_moves_of_two_tasks():
    """IDs with lines and times; the longer way is the slower move; nothing keeps them from
    meeting.
    """
    one, two = task("T_ROB1", "irb2400", BODY), task("T_ROB2", "irb1600", BODY, far=60)
    assert [(p.instruction, p.ident, p.section, p.line) for p in one.points] == [
        ("WaitSyncTask", "s1", "", 4),
        ("SyncMoveOn", "s2", "", 5),
        ("MoveAbsJ", "10", "s2", 6),
        ("MoveAbsJ", "20", "s2", 7),
        ("SyncMoveOff", "s3", "s2", 8),
    ]
    tasks = {each.name: each.points for each in (one, two)}
    assert sync_problems(tasks) == ()
    rows = list(joint_moves(tasks))
    assert [(section, ident) for section, ident, _ in rows] == [("s2", "10"), ("s2", "20")]
    for each in (one, two):
        first, second = each.check.program.timings
        assert rows[0][2][each.name].duration == first.end - first.start
        assert rows[1][2][each.name][4:] == (second.start, second.end)
    table = sync_table([one, two])
    assert [row[:2] for row in table.rows] == [
        ("s1", ""), ("s2", ""), ("s2", "10"), ("s2", "20"), ("s3", ""),
    ]  # fmt: skip
    assert table.rows[2][2:] == (
        f"6: MoveAbsJ, {rows[0][2]['T_ROB1'].duration:.3f} s",
        f"6: MoveAbsJ, {rows[0][2]['T_ROB2'].duration:.3f} s",
        "T_ROB2",
    )
    Console(width=60).print(table)
    record = json.loads(json.dumps(sync_record([one, two], ()), allow_nan=False))
    assert [point["id"] for point in record["points"]] == [None, None, "10", "20", None]
    assert record["points"][0]["tasks"]["T_ROB1"]["duration_s"] is None


def test_a_section_that_runs_twice_is_two():
    """Its moves have the times of each run, and no ID is there twice."""
    body = "\n".join(BODY[1:]).format(far=joints(20, 0, 0, 0, 30, 0), near=NEAR)
    text = module(("once; once;",)).replace("ENDMODULE", f"PROC once()\n{body}\nENDPROC\nENDMODULE")
    moves = rapid.sequence_of(rapid.read(text))
    points = sync_points(moves, programmed_motion(irb.load("irb2400"), moves).timings)
    tasks = {"T_ROB1": points, "T_ROB2": points}
    assert sync_problems(tasks) == ()
    starts = [rows["T_ROB2"].start for _, _, rows in joint_moves(tasks)]
    assert len(starts) == 4
    assert starts == sorted(set(starts))


def changed(number, line):
    return tuple(line if i == number else old for i, old in enumerate(BODY))


WRONG = {
    "another ID": (
        changed(3, BODY[3].replace("20", "30")),
        ["SyncMoveOn s2: moves of T_ROB1 have the IDs 10, 20, those of T_ROB2 10, 30"],
    ),
    "a move less": (
        changed(3, ""),
        ["SyncMoveOn s2: moves of T_ROB1 have the IDs 10, 20, those of T_ROB2 10"],
    ),
    "no ID": (
        changed(2, BODY[2].replace("\\ID:=10", "")),
        [
            "T_ROB2 line 6: MoveAbsJ after SyncMoveOn s2 has no \\ID",
            "SyncMoveOn s2: moves of T_ROB1 have the IDs 10, 20, those of T_ROB2 , 20",
        ],
    ),
    "an ID twice": (
        changed(3, BODY[3].replace("20", "10")),
        [
            "T_ROB2 line 7: \\ID:=10 is that of line 6, too, after SyncMoveOn s2",
            "SyncMoveOn s2: moves of T_ROB1 have the IDs 10, 20, those of T_ROB2 10, 10",
        ],
    ),
    "an ID outside": (
        (*BODY, "MoveAbsJ {far}\\ID:=40, v1000, fine, tool0;"),
        ["T_ROB2 line 9: MoveAbsJ has \\ID:=40, and no SyncMoveOn stands before it"],
    ),
    "another syncident": (
        changed(0, "WaitSyncTask s3, all;"),
        [
            "T_ROB1 line 4: WaitSyncTask s1 waits for no other task",
            "T_ROB2 line 4: WaitSyncTask s3 waits for no other task",
        ],
    ),
    "another order": (
        (*BODY[1:], BODY[0]),
        ["T_ROB1 line 4 waits at WaitSyncTask s1, and T_ROB2 line 4 at SyncMoveOn s2: neither"
         " goes on"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("body", "problems"), WRONG.values(), ids=WRONG)
def test_what_keeps_tasks_from_meeting_is_said(body, problems):
    """Each by task and line, and nothing else."""
    own = {"T_ROB1": BODY, "T_ROB2": body}
    points = {
        name: sync_points(rapid.sequence_of(rapid.read(module(lines))), ())
        for name, lines in own.items()
    }
    assert list(sync_problems(points)) == problems


def test_the_folder_of_a_task_is_read(tmp_path):
    """As a backup has it: the module with main, or the program file, and system modules; two
    programs or none are refused by name.
    """
    progmod, sysmod = tmp_path / "PROGMOD", tmp_path / "SYSMOD"
    progmod.mkdir()
    sysmod.mkdir()
    (progmod / "Points.mod").write_text("MODULE Points\nCONST num nOne:=1;\nENDMODULE\n")
    (progmod / "Go.modx").write_text(module(BODY, name="Go"))
    (sysmod / "user.sysx").write_text("MODULE user(SYSMODULE)\nCONST num nTwo:=2;\nENDMODULE\n")
    read = read_task(tmp_path)
    assert (read.name, {one.name for one in read.uses}) == ("Go", {"Points", "user"})
    (progmod / "T.pgf").write_text("<Program><Module>Go.modx</Module></Program>")
    read = read_task(tmp_path)
    assert (read.name, {one.name for one in read.uses}) == ("Go", {"user"})
    (progmod / "U.pgf").write_text("<Program><Module>Go.modx</Module></Program>")
    with pytest.raises(irb.InputError, match=r"one \.pgf.*: PROGMOD/T\.pgf, PROGMOD/U\.pgf$"):
        read_task(tmp_path)
    with pytest.raises(irb.InputError, match=r"SYSMOD: none$"):
        read_task(sysmod)


def test_tasks_on_the_command_line(run, tmp_path):
    """Each checked with its own robot where it stands, and named; a mismatch is exit code 1."""
    left, right = tmp_path / "Left.mod", tmp_path / "Right.mod"
    left.write_text(module(BODY))
    right.write_text(module(BODY, far=60))
    both = ("path", left, "--robot", "irb2400", "--task")
    page = tmp_path / "r.svg"
    code, out, err = run(*both, f"T_ROB2=irb1600:{right}@0,2000,0,1,0,0,0", "--figure", page)
    assert code == 0, err
    assert "T_ROB2, irb1600_6_120: what the path takes of each limit" in out
    assert "tasks together: line, instruction" in out
    assert "T_ROB1: Left.mod: every checked bound is kept" in err
    assert "T_ROB2: Right.mod: every checked bound is kept" in err
    assert page.read_text("utf-8") != (tmp_path / "r_T_ROB2.svg").read_text("utf-8")
    body, problems = WRONG["another ID"]
    right.write_text(module(body))
    code, out, err = run(*both, f"T_ROB2=irb1600:{right}", "--json")
    assert (code, err.splitlines()[-1]) == (1, problems[0])
    record = json.loads(out)
    assert list(record["tasks"]) == ["T_ROB1", "T_ROB2"]
    assert record["tasks"]["T_ROB2"]["robot"]["name"] == "irb1600_6_120"
    assert record["synchronisation"]["problems"] == problems
    for text, reason in (
        ("T_ROB2=irb1600", "is not NAME=ROBOT:FILE, such as T_ROB2=irb1600:Right.mod"),
        (f"T_ROB1=irb1600:{right}", "there are two tasks T_ROB1; that of"),
        (f"T_ROB2=irb1600:{right}@1,2,3", "a pose is x,y,z in mm and a quaternion"),
    ):
        code, _, err = run(*both, text)
        assert (code, reason in err) == (2, True), err
