"""An arm under a law in continuous time, integrated to 1e-10, on which error equations are proven."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm


def integrated(slope, x, duration: float, rtol: float = 1e-10) -> Callable[[float], np.ndarray]:
    """Return the solution of ``x' = slope(t, x)`` as a function of time."""
    solution = solve_ivp(
        slope, (0.0, duration), x, method="DOP853", rtol=rtol, atol=0.1 * rtol, dense_output=True
    )
    assert solution.success, solution.message
    return solution.sol


def closed(robot, torque, q, v, duration, wrench=None, rtol=1e-10):
    """Return ``q, v`` over time of an arm under ``torque(t, q, v)``, and of a constant wrench at
    its TCP.
    """
    n = robot.n

    def slope(t, x):
        tau = torque(t, x[:n], x[n:])
        a = robot.forward_dynamics(x[:n], x[n:], tau, friction=False, wrench=wrench)
        return np.concatenate([x[n:], a])

    return integrated(slope, np.concatenate([q, v]), duration, rtol)


def linear(kp, kd, e, rate, t, push=0.0):
    """Return the solution of ``e'' + kd e' + kp e = push`` at ``t``, axis by axis, by the matrix
    exponential.
    """
    A = np.array([[0.0, 1.0], [-kp, -kd]])
    rest = np.broadcast_to(push, np.shape(e)) / kp
    return np.array(
        [(expm(A * t) @ [x - x0, y])[0] + x0 for x, y, x0 in zip(e, rate, rest, strict=True)]
    )
