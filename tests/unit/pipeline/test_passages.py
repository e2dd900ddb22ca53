"""Passages hold every note once, and postings point to passages that are there."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from turnfold.contract.notes import Note
from turnfold.contract.passages import (
    ASKS,
    ENDS,
    IMPACT,
    LAST_TURN,
    PASSAGE_TOKENS,
    PLACES,
    ROLE,
    ROLE_SHIFT,
    ROLES,
    unpack_pointers,
)
from turnfold.contract.records import StoredTurn
from turnfold_worker.pipeline.fold import fold_segment
from turnfold_worker.pipeline.passages import passages_of, postings_of
from turnfold_worker.pipeline.settings import FoldSettings

from .wild_turns import wild_turns


@given(wild_turns(most=12))
@settings(max_examples=60, deadline=None)
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
    for posting in found.postings:
        for number, mark in zip(*unpack_pointers(posting.passages), strict=True):
            passage = by_number[number]
            assert mark & IMPACT
            assert ROLES[mark >> ROLE_SHIFT & ROLE] == passage.notes[0].role
            assert bool(mark & ASKS) == passage.notes[-1].text.endswith("?")
            following = by_number.get(number + 1)
            assert bool(mark & ENDS) == (following is None)


def test_the_last_passage_of_each_turn_ends_it() -> None:
    found = passages_of([note(seq, place) for seq in (1, 2) for place in range(7)])
    for before, after in pairwise(found):
        assert before.ends == (before.number // PLACES != after.number // PLACES)


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
