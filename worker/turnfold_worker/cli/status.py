"""`turnfold status`: show the progress of the work, on one conversation or on everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from turnfold_worker.cli.inspect_command import expansions_line
from turnfold_worker.cli.output import console, json_option, plain, print_json, table, told_when_slow, words
from turnfold_worker.cli.session import Session, pass_session

if TYPE_CHECKING:
    from turnfold.contract.results import Status

WORKER_ANSWER_SECONDS = 1.0
"""How long to wait for workers to answer a ping."""


@click.command(short_help="Show progress, queues and workers.")
@click.argument("conversation", required=False)
@click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="First wait until the conversation is folded.",
)
@json_option
@pass_session
def status(session: Session, conversation: str | None, wait_seconds: float | None, as_json: bool) -> None:
    """Show the progress of the work on CONVERSATION; without it, the inboxes, jobs and workers.

    \b
    Examples:
      turnfold status
      turnfold status chat --wait 30
    """
    if conversation is None:
        if wait_seconds is not None:
            raise click.UsageError("--wait needs a conversation")
        _show_totals(session, as_json=as_json)
        return
    if wait_seconds is None:
        current = session.turnfold.status(conversation)
    else:
        with told_when_slow(
            lambda: f"waiting up to {wait_seconds:g} s for workers to fold conversation {conversation!r}",
            stopped="stopped waiting; workers continue in the background",
        ):
            current = session.turnfold.wait(conversation, timeout_seconds=wait_seconds)
    if not current.inbox and not current.stored:
        raise session.nothing_appended(conversation)
    if as_json:
        print_json({**plain(current), "settled": current.settled})
    else:
        _show(current)


def _show(current: Status) -> None:
    counted = {
        "#inbox": current.inbox,
        "#stored": current.stored,
        "#folded": current.folded,
        "#in segments": current.closed,
        "#refined": current.refined,
        "#segments": current.segments,
        "#anchors": current.anchors,
        "#parked": current.parked,
    }
    rows = table("conversation", *counted, "lag")
    rows.add_row(words(current.conversation_id), *map(str, counted.values()), f"{current.lag_seconds:.1f} s")
    console().print(rows)
    console().print(
        "settled" if current.settled else "work is in progress", style="green" if current.settled else "yellow"
    )


def _show_totals(session: Session, *, as_json: bool) -> None:
    from turnfold_worker.operate.row_counts import waiting_totals
    from turnfold_worker.operate.tenant_totals import stored_totals

    waiting = waiting_totals(session.redis)
    stored = stored_totals(session.engine, session.settings.tenant)
    target = session.redis.layout(fresh=True).target
    workers = answering_workers(session.settings.effective_broker_url)
    if as_json:
        print_json(
            {
                "inbox": waiting,
                "stored": stored,
                "workers": workers,
                "reshard": target and {"shards": target.shards, "servers": target.servers},
            }
        )
        return
    out = console()
    least = "" if stored.complete else "at least "
    out.print(
        f"stored ({session.settings.tenant}): {least}{stored.conversations} conversations, {stored.turns} turns, "
        f"{stored.segments} segments, {stored.chapters} chapters, {stored.anchors} active anchors",
        markup=False,
    )
    if (line := expansions_line(stored.looked_up)) is not None:
        out.print(line, markup=False)
    if waiting:
        rows = table("#shard", "#conversations", "#entries", "oldest", "#to erase", title="inbox")
        for totals in waiting:
            rows.add_row(
                str(totals.shard), str(totals.conversations), str(totals.entries), f"{totals.oldest_seconds:.1f} s",
                str(totals.forgotten),
            )  # fmt: skip
        out.print(rows)
    else:
        out.print("inbox: empty")
    if target is not None:
        out.print(f"reshard: to {target.shards} shards on {target.servers} servers, in progress")
    jobs = [f"{number} {kind} {state}" for kind, states in stored.jobs.items() for state, number in states.items()]
    out.print(f"jobs: {', '.join(jobs) or 'none'}; parked entries: {stored.parked_entries}")
    out.print(f"workers: {', '.join(workers) or 'no reply: start `turnfold up`'}", markup=False)


def answering_workers(broker_url: str) -> list[str]:
    """Return the names of the workers that answer within a second; empty also when the broker is away or refuses."""
    from celery import Celery
    from kombu.exceptions import OperationalError
    from redis import RedisError

    app = Celery("turnfold-status", broker=broker_url, set_as_current=False)
    app.conf.broker_transport_options = {"socket_connect_timeout": 1, "socket_timeout": 5, "max_retries": 1}
    try:
        answers: list[dict[str, Any]] = app.control.ping(timeout=WORKER_ANSWER_SECONDS)
    except (OperationalError, RedisError):
        return []
    finally:
        app.close()
    return sorted(name for answer in answers for name in answer)
