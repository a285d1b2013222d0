"""Equations of motion, derivatives, reactions, closed forms."""
