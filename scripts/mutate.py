"""Break the project on purpose, one small change at a time, and count how many breaks the tests
notice.

    python scripts/mutate.py [--count 60] [--seed 0] [--only GLOB]

Works on a copy in a temporary folder. A mutant flips one sign, operator, comparison or number in a
table, a macro or a module of the dynamics; it is killed if a test fails. Survivors are printed as
file, line and change: each is a test to write, or a change that means the same.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import track

ROOT = Path(__file__).resolve().parent.parent
TARGETS = (
    "urdf/*/kinematics.yaml",
    "urdf/*/limits.yaml",
    "urdf/*/published.yaml",
    "urdf/*/inertials.yaml",
    "urdf/*/friction.yaml",
    "urdf/*/drives.yaml",
    "urdf/tools/*.yaml",
    "urdf/common/*.xacro",
    "irbmodels/robot/collision.py",
    "irbmodels/model/coupling.py",
    "irbmodels/dynamics/derivatives.py",
    "irbmodels/model/dh.py",
    "irbmodels/dynamics/equations_of_motion.py",
    "irbmodels/exchange/write/mjcf.py",
    "irbmodels/exchange/write/sdf.py",
    "irbmodels/model/friction.py",
    "irbmodels/model/shapes.py",
    "irbmodels/model/inertia.py",
    "irbmodels/kinematics/frames.py",
    "irbmodels/model/limits.py",
    "irbmodels/model/model.py",
    "irbmodels/model/motors.py",
    "irbmodels/tables/building.py",
    "irbmodels/dynamics/oracles.py",
    "irbmodels/robot/dynamics.py",
    "irbmodels/dynamics/reactions.py",
    "irbmodels/robot/robot.py",
    "irbmodels/model/tool.py",
    "irbmodels/model/tree.py",
)
LOOKS = re.compile(r"shapes|colour|rgba|material|visual|radius|length|capsule|axis_limit name")
SKIPPED = re.compile(
    r"^\s*(#|\"\"\"|'''|@|from |import |raise |<!--)|ref:|how:|grade:|about:|Error\(|\"\"\""
)
CHANGES = (  # what may be flipped, and into what
    (re.compile(r"(?<=[\s(\[{:=,])-(?=[\d({\[\w])"), ""),
    (re.compile(r"(?<=\w|\)|\])\s\+\s(?=[\w(])"), " - "),
    (re.compile(r"(?<=\w|\)|\])\s-\s(?=[\w(])"), " + "),
    (re.compile(r"(?<=\w|\)|\])\s?\*\s?(?=[\w(])"), " / "),
    (re.compile(r"\.T\b"), ""),
    (re.compile(r"<="), ">"),
    (re.compile(r">="), "<"),
    (re.compile(r"\bsin\b"), "cos"),
    (re.compile(r"\bcos\b"), "sin"),
    (re.compile(r"(?<=: )(?=[1-9])"), "-"),
    (re.compile(r"(?<=[\[,] )(?=[1-9]\d*\.?\d*[,\]])"), "-"),
)


ELSEWHERE = (
    *(
        "viewer",
        "cli",
        "report",
        "project",
        "exchange/test_doctor.py",
        "exchange/test_doctor_repair.py",
        "exchange/test_doctor_hostile.py",
        "model/test_planar_3r.py",
    ),
    *("trajectory/test_motion_files.py", "trajectory/test_torque_prediction.py"),
)
# A committed copy of a number, compared with its regenerated self, would kill every mutant of a
# table: that says nothing.
NO_COPIES = (
    "not committed_files_are_what and not same_bytes and not committed_urdf_is_the_regenerated"
)


class Mutant(NamedTuple):
    """One change of one line."""

    file: str
    line: int
    before: str
    after: str


def mutants(only: str | None) -> list[Mutant]:
    """Return every change the rules allow, in file order."""
    mutants = []
    for pattern in TARGETS:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if only and not Path(name).match(only):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
                if SKIPPED.search(line) or (path.suffix == ".xacro" and LOOKS.search(line)):
                    continue
                for rule, replacement in CHANGES:
                    for match in rule.finditer(line):
                        mutants.append(
                            Mutant(
                                name,
                                number,
                                line,
                                line[: match.start()] + replacement + line[match.end() :],
                            )
                        )
    return mutants


def survives(mutant: Mutant, copies: list[Path]) -> bool:
    """Run the tests on a copy with the change in place; return whether they all pass."""
    copy = copies.pop()
    path = copy / mutant.file
    kept = {
        file: file.read_bytes()
        for file in {path, path.with_name("inertials.yaml")}
        if file.exists()
    }
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[mutant.line] = mutant.after
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return derives(copy, path) and passes(copy)
    finally:
        for file, content in kept.items():
            file.write_bytes(content)
        copies.append(copy)


def derives(copy: Path, path: Path) -> bool:
    """Carry a change of published numbers into the tables that are derived from them.

    Return whether that works.
    """
    if path.name != "published.yaml":
        return True
    command = [sys.executable, "scripts/build_families.py", "--steps", "inertials"]
    environment = {"PYTHONPATH": str(copy), "PATH": "/usr/bin:/bin"}
    return (
        subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, check=False
        ).returncode
        == 0
    )


def passes(copy: Path) -> bool:
    """Return whether the tests of the physics pass in a copy of the project."""
    try:
        ignored = [f"--ignore=tests/{name}" for name in ELSEWHERE]
        arguments = [
            "-x",
            "-q",
            "-o",
            f"cache_dir={copy}/.pytest_cache",
            "-p",
            "no:xdist",
            "-k",
            NO_COPIES,
            *ignored,
        ]
        command = [sys.executable, "-m", "pytest", *arguments, "tests"]
        environment = {
            "PYTHONPATH": str(copy),
            "PATH": "/usr/bin:/bin",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=600, check=False
        )
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> int:
    """Sample mutants, run them two at a time, print score and survivors."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=60, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--only", help="files to break, as a glob")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time")
    arguments = parser.parse_args()
    everything = mutants(arguments.only)
    chosen = random.Random(arguments.seed).sample(everything, min(arguments.count, len(everything)))
    console = Console(soft_wrap=True, markup=False, highlight=False)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.workers) as pool:
        copies = [Path(folder) / str(i) for i in range(arguments.workers)]
        for copy in copies:
            shutil.copytree(
                ROOT,
                copy,
                ignore=shutil.ignore_patterns(".git", ".venv", "demo", "__pycache__", ".*_cache"),
            )
        if not passes(copies[0]):
            console.print("the tests fail without any change; nothing can be said about mutants")
            return 1
        outcomes = pool.map(lambda mutant: survives(mutant, copies), chosen)
        survivors = [
            m
            for m, alive in zip(track(chosen, "mutants", total=len(chosen)), outcomes, strict=True)
            if alive
        ]
    for file, line, before, after in survivors:
        console.print(f"{file}:{line + 1}\n  - {before.strip()}\n  + {after.strip()}")
    killed = len(chosen) - len(survivors)
    console.print(
        f"{killed} of {len(chosen)} mutants killed ({100 * killed / max(len(chosen), 1):.0f} %), of"
        f" {len(everything)} possible"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
