"""The README's picture: what one state of inverse dynamics takes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from .claims import OURS
from .record import Record, Row
from .sheets import baseline

COLOURS = {OURS: "#D55E00", "pin": "#0072B2"}  # Okabe-Ito; the other engines grey
SHOWN = {
    "kernel, N in cache, friction": "irbmodels, kernel on arrays\n(coupling, friction)",
    "robot.inverse_dynamics": (
        "irbmodels, robot.inverse_dynamics\n(100 000 states, coupling, friction)"
    ),
    "kernel, one state": "irbmodels, kernel, one state per call",
    "robot.inverse_dynamics, one state": "irbmodels, robot.inverse_dynamics,\none state per call",
    "rneaInParallel, one thread": "Pinocchio, rneaInParallel, one thread",
    "pin.rnea": "Pinocchio, loop over pin.rnea",
    "mujoco": "MuJoCo",
    "drake": "Drake",
    "pybullet": "PyBullet",
    "roboticstoolbox, DH in C": "Robotics Toolbox, DH in C",
    "roboticstoolbox, URDF in Python": "Robotics Toolbox, URDF in Python",
}


def draw(record: Record) -> Figure:
    """Return bars on a logarithmic axis, fastest first, each with its speed relative to bare
    Pinocchio in the same rounds.
    """
    bars = _bars(record.rows)
    figure = Figure(figsize=(9.0, 0.42 * len(bars) + 1.5), layout="constrained")
    axes = figure.subplots()
    axes.barh(
        range(len(bars)),
        [bar.value.median for bar in bars],
        color=[COLOURS.get(bar.who, "0.65") for bar in bars],
        height=0.72,
    )
    for place, bar in enumerate(bars):
        axes.text(
            bar.value.median * 1.12,
            place,
            f"{_time(bar.value.median)}   {_ratio(bar, record.rows)}",
            va="center",
            fontsize=10,
        )
    axes.set_yticks(range(len(bars)), [SHOWN[bar.name] for bar in bars], fontsize=10)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(0.4 * bars[0].value.median, 25.0 * bars[-1].value.median)
    axes.set_xlabel(
        "time per state, one thread [ns]; factor: speed relative to bare pin.rnea calls"
    )
    axes.set_title(
        f"Inverse dynamics of an IRB 2400 with a spindle, {record.machine['processor']}"
        f" ({record.machine['llvm']})",
        fontsize=11,
        loc="left",
    )
    axes.grid(axis="x", color="0.88")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure


def _bars(rows: Sequence[Row]) -> list[Row]:
    best = {
        row.name: row
        for row in rows
        if row.name in SHOWN and row.group.startswith("inverse dynamics")
    }
    return sorted(best.values(), key=lambda row: row.value.median)


def _time(ns: float) -> str:
    for unit in ("ns", "µs"):
        if ns < 1e3:
            return f"{ns:.3g} {unit}"
        ns /= 1e3
    return f"{ns:.3g} ms"


def _ratio(bar: Row, rows: Sequence[Row]) -> str:
    base = baseline([row for row in rows if row.group == bar.group]) or bar
    ratio = base.value.median / bar.value.median
    return (
        f"{ratio:.0f}x" if ratio >= 10.0 else f"{ratio:.2g}x" if ratio >= 0.1 else f"{ratio:.1g}x"
    )
