"""Equality by value of immutable objects that hold arrays and models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np


def are_equal(one: object, other: object) -> bool:
    """Return whether two values are equal: arrays entry by entry, dataclasses field by field.

    NaN of an array equals NaN. Fields with ``compare=False`` do not count.
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(are_equal, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(are_equal(one[key], other[key]) for key in one)
    if is_dataclass(one):
        names = [field.name for field in fields(one) if field.compare]
        return all(are_equal(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other)


class ByValue:
    """Equality by value, for frozen dataclasses that hold arrays (``eq=False``)."""

    def __eq__(self, other: object) -> bool:
        """Return whether all fields are equal."""
        return are_equal(self, other)

    def __hash__(self) -> int:
        """Hash the kind: equal objects have equal hashes."""
        return hash(type(self))
