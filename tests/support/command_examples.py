"""Commands with their examples, and the files that these name."""

from importlib import import_module

import any_arms
import verdict_cases

import irbmodels as irb
from irbmodels.cli import COMMANDS
from irbmodels.identification.friction import friction_plan, grid_within
from irbmodels.trajectory import through
from irbmodels.trajectory.motion_files import write_motion

PROGRAM = """MODULE program
 CONST jointtarget home:=[[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
 CONST robtarget p10:=[[940,0,1400],[0.5,0,0.866025,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
 PROC main()
  MoveAbsJ home, v500, fine, tool0;
  MoveL p10, v100, fine, tool0;
 ENDPROC
ENDMODULE
"""
NOT_RUN = {  # but parsed
    "irbmodels view irb2400 --q-deg 0,20,10,0,30,0 --layer com": "serves until Ctrl-C",
    "irbmodels identify log.csv other_log.csv --robot irb2400 --tool spindle -o set.yaml --report"
    " identified.html": "12 s; test_cli_identification.py tests it",
    "irbmodels excite irb2400 --tool spindle -o excite.csv --rapid Excite.mod": (
        "40 s; test_cli_excite.py tests it"
    ),
    "irbmodels demo -o demo": "7 s; test_demo.py tests it",
    "irbmodels check irb1600": "6 s; test_cli.py tests it",
    "irbmodels new my_arm --datasheet irb120 -o my_arm_2": "5 s; test_new_robot.py tests it",
}


def commands():
    """Every command by its words, those of groups within groups too."""
    modules = {module for group in COMMANDS.values() for module in group}
    found = [
        pair for m in modules for pair in import_module(f"irbmodels.cli.{m}").app.commands.items()
    ]
    inner = [
        (f"{a} {b}", one) for a, group in found for b, one in getattr(group, "commands", {}).items()
    ]
    return dict(sorted(found + inner))


def motion(path):
    robot = irb.load("irb2400", tool="spindle")
    postures = ([0, 20, 10, 0, 30, 0], [30, 10, 5, 10, 50, 40])
    write_motion(
        path,
        through([robot.from_controller(q) for q in postures], duration=2.0).sample(100.0),
        robot,
    )


def currents(path, robot, seed):
    log = any_arms.log(seed, robot=robot)
    extra = {f"current{i + 1}_A": x / 10.0 for i, x in enumerate(log.tau.T)}
    log.changed(extra=extra).save(path)


def strokes(path):
    robot = irb.load("irb2400")
    plan = friction_plan(robot, 2, grid_within(robot, 2, count=12)).motion(25.0)
    tau = robot.inverse_dynamics(plan.q, plan.v, plan.a)
    write_motion(path, plan._replace(tau=tau), robot)


FILES = {
    "friction_axis2.csv": strokes,
    "program.mod": lambda path: path.write_text(PROGRAM),
    "motion.csv": motion,
    "robot.urdf": lambda path: path.write_text(irb.load("irb1600").urdf()),
    "arm.urdf": lambda path: path.write_text(any_arms.urdf()),
    "log.csv": lambda path: verdict_cases.log(1).save(path),
    "other_log.csv": lambda path: verdict_cases.log(2).save(path),
    "bare.csv": lambda path: currents(path, None, 1),
    "loaded.csv": lambda path: currents(
        path, any_arms.truth().with_payload(irb.payload(3.0, [0.05, 0.0, 0.02])), 2
    ),
}


def make_files(words, folder):
    """Make the files that a command names."""
    for file in set(words) & set(FILES):
        FILES[file](folder / file)
