import importlib.util
import re
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def loaded(monkeypatch):
    """Return a loader of scripts, which find their neighbours as when they are run."""

    def load(name, folder=SCRIPTS):
        monkeypatch.syspath_prepend(folder)
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_comparisons_of_sets_are_those_of_the_script(name, loaded):
    """READMEs of families have the script's torques: with 900 of its 5000 states, too few to
    compile anything, within 15 %.
    """
    script = loaded("compare_sets")
    page = (SCRIPTS.parent / "urdf" / irb.describe(name).family / "README.md").read_text(
        encoding="utf-8"
    )
    shown = dict(re.findall(r"^\| (.*?) \| (.*) \|$", page, re.MULTILINE))
    rows = dict(script.compare(name, *script.SETS[name][0], count=900))
    compared = set(rows) & set(shown)
    assert len(compared) >= 2
    for label in compared:
        cells = [Decimal(cell.strip()) for cell in shown[label].split("|")]
        numbers = np.array([float(cell) for cell in cells])
        digit = np.array([10.0 ** int(cell.as_tuple().exponent) for cell in cells])
        assert (np.abs(rows[label] - numbers) <= 0.15 * numbers + 0.5 * digit).all(), label


@pytest.mark.parametrize("name", ["irb2400_16", "irb1400"])
def test_what_a_lumped_set_gets_wrong_is_on_its_page(name, loaded):
    """M11 and M23 are off by what the README says; everything else of the mass matrix is that of
    the set with bars.
    """
    robots = [irb.load(name, parameters=parameters) for parameters in ("cad", "cad_lumped")]
    page = " ".join(
        (SCRIPTS.parent / "urdf" / robots[0].description.family / "README.md")
        .read_text(encoding="utf-8")
        .split()
    )
    m23, m11 = map(
        float,
        re.search(
            r"M23 by at most ([\d.]+) kg m\^2.*?M11 by at most ([\d.]+) kg m\^2", page
        ).groups(),
    )
    first, second = loaded("compare_sets").lumped(name)
    off = np.abs(first - second).max(axis=0)
    assert (round(off[0, 0], 2), round(off[1, 2], 2)) == (m11, m23)
    off[0, 0] = off[1, 2] = off[2, 1] = 0.0
    np.testing.assert_allclose(off, 0.0, atol=1e-7)
