"""Branches and loops that the run chooses, against the program run by Python with all its choices.

The oracle makes random programs in RAPID and in Python at once; Python takes each branch by a coin
and tells the moves that it makes. They have to be a way through the sequence: each move one that
may come right after the one before it, with this target or none that is known.
"""

import numpy as np
import pytest
from rapid_modules import FRAME

from irbmodels import rapid
from irbmodels.rapid.program.sequence import _MAX_DOUBTFUL


def at(angle):
    return f"MoveAbsJ [[{angle},0,0,0,30,0],{FRAME}],v100,fine,tool0;"


def run_of(main, others="", declarations="VAR num a; VAR num b; VAR num row{2}; VAR pos p;"):
    text = f"MODULE m\n{declarations}\nPROC main()\n{main}\nENDPROC\n{others}\nENDMODULE"
    return rapid.sequence_of(rapid.read(text))


def driven(*args):
    """Return angles of axis 1, None where they are not known, of moves alone."""
    return [
        None if move.unknown else move.target.robax.rax_1
        for move in run_of(*args)
        if move.is_motion
    ]


class Twin:
    """A random program in RAPID and in Python; each move stands on a line of its own."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.rapid, self.python, self.deep, self.loops = [], [], 0, 0

    def value(self):
        """Return a number or a sum in RAPID and in Python."""
        names = {"a": "a", "b": "b", "row{1}": "row[0]", "row{2}": "row[1]", "p.y": "p[1]"}
        name = list(names)[self.random.integers(0, 5)]
        number = str(self.random.integers(1, 9))
        if self.random.random() < 0.5:
            return number, number
        return f"{name}+{number}", f"{names[name]}+{number}"

    def line(self, text, twin):
        """Add a line to both."""
        self.rapid.append(text)
        self.python.append("    " * self.deep + twin)

    def block(self, length, routine=""):
        """Add instructions to both."""
        for _ in range(length):
            pick, (value, twin) = self.random.integers(0, 11), self.value()
            if pick < 3:
                names = {"a": "a", "b": "b", "row{2}": "row[1]", "p.y": "p[1]"}
                name = list(names)[self.random.integers(0, 4)]
                self.line(f"{name}:={value};", f"{names[name]}={twin}")
            elif pick < 6:
                line = len(self.rapid)
                self.line(at(value), f"go('{routine}',{line},{twin})")
            elif pick == 6 and self.deep < 5:
                self.line("IF DInput(d)=1 THEN", "if coin():")
                self.nested(routine)
                self.line("ELSEIF a<b THEN", "elif a<b:")
                self.nested(routine)
                if self.random.random() < 0.5:
                    self.line("ELSE", "else:")
                    self.nested(routine)
                self.rapid.append("ENDIF")
            elif pick == 7 and self.deep < 5:
                self.line("FOR i FROM 1 TO 2 DO", "for i in (1,2):")
                self.nested(routine)
                self.rapid.append("ENDFOR")
            elif pick == 8 and self.deep < 5:
                self.line("WHILE DInput(d)=1 DO", "for turn in turns():")
                self.nested(routine)
                self.rapid.append("ENDWHILE")
            elif pick == 9 and not routine:
                self.line("helper;", "helper()")
            elif pick == 10 and routine:
                self.line("IF DInput(d)=1 RETURN;", "if coin(): return")
            elif pick == 10:
                self.line("IF DInput(d)=1 EXIT;", "if coin(): raise Exit")

    def nested(self, routine):
        """Add a block to both, which changes a datum at least."""
        self.deep += 1
        self.line("a:=a+1;", "a=a+1")
        self.block(2, routine)
        self.deep -= 1


class Exit(Exception):
    """The program ends."""


def twin_of(seed):
    """Return the sequence of a random program, line numbers of its moves, and its Python twin."""
    program, helper = Twin(seed), Twin(seed + 1000)
    program.block(9)
    helper.deep = 1
    helper.block(4, "helper")
    helper.deep = 0
    begin = "a:=3; b:=4; row{1}:=5; row{2}:=6; p.y:=7;"
    main = "\n".join([begin, *program.rapid])
    others = "\n".join(["PROC helper()", *helper.rapid, "ENDPROC"])
    first = 3 + 1 + 1 + len(program.rapid) + 2  # the first line of the helper
    sources = [
        "def helper():\n    global a, b\n    a=a+1",
        *helper.python,
        "try:\n    helper_is_known=True",
        *(f"    {line}" for line in program.python),
        "except Exit: pass",
    ]
    helper.rapid.insert(0, "")
    offsets = {"": 5, "helper": first}
    others = others.replace("PROC helper()\n", "PROC helper() a:=a+1;\n")
    return run_of(main, others), offsets, compile("\n".join(sources), "twin", "exec")


def concrete_run(code, random):
    """Return lines and angles of the moves of one run; None for a later round of a loop."""
    moves, later = [], []

    def turns():
        for number in range(int(random.integers(0, 4))):
            later.append(number > 0)
            yield number
            later.pop()

    def go(routine, line, angle):
        moves.append(None if any(later) else (routine, line, angle))

    scope = dict(a=3, b=4, row=[5, 6], p=[0, 7, 0], Exit=Exit, turns=turns, go=go)
    scope["coin"] = lambda: random.random() < 0.5
    exec(code, scope)
    return moves


@pytest.mark.parametrize("seed", range(60))
def test_every_run_is_a_way_through_the_sequence(seed):
    """Branches, loops, a routine with RETURNs, EXIT: 30 runs of each of 60 programs."""
    sequence, offsets, code = twin_of(seed)
    after = [
        {number - back for back in move.after if back <= number} | {-1}
        if any(back > number for back in move.after)
        else {number - back for back in move.after}
        for number, move in enumerate(sequence)
    ]
    random = np.random.default_rng(seed)
    for _ in range(30):
        stands = {-1}  # numbers of instructions that may have been the last
        for made in concrete_run(code, random):
            if made is None:  # a later round: not listed
                stands = set(range(-1, len(sequence)))
                continue
            routine, line, angle = made
            reached = set(stands)
            for number, move in enumerate(sequence):  # notes are passed
                if not move.is_motion and after[number] & reached:
                    reached.add(number)
            stands = {
                number
                for number, move in enumerate(sequence)
                if move.is_motion
                and move.line == line + offsets[routine]
                and after[number] & reached
                and (move.unknown or move.target.robax.rax_1 == pytest.approx(angle))
            }
            assert stands, (made, [(m.line, m.unknown) for m in sequence])


@pytest.mark.parametrize(
    ("body", "angles"),
    [
        ("IF c a:=1;<a>", [None]),
        ("IF c THEN a:=1; ELSE a:=1; ENDIF<a>", [1]),
        ("IF c THEN a:=1; b:=5; ELSEIF d THEN a:=1; b:=6; ELSE a:=1; b:=5; ENDIF<a><b>", [1, None]),
        ("a:=2; IF c THEN<a> a:=1;<a> ELSE<a> ENDIF", [2, 1, 2]),
        ("a:=2; IF c THEN a:=1; RETURN; ENDIF<a>", [2]),
        ("early;<a><b>", [None, 4]),
        ("a:=early2();<a><b>", [9, None]),
        ("row{1}:=1; row{2}:=2; IF c row{2}:=3;<row{1}><row{2}>", [1, None]),
        ("p:=[1,2,3]; IF c p.y:=9;<p.x><p.y>", [1, None]),
        ("a:=1; WHILE c DO<a> a:=a+1;<a> ENDWHILE<a> a:=7;<a>", [1, 2, None, 7]),
        ("a:=1; b:=5; FOR i FROM 3 TO DInput(d) DO<i><a> a:=2; ENDFOR<a><b>", [3, 1, None, 5]),
        ("a:=1; a:=searched();<a>", [None]),
        ("a:=late();<a>", [None]),  # 2 in the third round
        ("WHILE TRUE DO a:=a+1;<a> IF c leave; ENDWHILE", [1, 2]),
        ("outer;<a>", [1, None]),
        ("later;<a>", [None]),  # 2 from the fourth round on
        ("a:=1; IF c endless;<a>", [5] * 41 + [None]),
        ("IF c down 3;", [3, 2, 1]),
        ("down DInput(d);", [None]),
        ("a:=1; b:=2; IF c k:=3; IF k=3 THEN<a> ELSE<b> ENDIF", [1, 2]),  # k may be another
    ],
)
def test_branches_are_joined_where_they_agree(body, angles):
    """By datum, element and component; RETURN joins its state at the end of the routine, a loop
    what any number of rounds may leave.
    """
    others = f"""PROC early() a:=1; b:=4; IF c RETURN; a:=2; ENDPROC
FUNC num early2() IF c THEN b:=1; RETURN 9; ENDIF b:=2; RETURN 9; ENDFUNC
FUNC num searched() VAR num k:=0; k:=0; WHILE d DO k:=k+1; IF c RETURN k; ENDWHILE RETURN 1; ENDFUNC
FUNC num late() VAR num k; VAR num n; k:=1; n:=1;
  WHILE d DO IF c RETURN k; k:=n; n:=2; ENDWHILE RETURN 1; ENDFUNC
PROC later() VAR num n; n:=1; a:=1; b:=1;
  WHILE TRUE DO IF c RETURN; a:=b; b:=n; n:=2; ENDWHILE ENDPROC
PROC leave() EXIT; ENDPROC
PROC endless() a:=5; {at("a")} endless; ENDPROC
PROC down(num n) IF n>0 THEN {at("n")} down n-1; ENDIF ENDPROC
PROC outer() a:=0; WHILE TRUE DO a:=a+1; IF a<2 THEN {at("a")} ENDIF IF c RETURN; ENDWHILE ENDPROC"""
    declarations = (
        "VAR num a; VAR num b; VAR bool c; VAR bool d; PERS num k:=3; VAR num row{2}; VAR pos p;"
    )
    for name in ("a", "b", "i", "row{1}", "row{2}", "p.x", "p.y"):
        body = body.replace(f"<{name}>", f" {at(name)} ")
    assert driven(body, others, declarations) == angles


def test_moves_say_what_they_may_come_after():
    """Each branch from where the IF stands; the move after it from all of their ends."""
    body = (
        f"{at(1)} IF DInput(d)=1 THEN {at(2)} {at(3)} ELSEIF DInput(e)=1 THEN {at(4)} ENDIF {at(5)}"
    )
    assert [move.after for move in run_of(body)] == [(1,), (1,), (1,), (1,), (3,), (2, 1, 4)]


def test_many_branches_are_driven_once_each():
    """A hundred IFs one after another, and calls that double twenty times, in bounded steps."""
    ifs = "".join(f"IF DInput(d)={k} THEN {at(k % 90)} ENDIF " for k in range(100))
    assert driven(ifs) == [k % 90 for k in range(100)]
    others = "".join(
        f"PROC p{k}() IF DInput(d)=1 THEN p{k + 1}; ELSE p{k + 1}; ENDIF ENDPROC\n"
        for k in range(20)
    )
    doubled = run_of(f"p0; {at(5)}", f"{others} PROC p20() {at(2)} ENDPROC")
    assert len(doubled) < 3 * _MAX_DOUBTFUL
    assert any("not followed again" in move.unknown for move in doubled)
    assert doubled[-1].target.robax.rax_1 == 5
    endless = f"IF DInput(d)=1 THEN FOR i FROM 1 TO 1E9 DO {at('1')} ENDFOR ENDIF {at(5)}"
    assert driven(endless)[-1] == 5
