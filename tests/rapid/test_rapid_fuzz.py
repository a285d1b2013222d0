"""Random and mutated texts are read or refused, and never crash."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rapid_modules import GOOD, IRC5, MANUAL

import irbmodels as irb
from irbmodels import rapid

WORDS = st.sampled_from(
    [
        *(
            "MODULE",
            "ENDMODULE",
            "CONST",
            "VAR",
            "PERS",
            "LOCAL",
            "TASK",
            "num",
            "robtarget",
            "string",
            "bool",
            "m",
            "x",
            "p",
            "PROC",
        ),
        *(
            "ENDPROC",
            "RECORD",
            "ENDRECORD",
            "ALIAS",
            "FUNC",
            "ENDFUNC",
            ":=",
            "[",
            "]",
            "{",
            "}",
            "(",
            ")",
            ",",
            ";",
            "1",
            "-2.5",
        ),
        *(
            "9E9",
            '"',
            '"a"',
            "!",
            "\n",
            "+",
            "-",
            "NOT",
            "TRUE",
            "%%%",
            "0x",
            "pi",
            ".",
            "orient",
            "[1,0,0,0]",
            MANUAL,
            "\u00e9",
            "\\",
        ),
    ]
)


def reads_or_refuses(text):
    refused = None
    try:
        actual = rapid.read(text)
    except irb.RapidError as err:
        refused = err
    if refused is not None:
        assert 1 <= refused.line <= text.count("\n") + 1
        assert 1 <= refused.column <= len(text.split("\n")[refused.line - 1]) + 1
        assert "\n" not in str(refused)
    else:
        assert rapid.write(actual) == text
        values = {
            datum.name: datum.value
            for datum in actual
            if not isinstance(datum.value, rapid.Expression)
        }
        again = rapid.with_values(actual, values)
        assert [datum.value for datum in again] == [datum.value for datum in actual]


def test_a_comment_inside_a_declaration_on_the_line_of_the_module():
    actual = rapid.read("MODULE m  CONST num a:= ! why\n  1;\nENDMODULE\n")
    again = rapid.with_values(actual, {"a": 2})
    assert rapid.write(again) == "MODULE m  ! why\nCONST num a:=2;\nENDMODULE\n"


SLOW = settings(
    max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@SLOW
@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=60))
def test_fuzz_words(text):
    """Words of RAPID in any order, and any text: read, or refused with a place in the text."""
    reads_or_refuses(text)
    reads_or_refuses(f"MODULE m\n{text}\nENDMODULE")


@SLOW
@given(st.data())
def test_fuzz_mutated_modules(data):
    """Real modules with a few characters taken out, doubled, or replaced."""
    text = data.draw(st.sampled_from([GOOD[0], IRC5]))
    for _ in range(data.draw(st.integers(1, 3))):
        i = data.draw(st.integers(0, len(text)))
        j = min(len(text), i + data.draw(st.integers(0, 12)))
        text = text[:i] + data.draw(WORDS | st.just("") | st.just(text[i:j] * 2)) + text[j:]
    reads_or_refuses(text)
