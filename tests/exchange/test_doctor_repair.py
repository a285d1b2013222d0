"""Repaired tensors and files."""

from __future__ import annotations

import codecs

import mujoco
import numpy as np
import pytest
from grouped import together
from urdf_faults import SHIPPED, masked, one_body, tensor

import irbmodels as irb
from irbmodels.exchange.doctor import examine, repair
from irbmodels.exchange.doctor.repairing import body_of, is_possible, moments_of
from irbmodels.exchange.doctor.xml import (
    edited,
    read,
)
from irbmodels.model.inertia import MARGIN, Inertial, ball_moment


def impossible_tensors(count: int) -> list[np.ndarray]:
    """Symmetric tensors that no body has: random ones, some scaled to be tiny or large."""
    rng, actual = np.random.default_rng(5), []
    while len(actual) < count:
        matrix = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-6, 2)
        matrix += matrix.T
        if not is_possible(moments_of(matrix)):
            actual.append(matrix)
    return actual


@together("index", range(40))
def test_repaired_body_is_possible_and_nearest(index):
    """No body of that mass and centre, dense as lead at most, with second moments above the margin
    is nearer to the tensor.
    """
    rng = np.random.default_rng(index)
    body = Inertial.of(
        10.0 ** rng.uniform(-4, 2), rng.normal(size=3), impossible_tensors(40)[index]
    )
    after = body.nearest_possible()
    covariance, repaired = body.covariance(), after.covariance()
    floor = np.linalg.eigvalsh(repaired)[0]
    assert (after.mass, after.com.tolist()) == (body.mass, body.com.tolist())
    assert is_possible(moments_of(after.tensor))
    assert floor > 0.0
    distance = np.linalg.norm(repaired - covariance)
    for _ in range(200):
        factor = rng.normal(size=(3, 3)) * distance**0.5 * 10.0 ** rng.uniform(-3, 0)
        other = (
            repaired
            + (factor @ factor.T) * rng.choice([0.0, 1.0])
            + 0.1 * distance * np.diag(rng.uniform(-1, 1, 3))
        )
        values, axes = np.linalg.eigh(other)
        other = axes @ np.diag(np.maximum(values, floor)) @ axes.T
        other *= max(1.0, 3.0 * ball_moment(body.mass) / np.trace(other))
        assert np.linalg.norm(other - covariance) >= distance * (1.0 - 1e-9)


def test_repair_raises_only_the_moments_that_are_too_small():
    """By hand: second moments of (1, 1, 2.5) are 1.25, 1.25, -0.25; the last becomes a millionth of
    the largest.
    """
    after = Inertial.of(1.0, [0.0, 0.0, 0.0], np.diag([1.0, 1.0, 2.5])).nearest_possible()
    np.testing.assert_allclose(np.diag(after.covariance()), [1.25, 1.25, 1.25 * MARGIN], rtol=1e-9)
    np.testing.assert_allclose(np.diag(after.tensor), [1.25, 1.25, 2.5], rtol=1e-5)


def test_tensor_that_tells_nothing_becomes_a_lead_ball():
    """A zero tensor of 3 kg: r = (3 m / 4 pi rho)^(1/3) = 39.8 mm, I = 2/5 m r^2 about every
    axis.
    """
    after = Inertial.of(3.0, [0.0, 0.0, 0.0], np.zeros((3, 3))).nearest_possible()
    radius = (3.0 * 3.0 / (4.0 * np.pi * 11_340.0)) ** (1.0 / 3.0)
    np.testing.assert_allclose(after.tensor, 0.4 * 3.0 * radius**2 * np.eye(3), rtol=1e-12)
    assert ball_moment(3.0) == pytest.approx(0.2 * 3.0 * radius**2)


def test_a_needle_too_dense_rises_to_the_trace_of_a_lead_ball():
    """By hand, in moments of the ball: (2, 0.5, -1) becomes (2.25, 0.75, 0), of sum 3 as the
    ball's; the last is the least.
    """
    mass = 3.0
    unit = ball_moment(mass)
    before = np.diag([2.0, 0.5, -1.0]) * unit
    body = Inertial.of(mass, [0.1, 0.0, 0.0], np.trace(before) * np.eye(3) - before)
    second = np.diag(body.nearest_possible().covariance()) / unit
    np.testing.assert_allclose(
        second, [2.25 - MARGIN, 0.75 - MARGIN, 2.0 * MARGIN], rtol=0, atol=1e-9
    )
    assert not body.nearest_possible().is_too_dense()


@pytest.mark.parametrize("index", range(40))
def test_a_repaired_file_passes_every_check(index, urdf, tmp_path):
    """Random impossible tensors, most of them of bodies too heavy for their size, turned any way:
    no warning, no finding left.
    """
    rng = np.random.default_rng(100 + index)
    mass = 10.0 ** rng.uniform(-3, 3)
    matrix = impossible_tensors(40)[index]
    matrix *= (
        ball_moment(mass)
        * 10.0 ** rng.uniform(-2, 2)
        / np.abs(matrix).max()
        * rng.choice([0.0, 1.0], p=[0.1, 0.9])
    )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    place = " ".join(map(repr, rng.uniform(-1, 1, 6).tolist())).split()
    origin = f'<origin xyz="{" ".join(place[:3])}" rpy="{" ".join(place[3:])}"/>'
    text = one_body(repr(mass), tensor(xx, yy, zz, xy, xz, yz)).replace(
        "<inertial><mass", f"<inertial>{origin}<mass"
    )
    assert origin in text
    path, out = urdf(text), tmp_path / "out.urdf"
    with pytest.warns(irb.PhysicsWarning, match="is impossible"):
        irb.from_urdf(path)
    repair(path, out)
    irb.from_urdf(out)
    assert not [
        finding
        for finding in examine(out)
        if finding.what in ("triangle inequality", "implausible density")
    ]


def test_possible_bodies_are_not_touched(urdf, tmp_path):
    """Repair of a clean file is the same file, byte for byte."""
    for name, coupling in SHIPPED:
        path = irb.urdf_path(name, coupling)
        assert repair(path, tmp_path / "out.urdf") == []
        assert (tmp_path / "out.urdf").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "matrix", impossible_tensors(20), ids=lambda matrix: f"{np.abs(matrix).max():.0e}"
)
def test_mujoco_takes_what_it_refused(matrix, urdf, tmp_path):
    """MuJoCo refuses the file; it loads the repaired one, with the moments that the repair says."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    path, out = urdf(one_body("2.5", tensor(xx, yy, zz, xy, xz, yz))), tmp_path / "out.urdf"
    with pytest.raises(ValueError, match="inertia"):
        mujoco.MjModel.from_xml_path(str(path))
    (mended,) = repair(path, out)
    model = mujoco.MjModel.from_xml_path(str(out))
    expected = moments_of(mended.after.tensor)
    np.testing.assert_allclose(
        np.sort(model.body("body").inertia), expected, rtol=1e-6, atol=1e-10 * expected[2]
    )
    assert not [finding for finding in examine(out) if finding.severity == "error"]


def test_mujoco_takes_the_repaired_tensor_of_a_grain(urdf, tmp_path):
    """A needle of a milligram, whose millionth MuJoCo would refuse: no second moment is below 1e-13
    kg m^2.
    """
    path, out = urdf(one_body("1e-6", tensor(1e-9, 1e-9, -1e-12))), tmp_path / "out.urdf"
    repair(path, out)
    assert mujoco.MjModel.from_xml_path(str(out)).body("body").inertia.min() == pytest.approx(
        2e-13, rel=1e-6
    )


def test_published_tensors_of_the_irb2400_become_loadable(urdf, tmp_path):
    """S000 Tab. 3 as printed: four impossible links are found, and with them repaired MuJoCo loads
    the arm.
    """
    path, out = (
        urdf(irb.describe("irb2400").urdf("serial", "obal2025_printed", looks=False)),
        tmp_path / "out.urdf",
    )
    wrong = ["link_2", "link_3", "link_4", "link_6"]
    assert [finding.name for finding in examine(path) if finding.severity == "error"] == wrong
    with pytest.raises(ValueError, match="inertia"):
        mujoco.MjModel.from_xml_path(str(path))
    assert [mended.link for mended in repair(path, out)] == wrong
    assert mujoco.MjModel.from_xml_path(str(out)).nv == 6
    assert masked(out.read_bytes()) == masked(path.read_bytes())


def test_repair_says_how_much_moved(urdf, tmp_path):
    """Absolute and relative change are those between the two files."""
    path, out = urdf(one_body("3", tensor(1, 1, 2.5, 0.1))), tmp_path / "out.urdf"
    (mended,) = repair(path, out)
    before, after = (body_of(read(file)[1].all("link")[1]).tensor for file in (path, out))
    moved = np.linalg.norm(after - before)
    assert mended.moved == pytest.approx(moved)
    assert mended.relative == pytest.approx(moved / np.linalg.norm(before))
    assert str(mended).startswith(
        f"link 'body': tensor moved by {moved:.3g} kg m^2 ({100 * mended.relative:.3g} %)"
    )
    assert str(mended).isprintable()


STRANGE = (
    '<?xml version="1.0" encoding="{}"?>\r\n<!DOCTYPE robot>\r\n<!-- gr\u00f6\u00dfe <inertia'
    " ixx=\"7\"/> -->\r\n<robot name='\u00e9'>\t<link  name='w'/><link name='b'"
    " >\r\n<inertial><mass value = '1' /><inertia note='ixx=\"1\" >'\r\n  izz = '2.5'"
    " iyy=\"1\"\tixx='1' ixy='0' ixz='0' iyz='0'  ></inertia></inertial ></link></robot>\r\n\r\n"
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8 with mark", "iso-8859-1", "utf-16", "utf-16-be", "windows-1252"]
)
def test_repair_keeps_formatting_and_encoding(encoding, urdf, tmp_path):
    """Comments, DOCTYPE, quotes, order, line ends and encoding stay; only the text of the moments
    changes.
    """
    codec, mark = (
        encoding.removesuffix(" with mark"),
        codecs.BOM_UTF8 if encoding.endswith("mark") else b"",
    )
    mark = codecs.BOM_UTF16_BE if codec == "utf-16-be" else mark
    declared = "utf-16" if codec == "utf-16-be" else codec
    path, out = urdf(mark + STRANGE.format(declared).encode(codec)), tmp_path / "out.urdf"
    (mended,) = repair(path, out)
    after = out.read_bytes()
    assert after.startswith(mark)
    xx, yy, zz = (f"{value:.12g}" for value in np.diag(mended.after.tensor))
    expected = STRANGE.format(declared).replace("izz = '2.5'", f"izz = '{zz}'")
    expected = expected.replace('iyy="1"', f'iyy="{yy}"').replace("\tixx='1'", f"\tixx='{xx}'")
    assert after.removeprefix(mark).decode(codec) == expected


def test_repair_leaves_what_cannot_be_computed(urdf, tmp_path):
    """A body without a positive mass, or with a tensor that is no number, stays as it is."""
    for mass, inertia in (
        ("-1", tensor(1, 1, 9)),
        ("0", tensor(1, 1, 1)),
        ("x", tensor(1, 1, 9)),
        ("1", tensor("nan", 1, 1)),
    ):
        path = urdf(one_body(mass, inertia))
        assert repair(path, tmp_path / "out.urdf") == []
        assert (tmp_path / "out.urdf").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("way", ["same", "link", "detour"])
def test_repair_does_not_overwrite_its_input(way, urdf, tmp_path):
    """The input by its own name, through a link or by another path is refused, and stays."""
    path = urdf(one_body("1", tensor(1, 1, 9)))
    (tmp_path / "link.urdf").symlink_to(path)
    content = path.read_bytes()
    target = {
        "same": path,
        "link": tmp_path / "link.urdf",
        "detour": tmp_path / ".." / tmp_path.name / path.name,
    }[way]
    with pytest.raises(irb.InputError, match="is the file that is examined"):
        repair(path, target)
    assert path.read_bytes() == content


def test_an_attribute_that_is_not_written_cannot_be_edited():
    """A value that only a DOCTYPE gives has no place in the tag."""
    with pytest.raises(irb.UrdfError, match="does not write ixx"):
        edited(b"<robot><inertia iyy='1'/></robot>", {7: {"ixx": "1"}})
