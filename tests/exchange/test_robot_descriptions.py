"""The robots as modules of the package robot_descriptions, and in its loaders."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from peers import require_peer
from robot_descriptions.loaders import mujoco as in_mujoco
from robot_descriptions.loaders import pinocchio as in_pinocchio
from robot_descriptions.loaders import yourdfpy as in_yourdfpy

import irbmodels as irb
from irbmodels import robot_descriptions
from irbmodels.robot_descriptions import DESCRIPTIONS, irb2400_description

ROBOTS = [*irb.robots(), *irb.aliases()]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """The current folder is not the repository, and the cache is this test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IRBMODELS_CACHE", str(tmp_path / "cache"))


def test_every_robot_has_its_modules():
    """Every variant and alias has a module, a MuJoCo one, and one of the open chain where there are
    two trees.
    """
    serial = [name for name in ROBOTS if len(irb.describe(name).couplings) > 1]
    expected = [f"{name}_{kind}" for name in ROBOTS for kind in ("description", "mj_description")]
    assert sorted(DESCRIPTIONS) == sorted(
        [*expected, *(f"{name}_serial_description" for name in serial)]
    )


@together("name", [name for name in DESCRIPTIONS if "_mj_" not in name])
def test_modules_under_both_names(name):
    """A module is imported from here and from robot_descriptions, is the same, and its paths
    exist.
    """
    module = import_module(f"robot_descriptions.{name}")
    assert (
        module
        is import_module(f"irbmodels.robot_descriptions.{name}")
        is getattr(robot_descriptions, name)
    )
    robot, _, serial = name.removesuffix("_description").partition("_serial")
    assert str(irb.urdf_path(robot, "serial" if "_serial" in name else None)) == module.URDF_PATH
    assert not serial
    assert Path(module.SRDF_PATH).is_file()
    assert Path(module.URDF_PATH).parent == Path(module.PACKAGE_PATH)
    assert (Path(module.REPOSITORY_PATH) / "meshes").is_dir()
    assert {"URDF_PATH", "XACRO_PATH", "SRDF_PATH", "PACKAGE_PATH", "REPOSITORY_PATH"} < set(
        dir(module)
    )
    assert not hasattr(module, "MJCF_PATH")
    assert Path(module.XACRO_PATH).is_file()


def test_loader_of_pinocchio():
    """The wrapper has all joints and meshes."""
    robot = in_pinocchio.load_robot_description("irb2400_serial_description")
    ours = irb.load("irb2400")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    robot.forwardKinematics(ours.limits.A @ q)
    pin.updateFramePlacements(robot.model, robot.data)
    assert robot.data.oMf[robot.model.getFrameId("tcp")].isApprox(ours.pose(q), 1e-12)
    assert len(robot.visual_model.geometryObjects) > 10


def test_loader_of_yourdfpy():
    """The parallelogram moves by its axes, with meshes."""
    model = in_yourdfpy.load_robot_description("irb2400_description")
    ours = irb.load("irb2400")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert tuple(model.actuated_joint_names) == ours.axes
    model.update_cfg(q)
    np.testing.assert_allclose(
        model.get_transform("tcp", "base_link"), ours.pose(q).homogeneous, rtol=0, atol=1e-12
    )
    assert len(model.scene.geometry) > 10


def test_loader_of_pybullet():
    """PyBullet finds the meshes."""
    pybullet = require_peer("pybullet")
    in_pybullet = import_module("robot_descriptions.loaders.pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    try:
        body = in_pybullet.load_robot_description(
            "irb930_description", useFixedBase=True, physicsClientId=client
        )
        assert len(pybullet.getVisualShapeData(body, physicsClientId=client)) >= 5
    finally:
        pybullet.disconnect(client)


def test_loader_of_mujoco(tmp_path):
    """The MuJoCo model is written when it is asked for, below the cache, and loads."""
    module = import_module("robot_descriptions.irb930_mj_description")
    vars(module).pop("MJCF_PATH", None)
    assert not (tmp_path / "cache").exists()
    model = in_mujoco.load_robot_description("irb930_mj_description")
    assert [model.joint(f"joint_{i + 1}").name for i in range(4)] == list(irb.load("irb930").axes)
    assert Path(module.MJCF_PATH).is_relative_to(tmp_path / "cache")


def test_unknown_names():
    """A module that does not exist names the nearest; neither is there a path that a module does
    not have.
    """
    with pytest.raises(AttributeError, match="did you mean 'irb2400_description'"):
        _ = robot_descriptions.irb2400_descripton
    with pytest.raises(AttributeError, match="has no attribute 'MJCF_PATH'"):
        _ = irb2400_description.MJCF_PATH
    with pytest.raises(ImportError):
        import_module("irbmodels.robot_descriptions.irb9999_description")


def test_without_that_package(tmp_path):
    """The modules need no robot_descriptions, and importing them writes and loads nothing."""
    (tmp_path / "robot_descriptions.py").write_text(
        "raise ImportError('not here')", encoding="utf-8"
    )
    code = (
        "import sys; from irbmodels.robot_descriptions import irb1600_description as d;"
        " print(d.URDF_PATH);assert 'mujoco' not in sys.modules and 'xacro' not in sys.modules"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path)),
        "IRBMODELS_CACHE": str(tmp_path / "cache"),
    }
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert ran.stdout.strip() == str(irb.urdf_path("irb1600"))
    assert not (tmp_path / "cache").exists()
