"""From logs to a set of parameters, and whether it can be trusted."""

from .criteria import reasons_against
from .evaluation import judge, usable
from .parameter_files import nearest, write_set
from .pipeline import Identification, NotIdentifiable, identify
from .preparation import halves, prepared
from .residuals import curve, dependence, whiteness
from .verdict import Verdict

__all__ = [
    "Identification",
    "NotIdentifiable",
    "Verdict",
    "curve",
    "dependence",
    "halves",
    "identify",
    "judge",
    "nearest",
    "prepared",
    "reasons_against",
    "usable",
    "whiteness",
    "write_set",
]
