import copy
import importlib.util
import logging
import os
import pickle
import subprocess
import sys
import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest
from test_kernels import SAME, agree, expected, loaded, states

import irbmodels as irb
from irbmodels.compiled import cache, dispatch
from irbmodels.compiled.dispatch import WORTH, Dispatch
from irbmodels.compiled.kernels import Kernel
from irbmodels.errors import InputError, MissingExtra
from irbmodels.model.friction import Stribeck

pytest.importorskip("llvmlite")

# of friction that nobody knows
pytestmark = pytest.mark.filterwarnings("ignore::irbmodels.PhysicsWarning")

WRENCH = [10.0, -20.0, 30.0, 1.0, 2.0, -3.0]


@pytest.fixture
def robot():
    """Return a robot that has been asked nothing; its numbers are those of the one that other tests
    share.
    """
    return copy.copy(loaded("irb930", dressed=True)).with_rotors(np.linspace(0.5, 3.0, 4))


@pytest.fixture
def used(monkeypatch):
    """Return a list that grows with every answer of machine code: the query, and how many
    states.
    """
    calls = []
    rows, call, within = Kernel.rows, Kernel.__call__, Kernel.within

    def spy(original, count):
        def instead(self, *args, **named):
            answer = original(self, *args, **named)
            if answer is not None:
                calls.append((self.name, count(args)))
            return answer

        return instead

    monkeypatch.setattr(Kernel, "rows", spy(rows, lambda args: len(args[0])))
    monkeypatch.setattr(Kernel, "__call__", spy(call, lambda _: 1))
    monkeypatch.setattr(Kernel, "within", spy(within, lambda _: 1))
    return calls


@pytest.fixture
def without(monkeypatch):
    """Return a function that hides packages."""
    real = importlib.util.find_spec

    def hide(*names):
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name, *rest: None if name in names else real(name, *rest),
        )

    dispatch.installed.cache_clear()
    yield hide
    monkeypatch.undo()
    dispatch.installed.cache_clear()


# --- when


class Made:
    """Stands for a kernel."""

    name = "made"

    def __init__(self, operations=10, ready=False):
        self.operations, self.is_ready = lambda: operations, lambda: ready


def test_states_add_up():
    """A query gets its kernel with the state that makes a thousand, in one array or in many; each
    query has its own count.
    """
    book, made = Dispatch(), []

    def make():
        made.append(Made())
        return made[-1]

    assert book.kernel("a", WORTH - 1, make) is None
    assert book.kernel("b", WORTH - 1, make) is None
    assert book.kernel("a", 0, make) is None
    assert made == []
    first = book.kernel("a", 1, make)
    assert first is made[0]
    assert book.kernel("a", 1, make) is first
    assert book.kernel("a", 0, make) is first
    assert len(made) == 1
    assert book.kernel("c", WORTH, make) is made[1]
    assert book.kernel("b", 1, make) is made[2]


def test_what_is_not_remembered_is_judged_alone():
    """Queries of points leave nothing behind, and get a kernel where one array is worth it."""
    book = Dispatch()
    for _ in range(3):
        assert book.kernel("a", WORTH - 1, Made, remember=False) is None
    assert isinstance(book.kernel("a", WORTH, Made, remember=False), Made)
    assert book.kernel("a", WORTH - 1, Made) is None


def test_too_many_operations(caplog):
    """What would take minutes to compile stays with Pinocchio, which is said once; what is compiled
    already is taken.
    """
    book = Dispatch()
    for _ in range(3):
        assert book.kernel("a", WORTH, lambda: Made(dispatch.LONGEST + 1)) is None
    assert [record.getMessage() for record in caplog.records] == [
        f"made takes {dispatch.LONGEST + 1} operations, too many to compile: Pinocchio answers,"
        " state by state"
    ]
    assert book.kernel("b", WORTH, lambda: Made(dispatch.LONGEST)) is not None
    assert book.kernel("c", WORTH, lambda: Made(dispatch.LONGEST + 1, ready=True)) is not None


def test_a_long_query_is_answered_by_pinocchio(robot, used, monkeypatch):
    """Where a program is too long the answer is right all the same."""
    monkeypatch.setattr(dispatch, "LONGEST", 1)
    monkeypatch.setattr(Kernel, "is_ready", lambda _: False)
    given = states(robot, WORTH)
    agree([robot.mass_matrix(given[0])], expected(robot, "mass_matrix", given))
    assert used == []


def test_without_the_extra(robot, used, without, caplog):
    """Without llvmlite Pinocchio answers arrays, right; the log says so once, for all robots
    and queries.
    """
    without("llvmlite")
    given = states(robot, WORTH)
    for _ in range(2):
        agree([robot.inverse_dynamics(*given)], expected(robot, "inverse_dynamics", given))
        agree([robot.gravity(given[0])], expected(robot, "gravity", given))
    loaded("irb1400").gravity(np.zeros((WORTH, 6)))
    assert used == []
    (record,) = caplog.records
    assert record.getMessage().startswith("llvmlite is not installed: Pinocchio answers")
    assert "irbmodels[fast]" in record.getMessage()


def test_kernels_without_the_extra(robot, without, monkeypatch):
    """Who asks for bare kernels is told what to install."""
    from irbmodels import errors

    without("llvmlite")
    monkeypatch.setattr(errors, "find_spec", importlib.util.find_spec, raising=False)
    cache.environment_key.cache_clear()
    try:
        with pytest.raises(MissingExtra, match=r"llvmlite.*fast"):
            robot.compiled()
    finally:
        cache.environment_key.cache_clear()


@pytest.mark.parametrize("threads", [0, -1, 1.0, "2", None])
def test_threads_are_a_positive_number(robot, threads):
    """Anything else is refused."""
    with pytest.raises(InputError, match="threads"):
        robot.compiled(threads=threads)


# --- through the facade


def test_a_thousand_states(robot, used):
    """999 states are Pinocchio's, one more makes the kernel's turn, of the same query alone;
    answers are those of before.
    """
    q, v, a = states(robot, WORTH)
    few = robot.inverse_dynamics(q[1:], v[1:], a[1:])
    robot.forward_dynamics(q[1:], v[1:], a[1:])
    assert used == []
    one = robot.inverse_dynamics(q[0], v[0], a[0])
    assert used == [("inverse_dynamics", 1)]
    agree([np.vstack([one, few])], expected(robot, "inverse_dynamics", np.stack([q, v, a])))
    agree([robot.inverse_dynamics(q[1:3], v[1:3], a[1:3])], [few[:2]])
    assert used[1:] == [("inverse_dynamics", 2)]
    robot.inverse_dynamics(q[:9], v[:9], a[:9], friction=False)
    robot.gravity(q[:9])
    assert len(used) == 2
    robot.with_payload(irb.payload(1.0, [0, 0, 0.1])).inverse_dynamics(q[:9], v[:9], a[:9])
    assert len(used) == 2, "another robot counts anew"


QUERIES = {
    "inverse_dynamics": lambda r, q, v, a: [r.inverse_dynamics(q, v, a)],
    "forward_dynamics": lambda r, q, v, a: [r.forward_dynamics(q, v, a)],
    "mass_matrix": lambda r, q, v, a: [r.mass_matrix(q)],
    "coriolis": lambda r, q, v, a: [r.coriolis(q, v)],
    "gravity": lambda r, q, v, a: [r.gravity(q)],
    "energy": lambda r, q, v, a: list(r.energy(q, v)),
    "regressor": lambda r, q, v, a: [r.regressor(q, v, a)],
    "inverse_dynamics_derivatives": lambda r, q, v, a: list(
        r.inverse_dynamics_derivatives(q, v, a)
    ),
    "pose": lambda r, q, v, a: [r.pose(q)],
    "jacobian": lambda r, q, v, a: [r.jacobian(q)],
    "hessian": lambda r, q, v, a: [r.hessian(q)],
}


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_of_the_facade(robot, used, query):
    """With tool, payload, rotors and tilted stand arrays with several leading axes are answered by
    kernels, right, in shape.
    """
    given = states(robot, 1002, seed=20)
    actual = QUERIES[query](robot, *(x.reshape(2, 3, 167, 4) for x in given))
    assert used == [(query, 1002)]
    assert all(x.shape[:3] == (2, 3, 167) for x in actual)
    agree([x.reshape(1002, *x.shape[3:]) for x in actual], expected(robot, query, given))
    small = QUERIES[query](robot, *(x[:, :3].reshape(3, 4) for x in given[:, None]))
    agree(small, [x.reshape(1002, *x.shape[3:])[:3] for x in actual])
    nothing = QUERIES[query](robot, *np.zeros((3, 2, 0, 4)))
    assert [x.shape for x in nothing] == [(2, 0, *x.shape[3:]) for x in actual]


def test_friction_is_added_or_not(used):
    """Friction is added or not as asked, in both directions, by kernels of their own."""
    bare = copy.copy(loaded("irb930", dressed=True))
    law = Stribeck(
        *np.array(
            [
                [5.0, 4.0, 30.0, 0.5],
                [8.0, 7.0, 50.0, 0.9],
                [0.1, 0.2, 0.05, 0.3],
                [20.0, 12.0, 90.0, 2.0],
            ]
        )
    )
    robot = replace(bare, dynamic_model=replace(bare.dynamic_model, friction=law))
    q, v, a = states(robot, WORTH, seed=21)
    smooth, rough = (expected(x, "inverse_dynamics", np.stack([q, v, a]))[0] for x in (bare, robot))
    assert np.abs(rough - smooth).max() > 10.0
    agree([robot.inverse_dynamics(q, v, a)], [rough])
    agree([robot.inverse_dynamics(q, v, a, friction=False)], [smooth])
    assert used == [("inverse_dynamics", WORTH)] * 2
    for friction, wanted in (
        (True, rough),
        (False, smooth),
        (np.True_, rough),
        (np.False_, smooth),
    ):
        agree([robot.inverse_dynamics(q[5], v[5], a[5], friction=friction)], [wanted[5]])
        agree([robot.inverse_dynamics(q, v, a, friction=friction)], [wanted])
    assert len(used) == 10
    for friction, wanted in ((True, rough), (False, smooth)):
        agree([robot.forward_dynamics(q, v, wanted, friction=friction)], [a], 1e-8)


def test_wrenches(robot, used):
    """Wrenches, of one value or of one per state, at the TCP or at named frames, are those of the
    states one by one.
    """
    q, v, a = states(robot, WORTH, seed=22)
    each = np.random.default_rng(0).normal(size=(WORTH, 6)) * 10.0
    for wrench in (WRENCH, each, {"link_2": WRENCH, "tool0": each}):

        def of(i, wrench=wrench):
            if isinstance(wrench, dict):
                return {name: of(i, value) for name, value in wrench.items()}
            return wrench if np.ndim(wrench) == 1 else wrench[i]

        for query in ("inverse_dynamics", "forward_dynamics"):
            actual = getattr(robot, query)(q, v, a, wrench=wrench)
            fresh = copy.copy(loaded("irb930", dressed=True)).with_rotors(robot.rotors)
            wanted = [
                getattr(fresh, query)(q[i], v[i], a[i], wrench=of(i)) for i in range(0, WORTH, 25)
            ]
            agree([actual[::25]], [np.array(wanted)])
    assert {query for query, _ in used} == {"inverse_dynamics", "forward_dynamics", "jacobian"}


def test_frames_and_points(robot, used):
    """Each frame has its own kernel, and each point the right one."""
    given = states(robot, WORTH, seed=23)
    for frame in ("link_2", "tcp"):
        agree([robot.pose(given[0], frame)], expected(robot, "pose", given, frame))
    for point in ((0.1, -0.2, 0.3), (0.3, 0.2, 0.1)):
        agree([robot.pose(given[0], "tcp", point)], expected(robot, "pose", given, "tcp", point))
        agree(
            [robot.pose(given[0][:5], "tcp", point)],
            expected(robot, "pose", given[:, :5], "tcp", point),
        )
    assert used == [("pose", WORTH)] * 4
    with pytest.raises(irb.UnknownName):
        robot.pose(given[0], "link_9")


def test_arrays_that_are_repeated(robot, used):
    """One state beside many goes with each of them, without a warning."""
    q, v, a = states(robot, WORTH, seed=24)
    wanted = expected(robot, "inverse_dynamics", np.stack([q, np.broadcast_to(v[5], v.shape), a]))
    agree([robot.inverse_dynamics(q, v[5], a)], wanted)
    agree(
        [
            robot.inverse_dynamics(q.reshape(2, 500, 4), v[5], a.reshape(2, 500, 4)).reshape(
                WORTH, 4
            )
        ],
        wanted,
    )
    agree(
        [robot.inverse_dynamics(q[0], v, a[0])],
        expected(robot, "inverse_dynamics", np.stack(np.broadcast_arrays(q[0], v, a[0]))),
    )
    agree(
        [robot.forward_dynamics(q, v[5], a)],
        expected(robot, "forward_dynamics", np.stack(np.broadcast_arrays(q, v[5], a))),
    )
    assert len(used) == 4


def test_any_numbers(robot, used):
    """Lists, integers, single precision, swapped bytes, and arrays of any layout give the answers
    of contiguous doubles.
    """
    whole = np.random.default_rng(25).integers(-1, 2, (3, WORTH, 4))
    whole[0, :, 2] = 0  # [m]
    wanted = expected(robot, "inverse_dynamics", whole.astype(float))
    strided = np.full((3, WORTH * 2, 8), np.nan)
    strided[:, ::2, 1::2] = whole
    unaligned = np.frombuffer(bytearray(whole.size * 8 + 1), float, whole.size, 1).reshape(
        whole.shape
    )
    unaligned[...] = whole
    frozen = whole.astype(float)
    frozen.setflags(write=False)
    kinds = [
        whole.astype(float),
        unaligned,
        whole,
        whole.astype(np.float32),
        whole.astype(">f8"),
        strided[:, ::2, 1::2],
        frozen,
    ]
    kinds += [
        np.asfortranarray(whole.astype(float)),
        whole[:, ::-1].copy()[:, ::-1],
        whole.astype(object),
        whole.tolist(),
    ]
    for given in kinds:
        agree([robot.inverse_dynamics(*given)], wanted)
        agree([robot.inverse_dynamics(*(x[7] for x in given))], [wanted[0][7]])
    assert len(used) >= 2 * len(kinds)


@pytest.mark.parametrize("query", ["inverse_dynamics", "forward_dynamics"])
def test_one_state_is_checked_as_before(robot, used, query):
    """Where machine code answers single states, what is wrong with them is still said."""
    given = states(robot, WORTH, seed=26)
    q, v, a = given[:, 5]
    ask = getattr(robot, query)
    ask(*given)
    agree([ask(q, v, a)], [expected(robot, query, given[:, 5:6])[0][0]])
    assert len(used) == 2
    for place in range(3):
        for value in (np.nan, np.inf):
            broken = [q.copy(), v.copy(), a.copy()]
            broken[place][2] = value
            with pytest.raises(InputError, match="not finite"):
                ask(*broken)
        for shape in (3, 5):
            broken = [q, v, a]
            broken[place] = np.zeros(shape)
            with pytest.raises(InputError, match="shape"):
                ask(*broken)
    with pytest.raises(InputError, match="three times"):
        ask(np.array([30.0, 0, 0, 0]), v, a)
    edge = np.array([0.0, 0.0, 3.0 * robot.limits.largest()[2], 0.0])
    fresh = copy.copy(loaded("irb930", dressed=True)).with_rotors(robot.rotors)
    agree([ask(edge * 0.999, v, a)], [getattr(fresh, query)(edge * 0.999, v, a)])
    with pytest.raises(InputError, match="three times"):
        ask(edge * 1.001, v, a)
    fastest = 20.0 * robot.limits.velocity * np.eye(4)[0]
    with pytest.raises(InputError, match="20 times its speed limit"):
        ask(q, -1.001 * fastest, a)
    agree([ask(q, 0.999 * fastest, a)], [getattr(fresh, query)(q, 0.999 * fastest, a)])
    huge = np.array([1e200, 0.0, 0.0, 0.0])
    with np.errstate(over="ignore"):  # its square is infinite, it is not
        if query == "forward_dynamics":
            agree([ask(q, v, huge)], [fresh.forward_dynamics(q, v, huge)])
        else:
            with pytest.raises(InputError, match="10 times its effort"):
                ask(q, v, huge)


def test_nan_in_an_array_stays_in_its_state(robot, used):
    """Arrays let NaN through, in its own state."""
    given = states(robot, WORTH, seed=27)
    clean = robot.inverse_dynamics(*given)
    given[1, 77, 0] = np.nan
    actual = robot.inverse_dynamics(*given)
    assert np.isnan(actual[77]).any()
    assert np.array_equal(np.delete(actual, 77, axis=0), np.delete(clean, 77, axis=0))
    assert len(used) == 2


def test_unknown_friction_is_told(used):
    """A robot without friction data says so where kernels answer, too."""
    from irbmodels.robot import dynamics as queries

    queries.warn_of_no_friction.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)
        robot = irb.load("irb930")
    with pytest.warns(irb.PhysicsWarning, match="no friction"):
        robot.inverse_dynamics(*states(robot, WORTH))
    assert used


def test_robots_pickle_after_use(robot, used, tmp_path):
    """A robot that used kernels pickles, and its copies answer the same, where llvmlite is
    missing, too.
    """
    given = states(robot, WORTH, seed=28)
    wanted = robot.inverse_dynamics(*given)
    robot.inverse_dynamics(*given[:, 3])
    robot.jacobian(given[0])
    for again in (pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        agree([again.inverse_dynamics(*given[:, 3])], [wanted[3]])
        agree([again.inverse_dynamics(*given)], [wanted])
    (tmp_path / "robot").write_bytes(pickle.dumps((robot, given[:, 3])))
    code = "import pickle, sys; sys.modules['llvmlite'] = None\n"
    code += (
        "robot, state = pickle.load(open(sys.argv[1], 'rb'));"
        " print(robot.inverse_dynamics(*state)[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "robot"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(wanted[3, 1], rel=SAME)


def test_threads_while_compiling(robot, tmp_path, monkeypatch, caplog):
    """Threads that ask one robot while its kernel is compiled all get right answers, and it is
    compiled once.
    """
    monkeypatch.setattr(cache, "_codes", {})
    caplog.set_level(logging.INFO)
    monkeypatch.setenv("IRBMODELS_CACHE", str(tmp_path))
    parts = [states(robot, WORTH, seed) for seed in range(4)]
    actual, start = [None] * 4, threading.Barrier(4)

    def ask(number):
        start.wait()
        actual[number] = robot.gravity(parts[number][0])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ours, given in zip(actual, parts, strict=True):
        agree([ours], expected(robot, "gravity", given))
    assert sum("compiled gravity" in record.getMessage() for record in caplog.records) == 1


# --- memory

PEAK = """
import resource, sys
import numpy as np
import irbmodels as irb
robot = irb.load("irb930")
rng, count = np.random.default_rng(0), 400_000
def given(count):
    x = [np.empty((count, 4), order=sys.argv[1]) for _ in range(3)]
    for y in x:
        y[...] = 0.3
    return x
robot.inverse_dynamics(*given(1000), friction=False)
states = given(count)
unit = 1 if sys.platform == "darwin" else 1024
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
tau = robot.inverse_dynamics(*states, friction=False)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
print(after - before - tau.nbytes)
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory(order):
    """A large array needs its results and less than 64 MB beside; where states are not contiguous
    they are copied in pieces.
    """
    done = subprocess.run(
        [sys.executable, "-c", PEAK, order],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < (64e6 if order == "F" else 4e6)
