"""What a path check found: tables for a terminal, and one HTML page that stands on its own."""

from __future__ import annotations

from .page import report_html, write_report
from .tables import check_tables, remarks, verdict

__all__ = ["check_tables", "remarks", "report_html", "verdict", "write_report"]
