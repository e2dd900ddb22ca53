"""A note does not state as a fact what its turn stated under a condition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from note_evidence import evidence
from turnfold_worker.pipeline.refinement.conditions import drops_a_condition
from turnfold_worker.pipeline.refinement.unfaithful import Unfaithful

CASES = [
    ("If the price drops below 40 euros, buy 3 licences.", "Bo buys 3 licences.", "Bo buys 3 licences if it drops."),
    ("We ship on Monday if the tests pass.", "They ship on Monday.", "They ship on Monday if the tests pass."),
    ("I move to Marlow unless the flat is sold.", "Bo moves to Marlow.", "Bo moves to Marlow unless the flat is sold."),
    ("The team gets a second van as long as the bank agrees.", "The team gets a second van.", "A van may come."),
]


@pytest.mark.parametrize(("said", "lie", "true"), CASES)
def test_a_note_without_the_condition_is_refused(said: str, lie: str, true: str) -> None:
    told = evidence((("", "Bo", said),))
    assert Unfaithful.CONDITION in told.problems(lie, [1], "Bo")
    assert told.problems(true, [1], "Bo") == []


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("I asked her if the shop sells maps.", "The shop sells maps."),
        ("If you like, take the red bicycle home.", "Take the red bicycle home."),
        ("We ship on Monday. If the tests pass we ship on Monday too.", "They ship on Monday."),
        ("The shop sells old maps and pens.", "The shop sells old maps."),
        ("Let me know if the boat is ready.", "The boat is ready."),
    ],
)
def test_what_is_no_condition_drops_none(said: str, note: str) -> None:
    assert not drops_a_condition(note, [said])


@given(st.text(max_size=200), st.lists(st.text(max_size=300), max_size=3))
def test_any_words_are_answered(note: str, told: list[str]) -> None:
    assert drops_a_condition(note, told) in {True, False}
    assert not drops_a_condition(f"{note} unless", told)
