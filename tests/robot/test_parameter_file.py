"""Sets of parameters in files beside a URDF: written, loaded, refused."""

from dataclasses import replace

import any_arms as arms
import numpy as np
import pytest
import yaml

import irbmodels as irb
from irbmodels.exchange.read.from_file import from_file
from irbmodels.identification.validation import (
    identify,
    prepare,
    split_recording,
    write_parameter_set,
)
from irbmodels.model.friction import frictionless
from irbmodels.model.springs import TorqueOffset, TorsionSpring

FIRST, LAST = (prepare(part) for part in split_recording(arms.log(1)))
RNG = np.random.default_rng(5)
Q, V, A = (RNG.uniform(-1.0, 1.0, (40, 3)) for _ in range(3))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("arm") / "arm.urdf"
    path.write_text(arms.urdf())
    return path


@pytest.fixture(scope="module")
def found(file):
    return identify(irb.from_urdf(file), [FIRST], [LAST])


@pytest.fixture(scope="module")
def written(file, found):
    path = file.parent / "set.yaml"
    return write_parameter_set(path, found.parameters, found.verdict, "a log")


def predicted(found, q, v, a):
    robot = found.parameters.robot
    return np.array(
        [robot.regressor(*state) @ found.parameters.vector for state in zip(q, v, a, strict=True)]
    )


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-12 * np.abs(other).max())


def test_a_set_comes_back(file, found, written):
    """What was identified, and the robot that is loaded with its file, need the same torques."""
    arm = irb.from_urdf(file, parameters=written)
    close(arm.inverse_dynamics(Q, V, A), predicted(found, Q, V, A))
    assert arm.parameters == "identified"
    assert arm.friction_model.measured_to is not None
    assert arm.uncertainty is not None
    again = irb.from_urdf(file).with_parameters(written)
    close(again.inverse_dynamics(Q, V, A), arm.inverse_dynamics(Q, V, A))
    own = again.with_parameters(None)
    close(own.gravity(Q), irb.from_urdf(file).gravity(Q))
    assert own.friction_model is None
    error = arm.inverse_dynamics(Q, V, A) - arms.truth().inverse_dynamics(Q, V, A)
    assert (np.sqrt(np.square(error).mean(axis=0)) < arms.SIGMA).all()


def test_the_urdf_of_a_set_has_its_bodies(file, written):
    """The URDF says what it can: the same rigid arm, viscous and Coulomb friction."""
    arm = irb.from_urdf(file, parameters=written)
    text = arm.urdf()
    assert "three bodies" in text
    (file.parent / "repaired.urdf").write_text(text)
    back = irb.from_urdf(file.parent / "repaired.urdf")
    one, other = (
        robot.with_friction(frictionless(3)).with_rotors(np.zeros(3)) for robot in (back, arm)
    )
    close(one.inverse_dynamics(Q, V, A), other.inverse_dynamics(Q, V, A))
    close(back.friction_model.Fv, arm.friction_model.Fv)
    close(back.friction_model.Fc, arm.friction_model.Fc)


def test_dynamics_of_a_urdf_are_those_of_its_axes(file, found, tmp_path):
    """A drive that turns twice per turn of its axis brakes it by four times Fv and twice Fc."""
    path = tmp_path / "fast.yaml"
    robot = found.parameters.robot.with_drives(np.diag([1.0, 2.0, 1.0]))
    replace(found.parameters, robot=robot).write(path, "fast", "a log")
    fast = irb.from_urdf(file, parameters=path)
    (tmp_path / "fast.urdf").write_text(fast.urdf())
    back = irb.from_urdf(tmp_path / "fast.urdf").friction_model
    np.testing.assert_allclose(back.Fv, fast.friction_model.Fv * [1.0, 4.0, 1.0], rtol=1e-12)
    np.testing.assert_allclose(back.Fc, fast.friction_model.Fc * [1.0, 2.0, 1.0], rtol=1e-12)


def everything(file):
    """A robot with each kind of number that a file can have."""
    law = irb.Stribeck(
        Fs=[5.0, 6.0, 3.0], Fc=[4.0, 6.0, 2.0], Fv=[3.0, 5.0, 1.5], v_St=[0.1, 1.0, 0.2],
        Fd=[0.0, 1.0, 0.5], v_d=[1.0, 0.3, 0.4], dFc=[0.1, 0.0, -0.2], dFv=[0.0, 0.2, 0.0],
        mu=[0.0, 0.01, 0.02], per_K=[-0.01, 0.0, -0.02], reference_temperature=30.0,
    )  # fmt: skip
    D = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.4, 1.0]])
    springs = [TorqueOffset(1, 0.7), TorsionSpring(2, 11.0, 0.2)]
    arm = irb.from_urdf(file).with_friction(law).with_drives(D).with_springs(springs)
    return arm.with_rotors([0.1, 0.3, 0.05])


def test_every_kind_of_number_comes_back(file, tmp_path):
    """Law with all its terms, coupled drives, springs, rotors: what is not fitted is kept."""
    arm = everything(file)
    log = arms.log(3, 12.0, arm)
    tables = arm.tables()
    assert tables["drives"]["axes"] == {
        "elbow": {"turns": {"shoulder": -0.4, "elbow": 1.0}, "source": "given"}
    }
    found = identify(
        arm, [prepare(split_recording(log)[0])], [prepare(split_recording(log)[1])],
        friction="own", method="wls", springs=False,
    )  # fmt: skip
    path = tmp_path / "all.yaml"
    found.parameters.write(path, "all", "a log")
    back = irb.from_urdf(file, parameters=path)
    # mu multiplies the static torque of the robot, which is another before the fit
    np.testing.assert_allclose(
        back.parameter_vector(), found.parameters.vector, rtol=1e-12, atol=1e-13
    )
    np.testing.assert_array_equal(back.drive_axes, arm.drive_axes)
    assert back.friction_model.reference_temperature == 30.0
    assert back.friction_model.kinds == arm.friction_model.kinds
    close(back.gravity(Q), back.with_springs(arm.springs).gravity(Q))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["of"].update(axes=["swing", "shoulder"]), "of digger (arm.urdf), not of"),
        (lambda t: t["of"].update(kinematics="0123456789abcdef"), "its joints lie elsewhere"),
        (lambda t: t.pop("of"), "key 'of' is missing"),
        (lambda t: t.update(schema=2), "was written for schema 2"),
        (lambda t: t.update(colour="red"), "no key 'colour'"),
        (lambda t: links(t).pop("boom"), "boom is missing"),
        (lambda t: links(t).update(knob=links(t)["boom"]), "no link 'knob'"),
        (lambda t: links(t)["boom"].update(mass_kg=-1.0), "mass -1 kg is not positive"),
        (lambda t: links(t)["boom"].pop("source"), "the row names no source"),
        (lambda t: t["inertials"].update(default="best"), "no set of inertials 'best'"),
        (lambda t: rows(t).pop("elbow"), "needs rows for swing, shoulder, elbow"),
        (lambda t: rows(t)["elbow"].update(Fv_N_m_s=-1.0), "Fv"),
        (
            lambda t: t.update(drives={"axes": {"elbow": {"turns": {"knee": 1.0}, "source": "fit"}}}),
            "no axis 'knee'",
        ),
        (
            lambda t: t.update(drives={"axes": {"elbow": {"turns": {"swing": 1.0}, "source": "fit"}}}),
            "an axis could move without any drive",
        ),
    ],
)  # fmt: skip
def test_files_that_break_the_format_are_refused(file, written, tmp_path, change, message):
    table = yaml.safe_load(written.read_text())
    change(table)
    path = tmp_path / "set.yaml"
    path.write_text(yaml.safe_dump(table, sort_keys=False))
    with pytest.raises(irb.TableError) as caught:
        irb.from_urdf(file, parameters=path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def links(table):
    return table["inertials"]["sets"]["identified"]["links"]


def rows(table):
    return table["friction"]["sets"]["identified"]["axes"]


def test_sets_of_other_robots_are_refused(file, written, tmp_path):
    """Another geometry, a robot with tables, and a set of tables on a URDF."""
    other = tmp_path / "other.urdf"
    other.write_text(arms.urdf().replace("0.45 0.0 0.0", "0.5 0.0 0.0"))
    with pytest.raises(
        irb.TableError, match=r"of digger .*joints lie elsewhere than those of other"
    ):
        irb.from_urdf(other, parameters=written)
    for name, message in (
        ("digger", r"robot: the numbers are those of digger, not of irb2400_16$"),
        ("irb2400", r"of: the numbers are those of arm.urdf, a robot without tables$"),
    ):
        file_of = tmp_path / f"{name}.yaml"
        file_of.write_text(written.read_text().replace("robot: digger", f"robot: {name}"))
        with pytest.raises(irb.TableError, match=message):
            irb.load("irb2400", parameters=file_of)
    with pytest.raises(irb.MissingData, match=r"which has no set 'jia2018'; name a .yaml"):
        irb.from_urdf(file).with_parameters("jia2018")
    renamed = tmp_path / "renamed.urdf"
    renamed.write_text(arms.urdf(name="digger_left", limits=True))
    close(
        irb.from_urdf(renamed, parameters=written).inverse_dynamics(Q, V, A),
        irb.from_urdf(file, parameters=written).inverse_dynamics(Q, V, A),
    )


@pytest.mark.parametrize("to", ["mjcf", "sdf"])
def test_a_set_of_the_urdf_fits_its_other_formats(file, written, tmp_path, to):
    """MJCF and SDF of the same arm have its kinematics."""
    arm = irb.from_urdf(file, parameters=written)
    (model, *_) = irb.export(irb.from_urdf(file), to, tmp_path)
    own = from_file(model)
    path = tmp_path / "set.yaml"
    result = identify(own, [FIRST], [LAST], method="wls", friction="coulomb")
    write_parameter_set(path, result.parameters, result.verdict, "a log")
    back = from_file(model, parameters=path)
    close(back.inverse_dynamics(Q, V, A), predicted(result, Q, V, A))
    assert arm.n == back.n
