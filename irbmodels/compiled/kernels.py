"""Kernels: programs as machine code, with the constants of one robot."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.model import Model
from ..model.tree import Frame
from ..model.types import Array
from .cache import is_ready, kernel_module
from .queries import OF_FRAMES, QUERIES, mechanism_for, program_for

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


STATES_PER_THREAD = 4096  # fewer states than this per thread are not worth starting one
CHUNK = 65_536  # states copied at a time where an array is not contiguous
DOUBLE = np.dtype(np.float64)
empty = np.empty
_lock = threading.RLock()  # numba compiles in one thread at a time


def _is_plain(array: NDArray[Any]) -> bool:
    """Return whether machine code takes an array as it is.

    NumPy's ``carray`` warns of arrays from ``broadcast_arrays``.
    """
    flags = array.flags
    return flags.c_contiguous and flags.aligned and not array.__array_interface__["data"][1]


@cache
def _helpers(count: int) -> ThreadPoolExecutor:
    """Threads that wait for work; to start one takes as long as a thousand states."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(count, "irbmodels")


os.register_at_fork(after_in_child=_helpers.cache_clear)  # a child process has none of them


class _Form:
    """One module of a query, with the constants of one robot."""

    def __init__(self, module: Any, mechanism: Mechanism, dtype: np.dtype[Any]) -> None:
        self.module = module
        self.constants = np.array([mechanism.free[name] for name in module.CONSTANTS], dtype)
        self.lengths: list[int] = module.LENGTHS
        self.shapes: tuple[tuple[int, ...], ...] = module.SHAPES
        self.sizes = [math.prod(shape) for shape in self.shapes]


class Kernel:
    """One query of one robot as machine code.

    It checks shapes and types, nothing else: NaN and any size pass through.

    ``kernel(q, v, a)`` takes vectors ``(n,)``, or arrays ``(n, N)`` with one column per state, and
    returns results with the same last axis: a torque ``(n, N)``, a matrix ``(n, n, N)``.
    :meth:`rows` takes and gives one row per state, ``(N, n)``. Machine code for one state and for
    arrays is compiled, or found in the cache, when it is first needed.
    """

    def __init__(
        self, query: str, mechanism: Mechanism, single: bool = False, threads: int = 1
    ) -> None:
        """Compile nothing yet."""
        self.query, self.inputs = query, QUERIES[query].inputs
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self.threads = threads
        self._mechanism = mechanism
        self._vector: Any = (
            # machine code for one state, its constants and its size, where the result is a vector
            # of doubles
            None
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave machine code behind when pickled."""
        return Kernel, (self.query, self._mechanism, self.dtype == np.float32, self.threads)

    def __call__(
        self,
        x: NDArray[Any],
        y: NDArray[Any] | None = None,
        z: NDArray[Any] | None = None,
        /,
        *,
        out: NDArray[Any] | None = None,
    ) -> Any:
        """Answer for one state ``(n,)``, or for arrays ``(n, N)``.

        Those that are not C-contiguous and writeable are copied.

        Args:
            x: First of :attr:`inputs`, of the kernel's dtype.
            y: Second, of a query that has one.
            z: Third.
            out: Array to be filled in, for a query with one result; it must not overlap the inputs.

        Returns:
            One array, or a tuple for a query with several results.

        Raises:
            InputError: if a shape or dtype is wrong.
        """
        try:
            # spelled out for loops of the caller's: 0.1 us less
            if out is None and x.ndim == 1 and self._vector is not None:
                one, constants, size = self._vector
                result = empty(size)
                if z is not None:
                    if x.dtype is y.dtype is z.dtype is DOUBLE:  # type: ignore[union-attr]  # numba may take swapped bytes for doubles
                        one(x, y, z, constants, result)
                        return result
                elif y is not None:
                    if x.dtype is y.dtype is DOUBLE:
                        one(x, y, constants, result)
                        return result
                elif x.dtype is DOUBLE:
                    one(x, constants, result)
                    return result
                raise TypeError
            return self._answer([state for state in (x, y, z) if state is not None], out)
        except (TypeError, ValueError, AttributeError, IndexError):
            states = [state for state in (x, y, z) if state is not None]
            arrays = [state for state in states if isinstance(state, np.ndarray)]
            if len(arrays) == len(states) and not all(_is_plain(state) for state in arrays):
                return self(*(np.array(state, order="C") for state in states), out=out)
            raise InputError(self._signature_error(states, out)) from None

    def _answer(self, states: list[NDArray[Any]], out: NDArray[Any] | None) -> Any:
        count = states[0].shape[1:]
        form = self._batch if count else self._state
        if len(count) > 1 or len(states) != len(form.lengths):
            raise TypeError
        for state, length in zip(states, form.lengths, strict=True):
            if (
                state.shape != (length, *count)
                or state.dtype != self.dtype
                or not state.flags.c_contiguous
            ):
                raise TypeError  # what cannot be written to, numba refuses by itself
        if out is None:
            results = [np.empty((size, *count), self.dtype) for size in form.sizes]
        elif (
            len(form.sizes) == 1
            and out.shape == (*form.shapes[0], *count)
            and out.dtype == self.dtype
            and out.flags.carray
        ):
            for state in states:
                if state is out or (
                    (state.base is not None or out.base is not None)
                    and np.may_share_memory(out, state)
                ):
                    raise TypeError  # machine code assumes that they do not overlap
            results = [out.reshape(form.sizes[0], *count)]
        else:
            raise TypeError
        if count:
            self._run_in_threads(
                lambda *part: form.module.columns(*states, form.constants, *results, *part),
                count[0],
            )
        else:
            form.module.one(*states, form.constants.ctypes.data, *results)
        shaped = tuple(
            result.reshape((*shape, *count))
            for result, shape in zip(results, form.shapes, strict=True)
        )
        return shaped[0] if len(shaped) == 1 else shaped

    def bound(self, *squares: float) -> None:
        """Set the largest square of each input for :meth:`within`."""
        self._limits = np.array(squares, self.dtype)
        self._limits_at = self._limits.ctypes.data

    def within(self, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Array | None:
        """Return the result for one state of doubles whose squares ``x.x`` keep their bounds.

        None for anything else.
        """
        if not (type(x) is type(y) is type(z) is np.ndarray and x.ndim == 1):
            return None
        form = self._state  # machine code is there from now on
        if not x.dtype is y.dtype is z.dtype is DOUBLE:
            return None
        _, constants, size = self._vector
        result = empty(size)
        try:
            return result if form.module.near(x, y, z, constants, self._limits_at, result) else None
        except (TypeError, ValueError):  # not one state, or not contiguous
            return None

    def rows(self, *states: NDArray[Any]) -> Any:
        """Answer for arrays ``(N, n)`` of any layout and real dtype.

        What is not contiguous doubles is copied piece by piece.

        Returns:
            Arrays ``(N, ...)``, one or a tuple.

        Raises:
            InputError: if a shape is wrong.
        """
        form = self._batch
        arrays = [
            state
            for state in states
            if isinstance(state, np.ndarray) and state.ndim == 2 and state.dtype.kind in "biuf"
        ]
        count = len(arrays[0]) if arrays else 0
        if len(arrays) < len(states) or [state.shape for state in arrays] != [
            (count, length) for length in form.lengths
        ]:
            raise InputError(
                self._signature_error([getattr(state, "T", state) for state in states], None)
                + " (transposed)"
            )
        results = [np.empty((count, size), self.dtype) for size in form.sizes]
        as_is = all(_is_plain(state) and state.dtype == self.dtype for state in states)
        step = max(count, 1) if as_is else CHUNK
        for start in range(0, count, step):
            pieces = [state[start : start + step] for state in states]
            pieces = (
                pieces if as_is else [np.array(piece, self.dtype, order="C") for piece in pieces]
            )
            flat = [piece.reshape(-1) for piece in pieces] + [form.constants]
            flat += [result[start : start + step].reshape(-1) for result in results]
            self._run_in_threads(
                lambda *part, flat=flat: form.module.rows(*flat, *part), len(pieces[0])
            )
        shaped = tuple(
            result.reshape((count, *shape))
            for result, shape in zip(results, form.shapes, strict=True)
        )
        return shaped[0] if len(shaped) == 1 else shaped

    def _run_in_threads(self, run: Callable[[int, int], None], count: int) -> None:
        """Run over all states, in several threads where that was asked for.

        Machine code holds no lock of Python's.
        """
        threads = min(self.threads, count // STATES_PER_THREAD)
        if threads < 2:
            run(0, count)
            return
        ends = [count * i // threads // 16 * 16 for i in range(threads)] + [count]
        others = [_helpers(threads - 1).submit(run, *ends[i : i + 2]) for i in range(threads - 1)]
        run(*ends[-2:])
        for other in others:
            other.result()

    def _signature_error(self, states: list[Any], out: Any) -> str:
        form = self._batch
        wanted = ", ".join(
            f"{name} ({n},) or ({n}, N)" for name, n in zip(self.inputs, form.lengths, strict=True)
        )
        got = ", ".join(
            f"{getattr(x, 'dtype', type(x).__name__)} {getattr(x, 'shape', '')}" for x in states
        )
        message = f"the kernel {self.query} takes arrays of {self.dtype}: {wanted}; got {got}"
        if out is None:
            return message
        shape = (*form.shapes[0], "N")
        return (
            f"{message}; out is one C-contiguous array {shape} apart from the inputs, got"
            f" {getattr(out, 'shape', out)}"
        )

    @cached_property
    def _batch(self) -> _Form:
        return self._load("arrays")

    @cached_property
    def _state(self) -> _Form:
        form = self._load("one state")
        if len(form.shapes) == 1 and len(form.shapes[0]) == 1 and self.dtype == np.float64:
            self._vector = form.module.one, form.constants.ctypes.data, form.sizes[0]
        return form

    def is_ready(self) -> bool:
        """Return whether machine code for arrays is there, so that nothing need be compiled."""
        return is_ready(self._key("arrays"))

    def operations(self) -> int:
        """Number of arithmetic operations per state."""
        return program_for(self.query, self._mechanism).count()

    def _key(self, what: str) -> str:
        return f"{what} {self.query} {self.dtype} {self._mechanism.key}"

    def _load(self, what: str) -> _Form:
        """Find machine code in the cache, or compile it."""
        from .numba_writer import batch_source, state_source

        write = batch_source if what == "arrays" else state_source
        single, mechanism = self.dtype == np.float32, self._mechanism
        with _lock:
            title = f"{self.query} for {what}"
            module = kernel_module(
                self._key(what), title, lambda: write(program_for(self.query, mechanism), single)
            )
        return _Form(module, mechanism, self.dtype)


class _KernelOf(cached_property[Kernel]):
    """Attribute with the kernel of the query of its name."""

    def __init__(self, doc: str) -> None:
        super().__init__(lambda kernels: kernels._kernel(self.attrname))
        self.__doc__ = doc


class FrameKernels:
    """Kernels of a frame, or of a point fixed to it."""

    def __init__(self, frame: Frame, single: bool, threads: int) -> None:
        """Compile nothing yet."""
        self._frame, self._single, self._threads = frame, single, threads

    pose = _KernelOf("``(q) -> T``: homogeneous matrix in the base, ``(4, 4, N)``.")
    jacobian = _KernelOf("``(q) -> J``: Jacobian in base axes, linear rows first, ``(6, n, N)``.")
    pose_and_jacobian = _KernelOf("``(q) -> T, J``: both, for less than the price of two.")
    hessian = _KernelOf("``(q) -> H``: derivative of the Jacobian, ``(6, n, n, N)``.")

    def _kernel(self, query: str) -> Kernel:
        mechanism = mechanism_for(query, self._source(query))
        return Kernel(query, mechanism, self._single, self._threads)

    def _source(self, query: str) -> Model | Frame:
        return self._frame


class Kernels(FrameKernels):
    """The compiled queries of one robot; those of a frame are of the TCP.

    Each is compiled when it is first asked for, or found in the cache. Constants of the robot
    (lengths, inertials, tool, friction) are data: robots of the same structure share machine code.
    """

    def __init__(
        self,
        model: Model,
        find_frame: Callable[..., Frame],
        single: bool = False,
        threads: int = 1,
    ) -> None:
        """Take a model, with friction or without, and a function that finds its frames."""
        super().__init__(find_frame("tcp"), single, threads)
        self._model, self._find_frame = model, find_frame
        self._frames: dict[str, FrameKernels] = {}

    inverse_dynamics = _KernelOf("``(q, v, a) -> tau``.")
    forward_dynamics = _KernelOf("``(q, v, tau) -> a``.")
    mass_matrix = _KernelOf("``(q) -> M``, ``(n, n, N)``.")
    coriolis = _KernelOf("``(q, v) -> C``, ``(n, n, N)``.")
    coriolis_torque = _KernelOf("``(q, v) -> C v``.")
    gravity = _KernelOf("``(q) -> g``.")
    friction = _KernelOf("``(v) -> f``.")
    energy = _KernelOf("``(q, v) -> kinetic, potential``, ``(N,)`` each.")
    regressor = _KernelOf("``(q, v, a) -> Y``, ``(n, p, N)``.")
    inverse_dynamics_derivatives = _KernelOf(
        "``(q, v, a) -> d tau/d q, d tau/d v, M``, ``(n, n, N)`` each."
    )

    def at(self, frame: str, point: ArrayLike | None = None) -> FrameKernels:
        """Return the kernels of a frame, or of a point [m] fixed to it, in its axes.

        Raises:
            UnknownName: if there is no such frame.
        """
        if point is None and frame in self._frames:
            return self._frames[frame]
        kernels = FrameKernels(self._find_frame(frame, point), self._single, self._threads)
        return kernels if point is not None else self._frames.setdefault(frame, kernels)

    def _source(self, query: str) -> Model | Frame:
        return self._frame if query in OF_FRAMES else self._model
