"""Queries that can be compiled, and their programs."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UnknownName
from ..model.mechanism import Mechanism, chain_of, mechanism_of, unreduced_mechanism_of
from ..model.model import Model
from ..model.tree import Frame

if TYPE_CHECKING:
    from .program import Program
    from .symbolic import Dynamics
    from .trace import Scalar


class Query(NamedTuple):
    """Inputs and outputs of a query, which the method of its name of :class:`Dynamics` returns."""

    inputs: tuple[str, ...]
    outputs: dict[str, tuple[str | int, ...]]
    """Shapes by name: numbers, ``n`` axes, ``p`` parameters."""


_ROW, _SQUARE, _POSE, _JACOBIAN = ("n",), ("n", "n"), (4, 4), (6, "n")
QUERIES = {
    "inverse_dynamics": Query(("q", "v", "a"), {"tau": _ROW}),
    "forward_dynamics": Query(("q", "v", "tau"), {"a": _ROW}),
    "mass_matrix": Query(("q",), {"M": _SQUARE}),
    "coriolis": Query(("q", "v"), {"C": _SQUARE}),
    "coriolis_torque": Query(("q", "v"), {"c": _ROW}),
    "gravity": Query(("q",), {"g": _ROW}),
    "friction": Query(("v",), {"f": _ROW}),
    "energy": Query(("q", "v"), {"kinetic": (), "potential": ()}),
    "regressor": Query(("q", "v", "a"), {"Y": ("n", "p")}),
    "inverse_dynamics_derivatives": Query(
        ("q", "v", "a"), {"dtau_dq": _SQUARE, "dtau_dv": _SQUARE, "M": _SQUARE}
    ),
    "pose": Query(("q",), {"T": _POSE}),
    "jacobian": Query(("q",), {"J": _JACOBIAN}),
    "pose_and_jacobian": Query(("q",), {"T": _POSE, "J": _JACOBIAN}),
    "hessian": Query(("q",), {"H": (6, "n", "n")}),
}
OF_FRAMES = ("pose", "jacobian", "pose_and_jacobian", "hessian")
"""Queries of a frame; the others are of a model."""
KEPT = 128
"""Programs that a process keeps; the largest are of some thousand steps, a megabyte."""
_programs: dict[tuple[str, str], Program] = {}


def shapes_of(query: str, n: int, p: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of a query's outputs for ``n`` axes and ``p`` parameters."""
    sizes = {"n": n, "p": p}
    return tuple(
        tuple(sizes[size] if isinstance(size, str) else size for size in shape)
        for shape in QUERIES[query].outputs.values()
    )


def inputs_of(query: str, mechanism: Mechanism) -> tuple[str, ...]:
    """Return the inputs of a query; friction that depends on the load has positions before."""
    inputs = QUERIES[query].inputs
    return ("q", *inputs) if query == "friction" and mechanism.needs_load else inputs


def mechanism_for(query: str, source: Model | Frame) -> Mechanism:
    """Return what a query is written for: the chain to a frame, or a model, friction included."""
    if isinstance(source, Frame):
        return chain_of(*source)
    strip = unreduced_mechanism_of if query == "regressor" else mechanism_of
    return strip(source, friction=True)


def program_for(query: str, mechanism: Mechanism) -> Program:
    """Return a query of a mechanism as a program; its constants are among ``mechanism.free``.

    Mechanisms of one structure share it.

    Raises:
        UnknownName: if there is no such query.
    """
    from .symbolic import Dynamics

    if query not in QUERIES:
        raise UnknownName("query", query, QUERIES)
    key = query, mechanism.key
    if key not in _programs:
        while len(_programs) >= KEPT:
            _programs.pop(next(iter(_programs)), None)
        _programs[key] = program_from(query, Dynamics(mechanism))
    return _programs[key]


def program_from(query: str, dynamics: Dynamics) -> Program:
    """Write a query as a program from given formulas."""
    names = inputs_of(query, dynamics.mechanism)
    for name in (*names, *(["parameters"] if dynamics.parametric else [])):
        getattr(dynamics, name)  # declared in this order
    shapes = shapes_of(query, dynamics.mechanism.n, dynamics.parameter_count)
    results = getattr(dynamics, query)()
    if len(shapes) == 1:
        results = (results,)
    outputs = zip(QUERIES[query].outputs, shapes, results, strict=True)
    return dynamics.trace.program(
        query, {name: (shape, _entries(x, len(shape))) for name, shape, x in outputs}
    )


def _entries(result: Any, depth: int) -> list[Scalar]:
    """Return the entries of nested lists; three dimensions come as rows of the last."""
    if depth == 0:
        return [result]
    return list(result) if depth == 1 else [x for row in result for x in row]


def casadi_function(query: str, mechanism: Mechanism, parameters: bool = False) -> Any:
    """Return a query as ``casadi.Function`` with the mechanism's numbers.

    Args:
        query: One of :data:`QUERIES`.
        mechanism: Of :func:`mechanism_for`; with ``parameters`` one of ``unreduced_mechanism_of``.
        parameters: Whether inertials, rotors and friction are a further input, in the order of
            ``robot.parameter_vector()``.
    """
    import casadi as ca

    from .program import evaluate
    from .symbolic import Dynamics

    program = program_from(query, Dynamics(mechanism, parameters))
    names = [name for name, _ in program.inputs]
    inputs = [ca.SX.sym(name, length) for name, length in program.inputs]
    functions: dict[str, Callable[..., Any]] = {
        "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
        "inv": lambda x: 1.0 / x, "sin": ca.sin, "cos": ca.cos, "exp": ca.exp, "log": ca.log,
        "sqrt": ca.sqrt, "sign": ca.sign, "abs": ca.fabs,
    }  # fmt: skip
    results = evaluate(
        program,
        [ca.vertsplit(x) for x in inputs],
        [mechanism.free[name] for name in program.constants],
        functions,
    )
    outputs = [
        _sparse(ca, shape, entries)
        for (_, shape, _), entries in zip(program.outputs, results, strict=True)
    ]
    return ca.Function(query, inputs, outputs, names, list(QUERIES[query].outputs))


def _sparse(ca: Any, shape: tuple[int, ...], entries: list[Any]) -> Any:
    """Return a matrix whose entries that are 0 by structure are left out."""
    from .spatial import is_zero

    columns = shape[-1] if len(shape) > 1 else 1
    matrix = ca.SX(len(entries) // columns, columns)
    for number, entry in enumerate(entries):
        if not is_zero(entry):
            matrix[divmod(number, columns)] = entry
    return matrix
