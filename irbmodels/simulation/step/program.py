"""One step of :mod:`..plant` as a program, with selects instead of branches.

A round of the active-set method solves for the speeds at the end of the step with a guess of which
axes slip and stick, and checks the solution. There is exactly one (:mod:`..stiction`): speeds that
pass every check are it, wherever the guess came from. Else the round proposes another guess. Most
axes go on as they did, so that the first round is mostly the last.

- Axes that stick are left out of the factors of the matrix.
- An axis at the stop of its own range sticks with any force that the stop can exert, beside its
  friction.
- Axis i at a stop of ``q_i - f q_j`` moves off it, or along with axis j, ``x_i = f x_j``: then it
  is eliminated from the equations, and adds its inertia, load and friction to those of j.
- Stops that the solution passes are touched in the next round.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ...compiled import trace as formulas
from ...compiled.masks import Mask, all_of, any_of, negated
from ...compiled.program import Program, evaluate
from ...compiled.queries import program_for
from ...compiled.trace import Scalar, Trace, Value, exp, sign, where
from ...model.friction import Stribeck
from ...model.mechanism import Mechanism
from ..mechanics import CONTACT, has_dry_friction
from ..stiction import LOW, STILL
from .checks import Proposal, check
from .guess import (
    PASSED_HIGH,
    PASSED_LOW,
    TIED,
    Guess,
    Vector,
    read_guess,
    row_contact,
)
from .impulses import impulses as find_impulses
from .ranges import UNSUPPORTED, Ranges

SOLVED, UNSOLVED, BEYOND, FAILED = 0, 1, 2, 3
"""Status of a state: at the end of its step; before it, with another guess; at a stop of a range
that no round solves for; failed, by a step too large or torques that are not finite."""
_LARGEST = float(np.finfo(float).max)
_OPERATIONS: dict[str, Callable[..., Scalar]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
    "inv": lambda x: 1.0 / x, "sin": formulas.sin, "cos": formulas.cos,
    "exp": formulas.exp, "log": formulas.log, "sqrt": formulas.sqrt,
}  # fmt: skip

Constant = Callable[[str], Value]
Terms = tuple[list[Vector], Vector, Vector | None]
"""Mass matrix, torque, and the torque at rest where friction depends on it."""
Equations = Callable[[Trace, Constant, Vector, Vector, Vector], Terms]
"""Function of a trace, its constants, positions, speeds and accelerations."""


class Law(NamedTuple):
    """Structure of a friction law: its terms that are not zero on every axis."""

    dry: bool
    viscous: bool
    degressive: bool = False
    uneven: bool = False
    """Coulomb friction differs with the direction."""
    uneven_viscous: bool = False
    loaded: bool = False
    """Dry friction depends on the static torque."""

    @staticmethod
    def of(law: Stribeck) -> Law:
        """Return the structure of a law."""
        terms = law.Fv, law.Fd, law.dFc, law.dFv, law.mu
        return Law(bool(has_dry_friction(law).any()), *(bool(term.any()) for term in terms))


def equations_of(
    mechanism: Mechanism, turns: list[list[float]] | None = None, loaded: bool = False
) -> Equations:
    """Return the equations of motion of a mechanism without friction.

    Args:
        mechanism: Of the robot.
        turns: Turns of each axis per turn of each drive, ``(n, n)``, for equations of the drives;
            None for those of the axes.
        loaded: True for the torque at rest besides.
    """

    def equations(_: Trace, constant: Constant, q: Vector, v: Vector, a: Vector) -> Terms:
        if turns is not None:
            q, v, a = ([_dot(row, x) for row in turns] for x in (q, v, a))
        n, still = len(q), [0.0] * len(q)
        queries = [("mass_matrix", [q]), ("inverse_dynamics", [q, v, a])]
        queries += [("inverse_dynamics", [q, still, still])] * loaded
        results = []
        for query, inputs in queries:
            program = program_for(query, mechanism)
            constants = [constant(name) for name in program.constants]
            results += evaluate(program, inputs, constants, _OPERATIONS)
        M, torques = [results[0][n * i : n * (i + 1)] for i in range(n)], results[1:]
        if turns is not None:
            columns = list(zip(*turns, strict=True))
            M = [[_dot(row, column) for column in columns] for row in M]
            M = [[_dot(column, x) for x in zip(*M, strict=True)] for column in columns]
            torques = [[_dot(column, x) for column in columns] for x in torques]
        return M, torques[0], torques[1] if loaded else None

    return equations


def robot_step(
    mechanism: Mechanism,
    ranges: Ranges,
    law: Law,
    impulses: bool,
    turns: list[list[float]] | None = None,
) -> Program:
    """Write one round of a step of a mechanism; see :func:`step_program`."""
    return step_program(ranges, law, equations_of(mechanism, turns, law.loaded), impulses)


def step_program(ranges: Ranges, law: Law, equations: Equations, impulses: bool = False) -> Program:
    """Write one round of a step.

    Inputs are ``state``: positions, speeds, the guess, and the status, ``(3 n + 1,)``, and ``tau``,
    ``(n,)``. The output is the next ``state``: at the end of the step where it is solved, with a
    guess for the next step; else the same with another guess. Constants besides those of the
    equations are the step ``dt``, ``max_speed`` and ``max_move``, of each axis ``Fc``, ``drop``
    (Fs - Fc), ``exponent`` (``-1 / v_St^2``), ``Fv`` and the law's further parameters, and of each
    row ``lower`` and ``upper``.

    Args:
        ranges: Hard stops.
        law: Friction.
        equations: Equations of motion.
        impulses: True for outputs ``friction`` and ``stop`` besides, ``(n,)``: impulses on the axes
            in a step that is solved. Where they are not determined its status is BEYOND.
    """
    trace, n, constants = Trace(), len(ranges.inverse), dict[str, Value]()

    def constant(name: str) -> Value:
        if name not in constants:
            constants[name] = trace.constant(name)
        return constants[name]

    state, tau = trace.input("state", 3 * n + 1), trace.input("tau", n)
    q, v, codes, status = state[:n], state[n : 2 * n], state[2 * n : -1], state[-1]
    dt = constant("dt")
    half = 0.5 * dt
    middle = [qi + half * vi for qi, vi in zip(q, v, strict=True)]
    # a torque that stops the axes within the step has their momentum in it
    M, load, static = equations(trace, constant, middle, v, [-(vi / dt) for vi in v])
    r = [dt * (motor - torque) for motor, torque in zip(tau, load, strict=True)]
    A = [[M[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    b: Vector = [0.0] * n
    for i in range(n):
        if law.viscous or law.degressive:
            A[i][i] = A[i][i] + dt * _viscous_slope(law, constant, i, v[i])
        if law.dry:
            coulomb, drop, exponent = (
                constant(f"{name}{i + 1}") for name in ("Fc", "drop", "exponent")
            )
            level = coulomb + drop * exp(exponent * (v[i] * v[i]))
            if static is not None:
                level = level + constant(f"mu{i + 1}") * abs(static[i])
            b[i] = dt * level
        if law.uneven:
            r[i] = r[i] - dt * constant(f"dFc{i + 1}")
    contacts = [
        row_contact(codes[k], ranges, k, _row(ranges, k, q), _row(ranges, k, v), constant)
        for k in range(n)
    ]
    guess = read_guess(codes, ranges, contacts, b, law.dry)
    x = _solve(guess, ranges, A, r, b)
    proposal = check(guess, ranges, A, r, b, x)
    ahead = [qi + half * (vi + xi) for qi, vi, xi in zip(q, v, x, strict=True)]
    end = _end(guess, ranges, proposal.agrees, ahead, x, constant)
    leaves = [
        _meets_sum(ranges, k, (q, v, end.q), proposal.agrees, constant)
        for k in range(n, len(ranges.A))
    ]

    speed_bound, bound = constant("max_speed"), constant("max_move")
    small = all_of(
        *(abs(xi) <= speed_bound for xi in x),
        *(abs(ei - qi) <= bound for ei, qi in zip(end.q, q, strict=True)),
    )
    finite = all_of(*(abs(motor) <= _LARGEST for motor in tau))
    large = all_of(proposal.agrees, negated(end.passes), negated(small))
    failed = any_of(negated(finite), large, status > FAILED - 0.5)
    borne = find_impulses(guess, ranges, b, proposal.exerted)
    beyond = any_of(end.beyond, *leaves, all_of(impulses, proposal.agrees, borne.undetermined))
    solved = all_of(proposal.agrees, negated(end.passes), negated(failed), negated(beyond))
    results = [where(solved, *values) for values in zip(end.q, q, strict=True)]
    results += [where(solved, *values) for values in zip(x, v, strict=True)]
    results += [_code(guess, proposal, end, solved, i, v[i], x[i]) for i in range(n)]
    later = where(beyond, float(BEYOND), float(UNSOLVED))
    results.append(where(failed, float(FAILED), where(solved, float(SOLVED), later)))
    outputs = {"state": ((3 * n + 1,), results)}
    if impulses:
        outputs |= {"friction": ((n,), borne.friction), "stop": ((n,), borne.stop)}
    return trace.program("step", outputs)


def _viscous_slope(law: Law, constant: Constant, i: int, v: Value) -> Scalar:
    """Viscous friction over speed, of axis i."""
    slope: Scalar = constant(f"Fv{i + 1}") if law.viscous else 0.0
    if law.uneven_viscous:
        slope = slope + constant(f"dFv{i + 1}") * sign(v)
    if law.degressive:
        slope = slope + constant(f"Fd{i + 1}") / (constant(f"v_d{i + 1}") + abs(v))
    return slope


def _row(ranges: Ranges, k: int, x: Vector) -> Scalar:
    return _dot(ranges.A[k], x)


def _dot(numbers: Iterable[float], x: Iterable[Scalar]) -> Scalar:
    return sum((a * xj for a, xj in zip(numbers, x, strict=True)), start=0.0)


def _solve(guess: Guess, ranges: Ranges, A: list[Vector], r: Vector, b: Vector) -> Vector:
    """Solve for the speeds as guessed, by ``L D L'``."""
    n, K = len(r), [row.copy() for row in A]
    y = [ri + mode * bi for ri, mode, bi in zip(r, guess.modes, b, strict=True)]
    ties = {i: where(guess.tied[i], ranges.factor(i), 0.0) for i, _ in ranges.pairs}
    for i, j in ranges.pairs:
        tie = ties[i]
        y[j] = y[j] + tie * y[i]
        K[j][j] = K[j][j] + tie * (2.0 * K[i][j] + tie * K[i][i])
        for k in range(n):
            if k not in (i, j):
                K[j][k] = K[k][j] = K[j][k] + tie * K[i][k]
    inverse: Vector = []
    L: list[Vector] = []
    for i in range(n):
        row: Vector = []
        lower: Vector = []
        diagonal = K[i][i]
        for j in range(i):
            entry = K[i][j]
            for k in range(j):
                entry = entry - row[k] * L[j][k]
            row.append(entry)
            lower.append(entry * inverse[j])
            diagonal = diagonal - entry * lower[j]
            y[i] = y[i] - lower[j] * y[j]
        free = all_of(guess.moves[i], negated(guess.tied[i]))
        inverse.append(where(free, 1.0 / diagonal, 0.0))  # 0 leaves an axis out
        L.append(lower)
    x: Vector = [0.0] * n
    for i in reversed(range(n)):
        x[i] = y[i] * inverse[i]
        for j in range(i + 1, n):
            x[i] = x[i] - L[j][i] * x[j]
    for i, j in ranges.pairs:
        x[i] = x[i] + ties[i] * x[j]
    return x


class _End(NamedTuple):
    """End of the step."""

    q: Vector
    passes: Mask
    """Where a stop is passed that is not touched."""
    beyond: Mask
    """Where a stop of an unsupported range is touched."""
    passed: list[tuple[Mask, Mask]]
    """Ends of each row that were passed, in this round or earlier ones."""


def _end(
    guess: Guess, ranges: Ranges, agrees: Mask, ahead: Vector, x: Vector, constant: Constant
) -> _End:
    """Find the stops that are passed, and put axes on the stops that they touch."""
    q, passes, beyond = ahead.copy(), list[Mask](), list[Mask]()
    passed: list[tuple[Mask, Mask]] = []
    for k, contact in enumerate(guess.contacts):
        place, rate = _row(ranges, k, ahead), _row(ranges, k, x)
        shift: Scalar = 0.0
        ends: list[Mask] = [False, False]
        # contact is kept, or the step would have gone through
        if ranges.upper[k]:
            gap = constant(f"upper{k + 1}") - place
            shift = where(all_of(contact.high, any_of(gap < 0.0, rate >= -CONTACT)), gap, shift)
            ends[1] = all_of(agrees, gap < 0.0, negated(contact.high))
        if ranges.lower[k]:
            gap = place - constant(f"lower{k + 1}")
            shift = where(all_of(contact.low, any_of(gap < 0.0, rate <= CONTACT)), -gap, shift)
            ends[0] = all_of(agrees, gap < 0.0, negated(contact.low))
        passes += ends
        passed.append((any_of(contact.passed_low, ends[0]), any_of(contact.passed_high, ends[1])))
        if ranges.other[k] == UNSUPPORTED:
            beyond.append(contact.touched)
        for i in range(len(q)):
            q[i] = q[i] + ranges.inverse[i][k] * shift
    return _End(q, any_of(*passes), any_of(*beyond), passed)


def _meets_sum(
    ranges: Ranges,
    k: int,
    motion: tuple[Vector, Vector, Vector],
    agrees: Mask,
    constant: Constant,
) -> Mask:
    """True where a bound of a sum is touched when the step begins, or passed at its end.

    Args:
        ranges: Hard stops.
        k: Row of the sum.
        motion: Position and speed when the step begins, and position at its end.
        agrees: Mask of what is solved.
        constant: Constants by name.
    """
    begin, rate, end = (_row(ranges, k, x) for x in motion)
    meets: list[Mask] = []
    if ranges.upper[k]:
        top = constant(f"upper{k + 1}")
        meets.append(all_of(top - begin <= CONTACT, rate >= -CONTACT))
        meets.append(all_of(agrees, end > top))
    if ranges.lower[k]:
        bottom = constant(f"lower{k + 1}")
        meets.append(all_of(begin - bottom <= CONTACT, rate <= CONTACT))
        meets.append(all_of(agrees, end < bottom))
    return any_of(*meets)


def _code(
    guess: Guess, proposal: Proposal, end: _End, solved: Mask, i: int, v: Value, x: Scalar
) -> Scalar:
    """Return the guess of an axis for the next round, or for the next step."""
    code = proposal.modes[i]
    if not isinstance(code, Value):
        code = float(LOW)
    else:
        # an axis that would turn back within the next step comes to rest in it
        rests = x * (2.0 * x - v) <= 0.0
        code = where(solved, where(rests, float(STILL), guess.modes[i]), code)
    unsolved = negated(solved)
    for mask, number in zip(end.passed[i], (PASSED_LOW, PASSED_HIGH), strict=True):
        code = code + where(all_of(unsolved, mask), number, 0.0)
    # where the solution agrees the proposal is the guess
    return code + where(proposal.tied[i], TIED, 0.0)
