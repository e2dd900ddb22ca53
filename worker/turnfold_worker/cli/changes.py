"""`turnfold edit`, `delete` and `rewind`: change the turns of a conversation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Final

import click

from turnfold.errors import UnknownTurn, WaitTimeout
from turnfold_worker.cli.account_commands import ONCE_A_WORKER_RUNS
from turnfold_worker.cli.failures import FAILED
from turnfold_worker.cli.output import ask, json_option, print_json, told_when_slow, yes_option
from turnfold_worker.cli.session import Session, pass_session

WAIT_SECONDS: Final = 30.0
_MARKER: Final = "L0:turn-"
_SHOWN: Final = f"reads already show it; it will be stored {ONCE_A_WORKER_RUNS}"


@click.command(short_help="Replace the content of a turn.")
@click.argument("conversation")
@click.argument("turn")
@click.argument("content")
@json_option
@pass_session
def edit(session: Session, conversation: str, turn: str, content: str, as_json: bool) -> None:
    """Replace the text of TURN of CONVERSATION with CONTENT, or with standard input if that is `-`.

    TURN is the turn's id, or its marker such as L0:turn-17. Its role, time and tool calls stay. Reads show the new text
    at once; its segment and the chapters above it are folded again.

    \b
    Examples:
      turnfold edit chat m-17 "We must use PostgreSQL 16."
      turnfold edit chat L0:turn-17 - < corrected.txt
    """
    words = _standard_input() if content == "-" else content
    turn_id = _turn_id(session, conversation, turn)
    change = partial(session.turnfold.edit, conversation, turn_id, content=words)
    _carry_out(session, conversation, turn_id, change, as_json=as_json)


@click.command(short_help="Permanently delete the content of a turn.")
@click.argument("conversation")
@click.argument("turn")
@yes_option
@json_option
@pass_session
def delete(session: Session, conversation: str, turn: str, yes: bool, as_json: bool) -> None:
    """Remove the content of TURN of CONVERSATION, and everything derived from it, for good. Only its number stays.

    TURN is the turn's id, or its marker such as L0:turn-17. This cannot be undone.

    \b
    Examples:
      turnfold delete chat m-17
      turnfold delete chat L0:turn-17 --yes
    """
    turn_id = _turn_id(session, conversation, turn)
    ask(f"Permanently delete the content of turn {turn_id!r} of conversation {conversation!r}?", yes=yes)
    change = partial(session.turnfold.delete, conversation, turn_id)
    _carry_out(session, conversation, turn_id, change, as_json=as_json)


@click.command(short_help="Permanently delete all turns after a turn.")
@click.argument("conversation")
@click.argument("turn")
@yes_option
@json_option
@pass_session
def rewind(session: Session, conversation: str, turn: str, yes: bool, as_json: bool) -> None:
    """Cut off every turn of CONVERSATION after TURN, for good: the conversation continues from there.

    TURN is the last turn to keep: its id, or its marker such as L0:turn-15.

    \b
    Examples:
      turnfold rewind chat m-15
      turnfold rewind chat L0:turn-15 --yes
    """
    turn_id = _turn_id(session, conversation, turn)
    ask(f"Permanently delete all turns of conversation {conversation!r} after {turn_id!r}?", yes=yes)
    change = partial(session.turnfold.rewind, conversation, after=turn_id)
    _carry_out(session, conversation, turn_id, change, as_json=as_json)


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"standard input is not UTF-8 text (byte {error.start}): save it as UTF-8"
        raise click.UsageError(msg) from error


def _turn_id(session: Session, conversation: str, turn: str) -> str:
    """Return the id of a turn that is given by its id or by a marker with its number."""
    if not turn.startswith(_MARKER):
        return turn
    turns = session.turnfold.expand(conversation, turn, max_tokens=1).turns
    if not turns:
        raise UnknownTurn(f"turn {turn!r} is not stored yet", remedy="try again in a moment")
    return turns[0].turn_id


def _carry_out(session: Session, conversation: str, turn_id: str, change: Callable[[], None], *, as_json: bool) -> None:
    """Request a change, wait until a worker has made it, and report the outcome."""
    parked = session.turnfold.status(conversation).parked
    change()
    try:
        with told_when_slow(
            lambda: f"waiting up to {WAIT_SECONDS:g} s for a worker to store it",
            stopped=f"stopped waiting; {_SHOWN}",
        ):
            status, waited = session.turnfold.wait(conversation, timeout_seconds=WAIT_SECONDS), True
    except WaitTimeout as error:
        status, waited = error.status, False
    refused = status.parked > parked
    if as_json:
        completed = waited and not refused
        carried_out = {
            "conversation_id": conversation,
            "turn_id": turn_id,
            "completed": completed,
            "turns": status.stored,
        }
        print_json(carried_out)
    elif refused:
        click.echo("a worker failed to apply this: `turnfold jobs list` shows why", err=True)
    elif waited:
        click.echo(f"done: the conversation has {status.stored} turns, all folded")
    else:
        click.echo(_SHOWN)
    if refused:
        raise click.exceptions.Exit(FAILED)
