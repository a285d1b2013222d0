"""Tasks of a controller (MultiMove) that command path checks beside its first one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import InputError
from .json_output import print_json, robot_record
from .shared import any_robot, check_outputs, err, numbers, pose_from, print_tables, report_written

if TYPE_CHECKING:
    import pinocchio as pin

    from ..model.tool import Tool
    from ..rapid import MoveSummary
    from ..robot.robot import Robot
    from ..tasks.multimove import TaskCheck
    from ..tasks.path_check import Box

FIRST = "T_ROB1"
"""ABB's name of a controller's first task."""


class TaskOption(NamedTuple):
    """One ``--task NAME=ROBOT:FILE[@pose]``."""

    name: str
    robot: str
    file: Path
    base: pin.SE3 | None
    """Pose of its base in the world."""

    def load(self, tool: Tool | None = None) -> Robot:
        """Return the robot of the task with a tool, where it stands."""
        robot = any_robot(self.robot, tool)
        return robot if self.base is None else robot.mounted(self.base)


class Result(NamedTuple):
    """One checked task."""

    task: TaskCheck
    file: Path
    summary: MoveSummary | None
    report: Path | None
    figure: Path | None


def read_task_options(texts: Sequence[str], file: Path) -> list[TaskOption]:
    """Return the tasks of the options beside that of ``file``.

    Raises:
        InputError: if a text is no task, its pose no pose, or two have the same name.
    """
    options = []
    for text in texts:
        name, _, rest = text.partition("=")
        place, at, pose = rest.rpartition("@")
        if not at or not numbers(pose):  # a path may have an @ as well
            place, pose = rest, ""
        robot, _, program = place.partition(":")
        if not (name and robot and program):
            raise InputError(
                f"--task {text!r} is not NAME=ROBOT:FILE, such as T_ROB2=irb1600:Right.mod, or"
                " NAME=ROBOT:FILE@pose"
            )
        base = pose_from(pose, f"--task {name}") if pose else None
        options.append(TaskOption(name, robot, Path(program), base))
    names = [FIRST, *(option.name for option in options)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"--task: there are two tasks {twice[0]}; that of {file} is {FIRST}")
    return options


def outputs_of(option: TaskOption, **outputs: Path | None) -> list[Path | None]:
    """Return files to write of a task: those of the first with the name of the task behind.

    Raises:
        InputError, FileError: if one cannot be written.
    """
    own = {
        what: None if path is None else path.with_stem(f"{path.stem}_{option.name}")
        for what, path in outputs.items()
    }
    check_outputs((option.file,), **own)
    return list(own.values())


def print_results(results: Sequence[Result], as_json: bool, box: Box | None) -> bool:
    """Print tables or JSON of tasks, write their pages, say what is kept; return if all is."""
    from ..report.figures import save
    from ..report.path import (
        axes_figure,
        check_record,
        check_tables,
        remarks,
        verdict,
        write_report,
    )
    from ..report.path.multimove import sync_record, sync_table
    from ..tasks.multimove import sync_problems

    tasks, several = [result.task for result in results], len(results) > 1
    problems = sync_problems({task.name: task.points for task in tasks}) if several else ()
    for task, file, _, page, figure in results:
        title = f"{task.name}: {file.name}, {task.robot.name}"
        if not as_json:
            tables = check_tables(task.check, task.robot)
            for table in tables if several else ():
                table.title = f"{task.name}, {table.title}"
            print_tables(*tables)
        if several:
            err.print(title)
        for line in remarks(task.check, task.robot):
            err.print(line)
        if page is not None:
            write_report(page, task.check, task.robot, title if several else file.name, box)
        if figure is not None:
            save(axes_figure(task.check, task.robot), figure)
        report_written(page, figure)
    if several and not as_json:
        print_tables(sync_table(tasks))
    for task, file, summary, *_ in results:
        name = f"{task.name}: {file.name}" if several else file.name
        if summary is not None:
            err.print(f"{name}: {summary}")
        err.print(f"{name}: {verdict(task.check)}")
    for problem in problems:
        err.print(problem)
    kept = not problems and all(task.check.kept for task in tasks)
    if as_json:
        records = {
            task.name: {
                "robot": robot_record(task.robot),
                "file": file,
                **check_record(task.check, task.robot),
            }
            for task, file, *_ in results
        }
        together = sync_record(tasks, problems) if several else None
        print_json(None, {"kept": kept, "tasks": records, "synchronisation": together})
    return kept
