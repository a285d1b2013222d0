"""What can be compiled: the queries of a robot as programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UnknownName
from ..model.mechanism import Mechanism
from .program import Program, program_of

if TYPE_CHECKING:
    from .symbolic import Dynamics

Outputs = dict[str, tuple[tuple[int, ...], Any]]


class Query(NamedTuple):
    """Inputs of a program, and how its outputs come from the symbolic layer."""

    inputs: tuple[str, ...]
    outputs: Callable[[Dynamics], Outputs]


def _column(d: Dynamics, expression: Any) -> tuple[tuple[int, ...], Any]:
    return (d.mechanism.n,), expression


def _square(d: Dynamics, expression: Any) -> tuple[tuple[int, ...], Any]:
    return (d.mechanism.n, d.mechanism.n), expression


QUERIES = {
    "inverse_dynamics": Query(("q", "v", "a"), lambda d: {"tau": _column(d, d.inverse_dynamics())}),
    "forward_dynamics": Query(("q", "v", "tau"), lambda d: {"a": _column(d, d.forward_dynamics())}),
    "mass_matrix": Query(("q",), lambda d: {"M": _square(d, d.mass_matrix())}),
    "coriolis": Query(("q", "v"), lambda d: {"C": _square(d, d.coriolis())}),
    "coriolis_torque": Query(("q", "v"), lambda d: {"c": _column(d, d.coriolis_torque())}),
    "gravity": Query(("q",), lambda d: {"g": _column(d, d.gravity())}),
    "friction": Query(("v",), lambda d: {"f": _column(d, d.friction())}),
    "energy": Query(
        ("q", "v"),
        lambda d: {
            name: ((), x) for name, x in zip(("kinetic", "potential"), d.energies(), strict=True)
        },
    ),
    "regressor": Query(("q", "v", "a"), lambda d: {"Y": ((y := d.regressor()).shape, y)}),
    "inverse_dynamics_derivatives": Query(
        ("q", "v", "a"),
        lambda d: {
            name: _square(d, x)
            for name, x in zip(("dtau_dq", "dtau_dv", "M"), d.derivatives(), strict=True)
        },
    ),
    "pose": Query(("q",), lambda d: {"T": ((4, 4), d.pose())}),
    "jacobian": Query(("q",), lambda d: {"J": ((6, d.mechanism.n), d.jacobian())}),
    "pose_and_jacobian": Query(
        ("q",), lambda d: {"T": ((4, 4), d.pose()), "J": ((6, d.mechanism.n), d.jacobian())}
    ),
    "hessian": Query(("q",), lambda d: {"H": ((6, d.mechanism.n, d.mechanism.n), d.hessian())}),
}
"""Programs by name.

Those of :data:`OF_FRAMES` take a mechanism of ``chain_of``, the regressor one of ``unreduced_mechanism_of``.
"""

OF_FRAMES = ("pose", "jacobian", "pose_and_jacobian", "hessian")


def program_for(query: str, mechanism: Mechanism) -> Program:
    """Write a query of a mechanism as a program; its constants are among ``mechanism.free``.

    Raises:
        UnknownName: if there is no such query.
    """
    from .symbolic import Dynamics

    if query not in QUERIES:
        raise UnknownName("query", query, QUERIES)
    dynamics = Dynamics(mechanism)
    inputs = {name: getattr(dynamics, name) for name in QUERIES[query].inputs}
    return program_of(query, inputs, dynamics.constants, QUERIES[query].outputs(dynamics))


def casadi_function(query: str, mechanism: Mechanism, parameters: bool = False) -> Any:
    """Return a query as ``casadi.Function`` with the mechanism's numbers, to be differentiated or built upon.

    Args:
        query: One of :data:`QUERIES`.
        mechanism: Of the kind that the query takes; with ``parameters`` one of ``unreduced_mechanism_of``.
        parameters: Whether inertials, rotors and friction are a further input, in the order of
            ``robot.parameter_vector()``.

    Raises:
        UnknownName: if there is no such query.
    """
    import casadi as ca

    from .symbolic import Dynamics

    if query not in QUERIES:
        raise UnknownName("query", query, QUERIES)
    dynamics = Dynamics(mechanism, parameters)
    outputs = QUERIES[query].outputs(dynamics)
    names, values = (
        [*QUERIES[query].inputs, *(["parameters"] if parameters else [])],
        list(mechanism.free.values()),
    )
    expressions = [ca.SX(expression) for _, expression in outputs.values()]
    expressions = ca.substitute(
        expressions, list(dynamics.constants.values()), [ca.SX(value) for value in values]
    )
    return ca.Function(
        query,
        [getattr(dynamics, name) for name in names],
        ca.cse(expressions),
        names,
        list(outputs),
    )
