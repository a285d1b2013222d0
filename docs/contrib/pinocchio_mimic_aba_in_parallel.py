"""Pinocchio: abaInParallel ends the process where aba raises an error: a model with a mimic joint.

The call runs in a process of its own, so that this one can tell how that one ended.
"""

import subprocess
import sys

import numpy as np
import pinocchio as pin

if len(sys.argv) > 1:
    model = pin.buildSampleModelManipulator(True)
    q, v = np.zeros((model.nq, 4)), np.zeros((model.nv, 4))
    pin.abaInParallel(2, pin.ModelPool(model, 2), q, v, v)
    sys.exit(0)

model = pin.buildSampleModelManipulator(True)
print("pinocchio", pin.__version__)
try:
    pin.aba(model, model.createData(), np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv))
except Exception as error:
    print("aba raises", type(error).__name__, "-", str(error).strip().splitlines()[-1])
code = subprocess.run([sys.executable, __file__, "call"], capture_output=True).returncode
print("abaInParallel ends its process with", f"signal {-code}" if code < 0 else f"code {code}")
sys.exit(code < 0)
