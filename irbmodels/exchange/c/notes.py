"""Comments of the C export: what it computes, for which robot, from which constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...robot.robot import Robot
from ..constants import friction_text
from ..write.tables import tables

ABOUT = {
    "inverse_dynamics": (
        "Axis torques tau of a motion, friction included: M a + C v + g + friction."
    ),
    "forward_dynamics": "Axis accelerations a under axis torques tau, less friction.",
    "mass_matrix": "Mass matrix M [kg m^2], rotors included.",
    "coriolis": "Matrix C of the Christoffel symbols [N m s]: dM/dt = C + C'.",
    "coriolis_torque": "Torques C v [N m].",
    "gravity": "Axis torques g that hold the robot still, springs included [N m].",
    "friction": "Torques of friction f [N m].",
    "energy": "Energies [J]; the potential one is 0 for a mass at the base's origin.",
    "regressor": (
        "Matrix Y whose product with the parameters is the torque, friction included. Columns: per"
        " body of the tree [m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the link's"
        " origin, then the rotors, then drive by drive those of Fv, Fc, Fs - Fc, Fd, dFc, dFv and mu"
        " that a known friction has, then the coefficients of springs."
    ),
    "inverse_dynamics_derivatives": (
        "Derivatives of the torques with respect to q, v and a, friction included."
    ),
    "pose": "Homogeneous matrix T of the frame {frame} in the base [m].",
    "jacobian": (
        "Jacobian J of the frame {frame} in base axes: linear velocity of its origin (rows 0 to 2),"
        " angular velocity."
    ),
    "pose_and_jacobian": (
        "Homogeneous matrix T of the frame {frame} in the base [m], and its Jacobian J, linear rows"
        " first."
    ),
    "hessian": "Derivative of the Jacobian of the frame {frame}: H[i][j][k] = dJ[i][j] / dq[k].",
}
CONSTANTS = (
    "Names as in Khalil & Dombre: a number behind a name is the joint's. Joints turn about, or"
    " slide along, the z axis of their frame. Inertials of the dynamics are a base set: what fixed"
    " to a joint's axis changes no torque is counted to the joint below, so they are not those of"
    " one body alone, and some are negative. 0, 1 and -1 are structure and have no name."
)


class Options(NamedTuple):
    """Arguments of the export that its command repeats."""

    queries: Sequence[str]
    frame: str
    friction: bool
    single: bool
    name: str | None


def header_notes(robot: Robot, options: Options) -> list[str]:
    """Return notes on the robot and the meaning of numbers, in lines of any length."""
    linear = [str(i + 1) for i, slides in enumerate(robot.limits.linear) if slides]
    other = f"; of axis {', '.join(linear)} m, m/s, m/s^2, N" if linear else ""
    rotors = ", ".join(f"{value:g}" for value in robot.rotors.tolist())
    gravity = ", ".join(f"{value:g}" for value in robot.gravity_vector.tolist())
    overlays = robot.description.overlays if robot.description is not None else ()
    tool = robot.tool and f"{robot.tool.name}, {robot.tool.load.mass:g} kg ({robot.tool.grade})"
    return [
        f"Written by: {_command(robot, options)}",
        (
            "Change the numbers in the source if you must, but let the robot's tables write these"
            " files again where you can."
        ),
        "",
        f"Robot: {robot.name}{' with ' + ', '.join(overlays) if overlays else ''}",
        f"Inertials: {_inertials(robot)}",
        f"Tool: {tool or 'none'}",
        *([] if robot.payload is None else [f"Payload: {robot.payload.mass:g} kg"]),
        f"Friction: {_friction(robot, options)}",
        f"Rotors: {f'{rotors} kg m^2' if robot.rotors.any() else 'none'}",
        f"Springs: {'; '.join(map(str, robot.springs)) or 'none'}",
        f"Gravity: {gravity} m/s^2 in base axes",
        "",
        f"Axes: {', '.join(robot.axes)}, in this order in every array of {robot.n}.",
        (
            "q: axis positions as the controller shows them, but in SI units. q [rad], v [rad/s], a"
            f" [rad/s^2], tau [N m]{other}."
        ),
        (
            "Torques are those on the arm side of the gearboxes. Arrays of more than one dimension"
            " are row by row."
        ),
        (
            "Sine and cosine are good to 2.5 units in the last place for angles up to"
            f" {'4 pi' if options.single else '1e4 rad'}. NaN in, NaN out."
        ),
        (
            "Functions need no library, allocate nothing, keep nothing, run through without a loop"
            " or a choice, and may run in many threads at once. An output may be the same array as"
            " an input."
        ),
        "",
    ]


def _command(robot: Robot, options: Options) -> str:
    arguments = {
        "--tool": robot.tool and robot.tool.name,
        "--parameters": robot.parameters,
        "--what": ",".join(options.queries),
        "--frame": None if options.frame == "tcp" else options.frame,
    }
    words = ["irbmodels codegen", robot.name]
    words += [f"{key} {value}" for key, value in arguments.items() if value is not None]
    flags = {"--no-friction": not options.friction, "--single": options.single}
    words += [flag for flag, given in flags.items() if given]
    return " ".join(words if options.name is None else [*words, f"--name {options.name}"])


def _inertials(robot: Robot) -> str:
    if robot.description is None:
        return "those of its file; sources and grades are not said there"
    table = next(table for table in tables(robot, ["inertials"]) if table.name == "inertials")
    loads = ("tool ", "payload")
    grades = {str(row[-1]) for row in table.rows if not str(row[0]).startswith(loads)}
    return f"set {robot.parameters} ({', '.join(sorted(grades))})"


def _friction(robot: Robot, options: Options) -> str:
    law = robot.friction_model
    if not options.friction:
        return "left out"
    if law is None:
        return "no data, adds nothing"
    far = f", extrapolated beyond {law.measured_to:g} rad/s" if law.measured_to else ""
    return f"included, {friction_text(robot)} with sgn(0) = 0{far}"
