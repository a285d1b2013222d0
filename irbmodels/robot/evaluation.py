"""What every query needs: a model, checks of what comes in, and who answers: Pinocchio, or machine code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import (
    as_bool,
    as_choice,
    as_int,
    finite,
    map_states,
)
from ..compiled.dispatch import Dispatch
from ..errors import require
from ..model.friction import Stribeck
from ..model.inertia import Inertial
from ..model.limits import Limits, Violation
from ..model.model import Model, load_on_flange
from ..model.tool import Tool
from ..model.tree import Frame, Tree
from ..model.types import Array, Mask
from .state_check import StateCheck

if TYPE_CHECKING:
    from ..compiled.kernels import Kernel, Kernels


class Asking:
    """A model in axis positions, without a question yet."""

    name: str
    tool: Tool | None
    payload: Inertial | None
    _bare: Tree
    """Without tool and payload."""
    dynamic_model: Model

    @cached_property
    def states(self) -> StateCheck:
        """Checks of what comes in: shapes, finite values, units."""
        return StateCheck(self.name, self.dynamic_model)

    @cached_property
    def n(self) -> int:
        """Number of axes."""
        return self.dynamic_model.n

    @property
    def limits(self) -> Limits:
        """Ranges (the coupled one included), speeds and efforts.

        The last are assumed for every ABB robot here.
        """
        return self.dynamic_model.limits

    @property
    def friction_model(self) -> Stribeck | None:
        """Friction law with its parameters, or None where nobody has published any."""
        return self.dynamic_model.friction

    @property
    def rotors(self) -> Array:
        """Rotor inertias in use, arm side [kg m^2, kg], shape ``(n,)``.

        Zero unless :meth:`with_rotors` was called.
        """
        return self.dynamic_model.rotors

    @property
    def rotor_axes(self) -> Array:
        """How the axes turn each rotor, in turns of its own axis, shape ``(n, n)``."""
        return self.dynamic_model.rotor_axes

    def from_controller(self, position: ArrayLike) -> Array:
        """Return ``q`` [rad, m] for positions as the controller shows them [deg, mm], shape ``(..., n)``.

        Raises:
            InputError: if one position has the wrong shape, is not finite, or is far outside every
                range.
        """
        return self.states.from_controller(position)

    def to_controller(self, q: ArrayLike) -> Array:
        """Return positions as the controller shows them [deg, mm] for ``q`` [rad, m], shape ``(..., n)``."""
        position = self.states.position(q)
        return np.where(self.limits.linear, position * 1000.0, np.degrees(position))

    def in_range(self, q: ArrayLike) -> Mask:
        """Whether every range is kept, the coupled one of axis 3 included, shape ``(...)``."""
        return self.limits.in_range(self.states.position(q))

    def violations(
        self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> list[Violation]:
        """Return every bound on position, speed [rad/s] or torque [N m] that one state does not keep, and on what is carried."""
        speed = None if v is None else finite(v, (self.n,), "v")
        torque = None if tau is None else finite(tau, (self.n,), "tau")
        return [*self.limits.violations(self.states.one(q), speed, torque), *self.overload]

    @cached_property
    def overload(self) -> tuple[Violation, ...]:
        """Bounds on mass and, where a load diagram is known, moments of inertia that tool and payload do not keep."""
        load = load_on_flange(self.tool, self.payload)
        return (
            ()
            if load is None or self.limits.load is None
            else tuple(self.limits.load.violations(load))
        )

    def compiled(self, *, friction: bool = True, single: bool = False, threads: int = 1) -> Kernels:
        """Return the bare kernels, for loops of your own: no checks of values, components first, ``(n,)`` or ``(n, N)``.

        Args:
            friction: Whether torques include friction, where it is known.
            single: Compute in single precision (float32 in and out), right to 1e-4 of the largest
                entry within two turns.
            threads: How many threads share an array.

        Raises:
            MissingExtra: without casadi and numba.
            InputError: if ``threads`` is not a positive number.
        """
        from ..compiled.cache import surroundings
        from ..compiled.kernels import Kernels

        surroundings()
        with_friction, narrow = as_bool(friction, "friction"), as_bool(single, "single")
        return Kernels(
            self.dynamic_model,
            self.find_frame,
            with_friction,
            narrow,
            as_int(threads, "threads", 1),
        )

    def symbolic(
        self, query: str, *, friction: bool = True, frame: str = "tcp", parameters: bool = False
    ) -> Any:
        """Return a query as ``casadi.Function``, to be differentiated, or to build an optimal control problem on.

        Args:
            query: ``inverse_dynamics``, ``forward_dynamics``, ``mass_matrix``, ``pose``,
                ``jacobian``, ``energy`` ...
            friction: Whether torques include friction, where it is known.
            frame: Frame of ``pose``, ``jacobian`` and ``hessian``.
            parameters: Whether inertials, rotors and friction are a further input, in the order of
                :meth:`parameter_vector`.

        Raises:
            MissingExtra: without casadi.
            UnknownName: if there is no such query or frame.
        """
        from ..compiled import queries
        from ..model.mechanism import chain_of, mechanism_of, unreduced_mechanism_of

        require("casadi", "fast")
        if as_choice(query, queries.QUERIES, "query") in queries.OF_FRAMES:
            return queries.casadi_function(query, chain_of(*self.find_frame(frame)))
        wanted = as_bool(parameters, "parameters")
        strip = unreduced_mechanism_of if wanted or query == "regressor" else mechanism_of
        return queries.casadi_function(
            query, strip(self.dynamic_model, as_bool(friction, "friction")), wanted
        )

    @cached_property
    def whole_tree(self) -> Tree:
        """Tree with every frame; the one in use, where that has them all."""
        return self.dynamic_model.tree

    def find_frame(self, name: str, point: ArrayLike | None = None) -> Frame:
        """Return a frame, or a point [m] fixed to it in its axes, with the tree that has it.

        Raises:
            UnknownName: if there is no such frame.
            InputError: if the point is not three finite numbers.
        """
        own = self.dynamic_model.tree
        tree = own if isinstance(name, str) and name in own.frames else self.whole_tree
        offset = None if point is None else finite(point, (3,), "point [m]")
        return Frame(tree, tree.frame(name), offset)

    def _answer(
        self,
        query: str,
        reference: Callable[..., Array],
        shape: tuple[int, ...],
        /,
        *states: Array,
        friction: bool = False,
        frame: str | None = None,
        point: Array | None = None,
    ) -> Array:
        """Answer for states with the same leading axes: by machine code where that is in use, else state by state."""
        first = states[0]
        count = first.size // self.n
        make = partial(self._kernel, query, friction, frame, point)
        kernel = self._dispatch.kernel(
            (query, friction, frame), count, make, remember=point is None
        )
        if kernel is None:
            return map_states(reference, shape, *states)
        if query in self._dispatch.in_use:
            far, fast, strong = self.states.squares
            kernel.bound(far, fast, strong if query == "inverse_dynamics" else sys.float_info.max)
            self._dispatch.in_use[query][friction] = kernel
        if first.ndim == 1:
            one: Array = kernel(*states)
            return one
        rows: Array = kernel.rows(*(state.reshape(count, self.n) for state in states))
        return rows.reshape(*first.shape[:-1], *shape)

    def _answers(
        self,
        query: str,
        reference: Callable[..., tuple[Array | float, ...]],
        shapes: tuple[tuple[int, ...], ...],
        /,
        *states: Array,
        friction: bool = False,
    ) -> tuple[Array, ...]:
        """Do the same for a query with several results."""
        first = states[0]
        count, leading = first.size // self.n, first.shape[:-1]
        kernel = self._dispatch.kernel(
            (query, friction, None), count, partial(self._kernel, query, friction)
        )
        flat = [state.reshape(count, self.n) for state in states]
        if kernel is not None:
            found: tuple[Array, ...] = kernel.rows(*flat)
        else:
            each_state = [reference(*state) for state in zip(*flat, strict=True)]
            found = tuple(
                np.array([results[i] for results in each_state], dtype=float)
                for i in range(len(shapes))
            )
        return tuple(
            result.reshape((*leading, *shape))[()]
            for result, shape in zip(found, shapes, strict=True)
        )

    def _kernel(
        self, query: str, friction: bool, frame: str | None = None, point: Array | None = None
    ) -> Kernel:
        kernels = self._kernels[friction]
        kernel: Kernel = getattr(kernels if frame is None else kernels.at(frame, point), query)
        return kernel

    @cached_property
    def _kernels(self) -> dict[bool, Kernels]:
        return {friction: self.compiled(friction=friction) for friction in (False, True)}

    @cached_property
    def _dispatch(self) -> Dispatch:
        return Dispatch()
