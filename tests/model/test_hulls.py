"""Convex hulls of shapes against formulas of solids."""

import numpy as np
import pytest
from tetrahedron import DAE

from irbmodels.errors import FileError
from irbmodels.model.hulls import hull_of, shape_points
from irbmodels.model.rotations import rotation_x
from irbmodels.model.shapes import Shape


def shape(kind, size, placement=None, file=None):
    return Shape("l", kind, size, np.eye(4) if placement is None else placement, (1,) * 4, file)


def moved():
    """Axes turned by 90 degrees about x, at (1, 2, 3)."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation_x(np.pi / 2)[:3, :3], (1.0, 2.0, 3.0)
    return pose


@pytest.mark.parametrize(
    ("kind", "size", "volume", "lost"),
    [
        ("box", (1.0, 2.0, 3.0), 6.0, 1e-12),
        ("cylinder", (1.0, 4.0), 4.0 * np.pi, 2e-3),
        ("sphere", (2.0,), 32.0 / 3.0 * np.pi, 1.5e-2),
    ],
)
def test_a_primitive_has_its_volume(kind, size, volume, lost):
    """Round ones lose what their corners cut off, wherever they are."""
    hull = hull_of(shape_points(shape(kind, size, moved())))
    assert volume * (1.0 - lost) <= hull.volume <= volume * (1.0 + 1e-12)


def test_a_point_is_so_far_outside():
    """A box of 1 x 2 x 3 m about (1, 2, 3), its y along z, its z along -y."""
    hull = hull_of(shape_points(shape("box", (1.0, 2.0, 3.0), moved())))
    assert hull.size == pytest.approx(np.sqrt(14.0))
    for point, far in (
        ((1.0, 2.0, 3.0), 0.0),
        ((1.5, 3.5, 4.0), 0.0),
        ((1.7, 2.0, 3.0), 0.2),
        ((1.0, 3.8, 3.0), 0.3),
        ((1.0, 2.0, 1.6), 0.4),
    ):
        assert hull.outside(np.array(point)) == pytest.approx(far, abs=1e-12)


@pytest.mark.parametrize("suffix", ["obj", "dae"])
def test_a_mesh_is_scaled_and_placed(suffix, tmp_path):
    """A tetrahedron with edges of 1, 2, 3 m along the axes has 1 m^3; of a millimetre each 1e-9."""
    text = DAE if suffix == "dae" else "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\n"
    (tmp_path / f"t.{suffix}").write_text(text)
    points = shape_points(shape("mesh", (1e-3,) * 3, moved(), tmp_path / f"t.{suffix}"))
    assert hull_of(points).volume == pytest.approx(1e-9)
    np.testing.assert_allclose(points.min(axis=0), [1.0, 1.997, 3.0], atol=1e-12)
    np.testing.assert_allclose(points.max(axis=0), [1.001, 2.0, 3.002], atol=1e-12)


@pytest.mark.parametrize("suffix", ["stl", "obj", "dae"])
def test_a_damaged_mesh_is_refused(suffix, tmp_path):
    """The link and the file are named."""
    (tmp_path / f"t.{suffix}").write_text("v 0 0\n")
    with pytest.raises(FileError, match=rf"link 'l': .*t\.{suffix} holds no mesh"):
        shape_points(shape("mesh", (1.0,) * 3, file=tmp_path / f"t.{suffix}"))


def test_a_flat_shape_has_no_hull():
    """Four corners of a sheet."""
    assert hull_of(np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])) is None
