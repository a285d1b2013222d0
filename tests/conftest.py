"""What several test files share: copies of robot folders that a test may break."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture
def copied(tmp_path: Path) -> Callable[..., Path]:
    """Copy a family's tables, with ``old`` replaced by ``new`` in one file: ``copied("irb2400", "limits.yaml", old, new)``."""

    def copy(family: str, file: str = "kinematics.yaml", old: str = "", new: str = "") -> Path:
        folder = tmp_path / family
        if not folder.exists():
            shutil.copytree(HERE.parent / "urdf" / family, folder, ignore=shutil.ignore_patterns("*.urdf"))
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old!r}: the test needs another text to break"
        (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
        return folder

    return copy


@pytest.fixture(scope="session", autouse=True)
def _kernels_between_runs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep kernels in pytest's cache folder: their key holds sources, numba, LLVM, Python, processor; users' own stay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IRBMODELS_CACHE", str(request.config.cache.mkdir("kernels")))
        yield
