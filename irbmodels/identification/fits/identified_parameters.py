"""Set of parameters that a fit of torques gives a robot, and the overlay that it is written as.

The overlay holds the whole set: what was fitted, and everything else as the robot had it, each
number with its source.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, InputError
from ...model.inertia import Inertial
from ...model.springs import Spring
from ...model.tree import body_names
from ...model.types import Array, Mask
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import first_of_friction
from ...robot.uncertainty import ParameterUncertainty
from ...tables.friction_rows import FIELDS, friction_row
from ...tables.writing import body_row, write_tables
from .identified_springs import add_springs, fitted_springs
from .pseudo import inertial_of
from .regression import Fit


@dataclass(frozen=True, eq=False)
class IdentifiedParameters:
    """Set of parameters that a fit gives a robot, without tool and payload.

    Bodies can exist if :func:`.consistent` made it.
    """

    robot: Robot
    inertials: dict[str, Inertial]
    """Those that have influence, in axes of their link, by its name; with what is fixed to it."""
    rotors: Array
    """Arm side [kg m^2, kg], shape ``(n,)``; NaN where the fit does not hold them, as below."""
    friction: Array
    """Kinds of the friction law of the robot per axis, ``Fv, Fc, Fs - Fc`` ..: ``(n, kinds)``."""
    vector: Array
    """In the order of ``robot.parameter_vector()``, tool and payload included."""
    beta: Array
    """Base parameters of the set."""
    distance: float
    """``|R (beta - beta_LS)|``: standard deviations from the unconstrained fit."""
    uncertainty: ParameterUncertainty | None = None
    """Of the base parameters and fitted Stribeck speeds; None if unknown."""
    warm: tuple[int, ...] = ()
    """Axes, 0-based, of drives whose change of friction with temperature was fitted."""
    springs: tuple[Spring, ...] = ()
    """Of the robot, with the coefficients that the fit holds."""

    @classmethod
    def of(
        cls, fit: Fit, robot: Robot, base: BaseParameters, own: Array, carried: Array
    ) -> IdentifiedParameters:
        """Return the set with given parameters.

        Args:
            fit: Unconstrained, of ``base``.
            robot: With the tool of the experiment.
            base: Base parameters that were fitted.
            own: Parameters in the order of ``robot.parameter_vector()``, without tool and payload.
            carried: Parameters of tool and payload, in the same order.
        """
        seen = np.asarray(base.grouping.any(axis=0), dtype=bool)
        bodies = {}
        for i, link in enumerate(body_names(robot.dynamic_model.tree.model)):
            part = slice(10 * i, 10 * i + 10)
            if seen[part].any():
                bodies[link] = inertial_of(own[part])
        beta = base.values(own + carried)
        distance = float(np.linalg.norm(fit.factor[:-1, :-1] @ (beta - fit.beta)))
        springs = fitted_springs(own, seen, robot)
        scalars = _scalars(own, seen, robot)
        return cls(robot, bodies, *scalars, own + carried, beta, distance, springs=springs)

    def write(
        self, path: str | Path, name: str, ref: str, about: str = "identified, consistent"
    ) -> Path:
        """Write the whole set, ``irbmodels.load(..., parameters=path)``.

        Of a robot with tables as an overlay on them; of one from a URDF with the hash of its
        kinematics, for ``irbmodels.from_urdf(..., parameters=path)``.

        What was not fitted has the number and the source of the robot; unknown friction is written
        as 0, assumed.

        Args:
            path: File to write, with the suffix .yaml.
            name: Of the set of inertials, and of the set of friction.
            ref: Where the samples come from.
            about: Description of the set.

        Raises:
            FileError: if it cannot be written.
        """
        file = Path(path)
        if file.suffix != ".yaml":
            raise InputError(f"an overlay is a .yaml file, not {file.name!r}")
        overlay = _overlay(self, name, about, {"ref": ref, "grade": "identified"})
        names = () if self.uncertainty is None else self.uncertainty.names
        add_springs(overlay, self.robot, self.springs, names)
        try:
            write_tables(file.parent, {file.stem: overlay}, f"{self.robot.name}: {ref}")
        except OSError as err:
            raise FileError(f"{file}: {err.strerror or err}") from err
        return file


def _scalars(parameters: Array, seen: Mask, robot: Robot) -> tuple[Array, Array]:
    """Rotors ``(n,)`` and friction ``(n, kinds)`` of a parameter vector.

    NaN where no sum holds them.
    """
    first = first_of_friction(robot)
    known, law = np.where(seen, parameters, np.nan), robot.friction_model
    rotors = known[first - robot.n : first]
    if law is None:
        return rotors, np.full((robot.n, 3), np.nan)
    return rotors, known[first : first + len(law.kinds) * robot.n].reshape(robot.n, -1)


def _overlay(
    fitted: IdentifiedParameters, name: str, about: str, fit: dict[str, Any]
) -> dict[str, Any]:
    """Return the whole set as tables.

    Args:
        fitted: Set of bodies, rotors and friction of a robot with tables.
        name: Of the set of inertials, and of the set of friction.
        about: Description of the set.
        fit: The source of what was fitted.
    """
    robot = fitted.robot
    tables, axes = robot.tables(), axis_names(robot)
    before = tables["inertials"]["sets"][robot.parameters or "file"]
    links = before["links"] | {
        link: body_row(body, "fit") for link, body in fitted.inertials.items()
    }
    bodies: dict[str, Any] = {"about": about, "links": links}
    if kept := [link for link in before.get("impossible", ()) if link not in fitted.inertials]:
        bodies["impossible"] = kept
    sources: dict[str, Any] = {"fit": fit}
    rotors = dict(
        zip(
            axes,
            zip(fitted.rotors, robot.rotors, robot.limits.linear, strict=True),
            strict=True,
        )
    )
    rows = {
        axis: _rotor(*numbers, before.get("rotors", {}).get(axis))
        for axis, numbers in rotors.items()
    }
    if rows := {axis: row for axis, row in rows.items() if row}:
        bodies["rotors"] = rows
    overlay: dict[str, Any] = {
        "robot": robot.name,
        "tool": robot.tool.name if robot.tool else None,
        "about": about,
        "sources": sources,
        "inertials": {"default": name, "sets": {name: bodies}},
    }
    groups = [links, rows]
    if (law := robot.friction_model) is not None:
        groups.append(_friction_rows(fitted, tables["friction"]))
        own: dict[str, Any] = {"axes": groups[-1]}
        if law.reference_temperature is not None:
            own["reference_temperature_degC"] = law.reference_temperature
        overlay["friction"] = {"default": name, "sets": {name: own}}
    if robot.description is None:  # tables say these themselves
        overlay = {"robot": robot.name, "of": tables["of"], **overlay}
        if drives := tables["drives"]["axes"]:
            overlay["drives"] = tables["drives"]
            groups.append(drives)
    known = tables["inertials"]["sources"] | tables["friction"]["sources"] | _SOURCES
    for row in (row for group in groups for row in group.values()):
        named = row["source"].values() if isinstance(row["source"], dict) else [row["source"]]
        sources |= {one: known[one] for one in named if one != "fit"}
    return overlay


def axis_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of axes in tables: ``axis_1`` .., of a robot from a URDF its joints."""
    return tuple(robot.description.axes) if robot.description is not None else robot.axes


_SOURCES = {
    "unmoved": {"ref": "axes that stood still while others were identified", "grade": "assumed"},
    "undetermined": {
        "ref": "terms of friction as they were known before: no sample determines them",
        "grade": "assumed",
    },
    "given": {"ref": "given in Python", "grade": "assumed"},
}
"""Sources of numbers that are in no table."""


def _rotor(
    fitted: float, own: float, linear: bool, before: dict[str, Any] | None
) -> dict[str, Any] | None:
    unit = "inertia_kg" if linear else "inertia_kg_m2"
    if np.isfinite(fitted):
        return {unit: float(fitted), "source": "fit"} if fitted else None
    if before is not None and before[unit] == own:
        return before
    return {unit: float(own), "source": "given"} if own else None


def _friction_rows(fitted: IdentifiedParameters, table: dict[str, Any]) -> dict[str, Any]:
    robot, law, linear = fitted.robot, fitted.robot.friction_model, fitted.robot.limits.linear
    assert law is not None
    published = table["sets"][table["default"]]["axes"] if table.get("default") else {}
    own, unknown = law.parameters().reshape(robot.n, -1), np.isnan(fitted.friction)
    identified = law.with_parameters(np.where(unknown, own, fitted.friction))
    rows: dict[str, Any] = {}
    for i, axis in enumerate(axis_names(robot)):
        undetermined = {kind for kind, nan in zip(law.kinds, unknown[i], strict=True) if nan}
        if "Fc" in undetermined:
            row = friction_row(law, i, bool(linear[i]))
            source = "unmoved" if not any(row.values()) else "given"
            rows[axis] = (
                published[axis] if _same(published.get(axis, {}), row) else row | {"source": source}
            )
            continue
        row = friction_row(identified, i, bool(linear[i]))
        kept = {
            FIELDS[name][bool(linear[i])]
            for name in FIELDS
            if _KIND_OF.get(name, name) in undetermined and (name != "Fs" or law.falls[i])
        }
        if i not in fitted.warm:
            kept.add(FIELDS["per_K"][bool(linear[i])])
        sources = {field: "undetermined" if field in kept else "fit" for field in row}
        rows[axis] = row | {"source": sources if "undetermined" in sources.values() else "fit"}
    return rows


_KIND_OF = {"Fs": "Fs-Fc", "v_St": "Fs-Fc", "v_d": "Fd"}
"""Kind of linear parameter that a number of the law is known with, where it is another name."""


def _same(row: dict[str, Any], own: dict[str, float]) -> bool:
    """Return whether a row of a table has these numbers, but for rounding of Fc + (Fs - Fc)."""
    return all(
        key in row and np.isclose(row[key], value, rtol=1e-12, atol=0.0)
        for key, value in own.items()
    )
