"""An excitation: how well it determines base parameters, and how much of each limit it uses."""

from __future__ import annotations

from typing import Any

from ..identification.excitation import Excitation
from ..model.types import Mask
from .text_table import TextTable


def excitation_record(excitation: Excitation) -> dict[str, Any]:
    """Return an excitation as numbers in SI units."""
    base = excitation.base
    return {
        "motion": excitation.name,
        "criterion": excitation.criterion,
        "duration_s": excitation.trajectory.duration,
        "condition": excitation.condition,
        "log_determinant": excitation.logdet,
        "singular_values": excitation.singular_values,
        "axes": [axis + 1 for axis in base.axes],
        "parameters": [
            {"name": name, "unit": unit} for name, unit in zip(base.names, base.units, strict=True)
        ],
        "shares": excitation.shares,
        "assumed_limits": _assumed(excitation),
        "fullest_limit": excitation.fullest,
        "collision_free": excitation.collision_free,
        "seed": excitation.seed,
    }


def _assumed(excitation: Excitation) -> dict[str, Mask]:
    """Return by quantity which limits are only assumed, in the order of their shares."""
    limits = excitation.robot.limits
    known = limits.assumed | {"range": limits.range_assumed}  # sums of axes come last
    return {kind: known[kind] for kind in excitation.shares if kind in known}


def excitation_tables(excitation: Excitation) -> list[TextTable]:
    """Return the base parameters, and the largest share of each limit."""
    base, shares = excitation.base, excitation.shares
    rows = [
        (str(number), name, unit)
        for number, (name, unit) in enumerate(zip(base.names, base.units, strict=True), start=1)
    ]
    parameters = TextTable(
        *("number", "sum", "unit"),
        rows=rows,
        title=f"Base parameters of {excitation.robot.name} that the motion determines",
    )
    kinds, assumed = [kind for kind in shares if kind != "box"], _assumed(excitation)
    marks = {kind: ["*" * bool(one) for one in assumed.get(kind, [])] for kind in kinds}
    ranges = excitation.robot.limits.names()
    used = [
        (
            f"axis {i + 1}" if i < excitation.robot.n else "",
            ranges[i],
            *(
                f"{100.0 * shares[kind][i]:.1f}{marks[kind][i] if marks[kind] else ''}"
                if i < len(shares[kind])
                else ""
                for kind in kinds
            ),
        )
        for i in range(len(ranges))
    ]
    heads = [f"{kind} [%]" for kind in kinds]
    limits = TextTable(
        *("axis", "range of", *heads),
        rows=used,
        title="Largest share of each limit; of a range from its middle"
        + " (* of an assumed limit)" * any(map(any, marks.values())),
        right=heads,
        notes=[
            f"box, {name}: {100.0 * share:.1f} %"
            for name, share in zip("xyz", shares.get("box", ()), strict=False)
        ],
    )
    return [parameters, limits]


def excitation_lines(excitation: Excitation) -> list[str]:
    """Return the figures of an excitation, a line each."""
    touching = (
        "the robot does not touch itself"
        if excitation.collision_free
        else "collision of the robot with itself was not checked"
    )
    return [
        f"{excitation.name}, {excitation.trajectory.duration:g} s, made for"
        f" {excitation.criterion or 'nothing'}",
        (
            f"condition number {excitation.condition:.4g} of {excitation.base.rank} columns of unit"
            f" length; log determinant {excitation.logdet:.1f}"
        ),
        f"fullest limit: {excitation.fullest}; {touching}",
    ]
