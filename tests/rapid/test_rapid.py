"""ABB's data types and modules: exact text in and out, and nothing guessed."""

import copy
import pickle
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import irbmodels as irb
from irbmodels import rapid
from irbmodels.cli import main
from irbmodels.rapid.convert import principal
from irbmodels.rapid.text import literal, number_text, string, string_text

MANUAL = "[[600,500,225.3],[1,0,0,0],[1,1,0,0],[11,12.3,9E9,9E9,9E9,9E9]]"
S4 = '''%%%
  VERSION:1
  LANGUAGE:ENGLISH
%%%

MODULE spindel
  CONST robtarget p10:=[[600.00,500,225.3],[1,0,0,0],
    [1,1,0,0], ! configuration
    [11,12.3,9E9,9E9,9E9,9E9]];
  PERS tooldata tGun:=[TRUE,[[97.4,0,223.1],[0.924,0.001,0.382,0.01]],[5,[23,0,75],[1,0,0,0],0,0,0]];
  VAR num nCount:=-0;
  PROC main()
    ! ENDPROC is no end in a comment
    MoveJ p10,v1000,z50,tGun;
    MoveL [[1,2,3],[9,9,9,9],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tGun;
    TPWrite "ENDPROC, ""quoted""";
  ENDPROC
ENDMODULE
'''
IRC5 = """MODULE CalibData(SYSMODULE, NOSTEPIN)\r
    !***************************************\r
    ! Module: CalibData, "an unpaired quote in a comment\r
    !***************************************\r
    RECORD weldpoint\r
        robtarget where;\r
        num speed; bool last;\r
    ENDRECORD\r
    ALIAS num level;\r
    CONST num N:=2;\r
    PERS tooldata mill:=[TRUE,[[270.94,-4.707,504.723],[0,0.38285,0,0.92381]],[7,[270.94,-4.707,504.7],[1,0,0,0],0.1,0.1,0.1]];\r
    TASK PERS wobjdata wStn:=[FALSE,FALSE,"STN1",[[1701.5,-720.42,649.1],[1,0,0,0]],[[0,0,120],[0.707106781,0,0,0.707106781]]];\r
    TASK PERS wobjdata wFix:=[FALSE,TRUE,"",[[992.9,-216.9,565],[0.27444,0.27271,0.64992,0.65415]],[[0,0,0],[1,-0.00161,0,0]]];\r
    local const jointtarget home:=[[0,-20,1.5E+01,.5,30.,-3.6205E-05],[9E+09,9e9,9E+9,9E09,9E+09,9000000000]];\r
    CONST robtarget pts{N}:=[[[1449.182064069,600,1345.018020125],[0,0,1,0],[0,0,0,0],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]],\r
        [[-988.40,-1149.72,286.39],[0.707491,-3.6205E-05,-0.00194672,-0.70672],[0,-1,-1,1],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]]];\r
    PERS weldpoint wp:=[[[0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0,0,0]],0xFF,TRUE];\r
    VAR level h{2,3}:=[[1,-2,3],[.5,1.,+0]]; VAR speeddata slow:=[100,20,5000,1000]; VAR zonedata Z:=[FALSE,1,1,1,0.1,1,0.1];\r
    VAR clock c1; VAR intnum i1; PERS welddata wd:=[1,[2,TRUE],"a"];\r
    CONST string s:="say ""hi"" \\\\ \\0Aend! [";\r
    CONST num twice:=2*N+pi;\r
    CONST loaddata load1 := [ 5.2 , [34.6,-12.3,73.3] , [1,0,0,0] , 0.048,0.077,0.012 ] ;\r
    CONST pose fr:=[[1,2,3],[0.5,0.5,0.5,0.5]]; CONST pos o:=[-0,0.,1E-7]; VAR bool ok:=true;\r
    FUNC num inner(num a) IF a>0 THEN RETURN 1; ENDIF RETURN 0; ENDFUNC\r
    LOCAL TRAP tr RETURN; ENDTRAP\r
    PROC p() endproc\r
ENDMODULE\r
! the end"""
SHORT = "Module\tm CONST num a:=1;ENDMODULE"
GOOD = [
    S4.replace("[0.924,0.001,0.382,0.01]", "[0.923880,0,0.382683,0]"),
    IRC5,
    SHORT,
    "MODULE empty\nENDMODULE",
]


def module(body):
    return rapid.read(f"MODULE m\n{body}\nENDMODULE")


def pose(rng):
    q = rng.normal(size=4)
    return pin.SE3(
        pin.Quaternion(*(q / np.linalg.norm(q))).toRotationMatrix(), rng.uniform(-1, 1, 3)
    )


# --- text in and out
# ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", GOOD, ids=["S4", "IRC5", "short", "empty"])
def test_writes_what_it_reads(text, tmp_path):
    """To the character, from text and from file; and every value has the text that stands there,
    less blanks and comments.
    """
    found = rapid.read(text)
    assert rapid.write(found) == text
    (tmp_path / "a.mod").write_bytes(text.encode())
    rapid.read_file(tmp_path / "a.mod").save(tmp_path / "b.mod")
    assert (tmp_path / "b.mod").read_bytes() == text.encode()
    for datum in found:
        start, end = datum.span
        source = re.sub(r"!.*", "", text[start:end]) if "!" not in str(datum) else text[start:end]
        _, given_one, initial = source.rstrip("; ").partition(":=")
        if given_one:
            written = str(datum).partition(":=")[2].rstrip(";")
            expected = initial.strip() if '"' in initial else "".join(initial.split())
            assert written == expected.replace("true", "TRUE")
        assert found.declaration(datum.name.upper()) is datum
        assert text.count("\n", 0, start) + 1 == datum.line


def test_manuals_example():
    """The robtarget of ABB's manual, in mm and as printed; 9E9 is None; alone, and as a declaration
    over lines.
    """
    target = rapid.read_value(f"CONST robtarget p15 :=\n {MANUAL} ;", rapid.RobTarget)
    assert target == rapid.read_value(MANUAL, rapid.RobTarget)
    assert str(target) == MANUAL
    assert tuple(target.trans) == (600.0, 500.0, 225.3)
    assert target.extax.used == (11.0, 12.3, None, None, None, None)
    np.testing.assert_allclose(target.pose().translation, [0.6, 0.5, 0.2253], atol=1e-15)
    assert len(target.robconf) == 4


def test_values_of_a_module():
    """Names in any case, arrays as tuples, records of the module, expressions and types without a
    known shape.
    """
    found = rapid.read(IRC5)
    assert (found.name, found.attributes, len(list(found))) == (
        "CalibData",
        ("SYSMODULE", "NOSTEPIN"),
        19,
    )
    assert found["MILL"].tload.ix == 0.1
    assert found["h"] == ((1, -2, 3), (0.5, 1, 0))
    assert found["s"] == 'say "hi" \\ \nend! ['
    assert found["wp"][1:] == (255.0, True)
    assert found["twice"] == rapid.Expression("2*N+pi")
    assert found["wd"] == (1.0, (2.0, True), "a")
    assert found["c1"] is None
    assert list(rapid.values_of(found, "robtarget")) == ["pts{1}", "pts{2}"]
    assert list(rapid.values_of(found, "level"))[-1] == "h{2,3}"
    assert (found.declaration("home").scope, found.declaration("wStn").scope) == ("LOCAL", "TASK")
    assert found["home"].extax.used == (None,) * 6
    with pytest.raises(irb.UnknownName, match="did you mean 'mill'"):
        found["mil"]


def test_other_modules_records_and_constants():
    """Of modules that it uses, a module knows types and constants; one with other values still
    does.
    """
    user = "MODULE u\nVAR weldpoint w;\nVAR level x:=N+1;\nENDMODULE"
    with pytest.raises(irb.RapidError, match=r"line 2, column 5: there is no type weldpoint"):
        rapid.read(user)
    found = rapid.read(user, uses=[rapid.read(IRC5)])
    assert found["x"] == rapid.Expression("N+1")
    changed = rapid.with_values(found, {"x": 3})
    assert (changed["x"], changed.uses) == (3.0, found.uses)


def test_encodings(tmp_path):
    """UTF-8 with its mark, and ISO 8859-1, come back byte for byte."""
    for data in (
        "\ufeffMODULE m ! \u00e5\nENDMODULE".encode(),
        "MODULE m ! \u00e5\nVAR num g\u00e5:=1;\nENDMODULE".encode("latin-1"),
    ):
        (tmp_path / "a.mod").write_bytes(data)
        found = rapid.read_file(tmp_path / "a.mod")
        found.save(tmp_path / "b.mod")
        assert (tmp_path / "b.mod").read_bytes() == data
    with pytest.raises(irb.FileError, match="no character of latin-1"):
        rapid.with_declarations(found, rapid.Declaration("VAR", "string", "s", "\u20ac")).save(
            tmp_path / "c.mod"
        )
    assert not (tmp_path / "c.mod").exists()
    with pytest.raises(irb.FileError, match="nowhere"):
        rapid.read_file(tmp_path / "nowhere.mod")
    (tmp_path / "bad.mod").write_text("MODULE m")
    with pytest.raises(irb.RapidError, match=r"bad\.mod: line 1, column 9: the text ends"):
        rapid.read_file(tmp_path / "bad.mod")


def test_changed_declaration_is_in_abbs_layout_and_the_rest_stays():
    """One number changes; its neighbours keep their digits, an inner comment moves before it, no
    other character changes.
    """
    text = GOOD[0]
    found = rapid.read(text)
    target = found["p10"]
    changed = rapid.with_values(
        found, {"P10": replace(target, trans=replace(target.trans, y=500.5)), "ncount": 2}
    )
    start, end = found.declaration("p10").span
    line = (
        "! configuration\n  CONST robtarget"
        " p10:=[[600.00,500.5,225.3],[1,0,0,0],[1,1,0,0],[11,12.3,9E9,9E9,9E9,9E9]];"
    )
    assert changed.text == (text[:start] + line + text[end:]).replace("nCount:=-0", "nCount:=2")
    assert found.text == text


def test_added_declarations():
    """After the last one, in its indentation and with its line ends; at the top where there is
    none.
    """
    found = rapid.with_declarations(
        rapid.read(IRC5), rapid.Declaration("PERS", "num", "x", ((1, 2),), (1, 2), "LOCAL")
    )
    assert "VAR bool ok:=true;\r\n    LOCAL PERS num x{1,2}:=[[1,2]];\r\n    FUNC" in found.text
    empty = rapid.with_declarations(
        rapid.read("MODULE m(NOVIEW)\nENDMODULE"), rapid.Declaration("CONST", "num", "x", 9e9)
    )
    assert empty.text == "MODULE m(NOVIEW)\n    CONST num x:=9E+09;\nENDMODULE"
    with pytest.raises(irb.RapidError, match="X is declared twice"):
        rapid.with_declarations(empty, rapid.Declaration("VAR", "num", "X", 1))


def test_values_of_another_type_are_refused():
    """A wobjdata is no robtarget, and NaN no number."""
    found = rapid.read(GOOD[0])
    for values, reason in (
        ({"p10": found["tGun"]}, "p10 is a robtarget"),
        ({"nCount": float("nan")}, "finite"),
        ({"nCount": "a"}, "is a number"),
        ({"p11": 1}, "no declaration 'p11'"),
    ):
        with pytest.raises(irb.IrbError, match=reason):
            rapid.with_values(found, values)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *(
            (225.3, "225.3"),
            (600.0, "600"),
            (9e9, "9E+09"),
            (-0.0, "0"),
            (1e-7, "1E-07"),
            (-3.6205e-05, "-3.6205E-05"),
        ),
        *(
            (0.0001, "0.0001"),
            (8388608.0, "8388608"),
            (1 / 3, "0.3333333333333333"),
            (np.float64(2.5), "2.5"),
            (1.5e300, "1.5E+300"),
        ),
    ],
)
def test_numbers_made_in_code(value, text):
    """In the fewest digits that say them; -0 is 0."""
    assert number_text(value) == text
    assert float(rapid.Number(text)) == value


@pytest.mark.parametrize(
    "text", ["1.", ".5", "-0", "+7", "9E+09", "1e-3", "0xFF", "-0b101", "0o17", "007"]
)
def test_a_number_remembers_its_text(text):
    """Copies and pickles do too; a computed one has forgotten."""
    found = rapid.read_value(f"[{text},0,0]", rapid.Pos).x
    for twin in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert literal(twin) == text
        assert twin == found
    assert type(found + 0.0) is float


@given(st.text(st.characters(max_codepoint=255), max_size=30))
def test_any_string_comes_back(said):
    """Quotes, backslashes and control characters included."""
    assert string(string_text(said)) == said
    assert module(f"VAR string s:={string_text(said)};")["s"] == said


# --- what is refused
# ---------------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [(f"MODULE m\n{body}\nENDMODULE", *where) for body, *where in MALFORMED] + BROKEN,
    ids=lambda value: (
        value.replace("\n", " ")[9:45] if isinstance(value, str) and "MODULE" in value else ""
    ),
)
def test_malformed_text_says_where_and_why(text, line, column, reason):
    """Line, column, reason and what would be right, on one line."""
    with pytest.raises(irb.RapidError, match=re.escape(reason)) as caught:
        rapid.read(text)
    assert (caught.value.line, caught.value.column) == (line, column), str(caught.value)
    assert str(caught.value) == f"line {line}, column {column}: {caught.value.reason}"
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("numbers", "good"),
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
    """As far as printed digits leave it; four zeros are an orientation nobody taught, and no
    rotation.
    """
    if good:
        found = rapid.read_value(f"[{numbers}]", rapid.Orient)
        assert str(found) == f"[{numbers}]"
        if numbers == "0,0,0,0":
            with pytest.raises(irb.InputError, match="four zeros"):
                found.matrix()
    else:
        with pytest.raises(
            irb.RapidError,
            match=r"line 1, column 1: orient: quaternion .* not 1; the rotation it points to is",
        ):
            rapid.read_value(f"[{numbers}]", rapid.Orient)


def test_read_wants_one_value_of_its_type():
    """Another type, an array, an expression, two values, or no text are refused."""
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
    found = rapid.read(IRC5)
    asks = (rapid.moves_of, rapid.sequence_of, rapid.write, rapid.with_declarations)
    for ask in (
        *asks,
        lambda text: rapid.values_of(text, "num"),
        lambda text: rapid.with_values(text, {}),
    ):
        for wrong in (IRC5, None, [found]):
            with pytest.raises(
                irb.InputError, match=r"a module is what irbmodels\.rapid\.read returns, not "
            ) as caught:
                ask(wrong)
            assert len(str(caught.value)) < 250
            assert "\n" not in str(caught.value)
    with pytest.raises(
        irb.InputError, match="a type is given by its name in RAPID, 'robtarget', not "
    ):
        rapid.values_of(found, rapid.RobTarget)
    with pytest.raises(irb.InputError, match="values are a mapping from names to values, not "):
        rapid.with_values(found, [("n", 2)])
    with pytest.raises(irb.InputError, match=r"a declaration is a rapid\.Declaration, not "):
        rapid.with_declarations(found, "CONST num a:=1;")
    for ask in (rapid.moves_of, rapid.sequence_of):
        with pytest.raises(irb.UnknownName, match="no routine 5"):
            ask(found, 5)


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
    """Thousands of brackets are refused, or read where the type is not known."""
    for kind in ("num", "welddata", "robtarget"):
        with pytest.raises(irb.RapidError, match=r"brackets|not|components"):
            module(f"VAR {kind} x:={'[' * 5000}1{']' * 5000};")
    with pytest.raises(irb.RapidError):
        module(f"VAR num x:={'(' * 5000}1;")
    assert isinstance(module(f"VAR num x:={'(' * 5000}1{')' * 5000};")["x"], rapid.Expression)


# --- fuzz
# ----------------------------------------------------------------------------------------------------------------

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
        found = rapid.read(text)
    except irb.RapidError as err:
        refused = err
    if refused is not None:
        assert 1 <= refused.line <= text.count("\n") + 1
        assert 1 <= refused.column <= len(text.split("\n")[refused.line - 1]) + 1
        assert "\n" not in str(refused)
    else:
        assert rapid.write(found) == text
        values = {
            datum.name: datum.value
            for datum in found
            if not isinstance(datum.value, rapid.Expression)
        }
        again = rapid.with_values(found, values)
        assert [datum.value for datum in again] == [datum.value for datum in found]


def test_a_comment_inside_a_declaration_on_the_line_of_the_module():
    """It is put before the declaration, and nothing else of that line is repeated."""
    found = rapid.read("MODULE m  CONST num a:= ! why\n  1;\nENDMODULE\n")
    again = rapid.with_values(found, {"a": 2})
    assert rapid.write(again) == "MODULE m  ! why\nCONST num a:=2;\nENDMODULE\n"


SLOW = settings(
    max_examples=400, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
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


# --- meaning
# -------------------------------------------------------------------------------------------------------------


def fixed(rng):
    return rapid.WobjData(False, True, "", rapid.Pose.of(pose(rng)), rapid.Pose.of(pose(rng)))


def test_target_through_a_work_object_and_back():
    """User frame times object frame times target; back, every digit is the printed one, whatever
    quaternion was printed.
    """
    rng = np.random.default_rng(1)
    for _ in range(200):
        wobj = fixed(rng)
        q = rng.normal(size=4)
        printed = [f"{value:.6f}".rstrip("0") for value in q / np.linalg.norm(q)]
        text = f"[[{rng.uniform(-2000, 2000):.2f},{rng.integers(-900, 900)},{rng.normal():.9f}],[{','.join(printed)}],"
        text += "[0,-1,0,1],[9E9,9E+09,9E9,9E9,9E9,9E9]]"
        target = rapid.read_value(text, rapid.RobTarget)
        there = target.pose(wobj)
        direct = (
            wobj.uframe.se3().homogeneous
            @ wobj.oframe.se3().homogeneous
            @ target.pose().homogeneous
        )
        np.testing.assert_allclose(there.homogeneous, direct, atol=1e-12)
        assert str(target.moved(there, wobj)) == text
    there.translation += [0, 0, 1e-3]
    assert str(target.moved(there, wobj)) != text
    turned = target.moved(target.pose() * pin.SE3(pin.rpy.rpyToMatrix(0, 0, 1e-6), np.zeros(3)))
    assert turned.trans == target.trans
    assert turned.rot != target.rot
    np.testing.assert_allclose(np.linalg.norm(turned.rot), 1.0, atol=1e-8)


def test_untaught_orientation_can_be_replaced():
    """A target of zeros gets the pose it is moved to."""
    blank = rapid.read_value("[[0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0,0,0]]", rapid.RobTarget)
    assert str(blank.moved(pin.SE3.Identity())) == "[[0,0,0],[1,0,0,0],[0,0,0,0],[0,0,0,0,0,0]]"


def test_unit_moves_the_user_frame():
    """The positioner's table carries the object: its axes are eax_a and eax_b in degrees, uframe is
    not used.
    """
    unit = irb.from_urdf(irb.urdf_path("positioner"))
    wobj = rapid.read_value(
        '[FALSE,FALSE,"STN1",[[111,222,333],[1,0,0,0]],[[0,0,120],[1,0,0,0]]]', rapid.WobjData
    )
    conf, orient = rapid.ConfData(0, 0, 0, 0), rapid.Orient(1, 0, 0, 0)
    target = rapid.RobTarget(rapid.Pos(100, 0, 0), orient, conf, rapid.ExtJoint(90, 0))
    # tilted by 90 deg about y at 700 mm: z of the table is x, its x is down
    there = target.pose(wobj, {"stn1": unit})
    np.testing.assert_allclose(there.translation, [0.120, 0.0, 0.700 - 0.100], atol=1e-12)
    moved = replace(target, extax=rapid.ExtJoint(90, 30)).pose(wobj, {"STN1": unit})
    np.testing.assert_allclose(
        moved.translation, [0.120, 0.05, 0.7 - 0.1 * np.cos(np.pi / 6)], atol=1e-12
    )
    assert str(target.moved(there, wobj, {"STN1": unit})) == str(target)
    for units, extax, reason in (
        (None, rapid.ExtJoint(1, 2), "units needs it .none is given"),
        ({"STN2": unit}, rapid.ExtJoint(1, 2), "moves with STN1; units needs it .given: STN2"),
        ({"STN1": unit}, rapid.ExtJoint(1), "has 2 axes"),
        ({"STN1": unit}, rapid.ExtJoint(None, 2), "has 2 axes"),
    ):
        with pytest.raises(irb.InputError, match=reason):
            replace(target, extax=extax).pose(wobj, units)


def test_stationary_tool_and_held_object():
    """The TCP stands in the world, the object frame hangs on tool0; closing the loop gives the
    target back.
    """
    rng = np.random.default_rng(2)
    held, gun = (
        replace(fixed(rng), robhold=True),
        rapid.read_value(
            "[FALSE,[[900,0,700],[0,0,1,0]],[1,[0,0,1],[1,0,0,0],0,0,0]]", rapid.ToolData
        ),
    )
    target = rapid.read_value(MANUAL, rapid.RobTarget)
    tool0 = rapid.tool0_pose(target, gun, held)
    np.testing.assert_allclose(
        (tool0 * held.uframe.se3() * held.oframe.se3() * target.pose()).homogeneous,
        gun.tframe.se3().homogeneous,
        atol=1e-12,
    )
    spindle = rapid.tooldata_of(irb.load_tool("spindle"))
    np.testing.assert_allclose(
        (rapid.tool0_pose(target, spindle) * spindle.tframe.se3()).homogeneous,
        target.pose().homogeneous,
        atol=1e-12,
    )
    for call, reason in (
        (lambda: target.pose(held), "tool0_pose"),
        (lambda: target.moved(tool0, held), "tool0_pose"),
        (lambda: rapid.tool0_pose(target, spindle, held), "both tool and work object"),
        (lambda: rapid.tool0_pose(target, gun), "neither tool nor work object"),
        (lambda: rapid.tool_of(gun), "stationary"),
        (lambda: replace(held, ufprog=False).frame(), "robhold TRUE needs ufprog TRUE"),
    ):
        with pytest.raises(irb.InputError, match=reason):
            call()


def test_jointtargets_of_robots():
    """Degrees, and mm on the SCARA's axis 3; what the robot does not have is 0."""
    arm, scara = irb.load("irb2400"), irb.load("irb930")
    target = rapid.read_value("[[0,-20,15,0.5,30,-3],[9E9,9E9,9E9,9E9,9E9,9E9]]", rapid.JointTarget)
    np.testing.assert_allclose(target.q(arm), np.radians([0, -20, 15, 0.5, 30, -3]))
    assert str(rapid.JointTarget.of(arm, target.q(arm))) == str(target).replace("9E9", "9E+09")
    assert (
        str(rapid.JointTarget.of(scara, [0.0, 0.0, -0.1, 0.0]))
        == "[[0,0,-100,0,0,0],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]]"
    )
    with pytest.raises(irb.InputError, match="does not fit the robot's 4 axes"):
        target.q(scara)


def test_euler_angles_of_orients():
    """RAPID's OrientZYX and EulerZYX in degrees."""
    assert str(rapid.Orient.of_zyx_deg(0, 90, 0)) == "[0.707106781,0,0.707106781,0]"
    np.testing.assert_allclose(
        rapid.Orient.of_zyx_deg(10, 20, -30).zyx_deg(), (10, 20, -30), atol=1e-6
    )
    assert str(rapid.Orient.of(np.diag([-1.0, -1.0, 1.0]))) == "[0,0,0,1]"


# --- tools and loads
# -----------------------------------------------------------------------------------------------------


def body(rng):
    """A body of random points, whose tensor is possible and has any axes."""
    r = rng.normal(size=(8, 3)) * rng.uniform(0.02, 0.2, 3)
    r -= r.mean(axis=0)
    tensor = sum(float(x @ x) * np.eye(3) - np.outer(x, x) for x in r)
    return irb.payload(8.0, rng.uniform(-0.2, 0.2, 3), tensor)


def test_tooldata_of_random_tools_and_back():
    """TCP and tensor return to nine digits; the axes are right-handed and as near to tool0's as
    any; text to text is exact.
    """
    rng = np.random.default_rng(3)
    for _ in range(100):
        tool = irb.Tool("t", pose(rng), body(rng))
        data = rapid.tooldata_of(tool)
        again = rapid.tool_of(str(data))
        np.testing.assert_allclose(again.tcp.homogeneous, tool.tcp.homogeneous, atol=3e-9)
        np.testing.assert_allclose(
            again.load.tensor, tool.load.tensor, atol=3e-9 * np.trace(tool.load.tensor)
        )
        np.testing.assert_allclose(again.load.com, tool.load.com, atol=1e-12)
        assert again.load.mass == tool.load.mass
        assert str(rapid.read_value(str(data), rapid.ToolData)) == str(data)
        _, turn = principal(tool.load.tensor)
        assert abs(np.linalg.det(turn) - 1.0) < 1e-12
        # the largest turn of a cube with no symmetric one nearer
        assert data.tload.aom.q1 > np.cos(np.radians(62.8 / 2)) - 1e-6


def test_diagonal_and_nearly_diagonal_tensors_keep_their_order():
    """Moments keep the places x, y, z although a solver sorts them; equal ones are not turned."""
    for moments in ((3.0, 1.0, 2.5), (2.0, 2.0, 1.0), (1.0, 1.0, 1.0)):
        found = rapid.loaddata_of(irb.payload(5.0, (0.1, 0.0, 0.0), np.diag(moments)))
        assert str(found.aom) == "[1,0,0,0]"
        assert (found.ix, found.iy, found.iz) == moments
    tilted = np.diag([3.0, 1.0, 2.5])
    tilted[0, 1] = tilted[1, 0] = 0.01
    found = rapid.loaddata_of(irb.payload(5.0, (0.1, 0.0, 0.0), tilted))
    np.testing.assert_allclose((found.ix, found.iy, found.iz), (3.0, 1.0, 2.5), atol=1e-3)
    np.testing.assert_allclose(rapid.body_of(found).tensor, tilted, atol=1e-8)


def test_aom_turns_the_moments():
    """The moment ix is about the x axis of aom: turned by 90 deg about z, it is the tool's Iyy."""
    data = rapid.read_value(
        "[2,[10,20,30],[0.707106781,0,0,0.707106781],0.03,0.02,0.04]", rapid.LoadData
    )
    found = rapid.body_of(data)
    np.testing.assert_allclose(found.tensor, np.diag([0.02, 0.03, 0.04]), atol=1e-9)
    np.testing.assert_allclose(found.com, [0.01, 0.02, 0.03])
    turned = rapid.read_value(
        "[2,[0,0,0],[0.923879533,0,0,0.382683432],0.03,0.02,0.04]", rapid.LoadData
    )
    # R diag R', + for a turn about +z
    assert rapid.body_of(turned).tensor[0, 1] == pytest.approx(0.005)


def test_point_mass_and_undefined_loads():
    """All moments zero is a point mass whatever aom says; mass 0, -1 and impossible moments are
    refused.
    """
    assert not rapid.body_of(
        rapid.read_value("[2,[1,2,3],[0,0,0,0],0,0,0]", rapid.LoadData)
    ).tensor.any()
    assert (
        str(rapid.loaddata_of(irb.payload(2.5, (0.001, 0, 0)))) == "[2.5,[1,0,0],[1,0,0,0],0,0,0]"
    )
    for text, reason in (
        ("[-1,[0,0,0],[1,0,0,0],0,0,0]", "mass -1 kg: this load was never defined"),
        ("[0,[0,0,0],[1,0,0,0],0,0,0]", "never defined"),
        ("[2,[0,0,0],[1,0,0,0],1,1,3]", "triangle"),
        ("[2,[0,0,0],[0,0,0,0],0.1,0.1,0.1]", "four zeros"),
    ):
        with pytest.raises(irb.InputError, match=reason):
            rapid.body_of(rapid.read_value(text, rapid.LoadData))


def test_spindle_as_tooldata_gives_the_same_torques():
    """Tool by name, as value, as text and as declaration: one robot; the text keeps the table's
    numbers.
    """
    named = irb.load("irb2400", tool="spindle")
    data = rapid.tooldata_of(named.tool)
    text = "[TRUE,[[240,0,162],[0.707106781,0,0.707106781,0]],[12.7,[-38.3,0,129.3],[1,0,0,0],0.269,0.274,0.193]]"
    assert str(data) == text
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    for tool in (data, text, f"PERS tooldata tSpindle:={text};"):
        armed = irb.load("irb2400", tool=tool)
        np.testing.assert_allclose(
            armed.inverse_dynamics(q, q, q), named.inverse_dynamics(q, q, q), rtol=1e-9
        )
        np.testing.assert_allclose(armed.pose(q).homogeneous, named.pose(q).homogeneous, atol=1e-8)
    assert armed.tool.name == "tSpindle"
    with pytest.raises(
        irb.RapidError, match=r"line 1, column 2: tooldata\.robhold is TRUE or FALSE"
    ):
        irb.load("irb2400").with_tool("[1,2,3]".replace("3", "[1,2,3,4,5,6]"))
    with pytest.raises(irb.UnknownName):
        irb.load("irb2400", tool="spindel")
    with pytest.raises(irb.InputError, match="tooldata"):
        irb.load("irb2400").with_tool(5)


# --- command line
# --------------------------------------------------------------------------------------------------------

CELL = f"""MODULE cell
  PERS tooldata tGun:=[TRUE,[[97.4,0,223.1],[0.923880,0,0.382683,0]],[5,[23,0,75],[1,0,0,0],0,0,0]];
  PERS wobjdata wStn:=[FALSE,FALSE,"STN1",[[0,0,0],[1,0,0,0]],[[0,0,120],[1,0,0,0]]];
  CONST robtarget pHome:=[[940,0,1455],[0.707107,0,0.707107,0],[0,0,0,0],[0,0,9E9,9E9,9E9,9E9]];
  CONST robtarget far{{1}}:=[{MANUAL.replace("600,", "6000,")}];
  CONST robtarget twin:=pHome;
  CONST robtarget lost:=far{{9}};
  CONST jointtarget low:=[[0,120,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
ENDMODULE
"""


def said(capsys, *words):
    code = main(["rapid", *map(str, words)])
    return code, *capsys.readouterr()


def test_command_lists_declarations_and_postures(tmp_path, capsys):
    """Every declaration with its line; every posture, what is programmed, out of range, near a
    singularity, out of reach.
    """
    file = tmp_path / "cell.mod"
    file.write_text(CELL)
    code, out, _ = said(capsys, file)
    assert code == 0
    assert out.splitlines()[:2] == [
        "cell: 7 declarations",
        CELL.splitlines()[1].replace("  PERS", "     2  PERS"),
    ]
    code, out, _ = said(capsys, file, "--robot", "irb2400")
    lines = out.splitlines()
    assert lines[0] == "pHome: 7 solutions, 3 in range"
    assert re.fullmatch(
        r"  \*( +0\.000){6} \[0,0,0,0\]\? 0\.000 deg from the wrist singularity", lines[1]
    )
    assert "far{1}: no solution: out of reach" in out
    assert "twin: 7 solutions, 3 in range" in out
    assert "lost: far{9} has to be computed, and is left out" in out
    assert re.search(
        r"low: .*q2 = 120 deg is outside its bounds -100 \.\. 110 deg; axis 3: q3 - q2 = -120",
        lines[-1],
    )
    assert len(re.findall(r"q3 - q2 = -159\.724 deg is outside", out)) == 4
    file.write_text(CELL.replace("[0,0,0,0],[0,0,9E9", "[0,0,4,0],[0,0,9E9"))
    lines = said(capsys, file, "--robot", "irb2400")[1].splitlines()
    assert lines[0] == "pHome: 9 solutions, 4 in range"
    assert lines[1].startswith(
        "  *     0.000     0.000     0.000     0.000     0.000   360.000 [0,0,4,0]?"
    )


def test_command_takes_tool_object_and_unit(tmp_path, capsys):
    """The tool of the module by name in any case; the object that a unit carries; what is missing
    is said in its line.
    """
    file = tmp_path / "cell.mod"
    file.write_text(CELL)
    robot = irb.load("irb2400", tool=rapid.read(CELL)["tGun"])
    pose = rapid.read(CELL)["pHome"].pose()
    found = robot.inverse_kinematics(pose)
    _, out, _ = said(capsys, file, "--robot", "irb2400", "--tool", "TGUN")
    assert f"{np.degrees(found[0].q[1]):9.3f}" in out
    _, out, _ = said(capsys, file, "--robot", "irb2400", "--wobj", "wstn")
    assert out.startswith("pHome: the work object moves with STN1; units needs it (none is given)")
    _, out, _ = said(
        capsys, file, "--robot", "irb2400", "--wobj", "wstn", "--unit", "stn1=positioner"
    )
    assert out.startswith("pHome: no solution: out of reach by")
    for words, reason in (
        (("--robot", "irb2400", "--wobj", "pHome"), "no wobjdata 'pHome'"),
        (("--robot", "irb2400", "--tool", "pHome"), "no tool 'pHome'"),
        (("--tool", "tGun"), "they need --robot"),
    ):
        code, _, err = said(capsys, file, *words)
        assert code == 2
        assert reason in err
    file.write_text("MODULE m\nVAR num x=1;\nENDMODULE")
    assert said(capsys, file)[::2] == (
        2,
        f"error: {file}: line 2, column 10: found '='; a value is given with ':='\n",
    )


# --- packaging
# -----------------------------------------------------------------------------------------------------------


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


# --- what controllers hold
# ------------------------------------------------------------------------------------------------

MODULES = Path(__file__).parents[1] / "data" / "rapid"


@pytest.mark.parametrize(
    "path", sorted(MODULES.glob("*.[mps][ory][ds]*")), ids=lambda path: path.name
)
def test_modules_as_controllers_hold_them(path):
    """System modules, search, sockets, traps, pallets, welding, wrappers: read, and written to the
    character.
    """
    found = rapid.read_program(path)
    assert found.text.encode(found.encoding) == path.read_bytes()
    for move in rapid.moves_of(found):
        assert not move.undeclared, move
    for datum in found:
        rapid.values_of(found, datum.type)


def test_initial_values_of_constants_are_computed():
    """Names, sums, components and arrays of constants, through aliases and own records; the text
    stays an Expression.
    """
    nested, user = (rapid.read_program(MODULES / name) for name in ("nested.mod", "user.sysx"))
    built = rapid.values_of(nested, "robtarget")["built"]
    assert str(built) == "[[500,1000,-500],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]"
    assert rapid.values_of(nested, "robtarget")["many{2}"] == built
    assert nested["built"] == rapid.Expression("[base,down,front,none]")
    assert rapid.values_of(nested, "outer")["o2"] == ((1.0, rapid.Pos(1, 2, 3)), "y", False)
    assert [move.target.trans.x for move in rapid.moves_of(nested)] == [500.0, 500.0, 500.0, 801.0]
    assert (
        nested.declaration("sized").size,
        rapid.read_program(MODULES / "pallet.mod").declaration("heights").size,
    ) == (
        (500,),
        (6,),
    )
    assert rapid.values_of(user, "zonedata")["zTravel"] == rapid.PREDEFINED["z60"]
    assert rapid.values_of(user, "loaddata")["lNone"].mass == 0.001
    assert list(rapid.values_of(rapid.read_program(MODULES / "pallet.mod"), "robtarget")) == [
        "pBase",
        "pTop",
        "pCorner",
    ]
    loop = module(
        "CONST num a:=b; CONST num b:=a; CONST num n:=2; VAR num x{n*n-1};"
        "PROC p()\nMoveL Offs(q,a,0,0),v5,fine,tool0;\nENDPROC\n"
        f"CONST robtarget q:={MANUAL};"
    )
    assert loop.declaration("x").size == (3,)
    assert "a of line 2 is defined by itself" in rapid.moves_of(loop)[0].unknown
    hidden = module(
        f"CONST robtarget q:={MANUAL}; CONST num h:=5; CONST num twice:=2*h; PROC p()\nCONST num"
        " h:=7;\nMoveL Offs(q,twice,h,0),v5,fine,tool0;\nENDPROC"
    )
    # the module's h, and the routine's
    assert rapid.moves_of(hidden)[0].target.trans.values[:2] == (610.0, 507.0)


@pytest.mark.parametrize(
    "body",
    [
        "TASK VAR num x;", "VAR btnres a:=resYes;", "VAR dionum d:=high;", "VAR dir folder;", "CONST num t:=WAIT_MAX;",
        "VAR stoppointdata s:=inpos50;", "VAR socketstatus s:=SOCKET_CLOSED;", "VAR string s:=stEmpty;", "VAR zonedata z:=z60;",
        "VAR errnum e:=ERR_SOCK_TIMEOUT;", "VAR speeddata v:=vrot50;", "VAR opnum o:=GTEQ;", "VAR icondata i:=ICONERROR;",
        "VAR bool b:=2>1;", "VAR num n{2*2}:=[1,2,3,4];",
    ],
)  # fmt: skip
def test_names_that_every_controller_declares(body):
    """Types and constants of RobotWare are known; their values are not invented."""
    assert module(body).text == f"MODULE m\n{body}\nENDMODULE"


def test_values_that_only_the_controller_knows_are_not_invented():
    """A predefined speed without a published value is no undeclared name, and no number."""
    (move,) = rapid.moves_of(
        module(f"CONST robtarget p:={MANUAL};\nPROC a()\nMoveL p,vlin50,fine,tool0;\nENDPROC")
    )
    assert (move.target, move.undeclared) == (None, False)
    assert move.unknown == "vlin50 is the controller's own speeddata, whose value is not known here"
    with pytest.raises(irb.RapidError, match="inpos51 is no constant of this module"):
        module("VAR stoppointdata s:=inpos51;")


def test_optional_arguments_that_are_passed_on():
    """In a call without arguments an optional one is absent, and so is the option; in the text
    alone it depends on the run.
    """
    read = rapid.read_program(MODULES / "wrappers.mod")
    _, first = rapid.sequence_of(read)  # Present(WObj) does not hold: its branch is not driven
    assert (first.unknown, first.wobj_name, first.speed.v_tcp, first.seconds, first.options) == (
        "",
        "wobj0",
        100.0,
        None,
        (),
    )
    _, bare, inner, *there = rapid.moves_of(read)
    assert (bare.wobj, bare.wobj_name) == (None, "WObj")
    assert "V is a parameter of the routine" in bare.unknown
    assert (inner.wobj, inner.wobj_name) == (None, "WObj")
    assert [move.wobj for move in there] == [None, None]
    wrong = module(
        f"CONST robtarget p:={MANUAL};\nPROC a()\nMoveL p,v5,fine,tool0\\WObj?wobj0;\nENDPROC"
    )
    with pytest.raises(
        irb.RapidError, match=r"line 4, column 28: wobj0 after \? is no parameter of the routine"
    ):
        rapid.moves_of(wrong)


def test_quaternions_of_three_digits_are_normalised_with_a_note(tmp_path, capsys):
    """Off by up to 4e-4: the rotation is a rotation, the text stays, and the line is named; beyond
    that it is refused.
    """
    file = tmp_path / "a.mod"
    file.write_text(
        "MODULE m\nCONST robtarget"
        " p:=[[900,0,900],[0.707,0,0.707,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\nENDMODULE"
    )
    found = rapid.read_file(file)
    assert found.notes == (
        "line 2: p.rot: quaternion [0.707,0,0.707,0] has length 0.999849, not 1; it is normalised",
    )
    np.testing.assert_allclose(
        found["p"].pose().rotation, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-12
    )
    assert (rapid.write(found), str(found["p"].rot)) == (file.read_text(), "[0.707,0,0.707,0]")
    assert f"note: {found.notes[0]}" in said(capsys, file)[2]
    file.write_text(file.read_text().replace("0.707,0,0.707", "0.7068,0,0.7068"))
    code, _, err = said(capsys, file)
    assert (code, "has length 0.999566, not 1; the rotation it points to is" in err) == (2, True)
    assert not rapid.read("MODULE m\nVAR orient o:=[0.99998,0.00625,0,0];\nENDMODULE").notes


# --- several files
# ---------------------------------------------------------------------------------------------------------


def test_files_are_known_by_what_they_hold(tmp_path, capsys):
    """RAPID in any suffix and case, a table named as a module; what is neither is refused in one
    line.
    """
    from irbmodels.rapid import holds_rapid

    text = "%%%\n VERSION:1\n%%%\n! a\n\n  ! b\nModule m\nENDMODULE"
    for name, content, expected in (
        *((f"a.{suffix}", text, True) for suffix in ("mod", "MODX", "sys", "sysx", "PRG", "txt", "csv")),
        ("b.mod", "t,q1_deg,q2_deg\n0,1,2\n", False), ("c.csv", "t;q1_deg\n", False), ("d.modx", "MODUL m\n", True),
        ("e.txt", "hello\n", False), ("f.mod", "\ufeff" + text, True), ("g.mod", "", True), ("none.sysx", None, True),
    ):  # fmt: skip
        if content is not None:
            (tmp_path / name).write_bytes(content.encode())
        assert holds_rapid(tmp_path / name) == expected, name
    assert said(capsys, tmp_path / "a.MODX")[0] == 0
    code, _, err = said(capsys, tmp_path / "b.mod")
    assert (code, err.count("\n")) == (2, 1)
    assert (
        "b.mod holds no RAPID module, which begins with MODULE and a name; irbmodels path checks"
        " motions" in err
    )
    assert "none.sysx: No such file" in said(capsys, tmp_path / "none.sysx")[2]


def test_modules_that_use_each_other(tmp_path, capsys):
    """Other modules in any order, as --with and as a program file; their tooldata and work objects
    are known by name.
    """
    (tmp_path / "types.sys").write_text(
        "MODULE t\nALIAS robtarget place;\nCONST num N:=2;\nENDMODULE"
    )
    (tmp_path / "data.sys").write_text(
        f"MODULE d\nCONST place pts{{N}}:=[{MANUAL},{MANUAL}];\nPERS wobjdata"
        ' wFix:=[FALSE,TRUE,"",[[1,2,3],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];\nLOCAL PERS tooldata'
        " tOwn:=[TRUE,[[0,0,1],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];\nENDMODULE"
    )
    (tmp_path / "main.mod").write_text(
        "MODULE p\nCONST place there:=pts{2};\nPROC Main()\nMoveJ"
        " pts{1},v5,z,tool0;\nENDPROC\nENDMODULE"
    )
    (tmp_path / "all.PGF").write_text(
        "<Program><Module>types.sys</Module><Module>data.sys</Module><Module>main.mod</Module></Program>"
    )
    main_file, types, data = (tmp_path / name for name in ("main.mod", "types.sys", "data.sys"))
    for found in (
        rapid.read_program(main_file, [data, types]),
        rapid.read_program(tmp_path / "all.PGF"),
    ):
        assert (found.name, [one.name for one in found.uses]) == ("p", ["t", "d"])
        assert str(rapid.values_of(found, "robtarget")["there"]) == MANUAL
    code, out, _ = said(
        capsys, main_file, "--with", data, "--with", types, "--robot", "irb2400", "--wobj", "wfix"
    )
    assert (code, out.startswith("there: ")) == (0, True)
    assert (
        "no tool 'tOwn'"
        in said(
            capsys,
            main_file,
            "--with",
            data,
            "--with",
            types,
            "--robot",
            "irb2400",
            "--tool",
            "tOwn",
        )[2]
    )
    code, _, err = said(capsys, main_file, "--with", data)
    assert (code, "data.sys: line 2, column 7: there is no type place" in err) == (2, True)
    (tmp_path / "all.PGF").write_text("MODULE m")
    for reason, text in (("a program file is XML", "MODULE m"), ("lists no module", "<Program/>")):
        (tmp_path / "all.PGF").write_text(text)
        code, _, err = said(capsys, tmp_path / "all.PGF")
        assert (code, reason in err, err.count("\n")) == (2, True, 1)


# --- moves
# -----------------------------------------------------------------------------------------------------------------

FRAME = "[9E9,9E9,9E9,9E9,9E9,9E9]"
PROGRAM = rf"""MODULE prog
  CONST robtarget p10:=[[600,500,225.3],[1,0,0,0],[1,1,0,0],{FRAME}];
  CONST robtarget pts{{2}}:=[[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}],[[4,5,6],[0,1,0,0],[0,0,0,0],{FRAME}]];
  CONST robtarget turned:=[[100,-200,300],[0.5,0.5,-0.5,0.5],[0,-1,0,0],{FRAME}];
  CONST robtarget half:=p10;
  CONST jointtarget home:=[[0,10,20,0,30,-40],{FRAME}];
  PERS tooldata tGun:=[TRUE,[[97.4,0,223.1],[0.923880,0,0.382683,0]],[5,[23,0,75],[1,0,0,0],0,0,0]];
  TASK PERS wobjdata wFix:=[FALSE,TRUE,"",[[10,20,30],[1,0,0,0]],[[0,0,0],[1,0,0,0]]];
  VAR speeddata vSlow:=[12,34,56,78];
  CONST num h:=5; VAR num k:=2; VAR num empty; VAR robtarget moved:=[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}];
  PROC main()
    CONST num h:=7; ! hides the module's
    ConfL\Off;
    MoveAbsJ home\NoEOffs, v1000, fine, tool0;
    movel p10,vSlow,z50,tGun\WObj:=wFix; MoveJ pts{{k}}, vmax, z200, tGun;
    MoveC p10, pts{{1}}, v5\V:=2*h-4/2, z0, tOther\WObj:=wOther;
    MoveL Offs(p10, 0, -(h+1), 2 * h - 1), v100\T:=5, z10, tool0 \Corr;
    MoveL [[7,8,9],[1,0,0,0],[0,0,0,0],{FRAME}], [1,2,3,4], [FALSE,1,2,3,4,5,6], tool0;
    MoveL \Conc, p10, v100, z1\Inpos:=inpos50, tGun;
    IF k=1 MoveL p10, v10, fine, tool0;
    FOR i FROM 1 TO 2 DO
      MoveL pts{{i}}, v10, fine, tool0;
      WHILE TRUE DO MoveL p10, v20, fine, tool0; ENDWHILE
      IF k>2 THEN MoveL p10, v30, fine, tool0; ELSE MoveL p10, v40, fine, tool0; ENDIF
    ENDFOR
    TPWrite "MoveL p10, v100;"; ! MoveL p10, v100, fine, tool0;
    MoveL CRobT(\Tool:=tGun), v100, fine, tool0;
    MoveL moved, v100, fine, tool0;
    MoveL half, v100, fine, tool0;
    MoveL nowhere, v100, fine, tool0;
    MoveL Offs(p10, empty, 0, 0), v100, fine, tool0;
    TriggL p10, v100, gunOn, fine, tool0;
    GOTO again;
  ERROR
    MoveJ p10, v50, fine, tool0;
  ENDPROC
  LOCAL FUNC num two(robtarget p10, \switch on)
    moved.trans.z := 3;
    MoveL p10, v60, fine, tool0;
  ENDFUNC
ENDMODULE
"""


def test_moves_come_in_the_order_of_the_text():
    """Every instruction that moves, or changes moves, with line, column and routine; texts and
    comments hold none.
    """
    read = rapid.read(PROGRAM)
    moves = rapid.moves_of(read)
    assert rapid.write(read) == PROGRAM
    lines = PROGRAM.splitlines()
    for move in moves:
        assert lines[move.line - 1][move.column - 1 :].startswith(move.instruction)
        assert PROGRAM.count(move.text)
    assert [(move.line, move.column) for move in moves] == sorted(
        (move.line, move.column) for move in moves
    )
    words = (
        "ConfL MoveAbsJ movel MoveJ MoveC MoveL MoveL MoveL MoveL MoveL MoveL MoveL MoveL MoveL"
        " MoveL MoveL MoveL MoveL TriggL"
    )
    assert [move.instruction for move in moves] == [*words.split(), "GOTO", "MoveJ", "MoveL"]
    assert [move.routine for move in moves] == ["main"] * 21 + ["two"]
    assert rapid.moves_of(read, "TWO") == moves[-1:]
    with pytest.raises(irb.UnknownName, match="no routine 'tw'; did you mean 'two'"):
        rapid.moves_of(read, "tw")


def test_arguments_of_moves():
    """Targets by name, element and literal; predefined, declared and inline speeds and zones; tools
    and work objects.
    """
    read = rapid.read(PROGRAM)
    _, absolute, line, joint, circle, offs, inline, conc = rapid.moves_of(read)[:8]
    assert absolute.target == read["home"]
    assert (absolute.speed.v_tcp, absolute.zone.finep, absolute.options, absolute.wobj_name) == (
        1000.0,
        True,
        (),
        "wobj0",
    )
    assert absolute.tool.tframe.trans.values == (0.0, 0.0, 0.0)
    assert (line.target, line.speed, line.zone.pzone_ori) == (read["p10"], read["vSlow"], 75.0)
    assert (line.tool_name, line.tool, line.wobj) == ("tGun", read["tGun"], read["wFix"])
    assert (joint.target, joint.zone.zone_ori, joint.speed.v_tcp) == (read["pts"][1], 30.0, 5000.0)
    # 2 * 7 - 4 / 2
    assert (circle.via, circle.target, circle.speed.v_tcp) == (read["p10"], read["pts"][0], 12.0)
    assert (circle.tool_name, circle.tool, circle.wobj_name, circle.wobj) == (
        "tOther",
        None,
        "wOther",
        None,
    )
    assert offs.target.trans.values == (600.0, 500.0 - 8.0, 225.3 + 13.0)  # h is the routine's
    assert (offs.target.robconf, offs.seconds, offs.options) == (
        read["p10"].robconf,
        5.0,
        ("\\Corr",),
    )
    assert inline.target.trans.values == (7.0, 8.0, 9.0)
    assert (inline.speed.values, inline.zone.zone_reax) == ((1.0, 2.0, 3.0, 4.0), 6.0)
    assert (conc.target, conc.zone.pzone_tcp, conc.unknown) == (read["p10"], 1.0, "")


def test_blocks_around_a_move_are_named():
    """IF with and without THEN, FOR, WHILE, and a handler, innermost last; after their end they are
    gone.
    """
    inside = {move.line: move.inside for move in rapid.moves_of(rapid.read(PROGRAM))}
    row = PROGRAM.splitlines().index("    IF k=1 MoveL p10, v10, fine, tool0;") + 1
    loop = f"FOR of line {row + 1}"
    assert inside[row] == (f"IF of line {row}",)
    assert inside[row + 2] == (loop,)
    assert inside[row + 3] == (loop, f"WHILE of line {row + 3}")
    assert inside[row + 4] == (loop, f"IF of line {row + 4}")
    assert inside[row + 7] == ()
    assert next(block for block in inside.values() if "ERROR handler of line 34" in block)


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        ("ConfL", "ConfL is not evaluated; it may change where or how"),
        ("MoveL pts{i}", "i is the counter of the FOR on line 21"),
        ("MoveL CRobT", r"CRobT\(\) is not evaluated"),
        ("MoveL moved", "moved is changed on line 38"),
        ("MoveL nowhere", "nowhere is declared neither in this module"),
        ("MoveL Offs(p10, empty", "empty of line 10 has no value until the program runs"),
        ("TriggL", "TriggL is not evaluated; only MoveL"),
        ("GOTO", "GOTO is not evaluated"),
        ("MoveL p10, v60", "p10 is a parameter of the routine on line 37"),
    ],
)
def test_what_depends_on_the_run_is_said(start, reason):
    """A target that the text does not tell is None, with the reason; the others of the program keep
    theirs.
    """
    found = [move for move in rapid.moves_of(rapid.read(PROGRAM)) if move.text.startswith(start)]
    assert len(found) == 1
    assert found[0].target is None
    assert re.search(reason, found[0].unknown)
    assert sum(bool(move.unknown) for move in rapid.moves_of(rapid.read(PROGRAM))) == 9


def test_other_modules_targets_are_known():
    """Targets of modules that were read with it are found, LOCAL ones are not; a change in any
    routine of its own counts.
    """
    data = rapid.read(
        f"MODULE d\nCONST robtarget a:=[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}];\nLOCAL CONST num"
        " b:=3;\nENDMODULE"
    )
    body = "PROC p()\nMoveL a, v10, fine, tool0;\nMoveL Offs(a,b,0,0), v10, fine, tool0;\nENDPROC\n"
    one, other = rapid.moves_of(rapid.read(f"MODULE m\n{body}ENDMODULE", uses=[data]))
    assert one.target == data["a"]
    assert "b is declared neither" in other.unknown
    for change in ("a := x;", "a.trans.x:=1;", "pts{2}.trans.x := 1; Incr a;", "IF TRUE a:=x;"):
        one, _ = rapid.moves_of(
            rapid.read(f"MODULE m\n{body}PROC q()\n{change}\nENDPROC\nENDMODULE", uses=[data])
        )
        assert "a is changed on line 7" in one.unknown, change
    one, _ = rapid.moves_of(
        rapid.read(
            f"MODULE m\n{body}PROC q()\nVAR robtarget a;\na := x; other"
            " \\a:=1;\nENDPROC\nENDMODULE",
            uses=[data],
        )
    )
    assert one.target == data["a"]  # the other routine has its own
    for change, known in (
        ("PROC q() a.trans.x:=1; ENDPROC", False),
        ("PROC q() VAR robtarget a; a.trans.x:=1; ENDPROC", True),
        ("PROC q(robtarget a) a.trans.x:=1; ENDPROC", True),
    ):
        other = rapid.read(
            "MODULE e\nPERS robtarget"
            f" a:=[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}];\n{change}\nENDMODULE"
        )
        one, _ = rapid.moves_of(rapid.read(f"MODULE m\n{body}ENDMODULE", uses=[other]))
        assert one.unknown == (
            "" if known else "a is changed on line 3 of e: what it is then depends on the run"
        )
        one, _ = rapid.moves_of(
            rapid.read(
                f"MODULE m\nLOCAL CONST robtarget a:={MANUAL};\n{body}ENDMODULE", uses=[other]
            )
        )
        assert str(one.target) == MANUAL
    own = (
        "PROC p()\nVAR robtarget a;\nVAR robtarget b:=c;\na := c; MoveL a, v10, fine,"
        " tool0;\nENDPROC\n"
    )
    (one,) = rapid.moves_of(rapid.read(f"MODULE m\nCONST robtarget c:={MANUAL};\n{own}ENDMODULE"))
    assert "a is changed on line 6" in one.unknown


def test_offs_and_reltool_are_products_of_matrices():
    """Offs shifts along the work object; RelTool is T Trans(d) Rx Ry Rz: shifted in the tool, then
    about x, new y, new z.
    """

    def turn(axis, degrees):
        return pin.AngleAxis(np.radians(degrees), np.eye(3)[axis]).matrix()

    rng = np.random.default_rng(3)
    for _ in range(20):
        start, d, angles = (
            pose(rng),
            rng.uniform(-100, 100, 3).round(3),
            rng.uniform(-180, 180, 3).round(2),
        )
        target = rapid.RobTarget(
            rapid.Pose.of(start).trans, rapid.Pose.of(start).rot, (0, 0, 0, 0), rapid.ExtJoint()
        )
        words = f"{d[0]},{d[1]},{d[2]}"
        calls = (
            f"Offs(p,{words})",
            rf"RelTool(p,{words}\Rx:={angles[0]} \Ry:={angles[1]} \Rz:={angles[2]})",
        )
        lines = "".join(f"MoveL {call},v5,fine,tool0;\n" for call in calls)
        moves = rapid.moves_of(module(f"CONST robtarget p:={target};\nPROC a()\n{lines}ENDPROC"))
        offs, tool = (move.target.pose() for move in moves)
        first = target.pose()
        np.testing.assert_allclose(offs.rotation, first.rotation, atol=1e-15)
        np.testing.assert_allclose(offs.translation, first.translation + d / 1000.0, atol=1e-12)
        np.testing.assert_allclose(
            tool.translation, first.translation + first.rotation @ d / 1000.0, atol=1e-12
        )
        expected = first.rotation @ turn(0, angles[0]) @ turn(1, angles[1]) @ turn(2, angles[2])
        # a quaternion has nine decimals
        np.testing.assert_allclose(tool.rotation, expected, atol=3e-9)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("v5", (5, 500, 5000, 1000)),
        ("v7000", (7000, 500, 5000, 1000)),
        ("z0", (False, 0.3, 0.3, 0.3, 0.03, 0.3, 0.03)),
        ("z5", (False, 5, 8, 8, 0.8, 8, 0.8)),
        ("z15", (False, 15, 23, 23, 2.3, 23, 2.3)),
        ("z50", (False, 50, 75, 75, 7.5, 75, 7.5)),
        ("z150", (False, 150, 225, 225, 23, 225, 23)),
        ("fine", (True, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_predefined_speeds_and_zones(name, values):
    """Values as controllers have them: v_ori 500 deg/s, v_leax 5000 mm/s, v_reax 1000 deg/s."""
    assert rapid.PREDEFINED[name].values == values
    assert sum(key[0] == "v" for key in rapid.PREDEFINED) == 26
    assert sum(key[0] in "zf" for key in rapid.PREDEFINED) == 15


BAD_MOVES = [  # text after the declarations, on line 4; column; reason
    ("MoveL p,v5,fine;", 1, "MoveL has 3 arguments; it takes ToPoint, Speed, Zone, Tool"),
    ("MoveL p,v5,fine,tool0,wobj0;", 1, "MoveL has 5 arguments"),
    (
        "MoveC p,v5,fine,tool0;",
        1,
        "MoveC has 4 arguments; it takes CirPoint, ToPoint, Speed, Zone, Tool",
    ),
    ("MoveAbsJ j,fine,tool0;", 1, "it takes ToJointPos, Speed, Zone, Tool"),
    ("MoveL p,v5,fine,tool0", 22, "';' is missing after 'tool0'"),
    ("MoveL p v5,fine,tool0;", 8, "';' is missing after 'p'"),
    ("MoveL p,,v5,fine,tool0;", 9, "found ',' where a value belongs"),
    ("MoveL *,v5,fine,tool0;", 7, "found '*' where a value belongs"),
    ("MoveL ,v5,fine,tool0;", 7, "found ',' where a value belongs"),
    ("MoveL p,v5,fine,tool0\\;", 23, "found ';' where a name belongs"),
    ("MoveL p,v5,fine,tool0\\WObj;", 22, "\\WObj needs a value"),
    ("MoveL p,v5,fine,tool0\\WObj:=;", 29, "found ';' where a value belongs"),
    ("MoveL j,v5,fine,tool0;", 7, "MoveL's target is a robtarget; j is a jointtarget"),
    ("MoveAbsJ p,v5,fine,tool0;", 10, "MoveAbsJ's target is a jointtarget; p is a robtarget"),
    ("MoveL v5,p,fine,tool0;", 7, "MoveL's target is a robtarget; v5 is a speeddata"),
    ("MoveL p,z5,fine,tool0;", 9, "MoveL's speed is a speeddata; z5 is a zonedata"),
    ("MoveL p,v5,v5,tool0;", 12, "MoveL's zone is a zonedata; v5 is a speeddata"),
    ("MoveL p,v5,fine,n;", 17, "MoveL's tool is a tooldata; n is a num"),
    (
        "MoveL p,v5,fine,tool0\\WObj:=tool0;",
        29,
        "MoveL's work object is a wobjdata; tool0 is a tooldata",
    ),
    ("MoveL 5,v5,fine,tool0;", 7, "MoveL's target is a robtarget, not 5"),
    ("MoveL p,100,fine,tool0;", 9, "MoveL's speed is a speeddata, not 100"),
    ('MoveL "p",v5,fine,tool0;', 7, "MoveL's target is a robtarget, not"),
    ("MoveL [[1,2,3],[1,0,0,0],[0,0,0,0]],v5,fine,tool0;", 7, "MoveL's target has 3 components"),
    (
        "MoveL [[1,2,3],[2,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v5,fine,tool0;",
        16,
        "quaternion [2,0,0,0] has length 2",
    ),
    (
        "MoveL [[1,2,3],[1,0,0,0,[0,0,0,0],[9E9]],v5,fine,tool0;",
        55,
        "'[' of line 4, column 7 is not closed",
    ),
    ("MoveL a{3},v5,fine,tool0;", 9, "a{3}: the array has elements 1 to 2"),
    ("MoveL a{1.5},v5,fine,tool0;", 9, "a{1.5}: the array has elements 1 to 2"),
    ("MoveL a,v5,fine,tool0;", 7, "MoveL's target is a robtarget; a is an array of robtarget"),
    ("MoveL a.trans,v5,fine,tool0;", 9, "a is a robtarget, which has no trans"),
    ("MoveL p{1},v5,fine,tool0;", 9, "p is a robtarget, which has no 1"),
    ("MoveL p.trans,v5,fine,tool0;", 7, "MoveL's target is a robtarget; p.trans is a pos"),
    ("MoveL Offs(p,p.trans.w,0,0),v5,fine,tool0;", 22, "a pos has no w, but x, y, z"),
    (
        "MoveL Offs(p,0,0),v5,fine,tool0;",
        7,
        "Offs takes a robtarget and three lengths, not 3 arguments",
    ),
    ("MoveL Offs(p,0,0,p),v5,fine,tool0;", 18, "this number is a num; p is a robtarget"),
    ("MoveL Offs(p,0,0,TRUE),v5,fine,tool0;", 18, "this number is a number, not TRUE"),
    ("MoveL Offs(p,0,0,0\\Rx:=5),v5,fine,tool0;", 19, "Offs has no \\Rx"),
    ("MoveL RelTool(p,0,0,0\\Rw:=5),v5,fine,tool0;", 22, "RelTool has no \\Rw"),
    ("MoveL RelTool(p,0,0,0\\Rx),v5,fine,tool0;", 22, "\\Rx needs a value"),
    (
        "MoveL RelTool(u,0,0,0\\Rx:=5),v5,fine,tool0;",
        15,
        "RelTool: a quaternion of four zeros is no rotation",
    ),
    ("VAR robtarget w:=5;\nMoveL p,v5,fine,tool0;", 18, "w is robtarget"),
]


@pytest.mark.parametrize(("body", "column", "reason"), BAD_MOVES, ids=range(len(BAD_MOVES)))
def test_malformed_moves_say_where_and_why(body, column, reason):
    """What cannot be an instruction is refused with line and column; reading the module does not
    look, and succeeds.
    """
    point = f"[[1,2,3],[1,0,0,0],[0,0,0,0],{FRAME}]"
    head = (
        f"CONST robtarget p:={point}; CONST jointtarget j:=[[0,0,0,0,0,0],{FRAME}]; CONST num"
        " n:=1; "
    )
    head += (
        f"CONST robtarget a{{2}}:=[{point},{point}]; CONST robtarget"
        f" u:={point.replace('[1,0,0,0]', '[0,0,0,0]')};"
    )
    read = module(f"{head}\nPROC main()\n{body}\nENDPROC")
    with pytest.raises(irb.RapidError) as caught:
        rapid.moves_of(read)
    assert (caught.value.line, caught.value.column) == (4, column)
    assert reason in caught.value.reason


def test_broken_programs_end_in_an_answer_or_a_place():
    """Programs with random characters put in or taken out are listed, or refused with line and
    column; none hangs or crashes.
    """
    rng = random.Random(4)
    words = [
        *'()[]{};,:=.\\"! \n',
        "MoveL ",
        "IF ",
        "THEN ",
        "ENDIF ",
        "FOR ",
        "ENDFOR ",
        "p10",
        "PROC ",
        "Offs(",
        "CONST num x:=3;",
        ":=",
    ]
    listed, lines = 0, []
    for _ in range(60):
        text = PROGRAM
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(PROGRAM.index("PROC main"), len(text))
            text = text[:place] + rng.choice(words) + text[place + rng.choice((0, 0, 1, 5)) :]
        try:
            listed += bool(rapid.moves_of(rapid.read(text)))
        except irb.RapidError as err:
            lines.append(err.line)
    assert listed > 5
    assert all(1 <= line <= PROGRAM.count("\n") + 4 for line in lines)


# --- the sequence of a program
# --------------------------------------------------------------------------------------------


def at(angle, more=""):
    return f"MoveAbsJ [[{angle},0,0,0,30,0],{FRAME}],v100{more},fine,tool0;"


def run_of(main, others="", declarations="", routine=None):
    """What a program drives: angles of axis 1, and of what cannot be told instruction and line (4
    is main's first).
    """
    text = f"MODULE m\n{declarations}\nPROC main()\n{main}\nENDPROC\n{others}\nENDMODULE"
    found = rapid.sequence_of(rapid.read(text), routine)
    return [
        (move.instruction, move.line) if move.unknown else move.target.robax.rax_1 for move in found
    ], found


def test_calls_are_followed_where_they_stand():
    """Nested, in any case, more than once; a RETURN ends its routine only, EXIT the program; what
    main does not reach is left.
    """
    others = (
        f"PROC b()\n{at(2)} c; RETURN; {at(9)}\nENDPROC\nPROC c() {at(3)} ENDPROC\nPROC lost()"
        f" {at(8)} ENDPROC"
    )
    driven, found = run_of(f"{at(1)} B;\n{at(4)} c;\nEXIT; {at(9)}", others)
    assert driven == [1, 2, 3, 4, 3]
    assert [move.routine for move in found] == ["main", "b", "c", "main", "c"]
    assert run_of("b;", others, routine="LOST")[0] == [8]
    with pytest.raises(irb.UnknownName, match="no routine 'lst'; did you mean 'lost'"):
        run_of("b;", others, routine="lst")


def test_a_program_without_main_starts_at_the_procedure_that_nobody_calls():
    """One root is taken; of two none is guessed."""
    text = "MODULE m\nPROC a() {0} ENDPROC\nPROC b() {1} ENDPROC\nENDMODULE"
    assert [
        move.target.robax.rax_1
        for move in rapid.sequence_of(rapid.read(text.format(at(1), "a; " + at(2))))
    ] == [1, 2]
    for bodies, names in (((at(1), at(2)), "a, b"), (("b;", "a;"), "a, b")):
        with pytest.raises(
            irb.InputError,
            match=rf"m has no procedure main; say at which routine to start \({names}\)",
        ):
            rapid.sequence_of(rapid.read(text.format(*bodies)))


@pytest.mark.parametrize(
    ("others", "line"),
    [
        ("PROC b() c; ENDPROC\nPROC c()\n b; ENDPROC", 8),
        ("PROC b() main; ENDPROC", 6),
        ("PROC b() b; ENDPROC", 6),
    ],
)
def test_recursion_is_refused(others, line):
    """A procedure that comes back to itself, straight or by another, has no end."""
    with pytest.raises(
        irb.RapidError, match=f"line {line}, column .* calls itself: its moves have no end"
    ):
        run_of("b;", others)


@pytest.mark.parametrize(
    ("call", "left"),
    [
        ("grip;", "grip"), ("grip 1;", "grip"), ("go 1;", "go"), ("go\\on;", "go"), ('%"go"%;', "%"), ("f;", "f"),
        ("ConfL\\Off;", "ConfL"), ("SetDO do1,1;", ""), ('TPWrite "go;";', ""), ("WaitTime 0.5;", ""), ("say 3;", ""),
        ("say;", ""), ("x:=f();", ""), ("Incr x;", ""), ("arr{2}:=1;", ""), ("p.x:=1;", ""), ("label:", ""),
        ("WaitUntil x=1;", ""),
        ("Reset do1;", ""), ("CONNECT i1 WITH t;", ""),
    ],
)  # fmt: skip
def test_what_is_not_followed_is_said(call, left):
    """Calls with arguments, by a text, of what is not known; instructions that leave the arm alone,
    and assignments, are none.
    """
    others = (
        f'PROC go(num n) VAR num k; {at(9)} ENDPROC\nPROC say(num n) VAR num k; TPWrite "";'
        f" ENDPROC\nFUNC num f() {at(9)} ENDFUNC"
    )
    driven, found = run_of(f"{at(1)}\n{call}\n{at(2)}", others)
    assert driven == ([1, (left, 5), 2] if left else [1, 2])
    assert all("not followed" in move.unknown or left == "ConfL" for move in found if move.unknown)


def test_loops_of_known_bounds_are_unrolled():
    """Up, down without a STEP, with one, nested, of constants; the counter is an index and a
    number.
    """
    array = ",".join(f"[[{k},0,0,0,30,0],{FRAME}]" for k in (10, 20, 30))
    declarations = (
        f"CONST jointtarget p{{3}}:=[{array}]; CONST num n:=3; CONST num s{{3}}:=[0.5,0.25,2];"
    )
    move = r"MoveAbsJ p{{{0}}},v100\T:={1},fine,tool0;"
    for head, expected in (
        ("i FROM 1 TO n", [10, 20, 30]), ("i FROM n TO 2", [30, 20]), ("i FROM 1 TO 3 STEP 2", [10, 30]),
        ("i FROM 3 TO 1 STEP -2", [30, 10]), ("i FROM 2 TO 1 STEP 1", []), ("I FROM n-1 TO (n-1)", [20]),
    ):  # fmt: skip
        driven, found = run_of(
            f"FOR {head} DO {move.format('i', 's{i}*2')} ENDFOR", "", declarations
        )
        assert driven == expected, head
        assert [one.seconds for one in found] == [{10: 1.0, 20: 0.5, 30: 4.0}[k] for k in expected]
        assert all(one.inside == () for one in found)
    nested = (
        f"FOR i FROM 1 TO 2 DO FOR j FROM i TO 2 DO {move.format('i+j-1', '1')} ENDFOR"
        f" {move.format('i', '1')} ENDFOR"
    )
    assert run_of(nested, "", declarations)[0] == [10, 20, 10, 30, 20]
    assert run_of(f"FOR i FROM 1 TO 1 DO {at(1)} ENDFOR {move.format('i', '1')}", "", declarations)[
        0
    ] == [1, ("MoveAbsJ", 4)]
    for head in ("i FROM 1 TO nRead", "i FROM DInput(d) TO 2", "i FROM 1 TO 2 STEP 0"):
        assert run_of(f"FOR {head} DO {at(1)} {move.format('i', '1')} ENDFOR", "", declarations)[
            0
        ] == [
            ("FOR", 4),
            1,
            ("MoveAbsJ", 4),
        ]
    for endless in (
        "FOR i FROM 1 TO 30000 DO {0} ENDFOR",
        "FOR i FROM 1 TO 1E9 DO IF i<0 {0} ENDFOR",
    ):
        with pytest.raises(irb.RapidError, match=r"line 4, column .* takes more than 20000 steps"):
            run_of(endless.format(at(1)))


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("TRUE", True), ("n=3", True), ("n<>3", False), ("n+1>4 OR n<2+2", True), ("n>=4 XOR n<=3", True), ("(yes)", True),
        ("yes AND (n>3)", False), ("NOT (n>3)", True), ("NOT yes", False), ("n*2-1=5 AND n/3=1 AND yes", True),
        ("n>3 OR n=3 AND yes", True), ("n>3 AND yes OR yes", True),
        ("TRUE XOR TRUE", False), ("-n<0", True), ("n>3", False), ("n<3", False), ("n<=2", False), ("n>=3", True),
        ("bOn", None), ("k=2", None), ("DInput(d)=1", None), ("NOT n=3", None), ("n=3 AND bOn", None), ("nowhere", None),
        ('s="a"', None), ("1<2<3", None), ("n DIV 2=1", None), ("yes=TRUE", None), ("x.y=1", None),
    ],
)  # fmt: skip
def test_branches_of_constant_conditions_are_chosen(condition, holds):
    """Only one branch of an IF is driven, with THEN and without; what may change outside is assumed
    to hold, and said by line.
    """
    declarations = (
        "CONST num n:=3; CONST bool yes:=TRUE; PERS bool bOn:=TRUE; VAR num k:=2; CONST string"
        ' s:="a";'
    )
    driven, _ = run_of(f"IF {condition} THEN {at(1)}\nELSE {at(2)} ENDIF {at(3)}", "", declarations)
    assert driven == ([("IF", 4), 1, 3] if holds is None else [1 if holds else 2, 3])
    driven, _ = run_of(
        f"IF {condition} b; {at(3)}", f"PROC b() VAR num m; {at(1)} ENDPROC", declarations
    )
    assert driven == ([("IF", 4), 1, 3] if holds is None else [1, 3] if holds else [3])
    driven, _ = run_of(f"WHILE {condition} DO {at(1)} {at(2)} ENDWHILE {at(3)}", "", declarations)
    assert driven == ([("WHILE", 4), 1, 2, 3] if holds is None else [1, 2, 1, 2] if holds else [3])


def test_the_first_branch_that_may_hold_is_assumed():
    """ELSEIF by ELSEIF: what is false is passed over; the lines that are not driven are named; a
    TEST the same.
    """
    declarations = "CONST num n:=3; VAR num k; VAR bool b;"
    body = (
        f"IF n=4 THEN {at(1)}\nELSEIF b THEN {at(2)}\nELSEIF n=3 THEN {at(3)}\nELSE {at(4)}\nENDIF"
    )
    driven, found = run_of(body, "", declarations)
    assert driven == [("IF", 4), 2]
    assert (
        found[0].unknown
        == "b is no constant: what it is then depends on the run; its branch with line 5 is driven,"
        " lines 6, 7 not"
    )
    assert run_of(body.replace("b THEN", "n<3 THEN"), "", declarations)[0] == [3]
    assert run_of(body.replace("b THEN", "n<3 THEN").replace("n=3", "n=5"), "", declarations)[
        0
    ] == [4]
    body = (
        f"TEST {{0}}\nCASE 1,2: {at(1)}\nCASE n: {at(2)} {at(5)}\nCASE 4: {at(6)}\nDEFAULT:"
        f" {at(3)}\nENDTEST {at(4)}"
    )
    for value, expected in (
        ("2", [1, 4]),
        ("3", [2, 5, 4]),
        ("n+1", [6, 4]),
        ("9", [3, 4]),
        ("k", [("TEST", 4), 1, 4]),
    ):
        assert run_of(body.format(value), "", declarations)[0] == expected
    assert (
        "its CASE with line 5 is driven, lines 6, 7, 8 not"
        in run_of(body.format("k"), "", declarations)[1][0].unknown
    )
    assert run_of(
        f'IF b THEN k:=1; {at(1)} ENDIF IF b THEN TPWrite ""; ELSE k:=1; ENDIF', "", declarations
    )[0] == [("IF", 4), 1]


def test_what_may_be_left_goes_on():
    """RETURN and EXIT in a branch that may hold, or in what it calls, are said and not obeyed; of a
    constant they are.
    """
    declarations = "VAR bool b; CONST num n:=3;"
    assert run_of(f"IF b RETURN;\n{at(1)}", "", declarations)[0] == [("IF", 4), ("RETURN", 4), 1]
    assert run_of(f"IF b quiet;\n{at(1)}", "PROC quiet() VAR num m; m:=1; ENDPROC", declarations)[
        0
    ] == [1]
    assert run_of(f"IF n=3 RETURN;\n{at(1)}", "", declarations)[0] == []
    assert run_of(f"FOR i FROM 1 TO 3 DO {at(1)} IF i=2 THEN RETURN; ENDIF ENDFOR {at(2)}")[0] == [
        1,
        1,
    ]
    others = f"PROC c() {at(2)} EXIT; ENDPROC\nPROC d() WHILE TRUE DO {at(3)} ENDWHILE ENDPROC\n"
    others += f"PROC e() {at(4)} RETURN; {at(5)} ENDPROC"
    assert run_of(f"IF b c;\n{at(1)}", others, declarations)[0] == [("IF", 4), 2, ("EXIT", 7), 1]
    assert run_of(f"IF b d;\n{at(1)}", others, declarations)[0] == [("IF", 4), 3, 3, 1]
    assert run_of(f"IF b e;\n{at(1)} c; {at(9)}", others, declarations)[0] == [("IF", 4), 4, 1, 2]
    assert (
        run_of(f"WHILE TRUE DO {at(1)} IF b EXIT; ENDWHILE {at(2)}", "", declarations)[0][-1] == 2
    )


def test_handlers_are_listed_and_not_driven():
    """Moves of an ERROR handler keep their block: they run after an error only."""
    _, found = run_of(f"{at(1)}\nERROR\n{at(2)} RETRY;")
    assert [move.inside for move in found] == [(), ("ERROR handler of line 5",)]


def test_times_of_moves_are_positive_numbers():
    r"""\T that has to be asked for leaves the move unknown; 0 is refused with its place."""
    _, (one,) = run_of(at(1, r"\T:=ReadNum(f)"))
    assert (one.seconds, one.unknown) == (None, "ReadNum() is not evaluated")
    with pytest.raises(irb.RapidError, match=r"line 4, column .* \\T is a positive time, not 0 s"):
        run_of(at(1, r"\T:=0"))


def test_names_that_nobody_declares_are_marked():
    """What depends on the run is not; a name that is declared nowhere is."""
    found = {
        move.text: move.undeclared for move in rapid.moves_of(rapid.read(PROGRAM)) if move.unknown
    }
    assert [text.split(",")[0] for text, lost in found.items() if lost] == ["MoveL nowhere"]
