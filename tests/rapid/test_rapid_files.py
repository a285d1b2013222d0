"""Recognition of RAPID files, and programs of several modules."""

import pytest
from rapid_modules import MANUAL

from irbmodels import rapid


def test_files_are_known_by_what_they_hold(tmp_path, run):
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
    assert run("rapid", tmp_path / "a.MODX")[0] == 0
    code, _, err = run("rapid", tmp_path / "b.mod")
    assert (code, err.count("\n")) == (2, 1)
    assert (
        "b.mod holds no RAPID module, which begins with MODULE and a name; irbmodels path checks"
        " motions" in err
    )
    assert "none.sysx: No such file" in run("rapid", tmp_path / "none.sysx")[2]


def test_modules_that_use_each_other(tmp_path, run):
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
    for actual in (
        rapid.read_program(main_file, [data, types]),
        rapid.read_program(tmp_path / "all.PGF"),
    ):
        assert (actual.name, [one.name for one in actual.uses]) == ("p", ["t", "d"])
        assert str(rapid.values_of(actual, "robtarget")["there"]) == MANUAL
    code, out, _ = run(
        "rapid", main_file, "--with", data, "--with", types, "--robot", "irb2400", "--wobj", "wfix"
    )
    assert (code, out.startswith("there: ")) == (0, True)
    assert (
        "no tool 'tOwn'"
        in run(
            "rapid",
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
    code, _, err = run("rapid", main_file, "--with", data)
    assert (code, "data.sys: line 2, column 7: there is no type place" in err) == (2, True)
    (tmp_path / "all.PGF").write_text("MODULE m")
    for reason, text in (("a program file is XML", "MODULE m"), ("lists no module", "<Program/>")):
        (tmp_path / "all.PGF").write_text(text)
        code, _, err = run("rapid", tmp_path / "all.PGF")
        assert (code, reason in err, err.count("\n")) == (2, True, 1)


SEVERAL = """%%%
  VERSION:1
  LANGUAGE:ENGLISH
%%%

MODULE Data
  CONST jointtarget jHome:=[[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  ! ENDMODULE in a remark ends nothing
ENDMODULE
! the next one

MODULE Main
  PROC main()
    MoveAbsJ jHome,v200,fine,tool0;
  ENDPROC
ENDMODULE
"""


def test_a_file_of_several_modules_is_a_program(tmp_path):
    """Lines are those of the file, the module with main is the program, as if each were a file."""
    path = tmp_path / "all.prg"
    path.write_text(SEVERAL, encoding="utf-8")
    program = rapid.read_program(path)
    (move,) = rapid.sequence_of(program)
    assert (program.name, [one.name for one in program.uses]) == ("Main", ["Data"])
    assert (move.line, move.target_name, move.unknown) == (14, "jHome", "")
    path.write_text(SEVERAL.replace("  PROC", "  CONST num n:=;\n  PROC"), encoding="utf-8")
    with pytest.raises(rapid.RapidError, match=r"all\.prg: line 13,"):
        rapid.read_program(path)
    path.write_text("MODULE A\nENDMODULE\n" * 101, encoding="utf-8")
    with pytest.raises(rapid.RapidError, match="101 modules, at most 100"):
        rapid.read_program(path)
    path.write_text(SEVERAL + "more\n", encoding="utf-8")
    with pytest.raises(rapid.RapidError, match=r"all\.prg: line 17, column 1"):
        rapid.read_program(path)
