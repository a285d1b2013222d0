"""Terminal tables, figures and HTML reports."""
