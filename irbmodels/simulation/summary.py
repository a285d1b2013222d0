"""What a run comes to: largest values per axis, events, energy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ..checks import as_instance
from ..errors import InputError
from ..model.types import Array
from .run import Run

EVENTS = ("slips", "sticks", "hits its stop", "saturates")
"""Kinds of events that are counted per axis."""


def run_summary(run: Run) -> dict[str, Any]:
    """Return a run in numbers, SI units.

    ``axes``: a mapping per axis with its positions at the start and the end, its largest speed,
    torque and, where a law followed a motion of the axes, error, and its number of events by kind;
    ``events``; ``work_J`` of motors and ``lost_J`` to friction and impacts, None where a run has no
    such columns; ``largest_tcp_error_m`` where a law followed the TCP, else None.

    Raises:
        InputError: if it is no run, or has no samples.
    """
    as_instance(run, Run, "a summary is one of an irbmodels.Run")
    if not len(run):
        raise InputError("a run without samples has no summary")
    error = run["error"] if "error" in run.columns else None
    counts = Counter((event.axis, event.kind) for event in run.events)
    axes = [
        {
            "axis": i + 1,
            "start_rad": run.q[0, i],
            "end_rad": run.q[-1, i],
            "largest_speed_rad_s": _largest(run.v[:, i]),
            "largest_torque_N_m": _largest(run.tau[:, i]),
            "largest_error_rad": None if error is None else _largest(error[:, i]),
            **{kind.replace(" ", "_"): counts[i + 1, kind] for kind in EVENTS},
        }
        for i in range(run.q.shape[1])
    ]
    energy = {
        f"{name}_J": float(run[name][-1]) if name in run.columns else None
        for name in ("work", "lost")
    }
    tcp = None
    if "tcp_error" in run.columns:
        tcp = _largest(np.linalg.norm(run["tcp_error"], axis=1))
    return {
        "duration_s": float(run.t[-1]),
        "samples": len(run),
        "axes": axes,
        **energy,
        "largest_tcp_error_m": tcp,
        "stopped": run.notes.get("stopped"),
        "events": [{"t_s": one.t, "axis": one.axis, "kind": one.kind} for one in run.events],
    }


def _largest(values: Array) -> float:
    return float(np.nanmax(np.abs(values)))
