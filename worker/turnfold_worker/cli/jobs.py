"""`turnfold jobs`: list work that waits for a decision, and retry or skip it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.cli.failures import FAILED
from turnfold_worker.cli.output import console, json_option, plain, print_json, table, words
from turnfold_worker.cli.session import Session

if TYPE_CHECKING:
    from turnfold.contract.attention import Selection, Work
    from turnfold_worker.adapters.sql.parked import SqlParkedWork
    from turnfold_worker.use_cases.jobs import Decided

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ID = lazy_pattern(r"(?:job|entry)-\d{1,18}")


@click.group(short_help="List, retry or skip parked and failing work.")
def jobs() -> None:
    """List work that failed as often as it may, and decide about it. No other work is held up by it.

    \b
    refold    a segment that the rules failed to fold: it has plain text (its first and last line), and its turns are
              stored. Retry after an upgrade folds it by the rules; skip leaves the plain text.
    entry     something appended that could not be read or stored: a placeholder keeps its place among the turns.
              Retry after an upgrade puts the turn there; skip leaves the placeholder.
    compress  a conversation whose folding fails, or that no worker folds: it is retried automatically.
    refine    segments that a model has not improved yet: its calls fail, or it refuses the request. They have the
              rules' text. Retry asks again; skip leaves it.

    \b
    Examples:
      turnfold jobs list
      turnfold jobs retry job-12
      turnfold jobs skip --conversation chat
    """


@jobs.command("list", short_help="List parked and failing work.")
@click.option("--conversation", metavar="CONV", help="Only work of this conversation.")
@click.option("--limit", "most", type=click.IntRange(1), default=100, show_default=True, help="Maximum number to show.")
@json_option
@click.pass_context
def list_jobs(ctx: click.Context, conversation: str | None, most: int, as_json: bool) -> None:
    """List parked work, and folding that fails or that no worker does: of every tenant, unless --tenant is given.

    Shows ids, counts and kinds of errors, never content. Ages count from when the work was parked or became due.

    \b
    Examples:
      turnfold jobs list
      turnfold --tenant acme jobs list --conversation chat --json
    """
    session = ctx.ensure_object(Session)
    works = _parked(session, write=False).find(_selection(session, (), conversation, most=most))
    if as_json:
        print_json({"jobs": [_described(work) for work in works], "limit": most})
        return
    if not works:
        click.echo("nothing is parked or failing")
        return
    rows = table("id", "kind", "state", "tenant", "conversation", "about", "#tries", "since", "error")
    for work in works:
        rows.add_row(
            work.id, str(work.kind), str(work.state), words(work.tenant), words(work.conversation_id), work.subject,
            str(work.attempts), _age(work.age_seconds), words(work.error or ""),
        )  # fmt: skip
    console().print(rows)
    if len(works) == most:
        click.echo(f"more than {most} may exist: raise --limit")


def _choosing(command: _Command) -> _Command:
    """Add the argument and options by which `retry` and `skip` select work."""
    for add in (
        click.argument("ids", nargs=-1, metavar="[ID]..."),
        click.option("--conversation", metavar="CONV", help="All work of this conversation."),
        click.option("--all", "everything", is_flag=True, help="All work of every tenant, or of --tenant if given."),
    ):
        command = add(command)
    return command


@jobs.command(short_help="Retry parked or failing work.")
@_choosing
@json_option
@click.pass_context
def retry(ctx: click.Context, ids: tuple[str, ...], conversation: str | None, everything: bool, as_json: bool) -> None:
    """Retry work, selected by ID, by conversation or all: usually after an upgrade that fixes its error.

    A segment is folded again by a worker within seconds; if that fails, it is parked again, with one more try. An entry
    is read again at once; if it is readable now, it replaces its placeholder, and its segment is folded again if it is
    already closed. The exit code is 1 when anything could not be retried.

    \b
    Examples:
      turnfold jobs retry job-12 entry-3
      turnfold jobs retry --conversation chat
      turnfold jobs retry --all
    """
    from turnfold_worker.use_cases import jobs as use_case

    session = ctx.ensure_object(Session)
    selection = _chosen(session, ids, conversation, everything=everything)
    parked = _parked(session, write=True)
    _report(ctx, use_case.retry(selection, parked=parked, publisher=session.publisher), ids, as_json=as_json)


@jobs.command(short_help="Leave parked work as it is, and stop counting it.")
@_choosing
@json_option
@click.pass_context
def skip(ctx: click.Context, ids: tuple[str, ...], conversation: str | None, everything: bool, as_json: bool) -> None:
    """Skip parked work, selected by ID, by conversation or all. The row stays as a record.

    Nothing else changes: a segment keeps its plain text, a turn its placeholder, and `turnfold expand` still returns
    what is stored. `turnfold status` and `turnfold doctor` no longer count it.

    \b
    Examples:
      turnfold jobs skip entry-3
      turnfold jobs skip --conversation chat
    """
    from turnfold_worker.use_cases import jobs as use_case

    session = ctx.ensure_object(Session)
    selection = _chosen(session, ids, conversation, everything=everything)
    _report(ctx, use_case.skip(selection, parked=_parked(session, write=True)), ids, as_json=as_json)


def _chosen(session: Session, ids: tuple[str, ...], conversation: str | None, *, everything: bool) -> Selection:
    if sum((bool(ids), conversation is not None, everything)) != 1:
        msg = "give ids, --conversation or --all: `turnfold jobs list` shows the work"
        raise click.UsageError(msg)
    for id_given in ids:
        if not _ID.fullmatch(id_given):
            msg = f"{id_given!r} is not the id of a job or entry (such as job-12 or entry-3): see `turnfold jobs list`"
            raise click.UsageError(msg)
    return _selection(session, ids, conversation)


def _selection(
    session: Session, ids: tuple[str, ...], conversation: str | None, *, most: int | None = None
) -> Selection:
    from turnfold.contract.attention import Selection

    return Selection(
        # Only the option narrows the selection; a tenant in the environment is meant for other commands.
        tenant=session.tenant,
        address=None if conversation is None else session.address(conversation),
        ids=frozenset(ids) or None,
        **({} if most is None else {"most": most}),
    )


def _parked(session: Session, *, write: bool) -> SqlParkedWork:
    from turnfold_worker.adapters.sql.parked import SqlParkedWork

    engine = session.write_engine if write else session.engine
    return SqlParkedWork(engine)


def _report(ctx: click.Context, decided: list[Decided], ids: tuple[str, ...], *, as_json: bool) -> None:
    missing = sorted(set(ids) - {decision.work.id for decision in decided})
    if as_json:
        rows = [
            {**_described(decision.work), "done": decision.done, "outcome": decision.outcome} for decision in decided
        ]
        print_json({"jobs": rows, "missing": missing})
    else:
        for decision in decided:
            about = (
                f"{decision.work.id}  {decision.work.kind} of {decision.work.subject}, {decision.work.conversation_id}"
            )
            console().print(words(f"{about}: {decision.outcome}"))
        for one_id in missing:
            click.echo(f"{one_id}: nothing with that id is parked or failing")
        if not decided and not missing:
            click.echo("nothing is parked")
    if missing or not all(decision.done for decision in decided):
        ctx.exit(FAILED)


def _described(work: Work) -> dict[str, Any]:
    return {**plain(work), "subject": work.subject}


def _age(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
