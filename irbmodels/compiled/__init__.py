"""Queries as machine code: expressions, straight-line programs, their writers and kernels."""
