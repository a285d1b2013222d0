"""Check a RAPID program before it runs, by line.

python scripts/examples/rapid_path_check.py [PROGRAM.mod]
"""

import sys

import irbmodels as irb
from irbmodels import rapid
from irbmodels.tasks.path_check import programmed_motion

PROGRAM = r"""MODULE Reach
  CONST jointtarget home:=[[0,0,0,0,30,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST robtarget p10:=[[1000,0,900],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  PROC main()
    MoveAbsJ home, v1000, fine, tSpindle;
    MoveJ p10, v1000, z10, tSpindle;
    MoveL Offs(p10,0,0,-100), v200, fine, tSpindle;
    MoveL Offs(p10,900,0,0), v500, fine, tSpindle;
  ENDPROC
ENDMODULE
"""


def main(path: str | None = None) -> None:
    """Print the time of every move, its violations, and what was not evaluated."""
    module = rapid.read(PROGRAM) if path is None else rapid.read_file(path)
    robot = irb.load("irb2400", tool="spindle")
    moves = rapid.sequence_of(module)
    # tSpindle is not declared: the robot's tool is meant
    program = programmed_motion(robot, moves, stand_in=True)
    for move in program.timings:
        print(
            f"line {move.line}: {move.instruction} {move.start:.2f} .. {move.end:.2f} s,"
            f" {100 * move.share:.0f} % of its speed"
        )

    check = irb.check_path(robot, program)
    for violation in check.findings:
        print("violation:", violation)
    for note in program.notes:
        print("note:", note)
    print("every checked bound is kept" if check.kept else f"first: {check.first}")


if __name__ == "__main__":
    main(*sys.argv[1:])
