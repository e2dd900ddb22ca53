"""`turnfold cells`: list the cells, print a tenant's cell, and find tenants stored in another cell than theirs.

`turnfold cells move` is in `cells_move_command`.
"""

from __future__ import annotations

import json

import click

from turnfold.contract.cells import Cells
from turnfold.contract.keys import checked_id
from turnfold.errors import InvalidSettings
from turnfold_worker.cli.failures import FAILED
from turnfold_worker.cli.output import console, json_option, print_json, say, table, words
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.settings import WorkerSettings


class _CellsGroup(click.Group):
    """Makes `turnfold cells` and `turnfold cells TENANT` run `show`, unless the word is a subcommand."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.list_commands(ctx) and args[0] not in ctx.help_option_names):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_CellsGroup, short_help="List cells and their tenants; move a tenant.")
def cells() -> None:
    """List the cells of TURNFOLD_CELLS with the tenants stored in each, or move a tenant to another one.

    `turnfold cells` and `turnfold cells TENANT` are short for `turnfold cells show`.

    \b
    Examples:
      turnfold cells
      turnfold cells acme
      turnfold cells move acme --to us
    """


@cells.command(short_help="List cells, or print the cell of a tenant.")
@click.argument("tenant", required=False)
@json_option
@pass_session
@click.pass_context
def show(ctx: click.Context, session: Session, tenant: str | None, as_json: bool) -> None:
    """List the cells of TURNFOLD_CELLS with the tenants stored in each, or print the cell of TENANT.

    A tenant that is stored in another cell than the file assigns is printed with the pin that keeps it where it is, and
    the exit code is 1. Run this with a changed file before any process reads it.

    \b
    Examples:
      turnfold cells
      turnfold cells acme
      TURNFOLD_CELLS=cells.new.toml turnfold cells
    """
    settings, known = cells_of(session)
    if tenant is not None:
        name = known.of(checked_id("tenant", tenant))
        pinned = tenant in known.pins
        say(as_json, {"tenant": tenant, "cell": name, "pinned": pinned}, name)
        return
    stored = {name: _stored_in(settings.in_cell(name, known)) for name in known.cells}
    strays = {name: [each for each in tenants if known.of(each) != name] for name, tenants in stored.items()}
    if as_json:
        print_json({"cells": {name: {"tenants": tenants, "strays": strays[name]} for name, tenants in stored.items()}})
    else:
        _print_cells(known, stored)
    if any(strays.values()):
        _say_pins(strays)
        ctx.exit(FAILED)


def cells_of(session: Session) -> tuple[WorkerSettings, Cells]:
    """Return the settings and the cells of their file. Raises `InvalidSettings` when there is none."""
    settings = WorkerSettings.from_env(session.environment)
    if not settings.cells:
        msg = "TURNFOLD_CELLS is not set: this installation has no cells"
        raise InvalidSettings(msg, remedy="set it to a file of cells, as described in docs/cells.md")
    return settings, settings.read_cells()


def pin_line(tenant: str, cell: str) -> str:
    """Return the line that pins a tenant to a cell in the file of cells."""
    return f"{json.dumps(tenant)} = {json.dumps(cell)}"


def _stored_in(settings: WorkerSettings) -> list[str]:
    from turnfold.database.engines import database
    from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas

    engine = database(settings, write=False)
    try:
        return SqlTenantQuotas(engine).tenants(standing_only=True)
    finally:
        engine.dispose()


def _print_cells(known: Cells, stored: dict[str, list[str]]) -> None:
    rows = table("cell", "takes", "#tenants stored", "#pinned")
    for name, cell in known.cells.items():
        takes = "pinned tenants" if cell.pinned_only else "pinned and hashed"
        pinned = sum(pin == name for pin in known.pins.values())
        rows.add_row(words(name), takes, str(len(stored[name])), str(pinned))
    console().print(rows)


def _say_pins(strays: dict[str, list[str]]) -> None:
    click.echo(
        "some tenants are stored in other cells than the file assigns. These pins keep them there:\n\n[pins]", err=True
    )
    for name, tenants in strays.items():
        for tenant in tenants:
            click.echo(pin_line(tenant, name), err=True)
