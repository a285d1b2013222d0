"""Rows of friction: checked, made into a law, and written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..errors import TableError
from ..model.friction import FURTHER, SCALE_OF, Stribeck, problem_of
from .schema import FrictionRow, FrictionSet

FIELDS = {
    "Fs": ("Fs_N_m", "Fs_N"),
    "Fc": ("Fc_N_m", "Fc_N"),
    "Fv": ("Fv_N_m_s", "Fv_N_s_m"),
    "v_St": ("v_St_rad_s", "v_St_m_s"),
    "Fd": ("Fd_N_m", "Fd_N"),
    "v_d": ("v_d_rad_s", "v_d_m_s"),
    "dFc": ("dFc_N_m", "dFc_N"),
    "dFv": ("dFv_N_m_s", "dFv_N_s_m"),
    "mu": ("mu", "mu"),
    "per_K": ("Fv_per_K", "Fv_per_K"),
    "presliding": ("presliding", "presliding"),
    "x_p": ("x_p_rad", "x_p_m"),
}
"""Fields of a row by the parameter of the law: of a rotary axis, and of a linear one."""
_NEEDED = ("Fs", "Fc", "Fv")
_UNITLESS = {name for name, fields in FIELDS.items() if fields[0] == fields[1]}


def check_friction(row: FrictionRow, linear: bool, file: Path, key: str) -> None:
    """Check that friction has all numbers of a linear or rotary axis, and brakes it.

    Raises:
        TableError: if not.
    """
    given = parameters_of(row, linear)
    other = parameters_of(row, not linear).keys() - _UNITLESS
    falls = given.get("Fs") != given.get("Fc")
    if not given.keys() >= {*_NEEDED, *(["v_St"] if falls else [])} or other:
        kind = "linear" if linear else "rotary"
        raise TableError(
            file, key, f"a {kind} axis needs Fs, Fc, Fv and, unless Fs = Fc, v_St in its units"
        )
    for kind, word in (("Fd", "degressive friction"), ("presliding", "presliding")):
        if (kind in given) != (SCALE_OF[kind] in given):
            raise TableError(file, key, f"{word} needs both {kind} and {SCALE_OF[kind]}")
    problem = problem_of(_law([given]))
    if problem is not None:
        raise TableError(file, key, f"{problem.needs}, or friction would {problem.would} the axis")


def check_temperature(chosen: FrictionSet, file: Path, key: str) -> None:
    """Check that a set with ``Fv_per_K`` says which temperature its numbers hold at.

    Raises:
        TableError: if not.
    """
    warm = [axis for axis, row in chosen.axes.items() if row.Fv_per_K]
    if warm and chosen.reference_temperature_degC is None:
        raise TableError(
            file,
            key,
            f"Fv_per_K of {warm[0]} needs reference_temperature_degC of the set: the temperature"
            " that its numbers hold at",
        )


def law_of(chosen: FrictionSet, linear: Sequence[bool]) -> Stribeck:
    """Return the friction law of a set, whose rows are in the order of the axes."""
    rows = zip(chosen.axes.values(), linear, strict=True)
    return _law(
        [parameters_of(row, slides) for row, slides in rows],
        chosen.measured_to_rad_s,
        chosen.reference_temperature_degC,
    )


def friction_row(law: Stribeck, axis: int, linear: bool) -> dict[str, float]:
    """Return the fields of one axis (from 0) of a law, those without influence left out."""
    row = {name: float(getattr(law, name)[axis]) for name in FIELDS}
    scales = set(SCALE_OF.values())
    unused = {name for name, value in FURTHER.items() if name not in scales and row[name] == value}
    unused |= {SCALE_OF[kind] for kind in unused if kind in SCALE_OF}
    unused |= set() if law.falls[axis] else {"v_St"}
    return {FIELDS[name][linear]: value for name, value in row.items() if name not in unused}


def parameters_of(row: FrictionRow, linear: bool) -> dict[str, float]:
    """Return the parameters that a row has for a linear or a rotary axis."""
    values = {name: getattr(row, fields[linear]) for name, fields in FIELDS.items()}
    return {name: value for name, value in values.items() if value is not None}


def _law(
    rows: Sequence[dict[str, float]],
    measured_to: float | None = None,
    reference_temperature: float | None = None,
) -> Stribeck:
    """Return the law with the parameters of each axis; absent ones have no influence."""
    absent = FURTHER | {"v_St": FURTHER["v_d"]}
    columns = {
        name: np.array([row.get(name, absent.get(name, 0.0)) for row in rows]) for name in FIELDS
    }
    return Stribeck(**columns, measured_to=measured_to, reference_temperature=reference_temperature)
