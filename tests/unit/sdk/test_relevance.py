"""Segments and turns are ranked by their relevance to a query."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import stored_text
from turnfold.contract.records import Role, StoredTurn
from turnfold.search.relevance import QUERY_TERMS, query_terms, score_segments, score_turns, snippet

words = st.sampled_from(["pool", "connection", "postgres", "launch", "friday", "owner", "budget", "v1.2", "max_tokens"])
queries = st.lists(words, max_size=6).map(" ".join)


def conversation(*contents: str, name: str | None = None) -> list[StoredTurn]:
    return [
        StoredTurn(seq=seq, turn_id=f"t{seq}", role=Role.USER, content=content, name=name)
        for seq, content in enumerate(contents, 1)
    ]


def test_a_query_is_its_rarest_terms() -> None:
    long_query = " ".join(f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz") + " INC-4711 src/pool.py"
    found = query_terms(long_query)
    assert len(found) == QUERY_TERMS
    assert {"inc-4711", "src/pool.py"} <= set(found)


def test_stop_words_alone_ask_for_nothing() -> None:
    assert query_terms("what is it that they were?") == ()
    assert query_terms("") == ()


@given(stored_text | queries)
def test_a_query_has_at_most_sixteen_distinct_terms(query: str) -> None:
    found = query_terms(query)
    assert len(found) == len(set(found)) <= QUERY_TERMS


def test_segments_that_hold_more_of_the_rare_terms_come_first_and_newer_ones_among_equals() -> None:
    postings = [("pool", 1, 3), ("connect", 1, 1), ("pool", 2, 3), ("pool", 7, 3)]
    assert [idx for idx, _ in score_segments(postings, segments=10)] == [1, 7, 2]


@given(st.lists(st.tuples(words, st.integers(0, 30), st.integers(1, 500)), unique_by=lambda row: row[:2]), st.randoms())
def test_segment_scores_do_not_depend_on_the_order_of_rows(
    postings: list[tuple[str, int, int]], shuffler: random.Random
) -> None:
    again = list(postings)
    shuffler.shuffle(again)
    expected, found = score_segments(postings, segments=31), score_segments(again, segments=31)
    assert {idx: pytest.approx(score) for idx, score in expected} == dict(found)


@given(st.lists(st.tuples(words, st.integers(0, 30), st.integers(1, 500)), unique_by=lambda row: row[:2], max_size=16))
def test_a_segments_score_is_bounded_by_how_many_terms_it_holds(
    postings: list[tuple[str, int, int]],
) -> None:
    scores = score_segments(postings, segments=31)
    assert {idx for idx, _ in scores} == {idx for _, idx, _ in postings}
    for idx, score in scores:
        held = sum(1 for _, segment, _ in postings if segment == idx)
        assert 0 < score < 2 * math.log(1 + 31) * held + 1e-9


def test_the_turn_that_answers_a_question_is_found_though_it_repeats_no_word() -> None:
    turns = conversation("Hello.", "Who owns the connection pool?", "Priya does.", "Thanks.")
    scores = score_turns(query_terms("connection pool owner"), turns)
    assert max(scores, key=lambda seq: scores[seq]) == 2
    assert scores[3] > scores[1]
    assert 4 not in scores


def test_a_query_that_names_a_speaker_prefers_what_that_speaker_said() -> None:
    turns = [*conversation("The launch is on Friday."), StoredTurn(
        seq=9, turn_id="t9", role=Role.USER, content="The launch is on Monday.", name="Priya"
    )]  # fmt: skip
    scores = score_turns(query_terms("Priya launch"), turns)
    assert scores[9] > scores[1]


def test_a_snippet_shows_the_words_around_the_first_hit() -> None:
    text = "filler " * 100 + "the connection pool holds 40 connections " + "filler " * 100
    shown = snippet(text, query_terms("connection pool"))
    assert "the connection pool holds" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_a_short_text_is_its_own_snippet_on_one_line() -> None:
    assert snippet("We launch\n\n on  Friday.", ("launch",)) == "We launch on Friday."


@given(stored_text | st.text("İß aﬁ\n", max_size=400), queries, st.integers(20, 200))
def test_a_snippet_is_about_as_wide_as_asked_and_comes_from_the_text(text: str, query: str, width: int) -> None:
    shown = snippet(text, query_terms(query), width=width)
    assert len(shown) <= width + 4
    assert "\n" not in shown
    assert shown.removeprefix("… ").removesuffix(" …") in " ".join(text.split())


def test_a_snippet_is_never_empty_though_folding_to_lower_case_moves_letters() -> None:
    assert len(snippet("İ" * 300 + " pool", ("pool",), width=60)) >= 50
