import numpy as np

import irbmodels as irb
from irbmodels.cli.demo import demo


def test_demo_makes_four_files_that_belong_together(tmp_path):
    """Motion, torques, figure and page; the torque file is the inverse dynamics of the motion file;
    all limits are kept.
    """
    result = demo(tmp_path / "demo")
    assert sorted(path.name for path in (tmp_path / "demo").iterdir()) == [
        "irb2400.html",
        "motion.csv",
        "torque.csv",
        "torque.png",
    ]
    motion = np.genfromtxt(result.files["motion"], delimiter=",", names=True)
    torque = np.genfromtxt(result.files["torque by cause"], delimiter=",", names=True)
    robot = irb.load("irb2400", tool="spindle")
    k = 700
    units = {"q": "deg", "v": "deg_s", "a": "deg_s2"}
    q, v, a = (
        np.radians([motion[f"{letter}{i + 1}_{unit}"][k] for i in range(6)])
        for letter, unit in units.items()
    )
    total = [torque[f"tau{i + 1}_total_Nm"][k] for i in range(6)]
    # nine printed digits
    np.testing.assert_allclose(total, robot.inverse_dynamics(q, v, a), atol=1e-5)
    assert result.prediction.out_of_range == 0
    assert not result.prediction.over_effort.any()
    speeds = np.stack([motion[f"v{i + 1}_deg_s"] for i in range(6)], axis=1)
    assert (np.abs(np.radians(speeds)).max(axis=0) < robot.limits.velocity).all()
