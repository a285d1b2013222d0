"""Mesh paths of a URDF: rewritten for a file elsewhere, absolute, or of a ROS package."""

from __future__ import annotations

from pathlib import Path

import pytest

import irbmodels as irb
from irbmodels.model.mesh_paths import with_mesh_paths

HOME = Path("/data/urdf/irb2400")
MESH = '<robot><mesh scale="1 1 1" filename="../../meshes/irb2400/visual/link_1.obj"/></robot>'


def test_relative_mesh_paths_stay():
    """Relative is how the files are written."""
    assert with_mesh_paths(MESH, "relative", HOME) == MESH


def test_relative_mesh_paths_follow_the_file():
    """Written to another folder, relative paths lead back to the same meshes."""
    text = with_mesh_paths(MESH, "relative", HOME, target=Path("/data/out"))
    assert 'scale="1 1 1" filename="../meshes/irb2400/visual/link_1.obj"' in text


def test_absolute_mesh_paths():
    """Absolute paths start from the folder of the URDF."""
    text = with_mesh_paths(MESH, "absolute", HOME)
    assert 'scale="1 1 1" filename="/data/meshes/irb2400/visual/link_1.obj"' in text


def test_package_mesh_paths():
    """package:// starts at the folder that holds 'meshes'."""
    text = with_mesh_paths(MESH, "package://irb_description", HOME)
    assert 'filename="package://irb_description/meshes/irb2400/visual/link_1.obj"' in text


def test_package_starts_at_the_nearest_folder_with_meshes():
    """A checkout below another folder called 'meshes' names its own package all the same."""
    text = with_mesh_paths(
        MESH, "package://irb_description", Path("/srv/meshes/irbmodels/urdf/irb2400")
    )
    assert 'filename="package://irb_description/meshes/irb2400/visual/link_1.obj"' in text


@pytest.mark.parametrize(
    "path", ["package://other/link.obj", "file:///somewhere/link.obj", "/somewhere/link.obj"]
)
@pytest.mark.parametrize("style", ["absolute", "package://irb_description"])
def test_paths_that_are_not_relative_stay(path, style):
    """Only relative paths are rewritten."""
    text = f'<robot><mesh filename="{path}"/></robot>'
    assert with_mesh_paths(text, style, HOME) == text


@pytest.mark.parametrize(
    "style", ["Absolute", "package:/x", "package://", "package://a b", "http://x", ""]
)
def test_unknown_style_of_mesh_paths_is_refused(style):
    """The three styles are named, also for a URDF without meshes."""
    with pytest.raises(irb.InputError, match="choose relative, absolute or package://NAME"):
        with_mesh_paths("<robot/>", style, Path("/data"))


def test_mesh_outside_a_meshes_folder_has_no_package_path():
    """A package:// path can only name what lies below 'meshes'."""
    with pytest.raises(irb.UrdfError, match=r"mesh link\.obj does not lie below a folder 'meshes'"):
        with_mesh_paths(
            '<robot><mesh filename="link.obj"/></robot>', "package://x", Path("/data/urdf")
        )
