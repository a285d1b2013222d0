"""Fenced blocks of the documentation pages, and how each language is run or checked; nothing passes
unchecked.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import any_arms
import numpy as np
import yaml

import irbmodels as irb
from irbmodels import rapid
from irbmodels.cli import main
from irbmodels.identification.recordings import (
    Sensors,
    column_sources,
    read_drives,
    synthetic_recording,
)
from irbmodels.tables.datasheet import read_datasheet
from irbmodels.trajectory import Motion, through
from irbmodels.trajectory.fourier import FourierSeries

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / "urdf").glob("*/README.md")]),
]
PAGES = [
    page for page in PAGES if page.parent.name != "tutorials" and "generated" not in page.parts
]
"""Pages whose blocks are run here; ``make docs`` runs those of tutorials, and copies pages."""
FENCE = re.compile(
    r"(?:<!-- not run: ([^>]*?) -->\s*)?^( *)```(\w*)\n(.*?)^\2```$", re.MULTILINE | re.DOTALL
)
NOISE = re.compile(r"\d(?:\.\d+)?e-1\d")  # rounding, which depends on the compiler
NUMBER = r"\d+(?:\.\d+)?"
JUDGING = ("path", "doctor", "check", "identify", "validate")  # exit code 1 is an answer of theirs
NEEDS = ("MATLAB", "ROS 2", "Gazebo", "a viewer")


class Block(NamedTuple):
    """One fenced block, with the text below it where that is what it prints."""

    page: Path
    line: int
    language: str
    text: str
    shown: str | None
    excuse: str | None
    """Why it is not run, from the HTML comment above it."""


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page in order; a ``text`` block right below a program belongs to
    it.
    """
    text, result, end = page.read_text(encoding="utf-8"), list[Block](), 0
    for match in FENCE.finditer(text):
        excuse, _, language, body = match.groups()
        below = result and not text[end : match.start()].strip() and result[-1].shown is None
        end = match.end()
        if (
            language == "text"
            and excuse is None
            and below
            and result[-1].language in ("python", "console")
        ):
            result[-1] = result[-1]._replace(shown=body)
        else:
            result.append(
                Block(page, text[: match.start()].count("\n") + 1, language, body, None, excuse)
            )
    return result


def run_python(block: Block, namespace: dict[str, object]) -> str:
    """Run a block in the present folder and return what it prints; the level of our log stays."""
    printed, log = io.StringIO(), logging.getLogger("irbmodels")
    level = log.level
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, f"{block.page}:{block.line}", "exec"), namespace)
    finally:
        log.setLevel(level)
    return printed.getvalue()


def excused(block: Block) -> bool:
    """Whether an excuse names what is missing here, or the file of the project that covers the
    block.
    """
    words = str(block.excuse)
    return any(f"needs {name}" in words for name in NEEDS) or any(
        (ROOT / word).is_file() for word in re.findall(r"[\w/.]+/[\w.]+\w", words)
    )


# --- console


def check_console(block: Block, folder: Path) -> None:
    """Run the lines that begin with ``$`` in a folder, and compare what the page shows below each;
    ``...`` is anything.
    """
    parts = re.split(r"^\$ ", block.text + (block.shown or ""), flags=re.MULTILINE)
    assert not parts[0].strip(), f"{block.page}:{block.line}: output before the first command"
    for part in parts[1:]:
        line, _, shown = part.partition("\n")
        command = without_remark(line)
        if block.page == PAGES[0] and command in elsewhere():
            continue
        printed = run_command(command, folder)
        if shown.strip():
            assert is_shown(shown.strip(), printed.strip()), f"{command}\n{printed}"


def is_shown(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed: ``...`` is anything, and numbers agree within 2 %:
    noise rounds by processor.
    """
    shown, printed = (NOISE.sub("NOISE", text) for text in (shown, printed))
    pattern, numbers, end = "", list[float](), 0
    for match in re.finditer(rf"(\.\.\.)|({NUMBER})", shown):
        pattern += re.escape(shown[end : match.start()]) + (".*" if match[1] else f"({NUMBER})")
        numbers += [] if match[1] else [float(match[2])]
        end = match.end()
    same = re.fullmatch(pattern + re.escape(shown[end:]), printed, re.DOTALL)
    return same is not None and np.allclose(
        [float(text) for text in same.groups()], numbers, rtol=0.02, atol=0.0
    )


def without_remark(line: str) -> str:
    """Return a command without the remark behind it."""
    return re.split(r"\s+# ", line)[0].strip()


@cache
def elsewhere() -> set[str]:
    """Commands that pages of docs run, so that the README need not."""
    texts = [
        block.text
        for page in PAGES
        if page != PAGES[0]
        for block in blocks_of(page)
        if block.language == "console"
    ]
    return {
        without_remark(line)
        for text in texts
        for line in re.findall(r"^\$ (.*)", text, re.MULTILINE)
    }


def run_command(command: str, folder: Path) -> str:
    """Run a command of a page, or check that it could be run, and return what it prints."""
    program, *arguments = shlex.split(command)
    for word in arguments:
        if word in FILES and not (folder / word).exists():
            FILES[word](folder / word)
    if program == "irbmodels":
        return run_cli(arguments)
    if program == "xacro":
        call = [sys.executable, "-c", "import xacro; xacro.main()", *arguments]
        return subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if program == "cd":
        if shutil.which("cc") is None:
            return ""
        return subprocess.run(
            command, shell=True, cwd=folder, capture_output=True, text=True, check=True
        ).stdout
    check_other(program, arguments)
    return ""


def run_cli(arguments: list[str]) -> str:
    """Run ``irbmodels`` in the present folder and return both of its streams."""
    if arguments[0] == "view" and "--save" not in arguments and "--png" not in arguments:
        arguments = [*arguments, "--save", "view.html"]  # a live view waits for Ctrl-C
    printed = io.StringIO()
    # what other tests compiled is not cleared
    own = {"IRBMODELS_CACHE": "kernels"} if arguments[0] == "cache" else {}
    with (
        patch.dict(os.environ, own), warnings.catch_warnings(),
        contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed),
    ):  # fmt: skip
        warnings.simplefilter("always", irb.PhysicsWarning)
        code = main(arguments)
    assert code in ((0, 1) if arguments[0] in JUDGING else (0,)), (
        f"{arguments}: exit code {code}\n{printed.getvalue()}"
    )
    return printed.getvalue()


def check_other(program: str, arguments: list[str]) -> None:
    """Check that a command of another program names targets, extras, scripts and options that
    exist.
    """
    if program == "make":
        assert re.search(
            rf"^{arguments[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
        )
    elif program == "pip":
        named = re.fullmatch(
            r"(?:irbmodels|\.|dist/irbmodels-[\d.]+-py3-none-any\.whl)(?:\[([\w,]+)\])?",
            arguments[-1],
        )
        assert named, arguments
        for extra in (named[1] or "dev").split(","):
            assert f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    elif program == "python" and arguments[0] == "-m":
        assert importlib.util.find_spec(arguments[1].partition(".")[0]) is not None
    elif program == "python":
        script = (ROOT / arguments[0]).read_text(encoding="utf-8")
        for option in (word for word in arguments if word.startswith("-")):
            assert f'"{option}"' in script, f"{arguments[0]} has no {option}"
    else:
        raise AssertionError(
            f"no check of the command {program!r}: write one, or an excuse above the block"
        )


# --- files


def check_yaml(block: Block, folder: Path) -> None:
    """Read a table, or an overlay, as the package does: on the robot it names, or an IRB 2400."""
    data, path = yaml.safe_load(block.text), folder / "page.yaml"
    if named := re.match(r"# (\w+\.yaml)\n", block.text):  # for the commands of the page
        (folder / named[1]).write_text(block.text, encoding="utf-8")
        if "build" in data:
            read_datasheet(folder / named[1])
            return
        if "axes" in data:
            read_drives(folder / named[1], ["swing", "shoulder", "elbow"], [False] * 3)
            return
        if "robot" not in data:
            column_sources(folder / named[1])
            return
    if "gain_correlation" in data:  # a file of drives
        path.write_text(block.text, encoding="utf-8")
        assert np.isfinite(
            read_drives(path, [f"axis_{i}" for i in range(1, 7)], [False] * 6).gain
        ).any()
        return
    if "joints" in data:  # rows of kinematics.yaml
        data = {
            "about": "page",
            "robot": "irb2400_16",
            "sources": data.pop("sources"),
            "kinematics": data,
        }
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    given = {"parameters": path} if "inertials" in data else {"overlays": [path]}
    with warnings.catch_warnings():
        # a calibrated arm has no closed inverse kinematics
        warnings.simplefilter("ignore", irb.PhysicsWarning)
        named = data.get("robot", "irb2400")
        irb.load(named if isinstance(named, str) else named[0], tool=data.get("tool"), **given)


def check_rapid(block: Block, folder: Path) -> None:
    """Read a module, which comes back to the character, and leave it in the folder under its
    name.
    """
    assert rapid.write(rapid.read(block.text)) == block.text
    (folder / f"{block.text.split()[1]}.mod").write_text(block.text, encoding="utf-8")


def check_c(block: Block, folder: Path) -> None:
    """Compile against the headers that an earlier block wrote."""
    (folder / "page.c").write_text(block.text, encoding="utf-8")
    headers = {f"-I{path.parent}" for path in folder.rglob("*.h")}
    assert headers
    if shutil.which("cc"):
        subprocess.run(
            [
                "cc",
                "-std=c99",
                "-Wall",
                "-Werror",
                "-fsyntax-only",
                *headers,
                str(folder / "page.c"),
            ],
            check=True,
        )


CHECKS: dict[str, Callable[[Block, Path], None]] = {
    "console": check_console, "yaml": check_yaml, "c": check_c, "rapid": check_rapid,
}  # fmt: skip


def motion_log(path: Path) -> None:
    """Write a short motion of the IRB 2400."""
    robot = irb.load("irb2400", tool="spindle")
    postures = [robot.from_controller(q) for q in ([0, 0, 0, 0, 30, 0], [10, 5, 5, 10, 40, 10])]
    irb.write_motion(path, through(postures, duration=1.0).sample(100.0), robot)


def identification_log(path: Path) -> None:
    """Write a simulated log of 12 s of an IRB 2400, whose seed is the name's length; with the noise
    of S000 Tab. 6.
    """
    arm = irb.load("irb2400", tool="spindle")
    series, rng = FourierSeries(harmonics=5, duration=12.0), np.random.default_rng(len(path.stem))
    x, t = rng.normal(size=(series.size, 6)), np.arange(0.0, 12.0, 0.004)
    x[0], most = 0.0, series.amplitudes(x)
    low, high = arm.limits.lower, arm.limits.upper
    # of each range, so that q3 - q2 keeps its own
    share = np.array([0.4, 0.15, 0.15, 0.4, 0.4, 0.4])
    x *= np.minimum(share * (high - low) / most.offset, 0.8 * arm.limits.velocity / most.speed)
    x[0] = 0.5 * (low + high)
    q, v, a = (matrix @ x for matrix in series.maps(t)[:3])
    sensors = Sensors(counts=2**20, torque_noise=[4.1, 10.9, 3.8, 1.2, 0.8, 0.8])
    log = synthetic_recording(
        arm, Motion(t, q, v, a), sensors, controller=False, seed=len(path.stem)
    )
    irb.write_motion(path, log.motion._replace(v=None, a=None), arm)


def currents_log(path: Path) -> None:
    """Write a simulated log with motor currents of an arm of three axes, 9 N m/A each; with 3 kg
    unless its name says bare.
    """
    arm = any_arms.truth()
    if "bare" not in path.stem:
        arm = arm.with_payload(irb.payload(3.0))
    log = any_arms.log(len(path.stem), robot=arm)
    currents = {f"current{i + 1}_A": column / 9.0 for i, column in enumerate(log.tau.T)}
    log.changed(tau=None, extra=currents).save(path)


def motors_log(path: Path) -> None:
    """Write a log of that arm as its motors see it, without times."""
    log = any_arms.log(len(path.stem))
    ratios = np.array([[100.0, 0.0, 0.0], [0.0, -120.0, 0.0], [0.0, 80.0, 80.0]])
    cells = np.hstack(
        [np.degrees(log.q @ ratios.T), np.linalg.solve(ratios.T, log.tau.T).T * [1.0, -1.0, 1.0]]
    )
    header = ",".join(f"{what} M{i}" for what in ("angle", "torque") for i in (1, 2, 3))
    np.savetxt(path, cells, delimiter=",", header=header, comments="", fmt="%.12g")


def joint_states(path: Path) -> None:
    """Write a bag with joint states of that arm."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store, log = get_typestore(Stores.ROS2_HUMBLE), any_arms.log(len(path.stem))
    kind, header, time = (
        store.types[name]
        for name in (
            "sensor_msgs/msg/JointState",
            "std_msgs/msg/Header",
            "builtin_interfaces/msg/Time",
        )
    )
    folder = path.with_name("bag")
    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as bag:
        connection = bag.add_connection("/joint_states", kind.__msgtype__, typestore=store)
        for t, q, tau in zip(log.t.tolist(), log.q, log.tau, strict=True):
            ns = 10**18 + round(1e9 * t)
            stamp = time(sec=ns // 10**9, nanosec=ns % 10**9)
            state = kind(
                header=header(stamp=stamp, frame_id=""), name=["swing", "shoulder", "elbow"],
                position=q, velocity=np.empty(0), effort=tau,
            )  # fmt: skip
            bag.write(connection, ns, store.serialize_cdr(state, kind.__msgtype__))
    shutil.move(folder / "bag.mcap", path)


def three_axes(path: Path) -> None:
    """Write the URDF of that arm."""
    path.write_text(any_arms.urdf(), encoding="utf-8")


def deburring(path: Path) -> None:
    """Write the program of the page on path checks."""
    block = next(
        block
        for block in blocks_of(ROOT / "docs" / "howto" / "path_check.md")
        if block.language == "rapid"
    )
    path.write_text(block.text, encoding="utf-8")


def part(path: Path) -> None:
    """Write a module with a target, a tool and two work objects, one of them on a mechanical
    unit.
    """
    load = "[1,[0,0,1],[1,0,0,0],0,0,0]"
    path.write_text(
        "MODULE Part\n"
        f"  PERS tooldata tGun:=[TRUE,[[0,0,100],[1,0,0,0]],{load}];\n"
        '  PERS wobjdata wFix:=[FALSE,TRUE,"",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];\n'
        '  PERS wobjdata wStn:=[FALSE,FALSE,"STN1",[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];\n'
        "  CONST robtarget p10:=[[600,500,225.3],[1,0,0,0],[1,1,0,0],[0,0,9E9,9E9,9E9,9E9]];\n"
        "ENDMODULE\n",
        encoding="utf-8",
    )


def declarations(path: Path) -> None:
    """Write a module with nothing but one declaration."""
    path.write_text(
        f"MODULE {path.stem}\n  CONST num n{path.stem}:=1;\nENDMODULE\n", encoding="utf-8"
    )


def some_urdf(path: Path) -> None:
    """Write a URDF."""
    shutil.copyfile(irb.urdf_path("irb1600"), path)


FILES: dict[str, Callable[[Path], None]] = {
    "motion.csv": motion_log, "monday.csv": identification_log, "tuesday.csv": identification_log,
    "wednesday.csv": identification_log, "Deburr.mod": deburring, "program.mod": deburring, "Part.mod": part, "Part.modx": part,
    "Types.sysx": declarations, "Data.sysx": declarations,
    "any.urdf": some_urdf, "robot.urdf": some_urdf, "arm.urdf": three_axes,
    "bare.csv": currents_log, "bare2.csv": currents_log, "loaded.csv": currents_log, "unknown.csv": currents_log,
    "cell.csv": motors_log, "lab.mcap": joint_states,
}  # fmt: skip
"""Files that commands on the pages read, by name, and what makes them."""
