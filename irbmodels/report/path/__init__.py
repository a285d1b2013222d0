"""Reports of a path check: tables for a terminal, a record for JSON, and an HTML page."""

from __future__ import annotations

from .drawings import axes_figure
from .page import report_html, write_report
from .record import check_record
from .tables import check_tables, remarks, verdict

__all__ = [
    "axes_figure",
    "check_record",
    "check_tables",
    "remarks",
    "report_html",
    "verdict",
    "write_report",
]
