"""What is to be known about an identified set: tables for a terminal, and one HTML page that stands on its own."""

from __future__ import annotations

from .page import report_html, write_report
from .tables import headline, remarks, verdict_tables

__all__ = ["headline", "remarks", "report_html", "verdict_tables", "write_report"]
