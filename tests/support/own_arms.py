"""URDFs of arms that nobody sells, of the shapes that have closed forms: any base, signs, lengths
and offsets.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np


def written(text, folder=None):
    """Write a URDF, and return its path."""
    path = Path(folder or tempfile.mkdtemp()) / "arm.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def urdf(joints):
    """URDF of a chain of (type, xyz, rpy, axis) joints, the last link named tool0; limits of three
    turns each way.
    """
    text = '<robot name="own"><link name="base"/>'
    below = "base"
    for number, (kind, xyz, rpy, axis, *more) in enumerate(joints, 1):
        link = "tool0" if number == len(joints) else f"l{number}"
        words = [" ".join(map(repr, map(float, x))) for x in (xyz, rpy, axis)]
        text += (
            f'<link name="{link}"/><joint name="j{number}" type="{kind}"><origin xyz="{words[0]}"'
            f' rpy="{words[1]}"/>'
        )
        text += f'<axis xyz="{words[2]}"/><parent link="{below}"/><child link="{link}"/>'
        text += (
            '<limit lower="-18" upper="18" effort="1"'
            f' velocity="1"/>{more[0] if more else ""}</joint>'
        )
        below = link
    return text + "</robot>"


def arm_urdf(
    a1=0.1,
    a2=0.7,
    a3=0.1,
    d4=0.8,
    side=0.0,
    tilt=0.0,
    wrist=(0.0, 0.0, 0.0),
    signs=(1,) * 6,
    base=((0, 0, 0), (0, 0, 0)),
):
    """Six axes as in docs/background/conventions.md, from a base anywhere; ``side`` moves the forearm along
    axis 2, ``wrist`` axis 6.
    """
    s = signs
    return urdf(
        [
            ("fixed", *base, (1, 0, 0)),
            ("revolute", (0, 0, 0.2), (0, 0, 0), (0, 0, s[0])),
            ("revolute", (a1, 0.05, 0.3), (0, 0, 0), (0, s[1] * np.cos(tilt), s[1] * np.sin(tilt))),
            ("revolute", (0.01, -0.1, a2), (0, 0, 0), (0, s[2], 0)),
            ("revolute", (0.2, side + 0.05, a3), (0.3, 0, 0), (s[3], 0, 0)),
            ("revolute", (d4 - 0.2, 0, 0), (0.4, 0, 0), (0, s[4], 0)),
            ("revolute", wrist, (0, 0.5, 0), (s[5], 0, 0)),
            ("fixed", (0.07, 0.02, -0.03), (0.1, 0.7, -0.4), (1, 0, 0)),
        ]
    )
