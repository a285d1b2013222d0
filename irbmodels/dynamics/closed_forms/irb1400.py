"""Axes 1 to 3 of an arm with a parallelogram in closed form: S003 section 3.1.5, corrected.

Corrections are 3-16 to 3-26 of docs/background/errata.md.

Five bodies move: column (1), lower arm (2), upper arm (3), rod (4) and crank (5). ``theta`` of
S003's section 3 are the controller's axes: both arms have absolute angles, so lower arm and rod
turn with axis 2, upper arm and crank with axis 3, and the couplings of an open chain do not arise.
Bodies are seen in axes that are those of the base at home: x forward, y to the left, z up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite
from ...errors import InputError
from ...model.inertia import Inertial
from ...model.types import Array
from ..oracles import Chain

_LOWER, _UPPER = 1, 2  # indices of link_2 and link_3
# base axes from those of link_2 and link_3 at home
_HOME = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
# of the first three modified DH rows
_ALPHA, _THETA = (0.0, -np.pi / 2, 0.0), (0.0, -np.pi / 2, 0.0)


class MainAxes(NamedTuple):
    """The 18 base parameters of axes 1 to 3, and ``tau = D a + C v + g`` for one state at a time.

    Sums run over the bodies that turn with axis 2, ``i = 2, 4``, and with axis 3, ``i = 3, 5``; ``m
    x``, ``m z`` are first moments from the body's own pin, ``J`` its tensor about the centre of
    mass, ``l2z`` the length of the lower arm, ``l5x`` that of the crank, negative backward. Rotor
    inertias are inside ``column``, ``d22`` and ``d33``. Friction is left out.
    """

    l1x: float
    """Axis 1 to axis 2 [m]."""
    g: float
    """Gravity, positive downward [m/s^2]."""
    column: float
    """Part of d11 that does not change [kg m^2]."""
    sx2: float
    """``m2 x2 + m4 x4`` [kg m]."""
    sz2: float
    """``m2 z2 + m3 l2z + m4 z4`` [kg m]."""
    sx3: float
    """``m3 x3 + m4 l5x + m5 x5`` [kg m]."""
    sz3: float
    """``m3 z3 + m5 z5`` [kg m]."""
    even2: float
    """Of ``cos 2 q2`` in d11 [kg m^2]: ``sum m (x^2 - z^2) + Jzz - Jxx`` / 2, less ``m3 l2z^2``."""
    odd2: float
    """Factor of ``sin 2 q2`` in d11 [kg m^2]: ``sum m x z - Jxz``."""
    even3: float
    """Of ``cos 2 q3`` in d11 [kg m^2]: ``sum m (x^2 - z^2) + Jzz - Jxx`` / 2, and ``m4 l5x^2``."""
    odd3: float
    """Factor of ``sin 2 q3`` in d11 [kg m^2]: ``sum m x z - Jxz``."""
    kss: float
    """``m3 l2z z3`` [kg m^2]."""
    ksc: float
    """``m3 l2z x3 + m4 l5x z4`` [kg m^2]: ERRATA's Bc."""
    kcc: float
    """``m4 l5x x4`` [kg m^2]; Ac is ``kss + kcc``."""
    d22: float
    """``m3 l2z^2 + sum Jyy + m (x^2 + z^2)`` [kg m^2]."""
    d33: float
    """``m4 l5x^2 + sum Jyy + m (x^2 + z^2)`` [kg m^2]."""
    xy2: float
    """``sum m x y - Jxy`` [kg m^2]."""
    yz2: float
    """``m3 l2z y3 + sum m y z - Jyz`` [kg m^2]."""
    xy3: float
    """``m4 l5x y4 + sum m x y - Jxy`` [kg m^2]."""
    yz3: float
    """``sum m y z - Jyz`` [kg m^2]."""

    @staticmethod
    def of(chain: Chain, wrist: ArrayLike = (0.0, 0.0, 0.0)) -> MainAxes:
        """Return the base parameters of an arm, its wrist held still.

        Args:
            chain: The arm as numbers (:func:`irbmodels.exchange.verify.check.chain_of`); its bars
                may weigh nothing.
            wrist: Positions of axes 4 to 6 [rad]. The wrist's bodies, tool and payload then belong
                to the upper arm.

        Raises:
            InputError: if the arm has no parallelogram, hangs askew, or a rotor is turned by two of
                the axes 1 to 3.
        """
        _check_geometry(chain)
        still = np.concatenate([np.zeros(3), finite(wrist, (3,), "positions of the wrist")])
        frames = chain.table.frames(still)
        elbow, length = np.linalg.inv(frames[_UPPER]), float(chain.table.a[_UPPER])
        held = [elbow @ frames[i] for i in range(_UPPER, len(chain.bodies))]
        upper = [
            body.moved(pose[:3, :3], pose[:3, 3])
            for pose, bodies in zip(held, chain.bodies[_UPPER:], strict=True)
            for body in bodies
        ]
        # with axis 2: own body, lever along x of axis 3
        second = [(body, 0.0) for body in chain.bodies[_LOWER]]
        third = [(body, length) for body in upper]  # with axis 3: own body, lever along z of axis 2
        for bar in chain.bars:
            if bar.parallel_to == _LOWER:
                second.append((bar.body, float(bar.pin[1])))
            else:
                third.append((bar.body, 0.0))
        return _base_parameters(
            chain, [(_at_home(b), x) for b, x in second], [(_at_home(b), z) for b, z in third]
        )

    def mass_matrix(self, q: ArrayLike) -> Array:
        """``D`` [kg m^2] at positions of axes 1 to 3 [rad], shape ``(3, 3)`` (eq. 3.55)."""
        _, second, third = finite(q, (3,), "positions of axes 1 to 3")
        c2, s2, c3, s3 = np.cos(second), np.sin(second), np.cos(third), np.sin(third)
        d11 = (
            self.column
            + 2.0 * self.l1x * (self.sx2 * c2 + self.sz2 * s2 + self.sx3 * c3 + self.sz3 * s3)
            + self.even2 * np.cos(2.0 * second)
            + self.odd2 * np.sin(2.0 * second)
            + self.even3 * np.cos(2.0 * third)
            + self.odd3 * np.sin(2.0 * third)
            + 2.0 * (self.kss * s2 * s3 + self.ksc * s2 * c3 + self.kcc * c2 * c3)
        )
        d12, d13 = self.xy2 * s2 - self.yz2 * c2, self.xy3 * s3 - self.yz3 * c3
        d23 = (self.kss + self.kcc) * np.cos(second - third) + self.ksc * np.sin(second - third)
        return np.array([[d11, d12, d13], [d12, self.d22, d23], [d13, d23, self.d33]])

    def coriolis(self, q: ArrayLike, v: ArrayLike) -> Array:
        """``C`` of the Christoffel symbols, shape ``(3, 3)`` (eq. 3.58): ``dD/dt = C + C'``."""
        _, second, third = finite(q, (3,), "positions of axes 1 to 3")
        w1, w2, w3 = finite(v, (3,), "speeds of axes 1 to 3")
        c2, s2, c3, s3 = np.cos(second), np.sin(second), np.cos(third), np.sin(third)
        h2 = (  # half of d d11 / d q2
            self.l1x * (self.sz2 * c2 - self.sx2 * s2)
            - self.even2 * np.sin(2.0 * second)
            + self.odd2 * np.cos(2.0 * second)
            + (self.kss * s3 + self.ksc * c3) * c2
            - self.kcc * s2 * c3
        )
        h3 = (  # half of d d11 / d q3
            self.l1x * (self.sz3 * c3 - self.sx3 * s3)
            - self.even3 * np.sin(2.0 * third)
            + self.odd3 * np.cos(2.0 * third)
            + (self.kss * c3 - self.ksc * s3) * s2
            - self.kcc * c2 * s3
        )
        # d d23 / d q2
        h23 = self.ksc * np.cos(second - third) - (self.kss + self.kcc) * np.sin(second - third)
        d12, d13 = self.xy2 * c2 + self.yz2 * s2, self.xy3 * c3 + self.yz3 * s3  # their derivatives
        return np.array(
            [
                [h2 * w2 + h3 * w3, h2 * w1 + d12 * w2, h3 * w1 + d13 * w3],
                [-h2 * w1, 0.0, -h23 * w3],
                [-h3 * w1, h23 * w2, 0.0],
            ]
        )

    def gravity(self, q: ArrayLike) -> Array:
        """Axis torques that balance gravity [N m], shape ``(3,)`` (eq. 3.59)."""
        _, second, third = finite(q, (3,), "positions of axes 1 to 3")
        g2 = -self.sz2 * np.sin(second) - self.sx2 * np.cos(second)
        g3 = -self.sz3 * np.sin(third) - self.sx3 * np.cos(third)
        return self.g * np.array([0.0, g2, g3])

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Axis torques without friction [N m], shape ``(3,)`` (eq. 3.60)."""
        speed, acceleration = (
            finite(v, (3,), "speeds of axes 1 to 3"),
            finite(a, (3,), "accelerations of axes 1 to 3"),
        )
        return (
            self.mass_matrix(q) @ acceleration + self.coriolis(q, speed) @ speed + self.gravity(q)
        )


def _at_home(body: Inertial) -> Inertial:
    return body.moved(_HOME, np.zeros(3))


def _base_parameters(
    chain: Chain, second: list[tuple[Inertial, float]], third: list[tuple[Inertial, float]]
) -> MainAxes:
    """Sum the bodies of both angles, each with the lever of its pin, into base parameters."""
    l1x = float(chain.table.a[_LOWER])
    total = dict.fromkeys(MainAxes._fields, 0.0) | {"l1x": l1x, "g": -float(chain.gravity[2])}
    total |= zip(("column", "d22", "d33"), _rotors(chain), strict=True)
    for body in chain.bodies[0]:
        x, y, _ = body.com
        total["column"] += float(body.tensor[2, 2] + body.mass * (x * x + y * y))
    # bodies of an axis, the other axis, sign of its even term, parameters of lever m (1, x, y, z)
    levers = (
        (second, "2", "3", 1.0, ("sx3", "kcc", "xy3", "ksc")),
        (third, "3", "2", -1.0, ("sz2", "ksc", "yz2", "kss")),
    )
    for bodies, axis, other, sign, names in levers:
        for body, lever in bodies:
            _add_body(total, body, l1x, axis)
            square = body.mass * lever**2
            total["column"] += square / 2
            total[f"even{other}"] += sign * square / 2
            total[f"d{other}{other}"] += square
            for name, moment in zip(names, (1.0, *body.com), strict=True):
                total[name] += float(lever * body.mass * moment)
    return MainAxes(**total)


def _add_body(total: dict[str, float], body: Inertial, l1x: float, axis: str) -> None:
    """Add the inertia of a body about its own pin to the parameters of its axis."""
    (x, y, z), m, J = body.com, body.mass, body.tensor
    across, upright = m * x * x + J[2, 2], m * z * z + J[0, 0]  # seen from axis 1 at 0 and 90 deg
    total["column"] += float(m * (y * y + l1x**2) + (across + upright) / 2)
    total[f"even{axis}"] += float(across - upright) / 2
    total[f"odd{axis}"] += float(m * x * z - J[0, 2])
    total[f"sx{axis}"] += float(m * x)
    total[f"sz{axis}"] += float(m * z)
    total[f"d{axis}{axis}"] += float(J[1, 1] + m * (x * x + z * z))
    total[f"xy{axis}"] += float(m * x * y - J[0, 1])
    total[f"yz{axis}"] += float(m * y * z - J[1, 2])


def _check_geometry(chain: Chain) -> None:
    table, coupled = chain.table, np.eye(6)
    coupled[_UPPER, _LOWER] = -1.0
    shaped = np.allclose(table.alpha[:3], _ALPHA) and np.allclose(table.theta[:3], _THETA)
    if not np.array_equal(table.A, coupled) or not shaped or table.a[0] or table.d[1:3].any():
        raise InputError(
            "this closed form is that of an arm with a parallelogram, such as the IRB 1400 and 2400"
        )
    if chain.gravity[:2].any():
        raise InputError(
            "this closed form holds on a floor or a ceiling, not under gravity"
            f" {chain.gravity.tolist()}"
        )


def _rotors(chain: Chain) -> list[float]:
    """Return the inertia that rotors add to the diagonal of axes 1 to 3 [kg m^2]."""
    rotors = ((chain.drive_axes.T * chain.rotors) @ chain.drive_axes)[:3, :3]
    if (rotors != np.diag(np.diag(rotors))).any():
        raise InputError(
            "this closed form has one rotor for each of the axes 1 to 3, and none that two of them"
            " turn"
        )
    diagonal: list[float] = np.diag(rotors).tolist()
    return diagonal
