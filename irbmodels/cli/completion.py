"""What a shell completes beside commands and options: robots, tools, sets, frames, names.

All of it is read from tables and URDFs: a shell does not wait for Pinocchio.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import click
from click.shell_completion import CompletionItem

from ..errors import IrbError

if TYPE_CHECKING:
    from ..identification.validation.model_terms import Friction
    from ..identification.validation.pipeline import Method

# names that options take, as the modules have them that import Pinocchio; a test compares both
FORMATS = ("urdf", "mjcf", "sdf", "ros2")
MESHES = ("relative", "absolute", "package")
TABLE_FORMATS = ("csv", "json", "latex", "matlab")
EQUATION_FORMATS = ("sympy", "latex", "matlab")
QUERIES = (
    *("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis", "coriolis_torque"),
    *("gravity", "friction", "energy", "regressor", "inverse_dynamics_derivatives"),
    *("pose", "jacobian", "pose_and_jacobian", "hessian"),
)
LAYERS = (
    *("handle", "frames", "axes", "com", "ellipsoids", "boxes", "trace", "hulls", "torques"),
    *("range", "singular"),
)
METHODS: tuple[Method, ...] = ("consistent", "huber", "wls", "ls")
FRICTION: tuple[Friction, ...] = ("auto", "stribeck", "own", "coulomb")


class Names(click.Choice[str]):
    """Names that an option takes, or several with commas between them.

    A shell completes them, and the error of a missing option lists them. Other names go to the
    command, whose error has the nearest one.
    """

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return a text as it is."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Return the names that the part behind the last comma begins."""
        before, comma, last = incomplete.rpartition(",")
        names = (name for name in self.choices if name.startswith(last))
        return [CompletionItem(f"{before}{comma}{name}") for name in names]


def robot_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return aliases, variants and fixtures; files where none begins so."""
    from ..tables.description import aliases, fixtures, robots

    return _beginning(incomplete, [*aliases(), *robots(), *fixtures()])


def tool_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the shipped tools; files where none begins so."""
    from ..tables.description import tools

    return _beginning(incomplete, tools())


def set_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the sets of inertials of the robot before them; files where none begins so."""
    from ..tables.description import describe

    try:
        names = describe(_robot_of(context)).inertials.sets
    except IrbError:  # no robot yet, or one without tables
        names = {}
    return _beginning(incomplete, names)


def frame_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Return the frames of the robot before them: the links of its URDF."""
    from ..tables.description import urdf_path

    robot = _robot_of(context)
    try:
        file = Path(robot) if robot.endswith(".urdf") else urdf_path(robot)
        links = ElementTree.parse(file).iterfind("link")
    except (IrbError, OSError, ElementTree.ParseError):  # no robot yet, or none that is read
        return []
    names = [link.get("name", "") for link in links]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _robot_of(context: click.Context) -> str:
    """Return the robot of the words so far; an argument is left over where an option comes last."""
    robot = context.params.get("robot") or next(iter(context.args), "")
    return str(robot)


def _beginning(incomplete: str, names: Iterable[str]) -> list[CompletionItem[str]]:
    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]
