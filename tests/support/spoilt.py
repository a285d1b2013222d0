"""Copies of a log with one usual mistake each."""

import numpy as np

from irbmodels.identification.recordings import Recording


def spoilt(recording: Recording, kind: str, axis: int = 0, size: float = 0.0) -> Recording:
    """Return a copy with a mistake.

    Args:
        recording: With torques.
        kind: ``zero`` [rad], ``gain`` (factor), ``late`` [s], ``sign`` of position and torque,
            ``torque sign``, ``swap`` with the next axis, ``degrees`` (positions), ``clipped`` (at
            a share of the largest torque), ``missing`` (share of the rows), ``offset`` [N m].
        axis: 0-based.
        size: Of the mistake.
    """
    t, q, tau = np.array(recording.t), np.array(recording.q), np.array(recording.tau)
    v = None if recording.v is None else np.array(recording.v)
    if kind == "zero":
        q[:, axis] += size
    elif kind == "gain":
        tau[:, axis] *= size
    elif kind == "offset":
        tau[:, axis] += size
    elif kind == "late":
        shift = round(size / recording.step)
        tau = np.concatenate([tau[:1].repeat(shift, axis=0), tau[:-shift]])
    elif kind == "sign":
        for column in (q, tau, *([] if v is None else [v])):
            column[:, axis] *= -1.0
    elif kind == "torque sign":
        tau[:, axis] *= -1.0
    elif kind == "swap":
        for column in (q, tau, *([] if v is None else [v])):
            column[:, [axis, axis + 1]] = column[:, [axis + 1, axis]]
    elif kind == "degrees":
        q = np.degrees(q)
    elif kind == "clipped":
        largest = size * np.nanmax(np.abs(tau[:, axis]))
        tau[:, axis] = np.clip(tau[:, axis], -largest, largest)
    elif kind == "missing":
        kept = np.random.default_rng(0).random(len(t)) >= size
        t, q, tau, v = t[kept], q[kept], tau[kept], None if v is None else v[kept]
    else:
        raise ValueError(kind)
    return Recording(t, q, v=v, tau=tau, linear=recording.linear, source=recording.source)
