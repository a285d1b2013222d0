"""Sets with a friction law of every term: fitted on coupled drives, written, and loaded again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drives import COUPLED, every_term
from excited import random_states

import irbmodels as irb
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    weighted_least_squares,
)
from irbmodels.identification.validation import nearest_parameters
from irbmodels.robot.base_parameters import base_parameters


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return the true robot and that of the file of a fit, whose axis 1 stood still."""
    warm = {"per_K": np.full(6, -0.01), "reference_temperature": 30.0}
    # random states are no motion: nothing there turns round
    law = replace(every_term(), presliding=np.zeros(6), **warm)
    true = irb.load("irb1600").with_drives(COUPLED).with_friction(law)
    moving = (2, 3, 4, 5, 6)
    motion = random_states(true, 400, axes=moving)
    prior = true.with_friction(law.with_parameters(2.0 * law.parameters()))
    base = base_parameters(prior, moving, friction=True)
    equations = TorqueEquations(prior, base)
    fit = weighted_least_squares(accumulate(Samples.of(motion), equations))
    found = nearest_parameters(fit, prior, base)
    path = found.write(tmp_path_factory.mktemp("sets") / "mine.yaml", "mine", "samples")
    return true, irb.load("irb1600", parameters=path).with_drives(COUPLED)


def test_fitted_terms_are_the_true_ones(written):
    """Mu is told with the masses of the prior, which are the true ones, but for axis 6, which
    gravity does not load; speeds and temperature are those of the law.
    """
    true, mine = (robot.friction_model for robot in written)
    for name in ("Fs", "Fc", "Fv", "Fd", "dFc", "dFv", "mu"):
        told = slice(1, 5 if name == "mu" else 6)
        np.testing.assert_allclose(getattr(mine, name)[told], getattr(true, name)[told], rtol=1e-9)
    fitted = mine.Fd > 0.0
    np.testing.assert_array_equal(mine.v_d[fitted], true.v_d[fitted])
    np.testing.assert_array_equal(mine.per_K, true.per_K)
    assert mine.reference_temperature == 30.0


def test_terms_that_nothing_tells_stay_with_their_source(written):
    """Those of axis 1, and mu of axis 6, as the prior has them."""
    true, mine = (robot.friction_model for robot in written)
    kept = [law.parameters().reshape(6, -1)[0] for law in (mine, true)]
    np.testing.assert_allclose(kept[0], 2.0 * kept[1], rtol=1e-14)
    assert mine.mu[5] == 2.0 * true.mu[5]
    table = written[1].description.friction
    rows = table.sets[table.default].axes
    fields = {"axis_1": "Fd_N_m", "axis_4": "mu", "axis_6": "mu"}
    grades = [table.sources[rows[axis].source_of(field)].grade for axis, field in fields.items()]
    assert grades == ["assumed", "identified", "assumed"]
