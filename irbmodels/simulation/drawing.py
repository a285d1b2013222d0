"""The figure of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .run import Run

_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")  # Okabe-Ito, per axis
_MARKS = {"sticks": "o", "slips": "^", "hits its stop": "X", "leaves its stop": "d"}
_TITLES = {"q": "position", "v": "speed", "a": "acceleration", "tau": "torque"}
_MOST = 200  # events of one kind and axis that are still told apart


def figure_of(run: Run, columns: Sequence[str]) -> Figure:
    """Draw columns of a run one above the other: degrees and millimetres, one color per axis, events on the first.

    Raises:
        UnknownName: if the run has no such column.
        InputError: if there is nothing to draw.
    """
    from matplotlib.figure import Figure

    if not columns or not len(run):
        raise InputError("a figure needs at least one column and one sample")
    figure = Figure(figsize=(9.0, 1.2 + 2.2 * len(columns)), layout="constrained")
    panels = figure.subplots(len(columns), 1, sharex=True, squeeze=False)[:, 0]
    for panel, name in zip(panels, columns, strict=True):
        values = run[name] if run[name].ndim == 2 else run[name][:, None]
        labels = run.labels(name)
        units = dict.fromkeys(_readable(unit) for _, unit, _ in labels)
        for i, (_, _, factor) in enumerate(labels):
            label = f"axis {i + 1}" if values.shape[1] > 1 else None
            panel.plot(run.t, values[:, i] / factor, color=_COLORS[i % len(_COLORS)], lw=1.2, label=label)
        panel.set_ylabel(f"{_TITLES.get(name, name.replace('_', ' '))} [{', '.join(units)}]")
        panel.grid(alpha=0.25, lw=0.5)
    _mark_events(run, columns[0], panels[0])
    panels[-1].set_xlabel("time [s]")
    tool = f" with {run.notes['tool']}" if run.notes.get("tool") else ""
    figure.suptitle(f"{run.notes.get('robot', '')}{tool}", fontsize="medium")
    handles, labels_shown = [], []
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            if label not in labels_shown:
                handles.append(handle)
                labels_shown.append(label)
    figure.legend(handles, labels_shown, loc="outside lower center", ncols=6, frameon=False, fontsize="small")
    return figure


def _mark_events(run: Run, name: str, panel: object) -> None:
    values = run[name] if run[name].ndim == 2 else run[name][:, None]
    labels, named = run.labels(name), set()
    for kind, mark in _MARKS.items():
        for i, (_, _, factor) in enumerate(labels):
            times = np.array([event.t for event in run.of_axis(i + 1, kind)])
            if not len(times) or len(times) > _MOST:
                continue
            heights = np.interp(times, run.t, values[:, i] / factor)
            style = {"marker": mark, "ms": 5, "ls": "none", "mfc": "none" if kind == "slips" else _COLORS[i % len(_COLORS)]}
            label = None if kind in named else kind
            panel.plot(times, heights, color=_COLORS[i % len(_COLORS)], label=label, **style)  # type: ignore[attr-defined]
            named.add(kind)


def _readable(unit: str) -> str:
    return {"deg_s": "deg/s", "deg_s2": "deg/s²", "mm_s": "mm/s", "mm_s2": "mm/s²", "Nm": "N m"}.get(unit, unit)
