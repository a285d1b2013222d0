"""Figures and tables of the papers, drawn again on data of our own: what scripts/papers.py
writes.
"""
