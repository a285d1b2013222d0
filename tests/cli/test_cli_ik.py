"""The command ik."""

import pytest


def test_ik_command(run):
    """The table has the posture in degrees with its configuration; what is out of range says which
    bound it breaks.
    """
    pose = "940,0,1455,0.70711,0,0.70711,0"
    code, printed, _ = run("ik", "irb2400", "--pose", pose, "--near", "0,0,0,0,0,0")
    assert code == 0
    rows = [line.split() for line in printed.splitlines() if line[:4].strip().isdigit()]
    assert rows[0][:7] == ["1", *["0.0000"] * 6]
    assert rows[0][7:] == ["[0,0,0,0]?", "wrist", "inside", "0.0000"]
    assert "q3 - q2 = -159.7 not in -60 .. 65 deg" in printed
    code, printed, _ = run("ik", "irb2400", "--pose", pose, "--in-range", "--conf", "0,0,0,0")
    assert code == 0
    assert len([line for line in printed.splitlines() if line[:4].strip().isdigit()]) == 1
    code, printed, _ = run(
        "ik", "irb2400", "--pose", "900,100,1400,0,1,0,0", "--tool", "spindle", "--turns"
    )
    assert len([line for line in printed.splitlines() if line[:4].strip().isdigit()]) == 16
    code, printed, _ = run("ik", "irb930", "--pose", "700,100,400,0,1,0,0")
    assert "q3 mm" in printed
    assert "-164.2000" in printed


TARGET = "[[900,100,900],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]"


def test_ik_command_takes_a_robtarget(run):
    """The programmed posture has a star and comes first; a quaternion of three digits is noted."""
    code, printed, err = run("ik", "irb1600", "--target", TARGET)
    assert (code, err) == (0, "")
    rows = [
        line.split()
        for line in printed.splitlines()
        if line.strip()[:1] in "*123456789" and "[" in line
    ]
    assert rows[0][0] == "*1"
    assert rows[0][7] == "[0,0,0,0]"
    assert not any(row[0].startswith("*") for row in rows[1:])
    code, _, err = run("ik", "irb1600", "--target", TARGET.replace("0,0,1,0]", "0,0,0.9998,0]", 1))
    assert (code, err) == (
        0,
        "note: quaternion [0,0,0.9998,0] has length 0.9998, not 1; it is normalised\n",
    )


HOME = "815,0,961.5,0.70711,0,0.70711,0"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("irb1600", "--pose", "3000,0,0,1,0,0,0"), 1, "no solution: out of reach by "),
        (
            ("irb1600", "--pose", "3000,0,0,1,0,0"),
            2,
            "error: --pose '3000,0,0,1,0,0': a pose is x,y,z in mm",
        ),
        (("irb1600", "--pose", "a,0,0,1,0,0,0"), 2, "seven numbers"),
        (("irb1600", "--pose", "0,0,inf,1,0,0,0"), 2, "seven numbers"),
        (("irb1600", "--pose", "0,0,0,1,1,0,0"), 2, "the quaternion has length 1.41421, not 1"),
        (
            ("irb1600", "--pose", HOME, "--conf", "0,0,0,9"),
            2,
            "cfx of this kind of arm is 0 to 7, not 9",
        ),
        (
            ("irb1600", "--pose", "815,50,961.5,0.70711,0,0.70711,0", "--conf", "3,0,0,0"),
            1,
            "has the configuration [3,0,0,0]",
        ),
        (
            ("irb1600", "--pose", HOME, "--near", "0,0"),
            2,
            "--near '0,0' needs 6 numbers, for axes 1 to 6",
        ),
        (("irb1600",), 2, "ik takes one of --pose and --target"),
        (("irb1600", "--pose", HOME, "--target", TARGET), 2, "ik takes one of --pose and --target"),
        (("irb1600", "--target", "[[900,100,900],[0,0,1,0]]"), 2, "robtarget has 2 components"),
        (
            ("irb1600", "--target", TARGET.replace("900,", "9000,", 1)),
            1,
            "no solution: out of reach by ",
        ),
        (
            ("irb1600", "--target", TARGET, "--conf", "3,0,0,0"),
            1,
            "has the configuration [3,0,0,0]; there are [0,0,0,0]",
        ),
        (("positioner", "--pose", HOME), 2, "has no inverse kinematics"),
    ],
)
def test_ik_command_refuses(run, arguments, code, message):
    got, out, err = run("ik", *arguments)
    assert (got, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
