"""Torques of the parameter sets of each family side by side, as in urdf/FAMILY/README.md: ``python
scripts/compare_sets.py``.

Random states (seed 0): postures inside every range, the coupled one too, speeds up to 0.5 and
accelerations up to 2 in SI units of each axis, without friction.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

import irbmodels as irb

Array = NDArray[np.float64]
STATES = 5000
SETS = {  # tool and sets by variant, the set to compare with first
    "irb2400_16": [
        ("spindle", ["obal2025", "obal2025_printed", "jia2018", "cad"]),
        (None, ["obal2025", "jia2018", "cad"]),
    ],
    "irb1400": [(None, ["cad", "stretched"])],
    "irb1600_6_120": [(None, ["cad", "cad_scaled"])],
    "irb930_12_105": [(None, ["cad", "cad_scaled"])],
}
LOADS = [
    *(
        (name, parameters, 0.0)
        for name in ("irb1600_6_120", "irb1600_6_145")
        for parameters in ("cad", "cad_scaled")
    ),
    ("irb1400", "cad", 0.0),
    ("irb1400", "stretched", 0.0),
    ("irb930_22_105", "cad", 22.0),
]  # variant, set, payload [kg]


def states(robot: irb.Robot, count: int) -> tuple[Array, Array, Array]:
    """Return random positions inside the ranges, speeds and accelerations, shape ``(count, n)``
    each.
    """
    rng, limits = np.random.default_rng(0), robot.limits
    A, _, lower, upper = limits.axis_ranges
    bounded = rng.uniform(lower, upper, (count, robot.n))  # what the rows of A bound
    q = limits.moved_inside(np.linalg.solve(A, bounded.T).T)
    return q, rng.uniform(-0.5, 0.5, (count, robot.n)), rng.uniform(-2.0, 2.0, (count, robot.n))


def compare(
    name: str, tool: str | None, sets: list[str], count: int = STATES
) -> list[tuple[str, Array]]:
    """Return rows of the table: a label, and a number per axis [N m, N]."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)  # of sets that no bodies can have
        robots = [irb.load(name, tool=tool, parameters=parameters) for parameters in sets]
    q, v, a = states(robots[0], count)
    torques = [robot.inverse_dynamics(q, v, a, friction=False) for robot in robots]
    weights = [robot.gravity(q) for robot in robots]
    rows = [(f"rms torque of `{sets[0]}`", rms(torques[0]))]
    for parameters, torque, weight in list(zip(sets, torques, weights, strict=True))[1:]:
        rows.append((f"`{parameters}`, rms difference", rms(torque - torques[0])))
        rows.append(
            (f"`{parameters}`, in % of rms", 100.0 * rms(torque - torques[0]) / rms(torques[0]))
        )
        rows.append(
            (f"`{parameters}`, largest gravity difference", np.abs(weight - weights[0]).max(axis=0))
        )
    return rows


def rms(values: Array) -> Array:
    """Return the root of the mean square per axis."""
    return np.asarray(np.sqrt(np.mean(np.square(values), axis=0)), dtype=float)


def lumped(name: str) -> tuple[Array, Array]:
    """Return mass matrices [kg m^2] of ``cad`` and ``cad_lumped`` over a grid of both arms, wrist
    at 0, shape ``(961, n, n)``.
    """
    robots = [irb.load(name, parameters=parameters) for parameters in ("cad", "cad_lumped")]
    limits, bounded = robots[0].limits, np.zeros((31 * 31, robots[0].n))
    bounded[:, 1:3] = np.stack(
        np.meshgrid(*np.linspace(limits.lower[1:3], limits.upper[1:3], 31).T), axis=-1
    ).reshape(-1, 2)
    q = np.linalg.solve(limits.A, bounded.T).T
    first, second = (robot.mass_matrix(q) for robot in robots)
    return first, second


def loads(name: str, parameters: str, payload_kg: float = 0.0) -> tuple[Array, Array]:
    """Return the largest gravity torque per axis [N m, N], and the ends of M11 [kg m^2], over
    random states.
    """
    robot = irb.load(name, parameters=parameters).with_payload(
        irb.payload(payload_kg) if payload_kg else None
    )
    q = states(robot, STATES)[0]
    first = robot.mass_matrix(q)[:, 0, 0]
    return np.abs(robot.gravity(q)).max(axis=0), np.array([first.min(), first.max()])


def main() -> None:
    """Print a table per robot and tool, then extremes."""
    for name, cases in SETS.items():
        for tool, sets in cases:
            print(f"\n{name}, {f'with the {tool}' if tool else 'no tool'}, per axis [N m, N]")
            for label, values in compare(name, tool, sets):
                print(
                    f"| {label} |"
                    f" {' | '.join(f'{value:.2g}' if value < 1.0 else f'{value:.1f}' for value in values)} |"
                )

    for name in ("irb2400_16", "irb1400"):
        first, second = lumped(name)
        off = np.abs(first - second).max(axis=0)
        share = off[1, 2] / np.abs(first[:, 1, 2]).max()
        differences = (
            f"M11 off by {off[0, 0]:.2f}, M23 by {off[1, 2]:.2f} ({share:.0%} of its largest)"
        )
        print(f"\n{name}, cad_lumped against cad [kg m^2]: {differences}")
    for name, parameters, payload in LOADS:
        weight, (least, most) = loads(name, parameters, payload)
        shown = ", ".join(f"{value:.1f}" for value in weight)
        print(
            f"{name}, {parameters}, {payload:g} kg: gravity at most {shown}; M11 from {least:.1f}"
            f" to {most:.1f}"
        )


if __name__ == "__main__":
    main()
