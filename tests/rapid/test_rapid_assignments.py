"""What a program assigns while it runs, against the same program run by Python itself."""

import math

import numpy as np
import pytest
from rapid_modules import FRAME
from scipy.spatial.transform import Rotation

import irbmodels as irb
from irbmodels import rapid
from irbmodels.rapid.functions import operate


def at(angle):
    return f"MoveAbsJ [[{angle},0,0,0,30,0],{FRAME}],v100,fine,tool0;"


def run_of(main, others="", declarations="", uses=()):
    """Angles of axis 1 that a program drives; of what is not known, instruction and reason."""
    text = f"MODULE m\n{declarations}\nPROC main()\n{main}\nENDPROC\n{others}\nENDMODULE"
    actual = rapid.sequence_of(rapid.read(text, uses=[rapid.read(one) for one in uses]))
    return [
        (move.instruction, move.unknown) if move.unknown else float(move.target.robax.rax_1)
        for move in actual
    ]


class Twin:
    """A random program, written in RAPID and in Python at once."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.rapid, self.python, self.deep = [], [], 0

    def number(self, depth=0):
        """Return an expression in RAPID and in Python."""
        pick = self.random.integers(0, 7 if depth < 2 else 3)
        if pick == 0:
            value = round(float(self.random.uniform(0.5, 9)), 2)
            return str(value), str(value)
        if pick <= 2:
            name = self.random.choice(["a", "b", "row{2}", "p.y"])
            return name, {"row{2}": "row[1]", "p.y": "p[1]"}.get(name, name)
        (left, left_twin), (right, right_twin) = self.number(depth + 1), self.number(depth + 1)
        sign = self.random.choice(["+", "-", "*"])
        if pick == 3:
            return f"Abs({left}-{right})", f"abs({left_twin}-{right_twin})"
        if pick == 4:
            return f"Sin({left})", f"math.sin(math.radians({left_twin}))"
        if pick == 5:
            return f"twice({left})", f"twice({left_twin})"
        return f"({left}{sign}{right})", f"({left_twin}{sign}{right_twin})"

    def line(self, text, twin):
        """Add to both programs."""
        self.rapid.append(text)
        self.python.append("    " * self.deep + twin)

    def block(self, length):
        """Add instructions to both programs."""
        for _ in range(length):
            pick, (value, twin) = self.random.integers(0, 9), self.number()
            if pick < 3:
                names = ["a", "b", "row{1}", "row{2}", "p.y"]
                name = names[self.random.integers(0, 5)]
                target = {"row{1}": "row[0]", "row{2}": "row[1]", "p.y": "p[1]"}.get(name, name)
                self.line(f"{name}:={value};", f"{target}=wrapped({twin})")
                self.line(f"keep {name};", f"{target}=wrapped({target})")
            elif pick == 3:
                self.line("Incr a;", "a=a+1")
            elif pick == 4:
                self.line(at(value), f"out.append({twin})")
            elif pick == 5 and self.deep < 3:
                other, other_twin = self.number()
                self.line(f"IF {value}<{other} THEN", f"if {twin}<{other_twin}:")
                self.nested()
                self.line("ELSE", "else:")
                self.nested()
                self.rapid.append("ENDIF")
            elif pick == 6 and self.deep < 3:
                self.line(f"FOR i{self.deep} FROM 1 TO 3 DO", f"for i{self.deep} in (1,2,3):")
                self.nested()
                self.rapid.append("ENDFOR")
            elif pick == 7:
                self.line(f"go {value};", f"out.append({twin}/2)")
            else:
                self.line("b:=b/2+1;", "b=b/2+1")

    def nested(self):
        """Add to both programs."""
        self.deep += 1
        self.line("Decr b;", "b=b-1")
        self.block(2)
        self.deep -= 1


ROUTINES = f"""
PROC go(num x) VAR num half; half:=x/2; {at("half")} ENDPROC
PROC keep(INOUT num x) WHILE x>90 DO x:=x/3; ENDWHILE WHILE x<-90 DO x:=x/3; ENDWHILE ENDPROC
FUNC num twice(num x) RETURN 2*x; ENDFUNC
"""


def wrapped(x):
    while abs(x) > 90:
        x = x / 3
    return x


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_go_where_python_goes(seed):
    """Assignments to names, elements and components, loops, branches, calls and functions."""
    twin = Twin(seed)
    start = "a:=3; b:=4; row{1}:=5; row{2}:=6; p.y:=7;"
    twin.block(14)
    out = []
    scope = dict(out=out, a=3.0, b=4.0, row=[5.0, 6.0], p=[0.0, 7.0, 0.0], math=math)
    scope |= {"wrapped": wrapped, "twice": lambda x: 2 * x}
    exec("\n".join(twin.python), scope)
    declarations = "VAR num a; VAR num b; VAR num row{2}; VAR pos p;"
    driven = run_of("\n".join([start, *twin.rapid, at("a"), at("b")]), ROUTINES, declarations)
    assert driven == pytest.approx([*out, scope["a"], scope["b"]], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ("IF DInput(d)=1 THEN a:=2; ENDIF", "a is changed in the IF of line 4"),
        ("WHILE DInput(d)=1 DO a:=a+1; ENDWHILE", "a is changed in the WHILE of line 4"),
        ("FOR i FROM 1 TO DInput(d) DO a:=1; ENDFOR", "a is changed in the FOR of line 4"),
        ("TEST nRead CASE 1: a:=1; CASE 2: a:=2; ENDTEST", "a is changed in the TEST of line 4"),
        ("IF DInput(d)=1 alter;", "a is changed in the IF of line 4"),
        ('TPReadNum a,"how many";', "a is changed on line 4"),
        (r"SocketReceive s\Str:=t; a:=1+ReadNum(f);", "a is changed on line 4"),
        ("foreign a;", "a is changed on line 4"),
        ("a:=DInput(d);", "a is changed on line 4"),
        ("Add a,DInput(d);", "a is changed on line 4"),
        ("bump a;", "a is changed on line 4"),
        ("a:=pick();", r"a is changed on line 4"),
    ],
)
def test_what_the_run_decides_is_not_followed(change, cause):
    """The next move with it is not known, and says since when; others are, and so is it again
    once it has a new value.
    """
    others = """PROC alter() a:=5; ENDPROC
PROC bump(INOUT num x) x:=x+DInput(d); ENDPROC
FUNC num pick() IF DInput(d)=1 RETURN 1; RETURN 2; ENDFUNC"""
    body = f"{change}\n{at('a')}{at('b')} a:=7;{at('a')}"
    driven = run_of(body, others, "VAR num a:=1; VAR num b:=3; VAR num nRead;")
    foreign = change.startswith("foreign")
    (name, reason), *known = driven[1:] if foreign else driven
    assert (name, known) == ("MoveAbsJ", [3.0, 7.0])
    assert reason.startswith(cause)


@pytest.mark.parametrize(
    "copy",
    ["b:=n;", "b:=2*n+1;", "same n,b;", "b:=own(n);", "b:=seen();", "r.x:=n; b:=r.x;", "b:=k;"],
)
def test_what_may_be_changed_outside_decides_nothing(copy):
    """Not by a copy either: PERS, and initial values of VAR, are values and no conditions."""
    others = """PROC same(num x, INOUT num y) y:=x; ENDPROC
FUNC num own(num x) RETURN x; ENDFUNC
FUNC num seen() RETURN n; ENDFUNC"""
    declarations = "PERS num n:=3; VAR num k:=3; VAR num b; VAR pos r;"
    driven = run_of(f"{copy} IF b>0 THEN {at('b')} ELSE {at(9)} ENDIF", others, declarations)
    assert driven[0][0] == "IF"
    assert driven[1:] in ([3.0, 9.0], [7.0, 9.0])  # both branches
    assert run_of(f"n:=5; {copy} k:=1; IF n>4 {at(1)}", others, declarations) == [1.0]


def test_what_calls_assign_below_a_branch_is_not_known():
    """LOCAL data of another module, and data that a local of the same name hides."""
    other = f"""MODULE lib
LOCAL VAR num a:=20;
PROC alter() VAR num k; a:=1; k:=1; ENDPROC
PROC show() {at("a")} ENDPROC
ENDMODULE"""
    driven = run_of(
        f"a:=3; IF DInput(d)=1 THEN alter; ENDIF {at('a')} show;", "", "VAR num a;", [other]
    )
    assert driven[0] == 3.0
    assert driven[1][1].startswith("a is changed in the IF of line 4")
    others = "PROC alter() n:=f(); ENDPROC\nFUNC num f() g:=4; RETURN 1; ENDFUNC"
    body = f"VAR num n:=2; g:=1; IF DInput(d)=1 alter; {at('n')}{at('g')}"
    (first, second) = run_of(body, others, "VAR num n; VAR num g;")
    assert first == 2.0
    assert second[1].startswith("g is changed in the IF")
    own = "PROC alter() VAR num g; g:=4; ENDPROC"
    assert run_of(f"g:=1; IF DInput(d)=1 alter; {at('g')}", own, "VAR num g;") == [1.0]


def test_interrupts_may_change_data_at_any_time():
    others = "TRAP t\na:=5;\nENDTRAP"
    driven = run_of(f"a:=2;{at('a')}", others, "VAR num a:=1;")
    assert driven == [
        ("MoveAbsJ", "a is assigned in the TRAP t: what it is then depends on the run")
    ]


def test_targets_are_made_component_by_component():
    """Records, arrays of records and parts that are not known, until they are."""
    frame = "[9E9,9E9,9E9,9E9,9E9,9E9]"
    text = f"""MODULE m
CONST robtarget p10:=[[600,500,225],[1,0,0,0],[0,0,0,0],{frame}];
RECORD part robtarget over; num up; ENDRECORD
VAR part parts{{2}}; VAR robtarget p; VAR speeddata v;
PROC main()
  parts{{2}}.over:=p10; parts{{2}}.up:=40;
  p:=shifted(parts{{2}}.over,parts{{2}}.up);
  p.trans:=p.trans+[1,2,3]*2;
  p.rot:=OrientZYX(30,0,0);
  v:=v100; v.v_tcp:=DInput(d);
  MoveL p,v100,fine,tool0;
  MoveL p,v,fine,tool0;
  v.v_tcp:=250;
  MoveL CRobT(\\Tool:=tool0),v,fine,tool0;
ENDPROC
FUNC robtarget shifted(robtarget t,num up)
  t.trans.z:=t.trans.z+up;
  RETURN Offs(t,10,0,0);
ENDFUNC
ENDMODULE"""
    first, second, third = rapid.sequence_of(rapid.read(text))
    assert np.allclose(first.target.trans.values, np.add([610, 500, 265], [2, 4, 6]))
    x, y, z, w = Rotation.from_euler("z", 30, degrees=True).as_quat()
    assert np.allclose(first.target.rot.values, (w, x, y, z), atol=1e-9)
    assert (second.speed, second.unknown != "") == (None, True)
    assert third.speed.v_tcp == 250.0
    assert third.unknown == "CRobT() is where the robot stands, which the run tells"


def test_where_the_robot_stands_is_its_last_target():
    """After a stop point, with the same tool and object; not after a zone, another tool, or branches
    that end elsewhere.
    """
    target = "[[600,500,225],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]"
    text = f"""MODULE m
CONST robtarget p10:={target}; VAR robtarget p; VAR bool b;
PERS tooldata t1:=[TRUE,[[0,0,9],[1,0,0,0]],[1,[0,0,1],[1,0,0,0],0,0,0]];
PROC main()
  MoveL p10,v100,{{zone}},tool0; {{more}} p:=CRobT(\\Tool:={{tool}}\\WObj:=wobj0);
  MoveL Offs(p,0,0,5),v100,fine,tool0;
ENDPROC
ENDMODULE"""
    for zone, tool, more, known in (
        ("fine", "tool0", "", True), ("z10", "tool0", "", False), ("fine", "t1", "", False),
        ("fine", "tool0", "IF b MoveL p10,v100,fine,tool0;", True),
        ("fine", "tool0", "IF b MoveL Offs(p10,0,0,1),v100,fine,tool0;", False),
        ("fine", "tool0", "IF b strange;", False),
    ):  # fmt: skip
        last = rapid.sequence_of(rapid.read(text.format(zone=zone, tool=tool, more=more)))[-1]
        assert (last.target is not None) == known
        assert not known or last.target.trans.z == 230.0


def test_procedures_of_other_modules_are_followed():
    """Their own LOCAL data and routines are theirs; moves say where they stand."""
    other = f"""MODULE lib
LOCAL VAR num a:=20; VAR num shared:=5;
PROC go(num x \\num y) IF Present(y) THEN {at("x+y")} ELSE {at("x")} ENDIF inner; ENDPROC
LOCAL PROC inner() a:=a+1; shared:=shared+1; {at("a")} ENDPROC
ENDMODULE"""
    body = rf"go 1; go 2\y:=3; {at('a')} {at('shared')} inner;"
    driven = run_of(body, "", "VAR num a:=9;", [other])
    assert driven[:-1] == [1, 21, 5, 22, 9, 7]
    assert driven[-1] == ("inner", "it is no procedure of this module, and not followed")
    text = f"MODULE m\nPROC main() {body} ENDPROC\nENDMODULE"
    moves = rapid.sequence_of(rapid.read(text, uses=[rapid.read(other)]))
    assert [move.module for move in moves] == ["lib"] * 4 + [""] * 3


def test_what_a_call_below_a_branch_does_not_follow_is_named():
    """A procedure that calls an unknown instruction may move the robot; errors give the column."""
    first, *_ = run_of("IF DInput(d)=1 go;", "PROC go() strange 3; ENDPROC")
    assert first[0] == "IF"
    with pytest.raises(irb.RapidError) as caught:
        rapid.moves_of(
            rapid.read("MODULE m\nPROC main()\n   MoveL p,v10,fine;\nENDPROC\nENDMODULE")
        )
    assert (caught.value.line, caught.value.column) == (3, 4)


@pytest.mark.parametrize("call", ["foreign a;", 'TPReadNum a,"";', "SpotL x,v10,a,b,tool0;"])
def test_nothing_changes_a_constant(call):
    """An instruction that is not followed may change data among its arguments, but no CONST."""
    for storage, known in (("CONST", True), ("PERS", False)):
        driven = run_of(f"{call} {at('a')}", "", f"{storage} num a:=7;")
        assert (driven[-1] == 7) == known


def test_sizes_of_arrays_bound_loops():
    """``Dim`` of an array of the module, and of a parameter; what is no array has none."""
    driven = run_of(
        f"FOR i FROM 1 TO Dim(grid,2) DO {at('i')} ENDFOR each row; {at('Dim(a,1)')}{at('Dim(row,2)')}",
        f"PROC each(num one{{*}}) {at('Dim(one,1)+Dim(grid,1)')} ENDPROC",
        "VAR num grid{4,2}; VAR num row{7}; VAR num a;",
    )
    assert driven[:3] == [1, 2, 11]
    assert "a has 0 sizes, no size 1" in driven[3][1]
    assert "row has 1 sizes, no size 2" in driven[4][1]


def test_recursion_that_ends_is_followed():
    others = f"PROC down(num n) IF n>0 THEN {at('n')} down n-1; ENDIF ENDPROC"
    assert run_of("down 3;", others) == [3, 2, 1]
    fact = "FUNC num fact(num n) IF n<2 RETURN 1; RETURN n*fact(n-1); ENDFUNC"
    assert run_of(at("fact(5)"), fact) == [120]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("Round(2.5)", 3), ("Round(-2.5)", -3), (r"Round(0.3852138\Dec:=3)", 0.385),
        ("Trunc(-2.7)", -2), (r"Trunc(0.3852138\Dec:=2)", 0.38), ("Pow(2,3)-1", 7),
        ("ATan2(1,-1)", 135), ("14 DIV 4", 3), ("14 MOD 4", 2), ("ACos(0.5)", 60),
        ("-7 DIV 2", -3), ("7 DIV -2", -3), ("-7 MOD 4", -3), ("7 MOD -4", 3), ("-8 DIV 4", -2),
        ("Distance([0,0,0],[4,0,4])", math.sqrt(32)), ("VectMagn([1,1,1])", math.sqrt(3)),
        ("DotProd([1,2,3],[4,5,6])", 32), ("Min(3,2)", 2), ("Max(3,2)", 3),
    ],
)  # fmt: skip
def test_functions_have_values_told_by_hand(expression, value):
    """Values that are told by hand."""
    assert run_of(at(expression)) == [pytest.approx(value, abs=1e-9)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("-a", (-1, -2, -5)), ("+a", (1, 2, 5)), ("-a+b", (2, -6, 1)), ("a-b", (-2, 6, -1)),
        ("2*a", (2, 4, 10)), ("a*-2", (-2, -4, -10)), ("a/4", (0.25, 0.5, 1.25)),
        ("a*b", (32, 9, -10)), ("-(a-b)*2", (4, -12, 2)), ("-[1,2,3]", (-1, -2, -3)),
    ],
)  # fmt: skip
def test_positions_are_added_scaled_and_multiplied(expression, expected):
    """By hand, with a = [1, 2, 5] and b = [3, -4, 6]; ``a*b`` is the vector product."""
    shown = "".join(at(f"c.{component}") for component in "xyz")
    declared = "VAR pos a:=[1,2,5]; VAR pos b:=[3,-4,6]; VAR pos c;"
    assert run_of(f"c:={expression}; {shown}", "", declared) == pytest.approx(list(expected))


@pytest.mark.parametrize("expression", ["7.5 DIV 2", "7 MOD 0.5", "7 DIV 0", "7 MOD 0", "7/0"])
def test_operands_without_a_result_stop_a_program(expression):
    """Operands of DIV and MOD are integers (ABB, Basic Characteristics RAPID, 7.1)."""
    ((_, unknown),) = run_of(at(expression))
    assert f"{expression} is not evaluated" in unknown


@pytest.mark.parametrize("expression", ["o*2", "2*o", "o+o", "o*p", "p*o"])
def test_operands_of_other_types_stop_a_program(expression):
    """An orientation is multiplied by orientations alone, and never added."""
    declared = "VAR orient o:=[1,0,0,0]; VAR pos p:=[1,2,3]; VAR orient q;"
    ((_, unknown),) = run_of(f"q:={expression}; " + at(r"EulerZYX(\Z,q)"), "", declared)
    assert f"{expression} is not evaluated" in unknown


def test_angles_of_orientations_are_those_they_were_made_of():
    """Within nine decimals of a quaternion: 1e-7 degrees."""
    turned = "OrientZYX(40,10,-20)"
    angles = ";".join(at(rf"EulerZYX(\{axis},{turned})").rstrip(";") for axis in "ZYX")
    assert run_of(f"{angles};") == pytest.approx([40, 10, -20], abs=1e-7)


@pytest.mark.parametrize(
    "instruction",
    [
        "TriggL p10,v100,gunOn,fine,tool0;", "TriggJ p10,v100,gunOn,fine,tool0;",
        "MoveLDO p10,v100,fine,tool0,doGun,1;", "MoveJDO p10,v100,fine,tool0,doGun,1;",
        "MoveLSync p10,v100,fine,tool0,\"do\";", r"ArcLStart p10,v100,sm,wd\Weave:=wv,fine,tool0;",
        r"ArcL p10,v100,sm,wd,fine,tool0\WObj:=wobj0;", "MoveJAO p10,v100,fine,tool0,ao,1.5;",
    ],
)  # fmt: skip
def test_moves_with_signals_and_processes_are_moves(instruction):
    text = f"""MODULE m
CONST robtarget p10:=[[600,500,225],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
PROC main() {instruction} ENDPROC
ENDMODULE"""
    (move,) = rapid.moves_of(rapid.read(text))
    assert (move.target.trans.z, move.speed.v_tcp, move.zone.finep) == (225.0, 100.0, True)
    assert move.is_joint == ("J" in instruction.split()[0])
    assert not move.unknown


def test_strings_end_at_80_characters():
    """``s := s + s;`` is not known from the 81st character on, as the controller stops there."""
    assert len(operate("+", 40 * "a", 40 * "b")) == 80
    with pytest.raises(OverflowError, match="80 characters"):
        operate("+", 41 * "a", 40 * "b")
    doubled = "FOR i FROM 1 TO 60 DO\ns:=s+s;\nENDFOR\n"
    assert run_of(f"{doubled}{at(1)}", declarations='VAR string s:="ab";') == [1.0]


@pytest.mark.parametrize(
    "use",
    [
        "FOR i FROM 1 TO n*n DO\n{}\nENDFOR",
        "FOR i FROM 1 TO -n*n DO\n{}\nENDFOR",
        "n:=n*n;\na{{n}}:=1;\nIF a{{1}}=1 THEN\n{}\nENDIF",
        "IF a{{n*n-n*n}}=1 THEN\n{}\nENDIF",
        "Add n,n;\nFOR i FROM 1 TO n DO\n{}\nENDFOR",
        "n:=n/1E-9;\nFOR i FROM 1 TO n DO\n{}\nENDFOR",
    ],
)
def test_numbers_without_end_are_not_known(use):
    """What is larger than every number decides nothing, and stops nothing."""
    moves = run_of(use.format(at(1)), declarations="VAR dnum n:=1.7E308;\nVAR num a{3};")
    assert [isinstance(move, tuple) for move in moves] == [True, False]


def test_tiny_steps_take_too_many_rounds():
    """A STEP next to 0 runs into the bound on steps."""
    with pytest.raises(irb.RapidError, match="more than 20000 steps"):
        run_of(f"FOR i FROM 1 TO 5 STEP 1E-30*1E-290 DO\n{at(1)}\nENDFOR")


def test_constants_made_of_two_others_each_are_computed_once():
    """Sixty constants, each the sum of the next one and itself, take sixty sums, not 2^60."""
    chain = "".join(f"CONST num a{i}:=a{i - 1}+a{i - 1};\n" for i in range(60, 0, -1))
    assert run_of(at("a60"), declarations=f"CONST num a0:=1E-17;\n{chain}") == [2**60 * 1e-17]
    chain = "".join(f"CONST num a{i}:=a{i - 1}*a{i - 1};\n" for i in range(1, 60))
    with pytest.raises(irb.RapidError, match="size of an array"):
        rapid.read(f"MODULE m\nCONST num a0:=0.5;\n{chain}VAR num b{{a59}};\nENDMODULE")


def test_records_of_records_are_followed_up_to_a_size():
    """A record of 2^40 numbers has no value here; one of 2^3 has."""
    records = "".join(f"RECORD r{i}\nr{i - 1} x;\nr{i - 1} y;\nENDRECORD\n" for i in range(1, 41))
    given = {
        "declarations": f"RECORD r0\nnum x;\nnum y;\nENDRECORD\n{records}VAR r40 b;\nVAR r2 c;"
    }
    ((_, reason),) = run_of(at(f"b.{'x.' * 40}x"), **given)
    assert "2199023255552 values" in reason
    assert run_of(at("c.x.y.x"), **given) == [0.0]
