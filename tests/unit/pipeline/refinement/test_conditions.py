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
        ("We lived in Bergen until the house was sold.", "They lived in Bergen until the sale of the house."),
        ("We lived in Bergen until the house was sold.", "The house was sold."),
        ("We moved in once the house was sold.", "The house was sold."),
        ("I once swam across the fjord.", "Bo swam across the fjord."),
        ("Once a week there is a market in Bergen.", "There is a market in Bergen."),
        ("Pay once the crate is here. The crate is here.", "The crate is here."),
    ],
)
def test_what_is_no_condition_drops_none(said: str, note: str) -> None:
    assert not drops_a_condition(note, [said])


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("Pay it only once Ada has weighed the crate.", "Ada has weighed the crate."),
        ("Pay it only once Ada has weighed the crate. Ada has not weighed the crate yet.", "Ada weighed the crate."),
        ("Nobody leaves until the crate is sealed.", "The crate is sealed."),
        ("As soon as the crate is sealed, call Ada.", "The crate is sealed."),
        ("Call Ada only when the crate is there.", "The crate is there."),
    ],
)
def test_what_is_waited_for_is_no_fact(said: str, note: str) -> None:
    assert drops_a_condition(note, [said])


@given(st.text(max_size=200), st.lists(st.text(max_size=300), max_size=3))
def test_any_words_are_answered(note: str, told: list[str]) -> None:
    assert drops_a_condition(note, told) in {True, False}
    assert not drops_a_condition(f"{note} unless", told)
