import mmap
import os
import re
import subprocess
import sys
from functools import cache
from itertools import product

import numpy as np
import pytest
from grouped import together
from guarded_arrays import Guarded
from machine_code import (
    RUNNABLE,
    apply,
    by_numpy,
    machine_code,
    made_up,
    text_of,
    width_of,
)
from object_files import undefined_symbols

from irbmodels.compiled.kernels import STATES_PER_THREAD, Kernel
from irbmodels.compiled.llvm_entry import COLUMNS, ENTRY, LAYOUTS, ROWS, STATE
from irbmodels.compiled.llvm_math import Instructions
from irbmodels.compiled.llvm_writer import BLOCK_BYTES, module_text
from irbmodels.compiled.machine import (
    TARGETS,
    assembly,
    compile_object,
    function,
    link,
    load,
    map_file,
)
from irbmodels.compiled.program import MASKS, OPERATIONS, Output, Program, Step
from irbmodels.compiled.trace import Trace, cos, exp, sin, sqrt

pytest.importorskip("llvmlite")

TYPES = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}
C = 0.75  # the constant of made-up programs: few digits, so that nothing is rounded


@pytest.fixture(params=TYPES.values(), ids=TYPES)
def dtype(request):
    return request.param


@pytest.fixture(params=RUNNABLE)
def target(request):
    return request.param


def whole(rng, count, lengths, dtype):
    """Return inputs ``(count, length)`` whose products and sums are exact in any order."""
    return [rng.integers(-9, 10, (count, length)).astype(dtype) for length in lengths]


def leaves_and_masks():
    """Return a program whose results are inputs, a constant, numbers and masks, some of them
    twice.
    """
    trace = Trace()
    x, (y,) = trace.input("x", 3), trace.input("y", 1)
    c = trace.constant("c")
    is_less, at_most = x[0] < y, x[1] <= c
    entries = [x[2], c, trace.value(2.5), is_less, at_most, is_less & at_most, ~at_most, x[0] * y]
    return trace.program(
        "leaves", {"a": ((8,), entries), "b": ((3,), [x[2], c, is_less]), "d": ((1,), [y])}
    )


def programs(width):
    """Programs with results around every border of the writer, by name."""
    several = (1, width - 1, width, width + 1, 2 * width + 3)
    return {
        "few": made_up((3,), (3,), 3),
        "one": made_up((1,), (1,), 1),
        "eight": made_up((2, 2), (8,), 8),
        "nine": made_up((2, 2), (9,), 9),
        "repeated": made_up((1,), (5,), 2),
        "repeated wide": made_up((1,), (2 * width + 5,), 3),
        "wide": made_up((width + 1, 1), (21,), 13),
        "width": made_up((width,), (width,), width),
        "several": made_up((2, 3, 1), (1, 12, 4), 10),
        "sixteen": made_up((4,), (16,), 16),
        "lengths": made_up(several, several, 2 * width + 3),
        "other lengths": made_up((2, 4, 6, 7, 10), (2, 6, 7, 10, 14, 17), 17),
        "leaves": leaves_and_masks(),
    }


NAMES = tuple(programs(4))


# --- any program, any number of states


@together("layout", LAYOUTS)
@together("name", NAMES)
def test_every_state_has_its_own_answer(name, layout, target, dtype):
    """Few states, groups with a rest, and more than a block have exactly NumPy's answers."""
    width = width_of(layout, TARGETS[target], dtype)
    made = programs(max(width, 2))[name]
    run = machine_code(made, layout, target, dtype, [C])
    rng = np.random.default_rng(1)
    lengths = [length for _, length in made.inputs]
    sizes = [len(output.steps) for output in made.outputs]
    block = block_of(made, width, dtype)
    most = 3 * width + 3 if layout == STATE else 2 * block + width + 5
    given = whole(rng, most, lengths, dtype)
    wanted = by_numpy(made, given, [C])
    blocks = (block - 1, block, block + 1, block + width - 1, 2 * block + 1, most)
    for count in (most,) if layout == STATE else (*range(3 * width + 3), *blocks):
        actual = apply(run, layout, [x[most - count :] for x in given], sizes)
        for ours, theirs in zip(actual, wanted, strict=True):
            np.testing.assert_array_equal(ours, theirs[most - count :])


def block_of(made, width, dtype):
    """Return how many states the module takes at a time, read from its text; 64 without blocks."""
    if width == 1:
        return 1
    text = module_text(made, COLUMNS, dtype == np.float32, width)
    found = re.search(r"%whole = icmp ult i64 %rest, (\d+)", text)
    return int(found[1]) if found else 64


@together("name", ["few", "several", "lengths"])
def test_columns_of_wider_arrays(name, target, dtype):
    """Slices of wider arrays are read and filled in, and nothing between their rows is written."""
    width = width_of(COLUMNS, TARGETS[target], dtype)
    made = programs(width)[name]
    run = machine_code(made, COLUMNS, target, dtype, [C])
    sizes = [len(output.steps) for output in made.outputs]
    total = 4 * width + 9
    given = whole(np.random.default_rng(2), total, [length for _, length in made.inputs], dtype)
    wanted = by_numpy(made, given, [C])
    columns = [x.T.copy() for x in given]
    for begin, end in product((0, 1, width), (2, width, width + 1, 3 * width, total)):
        results = [np.full((size + 2, total), np.nan, dtype) for size in sizes]
        part = [result[1:-1, begin:end] for result in results]
        assert run(*(x[:, begin:end] for x in columns), *part) or begin >= end
        for result, theirs in zip(results, wanted, strict=True):
            np.testing.assert_array_equal(result[1:-1, begin:end], theirs[begin:end].T)
            outside = result.copy()
            outside[1:-1, begin:end] = np.nan
            assert np.isnan(outside).all()


def test_rows_may_run_backwards(target, dtype):
    """Rows of columns may follow each other at any distance, to either side."""
    made = programs(4)["several"]
    run = machine_code(made, COLUMNS, target, dtype, [C])
    given = whole(np.random.default_rng(3), 40, (2, 3, 1), dtype)
    results = [np.full((2 * size, 40), np.nan, dtype) for size in (1, 12, 4)]
    backwards = [x.T[::-1].copy()[::-1] for x in given]
    assert run(*backwards, *(result[::-2] for result in results))
    for result, theirs in zip(results, by_numpy(made, given, [C]), strict=True):
        np.testing.assert_array_equal(result[::-2], theirs.T)
        assert np.isnan(result[::2]).all()


GUARDED = """
import sys
import test_llvm_writer
test_llvm_writer.touch_nothing_beyond(sys.argv[1])
"""


def touch_nothing_beyond(target):
    """Run programs on arrays between protected pages; inputs cannot be written either."""
    rng = np.random.default_rng(4)
    for dtype, layout in product(TYPES.values(), LAYOUTS):
        width = width_of(layout, TARGETS[target], dtype)
        for name in ("one", "few", "nine", "lengths", "other lengths", "leaves"):
            made = programs(max(width, 2))[name]
            run = machine_code(made, layout, target, dtype, [C])
            lengths = [length for _, length in made.inputs]
            counts = (1,) if layout == STATE else (*range(1, 2 * width + 3), 40 * width + 1)
            for count, at_end in product(counts, (True, False)):
                guarded = Guarded()
                given = whole(rng, count, lengths, dtype)
                wanted = by_numpy(made, given, [C])
                shaped = {COLUMNS: lambda x: x.T, ROWS: lambda x: x, STATE: lambda x: x[0]}[layout]
                inputs = [guarded.array(shaped(x), at_end, read_only=True) for x in given]
                results = [guarded.array(shaped(y) * np.nan, at_end) for y in wanted]
                assert run(*inputs, *results)
                for ours, theirs in zip(results, wanted, strict=True):
                    assert np.array_equal(ours, shaped(theirs)), (dtype, layout, name, count)
    print("intact")


@pytest.mark.skipif(os.name != "posix", reason="pages are protected as POSIX does")
def test_nothing_beyond_the_arrays_is_touched(target):
    """Arrays may end or begin at a page that nobody may touch, whatever their number of states; of
    inputs nothing is written.
    """
    here = os.path.dirname(__file__)
    paths = os.pathsep.join([here, *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", GUARDED, target],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "intact\n", (done.returncode, done.stderr[-2000:])


@pytest.mark.skipif(os.name != "posix", reason="pages are protected as POSIX does")
def test_protected_pages_protect():
    """Reading in front of such an array, or behind it, ends a process."""
    code = (
        "import ctypes, sys, numpy as np\nfrom guarded_arrays import Guarded\n"
        "x = Guarded().array(np.zeros(5), sys.argv[1] == 'end')\n"
        "ctypes.string_at(x.ctypes.data + int(sys.argv[2]), 1)"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    for end, offset, crashes in (
        ("end", 40, True),
        ("end", 39, False),
        ("start", -1, True),
        ("start", 0, False),
    ):
        done = subprocess.run([sys.executable, "-c", code, end, str(offset)], env=env)
        assert (done.returncode != 0) is crashes


# --- operations


def every_operation():
    """Return a program with one result per operation, and operations on their results."""
    steps = [Step("input", (0, 0)), Step("input", (0, 1)), Step("constant", (0,)), Step("number")]
    steps[3] = Step("number", (), -0.3)
    masks = [len(steps), len(steps) + 1]
    steps += [Step("less", (0, 1)), Step("less_equal", (2, 0))]
    for operation, operands in OPERATIONS.items():
        if operation in ("and", "or", "not"):
            steps.append(Step(operation, tuple(masks[:operands])))
        elif operation == "select":
            steps.append(Step(operation, (masks[0], 0, 2)))
        elif operation in ("sqrt", "log"):
            steps += [Step("abs", (0,)), Step(operation, (len(steps),))]
        else:
            steps.append(Step(operation, ((0, 1) if len(steps) % 2 else (1, 0))[:operands]))
    count = len(steps)
    steps.append(Step("sin", (2,)))
    steps.append(Step("cos", (3,)))
    results = tuple(range(count + 2))
    output = Output("y", (len(results),), results)
    return Program("all", (("x", 2),), ("c",), tuple(steps), (output,))


@together("layout", LAYOUTS)
def test_every_operation_is_written(layout, target, dtype):
    """A step of each kind is computed as NumPy does, with inputs, constants and numbers; masks are
    1 and 0.
    """
    made = every_operation()
    assert {step.operation for step in made.steps} == {*OPERATIONS, "input", "constant", "number"}
    run = machine_code(made, layout, target, dtype, [1.9])
    given = [np.random.default_rng(5).uniform(-3.0, 3.0, (43, 2)).astype(dtype)]
    (wanted,) = by_numpy(made, given, [1.9])
    (actual,) = apply(run, layout, given, [wanted.shape[1]])
    # NumPy and machine code are each right to 4 units in the last place
    tolerance = 8 * np.finfo(dtype).eps
    np.testing.assert_allclose(actual, wanted, rtol=tolerance, atol=0.0)
    exact = [i for i, step in enumerate(made.steps) if step.operation in {*MASKS, "select", "neg"}]
    np.testing.assert_array_equal(actual[:, exact], wanted[:, exact])


def test_sine_and_cosine_of_one_angle_are_computed_together(dtype):
    """Where both are needed one reduction of the angle serves them."""
    single = dtype == np.float32

    def reductions(formulas):
        trace = Trace()
        x, y = trace.input("x", 2)
        values = formulas(x, y)
        made = trace.program("pair", {"y": ((len(values),), values)})
        text = module_text(made, COLUMNS, single, 4)
        return text.count(f"{Instructions(single, 4).number(0.6366197723675814)},")

    assert reductions(lambda x, y: [cos(x) * sin(x)]) == 1
    assert reductions(lambda x, y: [sin(x), y, cos(x)]) == 1
    assert reductions(lambda x, y: [sin(x)]) == 1
    assert reductions(lambda x, y: [sin(x), cos(y)]) == 2
    assert reductions(lambda x, y: [sin(x), cos(y), cos(x)]) == 2


@together("rows", [9, 16, 32, 33, 64, 66, 128, 130, 140, 200, 300, 700])
def test_rows_of_a_block_fall_on_different_sets_of_the_cache(rows, dtype):
    """A block fits its bytes, is a whole number of registers, and its rows begin an odd number of
    cache lines apart: no two of 64 on one of 64 sets.
    """
    for target in ("avx512", "avx2", "sse2"):
        width = width_of(COLUMNS, TARGETS[target], dtype)
        text = text_of(made_up((rows // 2,), (rows,), rows), COLUMNS, TARGETS[target], dtype)
        block = int(re.search(r"%whole = icmp ult i64 %rest, (\d+)", text)[1])
        places = [int(x) for x in re.findall(r"i64 (\d+)", text.split("@places0 = ")[1])]
        held = int(re.search(r"%buffer = alloca \[(\d+) x i8\]", text)[1])
        assert block % width == 0
        assert block == width or block * dtype.itemsize * rows <= BLOCK_BYTES
        assert (block + width) * dtype.itemsize * rows > BLOCK_BYTES
        pitch = np.diff(sorted(places))
        assert (pitch == pitch[0]).all()
        assert block * dtype.itemsize <= pitch[0] <= block * dtype.itemsize + 127
        assert held == pitch[0] * rows
        for first in range(0, rows - 64, 64):
            assert len({place // 64 % 64 for place in sorted(places)[first : first + 64]}) == 64


# --- bits


def rounded():
    """Return a program whose results depend on how each step is rounded."""
    trace = Trace()
    x, y = trace.input("x", 3), trace.input("y", 2)
    turn = sin(x[0]) * cos(x[1]) - cos(x[0]) * sin(x[2]) * y[0]
    root = sqrt(1.0 + y[1] * y[1])
    values = [turn, turn / root, exp(-abs(turn)) * y[0] + x[2], root * x[1] - y[1] * x[0]]
    values += [value * y[0] - value * x[1] for value in values]
    return trace.program("rounded", {"a": ((8,), values), "b": ((9,), [*values, root])})


@cache
def states_of_rounded(dtype):
    rng = np.random.default_rng(6)
    return [rng.uniform(-3.0, 3.0, (203, length)).astype(dtype) for length in (3, 2)]


@together("layout", LAYOUTS)
def test_bits_of_a_state_are_its_own(layout, target, dtype):
    """In any order, any part of the array and any lane, a state has the same bits: also beside
    states of NaN.
    """
    run = machine_code(rounded(), layout, target, dtype)
    given = states_of_rounded(dtype)
    results = apply(run, layout, given, (8, 9))
    order = np.random.default_rng(7).permutation(203)
    moved = apply(run, layout, [x[order] for x in given], (8, 9))
    for ours, before in zip(moved, results, strict=True):
        assert ours.tobytes() == before[order].tobytes()
    for begin, end in ((0, 1), (3, 5), (0, 7), (5, 22), (100, 203)):
        part = apply(run, layout, [x[begin:end] for x in given], (8, 9))
        for ours, before in zip(part, results, strict=True):
            assert ours.tobytes() == before[begin:end].tobytes()
    broken = [x.copy() for x in given]
    broken[0][::3, 0] = np.nan
    rest = np.arange(203) % 3 != 0
    for ours, before in zip(apply(run, layout, broken, (8, 9)), results, strict=True):
        assert ours[rest].tobytes() == before[rest].tobytes()
        assert np.isnan(ours[~rest]).any(axis=1).all()


def test_layouts_agree(target, dtype):
    """Columns, rows and single states differ by rounding at most, and are NaN in the same
    places.
    """
    given = [x.copy() for x in states_of_rounded(dtype)]
    given[0][::5, 1], given[1][2::7, 1] = np.nan, np.inf
    first, *others = (
        apply(machine_code(rounded(), layout, target, dtype), layout, given, (8, 9))
        for layout in LAYOUTS
    )
    for other in others:
        for ours, theirs in zip(other, first, strict=True):
            np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
            # a few roundings of terms that are below 100
            np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e3 * np.finfo(dtype).eps)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_and_slices_give_the_same_bits(threads, dtype):
    """However an array is divided, each state has the same bits."""
    count = threads * STATES_PER_THREAD + 13
    rng = np.random.default_rng(8)
    given = [rng.uniform(-3.0, 3.0, (count, length)).astype(dtype) for length in (3, 2)]
    alone, shared = (
        Kernel("rounded", "rounded", rounded, {}, dtype == np.float32, each)
        for each in (1, threads)
    )
    columns = [x.T.copy() for x in given]
    for ask, arrays in ((Kernel.rows, given), (Kernel.__call__, columns)):
        for ours, theirs in zip(ask(shared, *arrays), ask(alone, *arrays), strict=True):
            assert ours.tobytes() == theirs.tobytes()
    whole_results = alone(*columns)
    for begin, end in ((0, 5), (1, 100), (4095, 4099)):
        part = alone(*(x[:, begin:end] for x in columns))
        for ours, theirs in zip(part, whole_results, strict=True):
            assert np.array_equal(ours, theirs[:, begin:end])


# --- other systems

X86 = ("x86_64-unknown-linux-gnu", "x86_64-pc-windows-msvc", "x86_64-apple-macosx11.0.0")
ARM = ("aarch64-unknown-linux-gnu", "arm64-apple-macosx11.0.0")
ABROAD = [*product(X86, ("sse2", "avx2", "avx512")), *product(ARM, ("neon",))]
# how Windows grows a stack, from its own library; and a mark of code with floating-point numbers
OF_WINDOWS = {"__chkstk", "_fltused"}


@together("layout", LAYOUTS)
@together("triple, target", ABROAD)
def test_other_systems(triple, target, layout, dtype):
    """Objects for every system and instruction set refer to nothing outside; their loops use the
    registers and instructions of the set, and no wider ones.
    """
    chosen = TARGETS[target]
    text = text_of(rounded(), layout, chosen, dtype)
    code = compile_object(text, chosen, triple)
    missing = undefined_symbols(code)
    assert missing <= (OF_WINDOWS if "windows" in triple else set())
    assert (link(code)[1] is not None) == ("x86_64" in triple and "linux" in triple)
    written = assembly(text, chosen, triple)
    if target == "neon":
        kind = "2d" if dtype == np.float64 else "4s"
        fused = re.search(rf"\tfmla(\.{kind}\tv|\tv\d+\.{kind},)", written)
        assert bool(fused) == (layout != STATE)
        return
    registers = {"avx512": "zmm", "avx2": "ymm", "sse2": "xmm"}
    wider = list(registers.values())[: list(registers).index(target)]
    assert not any(each in written for each in wider)
    letter = "d" if dtype == np.float64 else "s"
    vectors = rf"\tv?mulp{letter}\s.*{registers[target]}"
    assert bool(re.search(vectors, written)) == (layout != STATE)
    assert bool(re.search(r"\tv[a-z]", written)) == (target != "sse2")
    assert ("fmadd" in written) == (target != "sse2")


def test_undefined_symbols_are_found():
    """The reader of object files sees what one of another module would need."""
    text = (
        f"declare void @elsewhere()\ndefine void @{ENTRY}() {{ call void @elsewhere() ret void }}"
    )
    for triple, target in ABROAD:
        code = compile_object(text, TARGETS[target], triple)
        names = {name.removeprefix("_") for name in undefined_symbols(code)}
        assert names - {"fltused"} == {"elsewhere"}
        assert link(code) == (code, None)


# --- linking


def test_linked_objects_run_as_they_lie(target, dtype, tmp_path):
    """A file mapped into memory, and what LLVM loads, linked or not, compute the same bits."""
    for layout in LAYOUTS:
        code = compile_object(text_of(rounded(), layout, TARGETS[target], dtype), TARGETS[target])
        image, entry = link(code)
        addresses = [load(code), load(image)]
        if entry is not None:
            path = tmp_path / f"{len(list(tmp_path.iterdir()))}"
            path.write_bytes(image)
            with path.open("rb") as file:
                addresses.append(map_file(file.fileno(), len(image), entry))
            assert len(image) == len(code)
            assert image != code
            assert link(image) == (image, entry)
        given = states_of_rounded(dtype)
        first, *others = (
            apply(function(address, [np.nan] * 2, dtype), layout, given, (8, 9))
            for address in addresses
        )
        for other in others:
            for ours, theirs in zip(other, first, strict=True):
                assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("system", ["win32", "darwin", "freebsd13"])
def test_other_systems_load_by_llvm(monkeypatch, system):
    """Only on Linux is a file run as it lies."""
    triple = "x86_64-unknown-linux-gnu"
    code = compile_object(text_of(rounded(), ROWS, TARGETS["sse2"]), TARGETS["sse2"], triple)
    monkeypatch.setattr(sys, "platform", "linux")
    assert link(code)[1] is not None
    monkeypatch.setattr(sys, "platform", system)
    assert link(code) == (code, None)


def test_what_is_no_object_file_is_not_linked():
    """Other bytes are left as they are."""
    for code in (b"", b"\x7fELF", bytes(64), b"\x7fELF\x01\x01" + bytes(64), b"MZ" + bytes(99)):
        assert link(code) == (code, None)


def test_constants_are_data(target, dtype):
    """One address computes with any constants: they are not in machine code."""
    made = programs(4)["few"]
    for layout in LAYOUTS:
        chosen = TARGETS[target]
        address = load(compile_object(text_of(made, layout, chosen, dtype), chosen))
        given = whole(np.random.default_rng(9), 20, (3,), dtype)
        for c in (0.75, -2.0, 0.0):
            run = function(address, [c, np.nan], dtype)
            (actual,) = apply(run, layout, given, (3,))
            np.testing.assert_array_equal(actual, by_numpy(made, given, [c])[0])


def test_pages_are_of_the_size_of_the_system():
    """Protected arrays begin and end at pages."""
    guarded = Guarded()
    for size, at_end in product((1, 511, 512, 513), (True, False)):
        x = guarded.array(np.arange(float(size)), at_end)
        place = x.ctypes.data + (x.nbytes if at_end else 0)
        assert place % mmap.PAGESIZE == 0
        np.testing.assert_array_equal(x, np.arange(float(size)))
