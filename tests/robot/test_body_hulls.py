"""Which shapes make the hull of a body."""

import pytest
from tetrahedron import DAE

from irbmodels.robot.body_hulls import body_hulls
from irbmodels.robot.robot import from_urdf, from_urdf_text

BOX = '<geometry><box size="1 2 4"/></geometry>'
MESH = '<geometry><mesh filename="{}"/></geometry>'
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 6\n"  # 1 m^3


def arm(folder, shapes):
    """A robot of one link with these shapes, beside its meshes."""
    (folder / "t.dae").write_text(DAE)
    (folder / "t.obj").write_text(OBJ)
    (folder / "arm.urdf").write_text(f"""<robot name="arm"><link name="base"/>
<joint name="j" type="revolute"><parent link="base"/><child link="link"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="link"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>{shapes}</link></robot>""")
    return from_urdf(folder / "arm.urdf")


@pytest.mark.parametrize(
    ("visual", "collision", "volume"),
    [
        (BOX, MESH.format("t.obj"), 8.0),
        (MESH.format("t.obj"), BOX, 1.0),
        (MESH.format("t.dae"), BOX, 8.0),
        (MESH.format("t.dae"), MESH.format("t.obj"), 1.0),
        (MESH.format("t.dae"), "", 1.0),
        (MESH.format("none.obj"), BOX, 8.0),
        (MESH.format("none.obj"), MESH.format("t.dae"), 1.0),
    ],
)
def test_the_shapes_of_a_hull(visual, collision, volume, tmp_path):
    """Visual ones, but for those of DAE or lost where there are collision shapes."""
    shapes = f"<visual>{visual}</visual>"
    shapes += f"<collision>{collision}</collision>" if collision else ""
    hulls, lost = body_hulls(arm(tmp_path, shapes))
    assert hulls["link"].volume == pytest.approx(volume)
    assert lost == {}


def test_a_body_without_readable_shapes_names_the_visual_one(tmp_path):
    """As the file names it; a body without shapes is not lost."""
    both = "".join(
        f"<{look}>{MESH.format(name)}</{look}>"
        for look, name in (("visual", "a.dae"), ("collision", "b.stl"))
    )
    assert body_hulls(arm(tmp_path, both)) == ({}, {"link": "a.dae"})
    assert body_hulls(from_urdf_text(arm(tmp_path, "").urdf(), tmp_path / "x.urdf")) == ({}, {})
