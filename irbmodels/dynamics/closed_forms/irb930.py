"""A SCARA in closed form (S004 eq. 40-43, corrected: docs/background/errata.md, 4-13 to 4-18).

Inner arm, outer arm and tool turn about vertical axes with the absolute speeds ``w = v1``, ``u = v1
+ v2`` and ``s = v1 + v2 - v4``; axis 3 moves quill and tool up and down and meets no other. So with
``T = [[1, 0, 0], [1, 1, 0], [1, 1, -1]]`` the matrices of axes 1, 2 and 4 are ``T' M_abs T`` and
``T' C_abs T`` of three bodies with absolute angles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite
from ...errors import InputError
from ...model.types import Array
from ..oracles import Chain

# w, u, s from v
_TURNING = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, -1.0]])
_UPRIGHT = (0.0, 0.0, 0.0, np.pi)  # alpha of the modified DH rows: the tool's z points down


class Scara(NamedTuple):
    """The 8 base parameters of a SCARA, and ``tau = M a + C v + g`` for one state at a time.

    Centres of mass ``c``, ``x``, ``y`` are seen from above, from the link's own axis with its arm
    along x; ``I`` are moments about the vertical through them. ``q3`` counts upward (S004's d3
    downward), ``q4`` about the tool's z, downward. Friction is left out.
    """

    a1: float
    """Inner arm [m]."""
    a2: float
    """Outer arm [m]."""
    g: float
    """Gravity, positive downward [m/s^2]."""
    p1: float
    """``I1 + m1 |c1|^2 + (m2 + m3 + m4) a1^2`` [kg m^2]."""
    p2: float
    """``I2 + m2 |c2|^2 + I3 + m3 |(a2 + x3, y3)|^2 + m4 a2^2`` [kg m^2]."""
    px: float
    """``m2 x2 + m3 (a2 + x3) + m4 a2`` [kg m]."""
    py: float
    """``m2 y2 + m3 y3`` [kg m]."""
    p4: float
    """``I4 + m4 |c4|^2`` [kg m^2]."""
    mx4: float
    """``m4 x4`` [kg m]."""
    my4: float
    """``m4 y4`` [kg m]."""
    m34: float
    """``m3 + m4`` [kg]."""
    rotors: Array
    """Inertia that the rotors add to the mass matrix, ``(4, 4)``; no base parameters."""

    @staticmethod
    def of(chain: Chain) -> Scara:
        """Return the base parameters of an arm, tool and payload included.

        Args:
            chain: The arm as numbers, see :func:`irbmodels.exchange.verify.check.chain_of`.

        Raises:
            InputError: if the arm is no SCARA, or does not stand upright.
        """
        table = chain.table
        pattern = table.prismatic.tolist() == [False, False, True, False]
        if (
            not pattern
            or not np.allclose(table.alpha, _UPRIGHT)
            or table.theta.any()
            or table.a[[0, 3]].any()
        ):
            raise InputError(
                "this closed form is that of a SCARA such as the IRB 930: axes 1, 2, 4 vertical,"
                " axis 3 a slide"
            )
        if not np.array_equal(table.A, np.eye(4)) or chain.gravity[:2].any():
            raise InputError(
                "this closed form holds for an upright SCARA whose axes are not coupled"
            )
        a1, a2 = float(table.a[1]), float(table.a[2])
        # per link: mass, first moments, moment about its own axis
        m, mx, my, about = (np.zeros(4) for _ in range(4))
        for i, bodies in enumerate(chain.bodies):
            for body in bodies:
                x, y, _ = body.com
                m[i] += body.mass
                mx[i] += body.mass * x
                my[i] += body.mass * y
                about[i] += body.tensor[2, 2] + body.mass * (x * x + y * y)
        my[3] = -my[3]  # the tool's z points down
        return Scara(
            a1=a1,
            a2=a2,
            g=-float(chain.gravity[2]),
            p1=float(about[0] + (m[1] + m[2] + m[3]) * a1**2),
            p2=float(about[1] + about[2] + 2.0 * a2 * mx[2] + (m[2] + m[3]) * a2**2),
            px=float(mx[1] + mx[2] + (m[2] + m[3]) * a2),
            py=float(my[1] + my[2]),
            p4=float(about[3]),
            mx4=float(mx[3]),
            my4=float(my[3]),
            m34=float(m[2] + m[3]),
            rotors=(chain.drive_axes.T * chain.rotors) @ chain.drive_axes,
        )

    def mass_matrix(self, q: ArrayLike) -> Array:
        """``M`` [kg m^2, kg], shape ``(4, 4)``.

        With ``A = a1 (px c2 - py s2)``, ``B = a1 (mx4 cos(q2 - q4) - my4 sin(q2 - q4))``, ``K = a2
        (mx4 c4 + my4 s4)``: M11 = p1 + p2 + p4 + 2 (A + B + K), M12 = p2 + p4 + A + B + 2 K, M14 =
        -(p4 + B + K), M22 = p2 + p4 + 2 K, M24 = -(p4 + K), M44 = p4, M33 = m34, the rest 0.
        """
        _, second, _, fourth = finite(q, (4,), "axis positions")
        A = self.a1 * (self.px * np.cos(second) - self.py * np.sin(second))
        B = self.a1 * (self.mx4 * np.cos(second - fourth) - self.my4 * np.sin(second - fourth))
        K = self.a2 * (self.mx4 * np.cos(fourth) + self.my4 * np.sin(fourth))
        absolute = np.array([[self.p1, A, B], [A, self.p2, K], [B, K, self.p4]])
        M: Array = _TURNING.T @ absolute @ _TURNING + self.rotors
        M[2, 2] += self.m34
        return M

    def coriolis(self, q: ArrayLike, v: ArrayLike) -> Array:
        """``C`` of the Christoffel symbols, shape ``(4, 4)``: ``dM/dt = C + C'``."""
        _, second, _, fourth = finite(q, (4,), "axis positions")
        w, u, s = _TURNING @ finite(v, (4,), "axis speeds")
        # by the angle between the two bodies
        dA = -self.a1 * (self.px * np.sin(second) + self.py * np.cos(second))
        dB = -self.a1 * (self.mx4 * np.sin(second - fourth) + self.my4 * np.cos(second - fourth))
        dK = self.a2 * (self.mx4 * np.sin(fourth) - self.my4 * np.cos(fourth))  # that angle is -q4
        absolute = np.array(
            [[0.0, dA * u, dB * s], [-dA * w, 0.0, dK * s], [-dB * w, -dK * u, 0.0]]
        )
        C: Array = _TURNING.T @ absolute @ _TURNING
        return C

    def gravity(self, q: ArrayLike) -> Array:
        """Axis torques that balance gravity [N m, N], ``(4,)``: the weight of the quill."""
        finite(q, (4,), "axis positions")
        return np.array([0.0, 0.0, self.m34 * self.g, 0.0])

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Axis torques without friction [N m, N], shape ``(4,)``."""
        speed, acceleration = finite(v, (4,), "axis speeds"), finite(a, (4,), "axis accelerations")
        return (
            self.mass_matrix(q) @ acceleration + self.coriolis(q, speed) @ speed + self.gravity(q)
        )
