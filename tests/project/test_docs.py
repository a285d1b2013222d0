import re

import pytest
from grouped import together
from page_blocks import CHECKS, PAGES, ROOT, blocks_of, excused, run_python
from peers import require_peer

import irbmodels as irb

BLOCKS = {page: blocks_of(page) for page in PAGES}
ALL = [block for blocks in BLOCKS.values() for block in blocks]
EXAMPLES = [block for block in ALL if block.language == "python" and block.shown is not None]
OTHERS = {page: [b for b in blocks if b not in EXAMPLES] for page, blocks in BLOCKS.items()}


def test_no_block_goes_unchecked():
    """Every fence is found; each block is run, checked by its language, or has an excuse that names
    what covers it or lacks.
    """
    for page, blocks in BLOCKS.items():
        fences = len(re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE))
        assert fences == 2 * sum(1 + (block.shown is not None) for block in blocks), page
    for block in ALL:
        where = f"{block.page.relative_to(ROOT)}:{block.line}: "
        if block.excuse is not None:
            assert excused(block), (
                f"{where}{block.excuse!r} names neither a file of the project nor what is needed"
            )
        else:
            assert block.language == "python" or block.language in CHECKS, (
                f"{where}no check of {block.language!r}"
            )


RESULT = re.compile(
    r"\d(?:\.\d+)?e-\d+|\d+(?:\.\d+)? ?%|\b\d+(?:\.\d+)? (?:ns|µs|ms|MB|GB|times)\b"
)
TRACE = re.compile(
    r"\b((?:scripts|tests)/[\w/]+\.py)|\b(test_\w+)|<!-- numbers:"
    r" (thresholds|settings|quoted)|(EXAMPLE)"
)


@together("page", PAGES, name=lambda page: f"{page.parent.name}-{page.stem}")
def test_numbers_on_a_page_lead_to_what_measures_them(page):
    """A section with results outside of a tested example names a script or a test, or says that
    they are no measurements.
    """
    text = re.sub(
        r"```.*?^ *```", "EXAMPLE", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for section in re.split(r"^(?=##? )", text, flags=re.MULTILINE):
        heading = f"{page.relative_to(ROOT)}: {section.splitlines()[0] if section else ''}"
        results = RESULT.findall(re.sub(r"<!--.*?-->", "", section))
        assert not results or TRACE.search(section), (
            f"{heading}: {results}: add <!-- numbers: scripts/X.py -->"
        )
        for path in re.findall(r"\b((?:scripts|tests)/[\w/]+\.py)", section):
            assert (ROOT / path).is_file(), f"{heading}: no {path}"


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: f"{block.page.stem}-{block.line}")
def test_examples_print_what_the_page_says(block, tmp_path, monkeypatch):
    """Every Python example of README and docs runs alone and prints the text below it."""
    if block.page.stem == "pybullet":
        require_peer("pybullet")
    monkeypatch.chdir(tmp_path)
    assert run_python(block, {"__name__": "__main__"}).strip() == block.shown.strip()


@pytest.mark.parametrize(
    "page", [page for page, blocks in OTHERS.items() if blocks], ids=lambda page: page.stem
)
def test_other_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    """Commands, files and programs without printed output work, in the page's order and in one
    folder.
    """
    monkeypatch.chdir(tmp_path)
    blocks = [block for block in OTHERS[page] if block.excuse is None]
    namespace: dict[str, object] = {"__name__": "__main__"}
    # programs before the commands that read them
    for block in sorted(blocks, key=lambda block: block.language != "rapid"):
        if block.language == "python":
            run_python(block, namespace)
        else:
            CHECKS[block.language](block, tmp_path)


def test_readme_has_an_example():
    """The README's example is among those that are run."""
    assert any(block.page == ROOT / "README.md" for block in EXAMPLES)


@together("page", PAGES, name=lambda page: f"{page.parent.name}-{page.stem}")
def test_links_inside_the_project_lead_somewhere(page):
    """Every relative link and picture of a page exists."""
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_robot_is_listed():
    """Every variant stands in a table of the README or the gallery."""
    pages = (ROOT / "README.md", ROOT / "docs" / "howto" / "gallery.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in irb.robots():
        assert f"`{name}`" in text
