"""Importance is a weighted sum of six factors, and policies with tiers apply thresholds to that sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.talk import talk
from turnfold import BALANCED, TIERED, InvalidSettings, MemoryTiers, Policy, TieredSegment
from turnfold.assemble.forms.render_text import IMPORTANT_HEADER
from turnfold.assemble.importance import tiered_segments
from turnfold.assemble.policy import FACTORS
from turnfold.contract.records import Node
from turnfold.contract.results import SegmentSigns
from turnfold_worker.offline import FoldedConversation, fold

_TURNS = 10
_ONE: dict[str, Any] = dict.fromkeys(FACTORS, 0.0)


def segment(idx: int, *names: str, weight: int = 0, importance: int = 0) -> SegmentSigns:
    first = idx * _TURNS + 1
    node = Node(
        height=0, idx=idx, first_seq=first, last_seq=first + _TURNS - 1, slug="s", tokens=(0, 0, 0, 0),
        importance=importance,
    )  # fmt: skip
    return SegmentSigns(node=node, facts={"names": names}, weight=weight)


def weigh(
    segments: list[SegmentSigns], rules: MemoryTiers, relevance: dict[int, float] | None = None
) -> list[TieredSegment]:
    return list(tiered_segments(segments, rules, last_seq=len(segments) * _TURNS, relevance=relevance))


@pytest.mark.parametrize(
    ("factor", "expected"),
    [
        ("recency", [50, 71, 100]), ("access", [50, 0, 75]), ("relevance", [100, 25, 0]), ("entities", [50, 100, 50]),
        ("uniqueness", [50, 0, 50]), ("marks", [10, 90, 40]),
    ],
)  # fmt: skip
def test_each_factor_alone_decides_when_it_has_all_the_weight(factor: str, expected: list[int]) -> None:
    rules = MemoryTiers(**{**_ONE, factor: 0.7}, half_life_turns=20, access_half=3)
    segments = [
        segment(0, "Ana", "Oslo", weight=3, importance=10),
        segment(1, "Ana", "Rome", importance=90),
        segment(2, "Rome", "Lima", weight=6, importance=40),
    ]
    assert [one.importance for one in weigh(segments, rules, {0: 8.0, 1: 2.0})] == expected


def test_thresholds_on_the_importance_make_the_tiers() -> None:
    rules = MemoryTiers(**{**_ONE, "marks": 1.0}, hot_from=60, warm_from=30)
    segments = [segment(idx, importance=points) for idx, points in enumerate((60, 59, 30, 29))]
    assert [one.tier for one in weigh(segments, rules)] == ["hot", "warm", "warm", "cold"]


def test_relevance_counts_only_where_something_is_asked() -> None:
    rules = MemoryTiers(**{**_ONE, "relevance": 0.5, "marks": 0.5})
    (unasked,), (asked,) = (weigh([segment(0, importance=80)], rules, scores) for scores in (None, {0: 1.0}))
    assert (unasked.importance, unasked.factors.get("relevance"), unasked.factors["marks"]) == (80, None, 80)
    assert (asked.importance, asked.factors["relevance"], asked.factors["marks"]) == (90, 50, 40)


@examples(200)
@given(
    weights=st.lists(st.floats(0, 5), min_size=len(FACTORS), max_size=len(FACTORS)).filter(any),
    segments=st.lists(
        st.tuples(st.lists(st.sampled_from("abcd"), max_size=4), st.integers(0, 256), st.integers(0, 100)), max_size=8
    ),
    scores=st.none() | st.dictionaries(st.integers(0, 8), st.floats(0, 50)),
)
def test_importance_is_the_sum_of_its_factors_between_0_and_100_and_grows_with_lookups(
    weights: list[float], segments: list[tuple[list[str], int, int]], scores: dict[int, float] | None
) -> None:
    rules = MemoryTiers(**dict(zip(FACTORS, weights, strict=True)))
    signs = [
        segment(idx, *names, weight=weight, importance=marks) for idx, (names, weight, marks) in enumerate(segments)
    ]
    found = weigh(signs, rules, scores)
    assert [one.node for one in found] == [one.node for one in signs]
    for one in found:
        assert 0 <= one.importance == min(100, sum(one.factors.values()))
    more = weigh([replace(one, weight=one.weight + 3) for one in signs], rules, scores)
    assert all(later.importance >= before.importance for before, later in zip(found, more, strict=True))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"recency": -0.1}, "recency in tiers of a policy must be a number of at least 0, not -0.1"),
        ({"marks": "much"}, "marks in tiers of a policy must be a number of at least 0, not 'much'"),
        ({"half_life_turns": 0}, "half_life_turns of a policy must be a whole number of at least 1, not 0"),
        ({"hot_from": 102}, "hot_from of a policy must be a whole number between 0 and 101, not 102"),
        ({"hot_share": 1.5}, "hot_share of a policy must be a number between 0 and 1, not 1.5"),
        ({"hot_from": 20, "warm_from": 30}, "warm_from in tiers of a policy must be at most hot_from, 20, not 30"),
        (_ONE, "at least one weight in tiers of a policy must be above 0: recency, access"),
    ],
)
def test_rules_that_make_no_sense_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSettings) as error:
        MemoryTiers(**fields)
    assert str(error.value).startswith(message)


def test_a_policy_takes_memory_tiers_only() -> None:
    with pytest.raises(InvalidSettings, match=r"tiers of a policy must be turnfold\.MemoryTiers or None, not 3"):
        Policy(name="mine", tiers=3)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folded() -> Iterator[FoldedConversation]:
    with fold(talk("tiers", 120)) as conversation:
        yield conversation


def test_hot_segments_stand_in_detail_and_cold_ones_in_a_note_at_most(folded: FoldedConversation) -> None:
    rules = MemoryTiers(**{**_ONE, "recency": 1.0}, half_life_turns=25, hot_from=40, warm_from=15)
    policy = replace(BALANCED, name="mine", tiers=rules)
    tiers = folded.tiers(rules=rules)
    assert {one.tier for one in tiers} == {"hot", "warm", "cold"}
    context = folded.context(budget_tokens=1_800, query=False, policy=policy)
    assert context.tokens <= 1_800
    plain = folded.context(budget_tokens=1_800, query=False)
    assert IMPORTANT_HEADER in context.text
    assert IMPORTANT_HEADER not in plain.text
    assert context.coverage is not None
    in_detail = {(span.first_seq, span.last_seq) for span in context.coverage.in_detail}
    assert in_detail
    assert in_detail <= {(one.first_seq, one.last_seq) for one in tiers if one.tier == "hot"}
    cold = [one for one in tiers if one.tier == "cold"]
    shown, before = (sum(_notes_of(folded, one, text) for one in cold) for text in (context.text, plain.text))
    assert all(_notes_of(folded, one, context.text) <= 1 for one in cold)
    assert before > shown > 0


def _notes_of(folded: FoldedConversation, segment: TieredSegment, text: str) -> int:
    """Count the notes of a segment in the background of a context, by texts that occur in one note only."""
    background = text[text.index("[background") :].partition(IMPORTANT_HEADER)[0]
    every = folded.notes(states=None, min_importance=0, limit=5_000)
    said = "\n".join(note.text for note in every)
    inside = [note for note in every if segment.first_seq <= note.turn_seq <= segment.last_seq]
    return sum(note.text in background for note in inside if said.count(note.text) == 1)


def test_a_query_makes_what_it_is_about_more_important(folded: FoldedConversation) -> None:
    plain = folded.tiers()
    asked = folded.tiers(query="How should the audit log behave when Kafka is down?")
    best = max(asked, key=lambda one: one.factors["relevance"])
    assert "relevance" not in plain[0].factors
    assert best.factors["relevance"] == 30
    expansion = folded.expand(best.marker)
    assert (expansion.first_seq, expansion.last_seq) == (best.first_seq, best.last_seq)


def test_the_named_policy_is_the_default_with_tiers(folded: FoldedConversation) -> None:
    assert replace(TIERED, name="balanced", tiers=None) == BALANCED
    named, own = (folded.context(budget_tokens=2_000, policy=policy) for policy in ("tiered", TIERED))
    assert named == own
    never = replace(TIERED, tiers=MemoryTiers(hot_from=101, warm_from=0))
    assert folded.context(budget_tokens=2_000, policy=never).text == folded.context(budget_tokens=2_000).text
