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
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ...errors import InputError, UnknownName, require
from ...model.inertia import ball_moment
from ...model.tree import body_names
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import first_of_friction
from .identified_parameters import IdentifiedParameters
from .interior_point import NearestBodies
from .pseudo import parameters_of, pseudo_inertia
from .regression import Fit

# smallest eigenvalue of X: no direction of a body shrinks to less than 1 % of the prior's
FLOOR = 1e-4
DOUBT = 0.5
MOST_MU = 0.999  # friction that grows as the load locks the drive
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
        base: Base parameters of the fit. Friction (Fv, Fc, Fs - Fc), rotors, stiffness and force of
            springs among them are kept from being negative.
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
    last = first_of_friction(robot) - robot.n
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
    columns = np.array([*(start + k for start in bodies.values() for k in range(10)), *others])
    sharp = min(1.0, SHARPEST * np.sqrt(fit.degrees) / float(np.linalg.norm(fit.factor[:, -1])))
    factor = sharp * fit.factor[:-1, :-1]
    problem = NearestBodies(
        factor @ base.grouping[:, columns],
        factor @ (fit.beta - base.grouping @ carried),
        [_root(towards[start : start + 10], link, robot) for link, start in bodies.items()],
        1.0 / doubt**2,
        *_passive(robot, others),
    )
    z = None if masses or centers else problem.solution()
    if z is None or not _keeps_bounds(problem, z, towards, list(bodies.values())):
        z = _bounded(problem, towards, bodies, masses or {}, centers or {})
    own = bare.copy()
    own[columns] = z
    return IdentifiedParameters.of(fit, robot, base, own, carried)


def _passive(robot: Robot, columns: NDArray[np.intp]) -> tuple[Array, Array, Array]:
    """Inequalities ``G s + h >= 0`` of rotors, friction that drives no axis, and springs.

    Args:
        robot: With the law of the fit.
        columns: Of the regressor that the scalars ``s`` are of.

    Returns:
        ``G``, ``h``, and scalars inside.
    """
    first, law = first_of_friction(robot), robot.friction_model
    kinds = () if law is None else law.kinds
    springs = first + len(kinds) * robot.n
    units, inside = np.eye(columns.size), np.zeros(columns.size)
    rows, offsets = [np.zeros((0, columns.size))], []
    for i, column in enumerate(columns.tolist()):
        if column >= springs:
            continue
        number = (column - first) % max(len(kinds), 1)
        kind = "J" if column < first else kinds[number]
        if kind in ("dFc", "dFv"):
            level = units[columns == column - number + kinds.index(kind[1:])]
            rows += [level + units[i], level - units[i]]
            offsets += [0.0, 0.0]
            continue
        rows.append(units[i : i + 1])
        offsets.append(0.0)
        inside[i] = 0.5 if kind == "mu" else 1.0
        if kind == "mu":
            rows.append(-units[i : i + 1])
            offsets.append(MOST_MU)
    lower, upper = robot.limits.envelope()
    for spring in robot.springs:
        own = np.flatnonzero((columns >= springs) & (columns < springs + spring.values.size))
        springs += spring.values.size
        # what is known of an element that is fitted in part is not looked at
        if own.size == spring.values.size:
            bounds = spring.bounds(float(lower[spring.axis - 1]), float(upper[spring.axis - 1]))
            rows.append(bounds @ units[own])
            offsets += [0.0] * len(bounds)
            inside[own] = np.linalg.lstsq(bounds, np.ones(len(bounds)))[0]
    return np.concatenate(rows), np.array(offsets), inside


def _keeps_bounds(problem: NearestBodies, z: Array, towards: Array, starts: Sequence[int]) -> bool:
    """Return whether no body is flatter or more compact than :func:`_bounded` allows."""
    X = np.einsum("bk,bkij->bij", z[: 10 * len(starts)].reshape(-1, 10), problem.units)
    if np.linalg.eigvalsh(X).min() < FLOOR:
        return False
    for own, start in zip(z[: 10 * len(starts)].reshape(-1, 10), starts, strict=True):
        mass, second = _scale(towards[start : start + 10])
        share, first = own[0] / mass, own[1:4] / np.sqrt(mass * second)
        ball = LEAD * np.power(mass, 5.0 / 3.0) / second
        moments = 0.5 * own[[4, 6, 9]].sum() / second
        if first @ first / share + ball * share ** (5.0 / 3.0) > moments:
            return False
    return True


def _bounded(
    problem: NearestBodies,
    towards: Array,
    bodies: Mapping[str, int],
    masses: Mapping[str, tuple[float, float]],
    centers: Mapping[str, tuple[ArrayLike, ArrayLike]],
) -> Array:
    """Return the solution that keeps all bounds."""
    cp: Any = import_module("cvxpy")

    scalars = cp.Variable(problem.G.shape[1]) if problem.G.shape[1] else np.zeros(0)
    misfit, moves, bounds, unknown = -problem.b, 0.0, [], {}
    if problem.G.shape[1]:
        misfit = misfit + problem.A[:, 10 * len(bodies) :] @ scalars
    if len(problem.h):
        bounds.append(problem.G @ scalars + problem.h >= 0.0)
    for k, (link, start) in enumerate(bodies.items()):
        root = problem.roots[k]
        X = cp.Variable((4, 4), PSD=True)
        unknown[link] = _OF_ENTRIES @ np.kron(root, root) @ cp.vec(X, order="C")  # of J = L X L'
        misfit = misfit + problem.A[:, 10 * k : 10 * k + 10] @ unknown[link]
        moves = moves + cp.trace(X) - cp.log_det(X)
        bounds += [
            X >> FLOOR * np.eye(4),
            _lighter_than_lead(cp, unknown[link], towards[start : start + 10]),
            *_bounds(unknown[link], masses.get(link), centers.get(link), link),
        ]
    objective = 0.5 * cp.sum_squares(misfit) + moves * problem.weight
    _solve(cp, cp.Problem(cp.Minimize(objective), bounds))
    solved = np.asarray(getattr(scalars, "value", scalars), dtype=float)
    # the solver keeps bounds up to its accuracy
    alone = np.count_nonzero(problem.G, axis=1) == 1
    positive = (problem.G[alone & (problem.h == 0.0)] > 0.0).any(axis=0)
    solved = np.where(positive, np.maximum(solved, 0.0), solved)
    return np.concatenate([*(part.value for part in unknown.values()), solved])


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
    mass, second = _scale(prior)
    share, first = parameters[0] / mass, parameters[1:4] / np.sqrt(mass * second)
    ball = LEAD * np.power(mass, 5.0 / 3.0) / second
    return (
        cp.quad_over_lin(first, share) + ball * cp.power(share, 5.0 / 3.0)
        <= 0.5 * cp.sum(parameters[[4, 6, 9]]) / second
    )


def _scale(body: Array) -> tuple[float, float]:
    """Mass, and trace of the second moments about the origin, of ten parameters."""
    return float(body[0]), 0.5 * float(body[[4, 6, 9]].sum())


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
