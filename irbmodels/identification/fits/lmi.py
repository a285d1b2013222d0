"""Physically consistent parameters: least squares under linear matrix inequalities, with a prior.

``min 1/2 |R (beta(pi) - beta_LS)|^2 + 1/doubt^2 sum over bodies of D(J | J_prior)`` over
pseudo-inertias ``J > 0`` [Sousa & Cortesao 2014; Wensing, Kim & Slotine 2018], with the divergence
``D = tr X - log det X - 4``, ``J = L X L'``, ``J_prior = L L'`` [Lee, Wensing & Park 2020]. D does
not depend on the frame; near the prior it is ``|X - 1|^2 / 2``, so that ``doubt`` is the relative
standard deviation of what is known. The fit is in units of its noise, so the data win wherever they
say something.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite
from ...errors import InputError, UnknownName, require
from ...model.inertia import ball_moment
from ...model.tree import body_names
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from .identified_parameters import IdentifiedParameters
from .pseudo import parameters_of, pseudo_inertia
from .regression import Fit

# smallest eigenvalue of X: no direction of a body shrinks to less than 1 % of the prior's
FLOOR = 1e-4
DOUBT = 0.5
# trace of second moments [kg m^2] of 1 kg of lead: nothing is more compact
LEAD = 3.0 * ball_moment(1.0) * (1.0 + 1e-6)
# ratio of torque to noise: exact data count as if they had noise, or the prior would drown in
# rounding
SHARPEST = 1e5
_OF_ENTRIES = np.column_stack([parameters_of(element) for element in np.eye(16).reshape(16, 4, 4)])


def consistent_fit(
    fit: Fit,
    robot: Robot,
    base: BaseParameters,
    *,
    doubt: float = DOUBT,
    masses: Mapping[str, tuple[float, float]] | None = None,
    centers: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    prior: ArrayLike | None = None,
) -> IdentifiedParameters:
    """Return the consistent set nearest to a fit of torques.

    Args:
        fit: Weighted fit of ``base``.
        robot: With the tool of the experiment.
        base: Base parameters of the fit. Friction (Fv, Fc, Fs - Fc) and rotors among them are kept
            from being negative.
        doubt: Relative standard deviation of the prior.
        masses: Least and largest mass [kg] by link.
        centers: Lower and upper corner [m] of a box that holds the centre of mass, by link, in its
            axes.
        prior: Bodies that they are pulled towards, ten numbers each, as ``parameter_vector()``
            without tool and payload begins; default the robot's own.

    Raises:
        MissingExtra: without cvxpy and clarabel.
        UnknownName: if a bound names a link that has no mass, or none at all.
        InputError: if the prior is no body, a bound makes no sense, or no set keeps all of them.
    """
    require("cvxpy", "identify")
    require("clarabel", "identify")
    cp: Any = import_module("cvxpy")

    if fit.names != base.names:
        raise InputError(
            f"the fit has {fit.beta.size} parameters, which are not the {base.rank} sums of these"
            " base parameters"
        )
    if not doubt > 0.0:
        raise InputError(f"doubt is a positive share, got {doubt!r}")
    bare = robot.with_load().parameter_vector()
    carried = robot.parameter_vector() - bare
    seen = np.asarray(base.grouping.any(axis=0), dtype=bool)
    last = 10 * (robot.model.njoints - 1)
    towards = bare[:last] if prior is None else finite(prior, (last,), "the bodies of the prior")
    bodies = {
        name: 10 * i
        for i, name in enumerate(body_names(robot.dynamic_model.tree.model))
        if seen[10 * i : 10 * i + 10].any()
    }
    for link in (*(masses or {}), *(centers or {})):
        if link not in bodies:
            raise UnknownName("link to bound", link, bodies)
    others = last + np.flatnonzero(seen[last:])
    scalars = cp.Variable(others.size, nonneg=True) if others.size else np.zeros(0)
    beta, moves, bounds, unknown = (
        base.grouping @ carried + base.grouping[:, others] @ scalars,
        0.0,
        [],
        {},
    )
    for link, start in bodies.items():
        root = _root(towards[start : start + 10], link, robot)
        X = cp.Variable((4, 4), PSD=True)
        unknown[link] = _OF_ENTRIES @ np.kron(root, root) @ cp.vec(X, order="C")  # of J = L X L'
        beta = beta + base.grouping[:, start : start + 10] @ unknown[link]
        moves = moves + cp.trace(X) - cp.log_det(X)
        bounds += [
            X >> FLOOR * np.eye(4),
            _lighter_than_lead(cp, unknown[link], towards[start : start + 10]),
        ]
        bounds += [
            *_bounds(unknown[link], (masses or {}).get(link), (centers or {}).get(link), link)
        ]
    factor = fit.factor[:-1, :-1]
    sharp = min(1.0, SHARPEST * np.sqrt(fit.degrees) / float(np.linalg.norm(fit.factor[:, -1])))
    misfit = cp.sum_squares(sharp * factor @ (beta - fit.beta))
    _solve(cp, cp.Problem(cp.Minimize(0.5 * misfit + moves / doubt**2), bounds))
    own = bare.copy()
    for link, start in bodies.items():
        own[start : start + 10] = unknown[link].value
    own[others] = np.maximum(getattr(scalars, "value", scalars), 0.0)
    return IdentifiedParameters.of(fit, robot, base, own, carried)


def _solve(cp: Any, problem: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a status that is refused below
        try:
            problem.solve(solver="CLARABEL")
        except cp.SolverError as err:
            raise InputError(f"the solver gives up: {err}") from None
    if problem.status in ("infeasible", "infeasible_inaccurate"):
        raise InputError("no set of bodies keeps these bounds")
    if problem.status != "optimal":
        raise InputError(
            f"the solver does not reach its accuracy ({problem.status}): take a smaller doubt, or"
            " wider bounds"
        )


def _root(parameters: Array, link: str, robot: Robot) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(pseudo_inertia(parameters)), dtype=float)
    except np.linalg.LinAlgError:
        raise InputError(
            f"{link} of {robot.name} has parameters that no body has: load another set as prior"
        ) from None


def _lighter_than_lead(cp: Any, parameters: Any, prior: Array) -> Any:
    """Trace of the second moments about the centre is that of a lead ball at least.

    Convex, and in shares of the prior.
    """
    mass, second = float(prior[0]), 0.5 * float(prior[[4, 6, 9]].sum())
    share, first = parameters[0] / mass, parameters[1:4] / np.sqrt(mass * second)
    ball = LEAD * np.power(mass, 5.0 / 3.0) / second
    return (
        cp.quad_over_lin(first, share) + ball * cp.power(share, 5.0 / 3.0)
        <= 0.5 * cp.sum(parameters[[4, 6, 9]]) / second
    )


def _bounds(
    parameters: Any,
    mass: tuple[float, float] | None,
    box: tuple[ArrayLike, ArrayLike] | None,
    link: str,
) -> list[Any]:
    """Inequalities of one body, linear in its parameters."""
    inequalities: list[Any] = []
    if mass is not None:
        low, high = finite(mass, (2,), f"mass bounds of {link}")
        if not 0.0 <= low <= high:
            raise InputError(f"masses of {link} must grow from 0: {low:g} .. {high:g} kg")
        inequalities += [parameters[0] >= low, parameters[0] <= high]
    if box is not None:
        lower, upper = finite(np.array(box, dtype=float), (2, 3), f"corners of {link} [m]")
        if (lower > upper).any():
            raise InputError(
                f"corners of {link} are not lower, then upper: {lower.tolist()}, {upper.tolist()} m"
            )
        inequalities += [
            parameters[1:4] >= lower * parameters[0],
            parameters[1:4] <= upper * parameters[0],
        ]
    return inequalities
