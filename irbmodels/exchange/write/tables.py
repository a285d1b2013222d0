"""A robot's numbers as CSV, JSON, LaTeX or MATLAB: SI units, rows with source and grade."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np

from ...errors import InputError, MissingData, UnknownName
from ...model.dh import DHTable
from ...model.friction import FURTHER, SCALE_OF
from ...model.inertia import Inertial
from ...model.provenance import Grade, Source
from ...robot.robot import Robot
from ...tables.building import friction_of
from ...tables.description import Description
from ...tables.reader import Row
from ...tables.schema import KinematicsTable
from ..constants import friction_text
from ..text import latex_number, latex_text, linear_form
from .matlab import matlab_script
from .meshes import write_files
from .urdf import file_name

TABLES = ("dh", "mdh", "limits", "inertials", "friction")
TABLE_FORMATS = ("csv", "json", "latex", "matlab")
Cell = str | float

_DH = ("joint", "alpha_rad", "a_m", "d_m", "theta0_rad", "type", "variable", "source", "grade")
_TENSOR = {"Ixx": (0, 0), "Iyy": (1, 1), "Izz": (2, 2), "Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}
_BODY = (
    "body",
    "axes_of",
    "mass_kg",
    "com_x_m",
    "com_y_m",
    "com_z_m",
    *(f"{key}_kg_m2" for key in _TENSOR),
    "source",
    "grade",
)
_LIMITS = (
    "axis", "range_of", "lower", "upper", "velocity", "effort",
    "position_unit", "velocity_unit", "effort_unit",
    "range_source", "range_grade", "velocity_source", "velocity_grade",
    "effort_source", "effort_grade",
)  # fmt: skip
_LIMIT_FIELDS = {
    True: ("range_mm", "speed_mm_s", "effort_N"),
    False: ("range_deg", "speed_deg_s", "effort_N_m"),
}
"""Fields of the limits table of a linear axis, or of another."""
_FRICTION = (
    "axis", "Fs", "Fc", "Fv", "v_St",
    "force_unit", "viscous_unit", "velocity_unit", "source", "grade",
)  # fmt: skip
_GREEK = {"alpha": r"$\alpha$", "theta0": r"$\theta_0$", "v_St": "$v_{St}$"}
_UNITS = {"kg_m2": "kg m$^2$", "rad": "rad", "kg": "kg", "m": "m"}


class NamedTable(NamedTuple):
    """One table.

    The unit of a column is the suffix of its name, or stands in a column of its own.
    """

    name: str
    about: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


def tables(robot: Robot, what: Sequence[str] | None = None) -> list[NamedTable]:
    """Return a robot's numbers as tables.

    Args:
        robot: A robot from tables; one from a file has ``limits`` and ``inertials``.
        what: Any of ``dh`` (classic), ``mdh`` (Craig), ``limits``, ``inertials``, ``friction``;
            default all that are known. The table ``sources`` comes last, if the robot has one.

    Raises:
        UnknownName: if there is no such table.
        MissingData: if a table is asked for that the robot does not have.
    """
    if isinstance(what, str):
        raise InputError(f"tables are a list of names: what=[{what!r}]")
    for name in what or ():
        if name not in TABLES:
            raise UnknownName("table", name, TABLES)
    selected = []
    for name in TABLES if what is None else what:
        try:
            selected.append(_MAKERS[name](robot))
        except (MissingData, InputError):
            if what is not None:
                raise
    return selected + ([_sources(robot)] if robot.description is not None else [])


def tables_text(robot: Robot, fmt: str, what: Sequence[str] | None = None) -> dict[str, str]:
    """Return the files of a format, by name: a CSV per table.

    One JSON, LaTeX (booktabs) or MATLAB (``rigidBodyTree``) file.

    Raises:
        UnknownName: if there is no such format or table.
        MissingData: if a table is asked for that the robot does not have.
        InputError: if tables are chosen for MATLAB, whose script always holds the whole robot.
    """
    if fmt not in TABLE_FORMATS:
        raise UnknownName("format of tables", fmt, TABLE_FORMATS)
    if fmt == "matlab" and what is not None:
        raise InputError("a MATLAB script holds the whole robot; leave the choice of tables out")
    name, made = file_name(robot), tables(robot, what)
    if fmt == "csv":
        return {f"{name}_{table.name}.csv": _csv(table) for table in made}
    if fmt == "json":
        return {f"{name}.json": _json(robot, made)}
    if fmt == "latex":
        return {f"{name}.tex": _latex(robot, made)}
    return dict([matlab_script(robot, _provenance(robot))])


def write_tables(
    robot: Robot, fmt: str, folder: str | Path, what: Sequence[str] | None = None
) -> list[Path]:
    """Write a robot's tables below a folder, which is made.

    Args:
        robot: Any robot.
        fmt: ``csv``, ``json``, ``latex`` or ``matlab``.
        folder: Files of the same name are replaced.
        what: As :func:`tables`.

    Raises:
        FileError: if a file cannot be written; else as :func:`tables_text`.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> irb.write_tables(robot, "csv", "tables")[0].name
        'irb2400_16_dh.csv'
    """
    return write_files(Path(folder), tables_text(robot, fmt, what))


# --- tables


def _tabled(robot: Robot, what: str) -> Description:
    if robot.description is None:
        raise MissingData(f"{robot.name} comes from a file, which has no table {what}")
    return robot.description


def _mdh(robot: Robot) -> NamedTable:
    description = _tabled(robot, "mdh")
    rows, sources = description.chain, description.kinematics.sources
    tool0 = description.kinematics.tool0
    *origins, last = (_origin(row, sources) for row in [*rows.values(), tool0])
    cells = _dh_rows(robot.dh(), rows, origins)
    fixed = (
        np.radians(tool0.alpha_deg),
        tool0.a_mm / 1000.0,
        tool0.d_mm / 1000.0,
        np.radians(tool0.theta0_deg),
    )
    cells.append(("tool0", *map(float, fixed), "fixed", "", *last))
    about = (
        "Modified DH (Craig): T = Rx(alpha) Tx(a) Rz(theta) Tz(d), theta (d of a prismatic joint) ="
        " variable + its entry."
    )
    return NamedTable("mdh", about + _start(description.kinematics), _DH, cells)


def _standard(robot: Robot) -> NamedTable:
    description = _tabled(robot, "dh")
    kinematics, rows = description.kinematics, description.chain
    names = dict.fromkeys(
        name for row in [*rows.values(), kinematics.tool0] for name in _names(row)
    )
    grades = {kinematics.sources[name].grade for name in names}
    grade = "assumed" if "assumed" in grades else "derived"
    cells = _dh_rows(robot.dh("standard"), rows, [("; ".join(names), grade)] * len(rows))
    about = (
        "Standard DH: T = Rz(theta) Tz(d) Tx(a) Rx(alpha), theta (d of a prismatic joint) ="
        " variable + its entry; ends in tool0."
    )
    return NamedTable("dh", about + _start(kinematics), _DH, cells)


def _start(kinematics: KinematicsTable) -> str:
    """Return the frame that the first row starts from, where it is not the base."""
    frame = kinematics.arm_base
    if frame is None:
        return ""
    place, turn = (", ".join(f"{x:g}" for x in row) for row in (frame.xyz_mm, frame.rpy_deg))
    return f" The first row starts in the base at ({place}) mm, roll, pitch, yaw ({turn}) deg."


def _dh_rows(
    table: DHTable, joints: Iterable[str], origins: Sequence[tuple[str, str]]
) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    columns = zip(joints, _variables(table.A), origins, strict=True)
    for i, (joint, variable, source) in enumerate(columns):
        numbers = (float(column[i]) for column in (table.alpha, table.a, table.d, table.theta))
        kind = "prismatic" if table.prismatic[i] else "revolute"
        rows.append((joint, *numbers, kind, variable, *source))
    return rows


def _variables(A: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[str]:
    """Return the variables of joints, last axis first: ``q2``, ``q3 - q2``, ``- q3``."""
    return [
        linear_form([(f"q{j + 1}", factor) for j, factor in reversed([*enumerate(row)])])
        for row in np.sign(A).tolist()
    ]


def _limits(robot: Robot) -> NamedTable:
    limits = robot.limits
    rows: list[tuple[Cell, ...]] = []
    names, variables = robot.axes, limits.names()
    for i, (name, variable) in enumerate(zip(names, variables[: robot.n], strict=True)):
        linear = bool(limits.linear[i])
        units = ("m", "m/s", "N") if linear else ("rad", "rad/s", "N m")
        origins = [(_file_name(robot), "not said")] * 3
        if robot.description is not None:
            row = list(robot.description.limits.axes.values())[i]
            origins = [
                _cited(row, field, robot.description.limits.sources)
                for field in _LIMIT_FIELDS[linear]
            ]
        columns = (limits.lower, limits.upper, limits.velocity, limits.effort)
        values = (float(column[i]) for column in columns)
        rows.append((name, variable, *values, *units, *chain.from_iterable(origins)))
    for k in range(robot.n, len(limits.A)):  # bounds of sums, which have neither speed nor effort
        axis = int(limits.row_axes[k])
        unit = "m" if limits.linear[axis] else "rad"
        origin = (_file_name(robot), "not said")
        if robot.description is not None:
            table = robot.description.limits
            origin = _cited(list(table.axes.values())[axis], "bound_deg", table.sources)
        numbers = float(limits.lower[k]), float(limits.upper[k]), math.inf, math.inf
        rows.append((names[axis], variables[k], *numbers, unit, "", "", *origin, *("", "") * 2))
    about = "Ranges, speeds and efforts of the axes, arm side; an inf bounds nothing."
    return NamedTable("limits", about, _LIMITS, rows)


def _cited(row: Row, field: str, sources: Mapping[str, Source]) -> tuple[str, str]:
    """Return the name and the grade of the source of a number."""
    if getattr(row, field) is None:
        return "", "unknown"
    name = row.source_of(field)
    return name, sources[name].grade


def _inertials(robot: Robot) -> NamedTable:
    rows: list[tuple[Cell, ...]] = []
    if robot.description is not None:
        table = robot.description.inertials
        for link, row in table.sets[str(robot.parameters)].links.items():
            rows.append((link, link, *_body(row.inertial()), *_origin(row, table.sources)))
        if robot.tool is not None:
            origin = (robot.tool.source, robot.tool.grade)
            rows.append((f"tool {robot.tool.name}", "tool0", *_body(robot.tool.load), *origin))
        if robot.payload is not None:
            rows.append(("payload", "tcp", *_body(robot.payload), "given in code", "assumed"))
        about = f"Bodies: set {robot.parameters}"
    else:
        model = robot.model
        for name, inertia in list(zip(model.names, model.inertias, strict=True))[1:]:
            body = Inertial.of(inertia.mass, inertia.lever, inertia.inertia)
            rows.append((f"what {name} moves", name, *_body(body), _file_name(robot), "not said"))
        about = "Bodies, tool and payload included"
    return NamedTable(
        "inertials",
        f"{about}; tensor about the center of mass, products as entries (-int x y dm).",
        _BODY,
        rows,
    )


def _body(body: Inertial) -> list[float]:
    return [
        body.mass,
        *body.com.tolist(),
        *(float(body.tensor[place]) for place in _TENSOR.values()),
    ]


def _friction(robot: Robot) -> NamedTable:
    law = robot.friction_model
    if law is None:
        raise MissingData(f"{robot.name} has no friction data")
    table = None if robot.description is None else robot.description.friction
    published = None if robot.description is None else friction_of(robot.description)
    origins = [("given by with_friction", "")] * robot.n
    if (
        table is not None
        and table.default is not None
        and published is not None
        and law.same_as(published)
    ):
        origins = [_origin(row, table.sources) for row in table.sets[table.default].axes.values()]
    scales, there = SCALE_OF.values(), [name for name in FURTHER if getattr(law, name).any()]
    further = [
        name
        for term in there
        if term not in scales
        for name in ((term, SCALE_OF[term]) if term in SCALE_OF else (term,))
    ]
    rows: list[tuple[Cell, ...]] = []
    for i, sources in enumerate(origins):
        units = ("N", "N s/m", "m/s") if robot.limits.linear[i] else ("N m", "N m s/rad", "rad/s")
        values = (float(column[i]) for column in (law.Fs, law.Fc, law.Fv))
        speed = float(law.v_St[i]) if law.falls[i] else ""
        terms = [float(getattr(law, name)[i]) for name in further]
        rows.append((robot.axes[i], *values, speed, *terms, *units, *sources))
    upto = "" if law.measured_to is None else f"; measured up to {law.measured_to:g} rad/s"
    at = law.reference_temperature
    warm = "" if at is None else f"; Fv, dFv and Fd by exp(per_K (T - {at:g} deg C))"
    about = f"Stribeck friction, arm side: {friction_text(robot)}{upto}{warm}."
    return NamedTable("friction", about, (*_FRICTION[:5], *further, *_FRICTION[5:]), rows)


_MAKERS: dict[str, Callable[[Robot], NamedTable]] = {
    "dh": _standard, "mdh": _mdh, "limits": _limits, "inertials": _inertials, "friction": _friction,
}  # fmt: skip


def _sources(robot: Robot) -> NamedTable:
    rows: list[tuple[Cell, ...]] = []
    for label, sources in _source_tables(robot):
        rows += [
            (label, name, source.grade, source.ref, source.licence, source.how)
            for name, source in sources.items()
        ]
    return NamedTable(
        "sources",
        "What the names of sources stand for.",
        ("table", "source", "grade", "ref", "licence", "how"),
        rows,
    )


def _source_tables(robot: Robot) -> list[tuple[str, dict[str, Source]]]:
    description = _tabled(robot, "sources")
    labels = ("kinematics", "limits", "inertials", "friction")
    return [(label, getattr(description, label).sources) for label in labels]


def _names(row: Row) -> list[str]:
    return [row.source] if isinstance(row.source, str) else list(dict.fromkeys(row.source.values()))


def _origin(row: Row, sources: dict[str, Source]) -> tuple[str, str]:
    """Return the sources of a row, and the weakest grade among them."""
    order = list(get_args(Grade))
    named = (
        row.source
        if isinstance(row.source, str)
        else "; ".join(f"{field}: {name}" for field, name in row.source.items())
    )
    return named, max((sources[name].grade for name in _names(row)), key=order.index)


def _file_name(robot: Robot) -> str:
    return "" if robot.path is None else robot.path.name


def _provenance(robot: Robot) -> list[str]:
    """Return lines on the sources of a robot's numbers."""
    if robot.description is None:
        return [f"From {_file_name(robot)}; sources and grades are not said there."]
    return [
        f"{label}: {name} ({source.grade}): {source.ref}"
        for label, sources in _source_tables(robot)
        for name, source in sources.items()
    ]


# --- formats


def _csv(table: NamedTable) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(
        [[repr(cell) if isinstance(cell, float) else cell for cell in row] for row in table.rows]
    )
    return stream.getvalue()


def _json(robot: Robot, made: Sequence[NamedTable]) -> str:
    def plain(cell: Cell) -> Cell | None:
        # JSON has no infinity
        return None if isinstance(cell, float) and not np.isfinite(cell) else cell

    content = {
        "robot": robot.name,
        "parameters": robot.parameters,
        "tool": robot.tool.name if robot.tool else None,
        "gravity_m_s2": robot.gravity_vector.tolist(),
        "tables": {
            table.name: {
                "about": table.about,
                "rows": [
                    dict(zip(table.columns, map(plain, row), strict=True)) for row in table.rows
                ],
            }
            for table in made
        },
    }
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _latex(robot: Robot, made: Sequence[NamedTable]) -> str:
    parts = [
        f"% {robot.name}, written by irbmodels. Needs \\usepackage{{booktabs}}; wide tables:"
        " \\usepackage{graphicx}."
    ]
    for table in made:
        wrapped, caption = table.name == "sources", latex_text(f"{robot.name}. {table.about}")
        kinds = [
            "r" if table.rows and all(isinstance(row[i], float) for row in table.rows) else "l"
            for i in range(len(table.columns))
        ]
        layout = "lll" + "p{45mm}" * (len(kinds) - 3) if wrapped else "".join(kinds)
        parts += [f"\n% {table.name}", "\\begin{table}", "\\centering", f"\\caption{{{caption}}}"]
        tabular = [
            f"\\begin{{tabular}}{{{layout}}}",
            "\\toprule",
            " & ".join(map(_head, table.columns)) + r" \\",
            "\\midrule",
            *(" & ".join(map(_latex_cell, row)) + r" \\" for row in table.rows),
            "\\bottomrule",
            "\\end{tabular}",
        ]
        parts += tabular if wrapped else ["\\resizebox{\\linewidth}{!}{%", *tabular, "}"]
        parts += ["\\end{table}"]
    return "\n".join(parts) + "\n"


def _head(column: str) -> str:
    for unit in ("kg_m2", "rad", "kg", "m"):
        if column.endswith(f"_{unit}"):
            name = column.removesuffix(f"_{unit}")
            return f"{_GREEK.get(name, latex_text(name.replace('_', ' ')))} [{_UNITS[unit]}]"
    return _GREEK.get(column, latex_text(column.replace("_", " ")))


def _latex_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return latex_text(cell)
    return f"${latex_number(cell, 8)}$" if np.isfinite(cell) else "--"
