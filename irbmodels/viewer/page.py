"""One HTML file with everything in it: meshcat's viewer, the shapes, the motions and the controls."""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from .actor import Actor
from .scene import Recorder, camera, put

_HERE = Path(__file__).resolve().parent
_SCRIPTS = ("robots.js", "player.js", "panel.js")  # one script, in this order


def page_of(actors: Sequence[Actor], layers: Sequence[str] = (), *, controls: bool = True) -> str:
    """Return the page of some robots; it needs no network."""
    recorder = Recorder()
    data = put(recorder, list(actors))
    return text(recorder.commands, data, camera(list(actors)), layers, controls=controls)


def text(
    commands: Sequence[bytes],
    actors: Sequence[dict[str, Any]],
    seen_from: dict[str, Any],
    layers: Sequence[str] = (),
    *,
    controls: bool = True,
    events: str | None = None,
) -> str:
    """Return a page that carries out meshcat's commands and then moves the actors; ``events`` is where it hears of more."""
    import meshcat

    packed = b"".join(len(command).to_bytes(4, "little") + command for command in commands)
    page = {
        "commands": base64.b64encode(gzip.compress(packed, 6, mtime=0)).decode(),
        "actors": list(actors),
        "camera": seen_from,
        "layers": list(layers),
        "events": events,
    }
    viewer = Path(meshcat.__file__).parent / "viewer" / "dist" / "main.min.js"
    return Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(", ".join(str(actor["name"]) for actor in actors)),
        lost=_lost(actors),
        kind="" if controls else "bare",
        viewer=viewer.read_text(encoding="utf-8"),
        data=json.dumps(page, allow_nan=False).replace("<", "\\u003c"),
        scripts="\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS),
    )


def _lost(actors: Sequence[dict[str, Any]]) -> str:
    """Return what each robot is shown without, in HTML."""
    lines = (
        f"{actor['name']} is shown without {', '.join(actor['lost'])}"
        for actor in actors
        if actor["lost"]
    )
    return "<br>".join(map(html.escape, lines))
