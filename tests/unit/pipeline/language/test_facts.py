"""Facts are slices of the text, found by rules in linear time."""

from __future__ import annotations

import time
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given

from support.wild_turns import HOSTILE, wild_text
from turnfold.dates.resolve import resolve_relative_days
from turnfold_worker.pipeline.language.facts import FactKind, extract_facts
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span, clauses, split_prose
from turnfold_worker.pipeline.levels.fact_lists import MAX_ENTRIES, merge_facts


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Pay $450.50 or 25% of 3 GB", FactKind.NUMBER, ("$450.50", "25%", "3 GB")),
        ("2000 euros since 2019, and 2024 requests", FactKind.NUMBER, ("2000 euros", "2024 requests")),
        ("in 2019 people met", FactKind.DATE, ("2019",)),
        ("on 14 May 2026 at 3:30 pm, or 2026-05-14", FactKind.DATE, ("14 May 2026", "3:30 pm", "2026-05-14")),
        ("I met Ana Lopez and Omar there", FactKind.NAME, ("Ana Lopez", "Omar")),
        ("ask @mara_k about it", FactKind.NAME, ("@mara_k",)),
        (
            "set MAX_SIZE=10 in maxTokens and snake_case v1.2",
            FactKind.IDENTIFIER,
            ("MAX_SIZE=10", "maxTokens", "snake_case", "v1.2"),
        ),
        (
            "see src/app/main.py and /etc/hosts, and/or setup.cfg",
            FactKind.PATH,
            ("src/app/main.py", "/etc/hosts", "setup.cfg"),
        ),
        ("go to https://example.org/a?b=1.", FactKind.URL, ("https://example.org/a?b=1",)),
        ("write to ana@example.org", FactKind.EMAIL, ("ana@example.org",)),
        ("got ValueError: bad size", FactKind.ERROR, ("ValueError: bad size",)),
        ("<p></p> is markup", FactKind.PATH, ()),
        ("Really good. The weather is fine. Hello there.", FactKind.NAME, ()),
    ],
)
def test_a_kind_of_fact_is_found(text: str, kind: FactKind, expected: tuple[str, ...]) -> None:
    assert extract_facts(text).texts(kind) == expected


@given(wild_text)
def test_every_fact_is_a_slice_of_its_text_in_order(text: str) -> None:
    found = extract_facts(text).all
    assert all(fact.text == text[fact.start : fact.end] for fact in found)
    assert [fact.start for fact in found] == sorted(fact.start for fact in found)


@given(wild_text)
def test_sentences_and_code_never_overlap_and_clauses_stay_inside(text: str) -> None:
    prose = split_prose(text)
    spans = sorted((*prose.sentences, *prose.code), key=lambda span: span.start)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    for sentence in prose.sentences:
        pieces = clauses(text, sentence, 40)
        assert all(sentence.start <= piece.start < piece.end <= sentence.end for piece in pieces)
        assert all(piece.end - piece.start <= max(40, MAX_CLAUSE) for piece in pieces)


def test_code_is_apart_from_prose_and_an_unclosed_fence_hides_nothing() -> None:
    closed = split_prose("Before.\n```py\nx = 1\n```\nAfter.")
    assert len(closed.sentences) == 2
    assert len(closed.code) == 1
    opened = "Before.\n```py\nWe decided to stop."
    assert any("decided" in opened[s.start : s.end] for s in split_prose(opened).sentences)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (r"There are \( 4! = 24 \) ways to seat them.", 1),
        (r"By \\( n! \\) we mean a product.", 1),
        ("We won! It was great.", 2),
        ("There are 5! Then go.", 2),
    ],
)
def test_a_mark_of_arithmetic_does_not_end_a_sentence(text: str, sentences: int) -> None:
    assert len(split_prose(text).sentences) == sentences


def test_abbreviations_and_decimals_do_not_end_sentences() -> None:
    text = "Use e.g. Dr. Lee at 3.5 percent. Then stop."
    assert [text[s.start : s.end] for s in split_prose(text).sentences] == [
        "Use e.g. Dr. Lee at 3.5 percent.",
        "Then stop.",
    ]


@pytest.mark.parametrize("scrap", HOSTILE)
def test_a_megabyte_of_anything_is_read_quickly(scrap: str) -> None:
    text = scrap * (1_000_000 // len(scrap))
    before = time.thread_time()
    extract_facts(text)
    for sentence in split_prose(text).sentences[:2000]:
        clauses(text, sentence, 120)
    assert time.thread_time() - before < 3


def test_a_nodes_facts_are_bounded_and_the_heavier_come_first() -> None:
    many = extract_facts(" ".join(f"id_{i}" for i in range(100)))
    merged = merge_facts([(many, 1, None), (extract_facts("use late_one now"), 9, None)])
    assert merged["identifiers"][0] == "late_one"
    assert len(merged["identifiers"]) == MAX_ENTRIES


def test_days_without_a_date_become_dates_or_are_left_out() -> None:
    facts = extract_facts("We met yesterday and again next week, all 2 of us.")
    assert merge_facts([(facts, 1, date(2026, 5, 14))])["dates"] == ["13 May 2026", "week after 14 May 2026"]
    assert merge_facts([(facts, 1, None)])["dates"] == []
    assert merge_facts([(facts, 1, None)])["numbers"] == []


def test_a_likeness_is_no_date() -> None:
    assert resolve_relative_days("it feels like just yesterday", date(2026, 5, 14)) == "it feels like just yesterday"
    assert resolve_relative_days("yesterday", date.min) == "yesterday"


def test_clauses_of_a_short_span_are_the_span() -> None:
    assert clauses("one, and two", Span(0, 12), 120) == [Span(0, 12)]
