"""A set of parameters as an overlay: what was fitted, and everything else as the robot had it, each number with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.inertia import Inertial
from ...tables.overlays import SCHEMA, tables_of

if TYPE_CHECKING:
    from .lmi import Consistent


def overlay_of(found: Consistent, name: str, about: str, fit: dict[str, Any]) -> dict[str, Any]:
    """Return the whole set as tables.

    Args:
        found: Set of bodies, rotors and friction of a robot with tables.
        name: Of the set of inertials, and of the set of friction.
        about: What it is.
        fit: The source of what was fitted.
    """
    robot = found.robot
    assert robot.description is not None
    tables = tables_of(robot.description)
    before = tables["inertials"]["sets"][str(robot.parameters)]
    links = before["links"] | {link: _row(body) for link, body in found.inertials.items()}
    bodies: dict[str, Any] = {"about": about, "links": links}
    if kept := [link for link in before.get("impossible", ()) if link not in found.inertials]:
        bodies["impossible"] = kept
    sources: dict[str, Any] = {"fit": fit}
    rotors = dict(zip(robot.description.axes, zip(found.rotors, robot.rotors, robot.limits.linear, strict=True), strict=True))
    rows = {axis: _rotor(*numbers, before.get("rotors", {}).get(axis)) for axis, numbers in rotors.items()}
    if rows := {axis: row for axis, row in rows.items() if row}:
        bodies["rotors"] = rows
    overlay: dict[str, Any] = {
        "schema": SCHEMA,
        "robot": robot.name,
        "tool": robot.tool.name if robot.tool else None,
        "about": about,
        "sources": sources,
        "inertials": {"default": name, "sets": {name: bodies}},
    }
    groups = [links, rows]
    if robot.friction_model is not None:
        groups.append(_friction_rows(found, tables["friction"]))
        overlay["friction"] = {"default": name, "sets": {name: {"axes": groups[-1]}}}
    known = tables["inertials"]["sources"] | tables["friction"]["sources"] | _SAID
    for row in (row for group in groups for row in group.values()):
        named = row["source"].values() if isinstance(row["source"], dict) else [row["source"]]
        sources |= {one: known[one] for one in named if one != "fit"}
    return overlay


_SAID = {
    "unmoved": {"ref": "axes that stood still while others were identified", "grade": "assumed"},
    "untold": {
        "ref": "Fs - Fc and Stribeck speed as they were known before: no sample tells them",
        "grade": "assumed",
    },
    "given": {"ref": "given in Python", "grade": "assumed"},
}
"""Sources of numbers that are in no table."""


def _row(body: Inertial) -> dict[str, Any]:
    tensor = {key: float(body.tensor[i, j]) for key, (i, j) in _TENSOR.items()}
    return {"mass_kg": body.mass, "com_mm": (1000.0 * body.com).tolist(), "inertia_kg_m2": tensor, "source": "fit"}


_TENSOR = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def _rotor(fitted: float, own: float, linear: bool, before: dict[str, Any] | None) -> dict[str, Any] | None:
    unit = "inertia_kg" if linear else "inertia_kg_m2"
    if np.isfinite(fitted):
        return {unit: float(fitted), "source": "fit"} if fitted else None
    if before is not None and before[unit] == own:
        return before
    return {unit: float(own), "source": "given"} if own else None


def _friction_rows(found: Consistent, table: dict[str, Any]) -> dict[str, Any]:
    robot, law, linear = found.robot, found.robot.friction_model, found.robot.limits.linear
    assert law is not None
    assert robot.description is not None
    published = table["sets"][table["default"]]["axes"] if table.get("default") else {}
    rows: dict[str, Any] = {}
    for i, axis in enumerate(robot.description.axes):
        viscous, coulomb, drop = found.friction[i].tolist()
        kept, speed = float(law.Fs[i] - law.Fc[i]), float(law.v_St[i])
        if np.isnan(coulomb):
            own = _rubbing([float(law.Fv[i]), float(law.Fc[i]), kept], speed, bool(linear[i]))
            source = "unmoved" if not any(own.values()) else "given"
            rows[axis] = published[axis] if _same(published.get(axis, {}), own) else own | {"source": source}
            continue
        row = _rubbing([viscous, coulomb, kept if np.isnan(drop) else drop], speed, bool(linear[i]))
        told = "untold" if np.isnan(drop) and kept else "fit"
        names = {key: told if key.startswith(("Fs", "v_St")) else "fit" for key in row}
        rows[axis] = row | {"source": "fit" if told == "fit" else names}
    return rows


def _same(row: dict[str, Any], own: dict[str, float]) -> bool:
    """Whether a row of a table has these numbers, but for rounding of Fc + (Fs - Fc)."""
    return all(key in row and np.isclose(row[key], value, rtol=1e-12, atol=0.0) for key, value in own.items())


def _rubbing(friction: list[float], speed: float, linear: bool) -> dict[str, float]:
    viscous, coulomb, drop = friction
    names = ("Fs_N", "Fc_N", "Fv_N_s_m", "v_St_m_s") if linear else ("Fs_N_m", "Fc_N_m", "Fv_N_m_s", "v_St_rad_s")
    row = dict(zip(names, (coulomb + drop, coulomb, viscous, speed), strict=True))
    if not drop:
        del row[names[3]]
    return row
