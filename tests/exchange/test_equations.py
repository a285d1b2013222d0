"""The text of a robot's equations, run as SymPy, read as MATLAB and as LaTeX, against Pinocchio."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from drives import COUPLED, every_term
from programs import evaluate, reference
from random_trees import random_urdf

import irbmodels as irb
from irbmodels import cli
from irbmodels.compiled.program import Output, Program, Step
from irbmodels.compiled.queries import QUERIES
from irbmodels.errors import InputError, MissingData, MissingExtra, UnknownName
from irbmodels.exchange.equations.equations import EQUATION_FORMATS, equations_text
from irbmodels.exchange.equations.notations import Latex, Matlab, Sympy
from irbmodels.robot.robot import from_urdf_text

pytest.importorskip("sympy")

CLOSE = 1e-9  # of the largest entry: constants are written with twelve digits
ROBOTS = ("irb2400", "irb1400", "irb1600", "irb930", "random 3", "random 8")
MAIN = ("pose", "jacobian", "mass_matrix", "coriolis", "gravity")
FUNCTIONS = {
    name: getattr(np, name) for name in ("sin", "cos", "exp", "log", "sqrt", "sign", "abs", "zeros")
}


@cache
def loaded(name):
    if name.startswith("random"):
        return from_urdf_text(random_urdf(int(name.split()[1])), name)
    return irb.load(name, tool="spindle" if name == "irb2400" else None)


def states(robot, count=3):
    rng = np.random.default_rng(1)
    return rng.uniform(-1.0, 1.0, (3, count, robot.n)) * np.array([2.5, 2.0, 5.0])[:, None, None]


def close(actual, wanted):
    assert len(actual) == len(wanted)
    for one, other in zip(actual, wanted, strict=True):
        np.testing.assert_allclose(
            np.reshape(one, np.shape(other)),
            other,
            rtol=0.0,
            atol=CLOSE * max(1e-9, np.abs(other).max()),
        )


# --- readers: each takes a text and one state, and knows nothing of the program


def run_sympy(text, names, state):
    """Run the module, put numbers for its symbols."""
    import sympy

    # thousands of terms, for whose code SymPy takes half a minute
    if names == ["C"] and "q5" in text:
        return lambda **state: run_numbers(text, names, state)
    made = {}
    exec(text, made)
    constants = made["CONSTANTS"]
    results = [
        made[name].tolist() if hasattr(made[name], "tolist") else made[name] for name in names
    ]
    symbols = [symbol for name in state for symbol in made[name]]
    function = sympy.lambdify([*symbols, *constants], results, cse=True)
    return lambda **state: function(
        *np.concatenate([state[name] for name in state]), *constants.values()
    )


def run_numbers(text, names, state):
    """Run the module with SymPy's numbers in place of the symbols."""
    from sympy import Float

    constants = dict(re.findall(r"^    (\w+): (\S+),  # \[", text, re.MULTILINE))

    def numbers(words, real):
        assert real
        given = (
            state[words.partition("1:")[0]]
            if ":" in words
            else [constants[word] for word in words.split()]
        )
        return [Float(float(value)) for value in given]

    exec(text.replace(" = symbols(", " = numbers("), made := {"numbers": numbers})
    return [np.array(made[name], dtype=float) for name in names]


def run_matlab(text, names, state):
    """Translate the function line by line."""
    text = re.sub(r"%[^\n]*", "", text).replace(" ...\n", " ")
    head, *lines = text.strip().splitlines()
    assert lines.pop() == "end"
    assert re.fullmatch(r"function \[?[\w, ]+\]? = [A-Za-z]\w*\(([\w, ]+)\)", head)[1] == ", ".join(
        state
    )
    source = []
    for statement in ";".join(lines).split(";"):
        zero_based = lambda text: ", ".join(str(int(i) - 1) for i in text.split(","))  # noqa: E731
        entry = lambda match: f"{match[1]}[{zero_based(match[2])}]"  # noqa: E731
        python = re.sub(rf"\b({'|'.join([*names, *state])})\(([\d, ]+)\)", entry, statement.strip())
        source.append(re.sub(r"zeros\(([\d, ]+)\)", r"zeros((\1,))", python).replace("^", "**"))
    code = compile("\n".join(source), "matlab", "exec")

    def call(**state):
        made = {**FUNCTIONS, **{name: np.array(value) for name, value in state.items()}}
        exec(code, made)
        return [np.squeeze(made[name]) for name in names]

    return call


LATEX = re.compile(r"(\\mathit\{\w+\}|\\partial_\{\w\} \\tau|\\tau|[A-Za-z])_\{([^{}]*)\}")


def python_of(latex):
    """Translate one side of an equation."""
    text = re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", latex)
    names = [match[0] for match in LATEX.finditer(text)]
    text = LATEX.sub("@", text)
    for old, new in (
        (r"\\tfrac\{(\d+)\}\{(\d+)\}", r"(\1/\2)"), (r"\\operatorname\{sgn\}", "sign"), (r"\\(sin|cos|exp)", r"\1"), (r"\\ln", "log"),
        (r"\\lvert", "abs("), (r"\\rvert", ")"),
        (r"\\sqrt\{", "sqrt("), (r"\^\{(-?[\d/]+)\}", r"**(\1)"), (r" \\, ", "*"), (r"\}", ")"),
    ):  # fmt: skip
        text = re.sub(old, new, text)
    return re.sub("@", lambda _: f"N[{names.pop(0)!r}]", text)


def run_latex(text, names, state):
    """Read constants from the table, and equations from the align* blocks."""
    constants = dict(re.findall(r"^\$(.+?)\$ & \$(.+?)\$ &", text, re.MULTILINE))
    equations = []
    for block in re.findall(r"\\begin\{align\*\}\n(.*?)\\end\{align\*\}", text, re.DOTALL):
        for line in block.strip().split(" \\\\\n"):
            if line.startswith(r"&\quad "):
                equations[-1] += f" {line.removeprefix('&').removeprefix(chr(92) + 'quad ')}"
            else:
                equations += re.split(r" & (?=[sc]_)", line)
    source = []
    for equation in equations:
        left, right = equation.split(" &= ")
        source.append(f"{' = '.join(map(python_of, left.split(' = ')))} = {python_of(right)}")
    code = compile("\n".join(source), "latex", "exec")

    def call(shapes, **state):
        known = {name: eval(python_of(value)) for name, value in constants.items()}
        for name, values in state.items():
            known |= {
                f"{Latex.words.get(name, name)}_{{{i}}}": value for i, value in enumerate(values, 1)
            }
        exec(code, made := {**FUNCTIONS, "N": known})
        results = []
        for name, shape in zip(names, shapes, strict=True):
            word = Latex.words.get(name, name)
            result = np.zeros(shape)
            for place in np.ndindex(*shape):
                below = ("," if max(place, default=0) > 8 else "").join(str(i + 1) for i in place)
                result[place] = made["N"].get(f"{word}_{{{below}}}" if shape else word, 0.0)
            results.append(result)
        return results

    return call


READERS = {"sympy": run_sympy, "matlab": run_matlab, "latex": run_latex}


def agrees(robot, what, fmt, drawn=None, **options):
    """Whether a text gives the robot's answers at three states."""
    q, v, a = states(robot) if drawn is None else drawn
    names = re.findall(
        r"^(\w+) = (?:zeros|MutableDenseNDimArray|0$)",
        equations_text(robot, what, "sympy"),
        re.MULTILINE,
    )
    wanted = reference(robot, what, np.stack([q, v, a]), **options)
    loaded_friction = what == "friction" and robot.friction_model.needs_load
    inputs = ("q", "v") if loaded_friction else QUERIES[what].inputs
    given = {name: {"q": q, "v": v, "a": a, "tau": a}[name] for name in inputs}
    call = READERS[fmt](equations_text(robot, what, fmt, **options), names, given)
    for i in range(3):
        state = {name: rows[i] for name, rows in given.items()}
        shapes = [[np.shape(x[i]) for x in wanted]] if fmt == "latex" else []
        close(call(*shapes, **state), [x[i] for x in wanted])


@pytest.mark.parametrize("fmt", EQUATION_FORMATS)
@pytest.mark.parametrize("name", ROBOTS)
def test_text_gives_the_robots_answers(name, fmt):
    """Pose, Jacobian, M, C and g, read back from the text, are what Pinocchio says."""
    for what in MAIN:
        agrees(loaded(name), what, fmt)


@pytest.mark.parametrize("fmt", EQUATION_FORMATS)
@pytest.mark.parametrize("what", sorted(set(QUERIES) - set(MAIN)))
def test_other_queries_can_be_written_too(what, fmt):
    """Inverse and forward dynamics with friction, energy, regressor and derivatives agree as
    well.
    """
    # SymPy takes half a minute to print the code for six axes
    robot = loaded("irb930" if fmt == "sympy" else "irb2400")
    if what == "friction" and robot.friction_model is None:
        robot = loaded("irb2400")
    drawn = states(robot)
    drawn[1, 1] *= 1e-3  # within the Stribeck speed
    agrees(robot, what, fmt, drawn)


def random_program(rng):
    """Return a program that no robot has: every operation, nested anyhow, with values that are used
    again.
    """
    steps = [Step("input", (i // 3, i % 3)) for i in range(6)] + [
        Step("constant", (0,)),
        Step("constant", (1,)),
    ]
    steps += [Step("number", number=x) for x in (1.0, -1.0, 0.5, 2.0, -0.25, 1.7, 3.0)]
    three = len(steps) - 1

    def step(operation, *operands):
        steps.append(Step(operation, operands))
        return len(steps) - 1

    for _ in range(int(rng.integers(3, 40))):
        one, other = (int(i) for i in rng.integers(0, len(steps), 2))
        match rng.choice(
            [
                "add",
                "sub",
                "mul",
                "neg",
                "div",
                "inv",
                "sin",
                "cos",
                "exp",
                "log",
                "sqrt",
                "sign",
                "abs",
                "angle",
            ]
        ):
            case "add" | "sub" | "mul" as operation:
                step(operation, one, other)
            case "div":
                step("div", one, step("add", three, step("sin", other)))
            case "inv":
                bounded = [step("add", three, step("cos", i)) for i in (one, other)]
                scaled = [
                    step("mul", three - 2, bounded[0]),
                    step("add", bounded[0], bounded[0]),
                    step("mul", *bounded),
                ]
                step("inv", [bounded[0], *scaled][int(rng.integers(4))])
            case "exp":
                step("exp", step("sin", one))
            case "log":
                step("log", step("add", three, step("sin", one)))
            case "sqrt":
                step("sqrt", step("abs", one))
            case "angle":
                angle = step(rng.choice(["add", "sub"]), *(int(i) for i in rng.permutation(3)[:2]))
                step(
                    rng.choice(["sin", "cos"]), step("neg", angle) if rng.random() < 0.5 else angle
                )
            case operation:
                step(operation, one)
    ends = (*map(int, rng.integers(8, len(steps), 5)), len(steps) - 1)
    return Program(
        "made", (("q", 3), ("v", 3)), ("MX1", "p2x"), tuple(steps), (Output("T", (2, 3), ends),)
    )


def run_body(fmt, program, constants, q, v):
    """Return the output of a program from its equations alone."""
    if fmt == "sympy":
        names = {
            f"{name}{i}": value
            for name, values in (("q", q), ("v", v))
            for i, value in enumerate(values, 1)
        }
        made = FUNCTIONS | {"Abs": abs, "zeros": lambda *n: np.zeros(n)} | names | constants
        exec("\n".join(Sympy(program).lines()), made)
        return made["T"]
    if fmt == "matlab":
        inputs = [f"{name}{i} = {name}({i});" for name in "qv" for i in (1, 2, 3)]
        head = [
            "function T = made(q, v)",
            *(f"{name} = {value!r};" for name, value in constants.items()),
        ]
        text = "\n".join([*head, *inputs, *Matlab(program).lines(), "end"])
        return run_matlab(text, ["T"], {"q": q, "v": v})(q=q, v=v)[0]
    table = [
        f"${Latex.constant(name)}$ & ${value!r}$ & m & \\\\" for name, value in constants.items()
    ]
    return run_latex("\n".join([*table, *Latex(program).lines()]), ["T"], None)([(2, 3)], q=q, v=v)[
        0
    ]


@pytest.mark.parametrize("fmt", EQUATION_FORMATS)
def test_parentheses_and_signs_hold_for_any_program(fmt):
    """Sums in products in powers in functions mean in every notation what the program computes."""
    rng, tried = np.random.default_rng(0), 0
    constants = {"MX1": -0.7, "p2x": 1.3}
    while tried < 120:
        program, (q, v) = random_program(rng), rng.uniform(-2.0, 2.0, (2, 3))
        count = len(program.steps)
        every = replace(program, outputs=(Output("x", (count,), tuple(range(count))),))
        largest = np.abs(evaluate(every, constants, q=q[None], v=v[None])["x"]).max()
        if largest > 1e6:
            continue
        wanted = evaluate(program, constants, q=q[None], v=v[None])["T"][0]
        np.testing.assert_allclose(
            run_body(fmt, program, constants, q, v), wanted, rtol=0.0, atol=1e-9 * largest
        )
        tried += 1


def test_octave_runs_the_functions(tmp_path):
    """Octave itself, where there is one, gives the robot's pose, C and inverse dynamics; others
    read the texts without it.
    """
    if shutil.which("octave") is None:
        return  # 300 MB of packages, too much to ask of a test machine
    robot = loaded("irb2400")
    q, v, a = states(robot)[:, 0]
    script = []
    for what, arguments in (("pose", (q,)), ("coriolis", (q, v)), ("inverse_dynamics", (q, v, a))):
        (tmp_path / f"irb2400_16_{what}.m").write_text(
            equations_text(robot, what, "matlab"), encoding="utf-8"
        )
        given = ", ".join(str(x.tolist()) for x in arguments)
        script.append(f"printf('%.17g ', irb2400_16_{what}({given})');")
    ran = subprocess.run(
        ["octave", "-qf", "--eval", " ".join(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    actual = np.array(ran.stdout.split(), dtype=float)
    wanted = [robot.pose(q).homogeneous, robot.coriolis(q, v), robot.inverse_dynamics(q, v, a)]
    close([actual[:16], actual[16:52], actual[52:]], [x.ravel() for x in wanted])


def test_sympy_can_differentiate_the_text():
    """The derivative of the pose's position by SymPy is the Jacobian's upper half."""
    import sympy

    exec(equations_text(robot := loaded("irb2400"), "pose", "sympy"), made := {})
    q = states(robot)[0, 0]
    derivative = (
        made["T"][:3, 3]
        .jacobian(made["q"])
        .subs(made["CONSTANTS"])
        .subs(dict(zip(made["q"], q.tolist(), strict=True)))
    )
    close([np.array(sympy.N(derivative), dtype=float)], [robot.jacobian(q)[:3]])


@pytest.mark.parametrize("frame", ["tool0", "link_3", "link_rod", "base"])
def test_frames_are_as_asked(frame):
    """The pose of a frame in between, of a bar, and of the base itself, which needs no equation of
    q.
    """
    robot = irb.load("irb2400")
    for fmt in EQUATION_FORMATS:
        agrees(robot, "pose", fmt, frame=frame)


def test_tool_payload_stand_and_rotors_are_inside():
    """What a robot carries, and how it stands, is in the numbers."""
    robot = (
        irb.load("irb1600")
        .with_payload(irb.payload(4.0, [0.1, 0.0, 0.2]))
        .with_rotors([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
    )
    robot = robot.with_gravity([1.0, 2.0, -9.0])
    for what in ("mass_matrix", "gravity"):
        agrees(robot, what, "matlab")


@pytest.mark.parametrize("fmt", EQUATION_FORMATS)
def test_friction_of_coupled_drives_with_every_term(fmt):
    """Of a law with load the equations are of q and v; the notes state it."""
    law = replace(every_term(), mu=np.array([0.0, 0.0, 0.0, 0.0, 0.05, 0.0]))
    robot = irb.load("irb1600").with_drives(COUPLED).with_friction(law)
    agrees(robot, "friction", fmt)
    text = " ".join(re.sub(r"\n[%#] ", " ", equations_text(robot, "friction", fmt)).split())
    assert "of each drive at speeds" in text


def test_the_pose_of_the_2400_is_a_page():
    """Pose of tool0: the rows that LaTeX prints, table and definitions included, fit on a page."""
    text = equations_text(irb.load("irb2400"), "pose", "latex", "tool0")
    assert text.count("\\\\\n") + text.count("\\end{align*}") + text.count("\\par") <= 40
    equations = text.split("\\begin{align*}")[2]
    assert (
        r"T_{34} &= p_{1,z} + p_{3,x} \, c_{2} + p_{4,x} \, c_{3} - p_{4,y} \, s_{3} + p_{E,z} \,"
        r" T_{33}" in equations
    )


def test_angles_of_parallel_axes_are_added():
    """Behind the parallelogram the pose knows q3 alone; the mass matrix, which needs it, has q3 -
    q2; the 1600's arm q2 + q3.
    """
    assert "q3 - q2)" not in equations_text(irb.load("irb2400"), "pose", "matlab")
    assert "s3m2 = sin(q3 - q2); c3m2 = cos(q3 - q2);" in equations_text(
        irb.load("irb2400"), "mass_matrix", "matlab"
    )
    assert "s23 = sin(q2 + q3); c23 = cos(q2 + q3);" in equations_text(
        irb.load("irb1600"), "pose", "matlab"
    )


@pytest.mark.parametrize("fmt", EQUATION_FORMATS)
def test_parallel_axes_keep_their_offsets_and_senses(fmt):
    """Angles are added where a joint is turned over, and where one follows another with an
    offset.
    """
    tensor = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><origin xyz="0.1 0.02 0"/><mass value="2"/>{tensor}</inertial>'
    links = "".join(f'<link name="link_{i}">{inertial}</link>' for i in range(4))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><origin xyz="0.{i} 0.3 0"/><parent'
        f' link="link_{i - 1}"/><child link="link_{i}"/><axis xyz="0 0 {sense}"/>{mimic}</joint>'
        for i, sense, mimic in (
            (1, 1, ""),
            (2, 1, '<mimic joint="j1" multiplier="-2" offset="0.3"/>'),
            (3, -1, ""),
        )
    )
    robot = from_urdf_text(f'<robot name="flat">{links}{joints}</robot>', "flat")
    for what in ("pose", "jacobian", "mass_matrix", "coriolis"):
        agrees(robot, what, fmt)


def test_a_mass_is_no_entry_of_the_mass_matrix():
    """LaTeX's name for the mass of body 12 differs from that of entry (1, 2) of M."""
    assert Latex.constant("M12") == "m_{12}"


@pytest.mark.parametrize("name", ["irb2400", "irb1400", "irb1600", "irb930"])
def test_lengths_are_named_after_the_dh_table(name):
    """Every length of a joint says which entry of the modified DH table it is, and has its
    value.
    """
    robot = irb.load(name)
    table, actual = robot.dh(), 0
    for line in equations_text(robot, "pose", "sympy").splitlines():
        if source_text := re.search(r"p\w+: (\S+),  # \[m\] .*, (-1 )?([ad]) of DH row (\d)", line):
            value = getattr(table, source_text[3])[int(source_text[4]) - 1] * (
                -1.0 if source_text[2] else 1.0
            )
            assert float(source_text[1]) == pytest.approx(value, rel=1e-11)
            actual += 1
    assert actual == np.count_nonzero(table.a) + np.count_nonzero(table.d)


def test_every_constant_has_its_value():
    """The numbers that stand in the text, inertials included, are the mechanism's to twelve
    digits.
    """
    from irbmodels.model.mechanism import mechanism_of

    robot = loaded("irb2400")
    free = mechanism_of(robot.dynamic_model, friction=True).free
    lines = re.findall(
        r"^(\w+) = (\S+); % \[", equations_text(robot, "inverse_dynamics", "matlab"), re.MULTILINE
    )
    assert len(lines) > 60
    for name, value in lines:
        assert float(value) == pytest.approx(free[name], rel=1e-11)


def test_text_is_the_same_in_every_process():
    """An interpreter with another hash seed writes the same bytes."""
    code = "import irbmodels as irb; robot = irb.load('irb930'); "
    code += "print([irb.equations_text(robot, 'mass_matrix', fmt) for fmt in ('sympy', 'latex')])"
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = os.environ | {"PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    robot = loaded("irb930")
    here = [equations_text(robot, "mass_matrix", fmt) for fmt in ("sympy", "latex")]
    assert done.stdout == f"{here}\n"
    assert "ZZ4" in done.stdout


def test_names_of_files_cannot_break_the_text(tmp_path):
    """A robot of a file whose name is no identifier, and means something to LaTeX, is written as it
    is.
    """
    text = random_urdf(3).replace('name="random_3"', 'name="3%_arm $x&#10;y"')
    robot = from_urdf_text(text, "arm")
    exec(equations_text(robot, "gravity", "sympy"), {})
    assert equations_text(robot, "gravity", "matlab").startswith(
        "function g = robot_3__arm__x_y_gravity(q)"
    )
    assert r"\noindent 3\%\_arm \$x y: " in equations_text(robot, "gravity", "latex")


def test_what_does_not_exist_is_refused(monkeypatch):
    """Unknown queries, formats and frames, a frame where none belongs, friction that is not known,
    and no SymPy.
    """
    robot = irb.load("irb1600")
    for arguments, error in (
        (("pose", "word"), UnknownName), (("poses", "latex"), UnknownName), (("pose", "latex", "nose"), UnknownName),
        (("gravity", "latex", "tool0"), InputError), (("friction", "latex"), MissingData),
    ):  # fmt: skip
        with pytest.raises(error):
            equations_text(robot, *arguments)
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtra, match="equations"):
        equations_text(robot, "pose")


def test_command_writes_the_file_or_one_line(tmp_path, capsys):
    """The command writes what Python returns; a mistake is one line and exit code 2."""
    target = tmp_path / "pose.tex"
    assert (
        cli.main(
            [
                "equations",
                "irb2400",
                "--what",
                "pose",
                "--frame",
                "tool0",
                "--tool",
                "spindle",
                "-o",
                str(target),
            ]
        )
        == 0
    )
    assert target.read_text(encoding="utf-8") == equations_text(
        loaded("irb2400"), "pose", "latex", "tool0"
    )
    capsys.readouterr()
    assert (
        cli.main(
            ["equations", "irb2400", "--what", "gravity", "--as", "matlab", "--parameters", "cad"]
        )
        == 0
    )
    assert capsys.readouterr().out == equations_text(
        irb.load("irb2400", parameters="cad"), "gravity", "matlab"
    )
    assert cli.main(["equations", "irb2400", "--what", "posse"]) == 2
    assert capsys.readouterr().err.startswith("error: no query 'posse'; did you mean 'pose'?")
