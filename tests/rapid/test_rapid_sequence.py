"""Moves of a program in execution order."""

import pytest
from grouped import together
from rapid_modules import FRAME, PROGRAM

import irbmodels as irb
from irbmodels import rapid


def at(angle, more=""):
    return f"MoveAbsJ [[{angle},0,0,0,30,0],{FRAME}],v100{more},fine,tool0;"


def run_of(main, others="", declarations="", routine=None):
    """What a program drives: angles of axis 1, and of what cannot be told instruction and line (4
    is main's first).
    """
    text = f"MODULE m\n{declarations}\nPROC main()\n{main}\nENDPROC\n{others}\nENDMODULE"
    actual = rapid.sequence_of(rapid.read(text), routine)
    return [
        (move.instruction, move.line) if move.unknown else move.target.robax.rax_1
        for move in actual
    ], actual


def test_calls_are_followed_where_they_stand():
    """Nested, in any case, more than once; a RETURN ends its routine only, EXIT the program; what
    main does not reach is left.
    """
    others = (
        f"PROC b()\n{at(2)} c; RETURN; {at(9)}\nENDPROC\nPROC c() {at(3)} ENDPROC\nPROC lost()"
        f" {at(8)} ENDPROC"
    )
    driven, actual = run_of(f"{at(1)} B;\n{at(4)} c;\nEXIT; {at(9)}", others)
    assert driven == [1, 2, 3, 4, 3]
    assert [move.routine for move in actual] == ["main", "b", "c", "main", "c"]
    assert run_of("b;", others, routine="LOST")[0] == [8]
    with pytest.raises(irb.UnknownName, match="no routine 'lst'; did you mean 'lost'"):
        run_of("b;", others, routine="lst")


def test_a_program_without_main_starts_at_the_only_uncalled_procedure():
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
    with pytest.raises(
        irb.RapidError, match=f"line {line}, column .* calls itself: its moves have no end"
    ):
        run_of("b;", others)


@together(
    "call, left",
    [
        ("grip;", "grip"), ("grip 1;", "grip"), ("go;", "go"), ("go\\on;", "go"), ('%"go"%;', "%"), ('%"grip"%;', "%"), ("f;", "f"),
        ("GOTO p1;", "GOTO"), ("SetDO do1,1;", ""), ('TPWrite "go;";', ""), ("say 3;", ""),
        ("say;", ""), ("x:=f();", ""), ("Incr x;", ""), ("arr{2}:=1;", ""), ("p.x:=1;", ""), ("label:", ""),
        ("Reset do1;", ""), ("CONNECT i1 WITH t;", ""),
    ],
)  # fmt: skip
def test_what_is_not_followed_is_reported(call, left):
    """Calls with arguments, by a text, of what is not known; instructions that leave the arm alone,
    and assignments, are none.
    """
    others = (
        f'PROC go(num n) VAR num k; {at(9)} ENDPROC\nPROC say(num n) VAR num k; TPWrite "";'
        f" ENDPROC\nFUNC num f() {at(9)} ENDFUNC"
    )
    driven, actual = run_of(f"{at(1)}\n{call}\n{at(2)}", others)
    assert driven == ([1, (left, 5), 2] if left else [1, 2])
    assert all("not followed" in move.unknown or left == "GOTO" for move in actual if move.unknown)


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
        driven, actual = run_of(
            f"FOR {head} DO {move.format('i', 's{i}*2')} ENDFOR", "", declarations
        )
        assert driven == expected, head
        assert [one.seconds for one in actual] == [{10: 1.0, 20: 0.5, 30: 4.0}[k] for k in expected]
        assert all(one.inside == () for one in actual)
    nested = (
        f"FOR i FROM 1 TO 2 DO FOR j FROM i TO 2 DO {move.format('i+j-1', '1')} ENDFOR"
        f" {move.format('i', '1')} ENDFOR"
    )
    assert run_of(nested, "", declarations)[0] == [10, 20, 10, 30, 20]
    assert run_of(f"FOR i FROM 1 TO 1 DO {at(1)} ENDFOR {move.format('i', '1')}", "", declarations)[
        0
    ] == [1, ("MoveAbsJ", 4)]
    for head, first in (
        ("i FROM 2 TO nRead", 20),  # its first round, if it goes round at all
        ("i FROM DInput(d) TO 2", ("MoveAbsJ", 4)),
    ):
        body = f"FOR {head} DO {at(1)} {move.format('i', '1')} ENDFOR"
        assert run_of(body, "", declarations)[0] == [("FOR", 4), 1, first]
    for endless in (
        "FOR i FROM 1 TO 30000 DO {0} ENDFOR",
        "FOR i FROM 1 TO 1E9 DO IF i<0 {0} ENDFOR",
    ):
        with pytest.raises(irb.RapidError, match=r"line 4, column .* takes more than 20000 steps"):
            run_of(endless.format(at(1)))


@together(
    "condition, holds",
    [
        ("TRUE", True), ("n=3", True), ("n<>3", False), ("n+1>4 OR n<2+2", True), ("n>=4 XOR n<=3", True), ("(yes)", True),
        ("yes AND (n>3)", False), ("NOT (n>3)", True), ("NOT yes", False), ("n*2-1=5 AND n/3=1 AND yes", True),
        ("n>3 OR n=3 AND yes", True), ("n>3 AND yes OR yes", True),
        ("TRUE XOR TRUE", False), ("-n<0", True), ("n>3", False), ("n<3", False), ("n<=2", False), ("n>=3", True),
        ("bOn", None), ("k=2", None), ("DInput(d)=1", None), ("NOT n=3", None), ("n=3 AND bOn", None), ("nowhere", None),
        ('s="a"', True), ('s="b"', False), ('"b"<>s', True), ("1<2<3", None), ("n DIV 2=1", True), ("n MOD 2=0", False), ("yes=TRUE", True), ("yes<>TRUE", False), ("FALSE=yes", False), ("x.y=1", None),
    ],
)  # fmt: skip
def test_branches_of_constant_conditions_are_chosen(condition, holds):
    """Only one branch of an IF is driven, with THEN and without; where the run tells it, each, and
    that is said by line.
    """
    declarations = (
        "CONST num n:=3; CONST bool yes:=TRUE; PERS bool bOn:=TRUE; VAR num k:=2; CONST string"
        ' s:="a";'
    )
    driven, _ = run_of(f"IF {condition} THEN {at(1)}\nELSE {at(2)} ENDIF {at(3)}", "", declarations)
    assert driven == ([("IF", 4), 1, 2, 3] if holds is None else [1 if holds else 2, 3])
    driven, _ = run_of(
        f"IF {condition} b; {at(3)}", f"PROC b() VAR num m; {at(1)} ENDPROC", declarations
    )
    assert driven == ([("IF", 4), 1, 3] if holds is None else [1, 3] if holds else [3])
    driven, _ = run_of(f"WHILE {condition} DO {at(1)} {at(2)} ENDWHILE {at(3)}", "", declarations)
    assert driven == ([("WHILE", 4), 1, 2, 3] if holds is None else [1, 2, 1, 2] if holds else [3])


def test_each_branch_that_may_hold_is_driven():
    """ELSEIF by ELSEIF: what is false is passed over, and what stands after one that holds; lines
    are named; a TEST the same.
    """
    declarations = "CONST num n:=3; VAR num k; VAR bool b;"
    body = (
        f"IF n=4 THEN {at(1)}\nELSEIF b THEN {at(2)}\nELSEIF n=3 THEN {at(3)}\nELSE {at(4)}\nENDIF"
    )
    driven, actual = run_of(body, "", declarations)
    assert driven == [("IF", 4), 2, 3]
    assert (
        actual[0].unknown
        == "b is no constant: what it is then depends on the run; each branch is driven from here"
        " (lines 5, 6)"
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
        ("k", [("TEST", 4), 1, 2, 5, 6, 3, 4]),
    ):
        assert run_of(body.format(value), "", declarations)[0] == expected
    assert (
        "each CASE is driven from here (lines 5, 6, 7, 8)"
        in run_of(body.format("k"), "", declarations)[1][0].unknown
    )
    assert run_of(
        f'IF b THEN k:=1; {at(1)} ENDIF IF b THEN TPWrite ""; ELSE k:=1; ENDIF', "", declarations
    )[0] == [("IF", 4), 1]


def test_what_may_be_left_goes_on():
    """RETURN and EXIT in a branch that may hold, or in what it calls, are said, and the program goes
    on with what other branches leave; those of a constant end it, as a loop without end does.
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
        run_of(f"WHILE TRUE DO {at(1)} IF b EXIT; ENDWHILE {at(2)}", "", declarations)[0]
        == [1, ("IF", 4), ("EXIT", 4)] * 2
    )
    assert run_of(f"IF b THEN {at(1)} RETURN; ELSE EXIT; ENDIF {at(2)}", "", declarations)[0] == [
        ("IF", 4), 1, ("RETURN", 4), ("EXIT", 4)
    ]  # fmt: skip


def test_handlers_are_listed_and_not_driven():
    """Moves of an ERROR handler keep their block: they run after an error only."""
    _, actual = run_of(f"{at(1)}\nERROR\n{at(2)} RETRY;")
    assert [move.inside for move in actual] == [(), ("ERROR handler of line 5",)]


def test_times_of_moves_are_positive_numbers():
    r"""\T that has to be asked for leaves the move unknown; 0 is refused with its place."""
    _, (one,) = run_of(at(1, r"\T:=ReadNum(f)"))
    assert (one.seconds, one.unknown) == (None, "ReadNum() is not evaluated")
    with pytest.raises(irb.RapidError, match=r"line 4, column .* \\T is a positive time, not 0 s"):
        run_of(at(1, r"\T:=0"))


def test_undeclared_names_are_marked():
    actual = {
        move.text: move.undeclared for move in rapid.moves_of(rapid.read(PROGRAM)) if move.unknown
    }
    assert [text.split(",")[0] for text, lost in actual.items() if lost] == ["MoveL nowhere"]
