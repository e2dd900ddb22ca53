"""`turnfold reshard`: change the number of shards, or the Redis servers, while clients and workers run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from turnfold_worker.cli.output import json_option, progress, say
from turnfold_worker.cli.session import Session, pass_session

if TYPE_CHECKING:
    from turnfold_worker.operate.reshard import ReshardPlan


@click.command(short_help="Change the number of inbox shards or servers.")
@click.argument("shards", required=False, type=click.IntRange(min=1), metavar="[SHARDS]")
@click.option(
    "--servers", "on_servers", type=click.IntRange(min=1),
    help="Use the first N servers of TURNFOLD_REDIS_URL; default: all of them.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
@click.option(
    "--timeout", "most_seconds", type=click.FloatRange(min=0), metavar="SECONDS",
    help="How long to wait for workers to empty the old shards; default: no limit.",
)  # fmt: skip
@json_option
@pass_session
def reshard(
    session: Session, shards: int | None, on_servers: int | None, dry_run: bool, most_seconds: float | None,
    *, as_json: bool,
) -> None:  # fmt: skip
    """Lay the inboxes out in SHARDS shards while clients and workers run: nothing is lost, duplicated or reordered.

    Without SHARDS their number stays. First, upgrade every client and worker to this version and give them the new list
    of servers. A command that was stopped or killed can be run again to continue. Contexts cached by reference are
    dropped.

    \b
    Examples:
      turnfold reshard 1024 --dry-run
      turnfold reshard 1024
      TURNFOLD_REDIS_URL=redis://redis-1/0,redis://redis-2/0 turnfold reshard
    """
    from turnfold_worker.operate import reshard as operation

    plan = operation.planned(session.engine, session.redis, shards=shards, on_servers=on_servers)
    if plan is None:
        say(as_json, {"done": True, "plan": None}, "nothing to do: the inboxes already have this layout")
        return
    if dry_run:
        say(as_json, {"done": False, "plan": _fields(plan)}, f"would reshard {_words(plan)}")
        return
    with progress(hidden=as_json) as bar:
        task = bar.add_task("emptying old shards", total=plan.conversations or None)
        most = plan.conversations
        for left in operation.reshard(
            plan, engine=session.write_engine, servers=session.redis, publisher=session.publisher,
            most_seconds=most_seconds,
        ):  # fmt: skip
            most = max(most, left)
            bar.update(task, total=most, completed=most - left)
    say(as_json, {"done": True, "plan": _fields(plan)}, f"done: {_words(plan)}")


def _words(plan: ReshardPlan) -> str:
    layout, target = plan.layout, plan.target
    begun = " (already started)" if plan.resumes else ""
    return (
        f"from {layout.shards} shards (servers: {layout.servers}) to {target.shards} (servers: {target.servers})"
        f"{begun}; {plan.conversations} conversations with {plan.entries} entries in the old shards"
    )


def _fields(plan: ReshardPlan) -> dict[str, object]:
    sizes = {name: {"shards": of.shards, "servers": of.servers} for name, of in (
        ("from", plan.layout), ("to", plan.target),
    )}  # fmt: skip
    counts = {"conversations": plan.conversations, "entries": plan.entries}
    return {**sizes, "resumes": plan.resumes, **counts}
