"""`turnfold refine`: let models improve what the rules wrote, repeat that after a change, or undo it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from turnfold.contract.records import ConversationId
from turnfold.errors import InvalidSettings, Unavailable
from turnfold_worker.cli.failures import FAILED
from turnfold_worker.cli.output import json_option, print_json, progress
from turnfold_worker.cli.session import Session
from turnfold_worker.errors import WorkerError, not_stored

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
    from turnfold_worker.ports.models import RefineCounts

LOOK_SECONDS: Final = 0.5
NOBODY_SECONDS: Final = 60.0
"""How long to watch jobs that no worker takes before raising an error."""


@click.command(short_help="Let models improve what the rules wrote.")
@click.argument("conversation", required=False)
@click.option("--all", "everything", is_flag=True, help="Every conversation of the tenant.")
@click.option("--undo", is_flag=True, help="Remove everything models wrote, and show the rules' text again.")
@click.option("--batch", is_flag=True, help="Use the provider's Batch API: half the price, results within a day.")
@click.option("--wait/--no-wait", default=True, show_default=True, help="Wait until the workers are done.")
@json_option
@click.pass_context
def refine(
    ctx: click.Context, conversation: str | None, everything: bool, undo: bool, batch: bool, wait: bool, as_json: bool
) -> None:
    """Let models improve the closed chapters of CONVERSATION, or of all, that the current models have not done yet.

    Workers do this on their own for every finished chapter while a model is configured. This command is for older
    conversations, and for after a change of models or prompts (give the workers and this command the same settings).
    Important and large chapters come first.

    Nothing is paid twice: stop it and run it again at any time. `turnfold jobs` shows what failed for good.

    \b
    Examples:
      turnfold refine chat
      turnfold refine --all
      turnfold refine --all --batch
      turnfold refine chat --undo
    """
    if (conversation is None) != everything:
        raise click.UsageError("give a conversation, or --all, not both")
    if undo and batch:
        raise click.UsageError("--undo and --batch cannot be combined")
    session = ctx.ensure_object(Session)
    admin = _admin(session)
    chosen = None if conversation is None else _found(session, admin, conversation)
    if undo:
        _undo(admin, session.settings.tenant, chosen, as_json=as_json)
        return
    if not session.settings.refines:
        msg = "no model is configured"
        raise InvalidSettings(
            msg,
            remedy=(
                "set TURNFOLD_OPENAI_API_KEY, or TURNFOLD_OPENAI_BASE_URL for your own server, here and for "
                "`turnfold up` or the workers, and restart them"
            ),
        )
    with progress(hidden=as_json) as bar:
        task = bar.add_task("looking for work", total=None)
        asked_groups = 0
        for conversation_id in _each(admin, session.settings.tenant, chosen):
            asked_groups += admin.ask(conversation_id)
            bar.update(task, description=f"{asked_groups} groups to refine")
    if batch:
        _run_batches(session, chosen, wait=wait, hidden=as_json)
    counts = admin.counts(session.settings.tenant, chosen)
    if wait:
        counts = _watch(session, admin, chosen, hidden=as_json)
    _report(ctx, asked_groups, counts, as_json=as_json)


def _admin(session: Session) -> SqlRefinementAdmin:
    from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
    from turnfold_worker.wiring.models import refine_target

    return SqlRefinementAdmin(session.write_engine, refine_target(session.settings))


def _found(session: Session, admin: SqlRefinementAdmin, conversation: str) -> ConversationId:
    conversation_id = admin.find(session.address(conversation))
    if conversation_id is None:
        raise not_stored(session.settings.tenant, conversation)
    return conversation_id


def _each(admin: SqlRefinementAdmin, tenant: str, chosen: ConversationId | None) -> Iterator[ConversationId]:
    if chosen is not None:
        yield chosen
        return
    conversations = admin.conversations(tenant)
    while conversations:
        yield from conversations
        conversations = admin.conversations(tenant, after=conversations[-1])


def _undo(admin: SqlRefinementAdmin, tenant: str, chosen: ConversationId | None, *, as_json: bool) -> None:
    levels = anchors = 0
    with progress(hidden=as_json) as bar:
        task = bar.add_task("undoing", total=None)
        for conversation_id in _each(admin, tenant, chosen):
            more_levels, more_anchors = admin.undo(conversation_id)
            levels, anchors = levels + more_levels, anchors + more_anchors
            bar.advance(task)
    if as_json:
        print_json({"levels_removed": levels, "anchors_removed": anchors})
    else:
        click.echo(f"{levels} levels and {anchors} anchors by models removed; the rules' text is shown again")


def _run_batches(session: Session, chosen: ConversationId | None, *, wait: bool, hidden: bool) -> None:
    """Submit all due requests to a provider's batch API; with `wait`, wait until all batches of the tenant end."""
    from turnfold_worker.adapters.openai.batches import OpenAIBatches
    from turnfold_worker.adapters.sql.batches import SqlBatches
    from turnfold_worker.use_cases import refine_in_batches as batches
    from turnfold_worker.wiring.models import ledger, prompts, redactor, refine_target

    settings = session.settings
    if settings.summarizer:
        raise InvalidSettings("TURNFOLD_SUMMARIZER does not support batches: --batch needs a provider")
    if not settings.has_model:
        msg = "this command submits the batch itself and has no provider configured"
        raise InvalidSettings(msg, remedy="set TURNFOLD_OPENAI_API_KEY, or TURNFOLD_OPENAI_BASE_URL")
    provider = OpenAIBatches(
        api_key=settings.openai_api_key, base_url=settings.openai_base_url, timeout_seconds=settings.call_seconds
    )
    batching = batches.Batching(
        store=SqlBatches(session.write_engine, refine_target(settings)), provider=provider, prompts=prompts(),
        ledger=ledger(settings, session.write_engine), redactor=redactor(settings),
    )  # fmt: skip
    try:
        submitted = batches.submit(settings.tenant, chosen, batching=batching)
        if not wait:
            click.echo(
                f"{submitted} requests are in batches: `turnfold refine --all --batch` collects the results", err=True
            )
            return
        with progress(hidden=hidden) as bar:
            task = bar.add_task("batches", total=None)
            batches.collect(
                settings.tenant, batching=batching,
                told=lambda kept, left: bar.update(task, completed=kept, total=kept + left),
            )  # fmt: skip
    except WorkerError as error:
        msg = f"{error}; submitted batches are kept"
        raise Unavailable(msg, remedy="run the same command again to continue") from error
    finally:
        provider.close()


def _watch(session: Session, admin: SqlRefinementAdmin, chosen: ConversationId | None, *, hidden: bool) -> RefineCounts:
    """Wait until no job is due or running. Raises `Unavailable` when no worker takes them."""
    tenant = session.settings.tenant
    counts = admin.counts(tenant, chosen)
    total, last, since = counts.open, counts, time.monotonic()
    with progress(hidden=hidden) as bar:
        task = bar.add_task("refining", total=total)
        while counts.open:
            time.sleep(LOOK_SECONDS)
            counts = admin.counts(tenant, chosen)
            bar.update(task, completed=total - counts.open)
            if counts != last or counts.running:
                last, since = counts, time.monotonic()
            elif time.monotonic() - since > NOBODY_SECONDS:
                raise _nobody(counts)
    return counts


def _nobody(counts: RefineCounts) -> Unavailable:
    if counts.errors:
        why = "; ".join(f"{error} ({number})" for error, number in counts.errors.items())
        return Unavailable(
            f"{counts.due} groups are waiting ({why})",
            remedy="they are retried automatically; use --no-wait to return at once",
        )
    return Unavailable(
        f"{counts.due} groups are waiting and no worker picks them up",
        remedy=(
            "start a worker with -Q turnfold.refine and a model, or `turnfold up` with TURNFOLD_OPENAI_API_KEY set"
        ),
    )


def _report(ctx: click.Context, asked: int, counts: RefineCounts, *, as_json: bool) -> None:
    if as_json:
        print_json({
            "asked": asked, "due": counts.due, "running": counts.running, "done": counts.done,
            "skipped": counts.skipped, "parked": counts.parked, "errors": counts.errors,
        })  # fmt: skip
    else:
        click.echo(
            f"{asked} groups of segments requested; in total {counts.done} done, {counts.skipped} skipped, "
            f"{counts.open} in progress, {counts.parked} parked"
        )
        for error, number in counts.errors.items():
            click.echo(f"  {number} × {error}")
    if counts.parked:
        ctx.exit(FAILED)
