"""Tables of drive gains and payloads with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..identification.fits import DriveGains, Load
from ..robot.robot import Robot
from .text_table import TextTable

_INERTIA = ("Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
_ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))


def gain_table(found: DriveGains, robot: Robot) -> TextTable:
    """Return the gain of each axis with its 95 % interval, or a dash where it is unknown."""
    half = 100.0 * found.half_width()
    rows = []
    for i, (gain, linear) in enumerate(zip(found.gain, robot.limits.linear, strict=True)):
        known = np.isfinite(gain)
        rows.append(
            (
                str(i + 1),
                f"{gain:.4g}" if known else "-",
                f"{half[i]:.2g}" if known else "-",
                "N/A" if linear else "N m/A",
                f"{found.noise[i]:.3g}",
            )
        )
    heads = ("axis", "torque per current", "+- 95 % [%]", "unit", "residuals [A]")
    return TextTable(*heads, rows=rows, title="gains of the drives, arm side")


def gains_record(found: DriveGains) -> dict[str, Any]:
    """Return gains and payload for programs; NaN where unknown. Of a linear axis ``_N_m`` means N.

    Half widths are of 95 % intervals.
    """
    columns = zip(found.gain, found.half_width(), found.noise, strict=True)
    return {
        "axes": [
            {"axis": i, "gain_N_m_A": gain, "half_width_share": half, "residual_A": noise}
            for i, (gain, half, noise) in enumerate(columns, 1)
        ],
        **load_record(found.load),
    }


def load_record(load: Load) -> dict[str, Any]:
    """Return a load with half widths of 95 % intervals for programs; NaN where unknown."""
    factor = load.quantile()
    return {
        "load": {
            "frame": load.frame,
            "mass_kg": load.mass,
            "mass_half_width_kg": factor * load.mass_deviation,
            "com_m": load.com,
            "com_half_width_m": factor * load.com_deviation,
            "inertia_kg_m2": load.inertia,
            "inertia_half_width_kg_m2": factor * load.inertia_deviation,
        }
    }


def load_table(load: Load) -> TextTable:
    """Return mass, centre of mass and tensor of a load with 95 % intervals; "-" where unknown."""
    factor = load.quantile()
    cells = [("mass", load.mass, load.mass_deviation, "kg", 1.0)]
    cells += [
        (f"centre {axis}", value, deviation, "mm", 1000.0)
        for axis, value, deviation in zip("xyz", load.com, load.com_deviation, strict=True)
    ]
    tensor, deviation = load.inertia, load.inertia_deviation
    cells += [
        (name, tensor[entry], deviation[entry], "kg m2", 1.0)
        for name, entry in zip(_INERTIA, _ENTRIES, strict=True)
    ]
    rows = [
        (
            name,
            f"{value * scale:.4g}",
            f"{factor * spread * scale:.2g}" if spread else "known",
            unit,
        )
        for name, value, spread, unit, scale in cells
        if np.isfinite(value)
    ]
    title = f"payload in {load.frame}, its inertia about the centre"
    return TextTable("quantity", "value", "+- 95 %", "unit", rows=rows, title=title)
