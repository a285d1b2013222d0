"""What several test files share: copies of robot folders that a test may break."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from peers import ABSENT

HERE = Path(__file__).resolve().parent
# pytest-xdist sets it in its workers; the command line takes it for the width of a terminal
os.environ.pop("COLUMNS", None)


@pytest.fixture
def copied(tmp_path: Path) -> Callable[..., Path]:
    """Copy a family's tables, with ``old`` replaced by ``new`` in one file: ``copied("irb2400",
    "limits.yaml", old, new)``.
    """

    def copy(family: str, file: str = "kinematics.yaml", old: str = "", new: str = "") -> Path:
        folder = tmp_path / family
        if not folder.exists():
            shutil.copytree(
                HERE.parent / "urdf" / family, folder, ignore=shutil.ignore_patterns("*.urdf")
            )
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old!r}: the test needs another text to break"
        (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
        return folder

    return copy


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process: exit code, stdout, stderr."""
    from irbmodels.cli import main

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)

    def call(*words: object) -> tuple[int, str, str]:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            code = main([str(word) for word in words])
        return code, *capsys.readouterr()

    return call


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without the collector of garbage: all that is made stays to the end, and to look
    through it again and again takes 40 % of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def _memory_of_a_file(request: pytest.FixtureRequest) -> Iterator[None]:
    """Empty the caches that a test file has made, and MuJoCo's of the meshes it has read."""
    yield
    for value in vars(request.module).values():
        if getattr(value, "__module__", None) == request.module.__name__:
            getattr(value, "cache_clear", lambda: None)()
    if mujoco := sys.modules.get("mujoco"):
        mujoco.mj_clearCache(mujoco.mj_getCache())


@pytest.fixture(scope="session", autouse=True)
def _kernels_between_runs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep kernels in pytest's cache folder: their key holds sources, llvmlite, system and
    processor; users' own stay.
    """
    kernels = request.config.cache.mkdir("kernels")
    kernels.chmod(0o700)  # others could write in it where the umask is 002
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IRBMODELS_CACHE", str(kernels))
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which CI refuses skipped tests."""
    parser.addoption(
        "--every-test",
        action="store_true",
        help="fail if a test is skipped, except for a peer without a wheel",
    )


def _skipped(config: pytest.Config) -> Counter[str]:
    """Number of skipped tests by reason; none in a worker of xdist, whose controller has all
    reports.
    """
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = [] if reporter is None else reporter.stats.get("skipped", [])
    return Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run with --every-test if a test was skipped for another reason than an absent peer."""
    if session.config.option.every_test and not all(
        reason.startswith(ABSENT) for reason in _skipped(session.config)
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print how many tests an absent peer skips, and with --every-test which other reasons are
    refused.
    """
    for reason, count in sorted(_skipped(config).items()):
        if reason.startswith(ABSENT):
            terminalreporter.write_line(f"{count} skipped, {reason}")
        elif config.option.every_test:
            terminalreporter.write_line(f"refused: {count} skipped, {reason}")
