"""Drafts for other projects in docs/contrib: scripts still show what the pages report, and tensors
have the moments that stand beside them.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
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


def test_reported_tensors():
    """Principal moments and the nearest possible ones follow from the six numbers of each row, and
    only rows that say so are possible: the second moments of mass are not negative.
    """
    page = (CONTRIB / "urdfs.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    rows = [row for row in rows if len(row) == 10 and re.match(r"\d", row[1])]
    assert len(rows) == 14
    for name, _, *entries, moments, nearest in rows:
        xx, yy, zz, xy, xz, yz = map(float, entries)
        own = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        second = own.sum() / 2.0 - own
        shown = [float(moment) for moment in moments.split(", ")]
        np.testing.assert_allclose(own, shown, rtol=1e-3, atol=1e-15, err_msg=name)
        assert (second.min() >= 0.0) == (nearest == "is possible"), name
        if nearest != "is possible":
            second = np.maximum(second, 0.0)
            shown = [float(moment) for moment in nearest.split(", ")]
            np.testing.assert_allclose(second.sum() - second, shown, rtol=5e-3, err_msg=name)
