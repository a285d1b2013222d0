"""Working range as tables, and as a drawing like that of a data sheet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, MissingData
from ..kinematics.arm_geometry import Arm, OffsetWrist, Palletizer, Scara, SixAxis
from ..kinematics.frames import Reference
from ..kinematics.planar_links import planar_links, planar_nodes
from ..kinematics.workspace import Extremes, Workspace
from ..robot.robot import Robot
from .panels import blank_figure
from .text_table import TextTable
from .workspace_view import View, shown_extremes, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_STAND = 0.3  # [m] half the width of the base as it is drawn
_REGION, _EDGE, _ARM, _MARK, _THIN = "#DCE9F5", "#0072B2", "#404040", "#D55E00", "0.35"


class Position(NamedTuple):
    """Row of a working-range drawing."""

    name: str
    point: tuple[float, float]
    """In the arm's plane [m]."""
    axes: tuple[float, float]
    """Positions of the two axes [rad], as their ranges name them: q2 and q3 - q2, say."""


def positions(space: Workspace) -> list[Position]:
    """Return Pos 0, all axes at zero, and the corners of the outlines in order."""
    home = space.home()
    corners = (corner for loop in space.corners() for corner in loop)
    return [
        Position("Pos 0", (float(home[0]), float(home[1])), (0.0, 0.0)),
        *(
            Position(f"Pos {i}", corner.point, corner.axes)
            for i, corner in enumerate(corners, start=1)
        ),
    ]


def workspace_figure(
    robot: Robot, wrist: ArrayLike | None = None, reference: Reference = "base"
) -> Figure:
    """Draw the working range of the wrist center in the arm's plane; a SCARA's of its TCP.

    Args:
        robot: Robot with a spherical wrist, or SCARA.
        wrist: Axes 4 to 6 (a SCARA's 4) [rad], to draw the range of the TCP with these held.
        reference: ``base``, or ``world`` for heights where the robot is mounted, with axis 1 at 0.

    Raises:
        InputError: if the TCP lies beside the arm's plane, or that plane leans in the world.
        MissingData: for an arm with neither a spherical wrist nor the shape of a SCARA.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    space, point = _workspace(robot, wrist)
    view = view_of(robot, space, reference)
    figure = blank_figure(11.0, 8.0)
    axes, beside = figure.subplots(1, 2, width_ratios=[3, 1.25])
    axes.set_aspect("equal")
    axes.axis("off")
    beside.axis("off")
    outlines = [
        1e3 * view.points(np.concatenate([arc.sample(math.radians(0.5)) for arc in loop]))
        for loop in space.outlines
    ]
    path = Path.make_compound_path(*(Path(points, closed=True) for points in outlines))
    axes.add_patch(PathPatch(path, facecolor=_REGION, edgecolor=_EDGE, lw=1.6, zorder=1))
    shown = [
        one._replace(point=(float(x), float(y)))
        for one in positions(space)
        for x, y in [view.points(one.point)]
    ]
    extremes = shown_extremes(space, view)
    _draw_arm(axes, space.arm, robot, view)
    _draw_extremes(axes, space, extremes, view)
    for (x, y), names in _label_groups(shown, 0.08 * extremes.reach).items():
        inward = x > 0.85 * extremes.ahead
        axes.annotate(
            f"Pos {', '.join(names)}",
            (1e3 * x, 1e3 * y),
            (-7 if inward else 6, 6),
            textcoords="offset points",
            color=_MARK,
            fontsize=9,
            zorder=7,
            ha="right" if inward else "left",
        )
    for _, (x, y), _ in shown:
        axes.plot(1e3 * x, 1e3 * y, "o", ms=5, color=_MARK, zorder=6)
    _write_positions(beside, robot, space, point, view)
    seen = "seen from above" if isinstance(space.arm, Scara) else "in the plane of the arm"
    held = ""
    if wrist is not None:
        angles = ", ".join(f"{_degrees(float(angle)):g}" for angle in np.ravel(wrist))
        held = f" with {robot.tool.name if robot.tool else 'no tool'}, wrist held at {angles} deg"
        if isinstance(space.arm, SixAxis):  # from the wrist center to where the TCP is at home
            ends = [
                planar_nodes(space.arm, space.arm.axis_map.angles(np.zeros(6)))[-1],
                positions(space)[0].point,
            ]
            axes.plot(*(1e3 * view.points(ends)).T, color=_ARM, lw=1.5, ls="--", zorder=4)
    figure.suptitle(
        f"{robot.name}: working range of the {point}{held}, {seen}{view.where} [mm]",
        fontsize="medium",
    )
    return figure


def _stated_reach(robot: Robot, wrist: ArrayLike | None, space: Workspace) -> list[tuple[str, str]]:
    """Return the reach of the ratings, rounded as a name is, and that of the lengths beyond it.

    Empty for a TCP, and for an offset wrist, whose stated reach is that of axis 6.
    """
    held = robot.tool is not None or wrist is not None
    if robot.description is None or held or isinstance(space.arm, OffsetWrist):
        return []
    stated, reach = robot.description.limits.ratings.reach_mm, 1e3 * space.extremes().reach
    return [("stated reach", f"{stated:.1f}"), ("beyond it", f"{reach - stated:+.1f}")]


def workspace_tables(
    robot: Robot, wrist: ArrayLike | None = None, reference: Reference = "base"
) -> list[TextTable]:
    """Return extremes, corners, arcs and singular postures of a working range.

    Arguments and errors as :func:`workspace_figure`.
    """
    space, point = _workspace(robot, wrist)
    view = view_of(robot, space, reference)
    extremes, (u, v) = shown_extremes(space, view), _coordinates(space)
    names = robot.limits.names()
    lengths = (
        (f"largest {u}", extremes.ahead),
        (f"smallest {u}", extremes.behind),
        (f"largest {v}", extremes.top),
        (f"smallest {v}", extremes.bottom),
        ("reach from axis 1", extremes.reach),
    )
    sizes = [
        *((label, f"{1e3 * value:.1f}") for label, value in lengths),
        *_stated_reach(robot, wrist, space),
        ("area [m^2]", f"{space.area():.3f}"),
        ("volume [m^3]", f"{space.volume():.3f}"),
    ]
    corner_heads = [f"{u} [mm]", f"{v} [mm]", *(f"{names[axis - 1]} [deg]" for axis in space.axes)]
    arc_heads = [f"center {u}", f"center {v}", "radius [mm]", "from [deg]", "to [deg]"]
    arcs = []
    for i, loop in enumerate(space.outlines, start=1):
        for arc in map(view.arc, loop):
            row, value = space.fixed_row(arc)
            name = names[row] if row >= 0 else "between the arms"
            mm = (f"{1e3 * length:.1f}" for length in (*arc.center, arc.radius))
            deg = (f"{math.degrees(angle):.2f}" for angle in (arc.start, arc.end))
            arcs.append((str(i), *mm, *deg, f"{name} = {_degrees(value):.2f} deg"))
    if space.uncertainty:
        sizes.append(("calibration moves the TCP by up to", f"{1e3 * space.uncertainty:.1f}"))
    return [
        TextTable(
            *(f"working range of the {point}{view.where}", "mm"),
            rows=sizes,
            title=robot.name,
            right=["mm"],
        ),
        TextTable(
            *("", *corner_heads),
            rows=_position_rows(space, view),
            title="positions",
            right=corner_heads,
        ),
        TextTable("outline", *arc_heads, "held", rows=arcs, title="arcs", right=arc_heads),
        *_singularities(robot),
    ]


def workspace_record(
    robot: Robot, wrist: ArrayLike | None = None, reference: Reference = "base"
) -> dict[str, Any]:
    """Return the same as the tables for programs, in SI units, places in the plane that is shown.

    Arguments and errors as :func:`workspace_figure`.
    """
    space, point = _workspace(robot, wrist)
    view, names = view_of(robot, space, reference), robot.limits.names()
    extremes = shown_extremes(space, view)._asdict()
    arcs = []
    for i, loop in enumerate(space.outlines, start=1):
        for arc in map(view.arc, loop):
            row, value = space.fixed_row(arc)
            held = {"held": names[row] if row >= 0 else None, "held_rad": value}
            ends = {"start_rad": arc.start, "end_rad": arc.end}
            place = {"outline": i, "center_m": arc.center, "radius_m": arc.radius}
            arcs.append({**place, **ends, **held})
    try:
        singular = robot.singular_postures()
    except MissingData:
        singular = None
    return {
        "point": point,
        "coordinates": _coordinates(space),
        **{f"{name}_m": value for name, value in extremes.items()},
        "area_m2": space.area(),
        "volume_m3": space.volume(),
        "uncertainty_m": space.uncertainty,
        "position_axes": [names[axis - 1] for axis in space.axes],
        "positions": [
            {"name": one.name, "point_m": view.points(one.point), "axes_rad": one.axes}
            for one in positions(space)
        ],
        "arcs": arcs,
        "singular_postures": singular
        and [
            {name: getattr(one, name) for name in ("kind", "where", "reachable", "edge")}
            for one in singular
        ],
    }


def _singularities(robot: Robot) -> list[TextTable]:
    """Return the table of singular postures; none for an arm without a spherical wrist."""
    try:
        postures = robot.singular_postures()
    except MissingData:
        return []
    rows = [
        (posture.kind, posture.where, "yes" if posture.reachable else "no", posture.edge)
        for posture in postures
    ]
    heads = ("singular", "where", "within the ranges", "kind")
    return [TextTable(*heads, rows=rows, title="singularities")]


def _workspace(robot: Robot, wrist: ArrayLike | None) -> tuple[Workspace, str]:
    """Return the workspace, and the name of the point that it holds."""
    if not isinstance(robot, Robot):
        raise InputError(
            f"whose workspace is drawn is an irbmodels.Robot, not a {type(robot).__name__}"
        )
    space = robot.workspace(wrist)
    if wrist is not None or isinstance(space.arm, Scara):
        return space, "TCP"
    return space, "end of axis 4" if isinstance(space.arm, Palletizer) else "wrist center"


def _position_rows(space: Workspace, view: View) -> list[tuple[str, ...]]:
    return [
        (
            name,
            *(f"{round(1e3 * length, 1) + 0.0:.1f}" for length in view.points(point).tolist()),
            *(f"{_degrees(value):.1f}" for value in axes),
        )
        for name, point, axes in positions(space)
    ]


def _label_groups(corners: list[Position], near: float) -> dict[tuple[float, float], list[str]]:
    """Group positions whose labels would cover each other, by the first of each group."""
    groups: dict[tuple[float, float], list[str]] = {}
    for name, point, _ in corners:
        group = next((first for first in groups if math.dist(first, point) < near), point)
        groups.setdefault(group, []).append(name[4:])
    return groups


def _coordinates(space: Workspace) -> tuple[str, str]:
    return ("x", "y") if isinstance(space.arm, Scara) else ("x", "z")


def _degrees(value: float) -> float:
    return round(math.degrees(value), 4) + 0.0  # no minus sign before a zero


def _draw_arm(axes: Axes, arm: Arm, robot: Robot, view: View) -> None:
    """Draw the arm at home as lines, with its lengths."""
    corners = [*planar_nodes(arm, arm.axis_map.angles(np.zeros(robot.n)))]
    names = [link.name for link in planar_links(arm)]
    joints = [0, 1] if isinstance(arm, Scara) else [2, 3, 4 if isinstance(arm, Palletizer) else 5]
    if not isinstance(arm, Scara):
        _draw_floor(axes, view)
    if isinstance(arm, SixAxis) and "tool0" in robot.frames:
        tool0: Any = robot.pose(np.zeros(6), "tool0")
        origin = arm.origin_in_arm * np.array([1.0, 1.0, 0.0])
        x, y, z = arm.arm_from_base @ tool0.translation - origin
        corners.append(np.array([math.copysign(math.hypot(x, y), corners[-1][0]), z]))
        names.append("d6")
    nodes = 1e3 * view.points(corners)
    axes.plot(*nodes.T, color=_ARM, lw=3, solid_capstyle="round", zorder=4)
    axes.plot(*nodes[joints].T, "o", color="white", mec=_ARM, mew=1.6, ms=7, zorder=5)
    for name, one, other in zip(names, nodes[:-1], nodes[1:], strict=True):
        length, (x, y) = round(float(np.hypot(*(other - one))), 3), (one + other) / 2.0
        upright = abs(other[1] - one[1]) > abs(other[0] - one[0])
        if length:
            shift = (-8 if name == "a3" else 8, 0) if upright else (0, 6 if name == "d4" else -12)
            side = "center" if not upright else "left" if shift[0] > 0 else "right"
            axes.annotate(
                f"{name} {length:g}",
                (x, y),
                shift,
                textcoords="offset points",
                fontsize=8,
                ha=side,
                va="center",
                zorder=3,
            )


def _draw_floor(axes: Axes, view: View) -> None:
    axes.axhline(0.0, color=_THIN, lw=0.8, zorder=0)
    stand = view.points([(-_STAND, 0.0), (_STAND, 0.0)])
    axes.plot(*(1e3 * stand).T, color=_ARM, lw=3, zorder=2)


def _draw_extremes(axes: Axes, space: Workspace, extremes: Extremes, view: View) -> None:
    """Draw dimension lines: ahead and behind below the outline, top and bottom beside it."""
    ahead, behind, top, bottom, reach = (1e3 * value for value in extremes)
    gap = 0.1 * reach
    look: dict[str, Any] = {"color": _THIN, "lw": 0.7, "zorder": 0}
    below, beside = min(bottom, 0.0) - gap, ahead + gap
    for x in (behind, 0.0, ahead):
        end = 0.0 if x else top + 0.5 * gap
        axes.plot([x, x], [below - 0.2 * gap, end], **look, ls="-" if x else "-.")
    for x in (behind, ahead):
        # of an arm that does not reach behind axis 1 the smaller stands nearer
        level = below + 0.5 * gap if 0.0 < x < ahead else below
        _dimension(axes, (0.0, level), (x, level), f"{x:.1f}")
    for y in (top, bottom):
        # one that would lie on the other stands nearer
        nearer = (
            0.5 * gap
            if y * (top + bottom - y) > 0.0 and abs(y) < max(abs(top), abs(bottom))
            else 0.0
        )
        axes.plot([0.0, beside + 0.2 * gap], [y, y], **look)
        _dimension(axes, (beside - nearer, 0.0), (beside - nearer, y), f"{y:.1f}")
    if isinstance(space.arm, Scara):
        axes.plot([0.0, beside + 0.2 * gap], [0.0, 0.0], **look)
    axes.set_xlim(min(behind, -1e3 * _STAND) - gap, beside + gap)
    axes.set_ylim(below - gap, top + gap)


def _dimension(axes: Axes, start: tuple[float, float], end: tuple[float, float], text: str) -> None:
    axes.annotate(
        "",
        end,
        start,
        arrowprops={"arrowstyle": "-|>", "color": _THIN, "lw": 0.8, "shrinkA": 0, "shrinkB": 0},
    )
    room = 120.0  # [mm] that a number takes; beside a shorter arrow it stands beyond its tip
    share = 0.5 if math.dist(start, end) > room else 1.0 + 0.6 * room / math.dist(start, end)
    middle = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
    upright = start[0] == end[0]
    plain = {"boxstyle": "square,pad=0.15", "fc": "white", "ec": "none"}
    axes.text(
        *middle,
        text,
        ha="center",
        va="center",
        rotation=90 if upright else 0,
        fontsize=9,
        bbox=plain,
        zorder=8,
    )


def _write_positions(axes: Axes, robot: Robot, space: Workspace, point: str, view: View) -> None:
    """Write the positions, ranges and sizes beside the picture."""
    names = robot.limits.names()
    heads = (f"{coordinate} mm" for coordinate in _coordinates(space))
    table = axes.table(
        [[name[4:], *cells] for name, *cells in _position_rows(space, view)],
        colLabels=["Pos", *heads, *(f"{names[axis - 1]} deg" for axis in space.axes)],
        loc="upper center",
    )
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    for cell in table.get_celld().values():
        cell.set_linewidth(0.6)
    table.scale(1.15, 1.35)
    lower, upper = robot.limits.lower, robot.limits.upper
    shown = 2 if isinstance(space.arm, Scara) else 3
    lines = [
        f"{names[i]}: {_degrees(lower[i]):g} .. {_degrees(upper[i]):g} deg"
        for i in (*range(shown), *range(robot.n, len(names)))
    ]
    if space.heights is not None:
        low, high = sorted(1e3 * view.height(height) for height in space.heights)
        lines.append(f"z of the {point}: {low:.1f} .. {high:.1f} mm")
    lines += [
        "",
        f"reach from axis 1: {1e3 * space.extremes().reach:.1f} mm",
        f"area: {space.area():.3f} m²",
        f"volume: {space.volume():.3f} m³",
    ]
    axes.text(0.0, 0.0, "\n".join(lines), fontsize=9, va="bottom", linespacing=1.5)
