"""What every test of misuse asks of an error."""

import pytest

import irbmodels as irb


def refused_in_one_line(call, message):
    """Run a call that must end in one clear line: what was wrong, where, and what would be
    right.
    """
    with pytest.raises(irb.IrbError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250
