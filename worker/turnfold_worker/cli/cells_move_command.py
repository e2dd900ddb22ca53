"""`turnfold cells move`: move a tenant to another cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from turnfold.contract.keys import Address, checked_id
from turnfold.errors import InvalidInput
from turnfold_worker.cli.archive_files import refuse_unless_idle
from turnfold_worker.cli.cells_command import cells, cells_of, pin_line
from turnfold_worker.cli.forget import erase_tenant
from turnfold_worker.cli.output import ask, json_option, print_json, progress, say, yes_option
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.cli.streams import safe

if TYPE_CHECKING:
    from turnfold_worker.operate.tenant_move import MoveSide, MoveStep, TenantMove


@cells.command("move", short_help="Move a tenant to another cell.")
@click.argument("tenant")
@click.option("--to", "target", required=True, metavar="CELL", help="Cell to move the tenant to.")
@click.option(
    "--wait", "wait_seconds", type=click.FloatRange(min=0), default=30.0, show_default=True, metavar="SECONDS",
    help="How long to wait for workers that are processing its turns.",
)  # fmt: skip
@yes_option
@json_option
@pass_session
def move(session: Session, tenant: str, target: str, wait_seconds: float, *, yes: bool, as_json: bool) -> None:
    """Move TENANT to another cell of TURNFOLD_CELLS, in two runs of the same command.

    The first run, while the file of cells still assigns the tenant to its old cell, copies all conversations, compares
    them, and prints the pin for the new cell. Before it, stop everything that appends, edits or forgets for the tenant:
    if something is written meanwhile, the command reports it and exits with 3.

    Then add the pin to the file, give the file to every process that serves the tenant, and start its producers. The
    second run checks that the old cell still contains only what was compared, and erases it there. It asks first.

    Either run can be repeated after it was stopped or killed: it continues, and nothing is lost or duplicated. Workers
    of both cells may run; those of the old one must, for the erasure.

    The tenant's gateway keys are copied. Its model costs, quota and webhooks stay in the old cell: set quota and
    webhooks again in the new one.

    \b
    Example:
      turnfold cells move acme --to us
      # pin it: acme = "us", and give the file to all processes
      turnfold cells move acme --to us
    """
    known = cells_of(session)[1]
    checked_id("tenant", tenant)
    if target not in known.cells:
        msg = f"there is no cell {target!r} in TURNFOLD_CELLS"
        raise InvalidInput(msg, remedy=f"use one of {', '.join(known.cells)}")
    home = known.of(tenant)
    with _sessions(session, tenant) as opened:
        if home == target:
            sources = [name for name in known.cells if name != target and _holds(opened(name), tenant)]
            _leave(sources, opened, target, wait_seconds, yes=yes, as_json=as_json)
        else:
            _copy(opened(home), opened(target), wait_seconds, as_json=as_json)


@contextmanager
def _sessions(session: Session, tenant: str) -> Iterator[Callable[[str], Session]]:
    """Yield a function that returns the session of a cell, opening each once and closing all at the end."""
    sessions: dict[str, Session] = {}

    def opened(cell: str) -> Session:
        if cell not in sessions:
            sessions[cell] = Session(tenant=tenant, cell=cell, environment=session.environment)
        return sessions[cell]

    try:
        yield opened
    finally:
        for of_cell in sessions.values():
            of_cell.close()


def _copy(source: Session, target: Session, wait_seconds: float, *, as_json: bool) -> None:
    """Run the first half of a move."""
    tenant, old, new = source.settings.tenant, source.settings.cell, target.settings.cell
    if not _holds(source, tenant):
        msg = f"cell {old!r}, where the file has tenant {tenant!r}, has no conversations of it"
        raise InvalidInput(
            msg, remedy=f"check the name; a tenant without conversations needs only a pin: {pin_line(tenant, new)}"
        )
    moving = _move(source, target, wait_seconds)
    _shown(moving.copy(), hidden=as_json)
    keys = _copy_keys(source, target)
    if as_json:
        counts = {"conversations": moving.conversations, "turns": moving.turns, "copied": moving.copied, "keys": keys}
        print_json({"tenant": tenant, "from": old, "to": new, "state": "copied", **counts, "pin": {tenant: new}})
        return
    click.echo(
        f"{moving.conversations} conversations with {moving.turns} turns of tenant {safe(tenant)} are the same in "
        f"cells {old} and {new}, by their digests; this run copied {moving.copied} and {keys} keys\n"
        "next: add this pin, distribute the file to every process that serves the tenant, start its producers, and "
        f"run this command again to erase its data in {old}:\n\n[pins]\n{pin_line(tenant, new)}"
    )


def _copy_keys(source: Session, target: Session) -> int:
    from turnfold_worker.operate.tenant_keys import copy_keys

    return copy_keys(source.engine, target.write_engine, source.settings.tenant)


def _drop_keys(source: Session) -> None:
    from turnfold_worker.operate.tenant_keys import drop_keys

    drop_keys(source.write_engine, source.settings.tenant)


def _leave(
    sources: list[str], opened: Callable[[str], Session], target: str, wait_seconds: float, *, yes: bool, as_json: bool
) -> None:  # fmt: skip
    """Run the second half: erase what other cells still have of the tenant."""
    target_session = opened(target)
    tenant = target_session.settings.tenant
    if not sources:
        say(
            as_json, {"tenant": tenant, "to": target, "state": "moved", "erased": {}},
            f"nothing to do: tenant {safe(tenant)} is in cell {target}, and no other cell has any of its data",
        )  # fmt: skip
        return
    erased: dict[str, dict[str, Any]] = {}
    for name in sources:
        source = opened(name)
        moving = _move(source, target_session, wait_seconds)
        _shown(moving.check_source(), hidden=as_json)
        _warn_of_forgotten(moving, name, target)
        ask(
            f"Does every process that serves tenant {tenant!r} have the new file? Erase its {moving.conversations} "
            f"conversations in cell {name!r}?", yes=yes,
        )  # fmt: skip
        # Keys made since the first run are copied too.
        _copy_keys(source, target_session)
        moving.begin_erasure()
        # Keys go before conversations: this half runs again as long as conversations are left.
        _drop_keys(source)
        erasure = erase_tenant(source, tenant)
        if erasure.completed:
            moving.finish()
        erased[name] = erasure.as_row()
        if not as_json:
            later = "" if erasure.completed else "; a worker of that cell will delete the rows"
            click.echo(f"erased {erasure.conversations} of its conversations in cell {name}{later}")
    say(
        as_json, {"tenant": tenant, "to": target, "state": "moved", "erased": erased},
        f"tenant {safe(tenant)} is in cell {target}",
    )  # fmt: skip


def _warn_of_forgotten(moving: TenantMove, source: str, target: str) -> None:
    if moving.only_in_target:
        click.echo(
            f"conversations disappeared from cell {source} after the comparison. Those forgotten there must be "
            f"forgotten in {target} too. These are only in {target}: {safe(', '.join(moving.only_in_target))}",
            err=True,
        )


def _move(source: Session, target: Session, wait_seconds: float) -> TenantMove:
    from turnfold_worker.operate.tenant_move import TenantMove

    return TenantMove(source.settings.tenant, _side(source), _side(target), wait_seconds=wait_seconds)


def _side(session: Session) -> MoveSide:
    from turnfold.redis.inbox import ProducerInbox
    from turnfold_worker.cli.doctor_command import fold_what_waits
    from turnfold_worker.importing.restore import Wanted, restore
    from turnfold_worker.operate.tenant_move import MoveSide
    from turnfold_worker.wiring import sql_store

    inbox = ProducerInbox(session.redis)

    def restored(address: Address, lines: Iterable[bytes]) -> None:
        refuse_unless_idle(inbox, address)
        restore(
            session.write_engine, lines, name=f"conversation {address.conversation!r}",
            wanted=Wanted(tenant=address.tenant), begin=lambda *_: None, turn_read=lambda: None,
        )  # fmt: skip

    return MoveSide(
        cell=session.settings.cell, engine=session.engine, write_engine=session.write_engine,
        inbox=inbox, store=sql_store(session.settings, session.write_engine, session.engine),
        fold=lambda address: fold_what_waits(session, address), restore=restored,
    )  # fmt: skip


def _holds(session: Session, tenant: str) -> bool:
    """Tell whether a cell has conversations of a tenant, stored or waiting, including those that are being erased."""
    from turnfold.redis.inbox import ProducerInbox
    from turnfold_worker.operate.list_conversations import stored_names

    stored = chain.from_iterable(stored_names(session.engine, tenant, most=1))
    return next(stored, None) is not None or bool(ProducerInbox(session.redis).waiting(tenant))


def _shown(steps: Iterator[MoveStep], *, hidden: bool) -> None:
    with progress(hidden=hidden) as bar:
        task = bar.add_task("", total=None)
        for step in steps:
            bar.update(task, description=step.doing, total=step.conversations, completed=step.done)
