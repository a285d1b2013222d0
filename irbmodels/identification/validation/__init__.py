"""From logs to a set of parameters, and whether it can be trusted."""

from .current_logs import prepare_current_logs
from .evaluation import evaluate, usable_segments
from .levels import limitations_of
from .log_preparation import PreparedLogs, prepare_logs
from .parameter_files import nearest_parameters, write_parameter_set
from .pipeline import Identification, NotIdentifiable, identify
from .preparation import prepare, split_recording
from .residuals import binned_mean, state_dependence, whiteness_test
from .verdict import Verdict

__all__ = [
    "Identification",
    "NotIdentifiable",
    "PreparedLogs",
    "Verdict",
    "binned_mean",
    "evaluate",
    "identify",
    "limitations_of",
    "nearest_parameters",
    "prepare",
    "prepare_current_logs",
    "prepare_logs",
    "split_recording",
    "state_dependence",
    "usable_segments",
    "whiteness_test",
    "write_parameter_set",
]
