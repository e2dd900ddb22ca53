"""`turnfold forget`: erase a conversation."""

from __future__ import annotations

import click

from turnfold_worker.cli.output import json_option, print_json
from turnfold_worker.cli.session import Session, pass_session


@click.command(short_help="Erase a conversation for good.")
@click.argument("conversation")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_session
def forget(session: Session, conversation: str, yes: bool, as_json: bool) -> None:
    """Erase CONVERSATION from Redis and the database. There is no way back.

    \b
    Example:
      turnfold forget chat --yes
    """
    if not yes:
        question = f"Erase conversation {conversation!r} of tenant {session.settings.tenant!r} for good?"
        click.confirm(question, abort=True, err=True)
    receipt = session.turnfold.forget(conversation)
    if as_json:
        print_json(receipt)
    elif receipt.completed:
        click.echo(
            f"erased {receipt.turns} stored turns, {receipt.segments} segments, {receipt.anchors} anchors and "
            f"{receipt.inbox_turns} turns that were not stored yet"
        )
    else:
        click.echo("nothing of it is readable any more; a worker will delete its rows when one runs")
