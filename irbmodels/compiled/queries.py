"""Queries that can be compiled, and their programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UnknownName
from ..model.mechanism import Mechanism, chain_of, mechanism_of, unreduced_mechanism_of
from ..model.model import Model
from ..model.tree import Frame
from .program import Program, program_of

if TYPE_CHECKING:
    from .symbolic import Dynamics


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


def shapes_of(query: str, n: int, p: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of a query's outputs for ``n`` axes and ``p`` parameters."""
    sizes = {"n": n, "p": p}
    return tuple(
        tuple(sizes[size] if isinstance(size, str) else size for size in shape)
        for shape in QUERIES[query].outputs.values()
    )


def mechanism_for(query: str, source: Model | Frame) -> Mechanism:
    """Return what a query is written for: the chain to a frame, or a model, friction included."""
    if isinstance(source, Frame):
        return chain_of(*source)
    strip = unreduced_mechanism_of if query == "regressor" else mechanism_of
    return strip(source, friction=True)


def program_for(query: str, mechanism: Mechanism) -> Program:
    """Write a query of a mechanism as a program; its constants are among ``mechanism.free``.

    Raises:
        UnknownName: if there is no such query.
    """
    from .symbolic import Dynamics

    if query not in QUERIES:
        raise UnknownName("query", query, QUERIES)
    return program_from(query, Dynamics(mechanism))


def program_from(query: str, dynamics: Dynamics) -> Program:
    """Write a query as a program from given expressions."""
    inputs = {name: getattr(dynamics, name) for name in QUERIES[query].inputs}
    shapes = shapes_of(query, dynamics.mechanism.n, dynamics.parameter_count)
    outputs = zip(QUERIES[query].outputs, shapes, _expressions(query, dynamics), strict=True)
    return program_of(
        query, inputs, dynamics.constants, {name: (shape, x) for name, shape, x in outputs}
    )


def casadi_function(query: str, mechanism: Mechanism, parameters: bool = False) -> Any:
    """Return a query as ``casadi.Function`` with the mechanism's numbers.

    Args:
        query: One of :data:`QUERIES`.
        mechanism: Of :func:`mechanism_for`; with ``parameters`` one of ``unreduced_mechanism_of``.
        parameters: Whether inertials, rotors and friction are a further input, in the order of
            ``robot.parameter_vector()``.
    """
    import casadi as ca

    from .symbolic import Dynamics

    dynamics = Dynamics(mechanism, parameters)
    names = [*QUERIES[query].inputs, *(["parameters"] if parameters else [])]
    expressions = ca.substitute(
        [ca.SX(expression) for expression in _expressions(query, dynamics)],
        list(dynamics.constants.values()),
        [ca.SX(value) for value in mechanism.free.values()],
    )
    inputs = [getattr(dynamics, name) for name in names]
    return ca.Function(query, inputs, ca.cse(expressions), names, list(QUERIES[query].outputs))


def _expressions(query: str, dynamics: Dynamics) -> list[Any]:
    expressions = getattr(dynamics, query)()
    return list(expressions) if isinstance(expressions, tuple) else [expressions]
