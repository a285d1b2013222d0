"""Command schema: the form of what a command prints with --json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import UnknownName
from .commands import Commands
from .json_output import write_json
from .shared import print_lines

app = Commands()
_FOLDER = Path(__file__).with_name("schemas")
_SHARED = "definitions"  # of all schemas; each schema gets those that it refers to
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@app.command(
    examples=(
        "irbmodels schema",
        "irbmodels schema pose",
    ),
)
@click.argument(
    "words",
    metavar="[COMMAND]",
    nargs=-1,
    help="Command with --json, or error; default: list all.",
    shell_complete=lambda *words: [name for name in schemas() if name.startswith(words[-1])],
)
def schema(words: tuple[str, ...]) -> None:
    """Print the JSON Schema of what a command prints with --json.

    A schema (draft 2020-12) stands on its own, and says what each number is. That of error is what
    every command prints instead of its result when it fails.
    """
    if words:
        write_json(schema_of(" ".join(words)))
    else:
        print_lines(*schemas())


def schemas() -> tuple[str, ...]:
    """Return the commands that have a schema, and error."""
    names = {path.stem.replace("_", " ") for path in _FOLDER.glob("*.yaml")}
    return tuple(sorted(names - {_SHARED}))


def schema_of(command: str) -> dict[str, Any]:
    """Return the JSON Schema of a command's output.

    Its file says which results there are. All objects are closed and have all of their properties,
    unless it says otherwise.

    Raises:
        UnknownName: if the command has no schema.
    """
    if command not in schemas():
        raise UnknownName("command with --json", command, schemas())
    own, shared = _read(command), _read(_SHARED)
    if command != "error":
        of_all = {"command": {"const": command}, "version": {"$ref": "#/$defs/version"}}
        own["properties"] = {**of_all, **own["properties"]}
    needed: dict[str, Any] = {}
    _collect(own, shared, needed)
    closed: dict[str, Any] = _closed({"$schema": _DIALECT, **own, "$defs": needed})
    return closed


def _read(name: str) -> dict[str, Any]:
    import yaml

    from ..files import read_text

    content: dict[str, Any] = yaml.safe_load(read_text(_FOLDER / f"{name.replace(' ', '_')}.yaml"))
    return content


def _collect(node: Any, shared: dict[str, Any], needed: dict[str, Any]) -> None:
    """Add to ``needed`` the shared definitions that a schema refers to, directly or not."""
    if isinstance(node, dict):
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        if name and name not in needed:
            needed[name] = shared[name]
            _collect(shared[name], shared, needed)
        node = list(node.values())
    if isinstance(node, list):
        for one in node:
            _collect(one, shared, needed)


def _closed(node: Any) -> Any:
    """Return a schema whose objects have all properties that they state, and no others."""
    if isinstance(node, list):
        return [_closed(one) for one in node]
    if not isinstance(node, dict):
        return node
    closed = {key: _closed(one) for key, one in node.items()}
    if isinstance(node.get("properties"), dict) and "type" not in node["properties"]:
        rest = {"required": list(node["properties"]), "additionalProperties": False}
        closed = {"type": "object", **rest, **closed}
    return closed
