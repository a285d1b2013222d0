"""What a run holds, and what comes back from its file."""

from __future__ import annotations

import csv
import pickle
from dataclasses import replace

import numpy as np
import pyarrow.parquet
import pytest

import irbmodels as irb
from irbmodels.simulation import Event, Run, SimulationError, run_of, simulate


def made(name: str = "irb2400") -> tuple[irb.Robot, Run]:
    """Return a robot and a run with random numbers."""
    robot, rng = irb.load(name), np.random.default_rng(0)
    q, v, a, tau = rng.normal(size=(4, 20, robot.n))
    more = {
        "friction": (rng.normal(size=(20, robot.n)), "N m"),
        "e": (rng.normal(size=(20, robot.n)), "rad"),
        "power": (np.arange(20.0), "W"),
    }
    events = [Event(0.2, 3, "sticks"), Event(0.25, 1, "slips"), Event(0.3, 3, "slips")]
    return robot, run_of(
        robot,
        irb.Motion(np.arange(20) * 0.1, q, v, a, tau),
        more,
        events,
        {"step": 0.1},
        {"t": 1.9},
    )


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_a_file_gives_back_everything(name, tmp_path):
    """Save and load return every column to the last digits, and events, notes, units and end as
    they were.
    """
    _, run = made(name)
    run.save(tmp_path / "run.parquet")
    again = Run.load(tmp_path / "run.parquet")
    assert list(again.columns) == ["q", "v", "a", "tau", "friction", "e", "power"]
    for column in again.columns:
        np.testing.assert_allclose(again[column], run[column], rtol=1e-15)
    np.testing.assert_array_equal(again.t, run.t)
    assert (again.events, again.notes, again.units, again.linear, again.end) == (
        run.events,
        run.notes,
        run.units,
        run.linear,
        run.end,
    )


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_the_columns_are_those_of_a_motion_file(name, tmp_path):
    """The file's columns have the names and units of a CSV log, the linear axis of a SCARA in
    millimetres and newtons.
    """
    robot, run = made(name)
    run.save(tmp_path / "run.parquet")
    irb.write_motion(tmp_path / "run.csv", run.motion, robot)
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    with (tmp_path / "run.csv").open(encoding="utf-8") as stream:
        header = next(csv.reader(stream))
    assert table.column_names[: len(header)] == header
    written = np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(
        np.stack([table[name] for name in header], axis=1), written, rtol=1e-8
    )  # nine digits in the CSV
    more = table.column_names[len(header) :]
    assert {"e1_deg", "friction1_Nm", "power_W"} <= set(more)
    if name == "irb930":
        assert {"e3_mm", "friction3_N"} <= set(more)
    assert {
        table.schema.field(name).metadata[b"unit"]
        for name in ("t", "q1_deg", "v1_deg_s", "power_W")
    } == {
        b"s",
        b"deg",
        b"deg_s",
        b"W",
    }


def test_a_run_says_what_was_simulated():
    """Notes name robot, parameters, tool, payload, gravity, rotors and version, with all numbers of
    what is carried.
    """
    carried = irb.payload(3.0, [0.01, 0.0, 0.02], np.diag([0.1, 0.2, 0.25]))
    robot = irb.load("irb2400", tool="spindle").with_payload(carried).with_gravity([0, 0, -1.6])
    notes = run_of(robot, irb.Motion(np.zeros(1), np.zeros((1, 6))), notes={"step": 1e-3}).notes
    assert notes["robot"] == "irb2400_16"
    assert (notes["parameters"], notes["tool"], notes["payload_kg"]) == ("obal2025", "spindle", 3.0)
    assert (notes["gravity"], notes["rotors"], notes["version"]) == (
        [0, 0, -1.6],
        [0.0] * 6,
        irb.__version__,
    )
    assert notes["step"] == 1e-3
    assert (notes["payload_com_m"], notes["payload_inertia_kg_m2"]) == (
        carried.com.tolist(),
        carried.tensor.tolist(),
    )
    assert (notes["tool_kg"], notes["tool_com_m"]) == (
        robot.tool.load.mass,
        robot.tool.load.com.tolist(),
    )
    assert notes["tool_inertia_kg_m2"] == robot.tool.load.tensor.tolist()
    np.testing.assert_array_equal(notes["tool_tcp"], robot.tool.tcp.homogeneous)


def test_columns_events_and_motion_are_found():
    """Columns by name, events by axis and kind, the motion with what there is."""
    _, run = made()
    assert run["tau"] is run.tau
    assert run.of_axis(3) == [Event(0.2, 3, "sticks"), Event(0.3, 3, "slips")]
    assert run.of_axis(3, "slips") == [Event(0.3, 3, "slips")]
    assert run.motion.a is run.a
    assert len(run) == 20
    assert "irb2400_16" in repr(run)
    assert not run.q.flags.writeable
    with pytest.raises(irb.UnknownName, match="did you mean 'friction'"):
        run["fricton"]


def test_a_column_needs_its_length_and_unit():
    for columns, units in (
        ({"q": np.zeros((3, 6))}, {"q": "rad"}),
        ({"q": np.zeros((2, 6))}, {}),
        ({"q": np.zeros((2, 6, 1))}, {"q": "rad"}),
    ):
        with pytest.raises(irb.InputError, match="column 'q'"):
            Run(np.zeros(2), columns, units, (False,) * 6)


def test_what_is_no_run_is_refused(tmp_path):
    """A lost file, one that is no Parquet, and one without metadata raise one line; a failed save
    leaves the old file.
    """
    _, run = made()
    with pytest.raises(irb.FileError, match="nowhere"):
        Run.load(tmp_path / "nowhere.parquet")
    (tmp_path / "text.parquet").write_text("t,q1\n")
    with pytest.raises(irb.MotionError, match="no Parquet"):
        Run.load(tmp_path / "text.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"t": [0.0]}), tmp_path / "bare.parquet")
    with pytest.raises(irb.MotionError, match="no run of irbmodels"):
        Run.load(tmp_path / "bare.parquet")
    bad = Run(run.t, run.columns, run.units, run.linear, notes={"what": object()})
    with pytest.raises(irb.InputError, match="plain data"):
        bad.save(tmp_path / "text.parquet")
    assert (tmp_path / "text.parquet").read_text() == "t,q1\n"


def test_a_picture_has_degrees_and_the_events():
    """The figure shows degrees, one line per axis and panel, and a mark where an axis sticks or
    slips.
    """
    _, run = made()
    figure = run.plot(("q", "friction", "power"))
    first, second, third = figure.axes
    np.testing.assert_allclose(first.lines[2].get_ydata(), np.degrees(run.q[:, 2]))
    assert [panel.get_ylabel() for panel in (first, second, third)] == [
        "position [deg]",
        "friction [N m]",
        "power [W]",
    ]
    marks = [line for line in first.lines if line.get_linestyle() == "None"]
    assert sorted(line.get_xdata()[0] for line in marks) == [0.2, 0.25, 0.3]
    np.testing.assert_allclose(marks[0].get_ydata(), np.degrees(run.q[2, 2]))
    assert made("irb930")[1].plot().axes[0].get_ylabel() == "position [deg, mm]"
    with pytest.raises(irb.InputError, match="at least one column"):
        run.plot(())


def test_a_picture_marks_only_events_that_can_be_seen():
    """Up to 200 events of a kind and axis have a mark each, more have none; the legend names every
    axis and kind once.
    """
    _, run = made()
    slips, sticks = (
        [Event(1.9 * i / 200, axis, kind) for i in range(200)]
        for axis, kind in ((1, "slips"), (2, "sticks"))
    )
    few, many = (
        replace(run, events=(*slips, *sticks, *more)).plot()
        for more in ((), (Event(0.5, 2, "sticks"),))
    )
    names = [f"axis {i + 1}" for i in range(6)]
    for figure, kinds in ((few, ["sticks", "slips"]), (many, ["slips"])):
        marks = [line for line in figure.axes[0].lines if line.get_linestyle() == "None"]
        assert [(line.get_label(), len(line.get_xdata())) for line in marks] == [
            (kind, 200) for kind in kinds
        ]
        assert [text.get_text() for text in figure.legends[0].get_texts()] == names + kinds


def test_an_error_carries_its_run():
    _, run = made()
    error = SimulationError(0.25, "tau is not finite", run)
    assert str(error) == "at t = 0.25 s: tau is not finite"
    assert error.run is run
    assert isinstance(error, irb.IrbError)


def test_a_run_is_saved_under_its_own_ending(tmp_path):
    """Another ending would promise another format; a file that is not there is said to be
    missing.
    """
    robot = irb.load("irb930")
    run = simulate(robot, np.zeros(4), duration=0.02)
    with pytest.raises(irb.InputError, match=r"a run is one Parquet file, name it .parquet"):
        run.save(tmp_path / "run.csv")
    assert not list(tmp_path.iterdir())
    with pytest.raises(irb.FileError, match=r"nowhere.parquet: there is no such file"):
        Run.load(tmp_path / "nowhere.parquet")


@pytest.mark.parametrize(
    "metadata",
    [
        b"{not json",
        b"[]",
        b"{}",
        b"\xff",
        (
            b'{"linear": [false], "columns": {"q": ["rad", 1]}, "events": [], "notes": {}, "end":'
            b" null}"
        ),
        b'{"linear": 1, "columns": {}, "events": [], "notes": {}, "end": null}',
        b'{"linear": [], "columns": {}, "events": [[1]], "notes": {}, "end": null}',
        b'{"linear": [], "columns": {}, "events": [], "notes": 5, "end": null}',
    ],
)
def test_foreign_metadata_are_refused(metadata, tmp_path):
    """Whatever stands where a run has its notes, one line says that it is no run."""
    table = pyarrow.table({"t": [0.0]}).replace_schema_metadata({b"irbmodels": metadata})
    pyarrow.parquet.write_table(table, tmp_path / "foreign.parquet")
    with pytest.raises(irb.MotionError, match="no run of irbmodels, or a damaged one"):
        Run.load(tmp_path / "foreign.parquet")


def test_run_of_a_newer_schema_is_refused(tmp_path):
    """A run states the layout of its metadata; one that a newer version wrote asks for an update."""
    _, run = made()
    run.save(tmp_path / "run.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    metadata = table.schema.metadata[b"irbmodels"]
    assert metadata.startswith(b'{"schema": 1, ')
    newer = {b"irbmodels": metadata.replace(b'"schema": 1', b'"schema": 2')}
    pyarrow.parquet.write_table(table.replace_schema_metadata(newer), tmp_path / "run.parquet")
    with pytest.raises(irb.MotionError, match=r"run\.parquet: was written for schema 2; .* update"):
        Run.load(tmp_path / "run.parquet")


def test_an_error_comes_back_from_another_process():
    _, run = made()
    error = pickle.loads(pickle.dumps(SimulationError(0.25, "tau is not finite", run)))
    assert (error.t, error.problem, str(error)) == (
        0.25,
        "tau is not finite",
        "at t = 0.25 s: tau is not finite",
    )
    np.testing.assert_array_equal(error.run.q, run.q)


def test_a_column_is_numbers():
    """Text in a column is refused by its name."""
    with pytest.raises(irb.InputError, match="column 'q' of a run is not an array of numbers"):
        Run([0.0], {"q": [["a"]]}, {"q": "rad"}, (False,))
    with pytest.raises(irb.InputError, match="column 't' of a run"):
        Run("a", {}, {}, ())
    with pytest.raises(irb.InputError, match="column 't' of a run"):
        Run(1.0, {}, {}, ())
