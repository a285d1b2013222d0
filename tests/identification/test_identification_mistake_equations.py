"""Mistakes of a log of a planar arm of two links, whose torques are written down by hand."""

import numpy as np
import pytest

from irbmodels.identification.validation import arrangements
from irbmodels.identification.validation import mistakes as module
from irbmodels.identification.validation.arrangements import find_arrangement, torque_error
from irbmodels.identification.validation.fit_mistakes import (
    check_bodies,
    driving_friction,
    find_fit_mistakes,
)
from irbmodels.identification.validation.mistakes import (
    Blocks,
    ResidualEquations,
    Segment,
    blocks_of,
    friction_columns,
    position_slopes,
)
from irbmodels.trajectory import Motion

REVOLUTE = np.array([False, False])
NOISE = 0.3  # [N m] of block means
L1, C1, C2, M1, M2, G = 0.8, 0.4, 0.5, 12.0, 7.0, 9.81


def motion(t):
    """Position, speed and acceleration of both axes."""
    q, v, a = np.zeros((3, len(t), 2))
    for i, waves in enumerate(
        [[(0.9, 0.7, 0.0), (0.4, 1.9, 1.0)], [(1.1, 1.1, 2.0), (0.3, 2.7, 0)]]
    ):
        for size, w, phase in waves:
            x = w * t + phase
            q[:, i] += size * np.sin(x)
            v[:, i] += size * w * np.cos(x)
            a[:, i] -= size * w**2 * np.sin(x)
    return q, v, a


def torque(q, v, a, load=0.0):
    """Lagrange's equations of point masses, one of them at the middle of each link."""
    (q1, q2), (v1, v2), (a1, a2) = q.T, v.T, a.T
    tau = np.zeros_like(q)
    for mass, l1, l2 in ((M1, C1, 0.0), (M2, L1, C2), (load, L1, 2.0 * C2)):
        c, s = np.cos(q2), np.sin(q2)
        inner = l1**2 + l2**2 + 2.0 * l1 * l2 * c
        tau[:, 0] += mass * (inner * a1 + (l2**2 + l1 * l2 * c) * a2)
        tau[:, 0] -= mass * l1 * l2 * s * (2.0 * v1 * v2 + v2**2)
        tau[:, 0] += mass * G * (l1 * np.cos(q1) + l2 * np.cos(q1 + q2))
        tau[:, 1] += mass * ((l2**2 + l1 * l2 * c) * a1 + l2**2 * a2 + l1 * l2 * s * v1**2)
        tau[:, 1] += mass * G * l2 * np.cos(q1 + q2)
    return tau


def columns_of_load(q, v, a):
    """Torques of 1 kg at the tip; first moments have none."""
    columns = np.zeros((*q.shape, 4))
    columns[:, :, 0] = torque(q, v, a, 1.0) - torque(q, v, a)
    return columns


def friction(v):
    return np.array([9.0, 4.0]) * np.sign(v) + np.array([6.0, 2.0]) * v


def blocks(seed=0, shift=(0.0, 0.0), late=0.0, load=0.0, gain=(1.0, 1.0)):
    """A log of 50 s with noise, and a mistake."""
    t, h = 0.05 * np.arange(1000), 1e-4
    q, v, a = motion(t)
    tau = torque(*motion(t - late), load) * gain + friction(v)
    tau += NOISE * np.random.default_rng(seed).normal(size=tau.shape)
    read = q + np.asarray(shift)
    before, after = (torque(x + np.asarray(shift), *w) for x, *w in (motion(t - h), motion(t + h)))
    return logged(read, v, a, tau, (after - before) / (2.0 * h))


def logged(q, v, a, tau, rate=None, predict=torque):
    """Blocks of a log, and what a set predicts along its motion."""
    predicted = predict(q, v, a)
    rate = np.zeros_like(q) if rate is None else rate
    return Blocks(q, v, a, tau, np.sign(v), predicted, rate, tau - predicted)


def equations(log):
    return ResidualEquations.of(log, torque, columns_of_load, REVOLUTE, (0, 1))


def found(log, payload=0.2):
    return equations(log).mistakes(payload)


@pytest.mark.parametrize(
    ("mistake", "kind", "axes", "size"),
    [
        ({"shift": (0.04, 0.0)}, "zero", (0,), 0.04),
        ({"shift": (0.0, -0.03)}, "zero", (1,), -0.03),
        ({"gain": (1.1, 1.0)}, "gain", (0,), 0.1),
        ({"gain": (1.0, 0.93)}, "gain", (1,), -0.07),
        ({"late": 0.012}, "late", (0, 1), 0.012),
        ({"late": -0.008}, "late", (0, 1), -0.008),
        ({"load": 0.6}, "payload", (0, 1), 0.6),
    ],
)
def test_a_mistake_is_named_with_its_size(mistake, kind, axes, size):
    (one,) = found(blocks(**mistake))
    assert (one.kind, one.axes) == (kind, axes)
    assert one.estimate == pytest.approx(size, rel=0.05)
    assert 0.0 < one.deviation < 0.1 * abs(size)


def test_two_mistakes_are_estimated_beside_each_other():
    """A shift of one axis, and a gain of the other."""
    one, two = found(blocks(shift=(0.0, 0.03), gain=(1.1, 1.0)))
    sizes = {each.kind: each.estimate for each in (one, two)}
    assert sizes["zero"] == pytest.approx(0.03, rel=0.05)
    assert sizes["gain"] == pytest.approx(0.1, rel=0.05)


def test_a_shift_by_more_than_a_slope_tells_is_none():
    """A quarter of a turn is another arm."""
    assert "zero" not in [one.kind for one in found(blocks(shift=(0.4, 0.0)))]


def test_a_clean_log_has_none():
    for seed in range(20):
        assert found(blocks(seed)) == []


@pytest.mark.parametrize(
    ("mistake", "payload"),
    [
        ({"shift": (np.deg2rad(0.9), 0.0)}, 0.2),
        ({"gain": (1.0, 1.045)}, 0.2),
        ({"late": 0.0045}, 0.2),
        ({"late": 0.054}, 0.2),
        ({"load": 0.6}, 0.7),
    ],
)
def test_sizes_that_do_not_count_are_not_named(mistake, payload):
    """However sure they are, on logs with little noise; a neighbour of right size is not either."""
    kinds = {"shift": "zero", "gain": "gain", "late": "late", "load": "payload"}
    (name,) = mistake
    assert kinds[name] not in [one.kind for one in found(blocks(**mistake), payload)]


@pytest.mark.parametrize("size", [1.1, 1.4])
def test_sizes_from_the_smallest_are_named(size):
    assert found(blocks(shift=(size * np.deg2rad(1.0), 0.0)))[0].kind == "zero"
    assert found(blocks(gain=(1.0, 1.0 + 0.05 * size)))[0].kind == "gain"
    assert found(blocks(late=0.005 * size))[0].kind == "late"


def test_linear_axes_have_other_bounds():
    """0.03 is 30 mm, or 1.7 deg; 0.006 is 6 mm, and no shift of a revolute axis."""
    rows = ResidualEquations.of(
        blocks(shift=(0.006, 0.0)), torque, columns_of_load, REVOLUTE, (0, 1)
    )
    assert rows.mistakes(0.2) == []
    (one,) = rows._replace(linear=np.array([True, False])).mistakes(0.2)
    assert one.estimate == pytest.approx(0.006, rel=0.1)
    far = blocks(shift=(0.12, 0.0))
    rows = ResidualEquations.of(far, torque, columns_of_load, REVOLUTE, (0, 1))
    assert rows.mistakes(0.2)[0].kind == "zero"
    kinds = [one.kind for one in rows._replace(linear=np.array([True, False])).mistakes(0.2)]
    assert "zero" not in kinds


def test_a_gain_below_minus_one_is_a_sign():
    (one,) = found(blocks(gain=(1.0, -1.0)))
    assert (one.kind, one.axes) == ("torque sign", (1,))
    (one,) = found(blocks(gain=(1.0, -0.3)))
    assert one.kind == "gain"


@pytest.mark.parametrize(("name", "value"), [("SURE", 1e4), ("SHARE", 1.0)])
def test_certainty_and_share_decide(monkeypatch, name, value):
    monkeypatch.setattr(module, name, value)
    assert found(blocks(shift=(0.04, 0.0))) == []


def test_zeros_of_parallel_axes_without_inertia_are_not_told_apart():
    """Torques that depend on the sum of two positions alone."""

    def predict(q, v, a):
        return 50.0 * np.cos(q.sum(axis=1))[:, None] * [1.0, 0.5]

    log = blocks(shift=(0.04, 0.0))
    tau = predict(log.q - [0.04, 0.0], 0.0, 0.0) + NOISE * np.random.default_rng(1).normal(
        size=log.q.shape
    )

    def none(q, v, a):
        return np.zeros((*q.shape, 4))

    log = logged(log.q, log.v, log.a, tau, predict=predict)
    rows = ResidualEquations.of(log, predict, none, REVOLUTE, (0, 1))
    (one,) = rows.mistakes(0.2)
    assert (one.kind, sorted(one.axes)) == ("zero", [0, 1])


def test_what_is_visible_follows_from_noise(monkeypatch):
    """Least squares by numpy: deviation of a zero beside friction, on white noise."""
    log = blocks()
    rows = ResidualEquations.of(log, torque, columns_of_load, REVOLUTE, (0, 1))

    def visible(sure, share):
        monkeypatch.setattr(module, "SURE", sure)
        monkeypatch.setattr(module, "SHARE", share)
        return rows.visible()

    zeros, gains = visible(50.0, 0.0)
    h, own = 1e-5, friction_columns(log).reshape(-1, 6)
    for i in range(2):
        step = h * np.eye(2)[i]
        slope = (torque(log.q - step, log.v, log.a) - torque(log.q + step, log.v, log.a)) / (2 * h)
        scaled = torque(log.q, log.v, log.a) * np.eye(2)[i]
        for column, smallest in ((slope, zeros[i]), (scaled, gains[i])):
            left = column.ravel() - own @ np.linalg.lstsq(own, column.ravel(), rcond=None)[0]
            wanted = 50.0 * NOISE / np.linalg.norm(left)
            assert smallest == pytest.approx(max(wanted, 0.0), rel=0.6) or smallest in (
                pytest.approx(np.deg2rad(1.0)),
                pytest.approx(0.05),
            )
    assert zeros.min() > np.deg2rad(1.0) * 0.99
    # a share of the squared errors that a mistake must explain lies above what is sure
    wide = visible(0.0, 0.5)
    names = {("zero", (i,)): wide.zeros[i] for i in range(2)}
    for (_, (i,)), smallest in names.items():
        fit = blocks(shift=tuple(1.2 * smallest * np.eye(2)[i]))
        assert found(fit)[0].axes == (i,)
    assert np.isinf(visible(1e5, 0.0).zeros).all()


def known(log):
    """Columns of friction, and torques of the arm."""
    predicted = torque(log.q, log.v, log.a)
    return np.concatenate([friction_columns(log), predicted[:, :, None]], axis=2)


def put(log, kind):
    """The log with another sign, order or unit."""
    signs = np.array([1.0, -1.0])
    return {
        "sign": Blocks(*(signs * part for part in log)),
        "torque sign": log._replace(tau=signs * log.tau),
        "swap": Blocks(*(part[:, ::-1] for part in log)),
        "torque unit": log._replace(tau=log.tau * [1.0, 1e-3]),
        "degrees": Blocks(*(np.degrees(part) for part in log[:3]), *log[3:]),
    }[kind]


@pytest.mark.parametrize("kind", ["sign", "torque sign", "swap", "torque unit", "degrees"])
def test_arrangements_are_named(kind):
    one = find_arrangement(put(blocks(), kind), known, (0, 1), REVOLUTE)
    assert one is not None
    axes = {"swap": (0, 1), "degrees": ()}.get(kind, (1,))
    assert (one.kind, one.axes) == (kind, axes)
    assert kind != "torque unit" or one.estimate == pytest.approx(1e-3)


def test_friction_that_turns_round_over_a_distance_is_that_of_the_law():
    """Blocks in which an axis reverses count where the law has presliding, with its direction."""
    t = np.arange(0.0, 20.0, 0.01)
    q, v, a = motion(t)
    w = np.sign(v)
    direction = np.array([w[max(0, k - 12) : k + 1].mean(axis=0) for k in range(len(t))])
    gradual = [True, False]
    own = torque(q, v, a) + [9.0, 4.0] * direction + [6.0, 2.0] * v
    log = blocks_of([Segment(Motion(t, q, v, a, 1.1 * own), direction, own)], np.array(gradual))
    means = direction.reshape(-1, 5, 2).mean(axis=1)
    np.testing.assert_allclose(log.direction, means)
    np.testing.assert_allclose(friction_columns(log)[:, [0, 1], [0, 3]], means)
    reversing = (w.reshape(-1, 5, 2) != w.reshape(-1, 5, 2)[:, :1]).any(axis=1)
    assert reversing.any(axis=0).all()
    np.testing.assert_array_equal(np.isnan(log.residual), reversing & [False, True])
    np.testing.assert_array_equal(np.isnan(log.tau), reversing)
    one = own.reshape(-1, 5, 2).mean(axis=1)
    np.testing.assert_allclose(log.predicted, one)
    np.testing.assert_allclose(log.residual[:, 0], 0.1 * one[:, 0], atol=1e-9)
    # the change of a mean over the log by a delay of one sample is that of its rate
    later = np.roll(own, 1, axis=0).reshape(-1, 5, 2).mean(axis=1)
    sooner = np.roll(own, -1, axis=0).reshape(-1, 5, 2).mean(axis=1)
    np.testing.assert_allclose(log.rate[1:-1], ((sooner - later) / 0.02)[1:-1], atol=1e-8)


def test_a_right_log_has_no_other_arrangement():
    for seed in range(10):
        assert find_arrangement(blocks(seed), known, (0, 1), REVOLUTE) is None


@pytest.mark.parametrize(("few", "kept"), [(1e-12, False), (0.25, False), (4.0, True)])
def test_a_column_that_a_half_of_the_blocks_hardly_has_is_left_out(few, kept):
    """A peak, as of Stribeck friction, in one block of one half, and smaller in one of the other.

    By noise of deviation s in the small block, of height h, the large one is predicted with the
    squared error s^2 / h^2. The peak counts where that is less than the noise of N blocks, N s^2:
    then torques of this shape are explained, else they stay.
    """
    log, axes = blocks(), np.array([True, True])
    plain = torque_error(log, known(log), axes)
    peak = np.zeros((len(log.q), 2, 1))
    peak[6], peak[9] = 1.0, np.sqrt(few / len(log.q))
    columns = np.concatenate([peak, known(log)], axis=2)
    assert torque_error(log, columns, axes) < 2.0 * plain
    log = log._replace(tau=log.tau + 200.0 * NOISE * peak[:, :, 0])
    explained = torque_error(log, columns, axes) < 0.1 * torque_error(log, known(log), axes)
    assert explained == kept


@pytest.mark.parametrize(("size", "named"), [(0.5, True), (1.6, False)])
def test_another_arrangement_has_to_halve_the_errors(size, named):
    """Squared errors ``Z`` that no arrangement explains: the wrong sign has ``Z + 4 P`` instead.

    As a mean of two axes, of which one is right, that is 0.24 times, and 0.62 times.
    """
    log = put(blocks(), "torque sign")
    weight = torque(log.q, log.v, log.a)[:, 1].std()
    tau = log.tau + np.random.default_rng(3).normal(size=log.tau.shape) * [0.0, size * weight]
    one = find_arrangement(log._replace(tau=tau), known, (0, 1), REVOLUTE)
    assert (one is not None) == named
    assert not named or one.kind == "torque sign"


def test_predictions_that_explain_nothing_are_no_unit():
    """Torques of friction alone, where the set has weight: smaller predictions err less."""
    log = blocks()
    rest = friction(log.v) + NOISE * np.random.default_rng(2).normal(size=log.v.shape)
    assert find_arrangement(log._replace(tau=rest), known, (0, 1), REVOLUTE) is None


def test_axes_out_of_question_have_no_arrangement():
    log = put(blocks(), "torque sign")
    assert (
        find_arrangement(log._replace(tau=log.tau * [1.0, np.nan]), known, (0,), REVOLUTE) is None
    )


def test_positions_that_turn_no_axis_are_not_in_degrees(monkeypatch):
    """Positions up to 1.6 in degrees move no arm: such torques are of another one."""
    log = blocks()
    still = torque(*(np.radians(part) for part in log[:3])) + friction(log.v)
    small = logged(log.q, log.v, log.a, still)
    assert find_arrangement(small, known, (0, 1), REVOLUTE) is None
    monkeypatch.setattr(arrangements, "TURN", 2.0)
    assert find_arrangement(small, known, (0, 1), REVOLUTE).kind == "degrees"


def test_linear_axes_are_not_in_degrees():
    log = put(blocks(), "degrees")
    one = find_arrangement(log, known, (0, 1), np.array([True, True]))
    assert one is None or one.kind != "degrees"


def test_few_blocks_with_many_columns_have_no_arrangement():
    """Columns of noise explain every log that they were fitted to."""
    log = Blocks(*(part[:60] for part in blocks()))

    def many(log):
        rng = np.random.default_rng(int(abs(log.q.sum() + log.tau.sum()) * 1e6) % 2**32)
        return np.concatenate([rng.normal(size=(*log.q.shape, 50)), known(log)], axis=2)

    assert find_arrangement(log, many, (0, 1), REVOLUTE) is None


def free(log):
    """Columns of the base parameters of the arm, by hand, and friction."""
    (q1, q2), (v1, v2), (a1, a2) = log.q.T, log.v.T, log.a.T
    c, s, z = np.cos(q2), np.sin(q2), np.zeros(len(q1))
    first = [
        (a1, z),
        (a1 + a2, a1 + a2),
        (2 * c * a1 + c * a2 - s * (2 * v1 * v2 + v2**2), c * a1 + s * v1**2),
        (G * np.cos(q1), z),
        (G * np.cos(q1 + q2), G * np.cos(q1 + q2)),
        (G * np.sin(q1), z),
        (G * np.sin(q1 + q2), G * np.sin(q1 + q2)),
    ]
    own = np.stack([np.stack(pair, axis=1) for pair in first], axis=2)
    return np.concatenate([own, friction_columns(log)], axis=2)


def fitted_to(log, axes=(0, 1), unexplained=(0.01, 0.01)):
    """Mistakes that a fit of all these columns shows."""
    columns = free(log)
    x = np.linalg.lstsq(columns.reshape(-1, 13), log.tau.ravel(), rcond=None)[0]
    bodies = np.where(np.arange(13) < 7, x, 0.0)
    slopes = position_slopes(lambda q, v, a: free(logged(q, v, a, q)) @ bodies, log)
    return find_fit_mistakes(
        log, columns @ bodies, slopes, columns, REVOLUTE, axes, np.array(unexplained)
    )


def test_a_fit_shows_what_its_bodies_do_not_take_up():
    """A shift of axis 2 turns its weight, which is free, and its coupling with axis 1.

    That of axis 1 turns weights alone.
    """
    (zero,), visible = fitted_to(blocks(shift=(0.0, 0.08)))
    assert (zero.kind, zero.axes) == ("zero", (1,))
    assert zero.estimate == pytest.approx(0.08, rel=0.05)
    assert fitted_to(blocks(shift=(0.15, 0.0)))[0] == []
    assert np.isinf(visible.zeros[0])
    assert visible.zeros[1] == pytest.approx(np.deg2rad(1.0))
    clean, of_clean = fitted_to(blocks())
    assert clean == []
    assert of_clean.gains[1] == pytest.approx(0.05)
    (gain,), _ = fitted_to(blocks(gain=(1.0, 1.2)))
    assert gain.kind == "gain"
    assert abs(gain.estimate) == pytest.approx(0.2, abs=0.05)
    assert fitted_to(blocks(gain=(1.0, 1.2)), axes=())[0] == []
    # a model that errs by as much of the torque may look so
    assert fitted_to(blocks(gain=(1.0, 1.2)), unexplained=(0.3, 0.3))[0] == []
    blind = fitted_to(blocks(), unexplained=(0.3, 0.3))[1]
    np.testing.assert_allclose(blind.gains, 0.3, rtol=0.2)
    assert np.isinf(fitted_to(blocks(), axes=())[1].gains).all()


def test_dry_friction_that_drives_is_a_sign():
    log = blocks()
    log = log._replace(tau=log.tau - 2.0 * friction(log.v) * [0.0, 1.0])
    (one,) = driving_friction(log, free(log), [7, 10])
    assert (one.kind, one.axes) == ("sign", (1,))
    assert driving_friction(blocks(), free(blocks()), [7, 10]) == []
    assert driving_friction(log, free(log), [7, -1]) == []
    # no dry friction at all is none that drives
    smooth = blocks()
    smooth = smooth._replace(tau=smooth.tau - np.sign(smooth.v) * [9.0, 4.0])
    assert driving_friction(smooth, free(smooth), [7, 10]) == []


def test_bodies_of_the_own_set_tell_units_loads_and_robots():
    log = blocks(load=2.0)
    own, load = torque(log.q, log.v, log.a), columns_of_load(log.q, log.v, log.a)
    (one,) = check_bodies(log, own, load, 0.5)
    assert one.kind == "payload"
    assert one.estimate == pytest.approx(2.0, abs=4.0 * one.deviation)
    assert check_bodies(log, own, load, 2.5) == []
    # the own set is wrong by as much on one axis as 0.6 kg more would be: the interval has it
    other = own - 0.6 * load[:, :, 0] * [1.0, 0.0]
    (unsure,) = check_bodies(log, other, load, 0.5)
    assert 0.1 < unsure.deviation < 0.6
    assert abs(unsure.estimate - 2.0) < 2.0 * unsure.deviation
    assert check_bodies(blocks(), own, load, 0.5) == []
    (one,) = check_bodies(blocks()._replace(tau=1e-3 * blocks().tau), own, load, 0.5)
    assert one.kind == "unit"
    assert one.estimate == pytest.approx(1e-3, rel=0.02)
    (one,) = check_bodies(blocks(), 4.0 * own, load, 50.0)
    assert (one.kind, one.axes) == ("robot", (0, 1))
    assert one.estimate == pytest.approx(0.25, rel=0.02)
    (one,) = check_bodies(blocks(), own[:, ::-1] * [1.0, -1.0], load, 50.0)
    assert one.kind == "robot"
