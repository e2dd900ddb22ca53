"""`turnfold why`: explain a context: what is in it, what was left out, and why a turn is or is not in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from turnfold.contract.records import AnchorState
from turnfold_worker.cli.output import console, json_option, plain, print_json, table, words
from turnfold_worker.cli.reading import BUDGET_HELP, LONGEST_ANCHOR, POLICIES, POLICY_HELP
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.cli.why_words import CLOSED, newest_closed, why_closed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnfold import Context, Note, Statement
    from turnfold.contract.records import Anchor

_SHOWN = {
    0: "verbatim, as one of the recent turns", 1: "in detail", "notes": "in notes, as far as they fit",
    "range": "as a single line: no room for notes", "unfolded": "as a single line: it is not folded yet",
}  # fmt: skip

_MOST_GONE = 10
"""Most recently closed statements to list, at most."""


@click.command(short_help="Explain what is in a context and why.")
@click.argument("conversation")
@click.argument("turn", type=click.IntRange(1), required=False)
@click.option("--budget", "budget_tokens", type=click.IntRange(1), default=2000, show_default=True, help=BUDGET_HELP)
@click.option("--query", help="Topic of the next answer, as in `turnfold context`.")
@click.option("--policy", type=click.Choice(POLICIES), default=POLICIES[0], show_default=True, help=POLICY_HELP)
@json_option
@pass_session
def why(
    session: Session,
    conversation: str,
    turn: int | None,
    budget_tokens: int,
    query: str | None,
    policy: str,
    *,
    as_json: bool,
) -> None:
    """Show where the budget of CONVERSATION's context goes, what is in it, and what is left out at which cost.

    The statements closed last, such as a value that was replaced, are listed with the turn that closed them. With the
    number of a TURN: how that turn is shown, which of its statements are in the context, and why the others are not.

    \b
    Examples:
      turnfold why chat --budget 1000
      turnfold why chat 17                      is turn 17 in it, and why not?
      turnfold why chat 17 --query "the rent"
    """
    made = session.turnfold.context(
        conversation, budget_tokens=budget_tokens, query=query, query_vector=session.vector_of(query), policy=policy
    )
    if made.coverage is None:
        raise session.nothing_appended(conversation)
    if turn is not None:
        _tell_turn(session, conversation, made, turn, as_json=as_json)
        return
    closed = list(_closed(session, conversation))
    by_id = _closing(session, conversation, closed)
    gone = [(anchor, why_closed(anchor, by_id)) for anchor in newest_closed(closed, by_id, most=_MOST_GONE)]
    if as_json:
        print_json({
            "report": plain(made.report), "statements": [plain(statement) for statement in made.statements],
            "no_longer": [{"turn": anchor.turn_seq, "text": anchor.text, "why": reason} for anchor, reason in gone],
        })  # fmt: skip
        return
    _print_parts(made)
    _print_standing(made)
    _print_gone(gone)
    _print_left_out(made)


def _closed(session: Session, conversation: str) -> Iterator[Anchor]:
    """Yield anchors that no longer hold, page by page."""
    page = session.turnfold.anchors(conversation, states=CLOSED)
    while page:
        yield from page
        page = session.turnfold.anchors(conversation, states=CLOSED, first_turn=page[-1].turn_seq + 1)


def _closing(session: Session, conversation: str, anchors: Iterable[Anchor]) -> dict[int, Anchor]:
    """Return the anchors that closed others, by id."""
    ids = {anchor.related for anchor in anchors if anchor.related is not None}
    found = session.turnfold.anchors(conversation, states=None, ids=ids) if ids else []
    return {anchor.id: anchor for anchor in found}


def _print_parts(made: Context) -> None:
    rows = table("part", "#asked", "#got", "#used")
    for part in made.report.parts:
        if part.asked or part.used:
            rows.add_row(part.name, f"{part.asked:,}", f"{part.got:,}", f"{part.used:,}")
    console().print(rows)
    click.echo(f"{made.tokens:,} of {made.report.budget_tokens:,} tokens used")


def _print_standing(made: Context) -> None:
    if facts := _facts(made):
        rows = table("standing fact", "#turn", "speaker", "text", "before")
        for fact in facts:
            rows.add_row(
                fact.kind.replace("_", " "), str(fact.turn_seq), words(fact.speaker),
                words(fact.text, most=LONGEST_ANCHOR), words(fact.replaced or "", most=30),
            )  # fmt: skip
        console().print(rows)


def _print_gone(gone: Sequence[tuple[Anchor, str]]) -> None:
    if gone:
        rows = table("no longer holds", "#turn", "speaker", "text", "why")
        for anchor, reason in gone:
            rows.add_row(
                anchor.type.replace("_", " "), str(anchor.turn_seq), words(anchor.speaker or ""),
                words(anchor.text, most=LONGEST_ANCHOR), words(reason),
            )  # fmt: skip
        console().print(rows)


def _print_left_out(made: Context) -> None:
    rows = table("left out", "#tokens", "reach it with")
    for part in made.report.left_out:
        rows.add_row(words(part.what), f"{part.tokens:,}" if part.tokens else "", words(part.reach))
    console().print(rows)


def _tell_turn(session: Session, conversation: str, made: Context, turn: int, *, as_json: bool) -> None:
    """Explain how one turn is shown, statement by statement."""
    assert made.coverage is not None  # noqa: S101 - checked by the caller
    level = made.coverage.level_of(turn)
    notes = session.turnfold.notes(conversation, states=None, min_importance=0, first_turn=turn, last_turn=turn)
    anchors = session.turnfold.anchors(conversation, states=None, first_turn=turn, last_turn=turn)
    by_id = _closing(session, conversation, anchors)
    closed = {anchor.state: why_closed(anchor, by_id) for anchor in reversed(anchors)}
    statements = [
        *(_of_anchor(anchor, made, why_closed(anchor, by_id)) for anchor in anchors),
        *(_of_note(note, made, level, closed.get(note.state, f"it is {note.state}")) for note in notes),
    ]
    if as_json:
        print_json({"turn": turn, "shown": level, "statements": statements})
        return
    click.echo(f"turn {turn} is shown {_SHOWN[level]}")
    if not statements:
        click.echo("it has no statements yet: they are extracted when it is folded", err=True)
        return
    rows = table("kind", "#importance", "text", "in the context, and why")
    for statement in statements:
        rows.add_row(
            statement["kind"],
            str(statement["importance"]),
            words(statement["text"], most=LONGEST_ANCHOR),
            words(statement["why"]),
        )
    console().print(rows)


def _of_anchor(anchor: Anchor, made: Context, closed: str) -> dict[str, Any]:
    is_shown = any(fact.turn_seq == anchor.turn_seq and fact.text == anchor.text for fact in _facts(made))
    if is_shown:
        reason = "yes: a standing fact"
    elif closed:
        reason = f"no: {closed}"
    elif any(anchor.text in statement.text for statement in made.statements if statement.turn_seq == anchor.turn_seq):
        reason = "yes: its turn or a note says it"
    else:
        reason = "no: other facts are more important per token, or notes already say it"
    return {"kind": anchor.type.replace("_", " "), "importance": anchor.score, "text": anchor.text, "why": reason}


def _of_note(note: Note, made: Context, level: object, closed: str) -> dict[str, Any]:
    of_turn = [statement for statement in made.statements if statement.turn_seq == note.turn_seq]
    if any(statement.kind == "note" and _same(statement.text, note.text) for statement in of_turn):
        reason = "yes: a note"
    elif level == 0:
        reason = "yes: its turn is shown verbatim"
    elif any(note.text.rstrip(".!?") in statement.text for statement in of_turn):
        reason = "yes: a standing fact or an answer says it"
    elif note.state is not AnchorState.ACTIVE:
        reason = f"no: {closed}"
    elif not note.importance:
        reason = "no: it says nothing by itself"
    else:
        reason = "no: others say more per token, or already say it"
    return {"kind": "note", "importance": note.importance, "text": note.text, "why": reason}


def _same(shown_text: str, text: str) -> bool:
    """Tell whether a shown note, which may be shortened, is this one: notes of one turn rarely begin alike."""
    return (
        shown_text == text
        or text.startswith(shown_text)
        or set(shown_text.lower().split()) <= set(text.lower().split())
    )


def _facts(made: Context) -> Sequence[Statement]:
    return [statement for statement in made.statements if statement.kind not in {"note", "turn"}]
