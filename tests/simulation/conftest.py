"""Robots of the simulation tests."""

from __future__ import annotations

from functools import partial

import pytest
from simulated import rail

import irbmodels as irb


@pytest.fixture(scope="session")
def arm() -> irb.Robot:
    """Return the IRB 2400 with the spindle."""
    return irb.load("irb2400", tool="spindle")


@pytest.fixture
def slide(tmp_path):
    """Make a block on a rail with ends of choice."""
    return partial(rail, tmp_path)
