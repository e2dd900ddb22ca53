"""A click group that imports a command only when it is run; the group's help imports none.

A command of another distribution is an entry point of `turnfold.commands`; without the distribution, the command says
what to install.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final, NamedTuple

import click

from turnfold.errors import Unavailable
from turnfold_worker.cli.failures import Group

ENTRY_POINTS: Final = "turnfold.commands"


class LazyCommand(NamedTuple):
    """Location of a command, and its line in the group's help."""

    module: str
    """Module in this package."""
    attribute: str
    short_help: str
    """Equal to the command's own; a test compares them."""


class OthersCommand(NamedTuple):
    """A command that another distribution provides."""

    distribution: str
    short_help: str


class LazyGroup(Group):
    """A `Group` whose commands are declared, and imported on use."""

    def __init__(self, *args: Any, lazy_commands: Mapping[str, LazyCommand | OthersCommand], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.lazy_commands = lazy_commands

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(self.lazy_commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in self.lazy_commands:
            return None
        place = self.lazy_commands[cmd_name]
        if isinstance(place, OthersCommand):
            return _of_entry_point(cmd_name, place)
        command: click.Command = getattr(import_module(f"turnfold_worker.cli.{place.module}"), place.attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.lazy_commands[name].short_help) for name in self.list_commands(ctx)])


def _of_entry_point(name: str, place: OthersCommand) -> click.Command:
    """Return another distribution's command, or a stand-in that says which distribution is missing."""
    for entry_point in entry_points(group=ENTRY_POINTS, name=name):
        command: click.Command = entry_point.load()
        return command
    return _missing(name, place)


def _missing(name: str, place: OthersCommand) -> click.Command:
    def refuse(**_: object) -> None:
        msg = f"`turnfold {name}` comes with {place.distribution}"
        raise Unavailable(msg, remedy=f"pip install {place.distribution}")

    return click.Command(
        name, callback=refuse, short_help=place.short_help,
        help=f"{place.short_help}\n\nThis command comes with {place.distribution}, which is not installed.",
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )  # fmt: skip
