"""Two masses and a spring written down from S003 eq. 3.71 with its misprints corrected, and
integrated by SciPy's ODE solver.

Shares no equations with irbmodels: it gives the fits of flexible joints their data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from irbmodels.simulation.flexible import Drive, OneAxis

N = 118.461539  # gear ratio, S003 section 3.3.2


class Joint(NamedTuple):
    """Rotor and its friction (motor side); link, spring, damping of gear and friction of link (arm
    side).
    """

    Jm: float = 5.9e-4  # S003 Table 3.1
    Ja: float = 5.2e-2 * N  # Table 3.1 read such that energy is conserved
    k: float = 677.2 * N
    fm: float = 1.3e-2
    d: float = 0.0
    fa: float = 0.0
    n: float = N

    def rates(self, x, torque, push=0.0):
        """Time derivatives of motor angle and speed, link angle and speed; ``push`` is a torque on
        the link.
        """
        a, b = x[0] / self.n - x[2], x[1] / self.n - x[3]
        spring = self.k * a + self.d * b
        motor = (torque - self.fm * x[1] - spring / self.n) / self.Jm
        return np.array([x[1], motor, x[3], (spring - self.fa * x[3] + push) / self.Ja])

    @property
    def frequencies(self):
        """Antiresonance and resonance [Hz], undamped."""
        motor = self.Jm * self.n**2
        return np.sqrt([self.k / self.Ja, self.k * (1 / self.Ja + 1 / motor)]) / (2 * np.pi)


def step_map(joint, step, hold="zero"):
    """What one step does to the state (4, 4), and what torque and push do (4, 2), or a torque and
    its growth (4, 2).
    """
    inputs = {
        "zero": [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0)],
        "linear": [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
    }[hold]

    def after(x0, constant, growing, push):
        def f(t, x):
            return joint.rates(x, constant + growing * t / step, push)

        return solve_ivp(f, (0.0, step), x0, "DOP853", rtol=1e-13, atol=1e-16).y[:, -1]

    free = np.array([after(e, 0.0, 0.0, 0.0) for e in np.eye(4)]).T
    return free, np.array([after(np.zeros(4), *each) for each in inputs]).T


def recorded(
    joint, torque, step, *, hold="zero", disturbance=None, push=None, start=(0.0, 3.0, 0.0, -0.01)
):
    """States (N, 4, R) at the samples; ``disturbance`` (N, R) adds to the motor's torque unseen,
    ``push`` to the link's.
    """
    torque = np.asarray(torque)[:, None] + (0.0 if disturbance is None else disturbance)
    free, driven = step_map(joint, step, hold)
    second = (
        np.diff(torque, axis=0, append=torque[-1:]) if hold == "linear" else np.zeros_like(torque)
    )
    second = second if push is None else push
    states = np.empty((len(torque), 4, torque.shape[1]))
    x = np.repeat(np.array(start)[:, None], torque.shape[1], axis=1)
    for i in range(len(torque)):
        states[i] = x
        x = free @ x + driven @ np.array([torque[i], second[i]])
    return states


def sines(count, step, seed=0, low=1.0, high=60.0, amplitude=0.12, spacing=0.37):
    """Torques [N m]: sines with random phases."""
    f = np.arange(low, high, spacing)
    phase = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, f.size)
    return amplitude * np.cos(2.0 * np.pi * np.outer(step * np.arange(count), f) + phase).sum(
        axis=1
    )


def axis_of(joint):
    """Return the model of a joint that is to be found."""
    drive = Drive(joint.k, joint.Jm, joint.n, viscous=joint.fm, damping=joint.d, bearing=joint.fa)
    return OneAxis(drive, joint.Ja)
