"""What every query needs: a model, checks of what comes in, and who answers: Pinocchio, or machine code."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import each, finite
from .compiled.dispatch import Dispatch
from .errors import InputError, require
from .friction import Stribeck
from .inertia import Inertial
from .limits import Limits, Violation
from .model import Model, load_on_flange
from .tool import Tool
from .tree import Tree

if TYPE_CHECKING:
    from .compiled.kernels import Kernel, Kernels

Array = NDArray[np.float64]


class Asking:
    """A model in axis positions, without a question yet."""

    name: str
    tool: Tool | None
    payload: Inertial | None
    _bare: Tree
    """Without tool and payload."""
    _model: Model

    @cached_property
    def n(self) -> int:
        """Number of axes."""
        return self._model.n

    @property
    def limits(self) -> Limits:
        """Ranges (the coupled one included), speeds and efforts; the last are assumed for every ABB robot here."""
        return self._model.limits

    @property
    def friction_model(self) -> Stribeck | None:
        """Friction law with its parameters, or None where nobody has published any."""
        return self._model.friction

    @property
    def rotors(self) -> Array:
        """Rotor inertias in use, arm side [kg m^2, kg], shape ``(n,)``; zero unless :meth:`with_rotors` was called."""
        return self._model.rotors

    @property
    def rotor_axes(self) -> Array:
        """How the axes turn each rotor, in turns of its own axis, shape ``(n, n)``."""
        return self._model.rotor_axes

    def from_controller(self, position: ArrayLike) -> Array:
        """Return ``q`` [rad, m] for positions as the controller shows them [deg, mm], shape ``(..., n)``.

        Raises:
            InputError: if one position has the wrong shape, is not finite, or is far outside every range.
        """
        shown = self._shaped(position, "position")
        q = np.where(self.limits.linear, shown / 1000.0, np.radians(shown))
        if q.ndim == 1:
            self._refuse_far(q, shown)
        return q

    def to_controller(self, q: ArrayLike) -> Array:
        """Return positions as the controller shows them [deg, mm] for ``q`` [rad, m], shape ``(..., n)``."""
        position = self._position(q)
        return np.where(self.limits.linear, position * 1000.0, np.degrees(position))

    def in_range(self, q: ArrayLike) -> NDArray[np.bool_]:
        """Whether every range is kept, the coupled one of axis 3 included, shape ``(...)``."""
        return self.limits.in_range(self._position(q))

    def violations(self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None) -> list[Violation]:
        """Return every bound on position, speed [rad/s] or torque [N m] that one state does not keep, and on what is carried."""
        speed = None if v is None else finite(v, (self.n,), "v")
        torque = None if tau is None else finite(tau, (self.n,), "tau")
        return [*self.limits.violations(self._one(q), speed, torque), *self.overload]

    @cached_property
    def overload(self) -> tuple[Violation, ...]:
        """Bounds on mass and, where a load diagram is known, moments of inertia that tool and payload do not keep."""
        load = load_on_flange(self.tool, self.payload)
        return () if load is None or self.limits.load is None else tuple(self.limits.load.violations(load))

    def compiled(self, *, friction: bool = True, single: bool = False, threads: int = 1) -> Kernels:
        """Return the bare kernels, for loops of your own: no checks of values, components first, ``(n,)`` or ``(n, N)``.

        Args:
            friction: Whether torques include friction, where it is known.
            single: Compute in single precision (float32 in and out), right to 1e-4 of the largest entry within two turns.
            threads: How many threads share an array.

        Raises:
            MissingExtra: without casadi and numba.
            InputError: if ``threads`` is not a positive number.
        """
        from .compiled.cache import surroundings
        from .compiled.kernels import Kernels

        surroundings()
        if not isinstance(threads, int) or threads < 1:
            raise InputError(f"threads is a positive whole number, not {threads!r}")
        return Kernels(self._model, self._frame, friction, single, threads)

    def symbolic(self, query: str, *, friction: bool = True, frame: str = "tcp", parameters: bool = False) -> Any:
        """Return a query as ``casadi.Function``, to be differentiated, or to build an optimal control problem on.

        Args:
            query: ``inverse_dynamics``, ``forward_dynamics``, ``mass_matrix``, ``pose``, ``jacobian``, ``energy`` ...
            friction: Whether torques include friction, where it is known.
            frame: Frame of ``pose``, ``jacobian`` and ``hessian``.
            parameters: Whether inertials, rotors and friction are a further input, in the order of :meth:`parameter_vector`.

        Raises:
            MissingExtra: without casadi.
            UnknownName: if there is no such query or frame.
        """
        from .compiled import queries
        from .compiled.mechanism import chain_of, mechanism_of, whole_of

        require("casadi", "fast")
        if query in queries.OF_FRAMES:
            return queries.casadi_function(query, chain_of(*self._frame(frame)))
        strip = whole_of if parameters or query == "regressor" else mechanism_of
        return queries.casadi_function(query, strip(self._model, friction), parameters)

    @cached_property
    def whole_tree(self) -> Tree:
        """Tree with every frame; the one in use, where that has them all."""
        return self._model.tree

    def _frame(self, name: str) -> tuple[Tree, int]:
        tree = self._model.tree if name in self._model.tree.frames else self.whole_tree
        return tree, tree.frame(name)

    def _shaped(self, value: ArrayLike, what: str) -> Array:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError) as err:
            raise InputError(f"{what} of {self.name} is not an array of numbers: {err}") from None
        if array.ndim == 0 or array.shape[-1] != self.n:
            raise InputError(f"{what} of {self.name} needs shape ({self.n},) or (..., {self.n}), got {array.shape}")
        return array

    @cached_property
    def _farthest(self) -> Array:
        """Largest position taken for radians and metres: three times the largest limit."""
        return 3.0 * self.limits.largest()

    @cached_property
    def _surely_near(self) -> float:
        """Square of a distance within which no axis can be too far."""
        return float(self._farthest.min()) ** 2

    def _position(self, q: ArrayLike) -> Array:
        array = self._shaped(q, "q")
        if array.ndim == 1 and not array.dot(array) <= self._surely_near:  # cheap, and nearly every call passes; false for NaN
            self._refuse_far(array)
        return array

    def _refuse_far(self, q: Array, shown: Array | None = None) -> None:
        share = q / self._farthest
        if not np.isfinite(q).all():
            raise InputError(f"q of {self.name} is not finite: {q.tolist()}")
        axis = int(np.argmax(np.abs(share)))
        if abs(share[axis]) > 1.0:
            unit, other = ("m", "mm") if self.limits.linear[axis] else ("rad", "deg")
            what = f"q{axis + 1} = {q[axis]:g} {unit}" if shown is None else f"q{axis + 1} = {shown[axis]:g} {other}"
            advice = f"; are these {other}? use robot.from_controller(...)" if shown is None else ""
            raise InputError(f"{what} of {self.name} is more than three times the largest limit{advice}")

    def _one(self, q: ArrayLike) -> Array:
        position = self._position(q)
        if position.ndim != 1:
            raise InputError(f"q of {self.name} needs shape ({self.n},), got {position.shape}")
        return position

    def _rate(self, value: ArrayLike, what: str) -> Array:
        array = self._shaped(value, what)
        if array.ndim == 1 and not math.isfinite(array.dot(array)) and not np.isfinite(array).all():
            raise InputError(f"{what} of {self.name} is not finite: {array.tolist()}")
        return array

    def _one_rate(self, value: ArrayLike, what: str) -> Array:
        rate = self._rate(value, what)
        if rate.ndim != 1:
            raise InputError(f"{what} of {self.name} needs shape ({self.n},), got {rate.shape}")
        return rate

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
        kernel = self._dispatch.kernel((query, friction, frame), count, make, remember=point is None)
        if kernel is None:
            return each(reference, shape, *states)
        if query in self._dispatch.in_use:
            self._dispatch.in_use[query][bool(friction)] = kernel
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
        kernel = self._dispatch.kernel((query, friction, None), count, partial(self._kernel, query, friction))
        flat = [state.reshape(count, self.n) for state in states]
        if kernel is not None:
            found: tuple[Array, ...] = kernel.rows(*flat)
        else:
            each_state = [reference(*state) for state in zip(*flat, strict=True)]
            found = tuple(np.array([results[i] for results in each_state], dtype=float) for i in range(len(shapes)))
        return tuple(result.reshape((*leading, *shape))[()] for result, shape in zip(found, shapes, strict=True))

    def _kernel(self, query: str, friction: bool, frame: str | None = None, point: Array | None = None) -> Kernel:
        kernels = self._kernels[friction]
        kernel: Kernel = getattr(kernels if frame is None else kernels.at(frame, point), query)
        return kernel

    @cached_property
    def _kernels(self) -> dict[bool, Kernels]:
        return {friction: self.compiled(friction=friction) for friction in (False, True)}

    @cached_property
    def _dispatch(self) -> Dispatch:
        return Dispatch()
