"""Errors of the parser: line, column, reason, and what would be right."""

import re
import subprocess
import sys

import numpy as np
import pytest
from grouped import together
from rapid_modules import IRC5, MANUAL, SHORT, module

import irbmodels as irb
from irbmodels import rapid
from irbmodels.rapid.literals import parse_literal

P = "CONST robtarget p:="


MALFORMED = [  # body from line 2 on, line, column, reason
    ("CONST num x:=1", 2, 15, "';' is missing after '1'"),
    ("CONST num x:=1\n\n! a;\nVAR num y;", 2, 15, "';' is missing after '1'"),
    ("CONST num x=1;", 2, 12, "given with ':='"),
    ("CONST num x:1;", 2, 12, "given with ':='"),
    ("CONST num x:=;", 2, 14, "a value belongs"),
    ("CONST num :=1;", 2, 11, "a name belongs"),
    ("CONST := 1;", 2, 7, "a name belongs"),
    ("num x:=1;", 2, 1, "begins with CONST, PERS or VAR"),
    ("LOCAL num x:=1;", 2, 7, "CONST, PERS or VAR belongs"),
    ("CONST num x;", 2, 1, "CONST without a value"),
    ("TASK CONST num x:=1;", 2, 1, "TASK goes with VAR and PERS"),
    ("VAR num x;\nvar NUM X;", 3, 9, "X is declared twice, first on line 2"),
    ("VAR num x;\nPROC X()\nENDPROC", 3, 1, "X is declared twice"),
    ("VAR num for;", 2, 9, "for is a word of RAPID"),
    ("VAR num if:=1;", 2, 9, "if is a word of RAPID"),
    ("VAR 5num x;", 2, 5, "a name belongs"),
    ("VAR num x:=12abc;", 2, 14, "';' is missing after '12'"),
    ("VAR num x:=1.2.3;", 2, 15, "';' is missing after '1.2'"),
    ("VAR num x:=TRUE;", 2, 12, "x is a number, not TRUE"),
    ("VAR num x:=[1];", 2, 12, "x is a number, not [...] of 1"),
    ('VAR num x:="1";', 2, 12, 'x is a number, not "1"'),
    ("VAR bool b:=1;", 2, 13, "b is TRUE or FALSE, not 1"),
    ("VAR string s:=abc;", 2, 15, "abc is no constant of this module"),
    ('VAR string s:="abc;', 2, 15, "not closed on its line"),
    ('VAR string s:="a\nb";', 2, 15, "not closed on its line"),
    (r'VAR string s:="a\x";', 2, 15, "a backslash in a string is doubled"),
    ("VAR num x:=1E39;", 2, 12, "larger than a num can be"),
    ("VAR num x:=@;", 2, 12, "found '@' where a value belongs"),
    ("VAR num x:=f(1);", 2, 13, "no function call"),
    ("VAR num x:=1+;", 2, 14, "a value belongs"),
    ("VAR num x:=(1+2;", 2, 16, "the '(' of line 2, column 12 is not closed"),
    ("VAR num x{2}:=[1,2,3];", 2, 15, "x has 3 components; array of 2 has 2"),
    ("VAR num x{2,2}:=[[1,2],3];", 2, 24, "x{2} is array of 2, not 3"),
    ("VAR num x{0};", 2, 11, "whole number from 1 on"),
    ("VAR num x{1e999};", 2, 11, "whole number from 1 on"),
    ("VAR num x{1.5};", 2, 11, "whole number from 1 on"),
    ("VAR num x{n};", 2, 11, "whole number from 1 on"),
    ("VAR num x{};", 2, 11, "found '}' where a value belongs"),
    ("VAR num x{1,1,1,1};", 2, 10, "one to three sizes, not 4"),
    ("VAR num x{2;", 2, 12, "the '{' of line 2, column 10 is not closed"),
    ("VAR robtargt p;", 2, 5, "no type robtargt; did you mean robtarget?"),
    (
        f"{P}[[600,500],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        2,
        21,
        "p.trans has 2 components; pos [x,y,z] has 3",
    ),
    (
        f"{P}[[6,5,2],[1,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        2,
        29,
        "p.rot has 3 components; orient [q1,q2,q3,q4]",
    ),
    (
        f"{P}[[6,5,2],[1,0,0,0],[0,0,0,0]];",
        2,
        20,
        "p has 3 components; robtarget [trans,rot,robconf,extax] has 4",
    ),
    (f"{P}[[6,5,2],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9]];", 2, 49, "p.extax has 5 components"),
    (
        f"{P}[[6,5,2],\n[0.7,0,0.7,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        3,
        1,
        "points to is [0.707107,0,0.707107,0]",
    ),
    (
        f"{P}[[6,5,2],[1,0,0,0],[0.5,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        2,
        39,
        "cf1 is a whole number, not 0.5",
    ),
    (
        f"{P}[[6,TRUE,2],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        2,
        24,
        "p.trans.y is a number, not TRUE",
    ),
    (
        f"{P}[[6,5,2],[1,0,0,0],[0,0,0,0,[9E9,9E9,9E9,9E9,9E9,9E9]];",
        2,
        74,
        "the '[' of line 2, column 20 is not closed",
    ),
    (
        f"{P}[[6,5,2],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]];",
        2,
        75,
        "found ']' that nothing opened",
    ),
    (
        f"{P}[[6,5 2],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        2,
        25,
        "',' or ']' is missing",
    ),
    (f"{P}[[6,5,,2],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];", 2, 26, "a value belongs"),
    (
        f"{P}[[6,5,2),[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        2,
        27,
        "the '[' of line 2, column 21 is not closed",
    ),
    (f"{P}p20;", 2, 20, "p20 is no constant of this module, and p needs a robtarget"),
    (
        "PERS tooldata t:=[1,[[0,0,0],[1,0,0,0]],[1,[0,0,0],[1,0,0,0],0,0,0]];",
        2,
        19,
        "t.robhold is TRUE or FALSE, not 1",
    ),
    (
        "PERS tooldata t:=[TRUE,[[0,0,0],[1,0,0,0]],[1,[0,0,0],[1,0,0,0],0,0]];",
        2,
        44,
        "loaddata [mass,cog,aom,ix,iy,iz] has 6",
    ),
    (
        "PERS wobjdata w:=[FALSE,TRUE,,[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];",
        2,
        30,
        "a value belongs",
    ),
    (
        "PERS wobjdata w:=[FALSE,TRUE,5,[[0,0,0],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];",
        2,
        30,
        'w.ufmec is a "text", not 5',
    ),
    ("PROC p()\nVAR num x;", 2, 1, "ENDPROC is missing"),
    ('LOCAL FUNC num f()\n! ENDFUNC\nx:="ENDFUNC";', 2, 7, "ENDFUNC is missing"),
    ("PROC ()\nENDPROC", 2, 1, "PROC has no name"),
    ("RECORD r num a ENDRECORD", 2, 15, "';' is missing after 'a'"),
    ("RECORD r\nnumm a; ENDRECORD", 3, 1, "no type numm; did you mean num?"),
    ("ALIAS nun level;", 2, 7, "no type nun; did you mean num?"),
]


BROKEN = [  # whole texts
    ("", 1, 1, "the text ends where a module begins"),
    ("! nothing\nCONST num x:=1;", 2, 1, "found 'CONST' where a module begins"),
    ("MODULE", 1, 7, "a name belongs"),
    ("MODULE for\nENDMODULE", 1, 8, "for is a word of RAPID"),
    ("MODULE a(SYSMODUL)\nENDMODULE", 1, 10, "SYSMODUL is no attribute"),
    ("MODULE a(SYSMODULE\nENDMODULE", 1, 19, "missing"),
    ("MODULE a\nVAR num x;\n", 2, 11, "the text ends where ENDMODULE belongs"),
    ("MODULE a\nVAR pos x:=[1,2,", 2, 17, "the '[' of line 2, column 12 is not closed"),
    ("MODULE a\nENDMODULE\nMODULE b\nENDMODULE", 3, 1, "nothing but comments may follow"),
]


@together(
    "text, line, column, reason",
    [(f"MODULE m\n{body}\nENDMODULE", *where) for body, *where in MALFORMED] + BROKEN,
    name=lambda value: (
        value.replace("\n", " ")[9:45] if isinstance(value, str) and "MODULE" in value else ""
    ),
)
def test_malformed_text_says_where_and_why(text, line, column, reason):
    with pytest.raises(irb.RapidError, match=re.escape(reason)) as caught:
        rapid.read(text)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert str(caught.value) == f"line {line}, column {column}: {caught.value.reason}"
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


@together(
    "numbers, good",
    [
        *(
            ("0.707107,0,0.707107,0", True),
            ("0.99998,0.00625,0,0", True),
            ("1,-0.00161,0,0", True),
            ("0,0,0,0", True),
        ),
        *(
            ("0.707,0,0.707,0", True),
            ("1.0004,0,0,0", True),
            ("0.9996,0,0,0", True),
            ("-1,0,0,0", True),
        ),
        *(
            ("1.00041,0,0,0", False),
            ("0,0.99959,0,0", False),
            ("0.7,0,0.7,0", False),
            ("0.1,0,0,0", False),
        ),
    ],
)
def test_quaternions_are_of_unit_length(numbers, good):
    """As far as printed digits leave it; four zeros are an orientation was never taught, and no
    rotation.
    """
    if good:
        actual = rapid.read_value(f"[{numbers}]", rapid.Orient)
        assert str(actual) == f"[{numbers}]"
        if numbers == "0,0,0,0":
            with pytest.raises(irb.InputError, match="four zeros"):
                actual.matrix()
    else:
        with pytest.raises(
            irb.RapidError,
            match=r"line 1, column 1: orient: quaternion .* not 1; the rotation it points to is",
        ):
            rapid.read_value(f"[{numbers}]", rapid.Orient)


def test_read_wants_one_value_of_its_type():
    for text, reason in (
        ("PERS pos p:=[1,2,3];", "no single robtarget"),
        (f"CONST robtarget p{{1}}:=[{MANUAL}];", "no single robtarget"),
        ("VAR robtarget p;", "no single robtarget"),
        ("pi", "has to be computed"),
        (f"{MANUAL} {MANUAL}", "line 1, column 65"),
        ("", "line 1, column 1"),
        (5, "is a str"),
    ):
        with pytest.raises(irb.IrbError, match=reason):
            rapid.read_value(text, rapid.RobTarget)
    for kind in ("robtarget", rapid.Value, rapid.Number, None, np.zeros(3)):
        with pytest.raises(
            irb.InputError, match=r"a value is read as a record type such as rapid\.RobTarget, not "
        ):
            rapid.read_value(MANUAL, kind)
    with pytest.raises(irb.InputError, match="read_file"):
        rapid.read(b"MODULE m ENDMODULE")


def test_what_is_asked_of_a_module_is_checked():
    """No module, a type that is no name, no mapping, no declaration: one line that says what is
    wanted.
    """
    actual = rapid.read(IRC5)
    asks = (rapid.moves_of, rapid.sequence_of, rapid.write, rapid.with_declarations)
    for ask in (
        *asks,
        lambda text: rapid.values_of(text, "num"),
        lambda text: rapid.with_values(text, {}),
    ):
        for wrong in (IRC5, None, [actual]):
            with pytest.raises(
                irb.InputError, match=r"a module is what irbmodels\.rapid\.read returns, not "
            ) as caught:
                ask(wrong)
            assert len(str(caught.value)) < 250
            assert "\n" not in str(caught.value)
    with pytest.raises(
        irb.InputError, match="a type is given by its name in RAPID, 'robtarget', not "
    ):
        rapid.values_of(actual, rapid.RobTarget)
    with pytest.raises(irb.InputError, match="values are a mapping from names to values, not "):
        rapid.with_values(actual, [("n", 2)])
    with pytest.raises(irb.InputError, match=r"a declaration is a rapid\.Declaration, not "):
        rapid.with_declarations(actual, "CONST num a:=1;")
    for ask in (rapid.moves_of, rapid.sequence_of):
        with pytest.raises(irb.UnknownName, match="no routine 5"):
            ask(actual, 5)


def test_values_made_in_code_are_checked():
    """Components by type and number; tuples stand for records."""
    assert str(rapid.Pose((1, 2, 3), (1, 0, 0, 0))) == "[[1,2,3],[1,0,0,0]]"
    for make, reason in (
        (lambda: rapid.Pose((1, 2), (1, 0, 0, 0)), "pose.trans has 3 components, not 2"),
        (lambda: rapid.Pos(1, 2, float("inf")), r"pos\.z: .* not a finite number"),
        (lambda: rapid.Pos(1, 2, 10**400), "not a finite number"),
        (lambda: rapid.Pos(1, 2, True), "not a number"),
        (lambda: rapid.Pose("abc", (1, 0, 0, 0)), "pose.trans is a pos, not 'abc'"),
        (
            lambda: rapid.Pose(rapid.Orient(1, 0, 0, 0), (1, 0, 0, 0)),
            "pose.trans is a pos, not <orient",
        ),
        (lambda: rapid.ZoneData(1, 0, 0, 0, 0, 0, 0), "zonedata.finep is a bool, not 1"),
        (lambda: rapid.ConfData(0, 0, 0.5, 0), "cf6 is a whole number"),
        (lambda: rapid.Orient(1, 1, 0, 0), "length 1.41421"),
    ):
        with pytest.raises(irb.InputError, match=reason):
            make()


def test_deep_brackets_are_no_crash():
    for kind in ("num", "welddata", "robtarget"):
        with pytest.raises(irb.RapidError, match=r"brackets|not|components"):
            module(f"VAR {kind} x:={'[' * 5000}1{']' * 5000};")
    with pytest.raises(irb.RapidError):
        module(f"VAR num x:={'(' * 5000}1;")
    assert isinstance(module(f"VAR num x:={'(' * 5000}1{')' * 5000};")["x"], rapid.Expression)


def test_lark_is_loaded_late_and_named_when_missing(monkeypatch):
    """Import takes no lark; without it a value made in code still works, and reading says what to
    install.
    """
    code = (
        "import sys, irbmodels, irbmodels.rapid; print([name for name in ('lark',) if name in"
        " sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
    from irbmodels.rapid import grammar

    grammar._parser.cache_clear()
    monkeypatch.setattr("irbmodels.errors.find_spec", lambda name: None)
    with pytest.raises(
        irb.MissingExtra,
        match=r"lark is not installed; get it with: pip install 'irbmodels\[rapid\]'",
    ):
        rapid.read(SHORT)
    assert str(rapid.tooldata_of(irb.load_tool("spindle"))).startswith("[TRUE,[[240,0,162]")
    monkeypatch.undo()
    assert rapid.read(SHORT)["a"] == 1.0


def test_literals_are_read_without_the_grammar():
    """Nested aggregates as the grammar reads them; a misplaced comma or bracket is refused."""
    node = parse_literal('[[1,-2.5],TRUE,"a,]"] ! comment')
    assert [str(part) for part in node.children[0].children] == ["1", "-2.5"]
    assert [str(part) for part in node.children[1:]] == ["TRUE", '"a,]"']
    for text in ("[1,]", "[,1]", "[]", "[1", "1,2", "[1 2]", "]", "[1]]", "[1],", ""):
        with pytest.raises(irb.RapidError):
            parse_literal(text)
