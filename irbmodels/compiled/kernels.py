"""Kernels: programs as machine code, with the constants of one robot."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..model.mechanism import Mechanism
from ..model.model import Model
from ..model.tree import Frame
from ..model.types import Array
from .cache import Code, Signature, is_ready, kernel_code
from .llvm_entry import COLUMNS, ROWS, STATE, TITLES
from .machine import compile_object, function, host_target
from .queries import OF_FRAMES, mechanism_for, program_for

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from .program import Program


STATES_PER_THREAD = 4096  # fewer states than this per thread are not worth starting one
CHUNK = 65_536  # states copied at a time where an array is not contiguous
DOUBLE = np.dtype(np.float64)
empty = np.empty


@cache
def _helpers(count: int) -> ThreadPoolExecutor:
    """Threads that wait for work; to start one takes as long as a thousand states."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(count, "irbmodels")


if hasattr(os, "register_at_fork"):  # Windows has no fork; a child process has none of them
    os.register_at_fork(after_in_child=_helpers.cache_clear)


class _Form(NamedTuple):
    """Machine code of one layout, with constants."""

    run: Callable[..., bool]
    signature: Signature
    lengths: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

    @staticmethod
    def of(code: Code, numbers: ArrayLike, dtype: np.dtype[Any]) -> _Form:
        """Bind constants to machine code."""
        shapes = tuple(shape for _, shape in code.signature.outputs)
        return _Form(
            function(code.address, numbers, dtype),
            code.signature,
            tuple(length for _, length in code.signature.inputs),
            shapes,
            tuple(math.prod(shape) for shape in shapes),
        )


class Kernel:
    """A program as machine code.

    It checks shapes and types, nothing else: NaN and any size pass through.

    ``kernel(q, v, a)`` takes vectors ``(n,)``, or arrays ``(n, N)`` with one column per state, and
    returns results with the same last axis: a torque ``(n, N)``, a matrix ``(n, n, N)``.
    :meth:`rows` takes and gives one row per state, ``(N, n)``. Machine code of each layout is
    compiled, or found in the cache, when it is first needed.
    """

    def __init__(
        self,
        name: str,
        key: str,
        program: Callable[[], Program],
        constants: Mapping[str, float],
        single: bool = False,
        threads: int = 1,
    ) -> None:
        """Compile nothing yet.

        Args:
            name: What is computed, for messages.
            key: Of the program, different from that of any other.
            program: Writes it; called only where nothing is in the cache.
            constants: Values by name; those that the program uses, and others.
            single: True for float32.
            threads: How many threads share an array.
        """
        self.name, self.threads = name, threads
        self.dtype = np.dtype(np.float32 if single else np.float64)
        self._key, self._program, self._constants = key, program, constants
        self._run_one: Callable[..., bool] | None = None
        self._size = 0
        self._shape: tuple[int, ...] | None = None
        self._limits: tuple[float, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave machine code behind when pickled."""
        single = self.dtype == np.float32
        parts = (self.name, self._key, self._program, self._constants, single, self.threads)
        return Kernel, parts

    def __call__(
        self,
        x: NDArray[Any],
        y: NDArray[Any] | None = None,
        z: NDArray[Any] | None = None,
        /,
        *others: NDArray[Any],
        out: NDArray[Any] | None = None,
    ) -> Any:
        """Answer for one state ``(n,)``, or for arrays ``(n, N)``.

        Those that machine code does not take as they are (strides along a row, swapped bytes) are
        copied.

        Args:
            x: First input, of the kernel's dtype.
            y: Second, of a program that has one.
            z: Third.
            others: More inputs.
            out: Array to be filled in, for a program with one result; it must not overlap the
                inputs.

        Returns:
            One array, or a tuple for a program with several results.

        Raises:
            InputError: if a shape or dtype is wrong.
        """
        run = self._run_one
        if run is not None and out is None and not others:
            # spelled out for loops of the caller's: 0.1 us less
            result = empty(self._size)
            if z is not None:
                done = run(x, y, z, result)
            elif y is not None:
                done = run(x, y, result)
            else:
                done = run(x, result)
            if done:
                return result if self._shape is None else result.reshape(self._shape)
        states = [state for state in (x, y, z, *others) if state is not None]
        return self._answer(states, out)

    def _answer(self, states: list[NDArray[Any]], out: NDArray[Any] | None) -> Any:
        """Answer in any layout; copy what machine code does not take."""
        is_one = bool(states) and getattr(states[0], "ndim", 0) == 1
        form = self._state if is_one else self._columns
        if not self._fit(form, states, is_one):
            raise InputError(self._signature_error(states, out))
        count = states[0].shape[1:]
        if out is None:
            results = [empty((size, *count), self.dtype) for size in form.sizes]
        else:
            results = [self._reshaped(out, form, count, states)]
        if not self._shared(form, states, results, is_one):
            states = [state.astype(self.dtype, "C", subok=False) for state in states]
            if not self._shared(form, states, results, is_one):
                raise InputError(self._signature_error(states, out))
        shaped = tuple(
            result.reshape((*shape, *count))
            for result, shape in zip(results, form.shapes, strict=True)
        )
        return shaped[0] if len(shaped) == 1 else shaped

    def _fit(self, form: _Form, states: list[Any], is_one: bool) -> bool:
        """Return whether inputs have the right number, shapes and dtype."""
        if len(states) != len(form.lengths):
            return False
        count = getattr(states[0], "shape", ())[1:]
        return len(count) == (0 if is_one else 1) and all(
            isinstance(state, np.ndarray)
            and state.shape == (length, *count)
            and state.dtype == self.dtype
            for state, length in zip(states, form.lengths, strict=True)
        )

    def _reshaped(
        self, out: Any, form: _Form, count: tuple[int, ...], states: list[NDArray[Any]]
    ) -> NDArray[Any]:
        """Return ``out`` in the shape of machine code, without a copy."""
        if (
            len(form.shapes) == 1
            and isinstance(out, np.ndarray)
            and out.shape == (*form.shapes[0], *count)
            and out.dtype == self.dtype
            and out.flags.carray
            # machine code assumes that they do not overlap
            and not any(np.may_share_memory(out, state) for state in states)
        ):
            # twice: an axis of length 1 may have any stride
            return np.asarray(out, self.dtype).reshape(-1).reshape(form.sizes[0], *count)
        raise InputError(self._signature_error(states, out))

    def _shared(
        self, form: _Form, states: list[NDArray[Any]], results: list[NDArray[Any]], is_one: bool
    ) -> bool:
        """Run over all states; False if machine code does not take the arrays."""
        if is_one:
            return form.run(*states, *results)
        arrays = [*states, *results]
        return self._run_in_threads(
            lambda a, b: form.run(*(array[:, a:b] for array in arrays)), states[0].shape[1]
        )

    def rows(self, *states: NDArray[Any]) -> Any:
        """Answer for arrays ``(N, n)`` of any layout and real dtype.

        What is not contiguous, or of another dtype, is copied piece by piece.

        Returns:
            Arrays ``(N, ...)``, one or a tuple.

        Raises:
            InputError: if a shape is wrong.
        """
        form = self._rows
        count = len(states[0]) if states and getattr(states[0], "ndim", 0) == 2 else 0
        shapes = [(count, length) for length in form.lengths]
        if [getattr(state, "shape", None) for state in states] != shapes or any(
            state.dtype.kind not in "biuf" for state in states
        ):
            columns = [getattr(state, "T", state) for state in states]
            raise InputError(f"{self._signature_error(columns, None)} (transposed)")
        results = [empty((count, size), self.dtype) for size in form.sizes]
        if not self._run_rows(form, [*states, *results]):
            for start in range(0, count, CHUNK):
                piece = slice(start, start + CHUNK)
                given = [state[piece].astype(self.dtype, "C", subok=False) for state in states]
                if not self._run_rows(form, [*given, *(result[piece] for result in results)]):
                    raise InputError(self._signature_error(given, None))
        shaped = tuple(
            result.reshape((count, *shape))
            for result, shape in zip(results, form.shapes, strict=True)
        )
        return shaped[0] if len(shaped) == 1 else shaped

    def _run_rows(self, form: _Form, arrays: list[NDArray[Any]]) -> bool:
        return self._run_in_threads(
            lambda a, b: form.run(*(array[a:b] for array in arrays)), len(arrays[0])
        )

    @property
    def run_columns(self) -> Callable[..., bool]:
        """Machine code for arrays ``(n, N)``, without what a call adds: inputs, then results.

        It returns False, and computes nothing, unless number, dtype, shapes and layout are right.
        Results must not overlap the inputs.
        """
        return self._columns.run

    @property
    def run_state(self) -> Callable[..., bool]:
        """The same of one state, for vectors."""
        return self._state.run

    def limit(self, *squares: float) -> None:
        """Set the largest square of each input for :meth:`within`."""
        self._limits = squares
        self.__dict__.pop("_run_within", None)

    def within(self, *states: ArrayLike) -> Array | None:
        """Return the result for one state of doubles whose squares ``x.x`` keep their limits.

        None for anything else.
        """
        result = empty(self._size or self._state.sizes[0])
        return result if self._run_within(*states, result) else None

    def _run_in_threads(self, run: Callable[[int, int], bool], count: int) -> bool:
        """Run over all states, in several threads where that was asked for.

        Machine code holds no lock of Python's.
        """
        threads = min(self.threads, count // STATES_PER_THREAD)
        if threads < 2:
            return count == 0 or run(0, count)
        ends = [count * i // threads // 16 * 16 for i in range(threads)] + [count]
        others = [_helpers(threads - 1).submit(run, *ends[i : i + 2]) for i in range(threads - 1)]
        done = run(*ends[-2:])
        return all([done, *(other.result() for other in others)])

    def _signature_error(self, states: list[Any], out: Any) -> str:
        form = self._columns
        wanted = ", ".join(f"{name} ({n},) or ({n}, N)" for name, n in form.signature.inputs)
        got = ", ".join(
            f"{getattr(x, 'dtype', type(x).__name__)} {getattr(x, 'shape', '')}" for x in states
        )
        message = f"the kernel {self.name} takes arrays of {self.dtype}: {wanted}; got {got}"
        if out is None:
            return message
        shape = (*form.shapes[0], "N")
        return (
            f"{message}; out is one C-contiguous array {shape} apart from the inputs, got"
            f" {getattr(out, 'shape', out)}"
        )

    @cached_property
    def _columns(self) -> _Form:
        return self._form(COLUMNS)

    @cached_property
    def _rows(self) -> _Form:
        return self._form(ROWS)

    @cached_property
    def _state(self) -> _Form:
        form = self._form(STATE)
        if len(form.shapes) == 1 and self.dtype == np.float64:
            self._size, self._run_one = form.sizes[0], form.run
            self._shape = None if len(form.shapes[0]) == 1 else form.shapes[0]
        return form

    @cached_property
    def _run_within(self) -> Callable[..., bool]:
        return self._form(STATE, self._limits).run

    def _form(self, layout: str, limits: Sequence[float] = ()) -> _Form:
        code = self.code(layout)
        numbers = [self._constants[name] for name in code.signature.constants]
        free = [math.nan] * (len(code.signature.inputs) - len(limits))
        return _Form.of(code, [*numbers, *limits, *free], self.dtype)

    def code(self, layout: str) -> Code:
        """Find machine code of a layout in the cache, or compile it; it is free of constants."""
        return kernel_code(
            self._code_key(layout),
            f"{self.name} for {TITLES[layout]}",
            partial(self._compiled, layout),
        )

    def _compiled(self, layout: str) -> tuple[bytes, Signature]:
        return compiled_program(self._program(), layout, self.dtype)

    def is_ready(self) -> bool:
        """Return whether machine code for rows of states is there: nothing need be compiled."""
        return is_ready(self._code_key(ROWS))

    def operations(self) -> int:
        """Number of arithmetic operations per state."""
        return self._program().count()

    def _code_key(self, layout: str) -> str:
        return f"{layout} {self.dtype} {self.name} {self._key}"


def compiled_program(
    program: Program, layout: str, dtype: np.dtype[Any] = DOUBLE
) -> tuple[bytes, Signature]:
    """Compile a program; return its object file, free of constants, and its signature."""
    from .llvm_writer import module_text  # what is found on disk needs no writer

    target = host_target()
    width = 1 if layout == STATE else target.bytes // dtype.itemsize
    text = module_text(program, layout, dtype == np.float32, width)
    outputs = tuple((output.name, output.shape) for output in program.outputs)
    return compile_object(text, target), Signature(program.constants, program.inputs, outputs)


def query_kernel(
    query: str, mechanism: Mechanism, single: bool = False, threads: int = 1
) -> Kernel:
    """Return the kernel of a query of a mechanism; it compiles nothing yet."""
    program = partial(program_for, query, mechanism)
    return Kernel(query, mechanism.key, program, mechanism.free, single, threads)


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
        return query_kernel(query, mechanism, self._single, self._threads)

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
    friction = _KernelOf("``(v) -> f``, or ``(q, v) -> f`` of a law with mu.")
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
