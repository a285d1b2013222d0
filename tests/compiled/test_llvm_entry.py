import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from itertools import product

import numpy as np
import pytest
from machine_code import by_numpy, machine_code, made_up

from irbmodels.compiled.llvm_entry import COLUMNS, LAYOUTS, ROWS, STATE
from irbmodels.compiled.trace import Trace, sin

pytest.importorskip("llvmlite")

MADE = made_up((3, 2), (4, 1), 5)
LENGTHS, SIZES = (3, 2), (4, 1)
INPUTS = len(LENGTHS)
COUNT = 11
C = 0.75
UNSET = 0.3  # no sum of products of whole numbers and quarters


@pytest.fixture(params=LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture(params=[np.float64, np.float32], ids=["double", "single"])
def dtype(request):
    return np.dtype(request.param)


def shape_of(layout, length, count=COUNT):
    return {COLUMNS: (length, count), ROWS: (count, length), STATE: (length,)}[layout]


def arrays(layout, dtype=np.float64, count=COUNT):
    """Return inputs, of whole numbers, and results that are not set."""
    rng = np.random.default_rng(0)
    given = [rng.integers(-9, 10, shape_of(layout, n, count)).astype(dtype) for n in LENGTHS]
    return [*given, *(np.full(shape_of(layout, n, count), UNSET, dtype) for n in SIZES)]


def answered(layout, given):
    """Return NumPy's results in the layout of the arrays."""
    rows = [x.T if layout == COLUMNS else np.atleast_2d(x) for x in given[:INPUTS]]
    results = by_numpy(MADE, rows, [C])
    return [{COLUMNS: y.T, ROWS: y, STATE: y[0]}[layout] for y in results]


class Subclass(np.ndarray):
    """An array whose methods somebody may have changed."""


class Pretender:
    """An object with the attributes of an array."""

    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype


def backwards(x):
    return x[..., ::-1].copy()[..., ::-1]


def gapped(x):
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), 7, x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]


def repeated(x):
    return np.lib.stride_tricks.as_strided(x, x.shape, (*x.strides[:-1], 0))


def unaligned(x):
    raw = np.frombuffer(bytearray(x.nbytes + 1), x.dtype, x.size, 1).reshape(x.shape)
    raw[...] = x
    return raw


def endless(x):
    return np.lib.stride_tricks.as_strided(x, (2**40, *x.shape[1:]), (0, *x.strides[1:]))


WRONG = {
    "None": lambda x: None,
    "a number": lambda x: 1.0,
    "a list": lambda x: x.tolist(),
    "text": lambda x: "array",
    "bytes": lambda x: x.tobytes(),
    "a type": lambda x: np.ndarray,
    "a buffer": lambda x: memoryview(x),
    "a pretender": Pretender,
    "a subclass": lambda x: x.view(Subclass),
    "a matrix of records": lambda x: x.view(np.recarray),
    "a masked array": np.ma.masked_array,
    "no axis": lambda x: np.array(1.0, x.dtype),
    "a number of NumPy": lambda x: x.dtype.type(1.0),
    "an axis more": lambda x: x[None],
    "an axis less": lambda x: x[0],
    "flat": lambda x: np.tile(x, 2).reshape(-1),
    "short": lambda x: x[:-1],
    "long": lambda x: np.concatenate([x, x[:1]]),
    "empty": lambda x: x[:0],
    "endless": endless,
    "another precision": lambda x: x.astype(np.float32 if x.itemsize == 8 else np.float64),
    "half precision": lambda x: x.astype(np.float16),
    "integers of its size": lambda x: x.view(f"i{x.itemsize}"),
    "complex": lambda x: x.astype(complex),
    "truths": lambda x: x.astype(bool),
    "objects": lambda x: x.astype(object),
    "dates": lambda x: x.astype(np.int64).astype("M8[s]"),
    "another order of bytes": lambda x: x.astype(x.dtype.newbyteorder()),
    "backwards": backwards,
    "gaps": gapped,
    "one number for all": repeated,
    "unaligned": unaligned,
}
WRONG_OF_RESULTS = {"read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape)}
WRONG_OF_TWO_AXES = {
    "the last state less": lambda x: x[:, :-1].copy(),
    "one column": lambda x: x[:, :1].copy(),
    "Fortran's order": lambda x: np.asfortranarray(np.tile(x, (2, 2)))[: x.shape[0], : x.shape[1]],
}


@pytest.fixture
def run(layout, dtype):
    return machine_code(MADE, layout, dtype=dtype, numbers=[C])


# --- taken


@pytest.mark.parametrize("count", [1, 2, COUNT, 200])
def test_arrays_that_are_right_are_taken(run, layout, dtype, count):
    """Results are filled in, and the answer is True."""
    given = arrays(layout, dtype, count)
    assert run(*given) is True
    for ours, theirs in zip(given[INPUTS:], answered(layout, given), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_read_only_inputs_are_taken(run, layout, dtype):
    """Only results need be writeable."""
    given = arrays(layout, dtype)
    for x in given[:INPUTS]:
        x.flags.writeable = False
    assert run(*given) is True


def test_arrays_from_other_processes_are_taken(run, layout, dtype):
    """A dtype may be an object of its own, as that of an array that was pickled, or
    had its bytes swapped.
    """
    for make in (
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: x.astype(np.dtype(dtype, metadata={"of": "another"})),
        lambda x: x.astype(dtype.newbyteorder(">").newbyteorder()),
    ):
        given = [make(x) for x in arrays(layout, dtype)]
        assert not any(x.dtype is dtype for x in given)
        assert run(*given) is True
        for ours, theirs in zip(given[INPUTS:], answered(layout, given), strict=True):
            np.testing.assert_array_equal(ours, theirs)


# --- refused


@pytest.mark.parametrize("place", range(4))
def test_what_is_no_array_of_the_right_kind_is_refused(run, layout, dtype, place):
    """In any place: the answer is False, and nothing is written."""
    wrong = dict(WRONG)
    if place >= INPUTS:
        wrong |= WRONG_OF_RESULTS
    if layout != STATE:
        wrong |= WRONG_OF_TWO_AXES
    for name, make in wrong.items():
        given = arrays(layout, dtype, 13)
        given[place] = replaced = make(given[place])
        if isinstance(replaced, np.ndarray) and is_right(layout, dtype, given):
            continue  # one result is neither backwards nor gapped
        before = [
            bytes(memoryview(x.reshape(-1)).cast("B")) for i, x in enumerate(given) if i != place
        ]
        held = None if replaced is None or name == "endless" else repr(replaced)
        assert run(*given) is False, name
        after = [
            bytes(memoryview(x.reshape(-1)).cast("B")) for i, x in enumerate(given) if i != place
        ]
        assert before == after, name
        assert held is None or repr(replaced) == held, name


def test_other_numbers_of_arguments_are_refused(run, layout, dtype):
    """Fewer and more than inputs and results, and none, are refused; names are not taken."""
    given = arrays(layout, dtype)
    for count in range(12):
        assert run(*(given * 3)[:count]) is (count == 4)
    given = arrays(layout, dtype)
    assert run(*given, None) is False
    assert run(*given[:3]) is False
    assert all((x == x.dtype.type(UNSET)).all() for x in given[INPUTS:])
    with pytest.raises(TypeError):
        run(*given, n=1)


def test_other_numbers_of_states_are_refused(dtype):
    """All arrays have as many states as the first one."""
    for layout in (COLUMNS, ROWS):
        run = machine_code(MADE, layout, dtype=dtype, numbers=[C])
        for place, count in product(range(4), (0, COUNT - 1, COUNT + 1, 10 * COUNT)):
            given = arrays(layout, dtype)
            given[place] = arrays(layout, dtype, count)[place]
            assert run(*given) is False
            assert all((x == x.dtype.type(UNSET)).all() for x in given[INPUTS:])


def test_no_states_write_nothing(dtype):
    """Arrays without states are answered True or False, and nothing is called."""
    for layout in (COLUMNS, ROWS):
        run = machine_code(MADE, layout, dtype=dtype, numbers=[C])
        wide = [np.full((40, 40), 7.0, dtype) for _ in range(4)]
        cut = [
            x[:n, :0] if layout == COLUMNS else x[:0, :n]
            for x, n in zip(wide, (*LENGTHS, *SIZES), strict=True)
        ]
        assert run(*cut) in (True, False)
        assert run(*arrays(layout, dtype, 0)) in (True, False)
        assert all((x == 7.0).all() for x in wide)


def is_right(layout, dtype, given):
    """Return whether arguments are what the function says that it takes."""
    if len(given) != 4:
        return False
    axes = 1 if layout == STATE else 2
    for i, x in enumerate(given):
        if type(x) is not np.ndarray or x.dtype != dtype or x.ndim != axes:
            return False
        if not x.flags.aligned or (i >= INPUTS and not x.flags.writeable):
            return False
    count = given[0].shape[int(layout == COLUMNS)] if axes == 2 else 1
    for x, length in zip(given, (*LENGTHS, *SIZES), strict=True):
        if x.shape != shape_of(layout, length, count) or x.strides[-1] != x.itemsize:
            return False
        if layout == ROWS and x.strides[0] != length * x.itemsize:
            return False
    return True


FUZZ = """
import test_llvm_entry
test_llvm_entry.fuzz()
"""


def fuzz(turns=2500):
    """Call with random arguments: True exactly where they are right, and nothing written else."""
    warnings.simplefilter("ignore")  # of complex numbers, and casts of NaN
    rng = np.random.default_rng(7)
    changes = [*WRONG.values(), *WRONG_OF_RESULTS.values(), *WRONG_OF_TWO_AXES.values()]
    changes += [
        lambda x: x.T,
        lambda x: x,
        np.ascontiguousarray,
        np.asfortranarray,
        lambda x: x[::-1],
        lambda x: pickle.loads(pickle.dumps(x)),
    ]
    taken = 0
    for layout, dtype in product(LAYOUTS, (np.dtype(np.float64), np.dtype(np.float32))):
        run = machine_code(MADE, layout, dtype=dtype, numbers=[C])
        for _ in range(turns):
            given = arrays(layout, dtype, int(rng.integers(0, 40)))
            for _ in range(int(rng.integers(0, 4))):
                place = int(rng.integers(0, 4))
                if isinstance(given[place], np.ndarray) and given[place].size > 10_000:
                    continue
                try:
                    given[place] = changes[int(rng.integers(0, len(changes)))](given[place])
                except Exception:  # it cannot be changed so
                    given[place] = None
            if not rng.integers(0, 5):
                rng.shuffle(given)
            if not rng.integers(0, 9):
                given = given[: int(rng.integers(0, 5))] * int(rng.integers(1, 3))
            held = [
                (x, x.tobytes())
                for x in given
                if isinstance(x, np.ndarray) and x.size < 10_000 and x.dtype != object
            ]
            right = is_right(layout, dtype, given)
            assert run(*given) is right, [getattr(x, "shape", x) for x in given]
            taken += right
            assert right or all(x.tobytes() == before for x, before in held)
    assert taken > 0.1 * 6 * turns
    print("intact")


def test_random_arguments_are_taken_or_refused():
    """Of thousands of random arguments those that are right are taken, all others refused without
    writing; nothing crashes.
    """
    here = os.path.dirname(__file__)
    done = subprocess.run(
        [sys.executable, "-c", FUZZ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([here, *sys.path])},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "intact\n", (done.returncode, done.stderr[-2000:])


# --- limits of one state


@pytest.fixture
def limited():
    """Return ``limited(a, b)``: the sum of all inputs of one state, within limits of squares."""
    trace = Trace()
    x, y = trace.input("x", 2), trace.input("y", 2)
    made = trace.program("sum", {"z": ((1,), [x[0] + x[1] + y[0] + y[1] + trace.constant("c")])})
    return lambda *limits: machine_code(made, STATE, numbers=[100.0, *limits])


def test_limits_of_one_state(limited):
    """The sum of squares of each input may reach its limit, not exceed it."""
    above = np.nextafter(25.0, 30.0)
    for limits, taken in {
        (25.0, 2.0): True,
        (above, 2.0): True,
        (np.nextafter(25.0, 0.0), 2.0): False,
        (25.0, np.nextafter(2.0, 0.0)): False,
        (0.0, 2.0): False,
        (-1.0, 2.0): False,
        (np.inf, np.inf): True,
        (np.nan, np.nan): True,
        (np.nan, 2.0): True,
        (25.0, np.nan): True,
        (np.nan, 1.9): False,
        (24.9, np.nan): False,
        (sys.float_info.max, sys.float_info.max): True,
    }.items():
        result = np.full(1, np.nan)
        run = limited(*limits)
        assert run(np.array([3.0, -4.0]), np.array([1.0, -1.0]), result) is taken
        np.testing.assert_array_equal(result, [99.0] if taken else [np.nan])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
def test_numbers_beyond_any_limit(limited, value):
    """NaN keeps no limit; without a limit it passes, like all others."""
    for place in range(4):
        x = np.zeros(4)
        x[place] = value
        result = np.full(1, 7.0)
        finite = limited(sys.float_info.max, sys.float_info.max)
        assert finite(x[:2].copy(), x[2:].copy(), result) is False
        assert result[0] == 7.0
        assert limited(np.nan, np.nan)(x[:2].copy(), x[2:].copy(), result) is True
        np.testing.assert_array_equal(result, [value + 100.0])


# --- Python's objects


def test_references_are_counted(layout):
    """A hundred thousand calls, taken or refused, keep the number of references to their arguments
    and answers.
    """
    run = machine_code(MADE, layout, numbers=[C])
    given = arrays(layout)
    refused = [*given[:3], None]
    watched = [*given, True, False, None, run, np.ndarray, given[0].dtype]
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(100_000):
        run(*given)
    for _ in range(100_000):
        run(*refused)
    assert np.abs(np.subtract([sys.getrefcount(x) for x in watched], before)).max() < 50


def test_functions_live_on_their_own():
    """A function keeps its constants; others with other constants do not change them."""
    import gc

    runs = [machine_code(MADE, ROWS, numbers=[float(c)]) for c in range(5)]
    gc.collect()
    ballast = [np.full(100, np.nan) for _ in range(1000)]
    for c, run in enumerate(runs):
        given = arrays(ROWS)
        assert run(*given)
        for ours, theirs in zip(given[INPUTS:], by_numpy(MADE, given[:INPUTS], [c]), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert len(ballast) == 1000


def test_addresses_are_not_pickled():
    """A function from another process would be an address of this one: it does not come back."""
    run = machine_code(MADE, ROWS, numbers=[C])
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        pickle.loads(pickle.dumps(run))


def test_threads_call_one_function(layout):
    """Threads that call one function at once get their own answers."""
    run, wrong, start = machine_code(MADE, layout, numbers=[C]), [], threading.Barrier(3)

    def ask(number):
        given = [x + number if i < INPUTS else x for i, x in enumerate(arrays(layout))]
        wanted = answered(layout, given)
        start.wait()
        for _ in range(2000):
            for x in given[INPUTS:]:
                x[...] = np.nan
            if not run(*given) or not all(map(np.array_equal, given[INPUTS:], wanted)):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("layout", [COLUMNS, ROWS])
def test_other_threads_run_meanwhile(layout):
    """While machine code computes arrays, other threads of Python go on."""
    trace = Trace()
    (x,) = trace.input("x", 1)
    for _ in range(60):
        x = sin(x) + 1.0
    run = machine_code(trace.program("sines", {"y": ((1,), [x])}), layout)
    shape = (1, 1_000_000) if layout == COLUMNS else (1_000_000, 1)
    given, times = (np.ones(shape), np.empty(shape)), []

    def compute():
        times.append(time.perf_counter())
        assert run(*given)
        times.append(time.perf_counter())

    thread = threading.Thread(target=compute)
    thread.start()
    stamps = []
    while thread.is_alive():
        stamps.append(time.perf_counter())
        time.sleep(0)
    thread.join()
    begin, end = times
    # a tenth from its ends: Python could be at its own lines there
    edge = 0.1 * (end - begin)
    assert sum(begin + edge < stamp < end - edge for stamp in stamps) > 10


FORK = """
import os, sys, numpy as np
from irbmodels.compiled.kernels import Kernel
from irbmodels.compiled.trace import Trace

def program(shift):
    trace = Trace()
    x = trace.input("x", 2)
    return trace.program("sums", {"y": ((1,), [x[0] + x[1] + shift])})

def right(kernel, shift):
    x = np.arange(40_000.0).reshape(2, 20_000)
    return np.array_equal(kernel(x)[0], x.sum(axis=0) + shift) and kernel(x[:, 3])[0] == x[:, 3].sum() + shift

kernel = Kernel("sums", "sums 1", lambda: program(1.0), {}, threads=3)
assert right(kernel, 1.0)
child = os.fork()
if child == 0:
    other = Kernel("sums", "sums 2", lambda: program(2.0), {}, threads=3)
    os._exit(0 if right(kernel, 1.0) and right(other, 2.0) else 1)
assert os.waitpid(child, 0)[1] == 0
assert right(kernel, 1.0)
print("right")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_goes_on(tmp_path):
    """A child process answers with its parent's kernels, threads included, and compiles others."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK],
        env=os.environ | {"IRBMODELS_CACHE": str(tmp_path / "kernels")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "right\n", (done.returncode, done.stderr)
