"""Pinocchio: crba adds to data.M, instead of writing it, where a joint follows a mimic joint.

Two calls with one Data at the same position must give the same mass matrix; so must both
conventions. LOCAL, the default in Python, does not.
"""

import sys

import numpy as np
import pinocchio as pin

model, offset = pin.Model(), pin.SE3(np.eye(3), np.array([1.0, 0.0, 0.2]))
body = pin.Inertia(1.0, np.array([0.3, 0.0, 0.1]), np.diag([0.02, 0.03, 0.04]))
for parent, name in enumerate(("first", "second", "third")):
    joint = model.addJoint(parent, pin.JointModelRY(), offset, name)
    model.appendBodyToJoint(joint, body, pin.SE3.Identity())
model = pin.transformJointIntoMimic(model, 1, 2, 1.0, 0.0)  # the second mimics the first

q, data = np.full(model.nq, 0.3), model.createData()
once, twice = pin.crba(model, data, q).copy(), pin.crba(model, data, q).copy()
right = pin.crba(model, model.createData(), q, pin.Convention.WORLD)

print("pinocchio", pin.__version__)
for what, M in (("LOCAL, once", once), ("LOCAL, twice", twice), ("WORLD", right)):
    print(f"{what}:", M.round(4).tolist())
sys.exit(not np.allclose(twice, right))
