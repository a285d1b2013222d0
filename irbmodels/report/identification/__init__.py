"""Reports of an identification or validation: tables for a terminal, and an HTML page."""

from __future__ import annotations

from .page import report_html, write_report
from .record import unidentified_record, verdict_record
from .tables import headline, remarks, verdict_tables

__all__ = [
    "headline",
    "remarks",
    "report_html",
    "unidentified_record",
    "verdict_record",
    "verdict_tables",
    "write_report",
]
