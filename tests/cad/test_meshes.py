"""The committed meshes: the same from another processor, sound as surfaces, named by the tables, and read by
every engine.
"""

import os
import re
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest
import shipped
import trimesh
import umsgpack
from grouped import per_family
from peers import require_peer

import irbmodels as irb
from irbmodels.model.shapes import shapes_of
from irbmodels.model.urdf import parse_urdf
from irbmodels.tables.description import BARS, LEVEL_BARS
from irbmodels.viewer.actor import check_actor
from irbmodels.viewer.meshcat_window import Recorder
from irbmodels.viewer.scene import put_scene

ROOT = Path(__file__).resolve().parents[2]
MESHES = ROOT / "meshes"
FILES = sorted(MESHES.rglob("*.obj"))
GROUPS = sorted({path.relative_to(MESHES).parts[0] for path in FILES})
URDFS = sorted((ROOT / "urdf").glob("*/*.urdf"))
FOUR = [
    path
    for path in URDFS
    if path.stem in ("irb1400", "irb2400_16_serial", "irb930_12_085", "positioner")
]
VISUALS, PIECES = (
    [path for path in FILES if path.parent.name == what] for what in ("visual", "collision")
)
BUILT = [path for path in URDFS if not path.stem.endswith("_serial")]

PLACE = 1e-5  # [m] a place has five decimals
# [m] how far a visual may stand beyond the faces of the convex pieces of its link, of an arm that
# reaches as far as the IRB 2400; more in proportion for larger ones
BEYOND, AT_REACH = 0.015, 1.55
NEAR, MOST = 0.010, 0.95  # [m] and how far this part of its vertices


class Obj(NamedTuple):
    """What an OBJ file says."""

    places: np.ndarray
    directions: np.ndarray
    corners: np.ndarray
    """Index into places, ``(faces, 3)``."""
    towards: np.ndarray
    """Index into directions, ``(faces, 3)``; empty without normals."""

    @property
    def areas(self):
        """Area of each face times its normal."""
        a, b, c = (self.places[self.corners[:, k]] for k in range(3))
        return np.cross(b - a, c - a) / 2.0

    @property
    def planes(self):
        """Outward normals and distances from the origin."""
        normals = self.areas / np.linalg.norm(self.areas, axis=1)[:, None]
        return normals, (normals * self.places[self.corners[:, 0]]).sum(axis=1)


@cache
def read(path):
    """Read an OBJ file without any library's help: a face is three corners, of a place or of
    place//direction.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = {
        key: [line[len(key) + 1 :] for line in lines if line.startswith(f"{key} ")]
        for key in ("v", "vn", "f")
    }
    assert sum(map(len, rows.values())) == len(lines), f"{path} holds more than v, vn and f"
    assert {row.count(" ") for row in rows["v"] + rows["vn"] + rows["f"]} == {2}
    places, directions = (
        np.array(" ".join(rows[key]).split(), dtype=float).reshape(-1, 3) for key in ("v", "vn")
    )
    faces = (
        np.array(" ".join(rows["f"]).replace("//", " ").split(), dtype=int).reshape(
            len(rows["f"]), 3, -1
        )
        - 1
    )
    return Obj(places, directions, faces[:, :, 0], faces[:, :, 1:].reshape(len(faces), -1))


def relative(path):
    return path.relative_to(MESHES).as_posix()


of_files = partial(per_family, family=lambda path: path.relative_to(MESHES).parts[0], name=relative)
of_urdfs = partial(per_family, family=lambda path: path.parent.name, name=lambda path: path.stem)


@cache
def shapes(path, what):
    """Return the meshes that a URDF names, as (link, file)."""
    return [
        (one.link, one.file.resolve())
        for one in shapes_of(parse_urdf(path.read_text(encoding="utf-8")), path.parent, what)
    ]


@cache
def tool_shapes():
    """Return visual and collision files of the spindle."""
    robot = irb.describe("irb2400")
    document = parse_urdf(robot.urdf("serial", tool="spindle"))
    return [
        [
            one.file.resolve()
            for one in shapes_of(document, robot.folder, what)
            if one.link == "tool0"
        ]
        for what in ("visual", "collision")
    ]


def test_another_processor_writes_the_same_bytes():
    """Other hash seed, one core, no vector instructions in numpy, BLAS and libm: the committed
    bytes all the same.
    """
    code = """
import os, sys
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import irbmodels as irb
from irbmodels.cad.builds import weighed
from irbmodels.cad.meshes import mesh_files
for name in ("irb2400_10", "irb930_12_105"):
    robot = irb.describe(name)
    files = mesh_files([robot])
    for path, text in files.items():
        if path.suffix != ".obj":
            continue
        if open(os.path.join(sys.argv[1], *path.parts[1:]), encoding="utf-8").read() != text:
            print(path)
    for link, body in weighed(robot).bodies.items():
        row = robot.inertials.sets["cad"].links[link].inertial()
        if abs(row.mass - body.mass) > 1e-9 or abs(row.com - body.com).max() > 1e-9:
            print(name, link)
print(len(files))
"""
    actual = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    environment = os.environ | {
        "PYTHONHASHSEED": "7",
        "PYTHONPATH": str(ROOT),
        "NPY_DISABLE_CPU_FEATURES": " ".join(actual),
        "OPENBLAS_CORETYPE": "Prescott",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
    }
    done = subprocess.run(
        [sys.executable, "-c", code, str(MESHES)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["27"]


# Surfaces


@of_files(FILES)
def test_surface(path):
    """Closed, every edge between two faces that agree on what is outside, no face without area,
    nothing unused, in metres.
    """
    obj = read(path)
    assert obj.corners.min() == 0
    assert obj.corners.max() == len(obj.places) - 1
    assert len(np.unique(obj.corners)) == len(obj.places) == len(np.unique(obj.places, axis=0))
    start, end = obj.corners.ravel(), np.roll(obj.corners, -1, axis=1).ravel()
    there, back = np.sort(start * len(obj.places) + end), np.sort(end * len(obj.places) + start)
    assert (np.diff(there) > 0).all()  # no edge twice in one direction
    np.testing.assert_array_equal(there, back)  # and each in both
    # half a square of 10 um, the last digit of a place, is the smallest triangle
    assert np.linalg.norm(obj.areas, axis=1).min() > 0.4e-10
    # six times the volume: inside is inside
    assert np.einsum("ti,ti->", obj.areas, obj.places[obj.corners[:, 0]]) > 0.0
    # [m]; of an IRB 8700 from link 1's cap to the motors of axes 1 and 2 beside its stand, 2.28 m
    largest = 2.3 if "irb8700" in path.parts else 2.1
    assert 0.02 < np.linalg.norm(np.ptp(obj.places, axis=0)) < largest
    assert np.abs(np.round(obj.places, 5) - obj.places).max() == 0.0


@of_files(VISUALS)
def test_normals(path):
    """Of length 1 to their two decimals, all used, and each points out of its face."""
    obj = read(path)
    assert obj.towards.shape == obj.corners.shape
    assert set(np.unique(obj.towards)) == set(range(len(obj.directions)))
    np.testing.assert_allclose(np.linalg.norm(obj.directions, axis=1), 1.0, rtol=0, atol=0.009)
    normals, _ = obj.planes
    assert np.einsum("tki,ti->tk", obj.directions[obj.towards], normals).min() > 0.25


@of_files(PIECES)
def test_piece_is_convex(path):
    """No corner beyond any face's plane, by more than a float's rounding; and without normals,
    which nobody looks at.
    """
    obj = read(path)
    normals, distances = obj.planes
    assert (obj.places @ normals.T - distances).max() < 1e-12
    assert obj.directions.size == 0
    assert len(obj.corners) < 700


def test_default_load_of_trimesh():
    """Pieces load watertight and convex.

    Visuals do once vertices of several normals are merged: OBJ has one per normal.
    """
    for path in FILES:
        mesh = trimesh.load(path)
        assert isinstance(mesh, trimesh.Trimesh)
        if "visual" in path.parts:
            mesh.merge_vertices(merge_norm=True)
        assert mesh.is_watertight, path
        assert mesh.is_winding_consistent, path
        assert mesh.is_convex or "visual" in path.parts, path


def test_families_are_small():
    """Every folder is under 5 MB, the most of which have the six IRB 6700."""
    for group in GROUPS:
        assert (
            sum(path.stat().st_size for path in FILES if relative(path).startswith(f"{group}/"))
            < 5e6
        )


# Named by the tables


def test_every_mesh_is_named_and_every_name_is_a_mesh():
    """URDFs and the tool's table name all files, visuals as visual and pieces as collision; LICENSE
    stands beside them.
    """
    for number, what in enumerate(("visual", "collision")):
        named = {file for path in URDFS for _, file in shapes(path, what)} | set(
            tool_shapes()[number]
        )
        assert named == {path.resolve() for path in FILES if path.parent.name == what}
    assert {path.name for path in MESHES.iterdir() if path.is_file()} == {"LICENSE", "README.md"}
    assert "Apache License, Version 2.0" in (MESHES / "LICENSE").read_text(encoding="utf-8")


@of_urdfs(URDFS)
def test_urdf_names_its_meshes_relative_to_itself(path):
    """Every link with a mass of its own has a visual per colour and a collision piece; no path is
    absolute.
    """
    names = [
        str(tag.get("filename"))
        for tag in parse_urdf(path.read_text(encoding="utf-8")).iter("mesh")
    ]
    assert all(name.startswith("../../meshes/") for name in names)
    visuals, pieces = ({link for link, _ in shapes(path, what)} for what in ("visual", "collision"))
    assert visuals == pieces == set(_bodies(path))


PALLETIZERS = ("irb260", "irb460", "irb660", "irb760")
WITH_PINS = ("link_crank", "link_3", "link_level", "link_carrier")
RODS = ("link_rod", "link_lower_rod", "link_upper_rod")


def _bodies(path):
    """Return the links that weigh more than the carriers of a parallelogram, and those of an arm
    without masses.
    """
    for link in parse_urdf(path.read_text(encoding="utf-8")).iterfind("link"):
        name, mass = str(link.get("name")), link.find("inertial/mass")
        weighs = mass is not None and float(mass.get("value")) > 1e-3
        held = path.parent.name in PALLETIZERS and name in ("link_level", *LEVEL_BARS)
        if weighs or held or name in BARS or re.fullmatch(r"base_link|link_\d", name):
            yield name


# What the pieces cover


@cache
def poses_at_home(path):
    """Return where the links of a URDF stand at home."""
    robot = irb.from_urdf(path)
    return {link: robot.pose(np.zeros(robot.n), link).homogeneous for link in _bodies(path)}


def seen_at_home(path, link):
    """Return the vertices of a link's visuals in the base [m]."""
    places = np.concatenate(
        [read(file).places for one, file in shapes(path, "visual") if one == link]
    )
    pose = poses_at_home(path)[link]
    return places @ pose[:3, :3].T + pose[:3, 3]


def beyond(points, pieces):
    """Return how far each point is beyond the faces of the nearest of some convex pieces [m],
    negative inside.
    """
    distances = []
    for piece in pieces:
        normals, offsets = read(piece).planes
        distances.append((points @ normals.T - offsets).max(axis=1))
    return np.min(distances, axis=0)


@of_urdfs(BUILT)
def test_pieces_cover_what_is_seen(path):
    """No vertex of a visual is 15 mm beyond its link's pieces, 95 % are within 10 mm, in proportion
    to the reach of large arms; the pins are inside the rods' eyes. A balancer's rod has no piece: it
    moves between its cylinder and the lower arm, which have theirs.
    """
    poses, pieces = poses_at_home(path), {}
    family = [name for name in shipped.ALL if shipped.FAMILY[name] == path.parent.name]
    reach = [irb.describe(name).limits.ratings.reach_mm / 1000.0 for name in family]
    size = max([AT_REACH, *reach]) / AT_REACH
    for link, file in shapes(path, "collision"):
        pieces.setdefault(link, []).append(file)
    for link in pieces:
        files = [file for one, file in shapes(path, "visual") if one == link]
        pins = [
            file
            for file in files
            if "grey" in file.stem and "link_rod" in pieces and link in WITH_PINS
        ]
        moving = [file for file in files if file.stem.partition("_irb")[0].endswith("balancer_rod")]
        solid = [file for file in files if file not in (*pins, *moving)]
        seen = np.concatenate([read(file).places for file in solid])
        away = beyond(seen, pieces[link])
        assert away.max() < BEYOND * size, link
        assert np.mean(away < NEAR * size) > MOST, link
        for file in pins:
            places = read(file).places
            away = [beyond(places, pieces[link])]
            for rod in RODS:
                if rod in pieces:
                    rod_from_link = np.linalg.inv(poses[rod]) @ poses[link]
                    in_rod = places @ rod_from_link[:3, :3].T + rod_from_link[:3, 3]
                    away.append(beyond(in_rod, pieces[rod]))
            assert np.min(away, axis=0).max() < BEYOND, file.stem


@of_urdfs(BUILT)
def test_joints_turn_in_round_places(path):
    """Both links of a joint have a rim, a full circle of vertices, about the joint's axis; one of
    both where a small arm's wrist tilts inside its forearm.
    """
    document, robot, bodies = (
        parse_urdf(path.read_text(encoding="utf-8")),
        irb.from_urdf(path),
        set(_bodies(path)),
    )
    joints = {joint.find("child").get("link"): joint for joint in document.iterfind("joint")}
    for child in bodies & set(joints):
        pose = robot.pose(np.zeros(robot.n), child).homogeneous
        direction = pose[:3, :3] @ np.array(
            joints[child].find("axis").get("xyz").split(), dtype=float
        )
        parent = joints[child].find("parent").get("link")
        while parent not in bodies:
            parent = joints[parent].find("parent").get("link")
        round_links = [
            link
            for link in (child, parent)
            if rims(seen_at_home(path, link) - pose[:3, 3], direction)
        ]
        inside = child == "link_5" and path.stem.startswith(("irb120", "irb1100", "irb1200"))
        assert len(round_links) >= (1 if inside else 2), f"axis of {child}: {round_links}"


def rims(points, direction):
    """Return how many full circles of at least 8 points there are about an axis through the
    origin.
    """
    along = points @ direction
    away = points - along[:, None] * direction
    radius = np.linalg.norm(away, axis=1)
    outside = radius > 0.005
    circles = np.round(np.column_stack([along, radius])[outside] / 5e-5)
    _, which, counts = np.unique(circles, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), 3))
    np.add.at(sums, which.ravel(), away[outside] / radius[outside, None])
    return int(np.sum((counts >= 8) & (np.linalg.norm(sums, axis=1) < 0.05 * counts)))


def test_spindle_ends_at_the_tcp():
    """The cutter's tip is where the tool's table has the TCP, on the axis of the spindle; its
    pieces cover it.
    """
    seen = np.concatenate([read(file).places for file in tool_shapes()[0]])
    tcp = irb.load_tool("spindle").tcp.translation
    tip = seen[seen[:, 0] > seen[:, 0].max() - PLACE]
    np.testing.assert_allclose(
        (tip.min(axis=0) + tip.max(axis=0)) / 2.0, tcp, rtol=0, atol=2 * PLACE
    )
    assert beyond(seen, tool_shapes()[1]).max() < BEYOND


@of_urdfs(BUILT)
def test_robots_are_as_large_as_they_are(path):
    """At home a robot stands on the floor and is at most between half and 1.2 of its reach away from
    axis 1, or 1.4 of it high.
    """
    points = np.concatenate([seen_at_home(path, link) for link in _bodies(path)])
    low, high = points.min(axis=0), points.max(axis=0)
    assert low[2] == pytest.approx(0.0, abs=PLACE)
    reach = (
        0.7
        if path.stem == "positioner"
        else irb.describe(path.stem).limits.ratings.reach_mm / 1000.0
    )
    away = max(*-low, *high[:2])
    assert 0.5 * reach < max(away, high[2])
    assert away < 1.2 * reach
    assert high[2] < 1.4 * reach


# Engines, from another folder


@pytest.fixture
def elsewhere(tmp_path, monkeypatch, capfd):
    """Work in an empty folder; afterwards nothing is in it, and nothing was printed."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    output = capfd.readouterr()
    assert (output.out, output.err) == ("", "")
    assert list(tmp_path.iterdir()) == []


def counts(path):
    """Return how many visuals and pieces a URDF has."""
    return len(shapes(path, "visual")), len(shapes(path, "collision"))


def vertices(path, what):
    return sum(len(read(file).places) for _, file in shapes(path, what))


@of_urdfs(URDFS)
def test_mujoco(path, elsewhere):
    """Every file is a mesh of the model; visuals are kept, and do not collide."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_path(str(path))
    visuals, pieces = counts(path)
    assert model.nmesh == model.ngeom == visuals + pieces
    solid = model.geom_contype != 0
    assert (solid.sum(), (~solid).sum()) == (pieces, visuals)
    assert set(model.geom_type.tolist()) == {int(mujoco.mjtGeom.mjGEOM_MESH)}
    assert model.mesh_vertnum.sum() >= vertices(path, "visual") + vertices(path, "collision")
    assert model.mesh_normalnum.sum() > 0


@of_urdfs(URDFS)
def test_drake(path, elsewhere):
    """The scene graph has every visual for illustration and perception, every piece for
    proximity.
    """
    pytest.importorskip("pydrake")
    from pydrake.geometry import Role
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 1e-3)
    Parser(plant).AddModels(path)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base_link"))
    plant.Finalize()
    inspector, (visuals, pieces) = scene.model_inspector(), counts(path)
    actual = [
        inspector.NumGeometriesWithRole(role)
        for role in (Role.kIllustration, Role.kPerception, Role.kProximity)
    ]
    assert actual == [visuals, visuals, pieces]
    if path in FOUR:  # and they can be asked
        diagram = builder.Build()
        context = scene.GetMyContextFromRoot(diagram.CreateDefaultContext())
        scene.get_query_output_port().Eval(context).ComputePointPairPenetration()


def test_pybullet(elsewhere, capfd):
    """Every link has its shapes, all of them meshes."""
    pybullet = require_peer("pybullet")
    client = pybullet.connect(pybullet.DIRECT)
    capfd.readouterr()  # it greets
    try:
        for path in URDFS:
            robot = pybullet.loadURDF(str(path), useFixedBase=True, physicsClientId=client)
            if path.stem.removesuffix("_serial") in shipped.MASSES_UNKNOWN:
                assert "No inertial data for link" in capfd.readouterr().out
            links = range(-1, pybullet.getNumJoints(robot, physicsClientId=client))
            seen = pybullet.getVisualShapeData(robot, physicsClientId=client)
            hit = [
                shape
                for link in links
                for shape in pybullet.getCollisionShapeData(robot, link, physicsClientId=client)
            ]
            assert (len(seen), len(hit)) == counts(path), path
            assert {shape[2] for shape in [*seen, *hit]} == {pybullet.GEOM_MESH}
            pybullet.resetSimulation(physicsClientId=client)
    finally:
        pybullet.disconnect(client)


# yourdfpy asks trimesh for it
@pytest.mark.filterwarnings("ignore:.*Scene.dump.*:DeprecationWarning")
@pytest.mark.parametrize("path", FOUR, ids=lambda path: path.stem)
def test_yourdfpy(path, elsewhere):
    """All triangles of all visuals and pieces are in its scenes, and stand where the robot is."""
    yourdfpy = pytest.importorskip("yourdfpy")
    model = yourdfpy.URDF.load(
        str(path), load_meshes=True, load_collision_meshes=True, build_collision_scene_graph=True
    )
    for scene, what in ((model.scene, "visual"), (model.collision_scene, "collision")):
        assert len(scene.triangles) == sum(
            len(read(file).corners) for _, file in shapes(path, what)
        )
    assert model.scene.bounds[0, 2] == pytest.approx(0.0, abs=PLACE)


@pytest.mark.parametrize("path", FOUR, ids=lambda path: path.stem)
def test_pinocchio(path, elsewhere):
    """Both geometry models are complete, with the folder of the URDF as package_dirs."""
    _, hit, seen = pin.buildModelsFromUrdf(str(path), [str(path.parent)])
    assert (seen.ngeoms, hit.ngeoms) == counts(path)


def test_the_page_on_urdf_says_how_pinocchio_finds_meshes(elsewhere):
    """Its line is run as it stands."""
    page = Path(__file__).resolve().parents[2] / "docs" / "howto" / "tools" / "urdf.md"
    (line,) = re.findall(r"`(pin\.buildModelsFromUrdf\([^`]+)`", page.read_text(encoding="utf-8"))
    path = FOUR[0]
    _, hit, seen = eval(line, {"pin": pin, "path": path})
    assert (seen.ngeoms, hit.ngeoms) == counts(path)


@pytest.mark.parametrize("path", FOUR, ids=lambda path: path.stem)
def test_meshcat_and_self_collision(path, elsewhere):
    """The view's scene holds every visual and every piece; the robot does not touch itself at
    home.
    """
    robot, recorder = irb.from_urdf(path), Recorder()
    put_scene(recorder, [check_actor(irb.Actor(robot))])
    shown = [
        umsgpack.unpackb(command).get("object", {}).get("geometries", [{}])[0]
        for command in recorder.commands
    ]
    meshes = [shape["data"] for shape in shown if shape.get("format") == "obj"]
    assert set(meshes) == {
        file.read_text(encoding="utf-8")
        for what in ("visual", "collision")
        for _, file in shapes(path, what)
    }
    assert len(meshes) == sum(counts(path))
    assert not irb.collides(robot, np.zeros(robot.n))
