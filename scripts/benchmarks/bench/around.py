"""What is around the dynamics: every query one by one, loading, importing, and the viewer."""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import irbmodels as irb
from irbmodels.trajectory import through
from irbmodels.viewer.browser import flags, program

from .arm import NAME, TOOL, Arm
from .claims import OURS
from .first_answer import ONE
from .processes import run
from .races import Contestant, Results, calls

POSE, IMPORTED = "irbmodels pose", "import pinocchio, numpy"
LIMIT = 2.5  # of POSE, over IMPORTED
STARTED = {
    name: ("-c", name) for name in (IMPORTED, "import pinocchio, numpy, scipy", "import irbmodels")
} | {POSE: ("-m", "irbmodels.cli", *f"pose {NAME} --q-deg 0,20,10,0,30,0".split())}
"""Arguments of the interpreter by what it does."""
RATIOS = (
    ("import irbmodels", "import pinocchio, numpy, scipy"),
    (POSE, IMPORTED),
)


def measurements(arm: Arm) -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run."""
    return [
        ("one state per call", partial(single_states, arm)),
        ("imports", imports),
        ("viewer", viewing),
    ]


def single_states(arm: Arm, results: Results) -> None:
    """One state per call of what a user calls, collision included."""
    robot, number = arm.robot, 20 if results.effort.quick else 2000
    q, v, a = (x[0].copy() for x in arm.states(1))
    ways: list[tuple[str, Callable[..., object], tuple[Any, ...], int]] = [
        ("pin.rnea", pin.rnea, (arm.model, arm.data, q, v, a), number),
        ("pin.aba", pin.aba, (arm.model, arm.data, q, v, a), number),
        ("robot.inverse_dynamics, friction", robot.inverse_dynamics, (q, v, a), number),
        (
            "robot.inverse_dynamics, no friction",
            partial(robot.inverse_dynamics, friction=False),
            (q, v, a),
            number,
        ),
        ("robot.forward_dynamics, friction", robot.forward_dynamics, (q, v, a), number),
        ("robot.pose", robot.pose, (q,), number),
        ("robot.jacobian", robot.jacobian, (q,), number),
        ("robot.mass_matrix", robot.mass_matrix, (q,), number),
        ("irb.collides", irb.collides, (robot, q), number // 10),
        ("irb.clearance", irb.clearance, (robot, q), number // 10),
        ("irb.load, warm", partial(irb.load, NAME, tool=TOOL), (), max(number // 200, 1)),
    ]
    contestants = [
        Contestant(
            "pin" if how.startswith("pin.") else OURS,
            how,
            calls(run, *given, number=times),
            times,
            ONE,
        )
        for how, run, given, times in ways
    ]
    results.race("one state per call", contestants)


def imports(results: Results) -> None:
    """Wall time of fresh interpreters, less that of empty ones, in turns."""

    def wall(*arguments: str) -> float:
        start = time.perf_counter()
        run(*arguments)
        return time.perf_counter() - start

    count = min(results.effort.rounds, 15)
    for arguments in STARTED.values():  # writes byte code
        run(*arguments)
    times = np.array(
        [
            [wall(*arguments) - wall("-c", "pass") for arguments in STARTED.values()]
            for _ in range(count)
        ]
    ).T
    taken = dict(zip(STARTED, times, strict=True))
    for name, values in taken.items():
        results.number("start", name, 1e3 * values, "ms")
    for ours, theirs in RATIOS:
        results.number("start", f"{ours} / {theirs}", taken[ours] / taken[theirs], "x")
    results.within(POSE, taken[POSE] / taken[IMPORTED], LIMIT, IMPORTED)


def viewing(results: Results) -> None:
    """Size of the page of a 10 s motion at 250 Hz [MB], and how long one frame of it takes at 900 x
    700 [ms].

    Chromium draws in software, without a graphics card.
    """
    try:
        browser = program()
    except irb.MissingProgram as err:
        results.notes.append(f"no frame rate: {err}")
        return
    heard: queue.Queue[str] = queue.Queue()

    class Ear(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        HTTPServer(("127.0.0.1", 0), Ear) as ear,
    ):
        page, size = _page(Path(folder), ear.server_address[1])
        threading.Thread(target=ear.serve_forever, daemon=True).start()
        command = [
            browser,
            *flags(),
            f"--user-data-dir={folder}/profile",
            "--window-size=900,700",
            page.as_uri(),
        ]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                answer = heard.get(timeout=60.0)
            finally:
                process.kill()
                ear.shutdown()
    results.number("viewer", "page of a 10 s motion at 250 Hz", size, "MB")
    for name, taken in json.loads(answer).items():
        results.number("viewer", name, taken, "ms")


def _page(folder: Path, port: int) -> tuple[Path, float]:
    """Write a page that tells ``port`` how long its frames take.

    Return its path, and its size without that [MB].
    """
    robot = irb.load(NAME, tool=TOOL)
    postures = [
        robot.from_controller(x)
        for x in ((0, 0, 0, 0, 30, 0), (40, 25, 20, 30, 45, 60), (-35, 45, 40, -40, 60, -90))
    ]
    page = folder / "page.html"
    irb.save_page(page, robot, motion=through(postures, duration=5.0).sample(250.0))
    size = page.stat().st_size / 1e6
    text = page.read_text(encoding="utf-8").replace("</body>", FRAMES.replace("PORT", str(port)))
    page.write_text(text, encoding="utf-8")
    return page, size


FRAMES = """<script>irb.ready.then(() => {
  const gl = irb.viewer.renderer.getContext(), pixel = new Uint8Array(4), frames = 40;
  const mean = work => {
    const start = performance.now();
    for (let k = 0; k < frames; k++) work(k);
    return (performance.now() - start) / frames;
  };
  const move = k => irb.seek(10 * k / frames);
  const draw = k => { move(k); irb.viewer.render(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); };
  draw(0);
  const report = { "one frame, drawn": mean(draw), "one frame, moved only": mean(move) };
  fetch("http://127.0.0.1:PORT", { method: "POST", mode: "no-cors", body: JSON.stringify(report) });
});</script></body>"""
