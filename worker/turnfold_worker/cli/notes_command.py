"""`turnfold notes` and `relations`: the content of a conversation as notes and as structured facts."""

from __future__ import annotations

from functools import partial

import click

from turnfold.read.relations import MOST_RELATIONS
from turnfold_worker.cli.output import console, json_option, print_json, table, words
from turnfold_worker.cli.reading import (
    LONGEST_ANCHOR,
    STATE_STYLES,
    STATES,
    origin_option,
    speaker_option,
    turn_range,
)
from turnfold_worker.cli.session import Session, pass_session

USUAL_LIMIT = 1_000


@click.command(short_help="List the notes of a conversation.")
@click.argument("conversation")
@click.option(
    "--state",
    "states",
    type=click.Choice(STATES),
    multiple=True,
    default=["active"],
    show_default=True,
    help="Only these states: a replaced value is superseded, an answered question resolved.",
)
@origin_option
@speaker_option
@click.option(
    "--min-importance",
    type=click.IntRange(0, 100),
    default=1,
    show_default=True,
    help="Minimum importance; 0 lists all.",
)
@click.option("--first-turn", type=click.IntRange(1), default=1, show_default=True, help="Start at this turn.")
@click.option("--last-turn", type=click.IntRange(1), help="Stop after this turn.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=USUAL_LIMIT,
    show_default=True,
    help="Maximum number of notes, in whole turns.",
)
@json_option
@pass_session
def notes(
    session: Session,
    conversation: str,
    states: tuple[str, ...],
    origins: tuple[str, ...],
    speakers: tuple[str, ...],
    min_importance: int,
    first_turn: int,
    last_turn: int | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the notes of CONVERSATION: the statements that contexts are made of, in the order of the turns.

    Workers write them by rules when a segment closes; a model's better ones replace them. Each has an importance from 0
    to 100 (from 50 on it is an anchor, or marked), a state, and a marker for `turnfold expand`. --json has all fields:
    the ids of its turns, the day that it refers to, its origin, and the factors of its importance.

    \b
    Examples:
      turnfold notes chat
      turnfold notes chat --min-importance 50            what matters most
      turnfold notes chat --state superseded             what no longer holds
      turnfold notes chat --first-turn 501 --limit 200   a page; prints where the next one begins
    """
    read = partial(
        session.turnfold.notes, conversation, states=None if "all" in states else states, origins=origins or None,
        speakers=speakers or None, min_importance=min_importance, last_turn=last_turn,
    )  # fmt: skip
    records = read(first_turn=first_turn, limit=limit)
    if records and read(first_turn=(after := records[-1].turn_seq + 1), limit=1):
        click.echo(f"there are more: continue with --first-turn {after}", err=True)
    if as_json:
        print_json(records)
        return
    if not records:
        click.echo("no matching notes; turns outside closed segments have none yet", err=True)
        return
    rows = table("#turn", "day", "speaker", "#importance", "state", "by", "text", "expand with")
    for note in records:
        rows.add_row(
            str(note.turn_seq), note.day, words(note.speaker), str(note.importance),
            words(note.state, STATE_STYLES[note.state]), note.written_by, words(note.text, most=LONGEST_ANCHOR),
            note.marker,
        )  # fmt: skip
    console().print(rows)


@click.command(short_help="List structured facts: who is, has or did what.")
@click.argument("conversation")
@click.option("--about", help="Only notes with these words or about the names in them.")
@click.option(
    "--limit", type=click.IntRange(1), default=MOST_RELATIONS, show_default=True, help="Maximum number of relations."
)
@json_option
@pass_session
def relations(session: Session, conversation: str, about: str | None, limit: int, as_json: bool) -> None:
    """List the relations of CONVERSATION: who is, has or did what, and which key has which value.

    Workers extract them by rules when a segment closes, preferring precision to recall. A speaker without a name is
    `user`.

    \b
    Examples:
      turnfold relations chat
      turnfold relations chat --about "Ana's sister"     who she is, and what is said of her
    """
    stated = session.turnfold.relations(conversation, about=about, limit=limit)
    if as_json:
        print_json(stated)
        return
    if not stated:
        click.echo("no matching relations; turns outside closed segments have none yet", err=True)
        return
    rows = table("turns", "relation", "expand with")
    for relation in stated:
        rows.add_row(
            turn_range(relation.first_seq, relation.last_seq), words(relation.text, most=LONGEST_ANCHOR),
            words(relation.marker),
        )  # fmt: skip
    console().print(rows)
