"""A correction keeps and closes the sentence that it corrects, even if no rule kept that sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.contract.records import AnchorState
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.anchors.statements.repairs import only_says_wrong, says_otherwise


def states(*sentences: str) -> list[AnchorState]:
    turns = [turn for said in sentences for turn in (("user", said), ("assistant", "Noted."))]
    with fold({"role": role, "content": content} for role, content in turns) as conversation:
        return [anchor.state for anchor in conversation.anchors(states=None) if anchor.turn_seq == 1]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("The cat sleeps in the kitchen.", "Actually, the cat sleeps in the hall."),
        ("Grandpa grows beans beside the shed.", "Grandpa no longer grows beans beside the shed."),
        ("We fly from Schiphol.", "Actually, we fly from Eindhoven."),
        ("I'm bringing the tent.", "I'm not bringing the tent after all."),
    ],
)
def test_what_is_corrected_is_kept_and_closed(first: str, later: str) -> None:
    assert states(first, later) == [AnchorState.SUPERSEDED]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("The cat sleeps in the kitchen.", "Actually, the dog runs in the hall."),
        ("The cat sleeps in the kitchen.", "Does the cat sleep in the hall?"),
    ],
)
def test_another_sentence_is_not_closed(first: str, later: str) -> None:
    assert AnchorState.SUPERSEDED not in states(first, later)


@pytest.mark.parametrize(
    ("first", "wrong", "later"),
    [
        ("We fly from Schiphol.", "no, wait", "we fly from Eindhoven"),
        ("The budget is 2,000 euros.", "Oops, sorry...", "the budget is 3,500"),
    ],
)
def test_a_statement_after_no_wait_is_its_correction(first: str, wrong: str, later: str) -> None:
    assert states(first, wrong, later) == [AnchorState.SUPERSEDED]


@pytest.mark.parametrize(
    ("first", "wrong", "later"),
    [
        ("The budget is 2,000 euros.", "no, wait", "the budget for my brother's trip is 3,500"),
        ("The budget is 2,000 euros.", "no, wait", "the venue costs 900 euros"),
        ("The budget is 2,000 euros.", "no, wait", "is the budget 3,500 euros?"),
        ("We meet at the mill on Tuesday.", "hang on", "my dentist is on Thursday"),
    ],
)
def test_another_statement_after_no_wait_corrects_nothing(first: str, wrong: str, later: str) -> None:
    assert AnchorState.SUPERSEDED not in states(first, wrong, later)


def test_in_a_group_only_who_said_that_it_is_wrong_corrects() -> None:
    said = [("Ann", "We fly from Schiphol."), ("Ben", "oops, no"), ("Ann", "We fly from Eindhoven.")]
    with fold({"role": "user", "name": name, "content": content} for name, content in said) as conversation:
        assert AnchorState.SUPERSEDED not in {anchor.state for anchor in conversation.anchors(states=None)}


@pytest.mark.parametrize(
    "turn", ["no, wait", "Wait!", "oh no, hang on...", "Oops, typo", "No, no, that's wrong", "hold on a sec"]
)
def test_a_turn_only_says_that_something_is_wrong(turn: str) -> None:
    assert only_says_wrong(turn)


@pytest.mark.parametrize(
    "turn", ["no", "sorry", "wait for me", "no, the bus", "hold on tight", "oops 47", "", "waiter"]
)
def test_a_turn_that_says_more_or_less_is_none(turn: str) -> None:
    assert not only_says_wrong(turn)


@given(st.text(max_size=200), st.text(max_size=200))
@examples(200)
def test_any_two_texts_are_compared_and_none_says_itself_otherwise(new: str, old: str) -> None:
    assert says_otherwise(new, old) in {True, False}
    assert says_otherwise("the cat sleeps", "the cat sleeps") is False
