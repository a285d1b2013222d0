"""Tables written as YAML: those of a variant, merged ones, and those of a new robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml

from ..checks import as_instance, as_path
from ..errors import FileError, InputError
from ..model.inertia import Inertial
from .description import Description, describe
from .reader import SCHEMA

# contents of kinematics.yaml, limits.yaml ..., by the name before .yaml
Tables = dict[str, dict[str, Any]]


ROWS = {  # where the rows of each table stand
    "kinematics": ("joints",),
    "limits": ("axes",),
    "friction": ("sets", "*", "axes"),
    "inertials": ("sets", "*", "links"),
    "drives": ("axes",),
    "springs": ("elements",),
}


def copy_robot(name: str, like: str, folder: str | Path) -> Path:
    """Write the tables of a new robot like a shipped one, to be filled in.

    They are those of ``like``, every number marked as a copy.

    Args:
        name: Name of the new robot.
        like: Shipped robot of the same build.
        folder: Folder to make; it must not exist, or be empty.

    Returns:
        The folder; ``irbmodels.load(folder)`` loads it.

    Raises:
        UnknownName: if there is no robot ``like``.
        InputError: if the folder holds anything, or the name is none.
        FileError: if it cannot be written.
    """
    source = describe(like)
    target = new_folder(name, folder)
    tables = tables_of(source)
    copied = {
        "ref": f"row of {source.name}",
        "grade": "assumed",
        "licence": "facts only",
        "how": (
            "copied by irbmodels new; replace it by the arm's own data sheet, drawing or"
            " measurement"
        ),
    }
    for key, path in ROWS.items():
        tables[key]["sources"] = {"copied": copied}
        for row in _rows_at(tables[key], path):
            row["source"] = "copied"
    for key in ("tool0", "parallelogram", "level"):
        if key in tables["kinematics"]:
            tables["kinematics"][key]["source"] = "copied"
    tables["limits"]["ratings"]["source"] = "copied"
    for key in ("handling", "base", "crank"):  # load diagram and masses of another arm
        tables["limits"].pop(key, None)
    tables["kinematics"]["variants"] = {name: {}}
    chosen = tables["inertials"]["sets"][tables["inertials"]["default"]]
    chosen["about"] = f"bodies of {source.name}, to be replaced"
    chosen.pop("serial", None)
    tables["inertials"] |= {"default": "copied", "sets": {"copied": chosen}}
    tables["friction"], tables["drives"] = {"sources": {}, "sets": {}}, {"sources": {}, "axes": {}}
    tables["springs"] = {"sources": {}, "elements": {}}
    header = (
        f"{name}: copied from {source.name} by irbmodels new. Replace the numbers, and 'copied' by"
        " their own sources."
    )
    try:
        write_tables(target, tables, header)
        (target / "README.md").write_text(
            _README.format(name=name, like=source.name), encoding="utf-8"
        )
    except OSError as err:
        raise FileError(f"cannot write {target}: {err.strerror or err}") from err
    return target


def new_folder(name: str, folder: str | Path) -> Path:
    """Return the folder of a robot to be written, which does not exist or is empty.

    Raises:
        InputError: if it holds anything, or the name is none.
    """
    target = as_path(folder, "the folder of a new robot")
    if not as_instance(name, str, "the name of a robot is a text").replace("-", "_").isidentifier():
        raise InputError(f"{name!r} is no name for a robot: letters, digits, _ and -")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} is not an empty folder; choose another one")
    return target


def tables_of(description: Description) -> Tables:
    """Return the tables of one variant as plain mappings, its own rows in place."""
    kinematics, limits = plain(description.kinematics), plain(description.limits)
    kinematics["variants"] = {description.name: {}}
    limits.pop("variants", None)
    shapes = plain(description.shapes)
    shapes.pop("variants", None)
    drives, springs = plain(description.drives), plain(description.springs)
    drives.pop("variants", None)
    springs.pop("variants", None)
    inertials = plain(description.inertials)
    for entry in inertials["sets"].values():
        entry.pop("variants", None)
        entry.pop("unknown", None)
    return {
        "kinematics": kinematics,
        "limits": limits,
        "inertials": inertials,
        "friction": plain(description.friction),
        "drives": drives,
        "springs": springs,
        "shapes": shapes,
    }


def write_tables(folder: Path, tables: Tables, header: str) -> None:
    """Write tables as :func:`table_text`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        (folder / f"{name}.yaml").write_text(table_text(table, header), encoding="utf-8")


def table_text(table: Mapping[str, Any], header: str) -> str:
    """Return a table as YAML, rows on one line each.

    The header is a comment of one line, whatever it holds.
    """
    text = yaml.dump(
        {"schema": SCHEMA, **table},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=1000,
        default_flow_style=None,
    )
    return f"# {' '.join(header.split())}\n{text}"


def body_row(body: Inertial, source: str) -> dict[str, Any]:
    """Return a body in the axes of its link as a row of inertials."""
    tensor = {key: float(body.tensor[i, j]) for key, (i, j) in _TENSOR.items()}
    return {
        "mass_kg": float(body.mass),
        "com_mm": (1000.0 * body.com).tolist(),
        "inertia_kg_m2": tensor,
        "source": source,
    }


_TENSOR = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def _rows_at(table: dict[str, Any], path: tuple[str, ...]) -> list[dict[str, Any]]:
    items: list[Any] = [table]
    for step in path:
        items = [
            value
            for item in items
            for value in (item.values() if step == "*" else [item.get(step, {})])
        ]
    return [row for item in items for row in item.values()]


def plain(value: Any) -> Any:
    """Return dataclasses, tuples and mappings as what YAML writes.

    What is at its default is left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        names = sorted(fields(value), key=lambda f: f.name == "source")  # the source closes a row
        return {
            f.name: plain(getattr(value, f.name))
            for f in names
            if getattr(value, f.name) != _default(f)
        }
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return (
        int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        else value
    )


def _default(item: Any) -> Any:
    return item.default if item.default is not MISSING else object()


class _Dumper(yaml.SafeDumper):
    """Writes floats as YAML 1.1 reads them back, and repeats rather than aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        """Never write an alias."""
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        """Write a row, which names its source, on one line."""
        row = isinstance(mapping, Mapping) and "source" in mapping
        return super().represent_mapping(tag, mapping, True if row else flow_style)


def _float(dumper: yaml.SafeDumper, value: float) -> yaml.ScalarNode:
    text = repr(value)
    return dumper.represent_scalar(
        "tag:yaml.org,2002:float", text if "." in text else text.replace("e", ".0e")
    )


_Dumper.add_representer(float, _float)

_README = """# {name}

Tables copied from {like}. Every number carries the source `copied` (grade assumed) until you replace it.

1. `kinematics.yaml`: the DH rows and tool0, from the data sheet's drawing.
2. `limits.yaml`: ranges, payload, reach; speeds, mass and efforts, if you know them.
3. `inertials.yaml`: masses, centers of mass and tensors in the link frames.
4. `friction.yaml`, `drives.yaml`, `springs.yaml`: what you have measured; empty means unknown.
5. `shapes.yaml`: looks and collision shapes of {like}; `irbmodels.cad.write_family` draws them from your lengths.

Then: `irbmodels info ./{name}`, `irbmodels check ./{name}`, `irbmodels view ./{name}`.
"""
