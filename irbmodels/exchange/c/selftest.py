"""The self-test of the C export: test states, Pinocchio's answers, and a main that compares."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...compiled.program import Program
from ...model.types import Array
from ...robot.robot import Robot
from .writer import WIDTH, Dialect, comment, replace_words

STATES = 16
TURN = 2.0 * np.pi  # range of an axis without one


class Case(NamedTuple):
    """A function of the export, and its reference."""

    name: str
    program: Program
    reference: Callable[..., tuple[Array, ...]]
    """Answers of one state, one array per output; shares no code with the program."""


def states(robot: Robot, single: bool = False) -> dict[str, Array]:
    """Return states over the full range, at rest, at creeping speed, and at right angles.

    Two are far beyond the range. Shape ``(STATES, n)`` each, for ``q``, ``v``, ``a`` and ``tau``.
    """
    rng, limits, n = np.random.default_rng(2400), robot.limits, robot.n
    ranges = limits.axis_ranges
    low, high = (
        np.where(np.abs(end) < 1e3, end, whole)
        for end, whole in ((ranges.lower, -TURN), (ranges.upper, TURN))
    )
    q = limits.moved_inside(rng.uniform(low, high, (STATES, n)) @ ranges.inverse.T)
    speed, effort = (
        np.where(np.isfinite(bound), bound, 10.0) for bound in (limits.velocity, limits.effort)
    )
    v, a, tau = (
        rng.uniform(-bound, bound, (STATES, n)) for bound in (speed, np.full(n, 20.0), effort)
    )
    v[8:10], a[9] = 0.0, 0.0
    v[10], v[11] = 1e-12, -1e-12
    v[12] = 0.01 * rng.uniform(-1.0, 1.0, n)
    q[13] = np.where(limits.linear, q[13], 0.5 * np.pi * rng.integers(-4, 5, n))
    q[14:] = np.where(
        limits.linear, q[14:], rng.uniform(-1.0, 1.0, (2, n)) * (4.0 * np.pi if single else 1e4)
    )
    made = {"q": q, "v": v, "a": a, "tau": tau}
    return (
        {name: value.astype(np.float32).astype(float) for name, value in made.items()}
        if single
        else made
    )


def selftest_text(robot: Robot, prefix: str, cases: Sequence[Case], dialect: Dialect) -> str:
    """Return a main that compares every function with its reference and returns 0 if all agree."""
    given = states(robot, dialect.single)
    real, tolerance = dialect.real, "1e-4" if dialect.single else "1e-9"
    parts = [
        comment(
            f"Compares every function of {prefix}.h with answers of Pinocchio, which shares no code"
            " with it.",
            f"cc -std=c99 -O2 {prefix}.c {prefix}_selftest.c -o selftest && ./selftest",
        ),
        f'#include "{prefix}.h"\n\n#include <stdio.h>\n',
    ]
    calls = []
    most_in = most_out = 1
    for case in cases:
        program, query = case.program, case.program.name
        inputs = np.hstack([given[name] for name, _ in program.inputs])
        answers = [
            case.reference(*(given[name][i] for name, _ in program.inputs)) for i in range(STATES)
        ]
        expected = np.stack(
            [np.concatenate([np.ravel(part) for part in answer]) for answer in answers]
        )
        most_in, most_out = max(most_in, inputs.shape[1]), max(most_out, expected.shape[1])
        parts += [
            _table(f"static const {real} {query}_in", inputs, dialect.number),
            _table(f"static const double {query}_out", expected, _rounded(expected)),
            _adapter(case, real),
        ]
        calls.append(
            f'failed |= differs("{case.name}", run_{query}, {inputs.shape[1]}, {expected.shape[1]},'
        )
        calls.append(f"                  &{query}_in[0][0], &{query}_out[0][0]);")
    sizes = {
        "REAL": real,
        "STATES": str(STATES),
        "MOST_IN": str(most_in),
        "MOST_OUT": str(most_out),
        "TOLERANCE": tolerance,
    }
    # an answer that cancels is no better than the numbers it comes from
    sizes["SHARE"] = "0.1" if dialect.single else "1e-3"
    driver = replace_words(_DRIVER, sizes)
    body = "\n".join(f"    {call}" for call in calls)
    return "\n".join(
        [
            *parts,
            driver,
            f"int main(void)\n{{\n    int failed = 0;\n{body}\n    return failed;\n}}\n",
        ]
    )


def _rounded(values: Array) -> Callable[[float], str]:
    """Return a formatter of answers: 13 digits, 0 for rounding noise, the same on any machine."""
    noise = 1e-15 * float(np.abs(values).max(initial=0.0))
    return lambda value: "0.0" if abs(value) <= noise else repr(float(f"{value:.12e}"))


def _table(label: str, values: Array, written: Callable[[float], str]) -> str:
    rows = []
    for row in values.tolist():
        rows += textwrap.wrap(
            ", ".join(map(written, row)), WIDTH, initial_indent="    {", subsequent_indent="     "
        )
        rows[-1] += "},"
    return "\n".join([f"{label}[{values.shape[0]}][{values.shape[1]}] = {{", *rows, "};"]) + "\n"


def _adapter(case: Case, real: str) -> str:
    """Return a function of flat arrays around one of the export's."""
    arguments, place = [], 0
    for _, length in case.program.inputs:
        arguments.append(f"x + {place}")
        place += length
    place = 0
    for output in case.program.outputs:
        bounds = "".join(f"[{length}]" for length in output.shape[1:])
        arguments.append(f"({real} (*){bounds})(y + {place})" if bounds else f"y + {place}")
        place += len(output.steps)
    call = textwrap.fill(
        f"{case.name}({', '.join(arguments)});",
        WIDTH,
        initial_indent="    ",
        subsequent_indent="        ",
    )
    return f"static void run_{case.program.name}(const {real} *x, {real} *y)\n{{\n{call}\n}}\n"


_DRIVER = """\
static double size(double x)
{
    return x < 0.0 ? -x : x;
}

/* Compares with the answers, each against the largest of its entry in all states, or a share of the largest of all;
   then an input that is NaN must make NaN of all that needs it. */
static int differs(const char *name, void (*run)(const REAL *, REAL *), int inputs, int outputs,
                   const REAL *in, const double *out)
{
    REAL x[MOST_IN], y[MOST_OUT], moved[MOST_OUT];
    const volatile REAL zero = 0;
    double worst = 0.0, all = 0.0;
    int lost = 0, i, j, state;
    for (j = 0; j < STATES * outputs; j++) {
        all = size(out[j]) > all ? size(out[j]) : all;
    }
    for (j = 0; j < outputs; j++) {
        double largest = SHARE * all;
        for (state = 0; state < STATES; state++) {
            const double answer = size(out[state * outputs + j]);
            largest = answer > largest ? answer : largest;
        }
        for (state = 0; state < STATES; state++) {
            double error;
            run(in + state * inputs, y);
            error = size((double)y[j] - out[state * outputs + j]) / (largest > 0.0 ? largest : 1.0);
            worst = error <= worst ? worst : error; /* NaN passes into worst, and stays */
        }
    }
    for (i = 0; i < inputs; i++) {
        for (j = 0; j < inputs; j++) {
            x[j] = in[j];
        }
        run(x, y);
        x[i] += (REAL)0.5;
        run(x, moved);
        for (j = 0; j < outputs; j++) {
            moved[j] -= y[j];
        }
        x[i] = zero / zero;
        run(x, y);
        for (j = 0; j < outputs; j++) {
            lost += (moved[j] < 0 || moved[j] > 0) && y[j] == y[j];
        }
    }
    printf("%s: worst error %.1e of TOLERANCE%s: %s\\n", name, worst, lost ? ", NaN lost" : "",
           worst <= TOLERANCE && !lost ? "ok" : "FAILED");
    return !(worst <= TOLERANCE) || lost;
}
"""
