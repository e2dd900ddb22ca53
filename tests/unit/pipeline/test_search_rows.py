"""Rebuilt postings equal those of the fold; where they cannot, they point to the passages as stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_turns
from turnfold.contract.dropped_postings import MARK, pack_mark, unpack_mark
from turnfold.contract.notes import Note
from turnfold.contract.passages import PASSAGE_TOKENS, PLACES, unpack_pointers
from turnfold.contract.posting_pieces import pieces_beyond, pieces_of, pieces_over
from turnfold.contract.records import StoredTurn, TurnState
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment, not_deleted
from turnfold_worker.pipeline.notes.passages import bundles_of, passages_of
from turnfold_worker.pipeline.notes.search_rows import (
    Bundle,
    SaidSegment,
    postings_again,
    postings_of_notes,
    stored_passages,
)
from turnfold_worker.pipeline.settings import FoldSettings

SETTINGS = FoldSettings()


def stored(folded: FoldedNode) -> list[Bundle]:
    return [Bundle(*bundle) for bundle in bundles_of(folded.passages)]


def parted(turns: Sequence[StoredTurn]) -> tuple[Sequence[StoredTurn], Sequence[StoredTurn]]:
    """Split turns into the last ones before a segment and the segment's own."""
    return turns[: len(turns) // 3], turns[len(turns) // 3 :]


@given(wild_turns(), st.integers(0, 100))
def test_postings_of_the_same_turns_are_those_of_the_fold(turns: list[StoredTurn], residual_threshold: int) -> None:
    settings = replace(SETTINGS, residual_threshold=residual_threshold)
    before, own = parted(turns)
    folded = fold_segment(own, idx=0, settings=settings, before=before)
    said = SaidSegment(not_deleted(own), not_deleted(before), ())
    assert postings_again(said, settings, stored(folded)) == folded.postings


@given(wild_turns())
def test_passages_that_are_read_back_are_those_of_the_fold(turns: list[StoredTurn]) -> None:
    folded = fold_segment(turns, idx=0, settings=SETTINGS)
    read = stored_passages(stored(folded))
    assert [passage.number for passage in read] == [passage.number for passage in folded.passages]
    assert [replace(passage, said="").packed() for passage in read] == [passage.packed() for passage in folded.passages]
    assert [passage.times for passage in read] == [passage.times for passage in folded.passages]
    assert [passage.ends for passage in read] == [passage.ends for passage in folded.passages]


@given(wild_turns(), wild_turns())
def test_no_pointer_leads_to_a_passage_that_is_not_stored(turns: list[StoredTurn], others: list[StoredTurn]) -> None:
    kept = stored(fold_segment(turns, idx=0, settings=SETTINGS))
    numbers = {passage.number for passage in stored_passages(kept)}
    said = SaidSegment(not_deleted(others), (), ())
    for postings in (postings_again(said, SETTINGS, kept), postings_of_notes(kept)):
        assert {number for posting in postings for number in unpack_pointers(posting.passages)[0]} <= numbers
        assert len({posting.term for posting in postings}) == len(postings)


@given(wild_turns())
def test_what_notes_say_is_found_without_the_words_of_turns(turns: list[StoredTurn]) -> None:
    folded = fold_segment(turns, idx=0, settings=SETTINGS)
    with_pointers = {posting.term for posting in folded.postings if posting.passages}
    of_notes = postings_of_notes(stored(folded))
    assert {posting.term for posting in of_notes} >= with_pointers - {"!standing"}
    assert all(posting.passages for posting in of_notes)


def test_a_segment_of_deleted_turns_has_none() -> None:
    assert postings_again(SaidSegment((), (), ()), SETTINGS, ()) == ()
    assert postings_of_notes(()) == ()
    turn = StoredTurn(seq=1, turn_id="a", role="user", content="", tokens=0, state=TurnState.DELETED)  # type: ignore[arg-type]
    assert fold_segment([turn], idx=0, settings=SETTINGS).postings == ()


def test_of_a_turn_whose_last_passages_have_no_number_none_ends_it() -> None:
    notes = [
        Note(1, place, "Ana", "user", "", f"We count {place} chairs.", PASSAGE_TOKENS) for place in range(PLACES + 9)
    ]
    made = passages_of(notes)
    read = stored_passages([Bundle(*bundle) for bundle in bundles_of(made)])
    assert len(read) == PLACES
    assert not any(passage.ends for passage in (*made, *read))


@given(st.integers(0, 2**32 - 1))
def test_a_mark_says_how_far_postings_stand(segments: int) -> None:
    assert unpack_mark(pack_mark(segments)) == segments


@given(st.integers(0, 2**31), st.integers(0, 300_000))
def test_the_mark_is_no_piece(code: int, segments: int) -> None:
    assert MARK not in set(pieces_of(code, segments % 600))
    assert not any(first <= MARK <= last for first, last in (*pieces_over(segments), *pieces_beyond(segments)))
