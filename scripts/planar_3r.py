"""Draw Fig. 9 of S001 (Jia's report on the IRB 2400): torques of its planar arm with three joints,
all at 0.1 rad/s^2 from rest.

    python scripts/planar_3r.py -o fig9.png     also writes the arm as fig9.urdf, and with the
    printed table as fig9_printed.urdf

The arm stands for joints 2, 3 and 5 with the others fixed; its angles count from the horizontal,
each from the link before. Its Table 2 is made anew from the CAD of S001
(urdf/irb2400/published.yaml, density 1000 kg/m^3, so masses are volumes):

- masses: links 2, 3 + 4, 5 + 6 (21.02 and 0.419 kg, where the report has the halves 10.51 and
  0.21);
- lengths: a2, hypot(a3, d4) = 0.767 m from axis 3 to the wrist centre (report: d4), d6;
- centres of mass: distance of the composite's from its joint (report: half the length). As in the
  report they are put on the line to the next joint; in the CAD they lie 9, 26 and 5 deg beside it;
- moments of inertia: about the horizontal joint axes, Lyy, of the composites (report: Lzz of links
  2, 3 and 5).

Dashed: Table 2 as printed, in the same equations. Masses at density 1000 make both curves too small
for the real robot. The report's program has twice the angle that 0.1 rad/s^2 gives (docs/background/errata.md,
1-44); here it is 0.05 t^2.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.files import replacing
from irbmodels.report.figures import save
from irbmodels.tables.description import data_folder

TIME = np.linspace(0.0, 5.0, 51)  # [s]
ACCELERATION = 0.1  # [rad/s^2] of every joint


class Link(NamedTuple):
    """A row of Table 2: mass [kg], length [m], centre of mass from the joint [m], inertia about it
    [kg m^2].
    """

    mass: float
    length: float
    com: float
    inertia: float


PRINTED = (
    Link(16.04, 0.705, 0.3525, 0.0883),
    Link(10.51, 0.755, 0.3775, 0.3359),
    Link(0.21, 0.085, 0.0425, 3.43e-4),
)


def corrected() -> tuple[Link, ...]:
    """Return Table 2 from the CAD: base axes at home, so x and z span the plane of the arm."""
    text = (data_folder() / "irb2400" / "published.yaml").read_text(encoding="utf-8")
    cad, robot = yaml.safe_load(text)["sets"]["jia2018"]["bodies"], irb.load("irb2400")
    frames = ("link_2", "link_3", "link_5", "tool0")
    joints = np.array([robot.pose(np.zeros(6), frame).translation for frame in frames])[:, [0, 2]]
    rows = []
    for i, names in enumerate((("link_2",), ("link_3", "link_4"), ("link_5", "link_6"))):
        mass = np.array([cad[name]["mass_kg"] for name in names])
        centres = np.array([cad[name]["com_mm"] for name in names])[:, [0, 2]] / 1000.0
        centre = mass @ centres / mass.sum()
        inertia = sum(cad[name]["inertia_kg_m2"]["yy"] for name in names) + mass @ np.square(
            centres - centre
        ).sum(axis=1)
        distances = np.linalg.norm([joints[i + 1] - joints[i], centre - joints[i]], axis=1)
        rows.append(Link(float(mass.sum()), *map(float, distances), float(inertia)))
    return tuple(rows)


def urdf(links: tuple[Link, ...]) -> str:
    """Return the arm as URDF: x along each link, joint axes -y, so that a positive angle lifts."""
    parts = ['<robot name="planar_3r">', '  <link name="base"/>']
    parent, x = "base", 0.0
    for i, link in enumerate(links, start=1):
        # only iyy enters
        round_body = " ".join(f'{entry}="{link.inertia:.17g}"' for entry in ("ixx", "iyy", "izz"))
        parts += [
            f'  <link name="link_{i}">',
            f'    <inertial><origin xyz="{link.com:.17g} 0 0"/><mass value="{link.mass:.17g}"/>',
            f'      <inertia {round_body} ixy="0" ixz="0" iyz="0"/></inertial>',
            "  </link>",
            f'  <joint name="joint_{i}" type="continuous">',
            (
                f'    <origin xyz="{x:.17g} 0 0"/><parent link="{parent}"/><child'
                f' link="link_{i}"/><axis xyz="0 -1 0"/>'
            ),
            "  </joint>",
        ]
        parent, x = f"link_{i}", link.length
    parts += ['  <link name="tip"/>', '  <joint name="tip" type="fixed">']
    parts += [
        f'    <origin xyz="{x:.17g} 0 0"/><parent link="{parent}"/><child link="tip"/>',
        "  </joint>",
        "</robot>",
    ]
    return "\n".join(parts) + "\n"


def planar(links: tuple[Link, ...], path: Path) -> irb.Robot:
    """Write the arm's URDF and load it."""
    with replacing(path) as temporary:
        temporary.write_text(urdf(links), encoding="utf-8")
    return irb.from_urdf(path)


def torques(robot: irb.Robot) -> np.ndarray:
    """Return the torques of the motion, one row per time [N m]."""
    ones = np.ones((1, 3))
    q, v = 0.5 * ACCELERATION * np.square(TIME)[:, None] * ones, ACCELERATION * TIME[:, None] * ones
    return robot.inverse_dynamics(q, v, np.full_like(v, ACCELERATION), friction=False)


def draw(ours: np.ndarray, report: np.ndarray) -> Figure:
    """Return the figure: one panel per joint, since joint 3 needs a thousandth of joint 1's
    torque.
    """
    figure = Figure(figsize=(7.0, 7.5), layout="constrained")
    for i, axes in enumerate(figure.subplots(3, 1, sharex=True)):
        axes.plot(TIME, ours[:, i], color="#0072B2", lw=1.8, label="Table 2 corrected")
        axes.plot(TIME, report[:, i], color="#D55E00", lw=1.4, ls="--", label="Table 2 as printed")
        axes.axhline(0.0, color="0.7", lw=0.6)
        axes.set_title(f"joint {i + 1}")
        axes.set_ylabel("torque [N m]")
    axes.set_xlabel("time [s]")
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False
    )
    return figure


def main() -> int:
    """Write both URDFs and the picture."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="picture to write; the URDFs go beside it"
    )
    path: Path = parser.parse_args().output
    report = torques(planar(PRINTED, path.with_name(f"{path.stem}_printed.urdf")))
    ours = torques(planar(corrected(), path.with_suffix(".urdf")))
    save(draw(ours, report), path)
    print(
        f"{path}: at the start the joints need",
        ", ".join(f"{torque:.3g}" for torque in ours[0]),
        "N m",
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
