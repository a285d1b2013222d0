"""Dynamics queries at the speed of the processor: expressions, straight-line programs, and what writes and runs them."""
