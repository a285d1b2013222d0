from functools import partial

import numpy as np
import pytest
from excited import RATE, SIGMA, random_states

import irbmodels as irb
from irbmodels import InputError, MissingExtra, MotionError
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    from_files,
    huber,
    on_dask,
    weighted_least_squares,
    with_autocorrelation,
)
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.trajectory import Motion
from irbmodels.trajectory.motion_files import write_motion

PIECE = 40


@pytest.fixture(scope="module")
def arm():
    robot = irb.load("irb930")
    return robot, TorqueEquations(robot, base_parameters(robot))


@pytest.fixture(scope="module")
def client():
    """Two local workers; threads, so that the test needs no other process."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def log(seed, robot, count=120):
    """Pieces of a noisy log that exists only while it is read."""
    motion = random_states(robot, count, seed)
    motion = motion._replace(
        tau=motion.tau + SIGMA[:4] * np.random.default_rng(seed).normal(size=motion.tau.shape)
    )
    for start in range(0, count, PIECE):
        yield motion.each(lambda x: x[start : start + PIECE])


def test_logs_in_pieces_are_one_least_squares_problem(arm):
    """Many logs in pieces give what numpy finds for all of them at once."""
    robot, rows = arm
    total = accumulate(Samples(range(5), partial(log, robot=robot)), rows)
    blocks = [block for seed in range(5) for block in rows(log(seed, robot))]
    Y, y = (np.concatenate(part) for part in zip(*blocks, strict=True))
    assert total.samples == len(y) == 600
    fit = weighted_least_squares(total)
    plain = np.linalg.lstsq(Y.reshape(-1, Y.shape[-1]), y.ravel(), rcond=None)[0]
    noise = np.sqrt(np.square(y - Y @ plain).sum(axis=0))
    expected = np.linalg.lstsq(
        (Y / noise[:, None]).reshape(-1, Y.shape[-1]), (y / noise).ravel(), rcond=None
    )[0]
    np.testing.assert_allclose(fit.beta, expected, rtol=1e-9)


class Seen(tuple):
    """What was read, in the order in which it was merged."""

    def merge(self, other):
        """Return both, this one first."""
        return Seen((*self, *other))


def numbers(name):
    """Two pieces of a log."""
    return (10 * name, 10 * name + 1)


def test_logs_are_merged_in_their_order(client):
    """Here and on Dask the first log comes first, its pieces in the order of time; what is named
    twice is read twice.
    """
    here = Samples([3, 1, 2, 1], numbers)
    for samples in (here, on_dask(here, client)):
        assert samples.reduce(Seen) == (30, 31, 10, 11, 20, 21, 10, 11)


def test_dask_gives_the_same(arm, client):
    """Workers of a cluster give the numbers of one process, to the last digits, for every
    reduction.
    """
    robot, rows = arm
    here = Samples(range(6), partial(log, robot=robot))
    there = on_dask(here, client)
    assert there.client is client
    assert here.client is None
    one, other = (
        weighted_least_squares(accumulate(here, rows)),
        weighted_least_squares(accumulate(there, rows)),
    )
    np.testing.assert_allclose(other.beta, one.beta, rtol=1e-12)
    np.testing.assert_allclose(
        other.covariance, one.covariance, rtol=1e-9, atol=1e-14 * np.abs(one.covariance).max()
    )
    two, another = (with_autocorrelation(one, samples, rows, 3) for samples in (here, there))
    np.testing.assert_allclose(
        another.covariance, two.covariance, rtol=1e-9, atol=1e-14 * np.abs(two.covariance).max()
    )
    np.testing.assert_allclose(huber(there, rows).beta, huber(here, rows).beta, rtol=1e-9)


def test_workers_send_errors_back(arm, client):
    """What is wrong in a log is said here, in one line, though it happened there."""
    robot, rows = arm
    samples = on_dask(
        Samples([random_states(robot, 20)._replace(tau=None)], lambda motion: [motion]), client
    )
    with pytest.raises(InputError, match="no tau"):
        accumulate(samples, rows)


def test_memory_does_not_grow_with_the_log(arm):
    """A log of a million samples never is in memory: one piece is alive at a time."""
    robot, rows = arm
    alive, most = [0], [0]

    class Piece:
        def __init__(self):
            alive[0] += 1
            most[0] = max(most[0], alive[0])

        def __del__(self):
            alive[0] -= 1

    def read(_):
        for number in range(30):
            held = Piece()
            yield random_states(robot, 10, number)
            del held

    accumulate(Samples([0], read), rows)
    assert most[0] == 1


def test_files_are_read_in_pieces(arm, tmp_path):
    """CSV files give the parameters of the motion they hold, speeds derived or not."""
    robot, rows = arm
    paths = [tmp_path / f"log{k}.csv" for k in range(2)]
    motions = [random_states(robot, 60, seed) for seed in range(2)]
    for path, motion in zip(paths, motions, strict=True):
        write_motion(path, motion, robot)
    fit = weighted_least_squares(accumulate(from_files(paths, robot), rows))
    truth = rows.base.values(robot.parameter_vector())
    # nine digits in the file
    np.testing.assert_allclose(fit.beta, truth, atol=1e-6 * np.abs(truth).max())
    assert fit.samples == 120


def test_the_window_derives_speeds(arm, tmp_path):
    """A file of positions has the speeds of a cubic over the window that is asked for: of a wave
    they say its length.
    """
    robot, _ = arm
    t, window = np.arange(200) / RATE, 0.4
    q = 0.1 * np.sin(12.0 * t)[:, None] - [0.0, 0.0, 0.15, 0.0]
    path = tmp_path / "log.csv"
    write_motion(path, Motion(t, q, None, None, np.zeros_like(q)), robot)
    samples = from_files([path], robot, window=window)
    (piece,) = samples.read(samples.logs[0])
    half = int(window * RATE) // 2
    x = np.arange(-half, half + 1)
    cubic = np.polyfit(x / RATE, q[100 + x, 0], 3)[2]
    assert piece.v[100, 0] == pytest.approx(cubic, rel=1e-4)
    # a hundred times what the line above allows
    assert abs(cubic / (1.2 * np.cos(12.0 * t[100])) - 1.0) > 0.01


def test_files_that_do_not_fit(arm, tmp_path):
    """A log without torques, a missing file and a single name are refused before anything is
    read.
    """
    robot, _ = arm
    path = tmp_path / "log.csv"
    write_motion(path, random_states(robot, 10)._replace(tau=None), robot)
    with pytest.raises(MotionError, match="no torques"):
        from_files([path], robot)
    with pytest.raises(irb.IrbError, match="missing"):
        from_files([tmp_path / "missing.csv"], robot)
    with pytest.raises(InputError, match="list of files"):
        from_files(str(path), robot)
    with pytest.raises(InputError, match="one log or more"):
        Samples([], iter)


def test_a_client_is_a_client(arm, monkeypatch):
    """Something else than a client, and a missing extra, are named."""
    robot, _ = arm
    with pytest.raises(InputError, match=r"dask\.distributed\.Client"):
        on_dask(Samples.of(random_states(robot, 5)), "tcp://there")
    monkeypatch.setattr("irbmodels.errors.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="logs"):
        on_dask(Samples.of(random_states(robot, 5)), None)
