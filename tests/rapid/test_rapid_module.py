"""Modules: exact text in and out, changed and added declarations."""

import copy
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from grouped import together
from hypothesis import given
from hypothesis import strategies as st
from rapid_modules import GOOD, IRC5, MANUAL, module

import irbmodels as irb
from irbmodels import rapid
from irbmodels.rapid.text import literal, number_text, string, string_text


@pytest.mark.parametrize("text", GOOD, ids=["S4", "IRC5", "short", "empty"])
def test_writes_what_it_reads(text, tmp_path):
    """To the character, from text and from file; and every value has the text that stands there,
    less blanks and comments.
    """
    actual = rapid.read(text)
    assert rapid.write(actual) == text
    (tmp_path / "a.mod").write_bytes(text.encode())
    rapid.read_file(tmp_path / "a.mod").save(tmp_path / "b.mod")
    assert (tmp_path / "b.mod").read_bytes() == text.encode()
    for datum in actual:
        start, end = datum.span
        source = re.sub(r"!.*", "", text[start:end]) if "!" not in str(datum) else text[start:end]
        _, given_one, initial = source.rstrip("; ").partition(":=")
        if given_one:
            written = str(datum).partition(":=")[2].rstrip(";")
            expected = initial.strip() if '"' in initial else "".join(initial.split())
            assert written == expected.replace("true", "TRUE")
        assert actual.declaration(datum.name.upper()) is datum
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
    actual = rapid.read(IRC5)
    assert (actual.name, actual.attributes, len(list(actual))) == (
        "CalibData",
        ("SYSMODULE", "NOSTEPIN"),
        19,
    )
    assert actual["MILL"].tload.ix == 0.1
    assert actual["h"] == ((1, -2, 3), (0.5, 1, 0))
    assert actual["s"] == 'say "hi" \\ \nend! ['
    assert actual["wp"][1:] == (255.0, True)
    assert actual["twice"] == rapid.Expression("2*N+pi")
    assert actual["wd"] == (1.0, (2.0, True), "a")
    assert actual["c1"] is None
    assert list(rapid.values_of(actual, "robtarget")) == ["pts{1}", "pts{2}"]
    assert list(rapid.values_of(actual, "level"))[-1] == "h{2,3}"
    assert (actual.declaration("home").scope, actual.declaration("wStn").scope) == ("LOCAL", "TASK")
    assert actual["home"].extax.used == (None,) * 6
    with pytest.raises(irb.UnknownName, match="did you mean 'mill'"):
        actual["mil"]


def test_other_modules_records_and_constants():
    """Of modules that it uses, a module knows types and constants; one with other values still
    does.
    """
    user = "MODULE u\nVAR weldpoint w;\nVAR level x:=N+1;\nENDMODULE"
    with pytest.raises(irb.RapidError, match=r"line 2, column 5: there is no type weldpoint"):
        rapid.read(user)
    actual = rapid.read(user, uses=[rapid.read(IRC5)])
    assert actual["x"] == rapid.Expression("N+1")
    changed = rapid.with_values(actual, {"x": 3})
    assert (changed["x"], changed.uses) == (3.0, actual.uses)


def test_encodings(tmp_path):
    for data in (
        "\ufeffMODULE m ! \u00e5\nENDMODULE".encode(),
        "MODULE m ! \u00e5\nVAR num g\u00e5:=1;\nENDMODULE".encode("latin-1"),
    ):
        (tmp_path / "a.mod").write_bytes(data)
        actual = rapid.read_file(tmp_path / "a.mod")
        actual.save(tmp_path / "b.mod")
        assert (tmp_path / "b.mod").read_bytes() == data
    with pytest.raises(irb.FileError, match="no character of latin-1"):
        rapid.with_declarations(actual, rapid.Declaration("VAR", "string", "s", "\u20ac")).save(
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
    actual = rapid.read(text)
    target = actual["p10"]
    changed = rapid.with_values(
        actual, {"P10": replace(target, trans=replace(target.trans, y=500.5)), "ncount": 2}
    )
    start, end = actual.declaration("p10").span
    line = (
        "! configuration\n  CONST robtarget"
        " p10:=[[600.00,500.5,225.3],[1,0,0,0],[1,1,0,0],[11,12.3,9E9,9E9,9E9,9E9]];"
    )
    assert changed.text == (text[:start] + line + text[end:]).replace("nCount:=-0", "nCount:=2")
    assert actual.text == text


def test_added_declarations():
    """After the last one, in its indentation and with its line ends; at the top where there is
    none.
    """
    actual = rapid.with_declarations(
        rapid.read(IRC5), rapid.Declaration("PERS", "num", "x", ((1, 2),), (1, 2), "LOCAL")
    )
    assert "VAR bool ok:=true;\r\n    LOCAL PERS num x{1,2}:=[[1,2]];\r\n    FUNC" in actual.text
    empty = rapid.with_declarations(
        rapid.read("MODULE m(NOVIEW)\nENDMODULE"), rapid.Declaration("CONST", "num", "x", 9e9)
    )
    assert empty.text == "MODULE m(NOVIEW)\n    CONST num x:=9E+09;\nENDMODULE"
    with pytest.raises(irb.RapidError, match="X is declared twice"):
        rapid.with_declarations(empty, rapid.Declaration("VAR", "num", "X", 1))


def test_values_of_another_type_are_refused():
    actual = rapid.read(GOOD[0])
    for values, reason in (
        ({"p10": actual["tGun"]}, "p10 is a robtarget"),
        ({"nCount": float("nan")}, "finite"),
        ({"nCount": "a"}, "is a number"),
        ({"p11": 1}, "no declaration 'p11'"),
    ):
        with pytest.raises(irb.IrbError, match=reason):
            rapid.with_values(actual, values)


@together(
    "value, text",
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


@together("text", ["1.", ".5", "-0", "+7", "9E+09", "1e-3", "0xFF", "-0b101", "0o17", "007"])
def test_a_number_remembers_its_text(text):
    """Copies and pickles do too; a computed one has forgotten."""
    actual = rapid.read_value(f"[{text},0,0]", rapid.Pos).x
    for twin in (actual, copy.deepcopy(actual), pickle.loads(pickle.dumps(actual))):
        assert literal(twin) == text
        assert twin == actual
    assert type(actual + 0.0) is float


@given(st.text(st.characters(max_codepoint=255), max_size=30))
def test_any_string_comes_back(text):
    assert string(string_text(text)) == text
    assert module(f"VAR string s:={string_text(text)};")["s"] == text
