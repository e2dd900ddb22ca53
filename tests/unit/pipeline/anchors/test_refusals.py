"""A refusal of a question that adds a wish corrects only another value of the same kind."""

from __future__ import annotations

import pytest

from support.settled_talk import merged
from support.wild_turns import talk
from turnfold.contract.records import AnchorState, AnchorType


@pytest.mark.parametrize(
    ("stated", "asked", "refused"),
    [
        ("My birthday is on 3 May.", "Do you want to rent a bike for it?", "No, I want a car for 7 May."),
        ("I fly to Porto on Friday.", "Do you need a hotel in Porto?", "No, I want a flat in Lisbon afterwards."),
        ("My sister Vera lives in Graz.", "Would you like a window seat?", "No, I'd prefer the aisle on 9 June."),
    ],
)
def test_a_refusal_with_a_wish_overtakes_nothing(stated: str, asked: str, refused: str) -> None:
    found = merged(talk(f"user: {stated}", f"assistant: {asked}", f"user: {refused}")).new
    assert found[0].state is AnchorState.ACTIVE
    kind = AnchorType.PREFERENCE if "prefer" in refused else AnchorType.CRITICAL_FACT
    assert (found[-1].text, found[-1].type) == (refused, kind)


@pytest.mark.parametrize(
    ("stated", "asked", "refused"),
    [
        ("The launch is on 3 May.", "So the launch is on 3 May?", "No, it's on 7 May."),
        ("The table is for 3 people.", "A table for 3 people, right?", "No, make it 4 people."),
        ("The launch is on 3 May.", "So the launch is on 3 May?", "No, I want it on 7 May."),
    ],
)
def test_another_value_of_what_was_asked_corrects(stated: str, asked: str, refused: str) -> None:
    found = merged(talk(f"user: {stated}", f"assistant: {asked}", f"user: {refused}")).new
    assert found[0].state is AnchorState.SUPERSEDED
    assert found[-1].type is AnchorType.CORRECTION


def test_a_refusal_of_a_statement_is_as_it_was() -> None:
    found = merged(talk("Ana: We will take the train on 3 May.", "Ben: No, I want to go on 4 May."))
    assert found.new[-1].type is AnchorType.CORRECTION


@pytest.mark.parametrize(
    ("asked", "reply", "state"),
    [
        ("Shall I book it for 8 pm?", "No, thanks, we stay home.", AnchorState.RESOLVED),
        ("Shall I book it for 8 pm?", "No thanks.", AnchorState.RESOLVED),
        ("Shall I book it for 8 pm?", "No idea.", AnchorState.ACTIVE),
        ("Shall I book it for 8 pm?", "No, make it 9 pm.", AnchorState.SUPERSEDED),
        ("Can you send the draft to Ana?", "Sorry, I can't, I have no access.", AnchorState.RESOLVED),
        ("Can you send the draft to Ana?", "No problem, I'll do it.", AnchorState.ACTIVE),
        ("Can you send the draft to Ana?", "Not yet.", AnchorState.ACTIVE),
        ("Can you send the draft to Ana?", "No, but I will on Monday.", AnchorState.ACTIVE),
    ],
)
def test_what_was_asked_and_refused_is_not_open(asked: str, reply: str, state: AnchorState) -> None:
    assert merged(talk(f"Ben: {asked}", f"Ana: {reply}")).new[0].state is state
