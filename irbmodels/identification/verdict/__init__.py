"""From logs to a set of parameters, and whether it can be trusted."""

from .identifying import Identification, NotIdentifiable, identify
from .judging import Verdict, judge, usable
from .preparing import halves, prepared
from .reasons import reasons_against
from .residuals import curve, dependence, whiteness
from .writing import nearest, write_set

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
