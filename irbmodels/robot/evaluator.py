"""Evaluation of queries: by Pinocchio state by state, by a kernel once it is worth compiling."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..compiled.dispatch import Dispatch
from ..compiled.queries import OF_FRAMES, QUERIES, mechanism_for, shapes_of
from ..dynamics.equations_of_motion import parameter_vector
from ..model.model import Model
from ..model.tree import Frame
from ..model.types import Array
from .queries import REFERENCES, reference
from .state_check import StateCheck

if TYPE_CHECKING:
    from ..compiled.kernels import Kernel


MASSLESS = (*OF_FRAMES, "regressor")
"""Queries that need no masses."""


class BoundQuery:
    """One query of one robot, of a model or a frame at states of the same leading axes."""

    def __init__(self, name: str, model: Model, states: StateCheck) -> None:
        """Compile nothing yet."""
        self.name, self.n = name, model.n
        self._model, self._states = model, states
        self._reference = REFERENCES[name]
        self._dispatch = Dispatch()
        self.kernels = self._dispatch.kernels
        """Kernels by model or frame; None where one would be too long to compile."""

    def __call__(self, source: Model | Frame, *states: Array) -> Array:
        """Return the output of a query that has one.

        Args:
            source: Model with or without friction, or frame, that the query is of.
            states: Inputs of the query, shape ``(..., n)`` each, checked.
        """
        first = states[0]
        kernel = self._kernel_for(source, first.size // self.n)
        if first.ndim == 1:
            one: Array = self._reference(source, *states) if kernel is None else kernel(*states)
            return one
        return self._arrays(kernel, source, states)[0]

    def outputs(self, source: Model | Frame, *states: Array) -> list[Array]:
        """Return the outputs of a query that has several; arguments as of a call."""
        kernel = self._kernel_for(source, states[0].size // self.n)
        return [output[()] for output in self._arrays(kernel, source, states)]

    def _kernel_for(self, source: Model | Frame, count: int) -> Kernel | None:
        """Count states; return the kernel of a source if it is in use or worth it from now on."""
        is_point = isinstance(source, Frame) and source.point is not None
        key = None if is_point else source
        return self._dispatch.kernel(key, count, lambda: self._make(source), remember=not is_point)

    def _arrays(
        self, kernel: Kernel | None, source: Model | Frame, states: tuple[Array, ...]
    ) -> list[Array]:
        flat = [state.reshape(-1, self.n) for state in states]
        if kernel is not None:
            rows = kernel.rows(*flat)
            outputs = rows if isinstance(rows, tuple) else (rows,)
        else:
            value = reference(self.name, source)
            values = [value(*state) for state in zip(*flat, strict=True)]
            outputs = tuple(
                np.array([value[i] for value in values], dtype=float)
                for i in range(len(self._shapes))
            )
        leading = states[0].shape[:-1]
        return [
            output.reshape((*leading, *shape))
            for output, shape in zip(outputs, self._shapes, strict=True)
        ]

    def _make(self, source: Model | Frame) -> Kernel:
        from ..compiled.kernels import query_kernel

        kernel = query_kernel(self.name, mechanism_for(self.name, source))
        squares = dict(zip(("q", "v", "a"), self._states.squares, strict=True))
        inputs = QUERIES[self.name].inputs
        kernel.limit(*(squares.get(name, sys.float_info.max) for name in inputs))
        return kernel

    @cached_property
    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        return shapes_of(self.name, self.n, parameter_vector(self._model).size)


class RefusedQuery(BoundQuery):
    """A query of an arm whose masses are unknown."""

    def __call__(self, source: Model | Frame, *states: Array) -> Array:
        """Raise :class:`MissingData`."""
        self._model.need_masses()
        return super().__call__(source, *states)

    def outputs(self, source: Model | Frame, *states: Array) -> list[Array]:
        """Raise :class:`MissingData`."""
        self._model.need_masses()
        return super().outputs(source, *states)


class Evaluator(NamedTuple):
    """The queries of one robot, and its model without and with friction."""

    models: tuple[Model, Model]
    """Indexed by whether friction is included."""
    inverse_dynamics: BoundQuery
    forward_dynamics: BoundQuery
    mass_matrix: BoundQuery
    coriolis: BoundQuery
    gravity: BoundQuery
    energy: BoundQuery
    regressor: BoundQuery
    inverse_dynamics_derivatives: BoundQuery
    pose: BoundQuery
    jacobian: BoundQuery
    hessian: BoundQuery

    @classmethod
    def of(cls, model: Model, states: StateCheck) -> Evaluator:
        """Bind every query to a model."""
        queries = [
            (BoundQuery if model.has_masses or name in MASSLESS else RefusedQuery)(
                name, model, states
            )
            for name in cls._fields[1:]
        ]
        return cls((replace(model, friction=None), model), *queries)
