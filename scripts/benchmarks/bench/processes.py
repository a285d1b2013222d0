"""Processes of their own, in which something is measured."""

from __future__ import annotations

import os
import subprocess
import sys


def run(*arguments: str, **variables: str) -> str:
    """Run Python, and return what it prints.

    It imports what this process does, not what lies in the working directory, and keeps byte code
    as installed packages have it: else every process would compile our sources, and no others'.

    Args:
        arguments: Of the interpreter.
        variables: Of the environment.

    Raises:
        RuntimeError: if it fails.
    """
    environment = os.environ | variables
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-P", *arguments], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"a process that was measured failed:\n{done.stderr}")
    return done.stdout
