"""Arms of the shipped data sheets: lengths and ranges typed apart from them, and their kinematics.

Numbers are those of RobotComponents, robotkinematicscatalogue, ROS-Industrial and ABB's manuals,
which the data sheets name by row. Nothing here calls the package.
"""

import numpy as np

LENGTHS = {  # d1, a1, a2, a3, d4, d6 [mm]
    "irb120_3_58": (290, 0, 270, 70, 302, 72),
    "irb120t_3_58": (290, 0, 270, 70, 302, 72),
    "irb140_6_81": (352, 70, 360, 0, 380, 65),
    "irb140t_6_81": (352, 70, 360, 0, 380, 65),
    "irb1100_4_475": (327, 0, 225, 10, 250, 64),
    "irb1100_4_58": (327, 0, 280, 10, 300, 64),
    "irb1200_5_90": (399.1, 0, 448, 42, 451, 82),
    "irb1200_7_70": (399.1, 0, 350, 42, 351, 82),
    "irb1300_7_140": (544, 150, 575, 40, 675, 90),
    "irb1300_10_115": (544, 150, 575, 40, 425, 90),
    "irb1300_11_90": (544, 50, 425, 40, 425, 90),
    "irb1410_5_144": (475, 150, 600, 120, 720, 85),
    "irb2600_20_165": (445, 150, 700, 115, 795, 85),
    "irb2600_12_165": (445, 150, 700, 115, 795, 85),
    "irb2600_12_185": (445, 150, 900, 115, 795, 85),
    "irb4400_60_196": (680, 200, 890, 150, 880, 140),
    "irb4400_l30_243": (680, 200, 890, 150, 1380, 140),
    "irb4600_20_250": (495, 175, 1095, 175, 1230.5, 85),
    "irb4600_40_255": (495, 175, 1095, 175, 1270, 135),
    "irb4600_45_205": (495, 175, 900, 175, 960, 135),
    "irb4600_60_205": (495, 175, 900, 175, 960, 135),
    "irb52_7_120": (486.5, 150, 475, 0, 600, 65),
    "irb52_7_145": (486.5, 150, 700, 0, 600, 65),
    "irb6620_150_220": (680, 320, 975, 200, 887, 200),
    "irb6640_180_255": (780, 320, 1075, 200, 1142.5, 200),
    "irb6640_185_280": (780, 320, 1075, 200, 1392.5, 200),
    "irb6640_235_255": (780, 320, 1075, 200, 1142.5, 200),
    "irb6660_130_310": (814.5, 300, 1280, 280, 1505.5, 200),
    "irb6660_205_190": (814.5, 300, 700, 280, 893, 200),
    "irb6700_150_320": (780, 320, 1280, 200, 1592.5, 200),
    "irb6700_155_285": (780, 320, 1125, 200, 1392.5, 200),
    "irb6700_175_305": (780, 320, 1135, 200, 1592.5, 200),
    "irb6700_200_260": (780, 320, 1125, 200, 1142.5, 200),
    "irb6700_205_280": (780, 320, 1280, 200, 1182.5, 200),
    "irb6700_235_265": (780, 320, 1135, 200, 1182.5, 200),
    "irb7600_150_350": (780, 410, 1075, 165, 2012, 250),
    "irb7600_340_280": (780, 410, 1075, 165, 1306, 250),
    "irb7600_400_255": (780, 410, 1075, 165, 1056, 250),
    "irb7600_500_255": (780, 410, 1075, 165, 1056, 250),
    "irb8700_550_420": (1000, 420, 1580, 310, 2175, 310),
    "irb8700_800_350": (1000, 420, 1580, 310, 1475, 310),
}
RANGES = {  # axes 1 to 6 [deg]; of arms with bars that of q3 - q2, but for those in BETWEEN
    "irb120": ((-165, 165), (-110, 110), (-110, 70), (-160, 160), (-120, 120), (-400, 400)),
    "irb140": ((-180, 180), (-90, 110), (-230, 50), (-200, 200), (-115, 115), (-400, 400)),
    "irb1100": ((-230, 230), (-115, 113), (-205, 55), (-230, 230), (-125, 120), (-400, 400)),
    "irb1200_5": ((-170, 170), (-100, 130), (-200, 70), (-270, 270), (-130, 130), (-400, 400)),
    "irb1200_7": ((-170, 170), (-100, 135), (-200, 70), (-270, 270), (-130, 130), (-400, 400)),
    "irb1300_7": ((-180, 180), (-95, 155), (-210, 69), (-230, 230), (-130, 130), (-400, 400)),
    "irb1300_10": ((-180, 180), (-95, 155), (-210, 65), (-230, 230), (-130, 130), (-400, 400)),
    "irb1300_11": ((-180, 180), (-100, 130), (-210, 65), (-230, 230), (-130, 130), (-400, 400)),
    "irb1410": ((-170, 170), (-70, 70), (-65, 70), (-150, 150), (-115, 115), (-300, 300)),
    "irb2600": ((-180, 180), (-95, 155), (-180, 75), (-400, 400), (-120, 120), (-400, 400)),
    "irb4400": ((-165, 165), (-70, 95), (-60, 65), (-200, 200), (-120, 120), (-400, 400)),
    "irb4600": ((-180, 180), (-90, 150), (-180, 75), (-400, 400), (-125, 120), (-400, 400)),
    "irb52_7_120": ((-180, 180), (-63, 110), (-235, 55), (-200, 200), (-115, 115), (-400, 400)),
    "irb52_7_145": ((-180, 180), (-90, 120), (-245, 65), (-200, 200), (-115, 115), (-400, 400)),
    "irb6620": ((-170, 170), (-65, 140), (-180, 70), (-300, 300), (-130, 130), (-300, 300)),
    "irb6640": ((-170, 170), (-65, 85), (-180, 70), (-300, 300), (-120, 120), (-360, 360)),
    "irb6660": ((-180, 180), (-42, 85), (-20, 120), (-300, 300), (-120, 120), (-360, 360)),
    "irb6700": ((-170, 170), (-65, 85), (-180, 70), (-300, 300), (-130, 130), (-360, 360)),
    "irb7600": ((-180, 180), (-60, 85), (-180, 60), (-300, 300), (-100, 100), (-360, 360)),
    "irb8700": ((-170, 170), (-65, 90), (-30, 132), (-300, 300), (-130, 130), (-360, 360)),
}
# largest distance of the wrist centre from axis 1 [mm] by a grid of 1001 x 1001 postures over the
# ranges of axes 2 and 3, computed apart from this package; of IRB 14000 by a search over axes 2, 3
# and 7, from axis 1 at the shoulder to axis 4 at the wrist
REACH = {
    "irb120_3_58": 580.0, "irb120t_3_58": 580.0, "irb140_6_81": 810.0, "irb140t_6_81": 810.0,
    "irb1100_4_475": 475.2, "irb1100_4_58": 580.2, "irb1200_5_90": 901.0, "irb1200_7_70": 703.5,
    "irb1300_7_140": 1401.2, "irb1300_10_115": 1151.9, "irb1300_11_90": 901.9,
    "irb1410_5_144": 1443.7,
    "irb2600_20_165": 1653.3, "irb2600_12_165": 1653.3, "irb2600_12_185": 1853.3,
    "irb4400_60_196": 1954.7, "irb4400_l30_243": 2431.5, "irb4600_20_250": 2512.9,
    "irb4600_40_255": 2552.0, "irb4600_45_205": 2050.8, "irb4600_60_205": 2050.8,
    "irb52_7_120": 1225.0, "irb52_7_145": 1450.0, "irb6620_150_220": 2204.3,
    "irb6660_130_310": 3101.8, "irb6660_205_190": 1933.2,
    "irb6640_180_255": 2550.8, "irb6640_185_280": 2797.7, "irb6640_235_255": 2550.8,
    "irb6700_150_320": 3200.1,
    "irb6700_155_285": 2847.5, "irb6700_175_305": 3055.7, "irb6700_200_260": 2600.6,
    "irb6700_205_280": 2794.4, "irb6700_235_265": 2650.0, "irb910sc_3_45": 450.0,
    "irb910sc_3_55": 550.0, "irb910sc_3_65": 650.0, "irb1400": 1443.7, "irb1600_6_120": 1225.0,
    "irb1600_6_145": 1450.0, "irb1600_10_120": 1225.0, "irb1600_10_145": 1450.0,
    "irb2400_10": 1550.0, "irb2400_16": 1550.0, "irb930_12_105": 1050.0, "irb930_22_105": 1050.0,
    "irb930_12_085": 850.0, "crb15000_5_95": 950.9, "crb15000_10_152": 1521.7,
    "crb15000_12_127": 1273.8, "irb7600_150_350": 3499.7, "irb7600_340_280": 2797.3,
    "irb7600_400_255": 2549.7, "irb7600_500_255": 2549.7,
    "irb260_30_150": 1528.9, "irb460_110_240": 2403.4, "irb660_180_315": 3150.1,
    "irb660_250_315": 3150.1, "irb760_450_320": 3180.1,
    "irb8700_550_420": 4197.0, "irb8700_800_350": 3507.2,
    "irb14000_left": 559.3, "irb14000_right": 559.3,
}  # fmt: skip
BETWEEN = {
    **{"irb6660_130_310": 70.0, "irb6660_205_190": 70.0},
    **{"irb8700_550_420": 67.0, "irb8700_800_350": 67.0},
}
"""Largest ``|q3 - q2|`` [deg] of arms with a range of q3 itself; IRB 8700 by its upper bound alone."""
BARS = ("irb1410_5_144", "irb4400_60_196", "irb4400_l30_243", *BETWEEN)  # with a parallelogram
SCARA_ARMS = {  # [mm]; IRB 910SC
    "irb910sc_3_45": (200, 250),
    "irb910sc_3_55": (300, 250),
    "irb910sc_3_65": (400, 250),
}
PALLETIZERS = {  # d1, a1, a2, a3, a4, d5, crank [mm]; the cranks of IRB 260 and 760 are assumed
    "irb260": (615, 100, 705, 650, 120, 181, 180),
    "irb460": (742.5, 260, 945, 1025, 220, 251.5, 400),
    "irb660": (800, 300, 1280, 1350, 260, 247, 500),
    "irb760": (814.5, 300, 1280, 1350, 290, 270, 500),
}
FIRST = tuple({name.partition("_")[0].rstrip("t"): name for name in reversed(LENGTHS)}.values())[
    ::-1
]
"""One variant of every family of six axes."""
_AXES = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]], float)
_TOOL0 = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], float)  # z ahead, x down at home


def ranges(name):
    """Return lower and upper bounds of axes 1 to 6 [rad], shape ``(6, 2)``."""
    key = max((key for key in RANGES if name.startswith(key)), key=len)
    return np.radians(RANGES[key])


def positions(name, count, seed=0):
    """Return random axis positions within the ranges [rad], ``(count, 6)``."""
    low, high = ranges(name).T
    rng = np.random.default_rng(seed)
    if name in BETWEEN:
        q = rng.uniform(low, high, (4 * count, 6))
        return q[np.abs(q[:, 2] - q[:, 1]) <= np.radians(BETWEEN[name])][:count]
    q = rng.uniform(low, high, (count, 6))
    if name in BARS:
        q[:, 2] += q[:, 1]
    return q


def chain_angles(name, q):
    """Return angles about the six joints, one after the other: axis 3 counted from axis 2."""
    angles = np.array(q, dtype=float)
    if name in BARS:
        angles[..., 2] -= angles[..., 1]
    return angles


def chain(lengths, angles):
    """Return rotation and position of tool0, its Jacobian, and the joints' origins.

    Args:
        lengths: As in ``LENGTHS``; a seventh, d3, sets axis 3 and all beyond aside, to +y at home.
        angles: Of the chain [rad], ``(N, 6)``.
    """
    d1, a1, a2, a3, d4, d6, *rest = np.array(lengths) / 1000.0
    d3 = sum(rest)
    steps = [(0, 0, 0), (a1, 0, d1), (0, d3, a2), (d4, 0, a3), (0, 0, 0), (0, 0, 0)]
    count = len(angles)
    R, p = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    axes, origins = [], []
    for axis, step, angle in zip(_AXES, steps, angles.T, strict=True):
        p = p + R @ np.array(step, dtype=float)
        axes.append(R @ axis)
        origins.append(p)
        x, y, z = axis
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
        R = R @ (np.eye(3) + sine * cross + (1.0 - cosine) * cross @ cross)  # Rodrigues
    p = p + R @ np.array([d6, 0.0, 0.0])
    linear = [np.cross(axis, p - origin) for axis, origin in zip(axes, origins, strict=True)]
    J = np.concatenate([np.stack(linear, -1), np.stack(axes, -1)], axis=1)
    return R @ _TOOL0, p, J, np.stack(origins, 1)


def poses(name, q):
    """Return tool0 in the base ``(N, 4, 4)`` for axis positions ``(N, 6)``."""
    T = np.tile(np.eye(4), (len(q), 1, 1))
    T[:, :3, :3], T[:, :3, 3], _, _ = chain(LENGTHS[name], chain_angles(name, q))
    return T


def rotation_vector(R):
    """Return axis times angle of rotations ``(N, 3, 3)``."""
    angle = np.arccos(np.clip((np.trace(R, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0))
    v = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1) / 2
    sine = np.linalg.norm(v, axis=1)
    return v * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 1.0)[:, None]


def wrapped(angles):
    """Return angles without full turns, -pi to pi."""
    return (np.asarray(angles) + np.pi) % (2.0 * np.pi) - np.pi
