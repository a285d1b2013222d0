"""Doubts about a set of inertials that is of another robot."""

from __future__ import annotations

import warnings

import pytest
import shipped
import yaml

import irbmodels as irb
from irbmodels.cli import main


@pytest.mark.parametrize(
    ("mass", "wrong"), [(25, True), (228, False), (249, False), (480, False), (510, True)]
)
def test_bodies_are_held_against_the_mass_of_the_robot(tmp_path, mass, wrong, capsys, monkeypatch):
    """250 kg of bodies on a rating of 25 kg: load, info, check and another set of the same arm say
    so; rounding does not.
    """
    folder = irb.new_robot("irb120", "irb1600", tmp_path / "irb120")
    file = folder / "limits.yaml"
    file.write_text(file.read_text().replace("mass_kg: 250", f"mass_kg: {mass}"))
    words = f"bodies of set 'copied' weigh 250 kg together, base included, and irb120 {mass} kg"
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        irb.load(folder).with_payload(irb.payload(1.0))
    assert [words in str(one.message) for one in seen] == [True] * wrong
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["info", str(folder)]) == 0
    assert (words in capsys.readouterr().err) == wrong


def test_a_base_may_be_left_out(tmp_path):
    """A set whose base is a placeholder may be as light as it likes, and no heavier than the
    robot.
    """
    folder = irb.new_robot("light", "irb930", tmp_path / "light")
    file = folder / "inertials.yaml"
    table = yaml.safe_load(file.read_text())
    links = table["sets"]["copied"]["links"]
    links["base_link"] |= {
        "mass_kg": 0.001,
        "inertia_kg_m2": dict.fromkeys(("xx", "yy", "zz"), 1.0e-06)
        | dict.fromkeys(("xy", "xz", "yz"), 0),
    }
    links["link_1"]["mass_kg"] = links["link_2"]["mass_kg"] = 0.5
    file.write_text(yaml.safe_dump(table).replace("1.0e-06", "0.000001"))
    irb.load(folder)
    links["link_1"]["mass_kg"] = 80.0
    file.write_text(yaml.safe_dump(table).replace("1.0e-06", "0.000001"))
    with pytest.warns(irb.PhysicsWarning, match="weigh 8[0-9.]+ kg together, and light 60 kg"):
        irb.load(folder)


@shipped.of_variants(shipped.ALL)
def test_no_shipped_set_is_taken_for_another_robot_s(name):
    """Every set of every robot weighs what the catalogue says, within rounding."""
    sets = irb.describe(name).inertials.sets
    for chosen in (one for one, entry in sets.items() if entry.links):  # of this variant
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            irb.load(name, parameters=chosen)
        assert not any("together" in str(one.message) for one in seen)
