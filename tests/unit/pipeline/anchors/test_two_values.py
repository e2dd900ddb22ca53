"""Two values of one thing in one turn are kept as a contradiction, unless the turn tells which one holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.assemble.forms.render_text import anchor_opening
from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold_worker.offline import FoldedConversation, fold

_FIRST: Final = datetime(2026, 5, 1, 9, tzinfo=UTC)
FILLER: Final = (
    "The caterer sent three menus and the second one looked fine to everybody.",
    "Somebody left the projector running over the weekend again.",
    "I walked past the old mill and the door was open.",
    "Do you remember which box the cables went into?",
)

CONTRADICTIONS: Final = (
    "The budget for the offsite is 2,000 euros. The budget for the offsite is 3,500 euros.",
    "The budget is 2,000. The venue is near the lake. The budget is 3,500.",
    "The meeting is on Tuesday. The meeting is on Thursday.",
    "The deadline is 3 May. Please book the hall. The deadline is 17 May.",
    "We use Kafka for the event bus. We use RabbitMQ for the event bus.",
    "The wifi password is tulip-12. The wifi password is daisy-34.",
    "Dana is responsible for payroll. Omar is responsible for payroll.",
    "I live in Boise. I live in Denver.",
    "The rent is 860 euros. The heating is included. The rent is 940 euros.",
    "The gateway listens on port 8080. The gateway listens on port 9090.",
)
CORRECTED: Final = (
    "The budget is 2,400 euros. Actually, the budget is 3,500 euros.",
    "The budget for the offsite is 2,400 euros. No, the budget for the offsite is 3,500 euros.",
    "The meeting is on Tuesday. Sorry, I meant the meeting is on Thursday.",
)
NEAR_MISSES: Final = (
    "The travel budget is 2,000 euros. The marketing budget is 3,500 euros.",
    "The budget for the offsite is 2,000 euros. The budget for the party is 3,500 euros.",
    "Ana's budget is 2,000 euros. Ben's budget is 3,500 euros.",
    "My budget is 2,000 euros. Her budget is 3,500 euros.",
    "I'm 44 years old. My sister is 38 years old.",
    "The budget is between 2,000 and 3,500 euros.",
    "The budget is either 2,000 or 3,500 euros.",
    "The budget is 2,000 euros. Or the budget is 3,500 euros, whatever you prefer.",
    "Option A: the price is 20 euros. Option B: the price is 30 euros.",
    "With option A the price is 20 euros. With option B the price is 30 euros.",
    "The guests come at 6, 7 and 8. The seats are 40, 50 and 60.",
    'The memo says "the budget is 2,000 euros". The budget is 3,500 euros.',
    "If it rains the budget is 2,000 euros. The budget is 3,500 euros.",
    "The budget was 2,000 euros. The budget is 3,500 euros.",
    "In May the rent is 800 euros. In June the rent is 900 euros.",
    "In staging, the port is 8080. In production, the port is 5432.",
    "The gateway listens on port 8080. The gateway also listens on port 9090.",
    "The train to Oslo leaves at 9:40. The train to Bergen leaves at 10:15.",
    "The flight departs at 9:40. The flight lands at 12:10.",
    "Room 12 holds 30 people. Room 14 holds 20 people.",
    "I live in Boise. My parents live in Denver.",
    "Dana is responsible for payroll. Omar is responsible for hiring.",
    "We use Kafka for the event bus. We use RabbitMQ for the job queue.",
    "Is the budget 2,000 euros? The budget is 3,500 euros.",
    "The old wifi password is tulip-12. The new wifi password is daisy-34.",
    "The budget is 2,000 euros. The budget is 2,000 euros.",
    "The report is due on 3 May. The review of the report is due on 17 May.",
)


def folded(*said: str) -> FoldedConversation:
    return fold(
        {"role": "user", "content": text, "created_at": (_FIRST + timedelta(days=day)).isoformat()}
        for day, text in enumerate(said)
    )


def states_of(conversation: FoldedConversation) -> list[AnchorState]:
    return [anchor.state for anchor in conversation.anchors(states=None)]


def pairs_of(conversation: FoldedConversation) -> list[tuple[str, str]]:
    """Return the pairs of active anchors of one turn whose first names the second."""
    anchors = {anchor.id: anchor for anchor in conversation.anchors()}
    return [
        (one.text, other.text)
        for one in anchors.values()
        if (other := anchors.get(one.replaces or 0)) and other.turn_seq == one.turn_seq and other.id > one.id
    ]


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_two_values_of_one_thing_in_one_turn_both_stand_and_name_each_other(text: str) -> None:
    with folded(text, "Noted.") as conversation:
        assert AnchorState.SUPERSEDED not in states_of(conversation)
        ((first, second),) = pairs_of(conversation)
        assert first != second
        assert text.index(first) < text.index(second)


@pytest.mark.parametrize("text", CORRECTED)
def test_a_correction_within_a_turn_still_closes_the_first_value(text: str) -> None:
    with folded(text, "Noted.") as conversation:
        first, *_ = conversation.anchors(states=None)
        assert first.state is AnchorState.SUPERSEDED
        assert pairs_of(conversation) == []


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_two_things_alternatives_and_what_is_quoted_or_over_contradict_nothing(text: str) -> None:
    with folded(text, "Noted.") as conversation:
        assert states_of(conversation)
        assert pairs_of(conversation) == []
        assert AnchorState.SUPERSEDED not in states_of(conversation)


SET_RIGHT: Final = (
    ("The budget for the offsite is 2,000 euros. No, 3,500.", "what is the budget for the offsite?"),
    ("We meet on Tuesday at the mill. Sorry, Thursday.", "when do we meet at the mill?"),
    ("Our landlord is Mr Baker. I mean Mr Becker.", "who is our landlord?"),
    ("The code of the gate is 4411. Oops, 4417.", "what is the code of the gate?"),
    ("Let's take the 9:40 train to Oslo. Actually the 10:15 one.", "which train to Oslo do we take?"),
    ("The rent is 860 euros. Correction: 940 euros.", "what is the rent?"),
)


@pytest.mark.parametrize(("text", "query"), SET_RIGHT)
def test_few_words_that_set_a_value_right_stand_with_it_in_one_note(text: str, query: str) -> None:
    with folded(text, "Noted.", *FILLER * 10) as conversation:
        notes = [note.text for note in conversation.notes() if note.turn_seq == 1]
        assert notes == [text.rstrip(".")]
        assert [anchor.text for anchor in conversation.anchors() if anchor.turn_seq == 1] == [text]
        assert text.rstrip(".") in conversation.context(budget_tokens=350, query=query).text


@pytest.mark.parametrize(
    "text",
    [
        "Is the budget 2,000 euros? No, 3,500.",
        "The budget is 2,000 euros. No problem with that.",
        "We asked Okralink. Decision: Fennpay, not Okralink.",
        "The room holds 40 people. Actually it is booked by Ana on Friday for her party.",
        "The budget is 2,000 euros. The venue costs 900.",
    ],
)
def test_what_sets_no_value_right_stands_in_a_note_of_its_own(text: str) -> None:
    with folded(text, "Noted.", *FILLER * 10) as conversation:
        assert text.rstrip(".") not in [note.text for note in conversation.notes(states=None, min_importance=0)]


def test_what_is_said_later_closes_a_value_with_what_set_it_right() -> None:
    first, later = SET_RIGHT[0][0], "The budget for the offsite is 4,000 euros."
    with folded(first, "Thanks, that helps.", later, "Noted.", *FILLER * 5) as conversation:
        states = {anchor.text: anchor.state for anchor in conversation.anchors(states=None)}
        assert states[first] is AnchorState.SUPERSEDED
        assert states[later] is AnchorState.ACTIVE


def test_a_context_shows_both_values_and_that_one_turn_said_them() -> None:
    with folded(CONTRADICTIONS[0], *FILLER * 10) as conversation:
        text = conversation.context(budget_tokens=500).text
    assert "budget for offsite is 2,000 euros (or 3,500, both said in turn 1)" in text


def test_each_of_three_values_of_a_turn_is_shown_with_the_other_two() -> None:
    three = " ".join(f"The budget for the offsite is {value} euros." for value in ("2,400", "3,500", "4,100"))
    with folded(three, *FILLER * 10) as conversation:
        text = conversation.context(budget_tokens=600).text
    assert "2,400 euros (or 3,500 or 4,100, all said in turn 1)" in text
    assert "4,100 euros (or 2,400 or 3,500, all said in turn 1)" in text


def test_the_open_tail_shows_both_values_too() -> None:
    with folded(*FILLER * 10, CONTRADICTIONS[2], *FILLER) as conversation:
        text = conversation.context(budget_tokens=2_000).text
        notes = [note.text for note in conversation.notes()]
    assert "The meeting is on Tuesday. The meeting is on Thursday." in text
    assert {"The meeting is on Tuesday", "The meeting is on Thursday"} <= set(notes)


@pytest.mark.parametrize(
    ("later", "gone"),
    [
        ("The budget for the offsite is 4,000 euros.", {"2,000", "3,500"}),
        ("The budget for the offsite is 2,000 euros.", {"3,500"}),
        ("The budget for the offsite is 3,500 euros.", {"2,000"}),
    ],
)
def test_what_is_said_later_settles_a_contradiction(later: str, gone: set[str]) -> None:
    with folded(CONTRADICTIONS[0], "Thanks, that helps.", later, "Noted.") as conversation:
        anchors = conversation.anchors(states=None)
        over = [one.text for one in anchors if one.state is AnchorState.SUPERSEDED]
        assert {value for value in ("2,000", "3,500") if any(value in text for text in over)} == gone
        assert [one.text for one in anchors if one.state is AnchorState.ACTIVE] == [later]
        assert pairs_of(conversation) == []


def test_an_anchor_names_the_value_that_its_own_turn_gives_beside_it() -> None:
    first = Anchor(
        id=1, type=AnchorType.CRITICAL_FACT, text="The budget is 2,000 euros.", turn_seq=7, start=0, end=26,
        replaces=2, replaced="The budget is 3,500 euros.", replaced_seq=7, speaker="Ana",
    )  # fmt: skip
    assert anchor_opening(first) == '[critical fact 7, contradicts turn 7 "The budget is 3,500 euros."] Ana: '


THINGS: Final = ("greenhouse rent", "harbour deposit", "orchestra budget", "lighthouse invoice", "vineyard insurance")


@given(st.sampled_from(THINGS), st.lists(st.integers(110, 990), min_size=2, max_size=4, unique=True), st.booleans())
@examples(20)
def test_no_value_of_a_turn_is_closed_by_another_of_it(thing: str, values: list[int], is_apart: bool) -> None:
    said = [f"The {thing} is {value} euros a month." for value in values]
    with folded((f" {FILLER[0]} " if is_apart else " ").join(said), "Noted.") as conversation:
        active = {anchor.text for anchor in conversation.anchors()}
        assert set(said) <= active
        assert len(pairs_of(conversation)) == len(values) - 1


def test_a_word_that_both_statements_say_tells_nothing_of_which_one_holds() -> None:
    said = "The rent for the new office is 860 euros. The rent for the new office is 940 euros."
    with fold([{"role": "user", "content": said}], conversation_id="c") as conversation:
        assert {anchor.state for anchor in conversation.anchors()} == {"active"}
