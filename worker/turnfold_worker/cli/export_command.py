"""`turnfold export`: write conversations to an archive that `turnfold import` reads."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from turnfold.errors import Unavailable, UnknownConversation
from turnfold_worker.cli.failures import Stopped
from turnfold_worker.cli.output import json_option, print_json, progress, told_when_slow
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.cli.streams import safe

if TYPE_CHECKING:
    from turnfold.contract.keys import Address

STANDARD_OUTPUT: Final = Path("-")


@click.command("export", short_help="Export conversations to a file.")
@click.argument("conversations", metavar="[CONVERSATION]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every conversation of the tenant.")
@click.option("--tenant", help="Tenant to export; same as --tenant before the command.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), default=STANDARD_OUTPUT, metavar="FILE",
    help="Output file; compressed if it ends in .gz. Default: standard output.",
)  # fmt: skip
@click.option(
    "--wait", "wait_seconds", type=click.FloatRange(min=0), default=30.0, show_default=True, metavar="SECONDS",
    help="How long to wait for a worker to store appended turns.",
)  # fmt: skip
@json_option
@pass_session
def export(
    session: Session, conversations: tuple[str, ...], everything: bool, tenant: str | None, output: Path,
    wait_seconds: float, as_json: bool,
) -> None:  # fmt: skip
    """Write CONVERSATIONs, or all of the tenant, as JSON lines that `turnfold import` reads.

    Turns are exported as they are now: an edited one with its newest text, a deleted one without text, and those that a
    rewind cut off not at all. Nothing that was erased is in the file. Segments, anchors and the rest of the folded
    state are included, so that the import has the same digest as the export, on SQLite and PostgreSQL alike; `import
    --fold-anew` leaves them out.

    Each conversation is read from one snapshot while workers continue. Model costs stay with the tenant.

    \b
    Examples:
      turnfold export chat -o chat.jsonl
      turnfold export --all --tenant acme -o acme.jsonl.gz
      turnfold export --all | turnfold --database-url postgresql+psycopg://… --redis-url redis://… import -
    """
    if bool(conversations) is everything:
        raise click.UsageError("give conversations, or --all, not both")
    if as_json and output == STANDARD_OUTPUT:
        raise click.UsageError("--json needs a file for the archive: give one with --output")
    if tenant is not None:
        session.tenant = tenant
    addresses = (
        addresses_of_all(session)
        if everything
        else [session.standing_address(name) for name in dict.fromkeys(conversations)]
    )
    written, turns = _write(session, addresses, output, skip_unknown=everything, wait_seconds=wait_seconds)
    if as_json:
        print_json({"conversations": written, "turns": turns, "file": str(output)})
    else:
        plural = "" if turns == 1 else "s"
        subject = f"conversation {safe(written[0])}" if len(written) == 1 else f"{len(written)} conversations"
        click.echo(f"{turns} turn{plural} of {subject} exported", err=True)


def addresses_of_all(session: Session) -> list[Address]:
    """Return every conversation of the session's tenant, stored or waiting, by name. Raises `Unavailable`."""
    from turnfold.redis.inbox import ProducerInbox
    from turnfold_worker.operate.list_conversations import known_conversations

    addresses = [
        session.address(name) for name in known_conversations(session.redis, session.engine, session.settings.tenant)
    ]
    gone = ProducerInbox(session.redis).forgotten(addresses)
    return [address for address in addresses if address.conversation not in gone]


def _write(
    session: Session, addresses: list[Address], output: Path, *, skip_unknown: bool, wait_seconds: float
) -> tuple[list[str], int]:
    """Write the archive; return the names of the exported conversations and the number of their turns."""
    from turnfold.database.exports import footer, header, lines_of, turns_of

    names = [address.conversation for address in addresses]
    for address in addresses:
        _wait_until_stored(session, address, wait_seconds)
        if not skip_unknown:
            _refuse_unknown(session, address)
    written: list[str] = []
    turns = 0
    with progress() as bar, _opened(output) as file:
        task = bar.add_task("exporting", total=turns_of(session.engine, session.settings.tenant, names))

        def turn_written() -> None:
            nonlocal turns
            turns += 1
            bar.advance(task)

        file.write(header())
        for address in addresses:
            try:
                for line in lines_of(session.engine, address, turn_written=turn_written):
                    file.write(line)
            except UnknownConversation:
                # Forgotten since the list was made; nothing was written for it.
                if not skip_unknown:
                    raise
                continue
            written.append(address.conversation)
        file.write(footer(len(written)))
    return written, turns


def _refuse_unknown(session: Session, address: Address) -> None:
    """Raise `UnknownConversation` before anything is written."""
    from turnfold.database.exports import not_stored

    if session.reader.read(lambda transaction: transaction.head(address)) is None:
        raise not_stored(address)


def _wait_until_stored(session: Session, address: Address, seconds: float) -> None:
    """Wait until workers have stored what was appended. Raises `Unavailable`: the archive would be incomplete."""
    from turnfold.read.polling import StoreWait, until
    from turnfold.redis.inbox import ProducerInbox

    name = address.conversation
    with told_when_slow(lambda: f"waiting up to {seconds:g} s for a worker to store turns of conversation {name!r}"):
        if not until(StoreWait(ProducerInbox(session.redis), address), seconds):
            msg = f"turns of conversation {name!r} are still in the inbox after {seconds:g} s; nothing was exported"
            raise Unavailable(
                msg,
                remedy=(
                    "check that a worker is running (`turnfold up` starts some, `turnfold doctor` finds problems), "
                    "or wait longer with --wait"
                ),
            )


@contextmanager
def _opened(output: Path) -> Iterator[BinaryIO]:
    """Open the output. A file gets its name once it is complete, and only its user may read it."""
    if output == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    part = output.with_name(f"{output.name}.part")
    try:
        try:
            raw = os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
        except OSError as error:
            raise click.BadParameter(f"{part} cannot be written: {error.strerror}", param_hint="--output") from error
        with ExitStack() as closing:
            closing.enter_context(raw)
            # Without a timestamp, so that equal conversations give equal files.
            packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if output.suffix == ".gz" else None
            yield raw if packed is None else closing.enter_context(packed)  # type: ignore[misc]  # a file of bytes
        part.replace(output)
    except KeyboardInterrupt:
        msg = "stopped; nothing was exported"
        raise Stopped(msg) from None
    finally:
        part.unlink(missing_ok=True)
