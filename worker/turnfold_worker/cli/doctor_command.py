"""`turnfold doctor`, `digest` and `migrate`: check, compare and upgrade an installation."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import click

from turnfold_worker.cli.export_command import addresses_of_all
from turnfold_worker.cli.failures import FAILED
from turnfold_worker.cli.output import console, json_option, print_json, table, words
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.cli.streams import safe

if TYPE_CHECKING:
    from turnfold.contract.keys import Address

_LONGEST_FOLD_SECONDS: Final = 60.0
_LONGEST_WAIT_SECONDS: Final = 20.0
_PAUSE_SECONDS: Final = 0.1


@click.command(short_help="Check servers, workers and stored data.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for checking conversations, newest first.",
)
@click.option(
    "--before",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Check only conversations with ids below this: continues where a previous run stopped.",
)
@json_option
@click.pass_context
def doctor(ctx: click.Context, seconds: float, before: int | None, as_json: bool) -> None:
    """Check the invariants, the schema, Redis, the broker, workers, clocks and stuck work; say what to do.

    Changes nothing. Each line is OK or PROBLEM, and a problem has its remedy. The exit code is 1 when there is one.
    Conversations left unchecked when the time is up are not a problem: the report says how to continue with them.

    \b
    Examples: every few minutes, as a health check; and everything, at night
      turnfold doctor --seconds 10 --json || alert
      turnfold doctor --seconds 36000
    """
    from turnfold_worker.operate.doctor import Reach, diagnose

    session = ctx.ensure_object(Session)
    findings = diagnose(
        session.settings, lambda: session.engine, lambda: session.redis, Reach(before=before, seconds=seconds)
    )
    problems = [finding for finding in findings if not finding.ok]
    if as_json:
        print_json({"ok": not problems, "findings": findings})
    else:
        rows = table("", "check", "found")
        for finding in findings:
            rows.add_row(
                words("OK" if finding.ok else "PROBLEM", "green" if finding.ok else "bold red"),
                words(finding.check),
                words(finding.detail if finding.ok else f"{finding.detail}\n→ {finding.remedy}"),
            )
        console().print(rows)
    if problems:
        ctx.exit(FAILED)


def fold_what_waits(session: Session, address: Address) -> None:
    """Fold the stored turns of a conversation in this process; if a worker is folding it, wait for that a while.

    Raises `Unavailable` when turns stay unfolded.
    """
    from turnfold.errors import Unavailable
    from turnfold_worker.operate.digest import unfolded
    from turnfold_worker.use_cases.fold import CompressLimits, compress
    from turnfold_worker.wiring import sentence_embedder, sql_store

    conversation = unfolded(session.engine, address)
    if conversation is None:
        return
    settings = session.settings
    # One attempt here; workers retry failures up to the limit.
    compress(
        conversation, store=sql_store(settings, session.write_engine, session.engine),
        limits=CompressLimits(slice_seconds=_LONGEST_FOLD_SECONDS, attempts=settings.attempts), clock=time.monotonic,
        embedder=sentence_embedder(settings),
    )  # fmt: skip
    end = time.monotonic() + _LONGEST_WAIT_SECONDS
    while unfolded(session.engine, address) is not None:
        if time.monotonic() > end:
            msg = "not all stored turns are folded"
            raise Unavailable(msg, remedy="check `turnfold jobs` and `turnfold doctor`, then try again")
        time.sleep(_PAUSE_SECONDS)


@click.command(short_help="Print a hash of the stored state.")
@click.argument("conversation", required=False)
@click.option("--all", "everything", is_flag=True, help="Print a line for every conversation of the tenant.")
@json_option
@pass_session
def digest(session: Session, conversation: str | None, everything: bool, as_json: bool) -> None:
    """Print a hash of the stored state of CONVERSATION: equal for equal turns, however they were processed.

    Stored turns that wait to be folded together with later ones are folded first, and search rows that were dropped are
    rebuilt.

    \b
    Examples: the distributed run and the offline one agree; a copy is complete
      turnfold digest chat
      turnfold fold chat.jsonl --digest
      turnfold --tenant acme digest --all
    """
    if (conversation is not None) is everything:
        raise click.UsageError("give a conversation, or --all, not both")
    if conversation is not None:
        hashed = _digest(session, session.standing_address(conversation))
        if as_json:
            print_json({"conversation_id": conversation, "digest": hashed})
        else:
            click.echo(hashed)
        return
    for address in addresses_of_all(session):
        hashed = _digest(session, address)
        if as_json:
            print_json({"conversation_id": address.conversation, "digest": hashed})
        else:
            click.echo(f"{hashed}  {safe(address.conversation)}")


def _digest(session: Session, address: Address) -> str:
    from turnfold.database.failures import translated
    from turnfold_worker.operate.digest import digest as digest_of

    with translated():
        fold_what_waits(session, address)
        return digest_of(session.engine, address.tenant, address.conversation)


@click.command(short_help="Create or upgrade the schema.")
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit with 1 if the schema has drifted.")
@click.option(
    "--contract", is_flag=True, help="Also remove what only older versions need; use it when none is running."
)
@click.option(
    "--partitions", type=click.IntRange(0), default=0,
    help="Hash partitions for each large table of a new PostgreSQL database, such as 64; 0: none.",
)  # fmt: skip
@json_option
@click.pass_context
def migrate(ctx: click.Context, only_check: bool, contract: bool, partitions: int, as_json: bool) -> None:
    """Create or expand the schema of the database. Safe to repeat, to run several times at once, and while workers run.

    It only adds, so that processes of the previous version keep working next to those of this one. When all of them are
    upgraded, --contract removes what only they needed; a new database does not need that.

    \b
    Examples:
      turnfold --database-url sqlite:////var/lib/turnfold/turnfold.db migrate
      turnfold migrate --check
      turnfold migrate --contract
      turnfold migrate --partitions 64
    """
    from turnfold.contract.server_urls import urls_of
    from turnfold_worker.operate import migrate as migrations

    settings = ctx.ensure_object(Session).settings
    url = settings.database_url
    if only_check and (contract or partitions):
        raise click.UsageError("--check cannot be combined with --contract or --partitions")
    if not only_check:
        migrations.upgrade(
            url,
            shards=settings.shards,
            servers=len(urls_of(settings.redis_url)),
            contract=contract,
            partitions=partitions,
        )
    drift = migrations.check(url)
    if as_json:
        found = {"revision": migrations.current(url), "drift": drift}
        print_json({**found, "contract_pending": migrations.contract_pending(url)})
    else:
        click.echo("\n".join(drift) or migrations.state(url))
    if drift:
        if not only_check:
            click.echo(migrations.DRIFT_REMEDY, err=True)
        ctx.exit(FAILED)
