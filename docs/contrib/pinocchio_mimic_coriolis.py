"""Pinocchio: computeCoriolisMatrix of a model with a mimic joint is wrong, without an error.

At any state C(q, v) v = nonLinearEffects(q, v) - computeGeneralizedGravity(q).
"""

import sys

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelManipulator(True)  # its last joint mimics the one before it
q, v = np.full(model.nq, 0.3), np.full(model.nv, 0.5)

wrong = pin.computeCoriolisMatrix(model, model.createData(), q, v) @ v
right = pin.nonLinearEffects(model, model.createData(), q, v)
right = right - pin.computeGeneralizedGravity(model, model.createData(), q)

print("pinocchio", pin.__version__)
print("C v from computeCoriolisMatrix:", wrong.round(4))
print("C v from nonLinearEffects:     ", right.round(4))
sys.exit(not np.allclose(wrong, right))
