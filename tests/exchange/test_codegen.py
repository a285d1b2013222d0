"""The C export: compiled as strictly as compilers can, it answers what Pinocchio answers, and its
self-test notices errors.
"""

import contextlib
import ctypes
import functools
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import oracles
import pytest
from drives import COUPLED, every_term

import irbmodels as irb
from irbmodels import cli
from irbmodels.compiled.program import Output, Program, Step
from irbmodels.compiled.queries import OF_FRAMES, QUERIES
from irbmodels.exchange.c import codegen, notes
from irbmodels.exchange.c import selftest as c_selftest
from irbmodels.exchange.c.elementary import helpers_text, preamble
from irbmodels.exchange.c.writer import (
    DOUBLE,
    SINGLE,
    Dialect,
    function_text,
)
from irbmodels.robot.queries import reference

if shutil.which("gcc") is None:
    pytest.skip("no gcc", allow_module_level=True)

STRICT = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wpedantic",
    "-Wshadow",
    "-Wdouble-promotion",
    "-Werror",
]
COMPILERS = [
    "gcc",
    pytest.param(
        "clang", marks=pytest.mark.skipif(shutil.which("clang") is None, reason="no clang")
    ),
]
ROBOTS = {"irb2400": "spindle", "irb1400": None, "irb930": None}
ALL = list(QUERIES)


def assembled(source, *options, compiler="gcc", optimise="-O2"):
    """Compile a file to an object beside it, with its assembly text; once for each call."""
    assembly, target = source.with_suffix(f".{compiler}.s"), source.with_suffix(f".{compiler}.o")
    flags = [*STRICT, optimise, "-fPIC", *options]
    subprocess.run([compiler, *flags, "-S", source, "-o", assembly], check=True)
    subprocess.run([compiler, "-c", assembly, "-o", target], check=True)
    return target


def linked(source, selftest, target, compiler="gcc"):
    """Link a file or object of an export with its self-test; return the program."""
    flags = [*STRICT, "-O0"] if source.suffix == ".c" else []
    subprocess.run([compiler, *flags, source, selftest, "-o", target], check=True)
    return target


def compiled(folder, name, *options, optimise="-O0"):
    """Compile an export with its self-test; return the program."""
    test = folder / f"{name}_selftest.c"
    source = assembled(folder / f"{name}.c", *options, optimise=optimise)
    return linked(source, assembled(test, optimise="-O0"), folder / "selftest")


def verdict(program):
    """Run a self-test; return its exit code and its lines."""
    done = subprocess.run([program], capture_output=True, text=True, timeout=20, check=False)
    return done.returncode, done.stdout.splitlines()


def shared(text, folder, *options, compiler="gcc"):
    """Compile C text as a shared object and load it."""
    (folder / "text.c").write_text(text)
    target = folder / f"text{len(list(folder.glob('*.so')))}.so"
    subprocess.run(
        [compiler, *STRICT, "-O2", "-fPIC", "-shared", *options, folder / "text.c", "-o", target],
        check=True,
    )
    return ctypes.CDLL(str(target))


def pointers(*arrays):
    return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """Every query of three robots."""
    made = {}
    for name, tool in ROBOTS.items():
        robot, folder = irb.load(name, tool=tool), tmp_path_factory.mktemp(name)
        what = [query for query in ALL if query != "friction" or robot.friction_model]
        with (
            pytest.warns(irb.PhysicsWarning)
            if robot.friction_model is None
            else contextlib.nullcontext()
        ):
            codegen.write_c(robot, folder, what)
        made[name] = robot, folder, what
    return made


@pytest.fixture(scope="module")
def objects(exports):
    """Return objects of an export, its functions and its self-test, by robot and compiler."""

    @functools.cache
    def build(name, compiler="gcc"):
        robot, folder, _ = exports[name]
        return (
            assembled(folder / f"{robot.name}.c", compiler=compiler),
            assembled(folder / f"{robot.name}_selftest.c", compiler=compiler, optimise="-O0"),
        )

    return build


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_self_test_passes(name, compiler, exports, objects, tmp_path):
    """Both compilers take it without a warning, and every function is Pinocchio's to 1e-9 and
    passes NaN on.
    """
    robot, _, what = exports[name]
    program = linked(*objects(name, compiler), tmp_path / "selftest", compiler)
    code, lines = verdict(program)
    assert code == 0, lines
    assert [line.partition(":")[0] for line in lines] == [f"{robot.name}_{query}" for query in what]
    assert all(line.endswith("of 1e-9: ok") for line in lines)
    assert max(float(line.split()[3]) for line in lines) < 1e-11


def test_a_fused_multiplier_changes_nothing(exports, objects, tmp_path):
    """The self-test, which passes without one (the default of -std=c99), passes with one."""
    robot, folder, _ = exports["irb2400"]
    shutil.copy(folder / f"{robot.name}.h", tmp_path)
    source = Path(shutil.copy(folder / f"{robot.name}.c", tmp_path))
    native = ["-march=native"] if platform.machine() == "x86_64" else []
    functions = assembled(source, *native, "-ffp-contract=fast", optimise="-O1")
    assert verdict(linked(functions, objects("irb2400")[1], tmp_path / "selftest"))[0] == 0


@pytest.mark.parametrize("name", oracles.NAMES)
def test_every_robot_in_single_precision(name, tmp_path):
    """In float all ten robots answer to 1e-4, with tool, payload, rotors and tilted base where they
    can.
    """
    robot = (
        irb.load(name)
        .with_payload(irb.payload(2.0, [0.1, 0.0, 0.05]))
        .with_gravity([1.0, 2.0, -9.0])
    )
    robot = robot.with_rotors([0.5] * robot.n)
    files = codegen.write_c(
        robot,
        tmp_path,
        ["inverse_dynamics", "forward_dynamics", "jacobian"],
        friction="2400" in name,
        single=True,
    )
    assert [path.name for path in files] == [
        f"{robot.name}.h",
        f"{robot.name}.c",
        f"{robot.name}_selftest.c",
    ]
    assert not re.search(
        r"\bdouble\b|\d\.\d+(?![\d.ef])", strip_comments((tmp_path / f"{robot.name}.c").read_text())
    )
    code, lines = verdict(compiled(tmp_path, robot.name, optimise="-O1"))
    assert code == 0, lines
    assert all(line.endswith("of 1e-4: ok") for line in lines)


@pytest.mark.parametrize("single", [False, True])
def test_friction_of_coupled_drives_with_every_term(single, tmp_path):
    """Torques and friction, which takes positions for its load, as Pinocchio has them; the header
    states the law.
    """
    robot = irb.load("irb1600").with_drives(COUPLED).with_friction(every_term())
    what = ["inverse_dynamics", "friction", "regressor"]
    codegen.write_c(robot, tmp_path, what, single=single)
    assert verdict(compiled(tmp_path, robot.name))[0] == 0
    header = " ".join((tmp_path / f"{robot.name}.h").read_text().replace(" * ", " ").split())
    assert (
        "Friction: included, (Fc + (Fs - Fc) exp(-(w/v_St)^2) + mu |u|) sgn(w) + Fv w"
        " + dFc |sgn(w)| + dFv |w| + Fd w/(v_d + |w|) of each drive at speeds w = D v and static"
        " torques u, D' u = g; of the axes D' f with sgn(0) = 0"
    ) in header
    assert re.search(r"_friction\(const (float|double) q\[6\], const (float|double) v\[6\]", header)


def strip_comments(text):
    return re.sub(r'/\*.*?\*/|".*?"', "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", ROBOTS)
def test_library_gives_the_robots_answers(name, exports, objects, tmp_path):
    """As a shared object, at states that are not the self-test's, it answers what the robot does;
    outputs may be inputs.
    """
    robot, target = exports[name][0], tmp_path / "lib.so"
    subprocess.run(["gcc", "-shared", objects(name)[0], "-o", target], check=True)
    library, rng, n = ctypes.CDLL(str(target)), np.random.default_rng(7), robot.n
    sources = dict.fromkeys(QUERIES, robot.dynamic_model)
    sources |= dict.fromkeys(OF_FRAMES, robot.find_frame("tcp"))
    queries = ("mass_matrix", "coriolis", "gravity", "energy", "regressor", "pose", "jacobian")
    for _ in range(20):
        q, v, a, tau = rng.uniform(-1.0, 1.0, (4, n)) * [[2.5], [3.0], [20.0], [300.0]]
        q = np.where(robot.limits.linear, q / 10.0, q)
        given = {"q": q, "v": v, "a": a, "tau": tau}
        for query in (*queries, "forward_dynamics", "inverse_dynamics"):
            inputs = [given[label] for label in QUERIES[query].inputs]
            expected = reference(query, sources[query])(*inputs)
            results = [np.full(output.shape, np.nan) for output in expected]
            getattr(library, f"{robot.name}_{query}")(*pointers(*inputs, *results))
            for result, output in zip(results, expected, strict=True):
                atol = 1e-12 * np.abs(output).max(initial=1e-3)
                np.testing.assert_allclose(result, output, rtol=0, atol=atol, err_msg=query)
        same = a.copy()
        getattr(library, f"{robot.name}_inverse_dynamics")(*pointers(q, v, same, same))
        np.testing.assert_allclose(same, expected[0], rtol=0, atol=1e-10)


MUTATIONS = {
    "a length": (r"(p3x += )0\.705", r"\g<1>0.70501"),
    "an inertia": (r"(ZZ6 += )0\.2119", r"\g<1>0.2120"),
    "Coulomb friction": (r"(FC5 += )13\.7", r"\g<1>13.70001"),
    "Stribeck speed": (r"(KS1 += 1384)0", r"\g<1>1"),
    "a digit of the sine": (r"1\.98412698", "1.98422698"),
    "the second part of a right angle": (r"6\.0771005", "6.1771005"),
    "the sign of the cosine": (r"nearest\.bits \+ 1u", "nearest.bits"),
    "an operation": (r"gz \* turn1\.sin", "gz * turn1.cos"),
    "the sign of zero speed": (r"\(x < 0\.0\) \| \(x > 0\.0\)", "(x < 0.0) | (x >= 0.0)"),
    "crawling backwards": (r"\(x < 0\.0\) \| \(x > 0\.0\)", "(x < -1e-9) | (x > 0.0)"),
    "NaN of a speed lost": (r"(const double v1 = )v\[0\]", r"\g<1>(v[0] == v[0] ? v[0] : 0.0)"),
    "an entry of the pose": (r"(T\[3\]\[3\] = )1\.0", r"\g<1>0.0"),
}


@pytest.mark.parametrize("what", MUTATIONS)
def test_self_test_notices(what, exports, objects, tmp_path):
    """A changed constant, digit, sign, branch or operation makes the self-test fail."""
    robot, folder, _ = exports["irb2400"]
    shutil.copy(folder / f"{robot.name}.h", tmp_path)
    text = (folder / f"{robot.name}.c").read_text()
    changed = re.sub(*MUTATIONS[what], text, count=1)
    assert changed != text
    (source := tmp_path / f"{robot.name}.c").write_text(changed)
    code, lines = verdict(linked(source, objects("irb2400")[1], tmp_path / "selftest"))
    assert code == 1
    assert any(line.endswith("FAILED") for line in lines)


def test_every_constant_counts(tmp_path):
    """Each number of the dynamics and the pose of the 2400, changed by a percent, makes the
    self-test fail.
    """
    robot = irb.load("irb2400", tool="spindle")
    codegen.write_c(robot, tmp_path, ["inverse_dynamics", "pose"])
    source = tmp_path / "irb2400_16.c"
    text = source.read_text().replace("static const double", "static double")
    hooks = re.findall(r"^static double (\w+) +=", text, re.MULTILINE)
    assert len(hooks) > 60
    table = ", ".join(f"&{name}" for name in hooks)
    source.write_text(f"{text}\nvoid change(int number, double factor);\nvoid change(int number, double factor)\n{{\n"
                      f"    double *all[] = {{{table}}};\n    *all[number] *= factor;\n}}\n")  # fmt: skip
    test = tmp_path / "irb2400_16_selftest.c"
    call = f"""int main(void)
{{
    int number, missed = 0;
    void change(int number, double factor);
    for (number = 0; number < {len(hooks)}; number++) {{
        change(number, 1.01);
        if (!all_of()) {{
            printf("missed %d\\n", number);
            missed++;
        }}
        change(number, 1.0 / 1.01);
    }}
    return missed;
}}
"""
    test.write_text(test.read_text().replace("int main(void)", "static int all_of(void)") + call)
    code, lines = verdict(compiled(tmp_path, "irb2400_16", optimise="-O1"))
    assert [hooks[int(line.split()[1])] for line in lines if line.startswith("missed")] == []
    assert code == 0


def elementary(dialect, folder, *options, compiler="gcc"):
    """Return sine, cosine, exponential and others as functions of arrays."""
    names = ("sin", "cos", "exp", "log", "sqrt", "sign", "abs")
    steps = (Step("input", (0, 0)), *(Step(name, (0,)) for name in names))
    program = Program("f", (("x", 1),), (), steps, (Output("y", (7,), tuple(range(1, 8))),))
    real = dialect.real
    loop = (
        f"void each(int count, const {real} *x, {real} *y);\nvoid each(int count, const {real} *x,"
        f" {real} *y)\n{{\n    int i;\n    for (i = 0; i < count; i++) {{\n        f(x + i, y + 7 *"
        " i);\n    }\n}\n"
    )
    function = function_text(program, "f", {}, dialect._replace(function="static "))
    text = "\n".join(
        [
            "#include <float.h>\n#include <stdint.h>",
            preamble(dialect),
            helpers_text([program], dialect),
            function,
            loop,
        ]
    )
    library = shared(text, folder, *options, compiler=compiler)

    def each(x):
        x = np.ascontiguousarray(x, np.float32 if dialect.single else np.float64)
        y = np.empty((x.size, 7), x.dtype)
        library.each(x.size, *pointers(x, y))
        return dict(zip(names, y.T, strict=True))

    return each


def ulps(actual, exact):
    """Distance in units of the last place of the exact result."""
    kind = actual.dtype.type
    unit = np.spacing(np.maximum(np.abs(exact.astype(kind)), np.finfo(kind).tiny)).astype(
        np.longdouble
    )
    return float(np.max(np.abs(actual.astype(np.longdouble) - exact) / unit))


@pytest.mark.parametrize(
    "options",
    [("-ffp-contract=off",), ("-march=native", "-ffp-contract=fast")],
    ids=["plain", "fused"],
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_elementary_functions(options, compiler, tmp_path):
    """At most 2.5 units in the last place, next to multiples of a right angle too; NaN stays,
    infinity has no sine.
    """
    if platform.machine() != "x86_64":
        options = options[-1:]
    rng = np.random.default_rng(1)
    for dialect, far in ((DOUBLE, 1e4), (SINGLE, 4.0 * np.pi)):
        kind = np.float32 if dialect.single else np.float64
        each = elementary(dialect, tmp_path, *options, compiler=compiler)
        right = np.arange(-far // (np.pi / 2), far // (np.pi / 2) + 1) * (np.pi / 2)
        near = np.concatenate(
            [np.nextafter(right.astype(kind), kind(side)) for side in (-1e9, 1e9)]
        )
        x = np.concatenate(
            [rng.uniform(-far, far, 400_000), rng.uniform(-2, 2, 200_000), right, near]
        ).astype(kind)
        answers = each(x)
        exact = x.astype(np.longdouble)
        assert ulps(answers["sin"], np.sin(exact)) <= 2.5
        assert ulps(answers["cos"], np.cos(exact)) <= 2.5
        ends = (-103.0, 88.7) if dialect.single else (-744.0, 709.7)
        x = np.concatenate([rng.uniform(*ends, 400_000), rng.uniform(-1, 1, 100_000)]).astype(kind)
        assert ulps(each(x)["exp"], np.exp(x.astype(np.longdouble))) <= 2.5
        beyond = each(np.linspace(-3000.0, ends[0] - 2.0, 200_000))["exp"]
        assert (beyond == 0.0).all()
        assert np.isinf(each(np.linspace(ends[1] + 1.0, 3000.0, 200_000))["exp"]).all()
        powers = np.log10([float(np.finfo(kind).tiny), float(np.finfo(kind).max)])
        x = np.concatenate([10.0 ** rng.uniform(*powers, 200_000), rng.uniform(0.5, 2.0, 200_000)])
        x = x.astype(kind)
        assert ulps(each(x)["log"], np.log(x.astype(np.longdouble))) <= 2.5
        x = rng.uniform(0.01, 100.0, 200_000).astype(kind)
        assert ulps(each(x)["sqrt"], np.sqrt(x.astype(np.longdouble))) <= 8.0
        x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -1e-30, 3.0], kind)
        answers = each(x)
        assert np.isnan(answers["sin"][:3]).all()
        assert np.isnan(answers["cos"][:3]).all()
        np.testing.assert_array_equal(answers["exp"][:5], [np.nan, np.inf, 0.0, 1.0, 1.0])
        assert np.isnan(answers["log"][:5]).all()
        np.testing.assert_array_equal(answers["sign"], np.sign(x))
        np.testing.assert_array_equal(answers["abs"], np.abs(x))


def test_no_operation_is_left_out(tmp_path):
    """Signs, brackets and reciprocals of a program come out as Python computes them; an angle of
    two values is refused by name.
    """
    x = (2.0, 3.0, 5.0)
    steps = [*(Step("input", (0, i)) for i in range(3)), Step("number", number=-0.5)]
    steps += [
        Step("sub", (1, 2)),
        Step("sub", (0, 4)),
        Step("neg", (4,)),
        Step("mul", (0, 6)),
        Step("div", (1, 7)),
    ]
    steps += [
        Step("neg", (6,)),
        Step("inv", (4,)),
        Step("div", (5, 10)),
        Step("add", (0, 3)),
        Step("sub", (0, 6)),
    ]
    steps += [Step("mul", (3, 5)), Step("neg", (14,))]
    program = Program(
        "f", (("x", 3),), (), tuple(steps), (Output("y", (12,), tuple(range(4, 16))),)
    )
    library = shared(
        "void f(const double x[3], double y[12]);\n" + function_text(program, "f", {}, DOUBLE),
        tmp_path,
    )
    y = np.empty(12)
    library.f(*pointers(np.array(x), y))
    assert y.tolist() == [-2, 4, 2, 4, 0.75, -2, -0.5, -8, 1.5, 0, -2, 2]
    rooted = Program(
        "f",
        (("x", 1),),
        (),
        (Step("input", (0, 0)), Step("atan2", (0, 0))),
        (Output("y", (), (1,)),),
    )
    with pytest.raises(NotImplementedError, match="atan2"):
        function_text(rooted, "f", {}, DOUBLE)


def test_unsafe_compilers_are_refused(exports):
    """-ffast-math and -ffinite-math-only stop with a reason."""
    robot, folder, _ = exports["irb2400"]
    for option in ("-ffast-math", "-Ofast", "-ffinite-math-only"):
        done = subprocess.run(
            ["gcc", "-std=c99", option, "-fsyntax-only", folder / f"{robot.name}.c"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "#error" in done.stderr


def test_nothing_is_needed_and_nothing_jumps(objects):
    """The object asks for no other symbol, and on x86-64 it has no jump that depends on data."""
    target = objects("irb2400")[0]
    undefined, symbols = (
        subprocess.run(["nm", *flags, target], capture_output=True, text=True, check=True).stdout
        for flags in (["-u"], [])
    )
    assert set(undefined.split()) - {"U"} <= {"_GLOBAL_OFFSET_TABLE_"}
    assert not re.search(r" [BbDdC] ", symbols)  # no variable that can be written
    if platform.machine() == "x86_64":
        assembly = target.with_suffix(".s").read_text()
        assert not re.search(r"^\s+j(?!mp)\w+", assembly, re.MULTILINE)


def test_lines_are_short_and_plain(exports):
    """Files are ASCII, no line is longer than 130, and none tells where or when it was written."""
    for robot, folder, _ in exports.values():
        for path in folder.glob(f"{robot.name}*.[ch]"):
            text = path.read_text(encoding="ascii")
            assert max(map(len, text.splitlines())) < 130, path.name
            assert str(folder) not in text
            assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text)


def test_header_tells_the_robot(tmp_path):
    """Robot, set and its grades, tool, friction, gravity, units, counts and the command stand in
    the header.
    """
    files = codegen.c_files(
        irb.load("irb2400", tool="spindle"), ["inverse_dynamics", "jacobian"], frame="tool0"
    )
    text = " ".join(files["irb2400_16.h"].replace(" *", " ").split())
    for words in (
        (
            "irbmodels codegen irb2400_16 --tool spindle --parameters obal2025 --what"
            " inverse_dynamics,jacobian --frame tool0"
        ),
        "Inertials: set obal2025 (derived, published)",
        "Tool: spindle, 12.7 kg (identified)",
        "Friction: included",
        "extrapolated beyond 0.5 rad/s",
        "0, 0, -9.81 m/s^2",
        "Jacobian J of the frame tool0 in base axes",
        (
            "void irb2400_16_inverse_dynamics(const double q[6], const double v[6], const double"
            " a[6], double tau[6]);"
        ),
        "void irb2400_16_jacobian(const double q[6], double J[6][6]);",
    ):
        assert words in text
    assert re.search(r"\d+ operations", text)
    assert "static const double FC2" in files["irb2400_16.c"]
    assert "turns by q3 - q2, on joint 2" in files["irb2400_16.c"]
    plain = codegen.c_files(irb.load("irb930"), ["gravity"], friction=False, name="scara")
    assert "Friction: left out" in plain["scara.h"]
    assert "of axis 3 m, m/s, m/s^2, N" in " ".join(plain["scara.h"].replace(" *", " ").split())


def test_comments_cannot_break_the_code(tmp_path):
    """A tool whose name ends comments, or is no ASCII, compiles."""
    from pinocchio import SE3

    tool = irb.Tool("Fräser */ #error ??/", SE3.Identity(), irb.payload(1.0))
    robot = irb.load("irb930", tool=tool)
    codegen.write_c(robot, tmp_path, ["gravity", "mass_matrix"], name="odd")
    assert verdict(compiled(tmp_path, "odd"))[0] == 0


def test_a_urdf_too(tmp_path):
    """A tree from a URDF, sliding and oblique joints included, is exported as well."""
    axes = {"a": "0 1 0", "b": "0.6 0 0.8", "c": "1 0 0"}
    links = ["base", *axes]
    text = "".join(
        f'<link name="{link}"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/><inertia'
        ' ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial></link>'
        for link in links
    )
    for parent, (child, axis) in zip(links, axes.items(), strict=False):
        kind = "prismatic" if child == "b" else "revolute"
        text += (
            f'<joint name="j_{child}" type="{kind}"><parent link="{parent}"/><child'
            f' link="{child}"/><origin xyz="0.3 0.1 0.2" rpy="0.1 0.2 0.3"/><axis'
            f' xyz="{axis}"/><limit lower="-1" upper="1" velocity="1" effort="10"/></joint>'
        )
    (tmp_path / "my arm.urdf").write_text(f'<robot name="1 my arm">{text}</robot>')
    robot = irb.from_urdf(tmp_path / "my arm.urdf")
    what = [query for query in ALL if query != "friction"]
    files = codegen.write_c(robot, tmp_path, what, friction=False)
    assert files[0].name == "robot_1_my_arm.h"
    code, lines = verdict(compiled(tmp_path, "robot_1_my_arm"))
    assert code == 0, lines


def test_written_again_it_is_the_same(tmp_path):
    """Another process with another hash seed writes the same bytes, and other files in the folder
    stay.
    """
    (tmp_path / "mine.txt").write_text("kept")
    what = "inverse_dynamics,pose,regressor"
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    arguments = [
        "codegen",
        "irb2400",
        "--tool",
        "spindle",
        "--what",
        what,
        "-o",
        tmp_path / "other",
    ]
    subprocess.run(
        [sys.executable, "-m", "irbmodels.cli", *arguments],
        check=True,
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
    )
    for path in codegen.write_c(irb.load("irb2400", tool="spindle"), tmp_path, what.split(",")):
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()
    assert (tmp_path / "mine.txt").read_text() == "kept"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["irb2400", "--what", "torque"], "no query 'torque'"),
        (["irb2400", "--what", "gravity,"], "no query ''"),
        (["irb2400", "--what", "pose", "--frame", "tpc"], "did you mean 'tcp'"),
        (["irb2400", "--what", "friction", "--no-friction"], "left out at once"),
        (["irb1400", "--what", "friction"], "no friction data"),
        (["irb2400", "--what", "pose", "--name", "2x"], "'2x'"),
        (["irb2401", "--what", "pose"], "irb2401"),
    ],
)
def test_mistakes_are_one_line(arguments, words, tmp_path, capsys):
    """The command line refuses with exit code 2 and one line, and writes nothing."""
    assert cli.main(["codegen", *arguments, "-o", str(tmp_path / "out")]) == 2
    complaint = capsys.readouterr().err
    assert words in complaint
    assert len(complaint.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_arguments_are_checked(tmp_path):
    """A file in place of the folder, a text in place of a list, and nothing at all are
    refused.
    """
    robot, file = irb.load("irb930"), tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(irb.FileError, match="not a folder"):
        irb.write_c(robot, file, ["gravity"])
    assert file.read_text() == "mine"
    with pytest.raises(irb.InputError, match="list of names"):
        irb.write_c(robot, tmp_path, "gravity")
    with pytest.raises(irb.InputError, match="at least one"):
        irb.write_c(robot, tmp_path, [])
    with pytest.raises(irb.InputError, match="folder"):
        irb.write_c(robot, "", ["gravity"])
    with pytest.raises(irb.InputError, match="nan"):
        Dialect("double", "", False).number(float("nan"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_every_query_is_described():
    """Header and documentation say something about each query, and the page lists them all."""
    assert set(notes.ABOUT) == set(QUERIES)
    assert all("{frame}" in notes.ABOUT[query] for query in OF_FRAMES)
    page = (Path(__file__).parents[2] / "docs" / "howto" / "c_export.md").read_text(
        encoding="utf-8"
    )
    for query in QUERIES:
        assert f"`{query}`" in page


def test_states_try_everything():
    """The self-test's states rest, crawl either way, keep the whole range and leave it far
    behind.
    """
    robot = irb.load("irb2400")
    made = c_selftest.states(robot)
    assert robot.in_range(made["q"][:8]).all()
    assert (made["v"][8:10] == 0.0).all()
    assert (np.sign(made["v"][10]) == 1.0).all()
    assert (np.sign(made["v"][11]) == -1.0).all()
    assert np.abs(made["q"]).max() > 5e3
    assert np.abs(c_selftest.states(robot, single=True)["q"]).max() < 4.0 * np.pi
