"""The constant map between axis positions and the joints of a tree: ``q_tree = G q + q0``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

import numpy as np

from ..errors import UrdfError
from .types import Array


@dataclass(frozen=True, eq=False)
class AxisCoupling:
    """Constant map ``q_tree = G q + q0`` from axis positions to the joints of a tree.

    With it ``v_tree = G v``, ``tau = G' tau_tree``, ``M = G' M_tree G``, ``J = J_tree G``.

    ``q`` are axis positions, as the controller shows them; ``q_tree`` has one entry per moving
    joint of the URDF.
    """

    G: Array
    """``(n_tree, n)``, constant."""
    q0: Array
    """``(n_tree,)`` [rad or m]."""
    joints: tuple[str, ...]
    """Names of the tree's moving joints, in its order."""
    axes: tuple[str, ...]
    """Names of the joints that carry the axis positions, in axis order."""

    def __post_init__(self) -> None:
        """Make the shared arrays read-only."""
        for array in (self.G, self.q0):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, object]) -> None:
        """Be read-only again after pickling."""
        vars(self).update(state)
        self.__post_init__()

    @cached_property
    def is_square(self) -> bool:
        """True if there is one tree joint per axis."""
        return bool(self.G.shape[0] == self.G.shape[1])

    @cached_property
    def G_inverse(self) -> Array:
        """Inverse of ``G``, where it is square."""
        inverse: Array = np.asarray(np.linalg.inv(self.G), dtype=float)
        inverse.setflags(write=False)
        return inverse

    def position(self, q: Array) -> Array:
        """Return ``G q + q0`` of one state."""
        tree_q: Array = self.G.dot(q)  # on six numbers the method is twice as fast as the operator
        return tree_q + self.q0 if self._shifted else tree_q

    def velocity(self, v: Array) -> Array:
        """Return ``G v`` of one state; accelerations map alike."""
        tree_v: Array = self.G.dot(v)
        return tree_v

    def torque(self, tau_tree: Array) -> Array:
        """Return ``G' tau_tree`` of one state."""
        tau: Array = self._G_transposed.dot(tau_tree)
        return tau

    @cached_property
    def _G_transposed(self) -> Array:
        return self.G.T

    @cached_property
    def _shifted(self) -> bool:
        return bool(self.q0.any())

    def then(self, axes_from_q: Array) -> AxisCoupling:
        """Return the coupling for positions ``q`` of which this one's are ``axes_from_q @ q``."""
        first = [int(np.flatnonzero(column)[0]) for column in axes_from_q.T]
        axes = tuple(self.axes[row] for row in first)
        return AxisCoupling(self.G @ axes_from_q, self.q0.copy(), self.joints, axes)


def coupling_of(robot: Element, joints: Sequence[str]) -> AxisCoupling:
    """Read the coupling from the ``<mimic>`` tags of a URDF.

    Chains of mimics are followed to their source.

    Args:
        robot: Root element of the URDF.
        joints: Names of the moving joints, in the order of the tree.

    Raises:
        UrdfError: if a mimic names a joint that does not move or does not exist, or mimics go in a
            circle.
    """
    mimics: dict[str, tuple[str, float, float]] = {}
    for joint in robot.iterfind("joint"):
        tag = joint.find("mimic")
        if tag is not None and joint.get("type") != "fixed":
            name, source = str(joint.get("name")), str(tag.get("joint"))
            if source not in joints:
                raise UrdfError(
                    f"joint {name!r} mimics {source!r}, which is not a moving joint of this URDF"
                )
            mimics[name] = (
                source,
                _number(tag, "multiplier", 1.0, name),
                _number(tag, "offset", 0.0, name),
            )
    axes = tuple(name for name in joints if name not in mimics)
    G, q0 = np.zeros((len(joints), len(axes))), np.zeros(len(joints))
    for row, name in enumerate(joints):
        factor, offset, source, passed = 1.0, 0.0, name, [name]
        while source in mimics:
            above, multiplier, shift = mimics[source]
            if above in passed:
                raise UrdfError(f"mimic joints go in a circle: {' -> '.join([*passed, above])}")
            passed.append(above)
            factor, offset, source = factor * multiplier, offset + factor * shift, above
        G[row, axes.index(source)], q0[row] = factor, offset
    return AxisCoupling(G, q0, tuple(joints), axes)


def _number(tag: Element, key: str, default: float, joint: str) -> float:
    text = tag.get(key)
    try:
        value = default if text is None else float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise UrdfError(f"mimic of joint {joint!r}: {key}={text!r} is not a number")
    return value
