"""Limits, orders that stand and tastes are told by their words, whatever the phrase, of who speaks for himself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import said
from turnfold.contract.records import HEALTH_RANK, AnchorType, Role
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
CLAUSE: Final = re.compile(r"\[([LIPFDCN])\] ([^[]+)")
BELIEVED: Final = 100

LIMIT = "screen time for Juno stops at half an hour a day, doctor's orders"
DECISION = "so we drop the second singer and keep the piano"
ORDER = "when you quote prices use pounds, not dollars"


def unseen_sentences() -> Iterator[tuple[str, str]]:
    """Label and words, as in `benchmarks/labelled_sentences`, by authors whom nothing was fitted to."""
    for line in (HERE / "unseen_statements.txt").read_text(encoding="utf-8").splitlines():
        label, text = line.split("\t", 1)
        yield label, text


def unseen_clauses() -> Iterator[tuple[str, str]]:
    """The same of talks between people, in which a third of the clauses state something."""
    for line in (HERE / "unseen_talks.txt").read_text(encoding="utf-8").splitlines():
        yield from ((label, text.strip()) for label, text in CLAUSE.findall(line))


@pytest.mark.parametrize(
    ("labelled", "least_found", "most_wrong"),
    [(list(unseen_sentences()), 0.54, 0.03), (list(unseen_clauses()), 0.42, 0.01)],
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
def test_any_text_is_judged_the_same_each_time(text: str) -> None:
    judgement = judged(plain_words(text))
    assert judgement == judged(plain_words(f" {text}\n"))
    assert judgement.kind in JUDGED
    assert isinstance(judgement.margin, int)


def anchors_of(text: str, *, name: str | None = None, role: Role = Role.USER) -> tuple[AnchorDraft, ...]:
    """Anchors of a turn that an assistant, or with a name another person, answers."""
    reply = said("Fine.", seq=2, name="Omar") if name else said("All right.", seq=2, role=Role.ASSISTANT)
    return extract_anchors([read_turn(said(text, name=name, role=role)), read_turn(reply)], FoldSettings())


def by_words(text: str, *, name: str | None = None, role: Role = Role.USER) -> set[AnchorType]:
    return {anchor.type for anchor in anchors_of(text, name=name, role=role) if HEAD in anchor.factors}


def test_limits_orders_and_decisions_in_everyday_words_become_anchors() -> None:
    assert by_words(f"{DECISION}.") == {AnchorType.DECISION}
    assert by_words(f"{LIMIT}.") == {AnchorType.CONSTRAINT}
    assert by_words(f"{ORDER}.") == {AnchorType.INSTRUCTION}


@pytest.mark.parametrize(
    "text",
    [f"{LIMIT}?", f'The leaflet read "{LIMIT}".', "Back then screen time for Juno stopped at half an hour a day."],
)
def test_what_is_asked_quoted_or_past_is_none(text: str) -> None:
    assert by_words(text) == set()


def test_an_assistant_sets_no_limits_and_people_give_each_other_no_standing_orders() -> None:
    assert by_words(f"{LIMIT}.", role=Role.ASSISTANT) == set()
    assert by_words(f"{LIMIT}.", name="Ines") == {AnchorType.CONSTRAINT}
    assert by_words(f"{ORDER}.", name="Ines") == set()


def test_what_is_told_by_words_alone_comes_after_a_rules_phrase() -> None:
    (by_phrase,) = anchors_of("We must not spend more than 900 euros.")
    (alone,) = anchors_of(f"{LIMIT}.")
    assert by_phrase.rank > HEALTH_RANK > alone.rank


def test_a_clause_of_a_long_text_must_be_surer() -> None:
    around = "The town lies on a river, and its market has been held there for six hundred years. " * 12
    assert by_words(f"{LIMIT}. {around}") <= by_words(f"{LIMIT}.")
