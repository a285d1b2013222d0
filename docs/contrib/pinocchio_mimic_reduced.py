"""Pinocchio: buildReducedModel cannot lock a joint that another one mimics.

Both then stand still; any other joint can be locked, the mimic joint too.
"""

import sys

import pinocchio as pin

model = pin.buildSampleModelManipulator(True)  # its last joint mimics the one before it
q = pin.neutral(model)

print("pinocchio", pin.__version__)
fault = False
for joint in (model.njoints - 3, model.njoints - 1, model.njoints - 2):
    try:
        result = f"{pin.buildReducedModel(model, [joint], q).nv} degrees of freedom left"
    except Exception as error:
        result, fault = f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}", True
    print(f"{model.names[joint]} locked: {result}")
sys.exit(int(fault))
