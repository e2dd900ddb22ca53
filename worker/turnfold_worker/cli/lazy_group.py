"""A group whose commands are imported when they are run: the group's help needs none of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click

from turnfold_worker.cli.failures import Group


class LazyCommand(NamedTuple):
    """Where a command is, and its line in the help of its group."""

    module: str
    """In this package."""
    attribute: str
    short_help: str
    """The command's own; a test compares them."""


class LazyGroup(Group):
    """A `Group` of commands that are named, not imported."""

    def __init__(self, *args: Any, lazy_commands: Mapping[str, LazyCommand], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.lazy_commands = lazy_commands

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's form
        return sorted(self.lazy_commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's form
        if cmd_name not in self.lazy_commands:
            return None
        module, attribute, _ = self.lazy_commands[cmd_name]
        command: click.Command = getattr(import_module(f"turnfold_worker.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.lazy_commands[name].short_help) for name in self.list_commands(ctx)])
