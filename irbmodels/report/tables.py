"""Tables for a terminal: numbers of a robot with sources, torques of a motion, agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, get_args

import numpy as np

from ..model.friction import NAMES
from ..model.load_limits import UNITS
from ..model.provenance import Source
from ..model.types import Array
from ..robot.robot import Robot
from ..tables.description import Description
from ..tables.friction_rows import FIELDS, parameters_of
from ..tables.own_springs import completing_command
from ..tables.reader import Row
from ..tables.schema import HANDLING, RatingsRow
from ..tables.spring_rows import numbers_of
from .text_table import TextTable, counted

if TYPE_CHECKING:
    from ..exchange.verify.check import Agreement
    from ..exchange.verify.exports import Verdict
    from ..trajectory.torque_prediction import Prediction


def info_tables(robot: Description) -> list[TextTable]:
    """Return dimensions, limits, parameter sets and measured accuracy, each with its source."""
    tables = (
        _kinematics_table(robot),
        _limits_table(robot),
        *_set_tables(robot),
        friction_table(robot),
        _drives_table(robot),
        _springs_table(robot),
        _notes_table(robot),
        _accuracy_table(robot),
        _torque_accuracy_table(robot),
        _sources_table(robot),
    )
    return [table for table in tables if table.rows]


def prediction_tables(prediction: Prediction, robot: Robot) -> list[TextTable]:
    """Return largest and rms torque per axis by cause, and the accuracy against measurement."""
    measures: list[tuple[str, tuple[str, ...], tuple[Array, ...]]] = [
        (f"{robot.name}: {title}", parts._fields, parts)
        for title, parts in (
            ("largest absolute torque", prediction.largest),
            ("rms torque", prediction.rms),
        )
    ]
    if prediction.accuracy is not None:
        heads = ("MAE", "RMSE", "AVG measured", "RMSE/AVG %")
        measures.append(("model against measurement (eq. 75-77)", heads, prediction.accuracy))
    return [
        TextTable(
            *("axis", *heads, "unit"),
            rows=[
                (str(i + 1), *(f"{column[i]:.2f}" for column in columns), "N" if linear else "N m")
                for i, linear in enumerate(robot.limits.linear)
            ],
            title=title,
        )
        for title, heads, columns in measures
    ]


def notes(robot: Robot) -> list[str]:
    """Return reasons to doubt torques: missing parts, assumed inertials, an overload."""
    description = robot.description
    if description is None:
        return []
    lines = [f"{robot.name}: {row.text}" for row in description.drives.notes.values()]
    lines += left_out_springs(robot)
    links = description.inertials.sets[str(robot.parameters)].links.values()
    if any("assumed" in _grades(row, description.inertials.sources) for row in links):
        lines.append(f"masses and inertias of {robot.name} (set {robot.parameters}) are assumed")
    bodies = ((robot.tool.load if robot.tool else None), robot.payload)
    carried = sum(body.mass for body in bodies if body is not None)
    rated = description.limits.ratings.payload_kg
    if carried > rated:
        lines.append(
            f"tool and payload weigh {carried:g} kg; {robot.name} is rated for {rated:g} kg"
        )
    return lines


def left_out_springs(robot: Robot) -> list[str]:
    """Return a line per spring of the tables that no torque holds: a number is unknown.

    It ends with the command that gives the number, to be pasted and filled in.
    """
    tables = robot.description
    if tables is None:
        return []
    rows = tables.springs.elements
    return [
        f"{robot.name}: {name.replace('_', ' ')} of {rows[name].axis.replace('_', ' ')}"
        f" ({rows[name].kind}) left out of every torque; unknown: {', '.join(unknown)}. Give them,"
        f" for --overlay own.yaml: {completing_command(tables, name, unknown)}"
        for name, unknown in robot.unknown_springs.items()
    ]


def agreement_table(agreements: list[Agreement], robot: Robot) -> TextTable:
    """Return the largest difference of each quantity from each derivation and engine."""
    heads = ("quantity", "against", "largest difference", "expected below", "verdict")
    rows = []
    for quantity, against, difference, tolerance in agreements:
        cells = ("-", "-", "not compared")
        if not np.isnan(difference):
            verdict = "agrees" if difference <= tolerance else "DIFFERS"
            cells = (f"{difference:.1e}", f"{tolerance:.0e}", verdict)
        rows.append((quantity, against, *cells))
    return TextTable(*heads, rows=rows, title=f"{repr(robot)[7:-1]}: who agrees", keys=2)


def verdict_table(verdicts: list[Verdict], robot: Robot) -> TextTable:
    """Return how near each tool comes to the robot with an exported file."""
    heads = (
        *("file", "tool", "TCP pose within", "torque within"),
        *("mass", "ranges", "verdict", "what it does not keep"),
    )
    rows = []
    for verdict in verdicts:
        *numbers, loses = verdict_cells(verdict)
        rows.append((*numbers, verdict.outcome, loses if verdict.installed else ""))
    tool = f" with {robot.tool.name}" if robot.tool else ""
    return TextTable(*heads, rows=rows, title=f"{robot.name}{tool} in other tools", keys=2)


def verdict_summary(verdicts: list[Verdict]) -> str:
    """Return in one line how many tools agree, differ, were not compared or are missing."""
    from ..exchange.verify.exports import Outcome

    counts = Counter(verdict.outcome for verdict in verdicts)
    plurals = {"agrees": "agree", "DIFFERS": "DIFFER"}
    parts = [
        f"{counts[one]} {one if counts[one] == 1 else plurals.get(one, one)}"
        for one in get_args(Outcome)
        if counts[one]
    ]
    nothing = "" if counts["agrees"] + counts["DIFFERS"] else "nothing was compared; "
    return f"{nothing}{counted(len(verdicts), 'tool')}: {', '.join(parts)}"


def verdict_cells(verdict: Verdict) -> tuple[str, ...]:
    """Return file, tool, pose, torque, mass, ranges and losses; differences as bounds."""
    if verdict.outcome in ("not installed", "cannot be asked"):
        return (verdict.format, verdict.tool, "-", "-", "-", "-", verdict.loses)

    def within(difference: float) -> str:
        if np.isnan(difference):
            return "-"
        return next(
            (f"{bound:.0e}" for bound in (1e-12, 1e-9, 1e-6) if difference <= bound),
            f"{difference:.0e}",
        )

    mass = "kept" if verdict.mass < 1e-6 else f"{verdict.mass:.1f} kg missing"
    if np.isnan(verdict.mass):
        mass = "-"
    ranges = "kept" if verdict.ranges < 1e-9 else f"{verdict.ranges:.0e} off"
    return (
        verdict.format,
        verdict.tool,
        within(verdict.pose),
        within(verdict.torque),
        mass,
        ranges,
        verdict.loses,
    )


def _kinematics_table(robot: Description) -> TextTable:
    heads = ("joint", "alpha deg", "a mm", "d mm", "theta0 deg", "variable", "source")
    joints, bar = robot.chain, robot.kinematics.parallelogram
    variables = [name.replace("joint_", "q") for name in robot.kinematics.joints]
    if bar is not None:
        variables[2] = "q3 - q2"
    if robot.kinematics.level is not None:
        variables.insert(3, "-q3")
    rows = [
        (
            name,
            *(f"{value:g}" for value in (row.alpha_deg, row.a_mm, row.d_mm, row.theta0_deg)),
            variable,
            _source(row),
        )
        for (name, row), variable in zip(
            [*joints.items(), ("tool0", robot.kinematics.tool0)], [*variables, ""], strict=True
        )
    ]
    if bar is not None:
        rows.append(("crank", "", f"{bar.crank_mm:g}", "", "", "", _source(bar)))
    level = robot.kinematics.level
    if level is not None:
        for name in ("lower_pin", "upper_pin"):
            ahead, up = (f"{value:g}" for value in getattr(level, f"{name}_mm"))
            source = level.source_of(f"{name}_mm")
            rows.append((f"{name}: ahead, up", "", ahead, up, "", "", source))
    if (frame := robot.kinematics.arm_base) is not None:
        place, turn = (
            " ".join(f"{value:g}" for value in row) for row in (frame.xyz_mm, frame.rpy_deg)
        )
        rows.insert(0, ("arm_base", "", f"xyz {place}", "", f"rpy {turn}", "", _source(frame)))
    title = f"{robot.name}: modified DH, T = Rx(alpha) Tx(a) Rz(theta0 + q) Tz(d)"
    return TextTable(*heads, rows=rows, title=title)


def _limits_table(robot: Description) -> TextTable:
    heads = ("axis", "range of", "from", "to", "speed /s", "effort", "unit", "source")
    ratings, handling = robot.limits.ratings, robot.limits.handling
    sources = robot.limits.sources
    rows = []
    for number, row in enumerate(robot.limits.axes.values(), start=1):
        linear = row.range_mm is not None
        low, high = row.range_mm or row.range_deg or (np.nan, np.nan)
        assumed = _grade(row, "range_mm" if linear else "range_deg", sources) == "assumed"
        star = "*" if assumed else ""
        rows.append(
            (
                str(number),
                row.range_of or f"q{number}",
                f"{low:g}{star}",
                f"{high:g}{star}",
                _marked(row, "speed_mm_s" if linear else "speed_deg_s", sources),
                _marked(row, "effort_N" if linear else "effort_N_m", sources),
                "mm, N" if linear else "deg, N m",
                _source(row),
            )
        )
        if row.bound_of is not None and row.bound_deg is not None:
            star = "*" if _grade(row, "bound_deg", sources) == "assumed" else ""
            low, high = row.bound_deg
            ends, source = (f"{low:g}{star}", f"{high:g}{star}"), row.source_of("bound_deg")
            rows.append(("", str(row.bound_of), *ends, "", "", "deg", source))
    values = [
        (field.replace("_", " "), _marked(ratings, field, sources), ratings.source_of(field))
        for field in ("payload_kg", "reach_mm", "mass_kg", "repeatability_mm")
        if getattr(ratings, field) is not None
    ]
    if handling is None:
        values.append(("load M4 .. J6", "unknown", "not checked"))
    else:
        for name, field in HANDLING.items():
            source = handling.source_of(field) if name in handling.known() else "not checked"
            unit = UNITS[name].replace("^", "")
            values.append((f"load {name} {unit}", _marked(handling, field, sources), source))
    rows += [(label, "", "", value, "", "", "", source) for label, value, source in values]
    return TextTable(*heads, rows=rows, title="limits and ratings (* assumed)")


def _set_tables(robot: Description) -> Iterator[TextTable]:
    heads = ("link", "mass kg", "CoM mm", "principal moments kg m2", "grade")
    for name, entry in robot.inertials.sets.items():
        rows = [
            (
                link,
                f"{row.mass_kg:.4g}",
                ", ".join(f"{value:.1f}" for value in row.com_mm),
                ", ".join(f"{x:.3g}" for x in np.linalg.eigvalsh(row.inertia_kg_m2.matrix())),
                "impossible, as printed"
                if link in entry.impossible
                else _grades(row, robot.inertials.sources),
            )
            for link, row in entry.links.items()
        ]
        default = ", the default" if name == robot.inertials.default else ""
        yield TextTable(
            *heads, rows=rows, title=f"inertials in the link frames: set {name}{default}"
        )


def friction_table(robot: Description) -> TextTable:
    """Return the parameters of friction per axis; empty where none are published."""
    default = robot.friction.default
    chosen = None if default is None else robot.friction.sets[default]
    axes = {} if chosen is None else chosen.axes
    rows = [parameters_of(row, row.Fs_N is not None) for row in axes.values()]
    names = [name for name in FIELDS if name in NAMES or any(name in row for row in rows)]
    warm = "" if chosen is None else chosen.reference_temperature_degC
    return TextTable(
        *("axis", *names, "source"),
        rows=[
            (str(number), *_texts(numbers.get(name) for name in names), _source(row))
            for number, (numbers, row) in enumerate(zip(rows, axes.values(), strict=True), start=1)
        ],
        title="Stribeck friction [N m, N m s/rad, rad/s]"
        + (f", per_K [1/K] from {warm:g} deg C" if "per_K" in names else ""),
    )


def _drives_table(robot: Description) -> TextTable:
    heads = ("axis", "gear ratio", "turned by", "rotor kg m2", "stiffness N m/rad")
    rows = []
    for name, row in robot.drives.axes.items():
        numbers = (
            *(row.rotor_inertia_kg_m2, row.stiffness_N_m_rad),
            *(row.viscous_N_m_s_rad, row.coulomb_N_m),
        )
        others = ", ".join(
            f"{other.removeprefix('axis_')}: {value:g}"
            for other, value in (row.turned_by or {}).items()
        )
        (ratio,) = _texts([row.gear_ratio], 9)
        rows.append((name.removeprefix("axis_"), ratio, others, *_texts(numbers, 9), _source(row)))
    title = (
        "drives (rotor, viscous and Coulomb friction: motor side; rotors not in M, Coulomb in no"
        " torque)"
    )
    more = ("viscous N m s/rad", "Coulomb N m", "source")
    return TextTable(*heads, *more, rows=rows, title=title)


def _springs_table(robot: Description) -> TextTable:
    rows = []
    for name, row in robot.springs.elements.items():
        numbers = numbers_of(row, bool(robot.linear[robot.axes.index(row.axis)]))
        cells = (f"{key} {'unknown' if value is None else value}" for key, value in numbers.items())
        axis = row.axis.removeprefix("axis_")
        rows.append((name.replace("_", " "), axis, row.kind, "; ".join(cells), _source(row)))
    return TextTable(
        *("part", "axis", "kind", "numbers", "source"),
        rows=rows,
        title="springs, balancers and torque offsets (in the model where no number is unknown)",
    )


def _notes_table(robot: Description) -> TextTable:
    return TextTable(
        *("part", "source", "note"),
        rows=[
            (name.replace("_", " "), _source(row), row.text)
            for name, row in robot.drives.notes.items()
        ],
        title="parts that the model is without",
    )


def _accuracy_table(robot: Description) -> TextTable:
    row = robot.validation.position_accuracy if robot.validation else None
    return TextTable(
        *("average mm", "maximum mm", "deviation mm", "source"),
        rows=[(*_texts((row.average_mm, row.maximum_mm, row.deviation_mm)), _source(row))]
        if row
        else [],
        title="absolute accuracy of one robot (S000 Tab. 1)",
    )


def _torque_accuracy_table(robot: Description) -> TextTable:
    axes = robot.validation.torque_accuracy if robot.validation else {}
    return TextTable(
        *("axis", "MAE N m", "RMSE N m", "AVG N m", "RMSE/AVG %", "source"),
        rows=[
            (
                name.removeprefix("axis_"),
                *_texts((row.MAE_N_m, row.RMSE_N_m, row.AVG_N_m, row.RMSE_over_AVG_percent)),
                _source(row),
            )
            for name, row in axes.items()
        ],
        title="published torque model against measurement (S000 Tab. 6)",
    )


def _sources_table(robot: Description) -> TextTable:
    tables = ("kinematics", "limits", "inertials", "friction", "drives", "springs", "validation")
    return TextTable(
        *("table", "source", "grade", "reference"),
        rows=[
            (table, name, source.grade, "; ".join(filter(None, (source.ref, source.how))))
            for table in tables
            for name, source in getattr(getattr(robot, table), "sources", {}).items()
        ],
        title="sources",
        keys=2,
    )


def _texts(values: Iterable[float | None], digits: int = 6) -> Iterator[str]:
    """Yield numbers as text; empty where one is unknown."""
    return ("" if value is None else f"{value:.{digits}g}" for value in values)


def _grade(row: Row, field: str, sources: dict[str, Source]) -> str:
    return sources[row.source_of(field)].grade


def _marked(row: Row | RatingsRow, field: str, sources: dict[str, Source]) -> str:
    if getattr(row, field) is None:
        return "unknown"
    return f"{getattr(row, field):g}{'*' if _grade(row, field, sources) == 'assumed' else ''}"


def _names(row: Row) -> list[str]:
    return list(dict.fromkeys(row.cited))


def _source(row: Row) -> str:
    return ", ".join(_names(row))


def _grades(row: Row, sources: dict[str, Source]) -> str:
    return ", ".join(dict.fromkeys(sources[name].grade for name in _names(row)))
