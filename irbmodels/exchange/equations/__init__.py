"""Equations of a robot's queries, for people to read."""
