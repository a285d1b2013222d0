"""Names of bodies, and the hash that tells whether two files have one kinematics."""

import any_arms as arms
import pytest

import irbmodels as irb
from irbmodels.model.tree import body_names, kinematics_key, tree_from_urdf


def test_bodies_have_the_names_of_their_links():
    assert body_names(tree_from_urdf(arms.urdf()).model) == ("column", "boom", "stick")
    model = irb.load("irb2400").model
    assert set(body_names(model)) == {
        *(f"link_{i}" for i in range(1, 7)),
        *("link_crank", "link_rod_carrier", "link_rod"),
    } & set(body_names(model))
    assert len(body_names(model)) == model.njoints - 1


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ('mass value="8.0"', 'mass value="9.0"', True),
        ('effort="200"', 'effort="100"', True),
        ('xyz="0.3 0 0"', 'xyz="0.4 0 0"', True),  # a frame, fixed
        ('"0.45 0.0 0.0"', '"0.4500001 0.0 0.0"', True),  # 0.1 um
        ('"0.45 0.0 0.0"', '"0.45001 0.0 0.0"', False),
        ('name="elbow"', 'name="knee"', False),
        ('axis xyz="0 0 1"', 'axis xyz="0 0 -1"', False),
        ('axis xyz="0 0 1"', 'axis xyz="0.6 0 0.8"', False),
    ],
)
def test_kinematics_have_a_key(old, new, same):
    """Bodies, limits and frames do not change it; names, places and axes of joints do."""
    text = arms.urdf(limits=True)
    assert old in text
    other = text.replace(old, new)
    before, after = (kinematics_key(tree_from_urdf(one)) for one in (text, other))
    assert (before == after) is same


def test_followers_are_part_of_the_kinematics():
    text = arms.urdf()
    mimic = '<joint name="elbow" type="continuous"><mimic joint="shoulder" multiplier="{}"/>'
    keys = {
        kinematics_key(
            tree_from_urdf(
                text.replace('<joint name="elbow" type="continuous">', mimic.format(factor))
            )
        )
        for factor in (1, -1, 0.5)
    }
    assert len(keys | {kinematics_key(tree_from_urdf(text))}) == 4
