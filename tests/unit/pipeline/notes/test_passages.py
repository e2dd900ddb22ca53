"""Passages contain every note once, and postings point to passages that exist."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import wild_turns
from turnfold.code_blocks.index import unpack_blocks
from turnfold.contract.notes import Note
from turnfold.contract.passages import (
    ASKS,
    ENDS,
    IMPACT,
    LAST_TURN,
    ORDERED,
    PASSAGE_TOKENS,
    PLACES,
    PREFERRED,
    ROLE,
    ROLE_SHIFT,
    ROLES,
    STANDING,
    unpack_pointers,
)
from turnfold.contract.records import StoredTurn
from turnfold_worker.pipeline.fold import fold_segment
from turnfold_worker.pipeline.notes.passages import MAX_POSTINGS, passages_of, postings_of
from turnfold_worker.pipeline.settings import FoldSettings


@given(wild_turns(most=12))
@examples(60)
def test_what_a_segment_stores_for_queries_holds_together(turns: list[StoredTurn]) -> None:
    found = fold_segment(turns, idx=0, settings=FoldSettings())
    by_number = {passage.number: passage for passage in found.passages}
    assert list(by_number) == sorted(by_number)
    notes = [note for passage in found.passages for note in passage.notes]
    assert notes == sorted(set(notes))
    assert {(note.seq, note.place) for note in found.notes} <= {(note.seq, note.place) for note in notes}
    for passage in found.passages:
        assert {note.seq for note in passage.notes} == {passage.number // PLACES}
        assert len(passage.notes) == 1 or sum(note.tokens for note in passage.notes) <= PASSAGE_TOKENS
    words = {turn.seq: turn.content for turn in turns}
    for entry in unpack_blocks(found.blocks):
        assert entry.is_of(words[entry.seq][entry.start : entry.end])
    for posting in found.postings:
        for number, mark in zip(*unpack_pointers(posting.passages), strict=True):
            passage = by_number[number]
            assert mark & IMPACT
            assert ROLES[mark >> ROLE_SHIFT & ROLE] == passage.notes[0].role
            assert bool(mark & ASKS) == passage.notes[-1].text.endswith("?")
            following = by_number.get(number + 1)
            assert bool(mark & ENDS) == (following is None)


@pytest.mark.parametrize(
    "said",
    [
        "Always answer in German.",
        "Please, always use bullet points when I ask about my resume.",
        "Thanks for that. From now on, call me Sam.",
        "never deploy on a Friday",
        "Whenever I ask about tests, show the command.",
        "Fine; going forward quote the sources.",
    ],
)
def test_what_a_person_wants_from_now_on_is_found_by_a_term_of_its_own(said: str) -> None:
    assert standing_in(said) == [(256, ORDERED)]
    assert standing_in(said, role="assistant") == [], "what an assistant promises is no order"


@pytest.mark.parametrize(
    "said",
    [
        "I prefer step-by-step explanations with concrete examples.",
        "I'm trying to keep it lightweight, so I really prefer simple dependencies.",
        "I'd prefer short answers.",
        "I’d rather pay by invoice.",
        "My preference is for video over static images.",
        "Samples of videos, like I prefer, please.",
    ],
)
def test_what_a_person_prefers_stands_below_an_order(said: str) -> None:
    assert standing_in(said) == [(256, PREFERRED)]
    assert standing_in(said, role="assistant") == []
    assert standing_in(f"Always ask first. {said}") == [(256, ORDERED)]


@pytest.mark.parametrize(
    "said",
    ["I have always loved horses.", "Never mind.", "Always good to hear!", "Whenever I hear this song, I smile.",
     "Do you prefer tea?", "She prefers tea.", "What would I prefer?", "I would rather not.", "the preferred port",
     "You never know.", "It was never deployed.", "I'm always there for you."],
)  # fmt: skip
def test_what_only_sounds_like_an_order_is_none(said: str) -> None:
    assert standing_in(said) == []


def standing_in(said: str, *, role: str = "user") -> list[tuple[int, int]]:
    passages = passages_of([note(1, 0)._replace(role=role)], [said])
    return [
        (number, mark & IMPACT)
        for posting in postings_of({}, passages)
        if posting.term == STANDING
        for number, mark in zip(*unpack_pointers(posting.passages), strict=True)
    ]


def test_an_order_takes_no_place_of_another_term() -> None:
    counts = {f"word{i}": 3 for i in range(MAX_POSTINGS + 50)}
    found = postings_of(counts, passages_of([note(1, 0)], ["Always answer in German."]))
    assert found[-1].term == STANDING
    assert found[:-1] == postings_of(counts, passages_of([note(1, 0)], ["We answer in German."]))


def test_a_term_of_a_note_is_found_however_much_else_a_segment_says() -> None:
    counts = {f"word{i}": 9 for i in range(3 * MAX_POSTINGS)}
    notes = [note(1, place)._replace(text=f"granary{place} holds oats") for place in range(300)]
    found = postings_of(counts, passages_of(notes))
    assert {f"granary{place}" for place in range(300)} <= {posting.term for posting in found}
    assert len(found) <= MAX_POSTINGS


def test_the_last_passage_of_each_turn_ends_it() -> None:
    found = passages_of([note(seq, place) for seq in (1, 2) for place in range(7)])
    assert len(found) > 2
    assert [passage.ends for passage in found[:-1]] == [
        before.number // PLACES != after.number // PLACES for before, after in pairwise(found)
    ]


def test_what_has_no_number_is_left_out_and_nothing_else() -> None:
    endless = passages_of([note(1, place, tokens=PASSAGE_TOKENS) for place in range(PLACES + 5)] + [note(2, 0)])
    assert [passage.number for passage in endless] == [*range(PLACES, 2 * PLACES), 2 * PLACES]
    assert passages_of([note(LAST_TURN + 1, 0)]) == []
    assert passages_of([]) == []


@given(st.integers(1, 400))
def test_a_term_that_is_repeated_tells_more_but_never_more_than_a_byte_holds(times: int) -> None:
    def impact(said: int) -> int:
        (posting,) = postings_of({}, passages_of([note(1, 0)._replace(text="pool " * said)]))
        return unpack_pointers(posting.passages)[1][0] & IMPACT

    assert 0 < impact(1) <= 255
    assert 0 < impact(times) <= 255
    assert impact(2) > impact(1)


def note(seq: int, place: int, *, tokens: int = 15) -> Note:
    return Note(seq, place, "Mara", "user", "", "pool", tokens, 100, "5")
