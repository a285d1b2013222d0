"""One HTML file with meshcat's viewer, shapes, motions and controls."""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from .actor import SceneActor
from .meshcat_window import Recorder
from .scene import camera, put_scene

_HERE = Path(__file__).resolve().parent
_SCRIPTS = (  # one script, in this order
    "answers.js",
    "robots.js",
    "quantities.js",
    "charts.js",
    "player.js",
    "scheme.js",
    "undo.js",
    "keys.js",
    "handle.js",
    "plane.js",
    "bodies.js",
    "answer_panel.js",
    "target.js",
    "panel.js",
)


def page_of(
    actors: Sequence[SceneActor], layers: Sequence[str] = (), *, controls: bool = True
) -> str:
    """Return the page of some robots; it needs no network."""
    recorder = Recorder()
    data = put_scene(recorder, actors)
    return page_html(recorder.commands, data, camera(actors), layers, controls=controls)


def page_html(
    commands: Sequence[bytes],
    actors: Sequence[dict[str, Any]],
    view: dict[str, Any],
    layers: Sequence[str] = (),
    *,
    controls: bool = True,
    events: str | None = None,
) -> str:
    """Return a page of meshcat's commands and actors; ``events`` is its live stream."""
    import meshcat

    packed = b"".join(len(command).to_bytes(4, "little") + command for command in commands)
    functions: dict[str, int] = {}
    actors = [with_numbers(actor, functions) for actor in actors]
    page = {
        "commands": base64.b64encode(gzip.compress(packed, 6, mtime=0)).decode(),
        "actors": list(actors),
        "camera": view,
        "layers": list(layers),
        "events": events,
    }
    viewer = Path(meshcat.__file__).parent / "viewer"
    return Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(", ".join(str(actor["name"]) for actor in actors)),
        lost=_lost(actors),
        kind="" if controls else "bare",
        licences=_licences(viewer),
        viewer=(viewer / "dist" / "main.min.js").read_text(encoding="utf-8"),
        functions=",\n".join(functions),
        data=json.dumps(page, allow_nan=False).replace("<", "\\u003c"),
        scripts="\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS),
    )


def _licences(viewer: Path) -> str:
    """Return the licences of what a page copies; those of meshcat's viewer have to go with it."""
    libraries = json.loads(
        (viewer / "dist" / "main.min.js.THIRD_PARTY_LICENSES.json").read_text(encoding="utf-8")
    )
    texts = [
        "This page and its shapes: irbmodels, Apache-2.0,"
        " https://www.apache.org/licenses/LICENSE-2.0",
        "In it, meshcat:\n\n" + (viewer / "LICENSE").read_text(encoding="utf-8"),
        # of 1.0.2, npm; meshcat has it in its bundle, not in its list
        "In it, three-wtm: MIT License, Copyright (c) 2021 Kai Salmen",
    ]
    for library in libraries:
        name = "In it, {name} {version}, by {author}: {license}".format_map(library)
        texts.append(f"{name}\n\n{library['licenseText'] or ''}")
    return "\n\n".join(text.strip() for text in texts).replace("</", "< /")


def with_numbers(data: Any, functions: dict[str, int]) -> Any:
    """Return data with the number of each function in place of its text; new ones are added."""
    if isinstance(data, dict):
        return {
            key: functions.setdefault(value, len(functions))
            if key == "function"
            else with_numbers(value, functions)
            for key, value in data.items()
        }
    return data


def _lost(actors: Sequence[dict[str, Any]]) -> str:
    """Return the lost shapes of each robot, in HTML."""
    lines = (
        f"{actor['name']} is shown without {', '.join(actor['lost'])}"
        for actor in actors
        if actor["lost"]
    )
    return "<br>".join(map(html.escape, lines))
