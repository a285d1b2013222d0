"""Physically consistent parameters: least squares under linear matrix inequalities, with a prior.

``min 1/2 |R (beta(pi) - beta_LS)|^2 + 1/doubt^2 sum over bodies of D(J | J_prior)`` over
pseudo-inertias ``J > 0`` [Sousa & Cortesao 2014; Wensing, Kim & Slotine 2018], with the divergence
``D = tr X - log det X - 4``, ``J = L X L'``, ``J_prior = L L'`` [Lee, Wensing & Park 2020]. D does
not depend on the frame; near the prior it is ``|X - 1|^2 / 2``, so that ``doubt`` is the relative
standard deviation of what is known. The fit is in units of its noise, so the data win wherever they
say something.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ...errors import InputError, UnknownName, require
from ...model.tree import body_names
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import first_of_friction
from .identified_parameters import IdentifiedParameters
from .nearest_bodies import FLOOR, NearestBodies
from .pseudo import pseudo_inertia
from .regression import Fit

DOUBT = 0.5
MOST_MU = 0.999  # friction that grows as the load locks the drive
# ratio of torque to noise: exact data count as if they had noise, or the prior would drown in
# rounding
SHARPEST = 1e5


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
    priors = {link: towards[start : start + 10] for link, start in bodies.items()}
    bounds, offsets = _bounds(priors, masses or {}, centers or {})
    G, h, inside = _passive(robot, others)
    first = 10 * len(bodies)
    inequalities = np.zeros((len(bounds) + len(G), len(columns)))
    inequalities[: len(bounds), :first], inequalities[len(bounds) :, first:] = bounds, G
    problem = NearestBodies(
        factor @ base.grouping[:, columns],
        factor @ (fit.beta - base.grouping @ carried),
        [_root(prior, link, robot) for link, prior in priors.items()],
        1.0 / doubt**2,
        inequalities,
        np.concatenate([offsets, h]),
    )
    z = problem.solution().z
    # the solver keeps bounds up to its accuracy, a law of friction keeps them
    slack = G @ z[first:] + h
    room, low = G @ inside + h - slack, slack < 0.0
    beyond = np.max(-slack[low] / room[low], initial=0.0)
    z[first:] += 2.0 * beyond * (inside - z[first:])
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


def _root(parameters: Array, link: str, robot: Robot) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(pseudo_inertia(parameters)), dtype=float)
    except np.linalg.LinAlgError:
        raise InputError(
            f"{link} of {robot.name} has parameters that no body has: load another set as prior"
        ) from None


def _bounds(
    priors: Mapping[str, Array],
    masses: Mapping[str, tuple[float, float]],
    centers: Mapping[str, tuple[ArrayLike, ArrayLike]],
) -> tuple[Array, Array]:
    """Inequalities ``C x + h >= 0`` of masses and centres of mass, in shares of the priors.

    Args:
        priors: Ten parameters by link.
        masses: Least and largest mass [kg] by link.
        centers: Corners [m] of a box by link.

    Returns:
        ``C`` of the parameters ``x`` of all bodies, and ``h``.
    """
    rows: list[Array] = []
    offsets: list[float] = []
    for k, (link, prior) in enumerate(priors.items()):
        unit = np.eye(10 * len(priors))[10 * k : 10 * k + 4]
        if link in masses:
            low, high = finite(masses[link], (2,), f"mass bounds of {link}")
            if not 0.0 <= low <= high:
                raise InputError(f"masses of {link} must grow from 0: {low:g} .. {high:g} kg")
            # the only bound that may be beyond all bodies: any mass has any centre in some body
            if high <= FLOOR * prior[0]:
                raise InputError(
                    f"no set of bodies keeps these bounds: {link} has {FLOOR * prior[0]:.3g} kg at"
                    f" least, {FLOOR:g} of its prior"
                )
            rows += [unit[0] / prior[0], -unit[0] / prior[0]]
            offsets += [-low / prior[0], high / prior[0]]
        if link in centers:
            lower, upper = finite(
                np.array(centers[link], dtype=float), (2, 3), f"corners of {link} [m]"
            )
            if (lower > upper).any():
                raise InputError(
                    f"corners of {link} are not lower, then upper: {lower.tolist()},"
                    f" {upper.tolist()} m"
                )
            length = np.sqrt(0.5 * prior[[4, 6, 9]].sum() * prior[0])
            rows += list((unit[1:] - lower[:, None] * unit[0]) / length)
            rows += list((upper[:, None] * unit[0] - unit[1:]) / length)
            offsets += [0.0] * 6
    return np.array(rows).reshape(-1, 10 * len(priors)), np.array(offsets)
