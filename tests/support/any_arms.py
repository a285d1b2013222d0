"""A three-axis arm that no table knows, as URDF, MJCF and SDF, and logs of it."""

from functools import cache

import numpy as np

import irbmodels as irb
from irbmodels.identification.recordings import Recording

LINKS = {  # mass [kg], centre [m], tensor about it [kg m^2] (xx, yy, zz)
    "column": (8.0, (0.02, 0.01, 0.1), (0.09, 0.08, 0.06)),
    "boom": (5.0, (0.2, 0.0, 0.03), (0.02, 0.09, 0.1)),
    "stick": (2.5, (0.12, 0.02, 0.0), (0.01, 0.03, 0.03)),
}
JOINTS = (  # name, parent, child, origin [m], axis
    ("swing", "base", "column", (0.0, 0.0, 0.3), (0, 0, 1)),
    ("shoulder", "column", "boom", (0.05, 0.0, 0.2), (0, 1, 0)),
    ("elbow", "boom", "stick", (0.45, 0.0, 0.0), (0, 1, 0)),
)
HAND = 0.8  # [kg], a body fixed to the stick, at 0.3 m
Fc, Fv = np.array([4.0, 6.0, 2.0]), np.array([3.0, 5.0, 1.5])
SIGMA = np.array([0.4, 0.5, 0.2])  # [N m] of the noise of torques


def urdf(limits=False, kind="continuous", name="digger"):
    """The arm as URDF; without limits all joints are continuous."""
    lines = [f'<robot name="{name}">', '  <link name="base"/>', "  <!-- three bodies -->"]
    for link, (mass, com, tensor) in LINKS.items():
        entries = " ".join(
            f'{key}="{value}"' for key, value in zip(("ixx", "iyy", "izz"), tensor, strict=True)
        )
        lines += [
            f'  <link name="{link}"><inertial><origin xyz="{_text(com)}"/><mass value="{mass}"/>',
            f'    <inertia {entries} ixy="0" ixz="0" iyz="0"/></inertial></link>',
        ]
    lines += [
        f'  <link name="hand"><inertial><mass value="{HAND}"/>',
        '    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>',
        '  <joint name="wrist" type="fixed"><origin xyz="0.3 0 0"/><parent link="stick"/>',
        '    <child link="hand"/></joint>',
    ]
    bound = '<limit lower="-2.5" upper="2.5" velocity="3" effort="200"/>'
    for joint, parent, child, origin, axis in JOINTS:
        lines += [
            f'  <joint name="{joint}" type="{"revolute" if limits else kind}">',
            f'    <origin xyz="{_text(origin)}"/><axis xyz="{_text(axis)}"/>{bound * limits}',
            f'    <parent link="{parent}"/><child link="{child}"/></joint>',
        ]
    return "\n".join([*lines, "</robot>", ""])


def _text(values):
    return " ".join(map(str, values))


@cache
def truth():
    """The arm that logs are of, with friction that its files do not state."""
    from irbmodels.robot.robot import from_urdf_text

    robot = from_urdf_text(urdf(), "truth.urdf")
    return robot.with_friction(irb.Stribeck(Fc, Fc, Fv, np.ones(3)))


@cache
def log(seed=1, duration=20.0, robot=None):
    """Samples at 200 Hz of a motion with incommensurable harmonics, torques with noise."""
    rng, arm = np.random.default_rng(seed), robot or truth()
    t = np.arange(0.0, duration, 0.005)
    w = 2.0 * np.pi * np.array([0.13, 0.31, 0.57, 0.83])
    amplitude = rng.uniform(0.25, 0.5, (3, 4)) / np.array([1.0, 1.5, 2.5, 3.5])
    angle = w * t[:, None, None] + rng.uniform(0.0, 2.0 * np.pi, (3, 4))
    q = (amplitude * np.sin(angle)).sum(axis=2)
    v = (amplitude * w * np.cos(angle)).sum(axis=2)
    a = -(amplitude * w**2 * np.sin(angle)).sum(axis=2)
    tau = arm.inverse_dynamics(q, v, a) + SIGMA * rng.normal(size=q.shape)
    return Recording(t, q, tau=tau, source="made", synthetic=True)
