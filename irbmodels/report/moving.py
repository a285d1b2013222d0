"""A planned motion: its duration, and which limit binds where."""

from __future__ import annotations

from typing import Any

from ..robot.robot import Robot
from ..tasks.path_check.joint_segments import tcp_speed
from ..tasks.waypoints import PlannedMotion
from ..trajectory.limit_shares import LimitShares
from .text_table import TextTable

_BRIEFLY = 0.005  # share of the time: what binds for less is not named


def motion_record(
    planned: PlannedMotion, shares: LimitShares, robot: Robot, law: str
) -> dict[str, Any]:
    """Return a planned motion as numbers in SI units."""
    kind, axis, share = shares.fullest
    return {
        "law": law,
        "duration_s": planned.trajectory.duration,
        "lower_bound_gap": planned.gap,
        "largest_tcp_speed_m_s": _tcp_speed(planned, shares, robot),
        "corner_deviations_m": planned.deviations,
        "largest_shares": shares.largest,
        "assumed_limits": {
            kind: axes for kind, axes in robot.limits.assumed.items() if kind in shares.shares
        },
        "binding_shares_of_time": shares.binding,
        "fullest_limit": {"quantity": kind, "axis": axis, "share": share},
    }


def motion_table(planned: PlannedMotion, shares: LimitShares, robot: Robot) -> TextTable:
    """Return the largest share of each limit, and how long it binds, a row per axis."""
    largest, binding = shares.largest, shares.binding
    heads = [f"{kind} [%]" for kind in largest]
    heads += [f"{kind} binds [% of time]" for kind in largest]
    rows = [
        (
            str(i + 1),
            *(
                f"{100.0 * values[i]:.1f}{_mark(robot, kind, i)}"
                for kind, values in largest.items()
            ),
            *(f"{100.0 * values[i]:.0f}" for values in binding.values()),
        )
        for i in range(robot.n)
    ]
    starred = any(_mark(robot, kind, i) for kind in largest for i in range(robot.n))
    title = f"{robot.name}: {planned.trajectory.duration:.4f} s, largest shares of its limits"
    title += " (* assumed)" * starred
    return TextTable("axis", *heads, rows=rows, title=title, right=heads)


def motion_lines(planned: PlannedMotion, shares: LimitShares, robot: Robot) -> list[str]:
    """Return the limit that binds, and what else is known of a motion, a line each."""
    kind, axis, share = shares.fullest
    times = sorted(
        (
            (float(part), f"{name} of axis {i + 1}")
            for name, parts in shares.binding.items()
            for i, part in enumerate(parts)
            if part >= _BRIEFLY
        ),
        reverse=True,
    )
    found = ", ".join(f"{name} for {100.0 * part:.0f} % of the time" for part, name in times)
    binds = f"what binds: {found}" if times else "nothing binds for long"
    lines = [
        f"{binds}; used most: {kind} of axis {axis}, {100.0 * share:.1f} % of its"
        f"{' assumed' * bool(_mark(robot, kind, axis - 1))} limit",
        f"largest speed of the TCP {1000.0 * _tcp_speed(planned, shares, robot):.1f} mm/s",
    ]
    if "torque" not in shares.shares:
        lines.append(f"no masses of {robot.name} are known: torques bound nothing")
    elif robot.friction_model is None:
        lines.append(f"{robot.name} has no friction data: torques are without it")
    if planned.gap is not None:
        lines.append(f"at most {100.0 * planned.gap:.2f} % longer than the shortest possible")
    if planned.deviations:
        away = ", ".join(f"{1000.0 * one:.2f}" for one in planned.deviations)
        lines.append(f"corners are passed at {away} mm; at 0 the TCP stops")
    if "torque" in shares.shares and robot.limits.effort_assumed.any():
        lines.append("efforts are assumed: no torque limit of this robot is published")
    return lines


def _mark(robot: Robot, kind: str, axis: int) -> str:
    """Return ``*`` where the limit of an axis is assumed; those of the command line are not."""
    assumed = robot.limits.assumed.get(kind)
    return "*" if assumed is not None and assumed[axis] else ""


def _tcp_speed(planned: PlannedMotion, shares: LimitShares, robot: Robot) -> float:
    state = planned.trajectory.at(shares.t)
    return float(tcp_speed(robot, state.q, state.v).max())
