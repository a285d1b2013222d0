"""Parameters that bodies can have: least squares under linear matrix inequalities, pulled towards what is known before.

``min 1/2 |R (beta(pi) - beta_LS)|^2 + 1/doubt^2 sum over bodies of D(J | J_prior)`` over pseudo-inertias ``J > 0`` [Sousa &
Cortesao 2014; Wensing, Kim & Slotine 2018], with the divergence ``D = tr X - log det X - 4``, ``J = L X L'``, ``J_prior = L L'``
[Lee, Wensing & Park 2020]. D does not depend on the frame; near the prior it is ``|X - 1|^2 / 2``, so that ``doubt`` is the
relative standard deviation of what is known. The fit is in units of its noise, so the data win wherever they say something.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ...errors import FileError, InputError, MissingData, UnknownName, require
from ...model.inertia import Inertial, ball_moment
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...tables.overlays import write_tables
from .overlay import overlay_of
from .pseudo import inertial_of, parameters_of, pseudo_inertia
from .regression import Fit

Array = NDArray[np.float64]

FLOOR = 1e-4  # smallest eigenvalue of X: no direction of a body shrinks to less than 1 % of the prior's
DOUBT = 0.5
LEAD = 3.0 * ball_moment(1.0) * (1.0 + 1e-6)  # trace of second moments [kg m^2] of 1 kg of lead: nothing is more compact
SHARPEST = 1e5  # ratio of torque to noise: exact data count as if they had noise, or the prior would drown in rounding
_OF_ENTRIES = np.column_stack([parameters_of(element) for element in np.eye(16).reshape(16, 4, 4)])


@dataclass(frozen=True, eq=False)
class Consistent:
    """A set of parameters that bodies can have, without tool and payload."""

    robot: Robot
    inertials: dict[str, Inertial]
    """Those that have influence, in their own axes, by link; by joint, where a URDF does not call it joint_NAME."""
    rotors: Array
    """Arm side [kg m^2, kg], shape ``(n,)``; NaN where the fit does not hold them, as below."""
    friction: Array
    """``Fv, Fc, Fs - Fc`` per axis, shape ``(n, 3)``."""
    parameters: Array
    """In the order of ``robot.parameter_vector()``, tool and payload included."""
    beta: Array
    """Base parameters of the set."""
    distance: float
    """``|R (beta - beta_LS)|``: by how many standard deviations, all in all, the set is off the unconstrained fit."""

    def write(self, path: str | Path, name: str, ref: str, about: str = "identified, consistent") -> Path:
        """Write the set as an overlay, ``irbmodels.load(..., overlays=[path])``, whole: it does not depend on what was before.

        What was not fitted has the number and the source of the robot; friction that nobody knows is said to be 0, assumed.

        Args:
            path: File to write, with the suffix .yaml.
            name: Of the set of inertials, and of the set of friction.
            ref: Where the samples come from.
            about: What the set is.

        Raises:
            MissingData: for a robot from a URDF.
            FileError: if it cannot be written.
        """
        if self.robot.description is None:
            raise MissingData(f"{self.robot.name} comes from a URDF, which has no tables to lay numbers on")
        file = Path(path)
        if file.suffix != ".yaml":
            raise InputError(f"an overlay is a .yaml file, not {file.name!r}")
        overlay = overlay_of(self, name, about, {"ref": ref, "grade": "identified"})
        try:
            write_tables(file.parent, {file.stem: overlay}, f"{self.robot.name}: {ref}")
        except OSError as err:
            raise FileError(f"{file}: {err.strerror or err}") from err
        return file


def consistent(
    fit: Fit,
    robot: Robot,
    base: BaseParameters,
    *,
    doubt: float = DOUBT,
    masses: Mapping[str, tuple[float, float]] | None = None,
    centers: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    prior: ArrayLike | None = None,
) -> Consistent:
    """Return the consistent set nearest to a fit of torques.

    Args:
        fit: Weighted fit of ``base``.
        robot: With the tool of the experiment.
        base: What was fitted. Where it holds friction, Fv, Fc, Fs - Fc are kept from being negative; rotors too.
        doubt: Relative standard deviation of the prior.
        masses: Least and largest mass [kg] by link.
        centers: Lower and upper corner [m] of a box that holds the centre of mass, by link, in its axes.
        prior: Parameters that the bodies are pulled towards, as ``parameter_vector()`` without tool and payload; default the
            robot's own.

    Raises:
        MissingExtra: without cvxpy and clarabel.
        UnknownName: if a bound names a link that has no mass, or none at all.
        InputError: if the prior is no body, a bound makes no sense, or no set keeps all of them.
    """
    require("cvxpy", "identify")
    require("clarabel", "identify")
    cp: Any = import_module("cvxpy")

    if fit.names != base.names:
        raise InputError(f"the fit has {fit.beta.size} parameters, which are not the {base.rank} sums of these base parameters")
    if not doubt > 0.0:
        raise InputError(f"doubt is a positive share, got {doubt!r}")
    bare = robot._quietly(tool=None, payload=None).parameter_vector()
    carried = robot.parameter_vector() - bare
    towards = bare if prior is None else finite(prior, bare.shape, "the prior")
    seen = np.asarray(base.grouping.any(axis=0), dtype=bool)
    last = 10 * (robot.model.njoints - 1)
    bodies = {link_of(name): 10 * i for i, name in enumerate(list(robot.model.names)[1:]) if seen[10 * i : 10 * i + 10].any()}
    for link in (*(masses or {}), *(centers or {})):
        if link not in bodies:
            raise UnknownName("link to bound", link, bodies)
    others = last + np.flatnonzero(seen[last:])
    scalars = cp.Variable(others.size, nonneg=True) if others.size else np.zeros(0)
    beta, moves, bounds, unknown = base.grouping @ carried + base.grouping[:, others] @ scalars, 0.0, [], {}
    for link, start in bodies.items():
        root = _root(towards[start : start + 10], link, robot)
        X = cp.Variable((4, 4), PSD=True)
        unknown[link] = _OF_ENTRIES @ np.kron(root, root) @ cp.vec(X, order="C")  # of J = L X L'
        beta = beta + base.grouping[:, start : start + 10] @ unknown[link]
        moves = moves + cp.trace(X) - cp.log_det(X)
        bounds += [X >> FLOOR * np.eye(4), _lighter_than_lead(cp, unknown[link], towards[start : start + 10])]
        bounds += [*_bounds(unknown[link], (masses or {}).get(link), (centers or {}).get(link), link)]
    factor = fit.factor[:-1, :-1]
    sharp = min(1.0, SHARPEST * np.sqrt(fit.degrees) / float(np.linalg.norm(fit.factor[:, -1])))
    misfit = cp.sum_squares(sharp * factor @ (beta - fit.beta))
    _solve(cp, cp.Problem(cp.Minimize(0.5 * misfit + moves / doubt**2), bounds))
    own = bare.copy()
    for link, start in bodies.items():
        own[start : start + 10] = unknown[link].value
    own[others] = np.maximum(getattr(scalars, "value", scalars), 0.0)
    found = base.values(own + carried)
    return Consistent(
        robot,
        {link: inertial_of(own[start : start + 10]) for link, start in bodies.items()},
        *fitted_scalars(own, seen, robot),
        own + carried,
        found,
        float(np.linalg.norm(factor @ (found - fit.beta))),
    )


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
        raise InputError(f"the solver does not reach its accuracy ({problem.status}): take a smaller doubt, or wider bounds")


def _root(parameters: Array, link: str, robot: Robot) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(pseudo_inertia(parameters)), dtype=float)
    except np.linalg.LinAlgError:
        raise InputError(f"{link} of {robot.name} has parameters that no body has: load another set as prior") from None


def _lighter_than_lead(cp: Any, parameters: Any, prior: Array) -> Any:
    """Trace of the second moments about the centre is that of a lead ball at least; convex, and in shares of the prior."""
    mass, second = float(prior[0]), 0.5 * float(prior[[4, 6, 9]].sum())
    share, first = parameters[0] / mass, parameters[1:4] / np.sqrt(mass * second)
    ball = LEAD * np.power(mass, 5.0 / 3.0) / second
    return cp.quad_over_lin(first, share) + ball * cp.power(share, 5.0 / 3.0) <= 0.5 * cp.sum(parameters[[4, 6, 9]]) / second


def _bounds(parameters: Any, mass: tuple[float, float] | None, box: tuple[ArrayLike, ArrayLike] | None, link: str) -> list[Any]:
    """Inequalities of one body, linear in its parameters."""
    found: list[Any] = []
    if mass is not None:
        low, high = finite(mass, (2,), f"mass bounds of {link}")
        if not 0.0 <= low <= high:
            raise InputError(f"masses of {link} must grow from 0: {low:g} .. {high:g} kg")
        found += [parameters[0] >= low, parameters[0] <= high]
    if box is not None:
        lower, upper = finite(np.array(box, dtype=float), (2, 3), f"corners of {link} [m]")
        if (lower > upper).any():
            raise InputError(f"corners of {link} are not lower, then upper: {lower.tolist()}, {upper.tolist()} m")
        found += [parameters[1:4] >= lower * parameters[0], parameters[1:4] <= upper * parameters[0]]
    return found


def fitted_scalars(parameters: Array, seen: NDArray[np.bool_], robot: Robot) -> tuple[Array, Array]:
    """Rotors ``(n,)`` and friction ``(n, 3)`` of a parameter vector; NaN where no sum holds them."""
    first = 10 * (robot.model.njoints - 1)
    known = np.where(seen, parameters, np.nan)
    friction = known[first + robot.n :] if parameters.size > first + robot.n else np.full(3 * robot.n, np.nan)
    return known[first : first + robot.n], friction.reshape(-1, 3)


def impossible_bodies(robot: Robot) -> dict[str, str]:
    """Return the links whose numbers no body can have, each with the reason; tool and payload do not count."""
    model = robot._quietly(tool=None, payload=None).model
    found = {}
    for joint, body in list(zip(model.names, model.inertias, strict=True))[1:]:
        if reasons := Inertial.of(body.mass, body.lever, body.inertia).impossibilities():
            found[link_of(joint)] = reasons[0]
    return found


def possible_prior(robot: Robot) -> Array:
    """Return the parameters of a robot without tool and payload, with the nearest body for each that is impossible.

    Raises:
        InputError: if one weighs nothing or less; nothing is near to it.
    """
    bare = robot._quietly(tool=None, payload=None)
    parameters, model = bare.parameter_vector(), bare.model
    for i, joint in enumerate(list(model.names)[1:]):
        body = Inertial.of(*(getattr(model.inertias[i + 1], name) for name in ("mass", "lever", "inertia")))
        if not body.impossibilities():
            continue
        if body.mass <= 0.0:
            raise InputError(f"{link_of(joint)} of {robot.name} weighs {body.mass:g} kg: no body is near to it as prior")
        near = body.nearest_possible()
        parameters[10 * i : 10 * i + 10] = pin.Inertia(near.mass, np.array(near.com), np.array(near.tensor)).toDynamicParameters()
    return parameters


def link_of(joint: str) -> str:
    """Return the name of the body that a joint moves."""
    return f"link_{joint.removeprefix('joint_')}" if joint.startswith("joint_") else joint
