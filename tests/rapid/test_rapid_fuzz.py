"""Random and mutated texts are read or refused, and never crash."""

import time

import pytest
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


NUMBERS = st.floats(-3.4e38, 3.4e38).map(lambda value: value + 0.0)  # no -0
TARGET = st.builds(
    lambda x, cf1, eax: rapid.RobTarget(
        rapid.Pos(x, 0, -x),
        rapid.Orient(0, 1, 0, 0),
        rapid.ConfData(cf1, 0, 0, 0),
        rapid.ExtJoint(eax, 9e9, 9e9, 9e9, 9e9, 9e9),
    ),
    NUMBERS,
    st.integers(-4, 3),
    NUMBERS,
)
VALUES = st.fixed_dictionaries(
    {
        "a": NUMBERS,
        "b": st.booleans(),
        "s": st.text(max_size=20),
        "p": TARGET,
        "row": st.tuples(NUMBERS, NUMBERS, NUMBERS),
        "both": st.tuples(st.tuples(TARGET, st.text(max_size=9)), st.tuples(TARGET, st.text())),
    }
)
DECLARED = f"""MODULE m ! "one"
  RECORD place robtarget at; string name; ENDRECORD
  VAR num a; PERS bool b:=TRUE; ! two
  CONST string s:="";   CONST robtarget p:={MANUAL};
  VAR num row{{3}}:=[1,2,3];
  LOCAL VAR place both{{2}};
  PROC main() a:=a+1; ENDPROC
ENDMODULE !"""


@settings(SLOW, max_examples=60)
@given(VALUES)
def test_any_values_are_written_as_they_are_read(values):
    """What ``with_values`` writes is read as the same values, and all other text is the same."""
    changed = rapid.with_values(rapid.read(DECLARED), values)
    again = rapid.read(rapid.write(changed))
    assert {name: again[name] for name in values} == values
    assert again["p"].trans.x == values["p"].trans.x  # to the last digit
    rest = [
        "".join(
            module.text[start:end]
            for start, end in zip(
                [0, *(one.span[1] for one in module)],
                [*(one.span[0] for one in module), len(module.text)],
                strict=True,
            )
        )
        for module in (rapid.read(DECLARED), again)
    ]
    assert rest[0] == rest[1]


def program(body, others=""):
    return f"MODULE m\n{others}\nPROC main()\n{body}\nENDPROC\nENDMODULE"


STEP = f"MoveL {MANUAL},v10,fine,tool0;"
PAIRS = "\n".join(f"PROC p{i}() p{i + 1}; p{i + 1}; ENDPROC" for i in range(40))
DEEP = "are nested too deeply"
LOOPS = "".join(f"FOR i{k} FROM 1 TO 999 DO " for k in range(7)), "ENDFOR " * 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (program("MoveL p,v10,fine,tool0;")[:40], "PROC is not closed: ENDPROC is missing"),
        (program(STEP)[:90], "PROC is not closed: ENDPROC is missing"),
        (program("").replace("ENDMODULE", ""), "the text ends where ENDMODULE belongs"),
        (program(STEP * 200_000), "at most 10000000 are read: split the module"),
        (program(f"{LOOPS[0]}{STEP}{LOOPS[1]}"), "more than 20000 steps"),
        (program("p0;", f"{PAIRS} PROC p40() {STEP} ENDPROC"), "more than 20000 steps"),
        (program("main;"), "main calls itself: its moves have no end"),
        (program(f"{STEP} n:="), ""),
        (program(f"a;{STEP}", "PROC a() b; ENDPROC PROC b() a; ENDPROC"), "its moves have no end"),
        (program(f"VAR num n;{LOOPS[0]}Incr n;{LOOPS[1]}{STEP}"), ""),
        (program(f"IF DInput(d)=1 p0;{STEP}", f"{PAIRS} PROC p40() Incr n; ENDPROC"), ""),
        (program("IF DInput(d)=1 THEN " * 900 + STEP + "ENDIF " * 900), DEEP),
        (program(f"MoveL {'Offs(' * 900}{MANUAL}{',0,0,1)' * 900},v10,fine,tool0;"), DEEP),
        (program(f"MoveL Offs({MANUAL},{'(' * 3000}1{')' * 3000},0,0),v10,fine,tool0;"), DEEP),
        (
            program(
                f"x:={'-' * 3000}1;{STEP}",
                f"CONST num a:={'(' * 3000}1+1{')' * 3000};VAR num b{{a}};",
            ),
            DEEP,
        ),
        (program("MoveL f(1),v10,fine,tool0;", "FUNC robtarget f(num n) RETURN f(n); ENDFUNC"), ""),
        (
            program(STEP, "RECORD r s a; ENDRECORD ALIAS r s;"),
            "RECORD r has a component of its own",
        ),
        (program(STEP, f"CONST num a:={'(' * 3000}1{')' * 3000};"), ""),
    ],
)
def test_bad_programs_are_one_line_in_bounded_time(text, reason):
    """Truncated, huge, endless or doubling: refused in one line, or followed, in seconds."""
    begin, refused = time.process_time(), ""
    try:
        rapid.sequence_of(rapid.read(text))
    except irb.RapidError as err:
        refused = str(err)
    assert reason in refused
    assert bool(reason) == bool(refused)
    assert "\n" not in refused
    assert time.process_time() - begin < 30.0  # measured: at most 3 s
