import pickle
import threading
import time
import warnings
from functools import cache
from itertools import pairwise

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together
from programs import mechanism

import irbmodels as irb
from irbmodels.compiled.kernels import CHUNK, STATES_PER_THREAD, Kernel, query_kernel
from irbmodels.compiled.llvm_entry import ROWS
from irbmodels.compiled.queries import OF_FRAMES, QUERIES
from irbmodels.compiled.trace import Trace
from irbmodels.errors import InputError
from irbmodels.robot.queries import reference

pytest.importorskip("llvmlite")

SAME = 1e-9  # of the largest entry, as promised; rounding leaves 1e-13
# between two ways to the same numbers: LLVM may contract products and sums in one and not in the
# other
NEARLY = 1e-12
SINGLE = 1e-4  # of the largest entry, promised within two turns
LANES = 16  # of the widest vector register, in single precision
POINT = (0.1, -0.2, 0.3)


@cache
def loaded(name, dressed=False):
    """Return a robot; with a tool, a payload, rotors and a tilted stand, none of its numbers is
    0.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)
        robot = irb.load(name)
    if not dressed:
        return robot
    load = irb.payload(
        7.0,
        [0.05, -0.03, 0.11],
        [[0.05, 0.004, -0.003], [0.004, 0.07, 0.006], [-0.003, 0.006, 0.04]],
    )
    tcp = pin.SE3(pin.rpy.rpyToMatrix(0.2, 0.4, -0.3), np.array([0.1, -0.05, 0.2]))
    tool = irb.Tool("made", tcp, irb.payload(5.0, [0.02, 0.01, 0.1], np.diag([0.05, 0.06, 0.03])))
    rotors = np.linspace(0.5, 3.0, robot.n)
    return (
        robot.with_tool(tool)
        .with_payload(load)
        .mounted(pin.rpy.rpyToMatrix(0.3, -0.5, 0.7))
        .with_rotors(rotors)
    )


@cache
def kernel(name, query, single=False, dressed=False, frame="tcp", point=None):
    """Return a kernel, the same one to every test."""
    stripped = mechanism(
        loaded(name, dressed), query, frame, None if point is None else np.array(point)
    )
    return query_kernel(query, stripped, single)


def states(robot, count, seed=0, far=1.0):
    """Return q, v, a ``(3, count, n)`` over the full range: at rest, creeping through the Stribeck
    speed, and moving.
    """
    rng = np.random.default_rng(seed)
    q = rng.uniform(robot.limits.lower, robot.limits.upper, (count, robot.n)) * np.where(
        robot.limits.linear, 1.0, far
    )
    v = rng.uniform(-1.0, 1.0, (count, robot.n)) * robot.limits.velocity
    v *= np.array([1.0, 0.0, 1e-3, 1e-12])[np.arange(count) % 4, None]
    return np.stack([q, v, rng.uniform(-5.0, 5.0, (count, robot.n))])


def expected(robot, query, given, frame="tcp", point=None):
    """Return what Pinocchio says, state by state, as a list of arrays ``(N, ...)``; nothing here
    goes through a kernel.
    """
    source = robot.find_frame(frame, point) if query in OF_FRAMES else robot.dynamic_model
    value = reference(query, source)
    values = [value(*state) for state in zip(*inputs(query, given), strict=True)]
    return [np.array(outputs) for outputs in zip(*values, strict=True)]


def inputs(query, given):
    """Take the arrays that a query wants."""
    named = dict(zip(("q", "v", "a"), given, strict=True)) | {"tau": given[2]}
    return [named[name] for name in QUERIES[query].inputs]


def listed(results):
    return list(results) if isinstance(results, tuple) else [results]


def by_columns(made, given):
    """Ask with one column per state, and return one row per state."""
    return [
        np.moveaxis(x, -1, 0)
        for x in listed(made(*(np.ascontiguousarray(x.T) for x in inputs(made.name, given))))
    ]


def by_rows(made, given):
    return listed(made.rows(*inputs(made.name, given)))


def one_by_one(made, given):
    actual = [listed(made(*state)) for state in zip(*inputs(made.name, given), strict=True)]
    return [np.array(x) for x in zip(*actual, strict=True)]


def agree(actual, wanted, tolerance=SAME):
    """Hold every result to the largest entry that it has at any of the states."""
    assert len(actual) == len(wanted)
    for ours, theirs in zip(actual, wanted, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(
            ours, theirs, rtol=0.0, atol=tolerance * np.abs(theirs).max(initial=0.0)
        )


# --- equal to the reference


@together("far", [1.0, 3e3])
@together("name", oracles.NAMES)
def test_inverse_dynamics_of_every_variant(name, far):
    """Over the full range, at rest, creeping and moving, and at up to ten thousand radians, all ten
    variants answer right.
    """
    robot, made = loaded(name), kernel(name, "inverse_dynamics")
    given = states(robot, 203, far=far)
    assert far == 1.0 or 5e3 < np.abs(given[0]).max() < 2.2e4
    given[0] = np.clip(given[0], -1e4, 1e4)
    wanted = expected(robot, "inverse_dynamics", given)
    agree(by_columns(made, given), wanted)
    agree(by_rows(made, given), wanted)


@together("query", QUERIES)
def test_every_query_over_arrays(query):
    """A SCARA with tool, payload, rotors and tilted stand answers every query right, by columns and
    by rows.
    """
    robot, made = loaded("irb930", dressed=True), kernel("irb930", query, dressed=True)
    given = states(robot, 75)
    wanted = expected(robot, query, given)
    agree(by_columns(made, given), wanted)
    agree(by_rows(made, given), wanted)


@together("query", QUERIES)
def test_every_query_at_one_state(query):
    """The same state by state."""
    robot, made = loaded("irb930", dressed=True), kernel("irb930", query, dressed=True)
    given = states(robot, 9, seed=1)
    agree(one_by_one(made, given), expected(robot, query, given))


@pytest.mark.parametrize(
    ("query", "frame", "point"),
    [
        ("hessian", "tcp", None),
        ("pose_and_jacobian", "link_4", POINT),
        ("mass_matrix", "tcp", None),
    ],
)
def test_arm_with_parallelogram(query, frame, point):
    """Matrices of the arm with a carrier are right, at a frame and at a point fixed to one."""
    robot, made = loaded("irb2400"), kernel("irb2400", query, frame=frame, point=point)
    given = states(robot, 41)
    wanted = expected(robot, query, given, frame, point)
    agree(by_columns(made, given), wanted)
    agree(by_rows(made, given), wanted)


@pytest.mark.parametrize(
    ("name", "query"),
    [("irb930", "inverse_dynamics"), ("irb930", "mass_matrix"), ("irb930", "gravity")],
)
def test_single_precision(name, query):
    """Within two turns float32 kernels are right to 1e-4 of the largest entry, and return
    float32.
    """
    robot, made = loaded(name), kernel(name, query, single=True)
    given = states(robot, 205)
    given[0] = np.where(
        robot.limits.linear,
        given[0],
        np.random.default_rng(0).uniform(-1, 1, given[0].shape) * 4 * np.pi,
    )
    wanted, given = expected(robot, query, given), given.astype(np.float32)
    for actual in (by_columns(made, given), by_rows(made, given)):
        assert all(x.dtype == np.float32 for x in actual)
        agree([x.astype(float) for x in actual], wanted, SINGLE)


def test_single_precision_at_one_state():
    """One state in float32 is right, too."""
    robot, made = loaded("irb930"), kernel("irb930", "gravity", single=True)
    given = states(robot, 5)
    actual = one_by_one(made, given.astype(np.float32))
    assert actual[0].dtype == np.float32
    agree(actual, expected(robot, "gravity", given), SINGLE)


def test_the_facade_gives_the_same_kernels():
    """``robot.compiled()`` has every query; frames and points go to those of frames."""
    robot = loaded("irb930", dressed=True)
    kernels, given = robot.compiled(), states(robot, 5)
    for query in QUERIES:
        assert getattr(kernels, query).name == query
        assert getattr(kernels, query)._code_key(ROWS) == kernel(
            "irb930", query, dressed=True
        )._code_key(ROWS)
    assert kernels.inverse_dynamics is kernels.inverse_dynamics
    assert kernels.at("link_2") is kernels.at("link_2")
    assert kernels.at("link_2").pose is kernels.at("link_2").pose
    for query in OF_FRAMES:
        assert getattr(kernels.at("tcp"), query)._code_key(ROWS) == getattr(
            kernels, query
        )._code_key(ROWS)
    agree(
        by_columns(kernels.at("tcp", POINT).pose, given),
        expected(robot, "pose", given, point=POINT),
    )
    single = robot.compiled(friction=False, single=True, threads=3)
    assert (
        single.at("tool0").pose.dtype
        == single.regressor.dtype
        == single.gravity.dtype
        == np.float32
    )
    assert (
        single.at("tool0").pose.threads == single.regressor.threads == single.gravity.threads == 3
    )
    for friction in (False, True):
        made = loaded("irb2400").compiled(friction=friction).inverse_dynamics
        assert ("FC1" in made._constants) is friction
    with pytest.raises(irb.UnknownName):
        kernels.at("link_9")


# --- any number of states


COUNTS = [*range(20), 31, 32, 33, 170, 171, 1000, 2053, 4097]
"""Numbers of states around the widths of registers and tiles, and of one to several blocks."""

FEW = ("irb930", "inverse_dynamics", False)  # few results: columns go straight to where they belong
MANY = ("irb930", "mass_matrix", False)  # more than eight, some of them equal: tiles
TWO = ("irb930", "energy", False)  # several results
NARROW = ("irb930", "gravity", True)  # float32, one result used several times


@pytest.mark.parametrize(("name", "query", "single"), [FEW, MANY, TWO, NARROW])
def test_any_number_of_states(name, query, single):
    """However many states there are, each gets its own answer: what one large array gives, in
    either layout.
    """
    robot, made = loaded(name), kernel(name, query, single)
    most = max(COUNTS)
    given = states(robot, most, seed=2).astype(made.dtype)
    whole = by_columns(made, given)
    agree(
        [x[:97].astype(float) for x in whole],
        expected(robot, query, given[:, :97].astype(float)),
        SINGLE if single else SAME,
    )
    tolerance = 1e-5 if single else NEARLY
    agree(by_rows(made, given), whole, tolerance)
    for count in COUNTS:
        part = given[:, most - count :]
        for ask in (by_columns, by_rows):
            agree(ask(made, part), [x[most - count :] for x in whole], tolerance)


@pytest.mark.parametrize(("name", "query", "single"), [FEW, MANY, TWO, NARROW])
def test_nothing_beside_the_results_is_written(name, query, single):
    """Machine code fills the states that it was told to, and leaves all numbers before, behind and
    between alone.
    """
    robot, made = loaded(name), kernel(name, query, single)
    total, edge = 2100, 32
    given = inputs(query, states(robot, total, seed=3).astype(made.dtype))
    columns = [np.ascontiguousarray(x.T) for x in given]
    whole = [np.moveaxis(x, -1, 0).reshape(total, -1) for x in listed(made(*columns))]
    parts = [(0, 0), (0, 1), (3, 10), (5, 13), (16, 187), (7, 2070), (total - 9, total), (1, total)]
    for begin, end in parts:
        for form, axis in ((made._columns, 1), (made._rows, 0)):
            buffers = [np.full(2 * edge + size * total, np.nan, made.dtype) for size in form.sizes]
            shaped = [buffer[edge:-edge] for buffer in buffers]
            shaped = [x.reshape((-1, total) if axis else (total, -1)) for x in shaped]
            arrays = [*(columns if axis else given), *shaped]
            part = (slice(None), slice(begin, end)) if axis else slice(begin, end)
            assert form.run(*(x[part] for x in arrays))
            actual = [x.T if axis else x for x in shaped]
            for ours, theirs, buffer in zip(actual, whole, buffers, strict=True):
                tolerance = (1e-5 if single else NEARLY) * np.abs(theirs).max()
                np.testing.assert_allclose(
                    ours[begin:end], theirs[begin:end], rtol=0.0, atol=tolerance
                )
                assert np.isnan(ours[:begin]).all()
                assert np.isnan(ours[end:]).all()
                assert np.isnan(buffer[:edge]).all()
                assert np.isnan(buffer[-edge:]).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(("name", "query", "single"), [FEW, MANY, NARROW])
def test_nan_stays_in_its_state(name, query, single, value):
    """In whichever lane of a register it is, NaN or infinity in one state makes that state NaN, and
    changes no other.
    """
    robot, made = loaded(name), kernel(name, query, single)
    count = 3 * LANES + 5
    given = states(robot, count, seed=4).astype(made.dtype)
    for ask in (by_columns, by_rows):
        clean = ask(made, given)
        for lane in range(count):
            broken = given.copy()
            broken[0, lane, 1] = value
            for ours, before in zip(ask(made, broken), clean, strict=True):
                # of a SCARA that stands upright it does not depend on the state
                if query != "gravity":
                    assert np.isnan(ours[lane]).any()
                assert np.array_equal(
                    np.delete(ours, lane, axis=0), np.delete(before, lane, axis=0)
                )


def test_one_state_of_nan():
    """At one state NaN and infinity come out as NaN."""
    made = kernel("irb930", "inverse_dynamics", dressed=True)
    q, v, a = states(loaded("irb930"), 1)[:, 0]
    for value in (np.nan, np.inf):
        broken = q.copy()
        broken[1] = value
        assert np.isnan(made(broken, v, a)).any()


# --- any array


def layouts(x):
    """Return an array of two axes in many layouts, all with the same numbers."""
    wide = np.full((2 * x.shape[0] + 1, 3 * x.shape[1]), np.nan, x.dtype)
    wide[1::2, ::3] = x
    frozen = x.copy()
    frozen.setflags(write=False)
    raw = np.frombuffer(bytearray(x.nbytes + 1), x.dtype, x.size, 1).reshape(x.shape)
    raw[:] = x
    return {
        "contiguous": x.copy(),
        "fortran": np.asfortranarray(x),
        "every other": wide[1::2, ::3],
        "backwards": x[::-1, ::-1].copy()[::-1, ::-1],
        "read-only": frozen,
        "unaligned": raw,
    }


@pytest.mark.parametrize("count", [10, CHUNK + 7])
def test_any_layout(count):
    """Strided, backward, Fortran, read-only and unaligned arrays give the answers of contiguous
    ones, and keep their numbers.
    """
    robot, made = loaded("irb930"), kernel("irb930", "inverse_dynamics")
    given = states(robot, count, seed=5)
    whole = by_rows(made, given)[0]
    agree([whole[:50]], expected(robot, "inverse_dynamics", given[:, :50]))
    agree([whole[-50:]], expected(robot, "inverse_dynamics", given[:, -50:]))
    for name, odd in layouts(given[0]).items():
        before = odd.copy()
        for states_of in ((odd, given[1], given[2]), (odd, *(layouts(x)[name] for x in given[1:]))):
            agree([made.rows(*states_of)], [whole], NEARLY)
        for odd_columns in (odd.T, layouts(given[0].T)[name]):
            agree([made(odd_columns, given[1].T, given[2].T.copy()).T], [whole], NEARLY)
        assert np.array_equal(odd, before)


def test_any_layout_of_one_state():
    """The same for one state."""
    robot, made = loaded("irb930", dressed=True), kernel("irb930", "inverse_dynamics", dressed=True)
    q, v, a = states(robot, 1, seed=6)[:, 0]
    (wanted,) = expected(robot, "inverse_dynamics", np.stack([q, v, a])[:, None])
    for odd in layouts(q[None]).values():
        agree([made(odd[0], v, a)], [wanted[0]])
    agree([made(np.stack([q, q]).T[:, 1], v, a)], [wanted[0]])


def test_repeated_states():
    """Arrays that repeat one state by a stride of 0 answer like its copies."""
    robot, made = loaded("irb930"), kernel("irb930", "inverse_dynamics")
    q, v, a = states(robot, 30, seed=7)
    wanted = made.rows(q, np.tile(v[2], (30, 1)), a)
    once = np.broadcast_to(v[2], v.shape)
    agree([made.rows(q, once, a)], [wanted], NEARLY)
    agree([made(q.T, once.T, a.T).T], [wanted], NEARLY)
    agree([made.rows(*np.broadcast_arrays(q, v[2], a))], [wanted], NEARLY)
    agree([made(*(x.T for x in np.broadcast_arrays(q, v[2], a))).T], [wanted], NEARLY)


def test_one_array_for_all_inputs():
    """One and the same array may be all of the inputs."""
    robot, made = loaded("irb930"), kernel("irb930", "inverse_dynamics")
    q = states(robot, 30, seed=8)[0]
    agree([made.rows(q, q, q)], expected(robot, "inverse_dynamics", np.stack([q, q, q])))


def test_rows_convert_numbers():
    """Rows take integers and float32, and compute in double precision."""
    made = kernel("irb930", "inverse_dynamics")
    given = np.random.default_rng(9).integers(-3, 4, (3, 20, 4))
    wanted = made.rows(*given.astype(float))
    assert wanted.dtype == np.float64
    agree([made.rows(*given)], [wanted], NEARLY)
    agree([made.rows(*given.astype(np.float32))], [wanted], NEARLY)
    agree(
        [made.rows(given[0].astype(np.float32), given[1], given[2].astype(float))], [wanted], NEARLY
    )


def test_results_are_filled_in():
    """``out`` takes the results, of arrays and of one state, and is returned."""
    robot = loaded("irb930", dressed=True)
    for query, shape in (("inverse_dynamics", (4,)), ("mass_matrix", (4, 4))):
        made = kernel("irb930", query, dressed=True)
        given = states(robot, 21, seed=10)
        columns = [x.T.copy() for x in inputs(query, given)]
        for count in ((21,), ()):
            asked = columns if count else [x[:, 3].copy() for x in columns]
            out = np.full((*shape, *count), np.nan)
            actual = made(*asked, out=out)
            assert np.shares_memory(actual, out)
            assert actual.shape == out.shape
            assert np.array_equal(out, made(*asked))


def test_results_of_any_origin_are_filled_in(tmp_path):
    """``out`` may have been pickled, be mapped from a file, be a subclass, or a column of another
    array.
    """
    made = kernel("irb930", "inverse_dynamics")
    for count in (1, 30):
        columns = [x.T.copy() for x in states(loaded("irb930"), count, seed=10)]
        wanted = made(*columns)
        path = tmp_path / str(count)
        np.zeros((4, count)).tofile(path)
        origins = [
            pickle.loads(pickle.dumps(np.zeros((4, count)))),
            np.memmap(path, float, "r+", shape=(4, count)),
            np.zeros((4, count)).view(type("Subclass", (np.ndarray,), {})),
            np.zeros((4, count), np.dtype(float, metadata={"of": "another"})),
        ]
        if count == 1:
            origins.append(np.zeros((7, 4)).T[:, 2:3])
        for out in origins:
            assert np.shares_memory(made(*columns, out=out), out)
            assert np.array_equal(out, wanted)
        swapped_twice = np.dtype(">f8").newbyteorder()
        for make in (lambda x: pickle.loads(pickle.dumps(x)), lambda x: x.astype(swapped_twice)):
            given = [make(x) for x in columns]
            assert np.array_equal(made(*given, out=make(np.zeros((4, count)))), wanted)
            assert np.array_equal(
                made.rows(*(x.T for x in given)), made.rows(*(x.T for x in columns))
            )
            assert np.array_equal(
                made(*(x[:, 0] for x in given)), made(*(x[:, 0] for x in columns))
            )


def test_limits_of_one_state():
    """No limits are none; new limits hold from then on, and those that are not given are none."""
    made = query_kernel(
        "inverse_dynamics", mechanism(loaded("irb930", dressed=True), "inverse_dynamics")
    )
    given = np.full((3, 4), 2.0)  # of a square of 16
    wanted = made(*given)
    for limits, taken in (
        ((), True),
        ((16.0, 16.0, 15.9), False),
        ((16.0, 16.0, 16.0), True),
        ((15.9,), False),
        ((16.0,), True),
        ((16.0, 15.9), False),
    ):
        made.limit(*limits)
        actual = made.within(*given)
        assert np.array_equal(actual, wanted) if taken else actual is None


def test_many_inputs():
    """A program of one state may have any number of inputs; none of them has a limit."""
    trace = Trace()
    xs = [trace.input(f"x{i}", 1)[0] for i in range(30)]
    total = sum(xs[1:], xs[0]) + trace.constant("c")
    program = trace.program("sum", {"y": ((1,), [total])})
    made = Kernel("sum", "sum of thirty", lambda: program, {"c": 0.5})
    given = [np.array([float(i)]) for i in range(30)]
    for _ in range(3):
        assert made(*given)[0] == sum(range(30)) + 0.5
        assert made.within(*given)[0] == sum(range(30)) + 0.5


def test_results_belong_to_the_caller():
    """Answers are new arrays: neither later calls nor the caller's writing change one of them, or
    the inputs.
    """
    made = kernel("irb930", "inverse_dynamics", dressed=True)
    given = states(loaded("irb930"), 20, seed=11)
    columns, one = [x.T.copy() for x in given], [x[0].copy() for x in given]
    for ask in (lambda: made(*columns), lambda: made(*one), lambda: made.rows(*given)):
        first = ask()
        kept = first.copy()
        second = ask()
        assert not np.shares_memory(first, second)
        second[...] = np.nan
        assert np.array_equal(first, kept)
        assert np.array_equal(ask(), kept)
        assert first.flags.writeable


def test_shapes():
    """A matrix has its own axes first and the states last, by rows the other way round; scalars
    have the states alone.
    """
    for query, shapes in (
        ("mass_matrix", [(4, 4)]),
        ("energy", [(), ()]),
        ("regressor", [(4, 44)]),
        ("hessian", [(6, 4, 4)]),
    ):
        made = kernel("irb930", query, dressed=True)
        for count in (0, 1, 5):
            given = states(loaded("irb930"), count)
            asked = inputs(query, given)
            assert [x.shape for x in listed(made(*(x.T.copy() for x in asked)))] == [
                (*shape, count) for shape in shapes
            ]
            assert [x.shape for x in listed(made.rows(*asked))] == [
                (count, *shape) for shape in shapes
            ]
        assert [
            x.shape for x in listed(made(*np.zeros((len(QUERIES[made.name].inputs), 4))))
        ] == shapes


# --- refused

ONE, SOME = np.zeros(4), np.zeros((4, 10))
WRONG = {
    "short": (ONE[:3], ONE, ONE),
    "long": (ONE, np.zeros(5), ONE),
    "last one long": (ONE, ONE, np.zeros(7)),
    "two": (ONE, ONE),
    "a gap": (ONE, None, ONE),
    "nothing": (None, None, None),
    "lists": ([0.0] * 4, [0.0] * 4, [0.0] * 4),
    "a list of lists": (SOME.tolist(), SOME, SOME),
    "a number": (1.0, ONE, ONE),
    "an array of one number": (np.array(1.0), ONE, ONE),
    "text": ("q", ONE, ONE),
    "one and many": (ONE, SOME, SOME),
    "many and one": (SOME, ONE, SOME),
    "fewer": (SOME, SOME[:, :9], SOME),
    "more": (SOME, np.zeros((4, 11)), SOME),
    "rows": (SOME.T, SOME.T, SOME.T),
    "rows that are columns": (SOME.T.copy(), SOME.T.copy(), SOME.T.copy()),
    "three axes": (SOME[..., None], SOME[..., None], SOME[..., None]),
    "single": (SOME.astype(np.float32), SOME, SOME),
    "all single": tuple(SOME.astype(np.float32) for _ in range(3)),
    "one single": (ONE, ONE, ONE.astype(np.float32)),
    "integers": (ONE.astype(int), ONE.astype(int), ONE.astype(int)),
    "complex": (SOME + 0j, SOME, SOME),
    "objects": (SOME.astype(object), SOME, SOME),
    "one of objects": (ONE, ONE.astype(object), ONE),
    "swapped bytes": (SOME.astype(">f8"), SOME, SOME),
    "one with swapped bytes": (ONE.astype(">f8"), ONE, ONE),
    "half": (ONE.astype(np.float16), ONE, ONE),
    "strings": (ONE.astype(str), ONE, ONE),
    "dates": (SOME.astype("M8[s]"), SOME, SOME),
}


@together("wrong", WRONG.values())
def test_what_is_no_state_is_refused(wrong):
    """Wrong shapes, numbers of states and types are refused with one line that says what is
    wanted.
    """
    made = kernel("irb930", "inverse_dynamics", dressed=True)
    made(ONE, ONE, ONE)  # its machine code for one state is in use
    with pytest.raises(InputError) as caught:
        made(*wrong)
    assert (
        "inverse_dynamics takes arrays of float64: q (4,) or (4, N), v (4,) or (4, N), a (4,) or"
        " (4, N)" in str(caught.value)
    )
    assert "\n" not in str(caught.value)


def test_swapped_bytes_are_refused_whatever_was_asked_before():
    """Numba has taken an array of swapped bytes for doubles, once it had seen an unaligned one: a
    kernel does not.
    """
    made = kernel("irb930", "inverse_dynamics", dressed=True)
    made.limit(100.0, 100.0, 100.0)
    one = np.array([0.1, 0.2, -0.1, 0.3])
    some = np.tile(one[:, None], (1, 5))
    for x in (one, some):
        unaligned = np.frombuffer(bytearray(x.nbytes + 1), float, x.size, 1).reshape(x.shape)
        unaligned[...] = x
        assert np.array_equal(made(unaligned, x, x), made(x, x, x))
        for place in range(3):
            given = [x, x, x]
            given[place] = x.astype(">f8")
            with pytest.raises(InputError):
                made(*given)
            assert made.within(*given) is None if x.ndim == 1 else True
        with pytest.raises(InputError):
            made(x, x, x, out=np.zeros_like(x).astype(">f8"))


@together(
    "out",
    [
        np.zeros((4, 9)),
        np.zeros((10, 4)),
        np.zeros((5, 10)),
        np.zeros(40),
        np.zeros((4, 10), np.float32),
        np.zeros((4, 10), order="F"),
        np.zeros((4, 20))[:, ::2],
        np.broadcast_to(0.0, (4, 10)),
        [0.0],
    ],
)
def test_results_that_do_not_fit_are_refused(out):
    """An ``out`` of another shape, type or layout is refused, whatever the layout of the inputs."""
    made = kernel("irb930", "inverse_dynamics")
    for given in (SOME, np.asfortranarray(SOME)):
        with pytest.raises(InputError, match="out"):
            made(given, given, given, out=out)


@pytest.mark.parametrize(
    "out",
    [np.zeros((4, 4, 10), order="F"), np.zeros((4, 4, 20))[..., ::2]],
    ids=["fortran", "strided"],
)
def test_matrices_that_would_be_copied_are_refused(out):
    """An ``out`` that can only be reshaped by copying would stay as it was."""
    with pytest.raises(InputError, match="out"):
        kernel("irb930", "mass_matrix")(SOME, out=out)


def test_results_that_overlap_inputs_are_refused():
    """Machine code was promised that ``out`` and the inputs are apart."""
    made, both = kernel("irb930", "inverse_dynamics"), np.zeros((8, 10))
    for out in (both[:4], both[2:6]):
        with pytest.raises(InputError, match="apart"):
            made(both[:4], SOME, SOME, out=out)
    assert made(both[:4], SOME, SOME, out=both[4:]).shape == (4, 10)


def test_queries_with_several_results_take_no_out():
    """``out`` is one array."""
    with pytest.raises(InputError, match="out"):
        kernel("irb930", "energy")(SOME, SOME, out=np.zeros(10))


@pytest.mark.parametrize(
    "wrong",
    [
        (SOME, SOME, SOME),
        (ONE, ONE, ONE),
        (SOME.T, SOME.T),
        (SOME.T, SOME.T, SOME.T, SOME.T),
        (SOME.T, SOME.T[:9], SOME.T),
        (SOME.T, np.zeros((10, 5)), SOME.T),
        (SOME.T[None], SOME.T[None], SOME.T[None]),
    ],
    ids=["columns", "one", "two", "four", "fewer", "wider", "three axes"],
)
def test_rows_that_do_not_fit_are_refused(wrong):
    """Rows of another shape or number are refused."""
    with pytest.raises(InputError, match=r"inverse_dynamics takes .*transposed"):
        kernel("irb930", "inverse_dynamics").rows(*wrong)


@pytest.mark.parametrize(
    "wrong", [(None, None, None), ([[0.0] * 4],) * 3, (), (np.array(1.0),) * 3, (SOME.T + 0j,) * 3]
)
def test_rows_that_are_no_arrays_of_numbers_are_refused(wrong):
    """Rows take arrays of real numbers alone."""
    with pytest.raises(InputError):
        kernel("irb930", "inverse_dynamics").rows(*wrong)


# --- threads


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(("name", "query", "single"), [FEW, MANY])
def test_threads_share_an_array(name, query, single, threads):
    """Two or three threads give the answers of one, however the states divide."""
    robot, alone = loaded(name), kernel(name, query, single)
    shared = query_kernel(query, mechanism(robot, query), single, threads)
    for count in (
        5,
        STATES_PER_THREAD - 1,
        threads * STATES_PER_THREAD,
        threads * STATES_PER_THREAD + 13,
        5 * STATES_PER_THREAD + 1,
    ):
        given = states(robot, count, seed=12)
        agree(by_columns(shared, given), by_columns(alone, given), NEARLY)
        agree(by_rows(shared, given), by_columns(alone, given), NEARLY)


def test_threads_take_parts_of_an_array(monkeypatch):
    """Every state belongs to one thread; no thread has less than what is worth starting it, and
    none is started for few.
    """
    made = query_kernel("gravity", mechanism(loaded("irb930"), "gravity"), threads=3)
    for count in (
        0,
        1,
        STATES_PER_THREAD,
        2 * STATES_PER_THREAD - 1,
        2 * STATES_PER_THREAD,
        2 * STATES_PER_THREAD + 50,
        3 * STATES_PER_THREAD - 1,
        3 * STATES_PER_THREAD + 1,
        100_003,
    ):
        parts, names = [], set()
        lock = threading.Lock()

        def run(begin, end):
            if threading.current_thread() is not threading.main_thread():
                time.sleep(0.01)  # nobody may go on before it is done
            with lock:
                parts.append((begin, end))
                names.add(threading.get_ident())
            return True

        before = threading.active_count()
        made._run_in_threads(run, count)
        assert threading.active_count() == before
        parts.sort()
        if count == 0:
            assert not parts
            continue
        assert len(parts) == max(1, min(3, count // STATES_PER_THREAD))
        assert parts[0][0] == 0
        assert parts[-1][1] == count
        assert all(end == begin for (_, end), (begin, _) in pairwise(parts))
        assert all(begin % LANES == 0 for begin, _ in parts), (
            "two threads would write to one cache line"
        )
        assert threading.get_ident() in names


def test_threads_and_arrays_that_must_be_copied(capfd):
    """Several threads take Fortran arrays as one does, refuse wrong types as one does, and print
    nothing.
    """
    alone = kernel("irb930", "inverse_dynamics")
    shared = query_kernel(
        "inverse_dynamics", mechanism(loaded("irb930"), "inverse_dynamics"), threads=2
    )
    q, v, a = states(loaded("irb930"), 2 * STATES_PER_THREAD + 3, seed=13)
    agree([shared(q.T, v.T, a.T)], [alone(q.T, v.T, a.T)], NEARLY)
    with pytest.raises(InputError):
        shared(q.T.astype(np.float32, order="C"), v.T, a.T)
    assert capfd.readouterr().err == ""


def test_one_kernel_in_two_threads():
    """Two threads that call one kernel at once, with their own states, get their own answers."""
    robot, made = loaded("irb930", dressed=True), kernel("irb930", "inverse_dynamics", dressed=True)
    halves = [states(robot, 3000, seed) for seed in (14, 15)]
    wanted = [by_columns(made, given)[0] for given in halves]
    wrong, start = [], threading.Barrier(2)

    def ask(number):
        given = halves[number]
        start.wait()
        for turn in range(40):
            columns, rows = by_columns(made, given)[0], by_rows(made, given)[0]
            one = made(*given[:, turn])
            close = [np.allclose(x, wanted[number], rtol=0.0, atol=1e-6) for x in (columns, rows)]
            if not (all(close) and np.allclose(one, wanted[number][turn], rtol=0.0, atol=1e-6)):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- constants and copies


def test_robots_of_one_structure_share_machine_code(caplog):
    """Another tool, payload, variant or set of inertials needs no compiling, and gives other
    numbers, which are right.
    """
    robot = loaded("irb930", dressed=True)
    made = kernel("irb930", "inverse_dynamics", dressed=True)
    given = states(robot, 20, seed=16)
    mine = by_rows(made, given)[0]
    one_by_one(made, given)
    caplog.clear()
    heavy = irb.payload(
        9.0, [0.01, 0.02, 0.2], [[0.06, 0.001, -0.002], [0.001, 0.08, 0.003], [-0.002, 0.003, 0.05]]
    )
    other = robot.with_payload(heavy)
    for changed in (
        other,
        robot.with_rotors(2.0 * robot.rotors),
        other.mounted(pin.rpy.rpyToMatrix(0.1, 0.2, 0.4)),
    ):
        theirs = changed.compiled().inverse_dynamics
        actual = by_rows(theirs, given)
        agree(actual, expected(changed, "inverse_dynamics", given))
        agree(one_by_one(theirs, given), expected(changed, "inverse_dynamics", given))
        assert np.abs(actual[0] - mine).max() > 1e-2 * np.abs(mine).max()
    assert "compiled" not in caplog.text
    agree(by_rows(made, given), [mine], 0.0)


def test_kernels_pickle():
    """A kernel pickles, used or not, and answers the same."""
    robot, made = loaded("irb930"), kernel("irb930", "gravity", single=True)
    copy = pickle.loads(
        pickle.dumps(query_kernel("gravity", mechanism(robot, "gravity"), single=True, threads=3))
    )
    assert (copy.name, copy.dtype, copy.threads) == ("gravity", np.float32, 3)
    given = states(robot, 20, seed=17).astype(np.float32)
    agree(by_rows(pickle.loads(pickle.dumps(made)), given), by_rows(made, given), 0.0)
    agree(by_rows(copy, given), by_rows(made, given), 0.0)
