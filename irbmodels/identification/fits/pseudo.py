"""Pseudo-inertia of a body: positive definite exactly if it can exist [Wensing et al. 2018].

``J = [[S, h], [h', m]]`` with the second moments ``S = tr(I)/2 - I`` and the first moments ``h``
about the origin of the frame; linear in ``[m, h, Ixx, Ixy, Iyy, Ixz, Iyz, Izz]``, the order of
``robot.regressor``. A body moved by ``H`` has ``H J H'``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...model.inertia import Inertial
from ...model.types import Array

_ENTRIES = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))


def _basis() -> Array:
    basis = np.zeros((10, 4, 4))
    basis[0, 3, 3] = 1.0
    for k in range(3):
        basis[1 + k, k, 3] = basis[1 + k, 3, k] = 1.0
    for k, (i, j) in enumerate(_ENTRIES, start=4):
        tensor = np.zeros((3, 3))
        tensor[i, j] = tensor[j, i] = 1.0
        basis[k, :3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    basis.setflags(write=False)
    return basis


BASIS = _basis()
"""``J = sum of parameters_k BASIS_k``, shape ``(10, 4, 4)``."""


def pseudo_inertia(parameters: ArrayLike) -> Array:
    """Return ``J`` ``(4, 4)`` of ten parameters."""
    return np.tensordot(np.asarray(parameters, dtype=float), BASIS, axes=1)


def parameters_of(J: Array) -> Array:
    """Return the ten parameters of ``J``."""
    tensor = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
    return np.array([J[3, 3], *J[:3, 3], *(tensor[i, j] for i, j in _ENTRIES)])


def frame_change(pose: Array) -> Array:
    """Return the change of frame of the parameters ``(10, 10)`` by ``other_from_frame``."""
    return np.column_stack([parameters_of(pose @ element @ pose.T) for element in BASIS])


def inertial_of(parameters: ArrayLike) -> Inertial:
    """Return mass, centre of mass, and the tensor about it."""
    mass, *first = np.asarray(parameters, dtype=float)[:4]
    com = np.array(first) / mass
    J = pseudo_inertia(parameters)
    second = J[:3, :3] - mass * np.outer(com, com)
    return Inertial.of(mass, com, np.trace(second) * np.eye(3) - second)
