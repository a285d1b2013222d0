"""Tables, the page, and the command of the path check."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from html_pages import Page
from rich.console import Console
from terminals import assert_nothing_is_cut

import irbmodels as irb
from irbmodels import rapid
from irbmodels.report.path import (
    check_record,
    check_tables,
    remarks,
    report_html,
    verdict,
    write_report,
)
from irbmodels.report.path.drawings import axes_figure, path_figure, shares_figure
from irbmodels.report.path.tables import move_rows
from irbmodels.tasks.path_check import Box, check_path, programmed_motion
from irbmodels.trajectory import move

FRAME = "[9E9,9E9,9E9,9E9,9E9,9E9]"
PROGRAM = rf"""MODULE cell
  PERS tooldata tSp:={rapid.tooldata_of(irb.load_tool("spindle"))};
  PERS wobjdata wPlate:=[FALSE,TRUE,"",[[900,-200,700],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];
  CONST jointtarget home:=[[0,0,0,0,30,0],{FRAME}];
  CONST jointtarget low:=[[0,60,40,0,30,0],{FRAME}];
  CONST robtarget p10:=[[0,0,0],[0,0,1,0],[-1,-1,0,0],{FRAME}];
  PROC main()
    MoveAbsJ home, v1000, fine, tSp;
    MoveJ p10, v1000, z50, tSp\WObj:=wPlate;
    MoveL Offs(p10,100,0,0), v500, fine, tSp\WObj:=wPlate;
  ENDPROC
  PROC bad()
    MoveAbsJ home, v1000, fine, tSp;
    MoveAbsJ low, v1000, fine, tSp;
    MoveL CRobT(), v1000, fine, tSp;
    MoveAbsJ [[0,60,-10,0,30,0],{FRAME}], v1000, fine, tSp;
  ENDPROC
ENDMODULE
"""


@pytest.fixture
def robot():
    return irb.load("irb2400", tool="spindle")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cell.mod"
    path.write_text(PROGRAM)
    return path


def checked(robot, routine, **words):
    return check_path(
        robot, programmed_motion(robot, rapid.sequence_of(rapid.read(PROGRAM), routine)), **words
    )


def printed(tables):
    console = Console(width=200, markup=False)
    with console.capture() as text:
        for table in tables:
            console.print(table)
    return text.get()


# --- tables


def test_verdict_names_the_first_violation(robot):
    """A good path is kept; a bad one has the line, the axis and the value; what was not evaluated
    is counted.
    """
    assert (
        verdict(checked(robot, "main"))
        == "every checked bound is kept (not checked: accelerations, collision)"
    )
    text = verdict(checked(robot, "bad"))
    assert re.match(
        r"\d+ violations?; 1 instruction could not be evaluated; the first: line 16, t = ", text
    )
    assert "axis 3: q3 - q2 = -70 deg is outside its bounds -60 .. 65 deg" in text


def extreme(one, rng, line):
    """An extreme with values and lines that no other has."""
    n = len(one.value)
    return one._replace(
        value=rng.uniform(0.1, 2.0, n), time=rng.uniform(0.0, 9.0, n), line=line + np.arange(n)
    )


def distinct(name):
    """An arm, and a check of it whose numbers and lines all differ."""
    robot, rng = irb.load(name), np.random.default_rng(34)
    n = robot.n
    q = 0.01 * rng.uniform(size=(3, n))
    moved = check_path(robot, irb.Motion(np.arange(3.0), q, q, q), acceleration=np.full(n, 9.0))
    kinds = ("margin", "used", "speed", "acceleration", "torque")
    scalars = ("smallest", "manipulability")
    return robot, replace(
        moved,
        peaks=rng.uniform(1.0, 99.0, (5, n)),
        friction_share=rng.uniform(0.1, 0.9, n),
        rated_torque=rng.uniform(10.0, 20.0, n),
        cycle=moved.cycle._replace(
            duration=2.5,
            axes=type(moved.cycle.axes)(*rng.uniform(1.0, 99.0, (4, n))),
            together=type(moved.cycle.together)(*rng.uniform(1.0, 99.0, 4)),
            friction=rng.uniform(1.0, 99.0, n),
            moving=rng.uniform(0.1, 0.9, n),
            rms_torque=rng.uniform(1.0, 99.0, n),
            equivalent_torque=rng.uniform(1.0, 99.0, n),
        ),
        singularities={
            key: extreme(one, rng, 60 + 10 * k)
            for k, (key, one) in enumerate(moved.singularities.items())
        },
        **{
            key: extreme(getattr(moved, key), rng, 10 * k)
            for k, key in enumerate((*kinds, *scalars), start=1)
        },
    )


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_tables_show_each_number_of_the_check_under_its_head(name):
    """Of an arm with a linear axis too."""
    robot, check = distinct(name)
    n, slides = robot.n, robot.limits.linear
    tables = {table.title: table for table in check_tables(check, robot)}
    (axes,) = (table for title, table in tables.items() if title.startswith(robot.name))
    (cycle,) = (table for title, table in tables.items() if "2.5 s, at the arm" in title)
    rows = [dict(zip(axes.heads, row, strict=True)) for row in axes.rows]
    costs = [dict(zip(cycle.heads, row, strict=True)) for row in cycle.rows]
    power = check.cycle
    ranges = {"irb2400": "q1 q2 q3_-_q2 q4 q5 q6", "irb930": "q1 q2 q3 q4"}[name].split()
    for i, (row, cost) in enumerate(zip(rows, costs, strict=False)):
        factor, unit, turning = (1000, "mm", "N") if slides[i] else (57.29578, "deg", "N m")
        limits = robot.limits
        of_range, of_speed, of_torque = (
            "*" * bool(assumed[i])
            for assumed in (
                limits.by_axis(limits.range_assumed), limits.velocity_assumed, limits.effort_assumed,
            )
        )  # fmt: skip
        assert row == {
            "axis": str(i + 1), "range of": row["range of"],
            "margin": f"{factor * check.margin.value[i]:.2f} {unit}{of_range}",
            "margin line": str(10 + i), "speed %": f"{100 * check.speed.value[i]:.1f}{of_speed}",
            "speed line": str(30 + i),
            "acceleration %": f"{100 * check.acceleration.value[i]:.1f}",
            "torque %": f"{100 * check.torque.value[i]:.1f}{of_torque}", "torque line": str(50 + i),
            "peak torque": f"{check.peaks[4, i]:.1f} {turning}",
            "friction %": f"{100 * check.friction_share[i]:.0f}",
        }  # fmt: skip
        assert ranges[i].replace("_", " ") in row["range of"].split(", ")
        net, share = (
            power.axes.driven[i] - power.axes.regenerated[i],
            power.rms_torque[i] / check.rated_torque[i],
        )
        assert cost == {
            "axis": str(i + 1), "moving %": f"{100 * power.moving[i]:.0f}",
            "peak W": f"{power.axes.peak[i]:.1f}", "braking W": f"{power.axes.braking[i]:.1f}",
            "mean W": f"{net / 2.5:.1f}", "driven J": f"{power.axes.driven[i]:.1f}",
            "regenerated J": f"{power.axes.regenerated[i]:.1f}",
            "friction W": f"{power.friction[i] / 2.5:.1f}",
            "RMS torque": f"{power.rms_torque[i]:.1f} {turning}",
            "equivalent torque": f"{power.equivalent_torque[i]:.1f} {turning}",
            "RMS / rated %": f"{100 * share:.1f}", "(RMS / rated)^2": f"{share**2:.3f}",
        }  # fmt: skip
    net = (power.axes.driven - power.axes.regenerated).sum()
    total = (
        *(power.together.peak, power.together.braking, net / 2.5, power.together.driven),
        *(power.together.regenerated, power.friction.sum() / 2.5),
    )
    assert cycle.rows[n] == ("all", "", *(f"{value:.1f}" for value in total), *[""] * 4)
    units = {
        "wrist": (57.29578, 3, "deg"),
        "elbow": (57.29578, 3, "deg"),
        "shoulder": (1e3, 1, "mm"),
    }
    expected = [
        (key, f"{units[key][0] * one.value[0]:.{units[key][1]}f} {units[key][2]}", one)
        for key, one in check.singularities.items()
    ]
    expected += [
        (label, f"{one.value[0]:.4g}", one)
        for label, one in (
            ("smallest singular value", check.smallest), ("manipulability", check.manipulability),
        )
    ]  # fmt: skip
    assert tables["singularities"].rows == [
        (label, value, f"{one.time[0]:.4g}", str(one.line[0])) for label, value, one in expected
    ]


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_the_record_has_each_number_of_the_check(name):
    """In SI units; moves and violations are those of a program."""
    robot, check = distinct(name)
    record, cycle = check_record(check, robot), check.cycle
    assert (record["samples"], record["duration_s"]) == (check.rows, check.duration)
    for i, row in enumerate(record["axes"]):
        assert row == pytest.approx({
            "axis": i + 1, "margin_rad": check.margin.value[i], "range_share": check.used.value[i],
            "speed_share": check.speed.value[i], "torque_share": check.torque.value[i],
            "acceleration_share": check.acceleration.value[i], "peak_torque_N_m": check.peaks[4, i],
            "moving_share": cycle.moving[i], "peak_power_W": cycle.axes.peak[i],
            "braking_power_W": cycle.axes.braking[i], "driven_energy_J": cycle.axes.driven[i],
            "regenerated_energy_J": cycle.axes.regenerated[i],
            "mean_power_W": (cycle.axes.driven[i] - cycle.axes.regenerated[i]) / 2.5,
            "friction_power_W": cycle.friction[i] / 2.5, "rms_torque_N_m": cycle.rms_torque[i],
            "equivalent_torque_N_m": cycle.equivalent_torque[i],
            "rated_torque_N_m": check.rated_torque[i],
            **{f"{kind}_limit_assumed": axes[i] for kind, axes in robot.limits.assumed.items()},
        })  # fmt: skip
    assert record["all_axes"] == pytest.approx({
        "peak_power_W": cycle.together.peak, "braking_power_W": cycle.together.braking,
        "driven_energy_J": cycle.together.driven,
        "regenerated_energy_J": cycle.together.regenerated,
    })  # fmt: skip
    units = {"wrist": "wrist_rad", "elbow": "elbow_rad", "shoulder": "shoulder_m"}
    known = {units[kind]: one.value[0] for kind, one in check.singularities.items()}
    assert record["singularities"] == pytest.approx(dict.fromkeys(units.values()) | known)


def test_the_record_has_moves_and_violations(robot):
    check = checked(robot, "bad")
    record = check_record(check, robot)
    assert [tuple(row.values()) for row in record["moves"]] == [
        (one.line, one.instruction, one.start, one.end, one.speed, one.share, one.slowed_by)
        for one in check.program.timings
    ]
    (finding,), (row,) = check.findings, record["violations"]
    names = ("kind", "line", "axis", "quantity", "value", "lower", "upper", "unit", "assumed")
    assert [row[name] for name in names] == [getattr(finding, name) for name in names]
    assert (row["start_s"], row["end_s"]) == (finding.start, finding.end)


def test_moves_show_their_time_speed_and_worst_shares(robot):
    """A row per line from its timing and its extremes; what breaks a bound is marked."""
    check, rng = checked(robot, "bad"), np.random.default_rng(34)
    by_line = [
        one._replace(
            used=rng.uniform(0.1, 2.0), used_axis=1 + k % 6, speed=rng.uniform(0.1, 2.0),
            speed_axis=1 + (k + 1) % 6, torque=rng.uniform(0.1, 2.0), torque_axis=1 + (k + 2) % 6,
            wrist=rng.uniform(0.1, 1.0),
        )
        for k, one in enumerate(check.by_line)
    ]  # fmt: skip
    timings = [
        one._replace(share=rng.uniform(0.2, 0.9), slowed_by=None if k else 4)
        for k, one in enumerate(check.program.timings)
    ]
    shown = replace(
        check, by_line=tuple(by_line), program=check.program._replace(timings=tuple(timings))
    )
    (table,) = (table for table in check_tables(shown, robot) if table.title == "moves")
    of_line = {one.line: one for one in timings}
    assert len(table.rows) == 3
    for row, one in zip(table.rows, by_line, strict=True):
        timing = of_line.get(one.line)
        start, end = (one.start, one.end) if timing is None else (timing.start, timing.end)
        reached = (
            ""
            if timing is None
            else f"{1e3 * timing.share * timing.speed:.0f} of {1e3 * timing.speed:.0f}"
        )
        slowed = " (axis 4)" if timing and timing.slowed_by else ""
        assert dict(zip(table.heads, row, strict=True)) == {
            "line": str(one.line), "move": timing.instruction if timing else "start",
            "from s": f"{start:.3f}", "to s": f"{end:.3f}", "TCP mm/s": reached + slowed,
            "range %": f"{100 * one.used:.0f} (axis {one.used_axis})",
            "speed %": f"{100 * one.speed:.0f} (axis {one.speed_axis})",
            "torque %": f"{100 * one.torque:.0f}* (axis {one.torque_axis})",
            "wrist deg": f"{57.29578 * one.wrist:.1f}",
            "verdict": "VIOLATION" if one.line == 16 else "",
        }  # fmt: skip
    (violations,) = (table for table in check_tables(check, robot) if "violations" in table.title)
    assert [row[:4] for row in violations.rows] == [
        (str(one.line), f"{one.start:.4g}", f"{one.end:.4g}", one.kind) for one in check.findings
    ]
    assert "axis 3: q3 - q2 = -70 deg" in " ".join(row[4] for row in violations.rows)


@pytest.mark.parametrize("routine", ["main", "bad"])
def test_tables_are_never_cut(robot, routine):
    tables = check_tables(checked(robot, routine, acceleration=np.full(6, 200.0)), robot)
    assert ("VIOLATION" in printed(tables)) == (routine == "bad")
    assert_nothing_is_cut(tables)


def test_remarks_say_what_the_numbers_rest_on(robot):
    """Assumed torque limits, extrapolated friction, no acceleration limit, no collision; the
    program's notes at the end.
    """
    sentences = "\n".join(remarks(checked(robot, "main"), robot))
    for words in (
        "torque limits of irb2400_16 are assumed",
        "friction there is extrapolated",
        "accelerations were held against no",
    ):
        assert words in sentences
    assert "collision was not looked for" in sentences
    assert "corners are not rounded" in sentences
    scara = irb.load("irb930")
    still = irb.Motion(np.array([0.0]), np.full((1, 4), -0.1), np.zeros((1, 4)), np.zeros((1, 4)))
    sentences = "\n".join(remarks(check_path(scara, still), scara))
    assert "irb930_12_105 has no friction data" in sentences
    assert "speed limits of axes 1, 2, 3 and 4 are assumed" in sentences


def test_a_line_of_a_loop_has_one_row(robot):
    """From the first time that it is driven to the last, with its highest speed; the axes of a
    plural read as one.
    """
    text = PROGRAM.replace("PROC bad()", "PROC twice()\n    main; main;\n  ENDPROC\n  PROC bad()")
    near = robot.from_controller([1, 0, 0, 0, 30, 0])  # the first way home is short and slow
    program = programmed_motion(robot, rapid.sequence_of(rapid.read(text), "twice"), start=near)
    check = check_path(robot, program)
    rows = {cells[0]: cells for cells, _ in move_rows(check, robot)}
    times = [one for one in program.timings if one.line == 8]
    assert len(times) == 2
    assert times[0].share < 0.5 * times[1].share
    assert rows["8"][2:4] == [f"{times[0].start:.3f}", f"{times[1].end:.3f}"]
    assert rows["8"][4].startswith(f"{1000 * times[1].share * times[1].speed:.0f} of 1000")
    assert re.search(
        r"^axes [\d, ]+ and \d move faster than their friction was",
        "\n".join(remarks(check, robot)),
        re.MULTILINE,
    )


def test_what_was_not_evaluated_is_part_of_the_verdict(robot):
    """Instructions and tools are counted, singular and plural; the page is not green, and says it
    too.
    """
    text = PROGRAM.replace("MoveL Offs(p10,100", "grip; MoveL Offs(p10,100")
    one = check_path(robot, programmed_motion(robot, rapid.sequence_of(rapid.read(text))))
    assert verdict(one).startswith(
        "1 instruction could not be evaluated; the rest keeps every checked bound (not checked: acc"
    )
    page = report_html(one, robot)
    assert 'class="verdict bad"' in page
    assert "1 instruction could not be evaluated; the rest keeps every checked bound" in page
    assert "on the part that could be evaluated" in page
    text = text.replace("grip;", "grip; drop 3;").replace("v500, fine, tSp", "v500, fine, tOld")
    two = check_path(robot, programmed_motion(robot, rapid.sequence_of(rapid.read(text))))
    left = "2 instructions could not be evaluated and 1 tool of the program has no value"
    assert verdict(two).startswith(f"{left}; the rest keeps every checked bound (not checked: ")


# --- the page


def test_the_page_stands_on_its_own(robot, tmp_path):
    """No address but namespaces, no script, well-formed; four figures, the tables, the verdict;
    dangerous names are escaped.
    """
    box = Box((-1, -1, 0), (2, 1, 2))
    write_report(tmp_path / "r.html", checked(robot, "bad", box=box), robot, "<b>&.mod", box)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    addresses = set(re.findall(r"[a-z]+://[^\s\"'<)]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    for tag, attributes in page.tags:
        assert tag not in ("script", "link", "img", "iframe")
        for name in ("href", "src"):
            assert attributes.get(name, "#").startswith("#")
    assert not re.search(r"url\((?!#)", text)
    assert [tag for tag, _ in page.tags].count("svg") == 4
    words = " ".join(page.words)
    assert "Path check: <b>&.mod" in words
    assert "irb2400_16 with spindle" in words
    assert "axis 3: q3 - q2 = -70 deg is outside its bounds" in words
    assert "torque limits of irb2400_16 are assumed" in words
    assert 'class="verdict bad"' in text
    assert text.count('<tr class="bad">') == 1
    assert text.count('class="bar over"') == 1  # axis 3, 116 % of its half range
    assert "$" not in re.sub(r"\$\\mathdefault\{[^}]*\}\$", "", text)


def test_figures_draw_shares_in_percent(robot):
    """One line per axis and quantity, the largest value of which is that of the check."""
    check = checked(robot, "bad")
    for axes, share in zip(
        shares_figure(check, robot).axes, (check.used, check.speed, check.torque), strict=True
    ):
        drawn = [
            line.get_ydata().max() for line in axes.lines if line.get_label().startswith("axis")
        ]
        np.testing.assert_allclose(drawn, 100.0 * share.value, rtol=1e-12)


def test_speed_torque_and_power_are_drawn_with_their_limits(robot):
    """Each axis in its units, with its limits on either side; below, the power of all together."""
    check = checked(robot, "main", rated_torque=np.full(6, 500.0))
    figure = axes_figure(check, robot)
    *rows, last = np.array([*figure.axes[:18], None, None, figure.axes[18]]).reshape(7, 3)
    units = np.degrees(1.0), 1.0, 1.0
    columns = check.trace.v, check.trace.tau, check.trace.power
    limits = np.degrees(robot.limits.velocity), robot.limits.effort
    for i, row in enumerate(rows):
        for axes, values, unit in zip(row, columns, units, strict=True):
            np.testing.assert_allclose(axes.lines[0].get_ydata(), unit * values[:, i], rtol=1e-12)
        for axes, limit in zip(row, limits, strict=False):
            drawn = [line.get_ydata()[0] for line in axes.lines[1:3]]
            np.testing.assert_allclose(drawn, [limit[i], -limit[i]], rtol=1e-12)
        assert [line.get_ydata()[0] for line in row[1].lines[3::2]] == [
            pytest.approx(check.cycle.rms_torque[i]),
            500.0,
        ]
        assert len(row[2].lines) == 1
    np.testing.assert_allclose(last[2].lines[0].get_ydata(), check.trace.power.sum(axis=1))


def test_a_straight_path_is_drawn_as_a_line(robot):
    """Along y, and standing still: every view spans the same, the path's length or 10 mm, and
    counts without an offset.
    """
    y = np.linspace(-0.2, 0.2, 5)
    for way, least in ((y, 400.0), (0.0 * y, 10.0)):
        check = checked(robot, "main")
        tcp = np.stack([np.full(5, 1.5) + 1e-13 * y, way, np.full(5, 0.9) - 1e-13 * y], axis=1)
        trace = check.trace._replace(tcp=tcp, t=np.arange(5.0))
        drawn = path_figure(replace(check, trace=trace), None)
        drawn.canvas.draw()
        above, side = drawn.axes
        assert (above.get_xlabel(), above.get_ylabel()) == ("x [mm]", "y [mm]")
        assert (side.get_xlabel(), side.get_ylabel()) == (
            "y [mm]" if least > 10.0 else "x [mm]",
            "z [mm]",
        )
        for axes in drawn.axes:
            for low, high in (axes.get_xlim(), axes.get_ylim()):
                # equal scales: the wider side of the view is longer
                assert least <= high - low < 4.0 * least
            assert (
                axes.xaxis.get_major_formatter().get_offset()
                == axes.yaxis.get_major_formatter().get_offset()
                == ""
            )


def test_a_good_page_says_so(robot):
    """Green, no violation; without singularities there is one figure less; the same input gives the
    same page.
    """
    check = checked(robot, "main")
    text = report_html(check, robot, "cell.mod")
    assert 'class="verdict good"' in text
    assert "Every checked bound is kept" in text
    assert text == report_html(check, robot, "cell.mod")
    two = irb.from_urdf(irb.urdf_path("positioner"))
    still = irb.Motion(
        np.array([0.0, 1.0]), np.zeros((2, two.n)), np.zeros((2, two.n)), np.zeros((2, two.n))
    )
    text = report_html(check_path(two, still), two)
    assert text.count("<svg") == 3
    assert "Moves" not in text


def test_what_was_not_checked_stands_beside_what_is_kept(robot, file, run):
    """One posture says nothing about a motion, and is no clean check; limits that nobody knows or
    asked for are named.
    """
    one = check_path(robot, programmed_motion(robot, rapid.sequence_of(rapid.read(PROGRAM))[:1]))
    resting = "speeds and torques of a motion: there is one posture at rest"
    assert (one.rows, one.moved, one.kept, one.first) == (1, False, False, None)
    assert (
        verdict(one)
        == f"nothing moves; the posture keeps its bounds (not checked: {resting}, accelerations,"
        " collision)"
    )
    assert "Nothing moves; the posture keeps" in (page := report_html(one, robot))
    assert 'class="verdict bad"' in page
    assert "nothing moves" in repr(one)
    every = checked(robot, "main", acceleration=np.full(6, 1e6), collision=True)
    assert (every.unchecked, verdict(every)) == ((), "every checked bound is kept")
    file.write_text(re.sub(r"(?m)^    Move[JL] .*\n", "", PROGRAM))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert (code, "cell.mod: nothing moves" in err) == (1, True)


def test_torques_without_masses_are_not_called_kept():
    """Tables, page and figure say unknown; no limit of a torque is called assumed."""
    arm = irb.load("irb1100_4_58")
    program = rapid.sequence_of(
        rapid.read(
            "MODULE m\nPROC main()\n"
            f"MoveAbsJ [[0,0,0,0,30,0],{FRAME}],v100,fine,tool0;\n"
            f"MoveAbsJ [[20,0,0,0,30,0],{FRAME}],v100,fine,tool0;\nENDPROC\nENDMODULE"
        )
    )
    check = check_path(arm, programmed_motion(arm, program))
    axes, _, moves = (printed([table]) for table in check_tables(check, arm)[:3])
    assert axes.count("unknown") == 18  # share, peak and friction of six axes
    assert "*)" not in axes
    assert moves.count("unknown") == 2  # of the start and of the move
    assert "not checked: torques of axes 1, 2, 3, 4, 5 and 6, acc" in verdict(check)
    told = remarks(check, arm)
    assert "no masses of irb1100_4_58 are known: its torques are not" in told
    assert not any("assumed: none is published" in line or "hold none" in line for line in told)
    page = report_html(check, arm)
    assert "Ranges and speeds stay within their limits on the whole path." in page
    assert "of a torque" not in page
    assert "torque: unknown, as masses are" in page
    assert "nan" not in page.lower()


def test_speeds_without_a_limit_are_not_called_kept(tmp_path):
    text = re.sub(r'velocity="[^"]*"', 'velocity="0"', irb.load("irb1600").urdf())
    (tmp_path / "a.urdf").write_text(text)
    arm = irb.from_urdf(tmp_path / "a.urdf")
    q = np.linspace(0.0, 0.1, 5)[:, None] * np.ones(6)
    check = check_path(arm, irb.Motion(0.1 * np.arange(5), q, np.ones_like(q), np.zeros_like(q)))
    assert "(not checked: speeds of axes 1, 2, 3, 4, 5 and 6, accelerations, collision)" in verdict(
        check
    )
    assert (check.kept, check.unlimited) == (True, ("speeds of axes 1, 2, 3, 4, 5 and 6",))
    assert "Ranges and torques stay within their limits" in report_html(check, arm)


def test_an_unknown_speed_is_no_share_of_a_limit(tmp_path):
    """Neither in the table, nor in the report, nor the worst of a move; a known one is."""
    text = irb.load("irb1600").urdf()
    for joint in ("joint_1", "joint_2"):
        text = re.sub(rf'(name="{joint}".*?velocity=)"[^"]*"', r'\1"0"', text, flags=re.DOTALL)
    (tmp_path / "a.urdf").write_text(text)
    arm = irb.from_urdf(tmp_path / "a.urdf")
    program = (
        "MODULE m\n CONST jointtarget j:=[[40,20,-20,10,40,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\n"
        " PROC main()\n MoveAbsJ [[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v1000,fine,tool0;\n"
        " MoveAbsJ j,v7000,fine,tool0;\n ENDPROC\nENDMODULE\n"
    )
    check = check_path(arm, programmed_motion(arm, rapid.sequence_of(rapid.read(program))))
    assert np.isnan(check.speed.value).tolist() == [True, True, False, False, False, False]
    assert check.speed.value[2:].max() == pytest.approx(check.by_line[-1].speed)
    assert check.by_line[-1].speed_axis == 3  # axis 1 turns twice as far
    shown = next(row for table in check_tables(check, arm) for row in table.rows if row[0] == "1")
    assert "unknown" in shown
    told = remarks(check, arm)
    assert "no speed of axes 1 and 2 is known: moves may take longer than they do here" in told
    assert "nan" not in report_html(check, arm).lower()
    assert "speed nan" not in repr(check)


# --- the command


def test_exit_codes_of_programs(file, run, tmp_path):
    """0 where all is kept, 1 with the first violating line, 2 for what is no input."""
    code, out, err = run(
        "path", file, "--robot", "irb2400", "--tool", "spindle", "--routine", "main"
    )
    assert code == 0
    assert "cell.mod: every checked bound is kept (not checked: accelerations, collision)" in err
    assert "MoveJ" in out
    table, page = tmp_path / "t.csv", tmp_path / "r.html"
    code, _, err = run(
        "path", file, "--robot", "irb2400", "--routine", "bad", "-o", table, "--report", page
    )
    assert code == 1
    assert "the first: line 16" in err
    assert "line 15: MoveL not evaluated: CRobT() is where the robot stands" in err
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert table.read_text().startswith("t,line,q1_deg,q2_deg")
    code, _, err = run(
        "path",
        file,
        "--robot",
        "irb2400",
        "--routine",
        "main",
        "--box",
        "-2000,2000,-100,2000,0,2000",
    )
    assert code == 1
    assert "tool y" in err or "TCP y" in err  # p10 is at y = -200 mm
    code, _, err = run(
        "path", file, "--robot", "irb2400", "--routine", "main", "--acceleration", "1,1,1,1,1,1"
    )
    assert code == 1
    assert re.search(r"axis \d: a\d = .* deg/s\^2 is outside its bounds -1 \.\. 1 deg/s\^2", err)


def test_exit_codes_of_motions(robot, run, tmp_path):
    q = robot.from_controller([[0, angle, angle, 0, 30, 0] for angle in range(100, 116)])
    zero = np.zeros_like(q)
    file = tmp_path / "m.csv"
    irb.write_motion(file, irb.Motion(0.01 * np.arange(16), q, zero, zero), robot)
    code, _, err = run("path", file, "--robot", "irb2400", "--tool", "spindle")
    assert code == 1
    assert "the first: line 13, t = 0.11 .. 0.15 s: axis 2: q2 = 115 deg" in err
    irb.write_motion(file, irb.Motion(0.01 * np.arange(10), q[:10], zero[:10], zero[:10]), robot)
    assert run("path", file, "--robot", "irb2400")[0] == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--robot", "irb2401"), "no robot 'irb2401'"),
        (("--robot", "irb2400", "--tool", "nothing"), "no tool 'nothing'"),
        (("--robot", "irb2400", "--routine", "mian"), "no routine 'mian'; did you mean 'main'"),
        (("--robot", "irb2400", "--wobj", "home"), "no wobjdata 'home'"),
        (
            ("--robot", "irb2400", "--box", "1,2,3"),
            "--box '1,2,3' is not a comma separated list of 6 numbers",
        ),
        (("--robot", "irb2400", "--box", "1,0,0,1,0,1"), "the box is empty"),
        (("--robot", "irb2400", "--ramp", "0"), "ramp [s] must be a positive"),
        (
            ("--robot", "irb2400", "--acceleration", "1"),
            "--acceleration '1' is not a comma separated list of 6 numbers",
        ),
        (("--robot", "irb2400", "--start-deg", "a"), "is not a comma separated list of numbers"),
        (
            ("--robot", "irb2400", "-o", "x", "--report", "x"),
            "cannot be both the report and the table",
        ),
        ((), "Missing ROBOT or FILE"),
    ],
)
def test_bad_input_is_exit_code_2(file, run, words, reason):
    code, _, err = run("path", file, *words)
    assert code == 2
    assert reason in err


def test_bad_files_are_exit_code_2(file, run, tmp_path):
    """A malformed move with its line and column, a lost file, options of programs given for a
    motion.
    """
    file.write_text(PROGRAM.replace("MoveJ p10, v1000", "MoveJ home, v1000"))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert (code, err) == (
        2,
        f"error: {file}: line 9, column 11: MoveJ's target is a robtarget; home is a jointtarget\n",
    )
    code, _, err = run("path", tmp_path / "none.mod", "--robot", "irb2400")
    assert (code, "none.mod" in err) == (2, True)
    (tmp_path / "m.csv").write_text("t\n0\n")
    for words, reason in (
        ((), "column 'q1_deg' is missing"),
        (("--routine", "main"), "are for RAPID modules"),
    ):
        code, _, err = run("path", tmp_path / "m.csv", "--robot", "irb2400", *words)
        assert code == 2
        assert reason in err


def test_modules_of_any_suffix_and_of_several_files(robot, file, run, tmp_path):
    """.modx and .SYSX are programs, a table named .mod is a motion; tool and object of another
    module come by --with.
    """
    for name in ("a.modx", "b.SYSX", "c.txt"):
        (tmp_path / name).write_text(PROGRAM)
        assert run("path", tmp_path / name, "--robot", "irb2400")[0] == 0
    head, *rest = PROGRAM.splitlines(keepends=True)
    (tmp_path / "data.sys").write_text("".join(["MODULE data\n", *rest[:2], "ENDMODULE\n"]))
    file.write_text("".join([head, *rest[2:]]))
    code, _, err = run("path", file, "--robot", "irb2400", "--with", tmp_path / "data.sys")
    assert (code, "torques are those of" in err) == (0, False)
    assert run("path", file, "--robot", "irb2400")[0] == 1
    q = robot.from_controller([[0, angle, angle, 0, 30, 0] for angle in range(10)])
    irb.write_motion(
        tmp_path / "m.csv",
        irb.Motion(0.01 * np.arange(10), q, np.zeros_like(q), np.zeros_like(q)),
        robot,
    )
    (tmp_path / "m.mod").write_bytes((tmp_path / "m.csv").read_bytes())
    code, _, err = run("path", tmp_path / "m.mod", "--robot", "irb2400")
    assert (code, "m.mod: every checked bound is kept" in err) == (0, True)
    code, _, err = run("path", tmp_path / "m.mod", "--robot", "irb2400", "--with", file)
    assert (code, "are for RAPID modules, which begin with MODULE" in err) == (2, True)


def test_quaternions_off_unit_are_noted_by_the_line_of_the_move(file, run):
    file.write_text(PROGRAM.replace("[0,0,1,0],[-1,-1", "[0,0,0.9998,0],[-1,-1"))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert code == 0
    assert (
        "line 9: MoveJ has a target whose quaternion [0,0,0.9998,0] has length 0.9998, not 1; it is"
        " normalised" in err
    )


def test_the_command_takes_tool_and_work_object_of_the_module(file, run):
    """The module's only tooldata is the default; --wobj stands for an object without a value;
    --start-deg takes time.
    """
    code, out, err = run(
        "path", file, "--robot", "irb2400", "--routine", "main", "--start-deg", "10,0,0,0,30,0"
    )
    assert code == 0
    assert "torques are those of" not in err
    assert re.search(r"\n\s*8 +MoveAbsJ", out)
    file.write_text(PROGRAM.replace("WObj:=wPlate", "WObj:=wOther"))
    _, _, err = run("path", file, "--robot", "irb2400", "--routine", "main")
    assert "the work object wOther has no value" in err
    code, _, err = run("path", file, "--robot", "irb2400", "--routine", "main", "--wobj", "wPlate")
    assert (code, "wOther" in err) == (0, False)


def test_a_program_starts_at_main_and_follows_calls(file, run, tmp_path):
    """Called procedures are driven, others are not; a call that is not followed, or a lost tool, is
    exit code 1 unless named.
    """
    text = PROGRAM.replace(
        "MoveL Offs(p10,100,0,0), v500, fine, tSp\\WObj:=wPlate;", "goB;"
    ).replace("PROC bad()", "PROC goB()")
    file.write_text(text.replace("MoveL CRobT(), v1000, fine, tSp;", ""))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert code == 1
    assert "1 violation; the first: line 16" in err
    file.write_text(PROGRAM)
    assert run("path", file, "--robot", "irb2400")[0] == 0  # bad is not called
    file.write_text(PROGRAM.replace("MoveL Offs(p10,100", "grip; MoveL Offs(p10,100"))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert code == 1
    assert "line 10: grip not evaluated: it is no procedure of this module, and not followed" in err
    assert (
        "cell.mod: 1 instruction could not be evaluated; the rest keeps every checked bound" in err
    )
    file.write_text(PROGRAM.replace("fine, tSp", "fine, tOther"))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert code == 1
    assert "cell.mod: 1 tool of the program has no value; the rest keeps every checked bound" in err
    code, _, err = run("path", file, "--robot", "irb2400", "--tool", "tSp")
    assert (code, "tOther has no value" in err) == (0, True)
    file.write_text(PROGRAM.replace("PROC main()", "PROC other()"))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert code == 2
    assert "cell has no procedure main; say at which routine to start (other, bad)" in err


def test_a_program_of_which_nothing_can_be_driven(file, run, tmp_path):
    """Each move with target, routine, line and why, on screen and in the page, exit code 1; without
    any move it is no program.
    """
    table, page = tmp_path / "t.csv", tmp_path / "r.html"
    far = PROGRAM.replace("p10:=[[0,0,0]", "p10:=[[0,0,9000]").replace(
        "MoveAbsJ home, v1000, fine, tSp;", "", 1
    )
    file.write_text(far)
    for more in ((), ("--start-deg", "0,0,0,0,30,0")):
        code, out, err = run(
            "path", file, "--robot", "irb2400", "-o", table, "--report", page, *more
        )
        assert code == 1
        first = (
            r"line 9, t = 0 s: target p10 of MoveJ in main: out of reach by \d+\.\d+ mm; it is"
            r" left out"
        )
        assert re.search(rf"cell\.mod: 2 violations; the first: {first}", err)
        text = page.read_text(encoding="utf-8")
        for where in (out, text):
            assert "target p10 of MoveJ in main: out of reach by" in where
            assert "target Offs(p10,100,0,0) of MoveL in main: out of reach by" in where
        assert "nan" not in out + text
        assert text.count("<p>No move could be driven.</p>") == (0 if more else 4)
        assert Page(text).open == []
        assert table.read_text().startswith("t,line,q1_deg")
        assert len(table.read_text().splitlines()) == (2 if more else 1)
    file.write_text(
        PROGRAM.replace(
            "home, v1000, fine, tSp;\n    MoveJ p10",
            "[[0,0,0,0,9999,0],[9E9,9E9,9E9,9E9,9E9,9E9]], v10, fine, tSp;\n    MoveJ CRobT()",
        )
    )
    code, out, err = run("path", file, "--robot", "irb2400")
    assert (code, "range" in out) == (1, True)
    assert (
        "the first: line 8, t = 0 s: target [[0,0,0,0,9999,0],[9E9,9E9,9E9,9E9,9E9,9E9]] of"
        " MoveAbsJ in main: q5 = 9999 deg" in err
    )
    for body, reason in (
        ("PDispOn p10,tSp;", "; line 8: PDispOn not evaluated"),
        ("x := 1;", "\n"),
        ("grip;", "; line 8: grip not evaluated: it is no"),
    ):
        file.write_text(
            re.sub(r"(?m)^    Move.*\n", "", PROGRAM).replace(
                "PROC main()\n", f"PROC main()\n    {body}\n"
            )
        )
        code, _, err = run("path", file, "--robot", "irb2400")
        assert (
            code,
            f"error: the program holds no MoveL, MoveJ, MoveC or MoveAbsJ{reason}" in err,
        ) == (2, True)
    file.write_text(PROGRAM.replace("MoveL Offs(p10,100,0,0)", "MoveC p10, Offs(p10,0,0,9000)"))
    assert "circle point" not in run("path", file, "--robot", "irb2400")[2]
    file.write_text(PROGRAM.replace("MoveL Offs(p10,100,0,0)", "MoveC Offs(p10,0,0,9000), p10"))
    assert "line 10, t = " in (err := run("path", file, "--robot", "irb2400")[2])
    assert "circle point Offs(p10,0,0,9000) of MoveC in main: out of reach by" in err


def test_a_program_that_stays_where_it_starts(file, run):
    file.write_text(re.sub(r"(?m)^    Move[JL] .*\n", "", PROGRAM))
    code, _, err = run("path", file, "--robot", "irb2400", "--start-deg", "0,0,0,0,30,0")
    assert (code, "cell.mod: nothing moves; the posture keeps its bounds" in err) == (1, True)


def test_tools_of_the_module_are_named_in_page_and_errors(file, run, tmp_path):
    """The tooldata's name stands in the page; one of mass -1 is refused with file, line and name; a
    wrong name lists them all.
    """
    page = tmp_path / "r.html"
    assert run("path", file, "--robot", "irb2400", "--report", page)[0] == 0
    assert "irb2400_16 with tSp" in page.read_text(encoding="utf-8")
    code, _, err = run("path", file, "--robot", "irb2400", "--tool", "tSpp")
    assert code == 2
    assert re.search(r"no tool 'tSpp'; did you mean 'tSp'\? \(known: tSp, .*spindle", err)
    inline = str(rapid.tooldata_of(irb.load_tool("spindle")))
    assert run("path", file, "--robot", "irb2400", "--tool", inline)[0] == 0
    file.write_text(re.sub(r"\],\[12\.7,", "],[-1,", PROGRAM))
    code, _, err = run("path", file, "--robot", "irb2400")
    assert (code, err) == (
        2,
        (
            f"error: {file}: line 2, column 3: tooldata tSp: mass -1 kg: this load was never"
            " defined; a load needs a positive mass\n"
        ),
    )


def test_lines_of_a_cut_are_lines_of_moves(file, run):
    words = (file, "--robot", "irb2400", "--cut", "10,0,0", "--cut-lines")
    code, _, err = run("path", *words, "99")
    assert (code, err) == (2, "error: no move stands in line 99, where the tool should cut\n")
    code, _, err = run("path", *words, "9-40")
    assert code == 0
    assert "torques hold a cut of 10, 0, 0 N (feed, across, axial) in lines 9-40" in err


def test_tools_of_a_program_are_not_other_tools_of_an_overlay(file, tmp_path, run):
    """The tool of the overlay is the program's: nothing warns on the way to it, nor where only a
    TCP is the program's.
    """
    overlay = tmp_path / "mine.yaml"
    text = (
        "robot: irb2400\ntool: {}\nabout: x\nsources: {{m: {{ref: r, grade: measured}}}}\nlimits:"
        " {{axes: {{}}}}\n"
    )
    overlay.write_text(text.format("tSp"))
    code, _, err = run("path", file, "--robot", "irb2400", "--overlay", overlay)
    assert code == 0, err
    overlay.write_text(text.format("spindle"))
    spindle = irb.load_tool("spindle")
    longer = irb.Tool(
        "spindle", spindle.tcp * pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.01])), spindle.load
    )
    assert checked(irb.load("irb2400", tool=longer, overlays=[overlay]), "main").kept
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        _, _, err = run("path", file, "--robot", "irb2400", "--overlay", overlay)
    assert err.count("was identified with tool spindle, and irb2400_16 has tool tSp") == 1


def test_a_share_of_an_assumed_limit_is_marked():
    """Axis by axis, in terminal, page and JSON: of an IRB 930 speeds are assumed, ranges of axes 1
    and 4, and torques but that of axis 3.
    """
    arm = irb.load("irb930")
    ends = arm.from_controller([[20, -60, -50, 30], [-40, 70, -150, -60]])
    check = check_path(arm, move(*ends, duration=1.0).sample(100.0))
    marked = {"range": "1001", "speed": "1111", "torque": "1101"}
    heads = {"range": "margin", "speed": "speed %", "torque": "torque %"}
    table, record = check_tables(check, arm)[0], check_record(check, arm)
    words = Page(report_html(check, arm)).words
    for kind, flags in marked.items():
        share = check.used if kind == "range" else getattr(check, kind)
        for i, flag in enumerate(flag == "1" for flag in flags):
            assert table.rows[i][table.heads.index(heads[kind])].endswith("*") == flag
            assert record["axes"][i][f"{kind}_limit_assumed"] == flag
            assert f"{100 * share.value[i]:.0f} %{'*' * flag}" in words
    assert table.title.endswith("(* of an assumed limit)")
    assert "* of an assumed limit: none is published." in " ".join(words)
