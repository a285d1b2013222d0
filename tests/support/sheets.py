"""Data sheets of arms of several sizes, as short as they can be, and robots made of them."""

from irbmodels.tables.datasheet import read_datasheet
from irbmodels.tables.datasheet_tables import tables_of_datasheet
from irbmodels.tables.description import describe
from irbmodels.tables.writing import write_tables

# lengths [mm], ranges of axes 2 and 3 [deg], payload [kg], reach [mm], mass [kg] as in catalogues
ARMS = {
    "small": ((290, 0, 270, 70, 302, 72), (-110, 110), (-110, 70), 3, 580, 25),
    "flat_elbow": ((399.1, 0, 448, 42, 451, 82), (-100, 130), (-200, 70), 5, 901, 54),
    "middle": ((445, 150, 700, 115, 795, 85), (-95, 155), (-180, 75), 20, 1650, 272),
    "short_forearm": ((544, 50, 425, 40, 425, 90), (-100, 130), (-210, 65), 11, 900, None),
    "large": ((495, 175, 1095, 175, 1270, 135), (-90, 150), (-180, 75), 40, 2550, 435),
    "heavy": ((780, 320, 1135, 200, 1182.5, 200), (-65, 85), (-180, 70), 235, 2650, 1250),
}
# IRB 6660-205/1.93 with the bound of q3 - q2 of its controller's parameters; crank made up
COUPLED_SHEET = """\
schema: 1
title: a range of q3 with a bound on q3 - q2
build: parallelogram
sources: {x: {ref: catalogue, grade: published}}
lengths: {d1_mm: 814.5, a1_mm: 300, a2_mm: 700, a3_mm: 280, d4_mm: 893, d6_mm: 200, crank_mm: 300, source: x}
axes:
  axis_1: {range_deg: [-180, 180], speed_deg_s: 100, source: x}
  axis_2: {range_deg: [-42, 85], speed_deg_s: 100, source: x}
  axis_3: {range_deg: [-20, 120], bound_of: q3 - q2, bound_deg: [-70, 70], speed_deg_s: 100, source: x}
  axis_4: {range_deg: [-300, 300], speed_deg_s: 100, source: x}
  axis_5: {range_deg: [-120, 120], speed_deg_s: 100, source: x}
  axis_6: {range_deg: [-360, 360], speed_deg_s: 100, source: x}
ratings: {payload_kg: 205, reach_mm: 1930, source: x}
"""
BALANCER = """\
schema: 1
sources: {x: {ref: made up, grade: assumed}}
elements:
  balancer: {axis: axis_2, kind: gas, before_mm: [-669, 142], after_mm: [-220, 67.2], source: x}
"""


def sheet_text(arm):
    """The data sheet of one of ``ARMS``; axes without a part in its shape have round numbers."""
    lengths, range_2, range_3, payload, reach, mass = ARMS[arm]
    names = ("d1_mm", "a1_mm", "a2_mm", "a3_mm", "d4_mm", "d6_mm")
    stated = ", ".join(f"{name}: {value}" for name, value in zip(names, lengths, strict=True))
    ranges = [(-180, 180), range_2, range_3, (-200, 200), (-115, 115), (-400, 400)]
    rows = [
        f"  axis_{i}: {{range_deg: [{low}, {high}], speed_deg_s: 100, source: x}}"
        for i, (low, high) in enumerate(ranges, start=1)
    ]
    weight = "" if mass is None else f"mass_kg: {mass}, "
    return "\n".join(
        [
            "schema: 1",
            f"title: {arm}",
            "build: serial",
            "sources: {x: {ref: catalogue, grade: published}}",
            f"lengths: {{{stated}, source: x}}",
            "axes:",
            *rows,
            f"ratings: {{payload_kg: {payload}, reach_mm: {reach}, {weight}source: x}}",
            "",
        ]
    )


def described(arm, folder):
    """Tables of one of ``ARMS`` in a folder, without shapes and masses."""
    write_folder(folder, arm, sheet_text(arm))
    if arm == "heavy":
        (folder / arm / "springs.yaml").write_text(BALANCER, encoding="utf-8")
    return describe(folder / arm)


def coupled(folder, bound="bound_of: q3 - q2, bound_deg: [-70, 70]", instead=None):
    """Folder of an arm with a range of q3 and a bound on q3 - q2, or another in its place."""
    text = COUPLED_SHEET if instead is None else COUPLED_SHEET.replace(bound, instead)
    assert instead is None or text != COUPLED_SHEET
    write_folder(folder, "coupled", text)
    return folder / "coupled"


def write_folder(folder, arm, text):
    """Write the tables of a data sheet in a folder of its own."""
    sheet = folder / f"{arm}.yaml"
    sheet.write_text(text, encoding="utf-8")
    tables = tables_of_datasheet(*read_datasheet(sheet))
    unknown = {"unknown": {"about": "masses are unknown", "links": {}}}
    tables["inertials"] = {"sources": {}, "default": "unknown", "sets": unknown}
    tables["shapes"] = {"links": {}}
    write_tables(folder / arm, tables, "From a data sheet.")


def write_sheet(folder, name, lengths, ranges):
    """Folder of a serial arm of lengths d1, a1, a2, a3, d4, d6, d3 [mm] and ranges [deg], without
    shapes and masses; its reach is stated as what the lengths give.
    """
    names = ("d1_mm", "a1_mm", "a2_mm", "a3_mm", "d4_mm", "d6_mm", "d3_mm")
    stated = ", ".join(f"{key}: {value}" for key, value in zip(names, lengths, strict=True))
    rows = "".join(
        f"  axis_{i}: {{range_deg: [{low:g}, {high:g}], speed_deg_s: 100, source: x}}\n"
        for i, (low, high) in enumerate(ranges, start=1)
    )
    _, a1, a2, a3, d4, _, _ = lengths
    reach = abs(a1) + a2 + (a3**2 + d4**2) ** 0.5
    text = (
        "schema: 1\ntitle: Made up\nbuild: serial\nsources: {x: {ref: made up, grade: assumed}}\n"
        f"lengths: {{{stated}, source: x}}\naxes:\n{rows}"
        f"ratings: {{payload_kg: 10, reach_mm: {reach:.1f}, source: x}}\n"
    )
    write_folder(folder, name, text)
    return folder / name
