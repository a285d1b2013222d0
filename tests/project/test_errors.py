"""Errors say one line, and keep it and their values wherever they go."""

import copy
import pickle

import pytest

import irbmodels as irb
from irbmodels import errors
from irbmodels.simulation import SimulationError

ERRORS = [
    errors.UnknownName("robot", "irb2401", ["irb2400", "irb1600"]),
    errors.TableError("limits.yaml", "axes.axis_1", "no number"),
    errors.RapidError(3, 7, "';' is missing", "a.mod"),
    errors.MissingExtra("llvmlite", "fast"),
    errors.MissingProgram("chromium", "pictures need it", "install it"),
    errors.FileError("a.csv: no such file"),
    irb.InputError("q needs shape (6,)"),
    SimulationError(1.5, "the torque is NaN"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_pass_between_processes(error):
    """Pickled or copied, an error keeps its kind, its line and its values; else a pool of workers
    would hang on it.
    """
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)
