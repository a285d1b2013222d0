"""Install the wheel of a folder into empty environments, one per Python and choice of extras, and
try in each what the extras are for.

    pip install uv
    python scripts/try_install.py [dist] --python 3.11 3.12 3.13
    python scripts/try_install.py [dist] --lowest

Needs uv and a package index. Without extras every trial has to end with the one line that names the
missing extra. ``--lowest`` installs the lowest versions that the package allows for what it asks
for itself; what those need in turn is as new as it can be. An environment is thrown away after its
trials; uv keeps archives for the next.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from check_dist import ROOT, only

PROJECT = ROOT / "pyproject.toml"
TOOLS = ("docs", "dev")  # extras that no program needs
TEST_TOOLS = ("hypothesis", "jsonschema", "pillow", "pytest", "pyyaml")
CORE = """
import irbmodels as irb
from irbmodels.viewer import save_page

robot = irb.load("irb2400", tool="spindle")
q = robot.from_controller([0, 20, 10, 0, 30, 0])
torque = robot.inverse_dynamics(q, [0.1] * 6, [0.0] * 6)
assert "site-packages" in irb.__file__ and -300.0 < torque[2] < -200.0, torque
assert robot.inverse_kinematics(robot.pose(q)) and not irb.collides(robot, q)
irb.from_urdf(irb.urdf_path("irb2400"))
irb.simulate(robot, q, duration=0.1, torque=robot.gravity(q))
save_page("page.html", robot)
robot.description.urdf()
"""
TRIALS = {
    "fast": """
import numpy as np
import irbmodels as irb

robot = irb.load("irb2400", tool="spindle")
q, v, a = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 2000, 6))
robot.compiled()
answers = robot.inverse_dynamics(q, v, a)
assert np.allclose(answers[7], robot.inverse_dynamics(q[7], v[7], a[7]), rtol=0.0, atol=1e-8)
""",
    "symbolic": """
import numpy as np
import irbmodels as irb

robot, zero = irb.load("irb2400"), [0.0] * 6
value = np.asarray(robot.symbolic("gravity")(zero)).ravel()
assert np.allclose(value, robot.gravity(zero))
""",
    "equations": """
from irbmodels.cli import main
assert main(["equations", "irb930", "--what", "pose", "-o", "pose.tex"]) == 0
""",
    "export": """
from irbmodels.cli import main
assert main(["export", "irb2400", "--to", "mjcf", "-o", "arm"]) == 0
""",
    "rapid": """
from pathlib import Path
from irbmodels.cli import main
target = "[[1000,0,1000],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]"
Path("a.mod").write_text(
    f"MODULE A\\n  CONST robtarget p:={target};\\n  PROC main()\\n    MoveJ p,v100,fine,tool0;\\n"
    "  ENDPROC\\nENDMODULE\\n"
)
assert main(["rapid", "a.mod", "--robot", "irb2400"]) == 0
""",
    "motion": """
import irbmodels as irb
from irbmodels.trajectory import axis_path, jerk_limited, time_optimal

robot = irb.load("irb2400")
limits = dict(velocity=1.5, acceleration=4.0, jerk=20.0)
assert 0.5 < jerk_limited([0.0] * 6, [0.5] * 6, **limits).duration < 2.0
path = axis_path([robot.from_controller(p) for p in ([0, 0, 0, 0, 30, 0], [40, 25, 20, 30, 45, 60])])
found = time_optimal(path, robot, torque=0.5 * robot.limits.effort)
assert found.lower_bound <= found.duration < 1.1 * found.lower_bound
""",
    "logs": """
import numpy as np
import irbmodels as irb
from irbmodels.identification.fits import on_dask
from irbmodels.identification.recordings import read_recording
from irbmodels.identification.fits.streaming import Samples
from irbmodels.trajectory import Motion, through
from irbmodels.trajectory.motion_files import write_motion

robot = irb.load("irb930")
t = np.linspace(0.0, 1.0, 251)
q, v, a, _ = through([[0.0] * 4, [0.3, 0.2, -0.1, 0.5]], duration=1.0).at(t)
motion = Motion(t, q, v, a, robot.inverse_dynamics(q, v, a))
write_motion("log.parquet", motion, robot)
log = read_recording("log.parquet", robot)
assert np.allclose(log.q, q)

import h5py

with h5py.File("log.h5", "w") as file:
    file["t"] = t
    for i in range(4):
        name = f"q{i + 1}_mm" if i == 2 else f"q{i + 1}_deg"
        file[name] = 1e3 * q[:, i] if i == 2 else np.degrees(q[:, i])
        file[f"tau{i + 1}_N" if i == 2 else f"tau{i + 1}_Nm"] = motion.tau[:, i]
assert np.allclose(read_recording("log.h5", robot).q, q)

import distributed
from rosbags.highlevel import AnyReader

with distributed.Client(processes=False, dashboard_address=None) as client:
    assert on_dask(Samples.of(motion), client).client is client
""",
    "identify": """
import numpy as np
import irbmodels as irb
from irbmodels.identification.recordings import Sensors, synthetic_recording
from irbmodels.identification.validation import identify, prepare_logs, split_recording
from irbmodels.trajectory import Motion
from irbmodels.trajectory.fourier import FourierSeries

arm = irb.load("irb2400", tool="spindle")
series, rng = FourierSeries(harmonics=5, duration=16.0), np.random.default_rng(1)
x, t = rng.normal(size=(series.size, 6)), np.arange(0.0, 16.0, 0.004)
x[0], most = 0.0, series.amplitudes(x)
low, high = arm.limits.lower, arm.limits.upper
x *= np.minimum(0.4 * (high - low) / most.offset, 0.8 * arm.limits.velocity / most.speed)
x[0] = 0.5 * (low + high)
q, v, a = (matrix @ x for matrix in series.maps(t)[:3])
sensors = Sensors(counts=2**20, torque_noise=[4.1, 10.9, 3.8, 1.2, 0.8, 0.8])
log = synthetic_recording(arm, Motion(t, q, v, a), sensors, controller=False)
known = irb.load("irb2400", tool="spindle", parameters="jia2018")
first, last = split_recording(log)
logs = prepare_logs(known, [first], [last])
verdict = identify(known, logs.estimation, logs.held_out).verdict
assert verdict.level == "reference", verdict.level
""",
    "cad": """
from pathlib import Path
import irbmodels as irb
from irbmodels.cad.family import stale_files, write_family

folder = irb.new_robot("small_arm", "irb1600", Path("small_arm"))
write_family(folder, steps=["meshes", "inertials"])
assert not stale_files(folder, ["meshes", "inertials"])
assert not irb.collides(irb.load(folder), [0.0] * 6)
""",
}


class Failed(Exception):
    """A trial that does not end as it has to."""


def run(
    command: Sequence[object], work: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, without what this process has on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"IRBMODELS_CACHE": str(work / "kernels"), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [str(part) for part in command],
        cwd=work,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def done(command: Sequence[object], work: Path) -> str:
    """Return what a command prints.

    Raises:
        Failed: if it fails, with the end of what it printed.
    """
    result = run(command, work)
    if result.returncode:
        raise Failed((result.stderr or result.stdout).strip()[-2000:])
    return result.stdout


def install(wheel: Path, python: str, extras: Sequence[str], lowest: bool, work: Path) -> Path:
    """Install the wheel with extras into an empty environment; return its Python."""
    programs = work / "venv" / "bin"
    done(["uv", "venv", "--quiet", "--python", python, work / "venv"], work)
    pip = ["uv", "pip", "install", "--quiet", "--python", programs / "python"]
    if lowest:  # of a wheel's own requirements uv says that they are not direct
        chosen = [part for extra in extras for part in ("--extra", extra)]
        done([*pip, "--resolution", "lowest-direct", "-r", PROJECT, *chosen], work)
        done([*pip, "--no-deps", wheel], work)
    else:
        done([*pip, f"{wheel}[{','.join(extras)}]" if extras else wheel], work)
    done(["uv", "pip", "check", "--python", programs / "python"], work)
    return programs / "python"


def try_out(python: Path, extras: Sequence[str], others: Sequence[str], work: Path) -> None:
    """Run the trials of an environment.

    Args:
        python: Of the environment.
        extras: Installed ones; what they are for has to work.
        others: Ones that are not; each has to be named by what needs it.
        work: Folder to run in.

    Raises:
        Failed: where something else happens.
    """
    done([python, "-c", CORE], work)
    done([python.with_name("irbmodels"), "pose", "irb930", "--q-deg", "10,20,-100,0"], work)
    for extra in extras:
        done([python, "-c", TRIALS[extra]], work)
    for extra in others:
        result = run([python, "-c", TRIALS[extra]], work)
        if result.returncode == 0 or f"pip install 'irbmodels[{extra}]'" not in result.stderr:
            raise Failed(f"extra {extra} is missing, and not named: {result.stderr[-500:]}")


def run_tests(python: Path, tests: Sequence[str], work: Path) -> str:
    """Run files of tests of the source tree in an environment; return the end of what they print.

    Raises:
        Failed: if one fails.
    """
    done(["uv", "pip", "install", "--quiet", "--python", python, *TEST_TOOLS], work)
    # old versions of packages use what newer ones of others deprecate
    options = ["-W", "ignore::DeprecationWarning", "-o", f"cache_dir={work / 'cache'}"]
    command = [python, "-m", "pytest", "--rootdir", ROOT, "-c", PROJECT, *options]
    return done([*command, *(ROOT / path for path in tests)], work).strip()[-300:]


def size(folder: Path) -> float:
    """Return the size of the files of a folder in MB."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> int:
    """Try each Python with each choice of extras; return 0 when all work."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("folder", type=Path, nargs="?", default=Path("dist"), help="folder with a wheel")
    add("--python", nargs="+", default=["3.11"], help="versions or programs that uv finds")
    add("--extras", nargs="+", help="each 'none', 'all', or extras with commas; default every one")
    add("--lowest", action="store_true", help="lowest versions of what pyproject.toml asks for")
    add("--tests", nargs="+", default=[], help="files of tests to run as well")
    options = parser.parse_args()
    if shutil.which("uv") is None:
        sys.exit("uv is not installed; get it with: pip install uv")
    wheel = only(options.folder, "*.whl")
    table = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    known = [extra for extra in table if extra not in TOOLS]
    failures = 0
    print(f"{'python':8} {'extras':10} {'packages':>8} {'MB':>6}  result")
    for python in options.python:
        for choice in options.extras or ["none", *known, "all"]:
            extras = {"none": [], "all": known}.get(choice, choice.split(","))
            others = known if choice == "none" else []
            with tempfile.TemporaryDirectory() as temporary:
                work = Path(temporary)
                version, packages, error = python, [""], ""
                try:
                    program = install(wheel, python, extras, options.lowest, work)
                    version = done(
                        [program, "-c", "import platform as p; print(p.python_version())"], work
                    )
                    packages = done(["uv", "pip", "freeze", "--python", program], work).split("\n")
                    try_out(program, extras, others, work)
                    if options.tests:
                        print(run_tests(program, options.tests, work))
                except Failed as failure:
                    error = str(failure)
                failures += bool(error)
                megabytes = size(work / "venv")
                row = f"{version.strip():8} {choice:10} {len(packages) - 1:8} {megabytes:6.0f}"
                print(f"{row}  {'FAILED' if error else 'works'}", flush=True)
                if error:
                    print(error, file=sys.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
