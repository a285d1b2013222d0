"""What a linear model of a flexible joint says of sampled data, and its derivatives with respect to the parameters.

Sampling is exact for the hold of the data: matrix exponential of model, input and derivatives
together [Van Loan 1978]. The state at the start, an offset of each output and what is left of the
high-pass's start enter linearly; they are found by linear least squares for each candidate and
leave the problem (variable projection, Kaufman 1975). A high-pass on torque and output commutes
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
"""Rotor (motor side), link, spring (arm side), friction of the motor (motor side), of the gear and of the link (arm side)."""
LOGARITHMIC = ("Jm", "Ja", "k")
"""Parameters that are positive, and searched by their logarithm; friction may be 0."""
# of the largest singular value: directions of the start that the samples do not tell from others
_RANK = 1e-10
_TERMS = 16  # of a Taylor series of a matrix with norm 1/2: the next one is 2e-20
_STABLE = 1e-9  # what rounding adds to an eigenvalue of 1


def values_of(axis: OneAxis) -> dict[str, float]:
    """Parameters of a model by name."""
    drive = axis.drive
    return dict(
        zip(
            PARAMETERS,
            (
                drive.rotor_inertia,
                axis.inertia,
                drive.stiffness,
                drive.viscous,
                drive.damping,
                drive.bearing,
            ),
            strict=True,
        )
    )


def axis_of(values: dict[str, float], gear_ratio: float) -> OneAxis:
    """Return the model with these parameters; an identified one."""
    Jm, Ja, k, fm, d, fa = (values[name] for name in PARAMETERS)
    drive = Drive(k, Jm, gear_ratio, viscous=fm, damping=d, bearing=fa, grade="identified")
    return OneAxis(drive, Ja)


class Slopes(NamedTuple):
    """Derivatives of A ``(p, s, s)``, B ``(p, s, m)`` and C ``(p, o, s)``."""

    A: Array
    B: Array
    C: Array


class Sampled(NamedTuple):
    """``x+ = A x + B u``, ``y = C x`` from one sample to the next, with derivatives with respect to ``p`` parameters."""

    A: Array
    B: Array
    C: Array
    slopes: Slopes


def model_of(axis: OneAxis, outputs: tuple[str, ...]) -> LinearModel:
    """Return the model with three states and the named outputs: S003 section 3.3.2, with the sign of its A23 corrected."""
    A, B, _, _ = axis.three_states()
    rows = {"speed": [1.0, 0.0, 0.0], "arm_speed": [0.0, 1.0, 0.0], "arm_acceleration": A[1]}
    C = np.array([rows[name] for name in outputs], dtype=float)
    return LinearModel(A, B, C, np.zeros((len(outputs), 1)))


def slopes_of(
    axis: OneAxis, model: LinearModel, outputs: tuple[str, ...], names: tuple[str, ...]
) -> Slopes:
    """Derivatives of :func:`model_of` with respect to log Jm, log Ja, log k, and fm, d, fa themselves."""
    r = 1.0 / axis.drive.gear_ratio
    masses = np.array([axis.drive.rotor_inertia, axis.inertia])
    A, B, C = (
        np.zeros((len(names), 3, 3)),
        np.zeros((len(names), 3, 1)),
        np.zeros((len(names), len(outputs), 3)),
    )
    for i, name in enumerate(names):
        if name in ("Jm", "Ja"):
            row = ("Jm", "Ja").index(name)
            A[i, row], B[i, row] = -model.A[row], -model.B[row]
        elif name == "k":
            A[i, :, 2] = model.A[:, 2]
        else:
            # which speed is braked
            moves = {"fm": [1.0, 0.0], "d": [r, -1.0], "fa": [0.0, 1.0]}[name]
            A[i, :2, :2] = -np.outer(moves, moves) / masses[:, None]
        if "arm_acceleration" in outputs:
            C[i, outputs.index("arm_acceleration")] = A[i, 1]
    return Slopes(A, B, C)


def scale_of(model: LinearModel) -> Array:
    """Units of the states in which the entries of A are of one size, shape ``(s,)``.

    Powers of 2, so nothing is rounded.
    """
    from scipy.linalg import matrix_balance

    _, (scale, _) = matrix_balance(model.A, permute=False, separate=True)
    return np.asarray(scale, dtype=float)


def sampled(model: LinearModel, slopes: Slopes | None, data: OneAxisData, scale: Array) -> Sampled:
    """Sample a model with the hold of the data: inputs are the torque and, for linear hold, its change to the next sample."""
    s, h = len(model.A), data.step
    size = s + (2 if data.hold == "linear" else 1)
    count = 0 if slopes is None else len(slopes.A)
    # exp of [[M, dM], [0, M]] has the derivative of exp M beside it
    blocks = np.zeros((count + 1, 2, size, 2, size))

    def put(at: int, row: int, A: Array, B: Array) -> None:
        blocks[at, row, :s, 1, :s], blocks[at, row, :s, 1, s : s + 1] = (
            h * A / scale[:, None] * scale,
            h * B / scale[:, None],
        )

    for i in range(count + 1):
        put(i, 1, model.A, model.B)
        if data.hold == "linear":
            blocks[i, 1, s, 1, s + 1] = 1.0
        blocks[i, 0, :, 0] = blocks[i, 1, :, 1]
        if slopes is not None and i < count:
            put(i, 0, slopes.A[i], slopes.B[i])
    found = _exponential(blocks.reshape(count + 1, 2 * size, 2 * size)).reshape(blocks.shape)
    whole, changes, part = found[-1, 0, :, 0], found[:count, 0, :, 1], slice(None, s)
    C = np.zeros((0, *model.C.shape)) if slopes is None else slopes.C * scale
    return Sampled(
        whole[part, part],
        whole[part, s:],
        model.C * scale,
        Slopes(changes[:, part, part], changes[:, part, s:], C),
    )


def _exponential(matrices: Array) -> Array:
    """Matrix exponentials ``(k, m, m)`` by Taylor series and squaring.

    Not ``scipy.linalg.expm``: its LAPACK starts threads for each of these small matrices, and they
    wait longer than all the rest takes (measured: 20 ms instead of 0.05 ms each where the cores are
    busy).
    """
    size = np.abs(matrices).sum(axis=2).max()
    halvings = max(0, int(np.ceil(np.log2(max(size, 1e-300)))) + 1)
    small, unit = matrices / 2.0**halvings, np.eye(matrices.shape[-1])
    found = unit + small / _TERMS
    for k in range(_TERMS - 1, 0, -1):
        found = unit + small @ found / k
    for _ in range(halvings):
        found = found @ found
    return np.asarray(found, dtype=float)


def with_gain(system: Sampled, gain: Array) -> Sampled:
    """Return the predictor ``x+ = (A - K C) x + B u + K y``, with K's entries ``(s, o)`` as further parameters."""
    A, B, C, slopes = system
    s, o = gain.shape
    entries = np.eye(s * o).reshape(s * o, s, o)
    kept = np.zeros((len(slopes.A), s, o))
    A_slopes = np.concatenate([slopes.A - gain @ slopes.C, -entries @ C])
    B_slopes = np.concatenate(
        [
            np.concatenate([slopes.B, kept], axis=2),
            np.concatenate([np.zeros((s * o, *B.shape)), entries], axis=2),
        ]
    )
    C_slopes = np.concatenate([slopes.C, np.zeros((s * o, *C.shape))])
    return Sampled(A - gain @ C, np.hstack([B, gain]), C, Slopes(A_slopes, B_slopes, C_slopes))


def stable(system: Sampled) -> bool:
    """Whether what it remembers does not grow."""
    return bool(np.abs(np.linalg.eigvals(system.A)).max() <= 1.0 + _STABLE)


def memory(system: Sampled, count: int) -> tuple[Array, Array]:
    """Markov parameters ``C A^k``, k < count, and their derivatives, by doubling.

    Shapes ``(count, o, s)`` and ``(p, count, o, s)``.
    """
    rows, slopes, power, change = (
        system.C[None],
        system.slopes.C[:, None],
        system.A,
        system.slopes.A,
    )
    while len(rows) < count:
        slopes = np.concatenate([slopes, slopes @ power + rows @ change[:, None]], axis=1)
        rows = np.concatenate([rows, rows @ power])
        power, change = power @ power, change @ power + power @ change
    return rows[:count], slopes[:, :count]


def driven(rows: Array, B: Array, inputs: Array) -> Array:
    """Outputs from rest: inputs ``(N, m)`` through impulse responses ``rows B``.

    Shape ``(..., N, o)``.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    count = len(inputs)
    size = next_fast_len(2 * count, real=True)
    pulses = rows[..., :-1, :, :] @ B[..., None, :, :]  # what an input does from the next sample on
    spectrum = np.einsum(
        "...fom,fm->...fo", rfft(pulses, size, axis=-3), rfft(inputs, size, axis=0)
    )
    later = irfft(spectrum, size, axis=-2)[..., : count - 1, :]
    return np.concatenate([np.zeros((*later.shape[:-2], 1, later.shape[-1])), later], axis=-2)


def disturbances(data: OneAxisData, outputs: int) -> Array:
    """What is not the model's: a constant and the free motions of the high-pass, of each output; ``(N, outputs, columns)``."""
    from scipy.signal import sosfilt

    columns = [np.ones(len(data))]
    if data.highpass is not None:
        sections = data.highpass.sections(data.step)
        for entry in np.eye(2 * len(sections)):
            found, _ = sosfilt(sections, np.zeros(len(data)), zi=entry.reshape(len(sections), 2))
            if found.any():  # the second delay of a section of first order is none
                columns.append(found)
    one = np.column_stack(columns)
    return np.concatenate(
        [one[:, None, :] * np.eye(outputs)[o][:, None] for o in range(outputs)], axis=2
    )


def inputs_of(data: OneAxisData) -> Array:
    """Torque, and for linear hold its change to the next sample, shape ``(N, 1)`` or ``(N, 2)``."""
    if data.hold == "zero":
        return data.torque[:, None]
    return np.column_stack([data.torque, np.diff(data.torque, append=data.torque[-1])])


class Explained(NamedTuple):
    """Measurements, and what a model says of them."""

    predicted: Array
    """``(N, o)``."""
    residual: Array
    """Measured less predicted, in units of the weights, ``(N, o)``."""
    slopes: Array
    """Derivatives of the residual without what the start explains, ``(p, N, o)``."""


def explained(
    system: Sampled, inputs: Array, measured: Array, other: Array, weights: Array
) -> Explained:
    """Compare a sampled model with measurements.

    Start and ``other`` are found by weighted least squares.

    Args:
        system: Model or predictor.
        inputs: ``(N, m)``.
        measured: ``(N, o)``.
        other: What else enters linearly, ``(N, o, columns)``.
        weights: Of the outputs, ``(o,)``.
    """
    rows, row_slopes = memory(system, len(measured))
    p, states = len(system.slopes.A), len(system.A)
    both = driven(
        np.concatenate([rows[None], row_slopes, np.broadcast_to(rows, (p, *rows.shape))]),
        np.concatenate(
            [system.B[None], np.broadcast_to(system.B, (p, *system.B.shape)), system.slopes.B]
        ),
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
    return Explained(measured - residual / weights, residual, slopes.reshape(p, *measured.shape))


def simulated(
    model: LinearModel, data: OneAxisData, measured: Array, *, drift: bool = False
) -> Array:
    """Outputs of a model under the torque of the data.

    Only its start, an offset and the filter's start see ``measured``.

    Args:
        model: From torque [N m] to as many outputs as are measured, no part of them at once.
        data: Torque, hold and filter.
        measured: ``(N, o)``.
        drift: Whether a ramp may be found too: what removing the mean of the torque does to a model
            that integrates.

    Raises:
        InputError: if the model is unstable, or has other inputs or outputs.
    """
    outputs = measured.shape[1]
    if model.B.shape[1] != 1 or model.C.shape[0] != outputs or np.any(model.D):
        raise InputError(
            f"a model to simulate goes from one torque to {outputs} outputs, and D is 0"
        )
    system = sampled(model, None, data, scale_of(model))
    if not stable(system):
        growing = model.poles[np.argmax(model.poles.real)]
        raise InputError(
            f"this model is unstable: its pole at {growing.real:+.4g} 1/s outgrows every"
            " measurement"
        )
    other = disturbances(data, outputs)
    if drift:
        other = np.concatenate(
            [other, np.linspace(-1.0, 1.0, len(data))[:, None, None] * np.eye(outputs)], axis=2
        )
    return explained(system, inputs_of(data), measured, other, np.ones(outputs)).predicted


def percentages(predicted: Array, measured: Array) -> Array:
    """``100 (1 - |y - y_model| / |y - mean y|)`` of each output [%].

    100 is a perfect fit, 0 that of a constant.
    """
    missed = np.linalg.norm(measured - predicted, axis=0)
    return np.asarray(
        100.0 * (1.0 - missed / np.linalg.norm(measured - measured.mean(axis=0), axis=0)),
        dtype=float,
    )
