"""The planar arm of S001 (scripts/planar_3r.py) against closed forms, against numbers computed
before, and its picture.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import paper_formulas as papers
import pytest

import irbmodels as irb

HERE = Path(__file__).resolve().parents[1]
PLANAR = papers.script("planar_3r")
EXACT = 1e-12  # of entries up to 250: two ways of adding a dozen terms in double precision
STATES = np.random.default_rng(0).uniform(-3.0, 3.0, (20, 3, 3))  # [rad, rad/s, rad/s^2]
SAVED = json.loads((HERE / "data" / "irb2400.json").read_text(encoding="utf-8"))["paper001"][
    "planar3R"
]
COMPUTED = next(states for key, states in SAVED.items() if key.endswith("with_table2_numbers"))


@pytest.fixture(scope="module", params=["corrected", "printed"])
def arm(request, tmp_path_factory):
    """Return a table and the arm that the script makes of it."""
    table = PLANAR.corrected() if request.param == "corrected" else PLANAR.PRINTED
    return table, PLANAR.planar(table, tmp_path_factory.mktemp("planar") / "arm.urdf")


def test_mass_matrix_is_the_closed_form(arm):
    """D of S001, corrected, for both tables."""
    table, robot = arm
    for q, _, _ in STATES:
        np.testing.assert_allclose(
            robot.mass_matrix(q), papers.s001_eq_12(table, q), rtol=0, atol=EXACT
        )


def test_coriolis_matrix_is_the_closed_form(arm):
    """C of S001 from its corrected Christoffel symbols."""
    table, robot = arm
    for q, v, _ in STATES:
        C = papers.s001_eq_18(papers.s001_eq_17(table, q), v)
        np.testing.assert_allclose(robot.coriolis(q, v), C, rtol=0, atol=EXACT)


def test_gravity_is_the_closed_form(arm):
    """Eq. 21 and 22 and g3 of S001, and the potential energy of eq. 19."""
    table, robot = arm
    for q, v, _ in STATES:
        np.testing.assert_allclose(
            robot.gravity(q), papers.s001_eq_21_22(table, q, 9.81), rtol=0, atol=EXACT
        )
        assert robot.energy(q, v).potential == pytest.approx(
            papers.s001_eq_19_potential(table, q, 9.81), abs=EXACT
        )


def test_torque_is_the_closed_form(arm):
    """Eq. 23 of S001."""
    table, robot = arm
    for q, v, a in STATES:
        C = papers.s001_eq_18(papers.s001_eq_17(table, q), v)
        tau = papers.s001_eq_12(table, q) @ a + C @ v + papers.s001_eq_21_22(table, q, 9.81)
        np.testing.assert_allclose(
            robot.inverse_dynamics(q, v, a, friction=False), tau, rtol=0, atol=EXACT
        )


def test_tip_is_where_the_lengths_put_it(arm):
    """Angles count from the horizontal, each from the link before, and lift."""
    table, robot = arm
    for q, _, _ in STATES:
        angles, lengths = np.cumsum(q), np.array([link.length for link in table])
        expected = [lengths @ np.cos(angles), 0.0, lengths @ np.sin(angles)]
        np.testing.assert_allclose(robot.pose(q, "tip").translation, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("number", range(len(COMPUTED)))
def test_numbers_computed_before(number, tmp_path):
    """D, C, g and tau of Table 2 as printed, under 9.8 m/s^2, to 1e-8 of the largest entry."""
    state, robot = (
        COMPUTED[number],
        PLANAR.planar(PLANAR.PRINTED, tmp_path / "arm.urdf").with_gravity([0, 0, -9.8]),
    )
    q, v, a = (np.array(state[key]) for key in ("q", "qd", "qdd"))
    tau = robot.inverse_dynamics(q, v, a, friction=False)
    actual = {
        "D": robot.mass_matrix(q),
        "C": robot.coriolis(q, v),
        "g": robot.gravity(q),
        "tau": tau,
    }
    for key, value in actual.items():
        expected = np.array(state[key])
        np.testing.assert_allclose(
            value, expected, rtol=0, atol=1e-8 * max(np.abs(expected).max(), 1e-3), err_msg=key
        )


def test_printed_table_is_the_one_of_the_numbers():
    """The script's copy of Table 2 is the one that those numbers were computed with."""
    for i, link in enumerate(PLANAR.PRINTED, start=1):
        assert tuple(link) == tuple(
            SAVED["table2_printed"][f"{name}{i}"] for name in ("m", "l", "lc", "I")
        )


def test_corrected_table_is_the_composite_bodies():
    """Masses, distances and moments of links 2, 3 + 4 and 5 + 6, as summed up by another program
    from five-decimal masses.
    """
    bodies = next(rows for key, rows in SAVED.items() if key.startswith("cad_composites"))
    for link, body in zip(PLANAR.corrected(), bodies, strict=True):
        expected = [body["mass_kg"], body["lc_m"], body["I_about_com_kgm2"]]
        np.testing.assert_allclose([link.mass, link.com, link.inertia], expected, rtol=2e-5)
    np.testing.assert_allclose(
        [link.length for link in PLANAR.corrected()],
        [0.705, np.hypot(0.135, 0.755), 0.085],
        rtol=1e-12,
    )


def test_motion_of_fig_9_integrates():
    """Torques of the figure are those of q = 0.05 t^2, q' = 0.1 t: at the start those of rest with
    q'' = 0.1 rad/s^2.
    """
    seen = []

    class Recorder:
        def inverse_dynamics(self, q, v, a, *, friction):
            seen.append((q, v, a))
            return q

    PLANAR.torques(Recorder())
    ((q, v, a),) = seen
    assert q.shape == v.shape == a.shape == (51, 3)
    assert not q[0].any()
    assert not v[0].any()
    steps = np.diff(PLANAR.TIME)[:, None]
    # exact for constant a
    np.testing.assert_allclose(np.diff(q, axis=0) / steps, (v[1:] + v[:-1]) / 2, rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.diff(v, axis=0) / steps, a[1:], rtol=0, atol=1e-13)
    np.testing.assert_array_equal(a, 0.1)
    assert PLANAR.TIME[-1] == 5.0


def test_script_writes_picture_and_urdfs(tmp_path, monkeypatch, capsys):
    """-o writes a PNG and both arms beside it, each of which loads."""
    picture = tmp_path / "fig9.png"
    monkeypatch.setattr(sys, "argv", ["planar_3r", "-o", str(picture)])
    assert PLANAR.main() == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "fig9.png",
        "fig9.urdf",
        "fig9_printed.urdf",
    ]
    robot = irb.from_urdf(tmp_path / "fig9.urdf")
    assert robot.n == 3
    torque = robot.inverse_dynamics(np.zeros(3), np.zeros(3), np.full(3, 0.1), friction=False)
    assert ", ".join(f"{value:.3g}" for value in torque) in capsys.readouterr().out


def test_figure_has_both_tables_for_every_joint():
    """Three panels with the corrected and the printed table's torque each."""
    ours, report = np.zeros((51, 3)), np.ones((51, 3))
    panels = PLANAR.draw(ours, report).axes
    assert [axes.get_title() for axes in panels] == ["joint 1", "joint 2", "joint 3"]
    for i, axes in enumerate(panels):
        drawn = {line.get_label(): line.get_ydata() for line in axes.lines}
        np.testing.assert_array_equal(drawn["Table 2 corrected"], ours[:, i])
        np.testing.assert_array_equal(drawn["Table 2 as printed"], report[:, i])
