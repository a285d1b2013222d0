"""The pages of the control laws: each has its block diagram and its figure, and the script draws
them.
"""

import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

from grouped import together

import irbmodels.control as control

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page for page in (ROOT / "docs" / "howto" / "control").glob("*.md") if page.stem != "index"
)


@together("page", PAGES, name=lambda page: page.stem)
def test_each_law_has_its_page_with_diagram_and_figure(page):
    """A page names its law, shows its block diagram and a figure, runs an example, and stands in
    the index.
    """
    text = page.read_text(encoding="utf-8")
    assert f"![block diagram]({page.stem}.svg)" in text
    assert f"(../../pictures/control_{page.stem}.png)" in text
    assert "```python" in text
    assert f"({page.stem}.md)" in (page.parent / "index.md").read_text(encoding="utf-8")
    law = {"observer": "momentum_observer"}.get(page.stem, page.stem)
    assert law in control.__all__


def test_diagrams_are_drawn_for_every_page(monkeypatch, tmp_path):
    """The script draws one diagram per page, each an SVG of the size of the committed one."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    monkeypatch.delitem(sys.modules, "control_diagrams", raising=False)
    diagrams = import_module("control_diagrams")
    assert set(diagrams.DIAGRAMS) == {page.stem for page in PAGES}
    for name, draw in diagrams.DIAGRAMS.items():
        draw().save(tmp_path / f"{name}.svg")
        new, old = (
            ElementTree.parse(folder / f"{name}.svg").getroot()
            for folder in (tmp_path, ROOT / "docs" / "howto" / "control")
        )
        assert new.get("viewBox") == old.get("viewBox")
        assert len(list(new.iter("{http://www.w3.org/2000/svg}path"))) > 15


def test_every_name_is_documented():
    for name in control.__all__:
        assert getattr(control, name).__doc__
