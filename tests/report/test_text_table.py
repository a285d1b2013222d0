import pytest
from terminals import WIDTHS, assert_nothing_is_cut, printed, words

from irbmodels.report.text_table import TextTable

SENTENCE = "a sentence of many words that no narrow terminal can hold on a single one of its lines"


def test_what_fits_is_one_table():
    heads, row = ("axis", "largest difference", "verdict"), ("1", "9.3e-16", "agrees")
    table = TextTable(*heads, rows=[row], title="who agrees")
    lines = [line.rstrip() for line in printed([table], 80).splitlines() if line.strip("─ ")]
    assert lines == [
        "who agrees",
        " axis  largest difference  verdict",
        " 1     9.3e-16             agrees",
    ]


def test_heads_wrap_before_columns_move():
    table = TextTable("axis", *["largest difference"] * 4, rows=[("1", *["-123.4567"] * 4)])
    text = printed([table], 60)
    assert text.count("axis") == 1
    assert text.count("largest difference") == 0
    assert text.count("largest") == text.count("difference") == text.count("-123.4567") == 4


@pytest.mark.parametrize("columns", [1, 5, 12, 30])
@pytest.mark.parametrize("keys", [1, 2])
def test_nothing_is_cut_however_many_columns(columns, keys):
    """Columns beyond the width stand in another table, with the columns that say which row it is;
    sentences wrap.
    """
    heads = [
        "line",
        *(["move"] if keys == 2 else []),
        *(f"quantity {i}" for i in range(columns)),
        "what",
    ]
    rows = [
        (
            f"row{row}",
            *(["MoveAbsJ"] if keys == 2 else []),
            *(f"-{row}{i}.123456" for i in range(columns)),
            SENTENCE,
        )
        for row in range(3)
    ]
    notes = [SENTENCE + " 17.5"]
    table = TextTable(*heads, rows=rows, title="a title " * 20, keys=keys, notes=notes)
    assert_nothing_is_cut([table])
    for width in WIDTHS:
        shown = words(printed([table], width))
        assert shown["line"] == shown["row1"]
    assert (words(printed([table], 60))["line"] > 1) == (columns > 2)


def test_a_word_longer_than_the_terminal_breaks():
    path = "/".join(["folder"] * 20)
    table = TextTable("table", "file", rows=[("limits", path)])
    pieces = [line.removeprefix(" limits").strip() for line in printed([table], 60).splitlines()]
    assert path in "".join(pieces)


def test_brackets_are_text():
    """A cell such as [b] is no markup, on any console."""
    from rich.console import Console

    table = TextTable("cf", rows=[["[b]0[/b]"]], title="[red]")
    console = Console(width=80)  # markup is on
    with console.capture() as text:
        console.print(table)
    assert "[red]" in text.get()
    assert "[b]0[/b]" in text.get()
