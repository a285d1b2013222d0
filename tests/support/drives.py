"""A wrist whose drives turn together, and a friction law with every term."""

from __future__ import annotations

import numpy as np

import irbmodels as irb

COUPLED = np.eye(6)
"""Turns of six drives per turn of the axes: drives 5 and 6 turn with axes 4 and 5."""
COUPLED[4, 3], COUPLED[5, 3], COUPLED[5, 4] = -0.2, 0.1, 0.9


def every_term(n: int = 6) -> irb.Stribeck:
    """Return a law with every term, some zero on some drives."""
    values = {
        "Fs": [12.0, 9.0, 5.0, 3.0, 4.0, 2.0],
        "Fc": [8.0, 9.0, 4.0, 2.0, 4.0, 1.0],
        "Fv": [3.0, 2.0, 1.0, 0.8, 0.6, 0.4],
        "v_St": [0.1, 1.0, 0.05, 0.2, 1.0, 0.3],
        "Fd": [6.0, 0.0, 2.5, 1.0, 0.0, 0.7],
        "v_d": [0.3, 1.0, 0.7, 0.2, 1.0, 0.4],
        "dFc": [1.5, -2.0, 0.0, 0.5, -1.0, 0.3],
        "dFv": [-0.5, 0.0, 0.25, 0.1, -0.2, 0.3],
        "mu": [0.0, 0.03, 0.02, 0.1, 0.05, 0.08],
        "presliding": [0.5, 0.0, 0.4, 0.3, 0.0, 1.0],
        "x_p": [1e-3, 1.0, 5e-4, 2e-3, 1.0, 4e-4],
    }
    return irb.Stribeck(**{name: column[:n] for name, column in values.items()})
