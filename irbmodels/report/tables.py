"""Tables for a terminal: what is known of a robot, and what a motion needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import get_args

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..exchange.verify.check import Agreement
from ..exchange.verify.exports import Outcome, Verdict
from ..model.provenance import Grade, Source
from ..model.rotations import quaternion
from ..robot.robot import Robot
from ..tables.description import Description, aliases, describe, robots
from ..tables.reader import Row
from ..tables.schema import RatingsRow
from ..trajectory.torque_prediction import Prediction
from .text_table import TextTable


def robots_table() -> TextTable:
    """Every variant with its ratings, and the grades of its parameters."""
    table = TextTable(
        "robot",
        "also",
        "kg",
        "reach mm",
        "mass kg",
        "bars",
        "inertials",
        "friction",
        title="robots (* assumed)",
    )
    short = {variant: name for name, variant in aliases().items()}
    for name in robots():
        robot = describe(name)
        ratings = robot.limits.ratings
        table.add_row(
            name,
            short.get(name, ""),
            f"{ratings.payload_kg:g}",
            f"{ratings.reach_mm:g}",
            _marked(ratings, "mass_kg", robot.limits.sources),
            "yes" if robot.kinematics.parallelogram else "no",
            _inertials_grade(robot),
            _friction_grade(robot),
        )
    return table


def info_tables(robot: Description) -> list[TextTable]:
    """Dimensions, limits, parameter sets and what was measured, each with its source."""
    return [
        table
        for table in (
            _kinematics_table(robot),
            _limits_table(robot),
            *_set_tables(robot),
            friction_table(robot),
            _drives_table(robot),
            _notes_table(robot),
            _accuracy_table(robot),
            _torque_accuracy_table(robot),
            _sources_table(robot),
        )
        if table.rows
    ]


def prediction_tables(prediction: Prediction, robot: Robot) -> list[TextTable]:
    """Largest and rms torque per axis by cause, and the accuracy against measured torques."""
    units = ["N" if linear else "N m" for linear in robot.limits.linear]
    tables = []
    for title, parts in (
        ("largest absolute torque", prediction.largest),
        ("rms torque", prediction.rms),
    ):
        table = TextTable("axis", *parts._fields, "unit", title=f"{robot.name}: {title}")
        for i, unit in enumerate(units):
            table.add_row(str(i + 1), *(f"{part[i]:.2f}" for part in parts), unit)
        tables.append(table)
    if prediction.accuracy is not None:
        heads = ("axis", "MAE", "RMSE", "AVG measured", "RMSE/AVG %", "unit")
        table = TextTable(*heads, title="model against measurement (eq. 75-77)")
        for i, unit in enumerate(units):
            table.add_row(str(i + 1), *(f"{column[i]:.2f}" for column in prediction.accuracy), unit)
        tables.append(table)
    return tables


def notes(robot: Robot) -> list[str]:
    """Reasons to doubt torques of this robot: parts that the model is without, assumed inertials, an overload."""
    found: list[str] = []
    if robot.description is None:
        return found
    found += [f"{robot.name}: {row.text}" for row in robot.description.drives.notes.values()]
    rows, sources = (
        robot.description.inertials.sets[str(robot.parameters)].links.values(),
        robot.description.inertials.sources,
    )
    if any("assumed" in _grades(row, sources) for row in rows):
        found.append(f"masses and inertias of {robot.name} (set {robot.parameters}) are assumed")
    bodies = ((robot.tool.load if robot.tool else None), robot.payload)
    carried, rated = (
        sum(body.mass for body in bodies if body is not None),
        robot.description.limits.ratings.payload_kg,
    )
    if carried > rated:
        found.append(
            f"tool and payload weigh {carried:g} kg; {robot.name} is rated for {rated:g} kg"
        )
    return found


def pose_text(robot: Robot, q: ArrayLike, frame: str) -> str:
    """Pose of a frame in ABB's terms: position [mm], quaternion q1..q4 (scalar first), and the homogeneous matrix [m]."""
    pose = robot.pose(q, frame)
    assert isinstance(pose, pin.SE3)  # one posture
    units = ["mm" if linear else "deg" for linear in robot.limits.linear]
    shown = (f"{value:g} {unit}" for value, unit in zip(robot.to_controller(q), units, strict=True))
    lines = [
        f"{robot.name} {frame} in base at {', '.join(shown)}",
        "position [mm]       "
        + "  ".join(f"{_tidy(1000.0 * value, 4):10.4f}" for value in pose.translation),
        "quaternion q1..q4   "
        + "  ".join(f"{_tidy(value, 7):10.7f}" for value in quaternion(pose.rotation)),
        "matrix [m]",
        *(
            "  " + "  ".join(f"{_tidy(value, 7):11.7f}" for value in row)
            for row in pose.homogeneous
        ),
    ]
    return "\n".join(lines)


def _tidy(value: float, digits: int) -> float:
    """Round, and print no minus sign before a zero."""
    return round(float(value), digits) + 0.0


def agreement_table(found: list[Agreement], robot: Robot) -> TextTable:
    """Largest difference of every quantity from everybody who computed it too."""
    heads = ("quantity", "against", "largest difference", "expected below", "verdict")
    table = TextTable(*heads, title=f"{repr(robot)[7:-1]}: who agrees", keys=2)
    for quantity, against, difference, tolerance in found:
        compared = not np.isnan(difference)
        verdict = (
            "not compared" if not compared else "agrees" if difference <= tolerance else "DIFFERS"
        )
        cells = (f"{difference:.1e}", f"{tolerance:.0e}") if compared else ("-", "-")
        table.add_row(quantity, against, *cells, verdict)
    return table


def verdict_table(verdicts: list[Verdict], robot: Robot) -> TextTable:
    """How near each tool comes to the robot with an exported file."""
    heads = (
        "file",
        "tool",
        "TCP pose within",
        "torque within",
        "mass",
        "ranges",
        "verdict",
        "what it does not keep",
    )
    title = f"{robot.name}{f' with {robot.tool.name}' if robot.tool else ''} in other tools"
    table = TextTable(*heads, title=title, keys=2)
    for verdict in verdicts:
        *numbers, loses = verdict_cells(verdict)
        table.add_row(*numbers, verdict.outcome, "" if not verdict.installed else loses)
    return table


def verdict_summary(verdicts: list[Verdict]) -> str:
    """Return in one line how many tools agree, differ, could not be compared or are not installed."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    plurals = {"agrees": "agree", "DIFFERS": "DIFFER"}
    parts = [
        f"{counts[one]} {one if counts[one] == 1 else plurals.get(one, one)}"
        for one in get_args(Outcome)
        if counts[one]
    ]
    nothing = "" if counts["agrees"] + counts["DIFFERS"] else "nothing was compared; "
    return f"{nothing}{len(verdicts)} tool{'' if len(verdicts) == 1 else 's'}: {', '.join(parts)}"


def verdict_cells(verdict: Verdict) -> tuple[str, ...]:
    """Return file, tool, pose, torque, mass, ranges and what is lost, as text.

    Differences as the bound that they keep.
    """
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
    title = f"{robot.name}: modified DH, T = Rx(alpha) Tx(a) Rz(theta0 + q) Tz(d)"
    table = TextTable(
        "joint", "alpha deg", "a mm", "d mm", "theta0 deg", "variable", "source", title=title
    )
    for number, (name, row) in enumerate(
        [*robot.kinematics.joints.items(), ("tool0", robot.kinematics.tool0)], start=1
    ):
        coupled = robot.kinematics.parallelogram is not None and number == 3
        variable = "" if name == "tool0" else "q3 - q2" if coupled else f"q{number}"
        cells = (f"{value:g}" for value in (row.alpha_deg, row.a_mm, row.d_mm, row.theta0_deg))
        table.add_row(name, *cells, variable, _named(row))
    if robot.kinematics.parallelogram:
        bar = robot.kinematics.parallelogram
        table.add_row("crank", "", f"{bar.crank_mm:g}", "", "", "", _named(bar))
    return table


def _limits_table(robot: Description) -> TextTable:
    table = TextTable(
        "axis",
        "range of",
        "from",
        "to",
        "speed /s",
        "effort",
        "unit",
        "source",
        title="limits and ratings (* assumed)",
    )
    for number, row in enumerate(robot.limits.axes.values(), start=1):
        linear = row.range_mm is not None
        low, high = row.range_mm or row.range_deg or (np.nan, np.nan)
        sources = robot.limits.sources
        speed = _marked(row, "speed_mm_s" if linear else "speed_deg_s", sources)
        effort = _marked(row, "effort_N" if linear else "effort_N_m", sources)
        star = (
            "*" if _grade(row, "range_mm" if linear else "range_deg", sources) == "assumed" else ""
        )
        unit = "mm, N" if linear else "deg, N m"
        table.add_row(
            str(number),
            row.range_of or f"q{number}",
            f"{low:g}{star}",
            f"{high:g}{star}",
            speed,
            effort,
            unit,
            _named(row),
        )
    ratings = robot.limits.ratings
    for field, what in (
        ("payload_kg", "payload kg"),
        ("reach_mm", "reach mm"),
        ("mass_kg", "mass kg"),
        ("repeatability_mm", "mm"),
    ):
        if getattr(ratings, field) is not None:
            label = "repeatability mm" if what == "mm" else what
            table.add_row(
                label,
                "",
                "",
                _marked(ratings, field, robot.limits.sources),
                "",
                "",
                "",
                ratings.source_of(field),
            )
    if (handling := robot.limits.handling) is None:
        table.add_row("load inertia", "", "", "unknown", "", "", "", "not checked")
    else:
        for field in ("J5_kg_m2", "J6_kg_m2"):
            value = _marked(handling, field, robot.limits.sources)
            table.add_row(
                f"load {field[:2]} kg m2", "", "", value, "", "", "", handling.source_of(field)
            )
    return table


def _set_tables(robot: Description) -> Iterator[TextTable]:
    for name, entry in robot.inertials.sets.items():
        label = f"{name}, the default" if name == robot.inertials.default else name
        title = f"inertials in the link frames: set {label}"
        table = TextTable(
            "link", "mass kg", "CoM mm", "principal moments kg m2", "grade", title=title
        )
        for link, row in entry.links.items():
            moments = np.linalg.eigvalsh(row.inertia_kg_m2.matrix())
            grade = (
                "impossible, as printed"
                if link in entry.impossible
                else _grades(row, robot.inertials.sources)
            )
            com = ", ".join(f"{value:.1f}" for value in row.com_mm)
            table.add_row(
                link,
                f"{row.mass_kg:.4g}",
                com,
                ", ".join(f"{value:.3g}" for value in moments),
                grade,
            )
        yield table


def friction_table(robot: Description) -> TextTable:
    """Stribeck parameters per axis; empty where nobody has published any."""
    table = TextTable(
        "axis",
        "Fs",
        "Fc",
        "Fv",
        "v_St",
        "source",
        title="Stribeck friction [N m, N m s/rad, rad/s]",
    )
    if robot.friction.default is not None:
        for number, row in enumerate(
            robot.friction.sets[robot.friction.default].axes.values(), start=1
        ):
            values = (
                "" if value is None else f"{value:g}" for value in row.values(row.Fs_N is not None)
            )
            table.add_row(str(number), *values, _named(row))
    return table


def _drives_table(robot: Description) -> TextTable:
    table = TextTable(
        "axis",
        "gear ratio",
        "turned by",
        "rotor kg m2",
        "stiffness N m/rad",
        "viscous N m s/rad",
        "source",
        title="drives (rotor and viscous: motor side; not in M)",
    )
    for name, row in robot.drives.axes.items():
        known = (
            row.gear_ratio,
            row.rotor_inertia_kg_m2,
            row.stiffness_N_m_rad,
            row.viscous_N_m_s_rad,
        )
        ratio, *numbers = ("" if value is None else f"{value:.9g}" for value in known)
        others = ", ".join(
            f"{other.removeprefix('axis_')}: {value:g}"
            for other, value in (row.turned_by or {}).items()
        )
        table.add_row(name.removeprefix("axis_"), ratio, others, *numbers, _named(row))
    return table


def _notes_table(robot: Description) -> TextTable:
    table = TextTable("part", "source", "note", title="parts that the model is without")
    for name, row in robot.drives.notes.items():
        table.add_row(name.replace("_", " "), _named(row), row.text)
    return table


def _accuracy_table(robot: Description) -> TextTable:
    table = TextTable(
        "average mm",
        "maximum mm",
        "deviation mm",
        "source",
        title="absolute accuracy of one robot (S000 Tab. 1)",
    )
    if robot.validation and robot.validation.position_accuracy:
        row = robot.validation.position_accuracy
        cells = (f"{value:g}" for value in (row.average_mm, row.maximum_mm, row.deviation_mm))
        table.add_row(*cells, _named(row))
    return table


def _torque_accuracy_table(robot: Description) -> TextTable:
    title = "published torque model against measurement (S000 Tab. 6)"
    table = TextTable("axis", "MAE N m", "RMSE N m", "AVG N m", "RMSE/AVG %", "source", title=title)
    if robot.validation:
        for name, row in robot.validation.torque_accuracy.items():
            cells = (
                f"{value:g}"
                for value in (row.MAE_N_m, row.RMSE_N_m, row.AVG_N_m, row.RMSE_over_AVG_percent)
            )
            table.add_row(name.removeprefix("axis_"), *cells, _named(row))
    return table


def _sources_table(robot: Description) -> TextTable:
    table = TextTable("table", "source", "grade", "reference", title="sources", keys=2)
    validation = robot.validation.sources if robot.validation else {}
    for label, sources in (
        ("kinematics", robot.kinematics.sources),
        ("limits", robot.limits.sources),
        ("inertials", robot.inertials.sources),
        ("friction", robot.friction.sources),
        ("drives", robot.drives.sources),
        ("validation", validation),
    ):
        for name, source in sources.items():
            table.add_row(
                label,
                name,
                source.grade,
                f"{source.ref}; {source.how}" if source.how else source.ref,
            )
    return table


def _grade(row: Row, field: str, sources: dict[str, Source]) -> str:
    return sources[row.source_of(field)].grade


def _marked(row: Row | RatingsRow, field: str, sources: dict[str, Source]) -> str:
    return f"{getattr(row, field):g}{'*' if _grade(row, field, sources) == 'assumed' else ''}"


def _names(row: Row) -> list[str]:
    return [row.source] if isinstance(row.source, str) else list(dict.fromkeys(row.source.values()))


def _named(row: Row) -> str:
    return ", ".join(_names(row))


def _grades(row: Row, sources: dict[str, Source]) -> str:
    return ", ".join(dict.fromkeys(sources[name].grade for name in _names(row)))


def _inertials_grade(robot: Description) -> str:
    """Return the weakest grade in the default set."""
    order = list(get_args(Grade))
    rows = robot.inertials.sets[robot.inertials.default].links.values()
    return max(
        (grade for row in rows for grade in _grades(row, robot.inertials.sources).split(", ")),
        key=order.index,
    )


def _friction_grade(robot: Description) -> str:
    if robot.friction.default is None:
        return "unknown"
    rows = robot.friction.sets[robot.friction.default].axes.values()
    return ", ".join(sorted({_grades(row, robot.friction.sources) for row in rows}))
