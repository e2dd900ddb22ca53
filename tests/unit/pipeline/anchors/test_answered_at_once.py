"""A question that its own segment answers names the answering turn, and is shown with the answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from support.settled_talk import merged
from support.wild_turns import said
from turnfold.contract.records import Anchor, AnchorState, AnchorType, Role
from turnfold_worker.cli.why_words import newest_closed, why_closed
from turnfold_worker.offline import FoldedConversation, fold
from turnfold_worker.pipeline.anchors.statements.question_split import asks_of_another

_FIRST: Final = datetime(2026, 5, 1, 9, tzinfo=UTC)
_QUESTION: Final = "Did the migration on staging finish?"
_ANSWER: Final = "Yes, it finished at noon."
_OTHER_MATTERS: Final = [
    f"{who}: {weather}, {mood}."
    for weather in ("Grey again", "Still drizzling", "Windy outside", "Sunny spells", "Misty hills", "Mild evening")
    for mood in ("how nice", "oh well", "poor sheep", "lovely", "what a view")
    for who in ("Ana", "Omar")
]


def talk(*lines: str, days: int = 0) -> FoldedConversation:
    """Fold a talk of 'Name: words' lines, which are a minute apart or the given number of days."""
    apart = timedelta(days=days) or timedelta(minutes=1)
    turns = (line.partition(": ") for line in lines)
    return fold(
        {"role": "user", "name": name, "content": words, "created_at": (_FIRST + at * apart).isoformat()}
        for at, (name, _, words) in enumerate(turns)
    )


def question_and_answer(conversation: FoldedConversation) -> tuple[Anchor, Anchor]:
    anchors = {anchor.id: anchor for anchor in conversation.anchors(states=None)}
    question = next(anchor for anchor in anchors.values() if anchor.type is AnchorType.UNRESOLVED_QUESTION)
    assert question.state is AnchorState.RESOLVED
    assert question.related is not None
    return question, anchors[question.related]


@pytest.fixture(params=["open", "closed"])
def answered(request: pytest.FixtureRequest) -> Iterator[FoldedConversation]:
    """A talk whose question and answer lie in the open tail, or in a closed segment."""
    more = _OTHER_MATTERS if request.param == "closed" else ()
    with talk(f"Ana: {_QUESTION}", f"Omar: {_ANSWER}", *more) as conversation:
        assert bool(conversation.segments) is (request.param == "closed")
        yield conversation


def test_the_turn_that_answers_is_named(answered: FoldedConversation) -> None:
    question, answer = question_and_answer(answered)

    assert (answer.turn_seq, answer.text) == (2, _ANSWER)
    assert question.valid_to == _FIRST.date()
    assert why_closed(question, {answer.id: answer}) == f'resolved by turn 2 on 1 May 2026: "{_ANSWER}"'


def test_the_answer_goes_on_to_hold_as_a_note() -> None:
    with talk(f"Ana: {_QUESTION}", f"Omar: {_ANSWER}", *_OTHER_MATTERS) as conversation:
        notes = {note.text.removeprefix(f"({_QUESTION}) "): note.state for note in conversation.notes(states=None)}

    assert notes[_QUESTION] is AnchorState.RESOLVED
    assert notes["It finished at noon"] is AnchorState.ACTIVE


def test_the_answer_is_not_listed_among_what_no_longer_holds(answered: FoldedConversation) -> None:
    question, answer = question_and_answer(answered)

    assert newest_closed([question, answer], {}, most=5) == [question]


def test_a_context_shows_the_question_beside_its_answer() -> None:
    with talk(f"Ana: {_QUESTION}", f"Omar: {_ANSWER}", *_OTHER_MATTERS) as conversation:
        text = conversation.context(budget_tokens=600, query="staging migration").text

    assert _QUESTION in text
    assert "finished at noon" in text


def test_before_the_day_of_the_answer_the_question_is_open() -> None:
    with talk(
        f"Ana: {_QUESTION}", "Omar: Let me look.", f"Omar: {_ANSWER} The migration on staging, that is.", days=1
    ) as (conversation):
        anchors = conversation.anchors(as_of=_FIRST)

    assert [anchor.text for anchor in anchors if anchor.type is AnchorType.UNRESOLVED_QUESTION] == [_QUESTION]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("Good question. The migration on staging finished at noon.", "The migration on staging finished at noon."),
        ("Thanks for asking! The one on staging finished.", "The one on staging finished."),
        ("No.", "No."),
    ],
)
def test_of_a_reply_the_sentence_that_answers_is_named(reply: str, words: str) -> None:
    with talk(f"Ana: {_QUESTION}", f"Omar: {reply}") as conversation:
        assert question_and_answer(conversation)[1].text == words


@pytest.mark.parametrize(
    "reply",
    [
        "One second.",
        "Let me look at the logs first.",
        "Good question. I'd have to ask.",
        "The migration on production finished.",
    ],
)
def test_what_puts_off_or_tells_of_another_thing_answers_nothing(reply: str) -> None:
    with talk(f"Ana: {_QUESTION}", f"Omar: {reply}") as conversation:
        questions = conversation.anchors(types={AnchorType.UNRESOLVED_QUESTION})

    assert [question.text for question in questions] == [_QUESTION]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("When is the freeze?", "The release is on 12 June."),
        ("Where are the keys?", "The badges are in the drawer."),
        ("How many licences do we have?", "Licences cost 40 euros each."),
        ("Is the lock on the shed broken?", "The lock on the garage is broken."),
    ],
)
def test_a_reply_of_another_thing_is_told(question: str, reply: str) -> None:
    assert asks_of_another(question, reply)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("When is the freeze?", "The freeze is on 12 June."),
        ("When is the freeze?", "On 12 June."),
        ("Where are the keys?", "The drawer."),
        ("How much are the licences?", "They cost 40 euros each."),
        ("How many licences do we have?", "The team has 40."),
        ("Is the lock on the shed broken?", "The lock on it is broken, so is the shed."),
    ],
)
def test_a_reply_of_the_thing_itself_is_told(question: str, reply: str) -> None:
    assert not asks_of_another(question, reply)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("When does the ferry leave?", "Let me look."),
        ("When does the ferry leave?", "I can't find that in our chat."),
        ("Which caterer did we choose?", "I don't see a caterer anywhere."),
        ("Which caterer did we choose?", "I have nothing about a caterer."),
        ("Which caterer did we choose?", "Sorry, I don't have any information about that."),
        ("How many crates do we need?", "You haven't mentioned a number so far."),
        ("How many crates do we need?", "You never told me."),
        ("Are dogs allowed on the ferry?", "That depends."),
        ("Are dogs allowed on the ferry?", "It's hard to say."),
    ],
)
def test_a_reply_that_knows_nothing_leaves_a_question_open(question: str, reply: str) -> None:
    found = merged([said(question, seq=1), said(reply, seq=2, role=Role.ASSISTANT)]).new
    assert [one.state for one in found if one.turn_seq == 1] == [AnchorState.ACTIVE]


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("When does the ferry leave?", "I see it leaves at 9:15."),
        ("Which allergies are in the group?", "I don't have allergies."),
        ("Which caterer did we choose?", "You mentioned Holm."),
        ("Are dogs allowed on the ferry?", "It depends on the size: up to 30 kg they are."),
        ("How should the sauce look?", "Let it look like cream."),
        ("Are dogs allowed on the ferry?", "I have nothing against dogs, so yes."),
        ("Are dogs allowed on the ferry?", "I don't see any reason against it, they even get water."),
        ("Which caterer did we choose?", "You never mentioned one by name, but the invoice is from Holm."),
        ("When does the ferry leave?", "I don't remember exactly, but the last one leaves at 21:40."),
    ],
)
def test_a_reply_that_tells_something_answers_a_question(question: str, reply: str) -> None:
    found = merged([said(question, seq=1), said(reply, seq=2, role=Role.ASSISTANT)]).new
    assert [one.state for one in found if one.turn_seq == 1] == [AnchorState.RESOLVED]
