"""URDFs of trees nobody designed: random joints, random chained mimics."""

import numpy as np
import pinocchio as pin


def random_urdf(seed):
    """Return a URDF of 4 to 9 joints: any axis, any branching, fixed ones among them, mimics that
    may chain.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 10))
    links, joints, moving = ['<link name="link_0"/>'], [], []
    for i in range(1, count + 1):
        principal = rng.uniform(0.05, 0.2, 3)
        tensor = np.diag(
            [principal[1] + principal[2], principal[0] + principal[2], principal[0] + principal[1]]
        )
        turn = pin.Quaternion(
            *(lambda x: x / np.linalg.norm(x))(rng.normal(size=4))
        ).toRotationMatrix()
        inertia = turn @ tensor @ turn.T
        values = {
            "xx": (0, 0),
            "yy": (1, 1),
            "zz": (2, 2),
            "xy": (0, 1),
            "xz": (0, 2),
            "yz": (1, 2),
        }
        entries = " ".join(f'i{name}="{inertia[at]}"' for name, at in values.items())
        com = " ".join(map(str, rng.uniform(-0.2, 0.2, 3)))
        links.append(
            f'<link name="link_{i}"><inertial><origin xyz="{com}"/><mass'
            f' value="{rng.uniform(0.5, 5.0)}"/><inertia {entries}/></inertial></link>'
        )
        kind = (
            rng.choice(["revolute", "continuous", "prismatic", "fixed"], p=[0.5, 0.15, 0.2, 0.15])
            if i > 1
            else "revolute"
        )
        axis = rng.normal(size=3)
        mimic = ""
        if kind != "fixed" and moving and rng.random() < 0.45:
            mimic = (
                f'<mimic joint="{rng.choice(moving)}" multiplier="{rng.uniform(-2, 2)}"'
                f' offset="{rng.uniform(-1, 1)}"/>'
            )
        if kind != "fixed":
            moving.append(f"j{i}")
        xyz, rpy = (" ".join(map(str, rng.uniform(-0.5, 0.5, 3))) for _ in range(2))
        joints.append(
            f'<joint name="j{i}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/><parent'
            f' link="link_{rng.integers(0, i)}"/><child link="link_{i}"/><axis'
            f' xyz="{" ".join(map(str, axis / np.linalg.norm(axis)))}"/><limit lower="-3" upper="3"'
            f' effort="100" velocity="5"/>{mimic}</joint>'
        )
    return f'<robot name="random_{seed}">{"".join(links + joints)}</robot>'
