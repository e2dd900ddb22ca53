"""`turnfold forget`: erase a conversation, everything of a tenant, or an end user."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click

from turnfold.contract.results import ErasureReceipt
from turnfold.errors import TurnfoldError
from turnfold_worker.cli.account_commands import ONCE_A_WORKER_RUNS
from turnfold_worker.cli.output import ask, json_option, print_json, progress, told_when_slow, yes_option
from turnfold_worker.cli.session import Session, pass_session

WAIT_SECONDS = 30.0
_COUNTED = ("inbox_turns", "turns", "segments", "anchors")


@click.command(short_help="Permanently erase a conversation.")
@click.argument("conversation", required=False)
@click.option("--all", "everything", is_flag=True, help="Every conversation of the tenant.")
@click.option("--subject", metavar="ID", help="Everything appended with this subject, in all conversations.")
@yes_option
@json_option
@pass_session
def forget(
    session: Session, conversation: str | None, everything: bool, subject: str | None, yes: bool, as_json: bool
) -> None:
    """Erase CONVERSATION, all of the tenant, or an end user, from Redis and the database. This cannot be undone.

    With --subject, a conversation in which no other subject has a turn is erased completely; in others the subject's
    turns are deleted, but what others quote of them stays. Safe to run again.

    With --all, every conversation is hidden first, more than a thousand per second, and then erased by workers; the
    command waits as long as they make progress. Stop the tenant's producers first: what they append meanwhile may stay.
    The tenant's model costs are kept; they contain no content.

    \b
    Examples:
      turnfold forget chat --yes
      turnfold --tenant acme forget --all
      turnfold --tenant acme forget --subject user-42 --yes --json
    """
    if (conversation is not None) + everything + (subject is not None) != 1:
        raise click.UsageError("give a conversation, or --all, or --subject, just one of them")
    tenant = session.settings.tenant
    if subject is not None:
        ask(f"Permanently erase subject {subject!r} from every conversation of tenant {tenant!r}?", yes=yes)
        _forget_subject(session, subject, as_json=as_json)
        return
    if conversation is not None:
        ask(f"Permanently erase conversation {conversation!r} of tenant {tenant!r}?", yes=yes)
        receipt = _forget(session, conversation)
        if as_json:
            print_json(receipt)
        else:
            _say(asdict(receipt), completed=receipt.completed)
            for log in receipt.remains:
                click.echo(f"the text may remain for a while in {log}")
            if receipt.completed and not any(getattr(receipt, name) for name in _COUNTED):
                click.echo(f"conversation {conversation!r} has no data: is the name right?", err=True)
        return
    ask(f"Permanently erase all conversations of tenant {tenant!r}?", yes=yes)
    erased = erase_tenant(session, tenant)
    if as_json:
        print_json({"tenant": tenant, **erased.as_row()})
    else:
        _say(erased.counts, completed=erased.completed)


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantErased:
    """Outcome of erasing all conversations of a tenant."""

    conversations: int
    completed: bool
    """True when workers have deleted all rows; otherwise they will."""
    counts: dict[str, int]

    def as_row(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return {"conversations": self.conversations, "completed": self.completed, **self.counts}


def erase_tenant(session: Session, tenant: str) -> TenantErased:
    """Hide everything of a tenant, and wait for workers as long as they make progress. Raises `Unavailable`."""
    from turnfold.redis.inbox import ProducerInbox
    from turnfold_worker.operate.tenant_erasure import TenantErasure

    erasure = TenantErasure(ProducerInbox(session.redis), session.engine, tenant)
    with progress() as bar:
        task = bar.add_task("hiding", total=None)
        try:
            for marked in erasure.mark(session.publisher.erase):
                bar.update(task, completed=marked)
        except TurnfoldError:
            click.echo(
                f"{erasure.conversations} conversations are hidden: run the command again for the rest", err=True
            )
            raise
        bar.update(task, description="erasing", total=erasure.conversations, completed=0)
        count = erasure.conversations
        with told_when_slow(
            lambda: f"waiting up to {WAIT_SECONDS:g} s at a time for workers to delete {count} conversations",
            stopped=f"stopped waiting; all of tenant {tenant!r} will be deleted {ONCE_A_WORKER_RUNS}",
        ):
            completed = erasure.wait(WAIT_SECONDS, lambda erased: bar.update(task, completed=erased))
    counts = {name: erasure.counts[name] for name in _COUNTED}
    return TenantErased(conversations=erasure.conversations, completed=completed, counts=counts)


def _forget_subject(session: Session, subject: str, *, as_json: bool) -> None:
    waits = f"waiting up to {WAIT_SECONDS:g} s for a worker to delete turns of subject {subject!r}"
    stopped = f"stopped waiting; the turns of subject {subject!r} will be deleted {ONCE_A_WORKER_RUNS}"
    with told_when_slow(lambda: waits, stopped=stopped):
        receipt = session.turnfold.forget(subject=subject, timeout_seconds=WAIT_SECONDS)
    if as_json:
        print_json(receipt)
        return
    click.echo(
        f"erased {len(receipt.conversations)} conversations that had only subject {subject!r}, and "
        f"{sum(receipt.shared.values())} turns in {len(receipt.shared)} conversations shared with others"
    )
    if not receipt.completed:
        click.echo(f"it is no longer readable; its rows will be deleted {ONCE_A_WORKER_RUNS}")
    for name in receipt.still_quoted:
        click.echo(
            f"notes of conversation {name!r} may quote turns that retention removed: forget it to erase those too"
        )
    for log in receipt.remains:
        click.echo(f"the text may remain for a while in {log}")
    if not receipt.conversations and not receipt.shared:
        click.echo(
            f"no turn of tenant {session.settings.tenant!r} has the subject {subject!r}: is the id right?", err=True
        )


def _forget(session: Session, conversation: str) -> ErasureReceipt:
    waits = f"waiting up to {WAIT_SECONDS:g} s for a worker to delete conversation {conversation!r}"
    stopped = f"stopped waiting; conversation {conversation!r} will be deleted {ONCE_A_WORKER_RUNS}"
    with told_when_slow(lambda: waits, stopped=stopped):
        return session.turnfold.forget(conversation, timeout_seconds=WAIT_SECONDS)


def _say(counts: dict[str, int], *, completed: bool) -> None:
    if completed:
        click.echo(
            f"erased {counts['turns']} stored turns, {counts['segments']} segments, {counts['anchors']} anchors and "
            f"{counts['inbox_turns']} turns that were not stored yet"
        )
    else:
        click.echo(f"hidden: it is no longer readable; its rows will be deleted {ONCE_A_WORKER_RUNS}")
