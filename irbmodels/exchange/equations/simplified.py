"""Formulas simplified for reading, where those of the kernels are recursions from link to link."""

from __future__ import annotations

from ...compiled.spatial import Vector, dot
from ...compiled.symbolic import Dynamics
from ...compiled.trace import Scalar


class SimplifiedDynamics(Dynamics):
    """The same functions of the same constants, gravity from poses in the base."""

    def potential_energy(self) -> Scalar:
        """Return the potential energy of the bodies; 0 for a mass at the base's origin."""
        return -dot(self.gravity_vector, self.first_moment())

    def weight(self) -> Vector:
        """Return the torques of the weight, the gradient of its potential energy."""
        return self.weight_gradient()
