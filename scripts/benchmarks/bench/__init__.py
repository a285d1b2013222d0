"""Parts of scripts/benchmarks/benchmark.py: races between contestants, what machine code costs, and
how results are shown.
"""
