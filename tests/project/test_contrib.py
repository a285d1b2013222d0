"""Drafts for other projects in docs/contrib: scripts still show what the pages report, tensors have
the moments that stand beside them, and the entries for robot_descriptions load.
"""

import ast
import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
import robot_descriptions
from page_blocks import ROOT, blocks_of, is_shown
from robot_descriptions import _descriptions, _repositories
from robot_descriptions.loaders import pinocchio as in_pinocchio
from robot_descriptions.loaders import yourdfpy as in_yourdfpy

import irbmodels as irb

CONTRIB = ROOT / "docs" / "contrib"
SCRIPTS = sorted(CONTRIB.glob("*.py"))
LIBRARIES = {"numpy", "pinocchio", "roboticstoolbox"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_reported_fault_is_still_there(script):
    """A script of a report is short, needs nothing but the library, and still shows the fault, with
    the output that stands in the page.

    If it fails after a change of constraints.txt, the fault may be mended: see docs/contrib.
    """
    text = script.read_text(encoding="utf-8")
    imports = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [node.names[0].name])
    }
    assert len(text.splitlines()) <= 40
    assert imports <= LIBRARIES | set(sys.stdlib_module_names)

    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in ran.stderr, ran.stderr
    assert ran.returncode == 1, f"the fault is gone:\n{ran.stdout}"
    pages = [page.read_text(encoding="utf-8") for page in CONTRIB.glob("*.md")]
    shown = [
        match[1]
        for page in pages
        for match in re.finditer(rf"\({script.name}\).*?```text\n(.*?)```", page, re.DOTALL)
    ]
    assert len(shown) == 1
    assert is_shown(shown[0].strip(), ran.stdout.strip()), ran.stdout


def test_reported_tensors():
    """Principal moments and the nearest possible ones follow from the six numbers of each row, and
    only rows that say so are possible: the second moments of mass are not negative.
    """
    page = (CONTRIB / "urdfs.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    rows = [row for row in rows if len(row) == 5 and re.search(r": [\d.]+$", row[0])]
    assert len(rows) == 16
    for name, *entries, moments, nearest in rows:
        xx, yy, zz, xy, xz, yz = map(float, ", ".join(entries).split(", "))
        own = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        second = own.sum() / 2.0 - own
        shown = [float(moment) for moment in moments.split(", ")]
        np.testing.assert_allclose(own, shown, rtol=1e-3, atol=1e-15, err_msg=name)
        assert (second.min() >= 0.0) == (nearest == "is possible"), name
        if nearest != "is possible":
            second = np.maximum(second, 0.0)
            shown = [float(moment) for moment in nearest.split(", ")]
            np.testing.assert_allclose(second.sum() - second, shown, rtol=5e-3, err_msg=name)


def test_entries_for_robot_descriptions(tmp_path, monkeypatch):
    """Modules and entries, as they would be added to robot_descriptions, clone a repository with
    these robots, have all paths, and load in Pinocchio and yourdfpy with the robot's tool pose.
    """
    folder, source = CONTRIB / "robot_descriptions", tmp_path / "irbmodels"
    repository, entries, rows, changes = (block.text for block in blocks_of(folder / "README.md"))
    names = sorted(path.stem for path in folder.glob("*.py"))
    assert names == re.findall(r'"(\w+_description)": Description', entries)
    assert names == re.findall(r"^\| `(\w+)` \|", rows, re.MULTILINE)
    for name in names:
        robot = name.removesuffix("_description")
        shutil.copytree(ROOT / "urdf" / robot, source / "urdf" / robot)
        shutil.copytree(ROOT / "meshes" / robot, source / "meshes" / robot)
    shutil.copy(ROOT / "LICENSE", source)
    author = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "robots"]):
        subprocess.run(["git", *command], cwd=source, check=True)
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=source, text=True).strip()

    own = eval(f"{{{repository}}}", vars(_repositories))
    assert (own["irbmodels"].url, own["irbmodels"].commit) == (
        "https://github.com/OWNER/irbmodels.git",
        "COMMIT",
    )
    own["irbmodels"].url, own["irbmodels"].commit = str(source), commit
    # SRDF came with 3.0
    formats = SimpleNamespace(**{"SRDF": "SRDF", **_descriptions.Format.__members__})
    descriptions = eval(f"{{{entries}}}", {**vars(_descriptions), "Format": formats})
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(_repositories.REPOSITORIES, "irbmodels", own["irbmodels"])
    monkeypatch.setattr(robot_descriptions, "__path__", [str(folder), *robot_descriptions.__path__])
    for name, entry in descriptions.items():
        monkeypatch.setitem(_descriptions.DESCRIPTIONS, name, entry)
        monkeypatch.delitem(sys.modules, f"robot_descriptions.{name}", raising=False)
        monkeypatch.setattr(robot_descriptions, name, None, raising=False)  # for its removal
        module = importlib.import_module(f"robot_descriptions.{name}")
        paths = {key: Path(path) for key, path in vars(module).items() if "_PATH" in key}
        assert {"REPOSITORY_PATH", "PACKAGE_PATH", "URDF_PATH", "SRDF_PATH"} <= set(paths)
        assert all(path.is_relative_to(tmp_path / "cache") for path in paths.values())
        assert all(path.exists() for path in paths.values())
        assert (paths["REPOSITORY_PATH"] / entry.license_file).is_file()
        assert f"| {entry.robot} | {entry.maker} |" in rows
        assert f"{entry.maker} {entry.robot} (" in changes

        ours = irb.load(name.removesuffix("_description"))
        q, tip = 0.5 * (ours.limits.lower + ours.limits.upper), "tool0"
        model = in_yourdfpy.load_robot_description(name)
        assert tuple(model.actuated_joint_names) == ours.axes
        model.update_cfg(q)
        pose = ours.pose(q, tip).homogeneous
        np.testing.assert_allclose(model.get_transform(tip, "base_link"), pose, atol=1e-9)
        assert len(model.scene.geometry) > 5
        robot = in_pinocchio.load_robot_description(name)
        assert len(robot.visual_model.geometryObjects) > 5
        serial = pin.buildModelFromUrdf(getattr(module, "URDF_PATH_SERIAL", module.URDF_PATH))
        data = serial.createData()
        pin.framesForwardKinematics(serial, data, ours.limits.A @ q)
        np.testing.assert_allclose(data.oMf[serial.getFrameId(tip)].homogeneous, pose, atol=1e-9)
        del sys.modules[f"robot_descriptions.{name}"]
