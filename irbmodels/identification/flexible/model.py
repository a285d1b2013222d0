"""Prediction of sampled data by a linear model of a flexible joint, with its derivatives.

Sampling is exact for the hold of the data: matrix exponential of model, input and derivatives
together [Van Loan 1978]. The initial state, an offset of each output and the transient of the
high-pass enter linearly; they are estimated by linear least squares for each candidate and leave
the problem (variable projection, Kaufman 1975). A high-pass on torque and output commutes
with the model, and removed means are an offset: neither changes the estimates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...simulation.flexible import Drive, LinearModel, OneAxis
from .samples import OneAxisData

PARAMETERS = {
    "Jm": "kg m^2",
    "Ja": "kg m^2",
    "k": "N m/rad",
    "fm": "N m s/rad",
    "d": "N m s/rad",
    "fa": "N m s/rad",
}
"""Rotor (motor side), link, spring (arm side); friction of motor, gear, link (latter arm side)."""
LOGARITHMIC = ("Jm", "Ja", "k")
"""Parameters that are positive, and searched by their logarithm; friction may be 0."""
# of the largest singular value: directions of the initial state that the samples do not determine
_RANK = 1e-10
_TERMS = 16  # of a Taylor series of a matrix with norm 1/2: the next one is 2e-20
_STABLE = 1e-9  # what rounding adds to an eigenvalue of 1


def parameters_of(axis: OneAxis) -> dict[str, float]:
    """Parameters of a model by name."""
    drive = axis.drive
    return {
        "Jm": drive.rotor_inertia,
        "Ja": axis.inertia,
        "k": drive.stiffness,
        "fm": drive.viscous,
        "d": drive.damping,
        "fa": drive.bearing,
    }


def axis_of(values: dict[str, float], gear_ratio: float) -> OneAxis:
    """Return the model with these parameters; an identified one."""
    Jm, Ja, k, fm, d, fa = (values[name] for name in PARAMETERS)
    drive = Drive(k, Jm, gear_ratio, viscous=fm, damping=d, bearing=fa, grade="identified")
    return OneAxis(drive, Ja)


class Derivatives(NamedTuple):
    """Derivatives of A ``(p, s, s)``, B ``(p, s, m)`` and C ``(p, o, s)``."""

    A: Array
    B: Array
    C: Array


class DiscreteModel(NamedTuple):
    """``x+ = A x + B u``, ``y = C x`` of samples, with derivatives by ``p`` parameters."""

    A: Array
    B: Array
    C: Array
    slopes: Derivatives


def output_model(axis: OneAxis, outputs: tuple[str, ...]) -> LinearModel:
    """Return the model with three states and the named outputs (S003 3.3.2, A23 corrected)."""
    A, B, _, _ = axis.three_states()
    rows = {"speed": [1.0, 0.0, 0.0], "arm_speed": [0.0, 1.0, 0.0], "arm_acceleration": A[1]}
    C = np.array([rows[name] for name in outputs], dtype=float)
    return LinearModel(A, B, C, np.zeros((len(outputs), 1)))


def model_derivatives(
    axis: OneAxis, model: LinearModel, outputs: tuple[str, ...], names: tuple[str, ...]
) -> Derivatives:
    """Derivatives of :func:`output_model` by log Jm, log Ja, log k, and fm, d, fa themselves."""
    r = 1.0 / axis.drive.gear_ratio
    masses = np.array([axis.drive.rotor_inertia, axis.inertia])
    A, B, C = (np.zeros((len(names), *shape)) for shape in ((3, 3), (3, 1), (len(outputs), 3)))
    for i, name in enumerate(names):
        if name in ("Jm", "Ja"):
            row = ("Jm", "Ja").index(name)
            A[i, row], B[i, row] = -model.A[row], -model.B[row]
        elif name == "k":
            A[i, :, 2] = model.A[:, 2]
        else:
            # relative speed of the friction
            moves = {"fm": [1.0, 0.0], "d": [r, -1.0], "fa": [0.0, 1.0]}[name]
            A[i, :2, :2] = -np.outer(moves, moves) / masses[:, None]
    if "arm_acceleration" in outputs:
        C[:, outputs.index("arm_acceleration")] = A[:, 1]
    return Derivatives(A, B, C)


def state_scale(model: LinearModel) -> Array:
    """Units of the states in which the entries of A are of one size, shape ``(s,)``.

    Powers of 2, so nothing is rounded.
    """
    from scipy.linalg import matrix_balance

    _, (scale, _) = matrix_balance(model.A, permute=False, separate=True)
    return np.asarray(scale, dtype=float)


def discretize(
    model: LinearModel, slopes: Derivatives | None, data: OneAxisData, scale: Array
) -> DiscreteModel:
    """Sample a model with the hold of the data.

    Inputs are the torque and, for linear hold, its change to the next sample.
    """
    s, h = len(model.A), data.step
    size = s + (2 if data.hold == "linear" else 1)
    count = 0 if slopes is None else len(slopes.A)

    def augmented(A: Array, B: Array) -> Array:
        block = np.zeros((size, size))
        block[:s, :s], block[:s, s : s + 1] = h * A / scale[:, None] * scale, h * B / scale[:, None]
        return block

    whole = augmented(model.A, model.B)
    if data.hold == "linear":
        whole[s, s + 1] = 1.0
    # exp of [[M, dM], [0, M]] has the derivative of exp M beside it
    blocks = np.zeros((count + 1, 2, size, 2, size))
    blocks[:, 0, :, 0] = blocks[:, 1, :, 1] = whole
    C = np.zeros((0, *model.C.shape))
    if slopes is not None:
        C = slopes.C * scale
        for block, A, B in zip(blocks, slopes.A, slopes.B, strict=False):
            block[0, :, 1] = augmented(A, B)
    result = _exponential(blocks.reshape(count + 1, 2 * size, 2 * size)).reshape(blocks.shape)
    whole, changes = result[-1, 0, :, 0], result[:count, 0, :, 1]
    derivatives = Derivatives(changes[:, :s, :s], changes[:, :s, s:], C)
    return DiscreteModel(whole[:s, :s], whole[:s, s:], model.C * scale, derivatives)


def _exponential(matrices: Array) -> Array:
    """Matrix exponentials ``(k, m, m)`` by Taylor series and squaring.

    Not ``scipy.linalg.expm``: its LAPACK starts threads for each of these small matrices, and they
    wait longer than all the rest takes (measured: 20 ms instead of 0.05 ms each where the cores are
    busy).
    """
    size = np.abs(matrices).sum(axis=2).max()
    halvings = max(0, int(np.ceil(np.log2(max(size, 1e-300)))) + 1)
    small, unit = matrices / 2.0**halvings, np.eye(matrices.shape[-1])
    result = unit + small / _TERMS
    for k in range(_TERMS - 1, 0, -1):
        result = unit + small @ result / k
    for _ in range(halvings):
        result = result @ result
    return np.asarray(result, dtype=float)


def with_predictor_gain(system: DiscreteModel, gain: Array) -> DiscreteModel:
    """Return the predictor ``x+ = (A - K C) x + B u + K y``; K's entries are parameters too."""
    A, B, C, slopes = system
    s, o = gain.shape
    entries = np.eye(s * o).reshape(s * o, s, o)
    A_slopes = np.concatenate([slopes.A - gain @ slopes.C, -entries @ C])
    B_slopes = np.zeros((len(A_slopes), s, B.shape[1] + o))
    B_slopes[: len(slopes.B), :, :-o] = slopes.B
    B_slopes[len(slopes.B) :, :, -o:] = entries
    C_slopes = np.concatenate([slopes.C, np.zeros((s * o, *C.shape))])
    return DiscreteModel(
        A - gain @ C, np.hstack([B, gain]), C, Derivatives(A_slopes, B_slopes, C_slopes)
    )


def is_stable(system: DiscreteModel) -> bool:
    """True if no eigenvalue of A is outside the unit circle."""
    return bool(np.abs(np.linalg.eigvals(system.A)).max() <= 1.0 + _STABLE)


def markov_parameters(system: DiscreteModel, count: int) -> tuple[Array, Array]:
    """Markov parameters ``C A^k``, k < count, and their derivatives, by doubling.

    Shapes ``(count, o, s)`` and ``(p, count, o, s)``.
    """
    rows, slopes = system.C[None], system.slopes.C[:, None]
    power, change = system.A, system.slopes.A
    while len(rows) < count:
        slopes = np.concatenate([slopes, slopes @ power + rows @ change[:, None]], axis=1)
        rows = np.concatenate([rows, rows @ power])
        power, change = power @ power, change @ power + power @ change
    return rows[:count], slopes[:, :count]


def forced_response(rows: Array, B: Array, inputs: Array) -> Array:
    """Outputs from rest: inputs ``(N, m)`` through impulse responses ``rows B``.

    Shape ``(..., N, o)``.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    count = len(inputs)
    size = next_fast_len(2 * count, real=True)
    pulses = rows[..., :-1, :, :] @ B[..., None, :, :]  # responses from the next sample on
    spectrum = np.einsum(
        "...fom,fm->...fo", rfft(pulses, size, axis=-3), rfft(inputs, size, axis=0)
    )
    later = irfft(spectrum, size, axis=-2)[..., : count - 1, :]
    return np.concatenate([np.zeros((*later.shape[:-2], 1, later.shape[-1])), later], axis=-2)


def offset_columns(data: OneAxisData, outputs: int) -> Array:
    """Offset and transients of the high-pass of each output, ``(N, outputs, columns)``."""
    from scipy.signal import sosfilt

    columns = [np.ones(len(data))]
    if data.highpass is not None:
        sections = data.highpass.sections(data.step)
        for entry in np.eye(2 * len(sections)):
            column, _ = sosfilt(sections, np.zeros(len(data)), zi=entry.reshape(len(sections), 2))
            if column.any():  # the second delay of a section of first order is unused
                columns.append(column)
    one = np.column_stack(columns)
    return np.concatenate(
        [one[:, None, :] * np.eye(outputs)[o][:, None] for o in range(outputs)], axis=2
    )


def inputs_of(data: OneAxisData) -> Array:
    """Torque, and for linear hold its change to the next sample, shape ``(N, 1)`` or ``(N, 2)``."""
    if data.hold == "zero":
        return data.torque[:, None]
    return np.column_stack([data.torque, np.diff(data.torque, append=data.torque[-1])])


class Prediction(NamedTuple):
    """Prediction of measurements by a model."""

    predicted: Array
    """``(N, o)``."""
    residual: Array
    """Measured less predicted, in units of the weights, ``(N, o)``."""
    slopes: Array
    """Derivatives of the residual, projected like it, ``(p, N, o)``."""


def predict(
    system: DiscreteModel, inputs: Array, measured: Array, other: Array, weights: Array
) -> Prediction:
    """Compare a sampled model with measurements.

    Initial state and ``other`` are estimated by weighted least squares.

    Args:
        system: Model or predictor.
        inputs: ``(N, m)``.
        measured: ``(N, o)``.
        other: Further linear terms, ``(N, o, columns)``.
        weights: Of the outputs, ``(o,)``.
    """
    rows, row_slopes = markov_parameters(system, len(measured))
    p, states = len(system.slopes.A), len(system.A)
    of_rows, of_B = np.repeat(rows[None], p, axis=0), np.repeat(system.B[None], p, axis=0)
    both = forced_response(
        np.concatenate([rows[None], row_slopes, of_rows]),
        np.concatenate([system.B[None], of_B, system.slopes.B]),
        inputs,
    )
    free = np.concatenate([rows, other], axis=2) * weights[:, None]
    flat = free.reshape(-1, free.shape[2])
    size = np.maximum(np.linalg.norm(flat, axis=0), np.finfo(float).tiny)
    U, singular, Vt = np.linalg.svd(flat / size, full_matrices=False)
    kept = singular > _RANK * singular[0]
    U, singular, Vt = U[:, kept], singular[kept], Vt[kept]
    right = (weights * (measured - both[0])).ravel()
    part = U.T @ right
    start = (Vt.T @ (part / singular) / size)[:states]
    residual = (right - U @ part).reshape(measured.shape)
    slopes = (-weights * (both[1 : p + 1] + both[p + 1 :] + row_slopes @ start)).reshape(
        p, measured.size
    )
    slopes = slopes - (slopes @ U) @ U.T
    return Prediction(measured - residual / weights, residual, slopes.reshape(p, *measured.shape))


def simulate(
    model: LinearModel, data: OneAxisData, measured: Array, *, drift: bool = False
) -> Array:
    """Outputs of a model under the torque of the data.

    From ``measured`` come only the initial state, an offset and the filter's transient.

    Args:
        model: From torque [N m] to as many outputs as are measured, without feedthrough.
        data: Torque, hold and filter.
        measured: ``(N, o)``.
        drift: True to estimate a ramp too, which removing the mean of the torque makes of a model
            that integrates.

    Raises:
        InputError: if the model is unstable, or has other inputs or outputs.
    """
    outputs = measured.shape[1]
    if model.B.shape[1] != 1 or model.C.shape[0] != outputs or np.any(model.D):
        raise InputError(
            f"a model to simulate goes from one torque to {outputs} outputs, and D is 0"
        )
    system = discretize(model, None, data, state_scale(model))
    if not is_stable(system):
        growing = model.poles[np.argmax(model.poles.real)]
        raise InputError(
            f"this model is unstable: its pole at {growing.real:+.4g} 1/s outgrows every"
            " measurement"
        )
    other = offset_columns(data, outputs)
    if drift:
        other = np.concatenate(
            [other, np.linspace(-1.0, 1.0, len(data))[:, None, None] * np.eye(outputs)], axis=2
        )
    return predict(system, inputs_of(data), measured, other, np.ones(outputs)).predicted


def fit_percentages(predicted: Array, measured: Array) -> Array:
    """``100 (1 - |y - y_model| / |y - mean y|)`` of each output [%].

    100 is a perfect fit, 0 that of a constant.
    """
    missed = np.linalg.norm(measured - predicted, axis=0)
    return np.asarray(
        100.0 * (1.0 - missed / np.linalg.norm(measured - measured.mean(axis=0), axis=0)),
        dtype=float,
    )
