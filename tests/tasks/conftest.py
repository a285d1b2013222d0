import pytest

import irbmodels as irb


@pytest.fixture
def robot():
    """A robot of its own for each test: one that is asked for more than a thousand states is
    compiled, which takes long.
    """
    return irb.load("irb2400", tool="spindle")
