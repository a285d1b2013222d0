"""hiqp: inertials of irb4400_description against the meshes of the same links.

Masses [kg], centres of mass [m] and ixy, ixz, iyz [kg m^2] of urdf/links.xacro at commit f87b9f67,
and of meshes/link*.STL, which are closed, at 1000 kg/m^3, in the same frames.
"""

import sys

import numpy as np

FILE = {
    "2_secondbase": (106.0064, (0.0231, 0.02424, 0.28312), (-0.65413, 1.80809, -0.21976)),
    "5_counterweight": (19.39243, (-0.45632, -0.09644, 0.03106), (0.11872, -0.00685, -0.01963)),
    "6_mountarm_back": (3.12307, (-0.1777, -0.2234, 0.46383), (5e-05, 0.00538, -5e-05)),
    "7_mountarm_front": (30.98388, (0.06278, 0.08805, 0.40197), (-0.00037, -0.07709, -0.03347)),
    "8_armlink1": (3.141516, (-0.12332, 0.13239, 0.13886), (0.01672, -0.03383, 0.01887)),
    "9_armlink2": (16.9654, (-0.41969, 0.00412, -0.00114), (0.01369, 0.00051, 0.00016)),
}
MESH = {
    "2_secondbase": (105.6662, (0.0225, 0.0243, 0.2828), (0.65293, -1.79833, 0.21903)),
    "5_counterweight": (19.347, (-0.4562, -0.0964, 0.0310), (-0.11809, 0.06793, 0.01951)),
    "6_mountarm_back": (3.1074, (-0.0179, 0.0223, 0.4643), (-5e-05, -0.00547, 5e-05)),
    "7_mountarm_front": (30.9541, (0.0628, 0.0880, 0.4026), (0.00035, 0.07763, 0.03328)),
    "8_armlink1": (31.3851, (-0.1232, 0.1324, 0.1389), (-0.01641, 0.03355, -0.01886)),
    "9_armlink2": (16.8864, (0.4209, 0.0042, -0.0012), (-0.01352, -0.00057, -0.00016)),
}
faults = 0
for link, numbers in FILE.items():
    for what, own, mesh in zip(("mass", "centre", "products"), numbers, MESH[link], strict=True):
        if np.abs(np.subtract(own, mesh)).max() > 0.03 * np.abs(mesh).max():
            print(f"irb4400_link_{link}: {what} {own}, its mesh {mesh}")
            faults += 1
torque = [
    9.81 * mass * (0.2486 + x) for mass, (x, *_), _ in (FILE["9_armlink2"], MESH["9_armlink2"])
]
print("irb4400_joint_7_8 bears of link 9 at home: {:.1f} N m, right {:.1f}".format(*torque))
sys.exit(faults > 0)
