"""Command line: one verb per command. It parses, calls, prints and writes; it computes nothing."""

from __future__ import annotations

import math
import signal
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from . import __version__
from .description import COUPLINGS, Coupling, describe, fixtures, urdf_path
from .errors import InputError, IrbError, PhysicsWarning, UnknownName
from .files import replacing
from .logs import REST, open_motion
from .overlays import new_robot, with_overlays
from .prediction import Prediction, predict
from .robot import Robot, from_urdf, load
from .urdf_text import with_mesh_paths

if TYPE_CHECKING:
    from .compiled.cache import Info

app = typer.Typer(
    help="ABB's IRB 2400, 1400, 1600 and 930: sourced tables, URDF, and dynamics in the controller's own axes.",
    add_completion=False,
    rich_markup_mode=None,
)
_WIDTH = None if sys.stdout.isatty() else 200  # a pipe or file has no width of its own
out = Console(width=_WIDTH, markup=False, highlight=False)
err = Console(stderr=True, markup=False, highlight=False, soft_wrap=True)

RobotName = Annotated[str, typer.Argument(help="Variant or alias (see: irbmodels list), or a folder with the same tables.")]
ToolName = Annotated[str | None, typer.Option("--tool", help="Tool by name (spindle), or path of a tool table.")]
Parameters = Annotated[str | None, typer.Option("--parameters", help="Set of inertials (see: irbmodels info NAME).")]
AxesDeg = Annotated[
    str | None,
    typer.Option("--q-deg", help="Axis positions as the controller shows them, comma separated: degrees, mm for a linear axis."),
]
Overlays = Annotated[
    list[Path] | None, typer.Option("--overlay", help="File that changes single numbers of the tables; may be repeated.")
]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="File to write.")]


@app.command("list")
def list_robots() -> None:
    """List the robots with their ratings and the grade of their numbers (* assumed)."""
    from .report import robots_table

    _print(robots_table())


@app.command()
def info(robot: RobotName, overlay: Overlays = None) -> None:
    """Print every number that is known of a robot, with its source and grade."""
    from .report import info_tables

    _print(*info_tables(with_overlays(describe(robot), overlay or ())))


@app.command()
def urdf(
    robot: RobotName,
    coupling: Annotated[
        str | None,
        typer.Option(help="parallelogram (joint_3 is the controller's axis 3, bars are mimic joints) or serial (open chain)."),
    ] = None,
    tool: ToolName = None,
    parameters: Parameters = None,
    meshes: Annotated[
        str | None,
        typer.Option(help="Mesh paths: relative, absolute or package://NAME; default absolute for -o outside the data."),
    ] = None,
    output: Output = None,
    overlay: Overlays = None,
) -> None:
    """Write the URDF of a robot, to a file or to the terminal."""
    description = with_overlays(describe(robot), overlay or ())
    text = description.urdf(_coupling(coupling), parameters, tool)
    if coupling == "serial" and (other := description.inertials.sets[description.parameter_set(parameters)].serial):
        err.print(f"note: bars with mass have no place on an open chain; it holds the set {other}")
    load(robot, tool=tool, parameters=parameters, overlays=overlay or ())  # warns of a set that no bodies can have
    target = description.folder if output is None else output.resolve().parent
    style = meshes or ("relative" if target == description.folder else "absolute")
    text = with_mesh_paths(text, style, description.folder, target)
    _put(text, output)


@app.command()
def pose(
    robot: RobotName,
    q_deg: AxesDeg = None,
    frame: Annotated[str, typer.Option(help="Frame whose pose is wanted: tcp, tool0, flange, link_3 ...")] = "tcp",
    tool: ToolName = None,
    overlay: Overlays = None,
) -> None:
    """Print the pose of a frame in the base: position, quaternion q1..q4 (scalar first), and matrix."""
    from .report import pose_text

    arm = load(robot, tool=tool, overlays=overlay or ())
    q = _axes(arm, q_deg)
    out.print(pose_text(arm, q, frame), soft_wrap=True)
    for violation in arm.violations(q):
        err.print(f"note: {violation}")


@app.command()
def workspace(
    robot: RobotName,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Drawing to write (svg, png, pdf).")] = None,
    wrist_deg: Annotated[
        str | None,
        typer.Option("--wrist-deg", help="Axes 4 to 6, comma separated: the working range of the TCP with these held."),
    ] = None,
    tool: ToolName = None,
    overlay: Overlays = None,
) -> None:
    """Print or draw what an arm reaches in its plane: exact arcs, corners, extremes, area, volume, singular postures."""
    from . import drawings, figures

    arm = load(robot, tool=tool, overlays=overlay or ())
    wrist = None if wrist_deg is None else _numbers(wrist_deg, "--wrist-deg", 3 if arm.n == 6 else 1)
    if output is None:
        _print(*drawings.workspace_tables(arm, wrist))
        return
    figures.check_format(output)
    figures.save(drawings.workspace_figure(arm, wrist), output)
    err.print(f"wrote {output}")


@app.command()
def ik(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, or any .urdf file.")],
    target: Annotated[
        str, typer.Option("--pose", help="TCP in the base: x,y,z,q1,q2,q3,q4 in mm, and the quaternion with the scalar first.")
    ],
    tool: ToolName = None,
    near: Annotated[
        str | None, typer.Option(help="Seed, as --q-deg: solutions are sorted by distance to it, and keep its free axes.")
    ] = None,
    in_range: Annotated[bool, typer.Option("--in-range", help="Only what keeps every range, the coupled one too.")] = False,
    turns: Annotated[bool, typer.Option("--turns", help="List every full turn that is in range.")] = False,
    configuration: Annotated[
        str | None, typer.Option("--conf", help="Only what has this configuration: cf1,cf4,cf6,cfx.")
    ] = None,
    overlay: Overlays = None,
) -> None:
    """Print every posture that brings the TCP to a pose, with ABB's configuration data; exit code 1 if there is none."""
    from .postures import pose_from, solutions_table

    arm = _any_robot(robot, tool, overlay)
    seed = None if near is None else _axes(arm, near)
    wanted: Any = None if configuration is None else configuration.split(",")
    found: Any = arm.inverse_kinematics(pose_from(target), in_range=in_range, near=seed, turns=turns, configuration=wanted)
    if not found:
        err.print(f"no solution: {found.note}")
        raise typer.Exit(1)
    _print(solutions_table(arm, found))


@app.command()
def rapid(
    file: Annotated[Path, typer.Argument(help="RAPID module (.mod, .prg, .sys).")],
    robot: Annotated[str | None, typer.Option(help="Robot whose postures at each target are listed.")] = None,
    tool: Annotated[
        str | None, typer.Option(help="A tooldata of the module, a shipped tool, or a tool table; default tool0.")
    ] = None,
    wobj: Annotated[str | None, typer.Option(help="The wobjdata of the module that targets are in; default wobj0.")] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ROBOT", help="Mechanical unit that moves the wobjdata, as a robot or .urdf; may be repeated."),
    ] = None,
) -> None:
    """List the declarations of a RAPID module; with --robot every posture at its targets, * as programmed."""
    from .rapid import read_file
    from .targets import datum, listing, postures

    module = read_file(file)
    if robot is None:
        if tool or wobj or unit:
            raise InputError("--tool, --wobj and --unit say how a robot reaches targets; they need --robot")
        lines = listing(module)
    else:
        own = {name.lower() for name in module.of_type("tooldata")}
        arm = _any_robot(robot).with_tool(datum(module, "tooldata", tool) if tool and tool.lower() in own else tool)
        pairs = [text.partition("=") for text in unit or ()]
        lines = postures(module, arm, wobj, {name: _any_robot(given) for name, _, given in pairs})
    for line in lines:
        out.print(line, soft_wrap=True)


@app.command()
def torque(
    robot: RobotName,
    motion: Annotated[Path, typer.Argument(help="CSV with t, q1_deg ..; optional v1_deg_s .., a1_deg_s2 .., tau1_Nm ..")],
    tool: ToolName = None,
    parameters: Parameters = None,
    output: Output = None,
    figure: Annotated[
        Path | None, typer.Option(help="Figure to write (png, pdf, svg): torque, position, speed per axis.")
    ] = None,
    window: Annotated[
        float | None, typer.Option(help="Length [s] of the filter that derives missing speeds; default 0.08.")
    ] = None,
    rest: Annotated[float, typer.Option(help="Move [deg, mm] within the window that is noise: the axis stands still.")] = REST,
    overlay: Overlays = None,
) -> None:
    """Predict axis torques along a motion, split by cause, and compare them with measured ones.

    Speeds and accelerations that the file does not have come from a Savitzky-Golay filter: a cubic over --window seconds,
    symmetric in time; what moves less than --rest per window stands still. Files may be larger than memory.
    """
    from . import figures
    from .report import prediction_tables

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    file = open_motion(motion, arm)
    if figure is not None:
        figures.check_format(figure)
        if figure == output:
            raise InputError(f"{figure} cannot be both the output and the figure")
    for name, meant in file.ignored.items():
        err.print(f"ignored column: {name}{f' (did you mean {meant}?)' if meant else ''}")
    if window is not None and not file.derived:
        err.print("--window is ignored: the file has speeds and accelerations")
    with _progress() as bar:
        task = bar.add_task(motion.name, total=file.size)
        prediction = predict(file, output, window, rest, lambda size: bar.advance(task, size))
    if figure is not None:
        figures.save(figures.torque_figure(prediction, arm), figure)
    _print(*prediction_tables(prediction, arm))
    _say_what_to_mind(prediction, arm, rest)
    for path in (output, figure):
        if path is not None:
            err.print(f"wrote {path}")


@app.command()
def friction(
    robot: RobotName,
    save: Annotated[Path | None, typer.Option("--save", help="Figure to write (png, pdf, svg).")] = None,
    overlay: Overlays = None,
) -> None:
    """Print the friction of each axis, and draw it over speed; shaded is what was measured."""
    from . import figures
    from .report import friction_table

    arm = load(robot, overlays=overlay or ())
    if save is not None:
        figures.check_format(save)
    figure = figures.friction_figure(arm)
    _print(friction_table(with_overlays(describe(robot), overlay or ())))
    if save is not None:
        figures.save(figure, save)
        err.print(f"wrote {save}")


@app.command()
def check(
    robot: RobotName,
    tool: ToolName = None,
    parameters: Parameters = None,
    figure: Annotated[Path | None, typer.Option(help="Figure to write: the TCP along S001's motion, three ways.")] = None,
    overlay: Overlays = None,
) -> None:
    """Compare a robot's answers with two independent derivations and with every installed engine; exit code 1 if one differs."""
    from . import figures
    from .check import check as run
    from .check import reference_motion, tcp_paths
    from .report import agreement_table

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    if figure is not None:
        figures.check_format(figure)
    found = run(arm)
    _print(agreement_table(found, arm))
    if figure is not None:
        motion = reference_motion(arm)
        figures.save(figures.tcp_figure(tcp_paths(arm, motion), motion, arm), figure)
        err.print(f"wrote {figure}")
    if not all(agreement.holds for agreement in found):
        raise typer.Exit(1)


@app.command()
def view(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, any .urdf file, or positioner.")],
    q_deg: AxesDeg = None,
    tool: ToolName = None,
    motion: Annotated[
        list[Path] | None,
        typer.Option(help="CSV to play, with its torques; given again: shown translucent beside it."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="ROBOT[@X,Y,Z[,R,P,Y]]", help="Another robot or .urdf, at mm and degrees; may be repeated."),
    ] = None,
    layer: Annotated[
        list[str] | None,
        typer.Option(help="Show besides: frames, axes, com, ellipsoids, boxes, trace, hulls, torques; may be repeated."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write one self-contained HTML page instead of a live view.")
    ] = None,
    png: Annotated[Path | None, typer.Option("--png", help="Write a picture instead, drawn by Chromium.")] = None,
    port: Annotated[int | None, typer.Option(help="First port to try for the live view; default 7000.")] = None,
    overlay: Overlays = None,
) -> None:
    """Show robots in 3D, a slider per axis: live in a browser until Ctrl-C, as one HTML page, or as a picture."""
    from .view import Actor, save_page, save_picture
    from .view import view as live_view

    arm = _any_robot(robot, tool, overlay)
    q = _axes(arm, q_deg)
    for violation in arm.violations(q):
        err.print(f"note: {violation}")
    if motion and q_deg is not None:
        raise InputError("--q-deg and --motion both say where the robot is; give one of them")
    films = [(path.stem, open_motion(path, arm).read()) for path in motion or ()]
    actors = [Actor(arm, motion=film, opacity=0.4 if k else 1.0, name=name) for k, (name, film) in enumerate(films)]
    actors = [*(actors or [Actor(arm, q)]), *(_placed(text) for text in also or ())]
    if png is not None:
        save_picture(png, *actors, layers=layer or ())
        err.print(f"wrote {png}")
    if save is not None:
        save_page(save, *actors, layers=layer or ())
        err.print(f"wrote {save}")
    if save is not None or png is not None:
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is closed below
    with live_view(*actors, layers=layer or (), port=port, browser=False) as viewer:
        out.print(f"showing {', '.join(actor.name or actor.robot.name for actor in actors)} at {viewer.url}")
        if not viewer.open():
            err.print("no screen or browser here; open that address elsewhere, or save a page: --save page.html")
        err.print("Ctrl-C ends it")
        signal.pause()


@app.command()
def export(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, or any .urdf, .sdf or MJCF file.")],
    to: Annotated[str, typer.Option(help="urdf, mjcf (MuJoCo), sdf (Gazebo, Drake) or ros2 (a description package).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into; it is made.")],
    tool: ToolName = None,
    parameters: Parameters = None,
    coupling: Annotated[str | None, typer.Option(help="parallelogram or serial; default what serves the tool best.")] = None,
    meshes: Annotated[str, typer.Option(help="Mesh paths: relative, absolute or package.")] = "relative",
    carrier_kg: Annotated[
        float | None, typer.Option(help="Mass of each massless carrier or bar [kg]; default by format.")
    ] = None,
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Load the file again in every tool it is for, and compare; exit code 1 if one differs."),
    ] = False,
    overlay: Overlays = None,
) -> None:
    """Write a robot, its tool and its meshes for another tool, in a folder that stands on its own."""
    from .export import Options
    from .export import export as write
    from .reading import from_file

    if Path(robot).suffix.lower() in (".urdf", ".sdf", ".xml", ".mjcf"):
        if parameters or overlay:
            raise InputError(f"{robot} has no tables; --parameters and --overlay are for robots that do")
        arm = from_file(robot).with_tool(tool) if tool else from_file(robot)
    else:
        arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    written = write(arm, to, output, Options(_coupling(coupling), meshes, carrier_kg))
    others = f" and {len(written) - 1} files beside it" if len(written) > 1 else ""
    err.print(f"wrote {written[0]}{others}")
    if verify:
        from .export.verify import verify as compare
        from .report import verdict_table

        verdicts = compare(arm, to, written[0])
        _print(verdict_table(verdicts, arm))
        if not all(verdict.holds for verdict in verdicts):
            raise typer.Exit(1)


@app.command()
def tables(
    robot: RobotName,
    fmt: Annotated[str, typer.Option("--as", help="csv, json, latex, or matlab (a rigidBodyTree script).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into; it is made.")],
    tool: ToolName = None,
    parameters: Parameters = None,
    overlay: Overlays = None,
) -> None:
    """Write DH rows, limits, inertials and friction, each number with its source, for papers and other programs."""
    from .export.tables import write_tables

    arm = load(robot, tool=tool, parameters=parameters, overlays=overlay or ())
    for path in write_tables(arm, fmt, output):
        err.print(f"wrote {path}")


@app.command()
def equations(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, or any .urdf file.")],
    what: Annotated[str, typer.Option(help="pose, jacobian, mass_matrix, coriolis, gravity, inverse_dynamics, energy ...")],
    fmt: Annotated[str, typer.Option("--as", help="sympy, latex or matlab.")] = "latex",
    frame: Annotated[str | None, typer.Option(help="Frame of pose and jacobian: tcp (default), tool0, link_3 ...")] = None,
    tool: ToolName = None,
    parameters: Parameters = None,
    output: Output = None,
    overlay: Overlays = None,
) -> None:
    """Write a robot's equations with named constants, to be read, pasted into a paper, or run."""
    from .equations import equations_text

    if robot.lower().endswith(".urdf") and parameters:
        raise InputError(f"{robot} has no tables; --parameters is for robots that do")
    arm = _any_robot(robot, tool, overlay)
    text = equations_text(arm if parameters is None else arm.with_parameters(parameters), what, fmt, frame)
    _put(text, output)


@app.command()
def codegen(
    robot: Annotated[str, typer.Argument(help="Variant, alias, folder of tables, or any .urdf file.")],
    what: Annotated[
        list[str],
        typer.Option(help="inverse_dynamics, forward_dynamics, pose, jacobian ..., comma separated; may be repeated."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into; it is made.")],
    tool: ToolName = None,
    parameters: Parameters = None,
    frame: Annotated[str, typer.Option(help="Frame of pose, jacobian and hessian: tcp, tool0, link_3 ...")] = "tcp",
    no_friction: Annotated[bool, typer.Option("--no-friction", help="Leave friction out of the dynamics.")] = False,
    single: Annotated[bool, typer.Option("--single", help="Compute in float instead of double.")] = False,
    name: Annotated[str | None, typer.Option(help="What names of files and functions begin with; default the robot's.")] = None,
    overlay: Overlays = None,
) -> None:
    """Write queries as C99 without dependencies for a real-time controller: header, source, and a self-test to compile."""
    from .codegen import write_c

    arm = _any_robot(robot, tool, overlay)
    arm = arm if parameters is None else arm.with_parameters(parameters)
    queries = [word.strip() for words in what for word in words.split(",")]
    for path in write_c(arm, output, queries, frame=frame, friction=not no_friction, single=single, name=name):
        err.print(f"wrote {path}")


cache_app = typer.Typer(
    help="Compiled kernels that are kept between runs: what there is, and how to be rid of it.", no_args_is_help=True
)
app.add_typer(cache_app, name="cache")


@cache_app.command("info")
def cache_info() -> None:
    """Print where compiled kernels are kept, how many there are, and how much room they take."""
    from .compiled import cache

    out.print(_kept(cache.info()), soft_wrap=True)


@cache_app.command("clear")
def cache_clear() -> None:
    """Remove all compiled kernels; they are compiled again when they are next needed."""
    from .compiled import cache

    out.print(f"removed {_kept(cache.clear())}", soft_wrap=True)


def _put(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file as a whole."""
    if output is None:
        sys.stdout.write(text)
        return
    with replacing(output) as temporary:
        temporary.write_text(text, encoding="utf-8")
    err.print(f"wrote {output}")


def _kept(info: Info) -> str:
    return f"{info.kernels} kernel{'' if info.kernels == 1 else 's'}, {info.bytes / 1e6:.1f} MB, in {info.folder}"


@app.command()
def doctor(
    file: Annotated[Path, typer.Argument(help="Any URDF.")],
    repair: Annotated[
        Path | None,
        typer.Option(metavar="OUT.urdf", help="Copy to write with the nearest possible tensors; put it beside FILE for meshes."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Find what is wrong with a URDF: impossible bodies, limits, joints that make no tree, lost meshes.

    Exit code 0 if there is nothing but notes, 1 if there are errors or warnings, 2 if the file cannot be read as a URDF.
    """
    import json

    from .doctor import SEVERITIES, examine
    from .doctor import repair as write_repaired

    found = examine(file)
    repairs = [] if repair is None else write_repaired(file, repair)
    mended = [
        {"link": one.link, "moved_kg_m2": one.moved, "relative": one.relative if math.isfinite(one.relative) else None}
        for one in repairs
    ]
    report = {"findings": [finding._asdict() for finding in found], "repairs": mended}
    text = json.dumps(report, indent=2) if as_json else "\n".join(map(str, found))
    if text:
        sys.stdout.write(f"{text.encode(out.encoding, 'backslashreplace').decode(out.encoding)}\n")
    for one in repairs:
        err.print(f"repaired {one}")
    if repair is not None:
        err.print(f"wrote {repair}{'' if repairs else ', the same file: no tensor was impossible'}")
    counts = [(sum(finding.severity == severity for finding in found), severity) for severity in SEVERITIES]
    err.print(", ".join(f"{count} {severity}{'' if count == 1 else 's'}" for count, severity in counts))
    if any(count and severity != "note" for count, severity in counts):
        raise typer.Exit(1)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the new robot.")],
    like: Annotated[str, typer.Option(help="Shipped robot of the same build, whose tables are copied.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Folder to make; default ./NAME.")] = None,
) -> None:
    """Write the tables of a robot of your own, to be filled in from its data sheet."""
    folder = new_robot(name, like, output or Path(name))
    shown = folder if folder.is_absolute() else f"./{folder}"
    err.print(f"wrote {folder}; every number is a copy until you replace it. Next: irbmodels info {shown}")


@app.command()
def demo(folder: Annotated[Path, typer.Option("-o", "--output", help="Folder to write into.")] = Path("demo")) -> None:
    """Move the IRB 2400 with the spindle: motion, torques, a figure and a page with the 3D animation."""
    from .demo import demo as run
    from .report import prediction_tables

    result = run(folder)
    _print(*prediction_tables(result.prediction, result.robot))
    for what, path in result.files.items():
        err.print(f"{what + ':':17}{path}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; a mistake of the caller is one line on stderr and exit code 2."""
    warnings.showwarning = _show_warning
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        result = typer.main.get_command(app)(args=given, prog_name="irbmodels", standalone_mode=False)
    except IrbError as error:
        return _refuse(str(error))
    except typer.TyperException as error:
        return _refuse(error.format_message())
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return 0
    return result if isinstance(result, int) else 0


def _refuse(message: str) -> int:
    err.print(f"error: {' '.join(message.split())}")
    return 2


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, PhysicsWarning):  # others are for developers
        err.print(f"warning: {message}")


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"irbmodels {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """ABB's IRB 2400, 1400, 1600 and 930: sourced tables, URDF, and dynamics in the controller's own axes."""


def _coupling(name: str | None) -> Coupling | None:
    if name is not None and name not in COUPLINGS:
        raise UnknownName("coupling", name, COUPLINGS)
    return name


def _any_robot(name: str, tool: str | None = None, overlay: Sequence[Path] | None = None) -> Robot:
    """Return a robot from tables, or from a URDF file."""
    if not name.lower().endswith(".urdf") and name not in fixtures():
        return load(name, tool=tool, overlays=overlay or ())
    if overlay:
        raise InputError(f"{name} has no tables for an overlay to change")
    robot = from_urdf(urdf_path(name) if name in fixtures() else name)
    return robot if tool is None else robot.with_tool(tool)


def _placed(text: str) -> Any:
    """Return the actor that NAME@x,y,z,roll,pitch,yaw means, in mm and degrees."""
    from .view import Actor
    from .view.scene import place

    name, found, where = text.rpartition("@")
    try:
        numbers = [float(word) for word in where.split(",")] if found else []
    except ValueError:
        numbers = None
    if numbers is None or len(numbers) not in (0, 3, 6):
        raise InputError(f"--also {text!r}: after @ come x,y,z in mm, or x,y,z,roll,pitch,yaw with degrees")
    return Actor(_any_robot(name if found else text), place=place(numbers))


def _numbers(text: str, option: str, count: int) -> list[float]:
    """Return radians for that many angles in degrees."""
    try:
        values = [math.radians(float(word)) for word in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        raise InputError(f"{option} {text!r} is not a comma separated list of {count} angles")
    return values


def _axes(robot: Robot, text: str | None) -> Any:
    if text is None:
        return robot.from_controller([0.0] * robot.n)
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--q-deg {text!r} is not a comma separated list of numbers") from None
    return robot.from_controller(values)


def _print(*tables: Any) -> None:
    for table in tables:
        out.print(table)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


def _say_what_to_mind(prediction: Prediction, robot: Robot, rest: float) -> None:
    from .report import notes

    err.print(f"{prediction.rows} rows, {prediction.duration:.6g} s of motion")
    if prediction.window is not None:
        err.print(f"missing speeds and accelerations are derived by a cubic over {1e3 * prediction.window:.4g} ms;")
        err.print(f"an axis that moves less than {rest:g} deg or mm within it stands still")
    for line in notes(robot):
        err.print(line)
    if prediction.first_out_of_range is not None:
        t, violation = prediction.first_out_of_range
        err.print(f"{prediction.out_of_range} rows are outside the range of an axis, first at t = {t:.6g} s: {violation}")
    assumed = prediction.over_effort & robot.limits.effort_assumed
    for flags, words in (
        (prediction.over_speed, "moved faster than its speed limit"),
        (prediction.extrapolated, "moved faster than its friction was measured; friction there is extrapolated"),
        (assumed, "exceeds its effort bound (assumed: no torque limit of this robot is published)"),
        (prediction.over_effort & ~assumed, "exceeds its effort bound"),
    ):
        if flags.any():
            err.print(f"axis {', '.join(str(i + 1) for i, flag in enumerate(flags) if flag)}: {words}")


if __name__ == "__main__":
    sys.exit(main())
