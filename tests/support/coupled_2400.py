"""An IRB 2400 whose axis 3 has a range of q3 itself and a bound on q3 - q2."""

import shutil

import irbmodels as irb
from irbmodels.tables.description import describe, mesh_folder

OWN = "range_deg: [-60, 65], range_of: q3 - q2"
SAME = "range_deg: [-180, 180], bound_of: q3 - q2, bound_deg: [-60, 65]"
"""The same postures: ranges of axis 2 and of q3 - q2 leave q3 between -160 and 175 deg."""
LESS = "range_deg: [-30, 100], bound_of: q3 - q2, bound_deg: [-60, 65]"


def coupled_2400(folder, stated):
    """Return the robot of copied tables with another row of axis 3."""
    own = describe("irb2400_16").folder
    copy = folder / "irb2400"
    shutil.copytree(own, copy)
    (copy / "meshes").symlink_to(mesh_folder(own))
    text = (copy / "limits.yaml").read_text(encoding="utf-8")
    head, row = text.split("  axis_3: ", 1)
    row = row.replace(OWN, stated, 1).replace(
        "{range_deg: dwg", "{range_deg: dwg, bound_deg: dwg", 1
    )
    (copy / "limits.yaml").write_text(f"{head}  axis_3: {row}", encoding="utf-8")
    return irb.load(copy / "irb2400_16")
