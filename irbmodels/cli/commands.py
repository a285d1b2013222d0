"""Commands and their help: entire sentences, examples that run, and groups by task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

_NUMBER = re.compile(r"[-+]?\.?\d")
_ROBOT = "--robot"


def _lines(example: str, width: int) -> list[str]:
    """Return a command in lines that a shell joins, broken before options."""
    first, *options = example.split(" -")
    lines = [first]
    for option in options:
        if len(lines[-1]) + len(option) + 4 <= width:  # a space, a dash, and room for a backslash
            lines[-1] += f" -{option}"
        else:
            lines[-1] += " \\"
            lines.append(f"    -{option}")
    return lines


def _joined(words: Sequence[str]) -> list[str]:
    """Return words in which a number behind a comma belongs to the list before it."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1].endswith(",") and _NUMBER.match(word):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _robot_first(words: list[str]) -> list[str]:
    """Return words with the robot of ``--robot ROBOT`` or ``--robot=ROBOT`` as the first."""
    for place, word in enumerate(words):
        name, equals, robot = word.partition("=")
        after = words[place + 1 :]
        if word == "--" or (name == _ROBOT and not (equals or after)):
            break
        if name == _ROBOT:
            given = [robot] if equals else after[:1]
            return [*given, *words[:place], *(after if equals else after[1:])]
    return words


class Command(click.Command):
    """A command whose help ends with examples, each of which runs as it stands."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse words: ``--robot ROBOT`` is the first argument, and a list may have blanks.

        Raises:
            UsageError: if an argument is missing or left over; the message ends with the usage.
        """
        named = any(_ROBOT in parameter.opts for parameter in self.params)
        try:
            return super().parse_args(ctx, _robot_first(_joined(args)) if named else args)
        except click.UsageError as error:
            argument = isinstance(getattr(error, "param", None), click.Argument)
            if not argument and type(error) is not click.UsageError:
                raise
            either = f" (or {_ROBOT} ROBOT)" if named else ""
            what = error.format_message().rstrip(".")
            if argument:  # which one it was, a robot before it or not, is not known
                needed = (one for one in self.params if isinstance(one, click.Argument))
                names = (one.make_metavar(ctx) for one in needed if one.required)
                what = f"Missing {' or '.join(names)}"
            raise click.UsageError(f"{what}. {ctx.get_usage()}{either}") from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below all other help."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                room = formatter.width - formatter.current_indent
                for line in (line for text in self.examples for line in _lines(text, room)):
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class Commands(Command, click.Group):
    """Commands with entire sentences in ``--help``, which wrap on a narrow terminal."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order in which they are defined."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, with the first sentence of its help as its summary."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and command.help:
            command.short_help = f"{' '.join(command.help.split()).partition('. ')[0].rstrip('.')}."
        return command


class Program(Commands):
    """All commands in groups; a module is imported when one of its commands is asked for."""

    def __init__(
        self, groups: Mapping[str, Mapping[str, Sequence[str]]], package: str, **settings: Any
    ) -> None:
        """Take the groups by title: of each module of the package its commands."""
        super().__init__(**settings)
        self.groups, self.package = groups, package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the groups."""
        return [
            name for modules in self.groups.values() for names in modules.values() for name in names
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name; after an unknown name all are there, for the nearest one."""
        known = cmd_name in self.list_commands(ctx)
        for modules in self.groups.values():
            for module, names in modules.items():
                if cmd_name in names or not known:
                    app: Commands = import_module(f".{module}", self.package).app
                    self.commands.update(app.commands)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each group with its title, all summaries in one column."""
        widest = max(map(len, self.list_commands(ctx)))
        for title, modules in self.groups.items():
            names = [name for group in modules.values() for name in group]
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (f"{name:{widest}}", command.short_help or "")
                        for name, command in found
                        if command is not None
                    ]
                )
