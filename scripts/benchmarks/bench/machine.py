"""The machine that is measured on, and the versions and code that are measured."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import irbmodels as irb

PACKAGES = (
    "irbmodels",
    "numpy",
    "scipy",
    "pin",
    "casadi",
    "llvmlite",
    "mujoco",
    "drake",
    "pybullet",
    "roboticstoolbox-python",
    "py-opw-kinematics",
)
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def machine() -> dict[str, Any]:
    """Return processor, LLVM's name for it, its features, cores, memory and system."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return {
        "processor": _processor(),
        "llvm": llvm.get_host_cpu_name(),
        "features": sorted(name for name, present in features.items() if present),
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "memory [GB]": _memory(),
        "system": platform.platform(),
    }


def versions() -> dict[str, str | None]:
    """Return the versions of Python and of what is measured; None where it is not installed."""
    return {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES}


def code() -> dict[str, Any]:
    """Return the commit of the package that is measured, and whether it was changed since.

    The commit is None where git is missing, or the package is not of a checkout.
    """
    folder = Path(irb.__file__).parent
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None or _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        return {"commit": None, "changed": False}
    return {"commit": commit, "changed": bool(_git(folder, "status", "--porcelain", "-uno", "."))}


def surroundings() -> dict[str, Any]:
    """Return what a run finds: load of the machine, and how many threads libraries may use."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    threads = {name: os.environ[name] for name in THREADS if name in os.environ}
    return {"load before": load, "threads": threads}


def _git(folder: Path, *arguments: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run([git, "-C", folder, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    names = (
        re.findall(r"model name\s*: (.*)", cpuinfo.read_text(encoding="utf-8"))
        if cpuinfo.is_file()
        else []
    )
    return names[0] if names else platform.processor() or platform.machine()


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
