"""Which tests may be skipped where every test must run: those of a peer that has no wheel, and they
are counted.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPING = """
import pytest

def test_passes():
    pass

def test_of_a_peer():
    pytest.skip("absent peer: other_engine has no wheel for this Python")

@pytest.mark.skipif({other}, reason="no gcc")
def test_of_a_program():
    pass
"""


def run_with_skips(folder, other, *options):
    """Run three tests, one of which misses a peer and, if ``other``, one a program, with the
    project's conftest.
    """
    for name in ("conftest.py", "support/peers.py"):
        shutil.copy(ROOT / "tests" / name, folder)
    (folder / "test_skipping.py").write_text(SKIPPING.format(other=other), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        str(ROOT / "pyproject.toml"),
        "--rootdir",
        str(folder),
    ]
    command += ["-o", f"cache_dir={folder / 'cache'}", *options, str(folder)]
    # without CI's own options, and without plugins that nothing here needs: Hypothesis' takes a
    # second of each process
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    } | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("workers", [[], ["-p", "xdist", "-n", "2"]], ids=["alone", "workers"])
def test_an_absent_peer_is_counted_and_no_failure(tmp_path, workers):
    """A skip for a peer without a wheel passes CI, and its number is printed."""
    code, shown = run_with_skips(tmp_path, False, "--every-test", *workers)
    assert code == 0, shown
    assert "\n1 skipped, absent peer: other_engine has no wheel" in shown  # on a line of its own


def test_any_other_skip_fails_where_every_test_must_run(tmp_path):
    """A missing program skips its tests on a user's machine, and is refused by CI with its
    reason.
    """
    assert run_with_skips(tmp_path, True)[0] == 0
    code, shown = run_with_skips(tmp_path, True, "--every-test")
    assert code == 1, shown
    assert "refused: 1 skipped, no gcc" in shown
