"""Which notes answer a query: by words, by who said them, by what stands beside them, by meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Policy
from turnfold.assemble import Request, request_of
from turnfold.contract.notes import Note
from turnfold.contract.vectors import DEFAULT_MODEL, NO_VECTOR, rounded
from turnfold.errors import InvalidInput
from turnfold.hits import Field, hits
from turnfold.relevance import query_terms
from turnfold.tokens import ESTIMATOR, estimate_tokens

words = st.sampled_from(["pool", "connection", "postgres", "launch", "friday", "owner", "budget", "kept", "Mara"])
texts = st.lists(words, min_size=1, max_size=8).map(" ".join)


def note(seq: int, text: str, *, speaker: str = "Mara", worth: int = 100) -> Note:
    return Note(seq, 0, speaker, "user", "", text, estimate_tokens(text) + 1, worth, "5" * len(text.split()))


def field(notes: list[Note]) -> Field:
    return Field(said={"user": 1_000}, segments=4, candidates=4, spread={}) if notes else Field(
        said={}, segments=0, candidates=0, spread={}
    )  # fmt: skip


def found(query: str, *notes: Note, near: dict[int, float] | None = None, most_tokens: int = 1_000) -> list[int]:
    best = hits(query_terms(query), notes, field(list(notes)), most_tokens=most_tokens, near=near or {})
    return [one.seq for one in best]


TALK = (
    note(1, "pool has 20 connections"),
    note(5, "who owns ledger?", speaker="Omar"),
    note(6, "Priya, since March"),
    note(11, "launch on Friday"),
)


def test_the_note_that_holds_the_words_comes_first() -> None:
    assert found("when is the launch?", *TALK)[0] == 11


def test_what_follows_a_question_comes_with_it_though_it_holds_none_of_its_words() -> None:
    assert set(found("who owns the ledger?", *TALK)) == {5, 6}


def test_a_query_that_names_a_speaker_prefers_what_that_speaker_said() -> None:
    notes = (note(3, "likes tea", speaker="Mara"), note(9, "likes tea", speaker="Omar"))
    assert found("What does Omar like?", *notes)[0] == 9


def test_a_note_that_says_nothing_by_itself_comes_after_one_that_does() -> None:
    notes = (note(3, "launch launch great", worth=0), note(9, "launch needs approval", worth=100))
    assert found("launch", *notes)[0] == 9


def test_a_turn_that_is_near_in_meaning_is_found_without_a_shared_word() -> None:
    assert 6 not in found("launch", *TALK)
    assert found("launch", *TALK, near={11: 0.1, 6: 0.9})[:2] == [11, 6]


def test_without_words_that_say_something_nothing_is_found() -> None:
    assert found("what is it?", *TALK) == []


@given(texts, st.lists(texts, max_size=12), st.integers(0, 60), st.dictionaries(st.integers(1, 12), st.floats(-1, 1)))
def test_hits_are_notes_each_once_within_the_tokens(
    query: str, said: list[str], most_tokens: int, near: dict[int, float]
) -> None:
    notes = [note(seq, text) for seq, text in enumerate(said, 1)]
    best = hits(query_terms(query), notes, field(notes), most_tokens=most_tokens, near=near)
    assert len({one.seq for one in best}) == len(best)
    assert set(best) <= set(notes)
    assert sum(one.tokens for one in best) <= most_tokens


def asked(query: str | None, vector: object) -> Request:
    return request_of(
        budget_tokens=500, query=query, system=None, flags=(), task=None, reserve_tokens=0, policy=Policy(name="x"),
        counter=ESTIMATOR, expand=(), query_vector=vector, vector_model=DEFAULT_MODEL,  # type: ignore[arg-type]  # on purpose
    )  # fmt: skip


def test_a_vector_of_any_length_and_kind_of_numbers_is_taken() -> None:
    assert asked("launch", [3, 4.0]).query_vector == rounded([0.6, 0.8])
    assert asked("launch", None).query_vector == NO_VECTOR


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], "0.1", [float("nan")], ["a"], 7, [float("inf"), 1.0]])
def test_what_is_no_vector_is_refused_by_name(vector: object) -> None:
    with pytest.raises(InvalidInput, match="query_vector must be"):
        asked("launch", vector)


def test_a_vector_without_its_query_is_refused() -> None:
    with pytest.raises(InvalidInput, match="come with its query"):
        asked(None, [1.0])
