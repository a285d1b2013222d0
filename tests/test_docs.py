import contextlib
import io
import re
from pathlib import Path

import pytest

import irbmodels as irb

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "urdf").glob("*/README.md")])
PAIR = re.compile(r"```python\n((?:(?!```).)*)```\s*```text\n(.*?)```", re.DOTALL)
EXAMPLES = [(page, code, shown) for page in PAGES for code, shown in PAIR.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("page", "code", "shown"), EXAMPLES, ids=lambda value: value.stem if isinstance(value, Path) else "")
def test_examples_print_what_the_page_says(page, code, shown, tmp_path, monkeypatch):
    """Every Python example of README and docs runs alone and prints the text below it."""
    if page.stem == "pybullet":
        pytest.importorskip("pybullet", reason="no wheel for this Python")
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(page), "exec"), {"__name__": "__main__"})
    assert printed.getvalue().strip() == shown.strip()


def test_readme_has_an_example():
    """The README's example is among those that are run."""
    assert any(page.name == "README.md" and page.parent == ROOT for page, _, _ in EXAMPLES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_links_inside_the_project_lead_somewhere(page):
    """Every relative link and picture of a page exists."""
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_readme_lists_every_robot():
    """Every variant stands in the README's table."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in irb.robots():
        assert f"`{name}`" in text
