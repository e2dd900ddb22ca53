"""A clause that retracts, limits or changes a statement stays with it, because the statement alone would mislead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.notes.turned import turns_round
from turnfold_worker.pipeline.turns.reading import read_turn

TOLD = (
    "I've moved the pump of the lower terrace behind the second filter and set its pressure to 3 bar",
    "We switched the archive of the museum to the new index and rebuilt all of its 12 shards over the weekend",
)
TURNS = (
    "but it didn't help", "but I'm still getting the same leak", "but that only works while the valve is shut",
    "but then Ida had to take it out again", "but the gauge shows no change", "but we ran into problems with the seal",
)  # fmt: skip
ASKS_ON = (
    "but I'm not sure how to measure the flow behind it", "but I'd like to know more about filters first",
    "but what do I have to look at next in the manual", "but I don't know which of the manuals tells more",
)  # fmt: skip


def notes(text: str) -> list[str]:
    return [note.text for note in notes_of([read_turn(said(text))]) if note.worth]


@given(st.sampled_from(TOLD), st.sampled_from(TURNS), st.booleans())
@examples(60)
def test_what_turns_a_statement_round_is_told_with_it(told: str, turned: str, apart: bool) -> None:
    text = f"{told}. {turned.capitalize()}" if apart else f"{told}, {turned}"
    assert notes(f"{text}.") == [text]


@pytest.mark.parametrize("asked", ASKS_ON)
def test_what_only_asks_on_stands_apart(asked: str) -> None:
    assert notes(f"{TOLD[0]}, {asked}.")[0] == TOLD[0]


@pytest.mark.parametrize("opening", ["However, ", "Unfortunately, ", "But "])
def test_a_sentence_that_turns_the_one_before_it_round_stays_with_it(opening: str) -> None:
    text = f"I've added the index on the dates of the loans. {opening}the search still takes 4 seconds"
    assert notes(f"{text}.") == [text]


def test_nothing_is_joined_over_the_end_of_a_paragraph() -> None:
    assert notes(f"{TOLD[0]}.\n\nHowever, it didn't help us.")[0] == TOLD[0]


@given(st.text(st.sampled_from("but it's not sure however,. I how still \u2019"), max_size=80), st.integers(0, 80))
@examples(200)
def test_any_clause_is_judged_by_its_own_words(text: str, start: int) -> None:
    clause = Span(min(start, len(text)), len(text))
    alone = text[clause.start :]
    assert turns_round(text, clause) is turns_round(alone, Span(0, len(alone)))
    assert not turns_round(f"we {alone}", Span(0, len(alone) + 3))
