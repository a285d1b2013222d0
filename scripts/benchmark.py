"""Time this project beside its peers in one run and print ratios; nothing here is a test.

    python scripts/benchmark.py [--json FILE]

Peers: bare Pinocchio on the serial tree (no coupling, friction or checks), and MuJoCo where it is installed. The viewer's frame
rate is that of Chromium's software renderer (no GPU), where Chromium is installed.
"""

from __future__ import annotations

import argparse
import json
import platform
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

import irbmodels as irb
from irbmodels.files import replacing
from irbmodels.trajectory import through
from irbmodels.view.browser import flags, program

REPEATS = 15


def per_call(function: Callable[[], object], calls: int = 4000) -> float:
    """Median time of one call over repeated runs [us]."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - start) / calls)
    return 1e6 * statistics.median(times)


def import_time(statement: str) -> float:
    """Median wall time of a fresh interpreter that runs ``statement``, less that of an empty one [ms]."""

    def wall(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    pairs = [(wall(statement), wall("pass")) for _ in range(REPEATS)]
    return 1e3 * statistics.median(with_it - without for with_it, without in pairs)


def single_states() -> dict[str, float]:
    """Times of one state per call [us], IRB 2400 with the spindle."""
    robot = irb.load("irb2400", tool="spindle")
    model, rng = robot.model, np.random.default_rng(0)
    data = model.createData()
    q, v, a = rng.uniform(-1.0, 1.0, (3, robot.n))
    result = {
        "pin.rnea": per_call(lambda: pin.rnea(model, data, q, v, a)),
        "pin.aba": per_call(lambda: pin.aba(model, data, q, v, a)),
        "robot.inverse_dynamics, friction": per_call(lambda: robot.inverse_dynamics(q, v, a)),
        "robot.inverse_dynamics, no friction": per_call(lambda: robot.inverse_dynamics(q, v, a, friction=False)),
        "robot.forward_dynamics, friction": per_call(lambda: robot.forward_dynamics(q, v, a)),
        "robot.pose": per_call(lambda: robot.pose(q)),
        "robot.jacobian": per_call(lambda: robot.jacobian(q)),
        "robot.mass_matrix": per_call(lambda: robot.mass_matrix(q)),
        "irb.collides": per_call(lambda: irb.collides(robot, q), calls=400),
        "irb.clearance": per_call(lambda: irb.clearance(robot, q), calls=400),
    }
    Q, V, A = rng.uniform(-1.0, 1.0, (3, 4096, robot.n))
    result["robot.inverse_dynamics, array of 4096, per state"] = per_call(lambda: robot.inverse_dynamics(Q, V, A), calls=1) / 4096
    try:
        import mujoco
    except ImportError:
        return result
    engine = mujoco.MjModel.from_xml_string(irb.describe("irb2400").urdf("serial", tool="spindle", looks=False))
    engine.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    state = mujoco.MjData(engine)
    state.qpos[:], state.qvel[:], state.qacc[:] = q, v, a
    result["mujoco.mj_inverse"] = per_call(lambda: mujoco.mj_inverse(engine, state))
    return result


def viewing() -> dict[str, float]:
    """Size of the page of a 10 s motion at 250 Hz [MB], and how long one frame of it takes at 900 x 700 [ms]."""
    robot = irb.load("irb2400", tool="spindle")
    postures = [robot.from_controller(x) for x in ((0, 0, 0, 0, 30, 0), (40, 25, 20, 30, 45, 60), (-35, 45, 40, -40, 60, -90))]
    heard: queue.Queue[str] = queue.Queue()

    class Ear(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, HTTPServer(("127.0.0.1", 0), Ear) as ear:
        page = Path(folder) / "page.html"
        irb.save_page(page, robot, motion=through(postures, 5.0, 250.0))
        size = page.stat().st_size / 1e6
        script = FRAMES.replace("PORT", str(ear.server_address[1]))
        page.write_text(page.read_text(encoding="utf-8").replace("</body>", script), encoding="utf-8")
        threading.Thread(target=ear.serve_forever, daemon=True).start()
        command = [program(), *flags(), f"--user-data-dir={folder}/profile", "--window-size=900,700", page.as_uri()]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            try:
                answer = heard.get(timeout=60.0)
            finally:
                browser.kill()
                ear.shutdown()
    return {"page of a 10 s motion at 250 Hz [MB]": size} | json.loads(answer)


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
  const report = { "one frame, drawn [ms]": mean(draw), "one frame, moved only [ms]": mean(move) };
  fetch("http://127.0.0.1:PORT", { method: "POST", mode: "no-cors", body: JSON.stringify(report) });
});</script></body>"""


def main() -> None:
    """Measure, print, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="file to write")
    arguments = parser.parse_args()
    calls = single_states()
    irb.load("irb2400", tool="spindle")
    loading = {
        "load, warm [ms]": 1e-3 * per_call(lambda: irb.load("irb2400", tool="spindle"), calls=10),
        "import pinocchio, numpy, scipy [ms]": import_time("import pinocchio, numpy, scipy"),
        "import irbmodels [ms]": import_time("import irbmodels"),
    }
    try:
        seen = viewing()
    except irb.MissingProgram as err:
        print(f"no frame rate: {err}")
        seen = {}
    bare = calls["pin.rnea"]
    table = Table(
        "one state per call",
        "us",
        "x pin.rnea",
        title=f"{platform.processor() or platform.machine()}, {platform.python_version()}",
    )
    for name, value in calls.items():
        table.add_row(name, f"{value:.2f}", f"{value / bare:.2f}")
    other = Table("start", "ms", "x bare import")
    for name, value in loading.items():
        ratio = value / loading["import pinocchio, numpy, scipy [ms]"] if name.startswith("import") else float("nan")
        other.add_row(name.removesuffix(" [ms]"), f"{value:.1f}", "" if np.isnan(ratio) else f"{ratio:.2f}")
    view = Table("viewer", "")
    for name, value in seen.items():
        view.add_row(name, f"{value:.2f}")
    Console().print(table, other, view)
    if arguments.json:
        with replacing(arguments.json) as temporary:
            temporary.write_text(json.dumps({"us": calls, "ms": loading, "viewer": seen}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
