"""Stribeck's law of an axis from friction at speeds (S000 eq. 54, Tab. 5), with its uncertainty.

``F(v) = Fc + (Fs - Fc) exp(-(v / v_St)^2) + Fv v`` for ``v > 0``. At each ``v_St`` the law is
linear in the other three.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...checks import as_instance
from ...errors import InputError
from ...model.types import Array
from ..recordings.recording import Finding
from .fit import NAMES, FrictionFit, law_jacobian, number_text
from .levels import FrictionPoints

_EXACT = 1e-9  # of the largest friction: deviations below it are rounding, and weigh no more
_STEPS = 60  # values of v_St that are tried first
_DROP = 11.83  # by how much chi^2 must fall for two parameters more: three standard deviations
_UNSURE = 0.5  # of its value: a parameter with a wider deviation is not identified
_ABOUT = (
    "# Stribeck friction per axis, arm side (S000 eq. 54): (Fc + (Fs - Fc) exp(-(v/v_St)^2)) sgn(v)"
    " + Fv v."
)


def fit_friction(points: FrictionPoints) -> FrictionFit:
    """Fit the law to the points, weighted by their deviations.

    Bounds are ``Fs >= Fc >= 0``, ``Fv >= 0``, ``v_St > 0``.

    Where the points scatter more than their deviations, these are widened in proportion; they
    are never narrowed. If no drop from Fs to Fc stands out of the noise, only Fc and Fv are fitted:
    Fs is given as Fc, v_St as the slowest speed, both with infinite deviations.

    Raises:
        InputError: if there are fewer than five points, or fewer than five speeds.
    """
    from scipy.optimize import least_squares

    as_instance(
        points, FrictionPoints, "a law is fitted to FrictionPoints, as friction_points returns them"
    )
    v, friction = points.speed, points.friction
    different = len(np.unique(np.round(np.log(v), 3)))
    if different < 5:
        raise InputError(
            f"four parameters need five speeds or more, axis {points.axis} has {different}"
        )
    deviation = np.maximum(points.deviation, _EXACT * float(np.abs(friction).max()))
    start = _start(v, friction, deviation)

    def residual(x: Array) -> Array:
        return (_law(v, _values(x)) - friction) / deviation

    def jacobian(x: Array) -> Array:
        values = _values(x)
        J = law_jacobian(v, values) / deviation[:, None]
        return np.column_stack([J[:, 0], J[:, 0] + J[:, 1], J[:, 2], J[:, 3] * values[3]])

    lower = np.array([0.0, 0.0, 0.0, np.log(0.1 * v[0])])
    upper = np.array([np.inf, np.inf, np.inf, np.log(10.0 * v[-1])])
    scale = np.maximum(np.abs(start), [1e-3 * np.abs(friction).max()] * 2 + [1e-3, 1.0])
    solution = least_squares(
        residual,
        np.clip(start, lower, upper),
        jacobian,
        (lower, upper),
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        x_scale=scale,
        max_nfev=2000,
    )
    values = _values(solution.x)
    squares = float(np.square(residual(solution.x)).sum())
    scatter = np.sqrt(squares / (len(v) - 4))
    J = law_jacobian(v, values) / deviation[:, None]
    (Fc, Fv), squares_without = _fit_coulomb_viscous(v, friction, deviation)
    if squares_without - squares < _DROP * max(scatter, 1.0) ** 2:
        scatter = np.sqrt(squares_without / (len(v) - 2))
        values = np.array([Fc, Fc, Fv, v[0]])
        J = law_jacobian(v, values) / deviation[:, None]
        J = np.column_stack([0.0 * J[:, 0], J[:, 0] + J[:, 1], J[:, 2], 0.0 * J[:, 3]])
    covariance = _covariance(J) * max(scatter, 1.0) ** 2
    findings = (*points.findings, *_findings(points, values, covariance, scatter))
    return FrictionFit(points, values, covariance, float(scatter), findings)


def friction_table(
    fits: Sequence[FrictionFit], name: str, ref: str, how: str, axes: Sequence[str] | None = None
) -> str:
    """Return the text of a ``friction.yaml``, grade identified, with the fits of all axes.

    Args:
        fits: One per axis of the robot, in any order.
        name: Of the set and its source.
        ref: What was measured: robot, serial number, date, file.
        how: Method, conditions included.
        axes: Names of the axes; default ``axis_1 ..``.

    Raises:
        InputError: if an axis is there twice or is missing, a fit does not identify all its values,
            or is of a synthetic recording.
    """
    numbers = sorted(fit.points.axis for fit in fits)
    if numbers != list(range(1, len(numbers) + 1)) or not numbers:
        raise InputError(f"a table needs every axis once, got axes {numbers}")
    sources, sets = _source_lines(name, ref, how), _set_lines(fits, name, axes)
    return "\n".join([_ABOUT, sets[0], *sources, *sets[1:]]) + "\n"


def friction_overlay(fits: Sequence[FrictionFit], robot: str, name: str, ref: str, how: str) -> str:
    """Return the text of an overlay with the friction of some axes, for ``--overlay``.

    Axes that are not there keep the law of the robot's tables.

    Args:
        fits: One per axis, in any order.
        robot: Name of the variant that was measured.
        name: Of the set and its source.
        ref: What was measured: robot, serial number, date, file.
        how: Method, conditions included.

    Raises:
        InputError: as :func:`friction_table`, but that axes may be missing.
    """
    numbers = sorted(fit.points.axis for fit in fits)
    if len(set(numbers)) < len(numbers) or not numbers:
        raise InputError(f"an overlay needs axes, each once, got axes {numbers}")
    sets = [f"  {line}" for line in _set_lines(fits, name)]
    return (
        "\n".join(
            [
                _ABOUT,
                f"about: {_quoted(how)}",
                f"robot: {robot}",
                *_source_lines(name, ref, how),
                "friction:",
                *sets,
            ]
        )
        + "\n"
    )


def _source_lines(name: str, ref: str, how: str) -> list[str]:
    return [
        "sources:",
        f"  {name}:",
        f"    ref: {_quoted(ref)}",
        "    grade: identified",
        f"    how: {_quoted(how)}",
    ]


def _set_lines(
    fits: Sequence[FrictionFit], name: str, axes: Sequence[str] | None = None
) -> list[str]:
    """Return the lines of a set, its default first, with a row per fit.

    Raises:
        InputError: if a fit does not identify all its values, or is of a synthetic recording.
    """
    if any(fit.points.synthetic for fit in fits):
        raise InputError(
            "these points come from a synthetic recording: nothing of a robot is identified by them"
        )
    for fit in fits:
        if not np.isfinite(fit.deviation).all():
            raise InputError(
                f"axis {fit.points.axis}: Fs and v_St are not determined by its points, and a table"
                f" needs them; {fit.findings[-1]}"
            )
    fastest = min(float(fit.points.speed[-1]) for fit in fits)
    lines = [
        f"default: {name}",
        "sets:",
        f"  {name}:",
        f"    measured_to_rad_s: {number_text(fastest)}",
        "    axes:",
    ]
    for fit in sorted(fits, key=lambda fit: fit.points.axis):
        number = fit.points.axis
        axis = f"axis_{number}" if axes is None else axes[number - 1]
        lines.append(f"      {axis}: {{{fit.row()}, source: {name}}}")
    return lines


def _law(v: Array, values: Array) -> Array:
    Fs, Fc, Fv, v_St = values
    result: Array = Fc + (Fs - Fc) * np.exp(-np.square(v / v_St)) + Fv * v
    return result


def _values(x: Array) -> Array:
    """Fs, Fc, Fv, v_St of the unknowns ``Fs - Fc, Fc, Fv, log v_St``."""
    drop, Fc, Fv, log_speed = x
    return np.array([Fc + drop, Fc, Fv, np.exp(log_speed)])


def _start(v: Array, friction: Array, deviation: Array) -> Array:
    """Unknowns of the best of many ``v_St``, each with its linear fit."""
    from scipy.optimize import nnls

    best, cost = np.zeros(4), np.inf
    for v_St in np.geomspace(v[0], v[-1], _STEPS):
        Y = np.column_stack([np.exp(-np.square(v / v_St)), np.ones_like(v), v]) / deviation[:, None]
        x, rest = nnls(Y, friction / deviation)
        if rest < cost:
            best, cost = np.append(x, np.log(v_St)), rest
    return best


def _fit_coulomb_viscous(v: Array, friction: Array, deviation: Array) -> tuple[Array, float]:
    """Fc and Fv of the law without its drop, and its sum of squares."""
    from scipy.optimize import nnls

    x, rest = nnls(np.column_stack([np.ones_like(v), v]) / deviation[:, None], friction / deviation)
    return np.asarray(x, dtype=float), float(rest) ** 2


def _covariance(J: Array) -> Array:
    """Inverse of ``J' J``; infinite variances of what the data do not determine."""
    size = np.linalg.norm(J, axis=0)
    dead = size == 0.0
    size[dead] = 1.0
    _, values, right = np.linalg.svd(J / size, full_matrices=False)
    weak = values < 1e-10 * values[0]
    half = right.T[:, ~weak] / values[~weak]
    covariance = half @ half.T / np.outer(size, size)
    lost = dead | (np.abs(right[weak]) > 1e-6).any(axis=0)
    covariance[lost, :] = covariance[:, lost] = 0.0
    covariance[lost, lost] = np.inf
    return np.asarray(covariance, dtype=float)


def _findings(
    points: FrictionPoints, values: Array, covariance: Array, scatter: float
) -> list[Finding]:
    """Parameters that the data do not identify, and points that the law does not fit."""
    v_St, deviation = float(values[3]), np.sqrt(np.diagonal(covariance))
    slowest, fastest = float(points.speed[0]), float(points.speed[-1])
    no_drop = bool(np.isinf(deviation[3]))
    texts = [
        (
            no_drop,
            "no drop of friction from Fs to Fc stands out of the noise",
            "v_St means nothing then; measure slower speeds",
        ),
        (
            not no_drop and slowest > v_St,
            f"no speed is below v_St = {v_St:.3g}",
            f"Fs is extrapolated; measure speeds down to {0.3 * v_St:.2g}",
        ),
        (
            fastest < 3.0 * v_St,
            f"no speed is above 3 v_St = {3.0 * v_St:.3g}",
            "Fc and Fv cannot be separated; measure faster speeds",
        ),
        *(
            (
                not wide <= _UNSURE * max(value, 1e-300),
                f"{name} is not determined by the data: its standard deviation is {wide:.3g}",
                "",
            )
            for name, value, wide in zip(NAMES, values, deviation, strict=True)
        ),
        (
            scatter > 3.0,
            f"points lie {scatter:.3g} times farther from the law than their noise",
            "another law, temperature, or stick-slip",
        ),
    ]
    return [Finding(what, advice) for true, what, advice in texts if true]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
