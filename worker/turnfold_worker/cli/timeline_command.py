"""`turnfold timeline`: list the events and topics of a conversation in order."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

import click

from turnfold.contract.records import AnchorState
from turnfold_worker.cli.output import console, json_option, print_json, table, words
from turnfold_worker.cli.reading import LONGEST_ANCHOR, now_option
from turnfold_worker.cli.session import Session, pass_session

if TYPE_CHECKING:
    from datetime import datetime

_OVER: Final = {AnchorState.SUPERSEDED: " (no longer holds)", AnchorState.RESOLVED: " (done)"}


@click.command(short_help="List first mentions in order.")
@click.argument("conversation")
@click.option("--query", help="Only first mentions that match these words.")
@click.option(
    "--after", type=click.IntRange(0), metavar="TURN", help="Start after this turn, for paging; 0: from the first."
)
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Maximum number of entries.")
@now_option
@json_option
@pass_session
def timeline(
    session: Session, conversation: str, query: str | None, after: int | None, limit: int, now: datetime | None,
    as_json: bool,
) -> None:  # fmt: skip
    """List what came up in CONVERSATION in the order of the turns: when it was said, and when it happened or will.

    With --query, the first mentions of its subject; without it, what is most informative about the conversation.

    \b
    Examples:
      turnfold timeline chat
      turnfold timeline chat --query rent
      turnfold timeline chat --after 0 --limit 100
      turnfold timeline chat --query "what did we sell last month" --now 2026-05-14
    """
    entries = session.turnfold.timeline(conversation, query, after=after, limit=limit, now=now)
    if as_json:
        print_json(entries)
        return
    if not entries:
        behind = f" after turn {after}" if after else ""
        click.echo(f"no matching mentions{behind}; turns that are not folded yet are not listed", err=True)
        return
    rows = table("#turn", "turn id", "said on", "speaker", "text", "when it happened", "expand with")
    for entry in entries:
        over = _OVER.get(entry.state, "")
        meant = f"{entry.day_meant}{' (plan)' if entry.is_plan else ''}" if entry.day_meant else ""
        rows.add_row(
            str(entry.turn_seq), words(entry.turn_id), entry.day, words(entry.speaker),
            words(entry.text, most=LONGEST_ANCHOR) + over, meant, entry.marker,
        )  # fmt: skip
    console().print(rows)
    if after is not None and len(entries) == limit:
        click.echo(f"more: turnfold timeline {shlex.quote(conversation)} --after {entries[-1].turn_seq}", err=True)
