"""Constants, predefined data and modules of controllers."""

from pathlib import Path

import numpy as np
import pytest
from grouped import together
from rapid_modules import MANUAL, module

import irbmodels as irb
from irbmodels import rapid

MODULES = Path(__file__).parents[1] / "data" / "rapid"


@together("path", sorted(MODULES.glob("*.[mps][ory][ds]*")), name=lambda path: path.name)
def test_modules_as_controllers_hold_them(path):
    """System modules, search, sockets, traps, pallets, welding, wrappers: read, and written to the
    character.
    """
    actual = rapid.read_program(path)
    assert actual.text.encode(actual.encoding) == path.read_bytes()
    for move in rapid.moves_of(actual):
        assert not move.undeclared, move
    for datum in actual:
        rapid.values_of(actual, datum.type)


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


@together(
    "body",
    [
        "TASK VAR num x;", "VAR btnres a:=resYes;", "VAR dionum d:=high;", "VAR dir folder;", "CONST num t:=WAIT_MAX;",
        "VAR stoppointdata s:=inpos50;", "VAR socketstatus s:=SOCKET_CLOSED;", "VAR string s:=stEmpty;", "VAR zonedata z:=z60;",
        "VAR errnum e:=ERR_SOCK_TIMEOUT;", "VAR speeddata v:=vrot50;", "VAR opnum o:=GTEQ;", "VAR icondata i:=ICONERROR;",
        "VAR bool b:=2>1;", "VAR num n{2*2}:=[1,2,3,4];",
    ],
)  # fmt: skip
def test_names_that_every_controller_declares(body):
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


def test_quaternions_of_three_digits_are_normalised_with_a_note(tmp_path, run):
    """Off by up to 4e-4: the rotation is a rotation, the text stays, and the line is named; beyond
    that it is refused.
    """
    file = tmp_path / "a.mod"
    file.write_text(
        "MODULE m\nCONST robtarget"
        " p:=[[900,0,900],[0.707,0,0.707,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];\nENDMODULE"
    )
    actual = rapid.read_file(file)
    assert actual.notes == (
        "line 2: p.rot: quaternion [0.707,0,0.707,0] has length 0.999849, not 1; it is normalised",
    )
    np.testing.assert_allclose(
        actual["p"].pose().rotation, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-12
    )
    assert (rapid.write(actual), str(actual["p"].rot)) == (file.read_text(), "[0.707,0,0.707,0]")
    assert f"note: {actual.notes[0]}" in run("rapid", file)[2]
    file.write_text(file.read_text().replace("0.707,0,0.707", "0.7068,0,0.7068"))
    code, _, err = run("rapid", file)
    assert (code, "has length 0.999566, not 1; the rotation it points to is" in err) == (2, True)
    assert not rapid.read("MODULE m\nVAR orient o:=[0.99998,0.00625,0,0];\nENDMODULE").notes
