"""Pinocchio: getFrameJacobianTimeVariation is wrong behind a mimic joint, except in WORLD.

The frame sits on the last joint without an offset, so that getJointJacobianTimeVariation, which
agrees with differences of the Jacobian, must give the same matrix.
"""

import sys

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelManipulator(True)  # its last joint mimics the one before it
joint = model.njoints - 1
frame = model.addFrame(pin.Frame("here", joint, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
q, v, h = np.full(model.nq, 0.3), np.full(model.nv, 0.5), 1e-6


def jacobian(q, reference):
    """Return the Jacobian of the frame."""
    return pin.computeFrameJacobian(model, model.createData(), q, frame, reference)


print("pinocchio", pin.__version__)
fault = False
for reference in (pin.WORLD, pin.LOCAL, pin.LOCAL_WORLD_ALIGNED):
    data = model.createData()
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.updateFramePlacements(model, data)
    of_frame = pin.getFrameJacobianTimeVariation(model, data, frame, reference)
    of_joint = pin.getJointJacobianTimeVariation(model, data, joint, reference)
    right = (jacobian(q + h * v, reference) - jacobian(q - h * v, reference)) / (2 * h)
    errors = [abs(matrix - right).max() for matrix in (of_joint, of_frame)]
    print(f"{reference}: error of joint {errors[0]:.1e}, of frame {errors[1]:.1e}")
    fault |= errors[1] > 1e-6
sys.exit(int(fault))
