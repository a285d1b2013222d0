"""One headless browser for all tests of the viewer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from headless import Browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yield the browser that shows one page after the other."""
    with Browser(tmp_path_factory.mktemp("browser")) as chromium:
        yield chromium


@pytest.fixture
def reported(browser: Browser) -> Callable[..., dict[str, Any]]:
    """Return a function that runs a script in a page and returns what it put into ``report``."""

    def report(
        page: Path, script: str, complaints: Sequence[str] = (), drawn: bool = False
    ) -> dict[str, Any]:
        """Load the page; its console gets ``complaints`` and no more."""
        result = browser.run(page.as_uri(), script, drawn=drawn)
        assert result.pop("complaints") == list(complaints)
        return result

    return report
