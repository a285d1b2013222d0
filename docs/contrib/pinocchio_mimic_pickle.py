"""Pinocchio: a model with a mimic joint does not survive pickle, and crashes what uses the copy.

The copy says that it equals the model, but the mimic joint's nvExtended is -1.
"""

import pickle
import subprocess
import sys

import numpy as np
import pinocchio as pin

model = pin.buildSampleModelManipulator(True)  # its last joint mimics the one before it
copy = pickle.loads(pickle.dumps(model))
if len(sys.argv) > 1:
    pin.rnea(copy, copy.createData(), *(np.zeros(n) for n in (model.nq, model.nv, model.nv)))
    sys.exit(0)

print("pinocchio", pin.__version__)
print("equal:", copy == model)
extended = [[joint.nvExtended for joint in one.joints][-1] for one in (model, copy)]
print("nvExtended of the mimic joint: before", extended[0], "after", extended[1])
code = subprocess.run([sys.executable, __file__, "call"], capture_output=True).returncode
print("rnea of the copy ends its process with", f"signal {-code}" if code < 0 else f"code {code}")
sys.exit(extended[0] != extended[1] or code < 0)
