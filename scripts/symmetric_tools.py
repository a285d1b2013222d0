"""Choose the free angle of the spindle along a milled contour, and draw the map that the choice was
made on.

python scripts/symmetric_tools.py [docs/pictures/symmetric_map.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.tasks.free_angle import (
    BRANCHES,
    Choice,
    choose_angle,
    feasible_angles,
    range_margin,
    singularity_distance,
)

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "symmetric_map.png"


def contour(points: int = 200) -> np.ndarray:
    """Return poses ``(N, 4, 4)`` of a mill that goes round an oval on a table, leaning out by 20
    deg, its x along the path.
    """
    s = np.linspace(0.0, 2.0 * np.pi, points)
    place = np.stack([0.95 + 0.3 * np.cos(s), 0.6 * np.sin(s), np.full(points, 0.45)], axis=1)
    along = np.stack([-0.3 * np.sin(s), 0.6 * np.cos(s), np.zeros(points)], axis=1)
    along /= np.linalg.norm(along, axis=1)[:, None]
    out = np.cross(along, [0.0, 0.0, 1.0])
    z = -np.cos(np.radians(20.0)) * np.array([0.0, 0.0, 1.0]) - np.sin(np.radians(20.0)) * out
    poses = np.tile(np.eye(4), (points, 1, 1))
    poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2], poses[:, :3, 3] = (
        along,
        np.cross(z, along),
        z,
        place,
    )
    return poses


def figure(robot: irb.Robot, poses: np.ndarray, choice: Choice) -> Figure:
    """Draw the cost of every angle along the path on the branch that was chosen, white where none
    is feasible.
    """
    cost = range_margin() + singularity_distance()
    low, high = np.floor(np.degrees([choice.phi.min(), choice.phi.max()]) / 90.0 - 0.5) * 90.0 + [
        0.0,
        180.0,
    ]
    shown = np.radians(np.linspace(low, high, 361))
    map_ = np.full((len(shown), len(poses)), np.nan)
    for k, pose in enumerate(poses):
        for interval in feasible_angles(robot, pose, branch=choice.branch):
            lifted = [(i, angle) for i, phi in enumerate(shown) for angle in interval.holds(phi)]
            if lifted:
                rows, angles = (np.array(part) for part in zip(*lifted, strict=True))
                # the best of all full turns
                np.fmin.at(map_[:, k], rows, cost(robot, interval.q(angles), angles))
    drawing = Figure(figsize=(9.0, 5.2), layout="constrained", dpi=130)
    axes = drawing.subplots()
    axes.set_facecolor("#ffffff")
    s = np.linspace(0.0, 100.0, len(poses))
    mesh = axes.pcolormesh(
        s,
        np.degrees(shown),
        map_,
        norm=LogNorm(0.2, 20.0),
        cmap="YlGnBu",
        shading="nearest",
        rasterized=True,
    )
    axes.contour(
        s, np.degrees(shown), np.isfinite(map_), levels=[0.5], colors="#404040", linewidths=0.8
    )
    axes.plot(
        s,
        np.degrees(choice.coarse),
        ".",
        ms=3.0,
        color="#D55E00",
        alpha=0.55,
        label="best of the grid",
    )
    axes.plot(s, np.degrees(choice.phi), lw=2.4, color="#D55E00", label="chosen")
    axes.set(
        xlabel="path [%]",
        ylabel="angle about the tool's axis [deg]",
        xlim=(0.0, 100.0),
        ylim=(low, high),
    )
    axes.set_yticks(np.arange(low, high + 1.0, 45.0))
    axes.set_title(
        f"{robot.name} with {robot.tool.name}: {BRANCHES[choice.branch]}", loc="left", fontsize=11
    )
    axes.legend(loc="upper right", framealpha=0.9)
    drawing.colorbar(mesh, ax=axes, label="cost: ranges and singularities", pad=0.015)
    return drawing


def main() -> None:
    """Choose, say what was chosen, and draw."""
    robot = irb.load("irb2400", tool="spindle")
    poses = contour()
    choice = choose_angle(robot, poses)
    print(choice)
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    figure(robot, poses, choice).savefig(path)


if __name__ == "__main__":
    main()
