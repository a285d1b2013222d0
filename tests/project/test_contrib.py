"""Drafts for other projects in docs/contrib: their scripts still show what the pages report."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from page_blocks import is_shown

CONTRIB = Path(__file__).parents[2] / "docs" / "contrib"
SCRIPTS = sorted(CONTRIB.glob("*.py"))
LIBRARIES = {"numpy", "pinocchio", "roboticstoolbox"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_reported_fault_is_still_there(script):
    """A script of a report is short, needs nothing but the library, and still shows the fault, with
    the output that stands in the page.

    If it fails after a change of constraints.txt, the fault may be mended: see docs/contrib.
    """
    text = script.read_text(encoding="utf-8")
    imports = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [node.names[0].name])
    }
    assert len(text.splitlines()) <= 40
    assert imports <= LIBRARIES | set(sys.stdlib_module_names)

    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in ran.stderr, ran.stderr
    assert ran.returncode == 1, f"the fault is gone:\n{ran.stdout}"
    pages = [page.read_text(encoding="utf-8") for page in CONTRIB.glob("*.md")]
    shown = [
        match[1]
        for page in pages
        for match in re.finditer(rf"\({script.name}\).*?```text\n(.*?)```", page, re.DOTALL)
    ]
    assert len(shown) == 1
    assert is_shown(shown[0].strip(), ran.stdout.strip()), ran.stdout
