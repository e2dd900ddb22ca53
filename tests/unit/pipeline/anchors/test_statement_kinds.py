"""Limits, standing orders, tastes and decisions are recognized by their words, in any phrasing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import said
from turnfold.contract.records import AnchorType, Role
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.heads.head import HEAD
from turnfold_worker.pipeline.anchors.heads.statement_kinds import JUDGED, judged
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

HERE: Final = Path(__file__).parent
STATED: Final = {
    "L": AnchorType.CONSTRAINT, "I": AnchorType.INSTRUCTION, "P": AnchorType.PREFERENCE, "D": AnchorType.DECISION,
}  # fmt: skip
STANDS: Final = {label: kind for label, kind in STATED.items() if label != "D"}
CLAUSE: Final = re.compile(r"\[([LIPFDCN])\] ([^[]+)")
BELIEVED: Final = 100

LIMIT = "screen time for Juno stops at half an hour a day, doctor's orders"
DECISION = "so we drop the second singer and keep the piano"
ORDER = "when you quote prices use pounds, not dollars"


def unseen_sentences() -> Iterator[tuple[str, str]]:
    """Yield label and text, as in `benchmarks/labelled_sentences`, by authors whose sentences nothing was fitted to."""
    for line in (HERE / "unseen_statements.txt").read_text(encoding="utf-8").splitlines():
        label, text = line.split("\t", 1)
        yield label, text


def unseen_clauses() -> Iterator[tuple[str, str]]:
    """Yield label and text of clauses in talks between people, a third of which state something."""
    for line in (HERE / "unseen_talks.txt").read_text(encoding="utf-8").splitlines():
        yield from ((label, text.strip()) for label, text in CLAUSE.findall(line))


SENTENCES: Final = list(unseen_sentences())
CLAUSES: Final = list(unseen_clauses())


@pytest.mark.parametrize(
    ("labelled", "least_found", "most_wrong"),
    [(SENTENCES, 0.54, 0.03), (CLAUSES, 0.42, 0.01)],
    ids=["sentences", "talks"],
)
def test_what_unseen_authors_say_is_told_from_what_looks_like_it(
    labelled: list[tuple[str, str]], least_found: float, most_wrong: float
) -> None:
    judgements = [(label, judged(plain_words(text)), text.endswith("?")) for label, text in labelled]
    found = [judgement.margin >= BELIEVED for label, judgement, asks in judgements if label in STATED and not asks]
    wrong = [judgement.margin >= BELIEVED for label, judgement, asks in judgements if label == "N" and not asks]
    kinds = [
        judgement.kind is STATED[label]
        for label, judgement, _ in judgements
        if label in STATED and judgement.margin >= BELIEVED
    ]
    assert len(found) > 150
    assert sum(found) / len(found) > least_found
    assert sum(wrong) / len(wrong) < most_wrong
    assert sum(kinds) / len(kinds) > 0.88


@given(st.text(max_size=400))
def test_any_text_is_judged_whatever_is_in_it(text: str) -> None:
    judgement = judged(plain_words(text))
    assert judgement.kind in JUDGED
    assert isinstance(judgement.margin, int)


def test_the_ways_to_write_cannot_are_one_word() -> None:
    assert judged("they can't hold a table past ten") == judged("they cannot hold a table past ten")


def anchors_of(text: str, *, name: str | None = None, role: Role = Role.USER) -> tuple[AnchorDraft, ...]:
    """Return the anchors of a turn; the reply is an assistant's, or a person's for a `name`."""
    reply = said("Fine.", seq=2, name="Omar") if name else said("All right.", seq=2, role=Role.ASSISTANT)
    return extract_anchors([read_turn(said(text, name=name, role=role)), read_turn(reply)], FoldSettings())


def by_words(text: str, *, name: str | None = None, role: Role = Role.USER) -> set[AnchorType]:
    return {anchor.type for anchor in anchors_of(text, name=name, role=role) if HEAD in anchor.factors}


def test_limits_orders_and_decisions_in_everyday_words_become_anchors() -> None:
    assert by_words(f"{DECISION}.") == {AnchorType.DECISION}
    assert by_words(f"{LIMIT}.") == {AnchorType.CONSTRAINT}
    assert by_words(f"{ORDER}.") == {AnchorType.INSTRUCTION}


@pytest.mark.parametrize(
    ("labelled", "least_typed", "most_wrong"),
    [(SENTENCES, 0.54, 5), (CLAUSES, 0.42, 14)],
    ids=["sentences", "talks"],
)
def test_what_unseen_authors_say_becomes_anchors_of_its_type(
    labelled: list[tuple[str, str]], least_typed: float, most_wrong: int
) -> None:
    types = [(label, {anchor.type for anchor in anchors_of(text)}) for label, text in labelled]
    typed = [STANDS[label] in found for label, found in types if label in STANDS]
    wrong = [found for label, found in types if label == "N" and not found.isdisjoint(STANDS.values())]
    assert sum(typed) / len(typed) > least_typed
    assert len(wrong) <= most_wrong


@pytest.mark.parametrize("marks", ['""', "“”", "«»", "''"])
def test_what_is_quoted_is_nobodys_limit(marks: str) -> None:
    opening, closing = marks
    quoted = "the office closes at noon and takes nothing late"
    assert by_words(f"{quoted}.") == {AnchorType.CONSTRAINT}
    assert by_words(f"The leaflet read {opening}{quoted}{closing}.") == set()


@pytest.mark.parametrize(
    "text", [f"{LIMIT}?", f"Back then {LIMIT}.", f"{LIMIT}, just for today.", f"{ORDER} this time."]
)
def test_what_is_asked_past_or_meant_for_once_is_none(text: str) -> None:
    assert by_words(text) == set()


def test_an_assistant_sets_no_limits_and_people_give_each_other_no_standing_orders() -> None:
    assert by_words(f"{LIMIT}.", role=Role.ASSISTANT) == set()
    assert by_words(f"{LIMIT}.", name="Ines") == {AnchorType.CONSTRAINT}
    assert by_words(f"{ORDER}.", name="Ines") == set()


def test_an_operator_gives_orders_whoever_else_speaks() -> None:
    segment = [said(f"{ORDER}.", role=Role.SYSTEM), said("Hello.", seq=2, name="Ines"), said("Hi.", seq=3, name="Omar")]
    anchors = extract_anchors([*map(read_turn, segment)], FoldSettings())
    assert [anchor.type for anchor in anchors] == [AnchorType.INSTRUCTION]


@pytest.mark.parametrize(
    ("phrase", "alone"),
    [
        ("We must not spend more than 900 euros.", f"{LIMIT}."),
        ("From now on, answer in French.", f"{ORDER}."),
        ("I prefer trains to planes.", "I'm a window seat person through and through."),
    ],
)
def test_what_is_told_by_words_alone_comes_after_a_phrase_of_its_type(phrase: str, alone: str) -> None:
    (by_phrase,) = anchors_of(phrase)
    (by_its_words,) = anchors_of(alone)
    assert by_phrase.type is by_its_words.type
    assert HEAD in by_its_words.factors
    assert by_phrase.rank > by_its_words.rank


def test_what_a_day_ends_comes_after_what_recurs() -> None:
    closing = "Registrations close at noon {} and the office doesn't take late ones."
    (once,) = anchors_of(closing.format("on 3 May"))
    (weekly,) = anchors_of(closing.format("every Thursday"))
    assert weekly.rank > once.rank


def test_many_limits_by_words_leave_a_segments_decision_and_promise_their_places() -> None:
    stated = ["We decided to use PostgreSQL 14.9 for billing.", "I will send the report to Dana by Friday 3 May 2024."]
    names = ["Ana", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ivo", "Jo", "Kit", "Lea", "Max"]
    lines = [*stated, *(f"{LIMIT.replace('Juno', name)}." for name in names)]
    turns = [read_turn(said(line, seq=seq)) for seq, line in enumerate(lines, 1)]
    types = {anchor.type for anchor in extract_anchors(turns, FoldSettings())}
    assert types == {AnchorType.DECISION, AnchorType.COMMITMENT, AnchorType.CONSTRAINT}


def test_a_clause_of_a_long_text_must_be_surer() -> None:
    around = "The town lies on a river, and its market has been held there for six hundred years. " * 12
    less_sure = "The office closes at noon and takes nothing late."
    assert by_words(less_sure) == {AnchorType.CONSTRAINT}
    assert by_words(f"{less_sure} {around}") == set()
    assert by_words(f"{LIMIT}. {around}") == {AnchorType.CONSTRAINT}
