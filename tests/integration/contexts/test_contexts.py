"""Contexts of folded conversations, end to end: budget, formats, coverage, markers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from support.conversations import conversations
from support.examples import examples
from turnfold import Context, InvalidBudget
from turnfold.assemble.forms.form_tokens import request_tokens
from turnfold.tokens import ESTIMATOR, Counter, caller_counter
from turnfold_worker.offline import FoldedConversation, fold


def characters(text: str) -> int:
    return -(-len(text) // 3)


def words(text: str) -> int:
    """Count tokens non-additively on purpose: joining parts may both save and add tokens."""
    return len(text.split()) + text.count("\n\n") + len(text) // 50


COUNTERS: tuple[Counter, ...] = (ESTIMATOR, caller_counter(characters), caller_counter(words))

thorough = examples(25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def context_at(conversation: FoldedConversation, budget: int, counter: Counter, query: str | None = None) -> Context:
    count = None if counter is ESTIMATOR else counter.count
    return conversation.context(budget_tokens=budget, count_tokens=count, query=query)


def largest_form(context: Context, counter: Counter) -> int:
    return max(
        counter.count(context.text),
        request_tokens(context.request("openai"), counter.count),
        request_tokens(context.request("anthropic"), counter.count),
    )


@thorough
@given(
    turns=conversations(most=120),
    extra=st.sampled_from((0, 1, 7, 60, 400, 3_000)),
    counter=st.sampled_from(COUNTERS),
    query=st.sampled_from((None, "When is the launch?", "数据库")),
)
def test_no_form_is_ever_above_the_budget_from_the_minimum_up(
    turns: list[dict[str, Any]], extra: int, counter: Counter, query: str | None
) -> None:
    with fold(turns) as conversation:
        least = least_budget(conversation, counter, query)
        context = context_at(conversation, least + extra, counter, query)
        assert context.tokens <= least + extra
        assert largest_form(context, counter) <= context.tokens


def least_budget(conversation: FoldedConversation, counter: Counter, query: str | None) -> int:
    """Return the budget that the error names; check that neither 1 nor one token less suffices."""
    with pytest.raises(InvalidBudget) as refused:
        context_at(conversation, 1, counter, query)
    needed = refused.value.needed_tokens
    assert str(needed) in str(refused.value)
    with pytest.raises(InvalidBudget):
        context_at(conversation, needed - 1, counter, query)
    return needed


@thorough
@given(turns=conversations(most=120), budget=st.sampled_from((200, 500, 1_000, 4_000)))
def test_every_turn_is_under_exactly_one_span_and_every_marker_resolves(
    turns: list[dict[str, Any]], budget: int
) -> None:
    with fold(turns) as conversation:
        try:
            context = conversation.context(budget_tokens=budget)
        except InvalidBudget:
            return
        assert context.coverage is not None
        spans = context.coverage.spans
        assert (spans[0].first_seq, spans[-1].last_seq) == (1, len(turns))
        assert all(later.first_seq == earlier.last_seq + 1 for earlier, later in pairwise(spans))
        for marker in context.markers:
            expansion = conversation.expand(marker)
            assert expansion.text
            assert 1 <= expansion.first_seq <= expansion.last_seq <= len(turns)


@thorough
@given(turns=conversations(most=80), cut=st.integers(0, 80))
def test_contexts_do_not_depend_on_how_turns_were_batched(turns: list[dict[str, Any]], cut: int) -> None:
    with fold(turns) as whole, fold(iter(turns[:cut] + turns[cut:]), settings={"gap_minutes": 60}) as again:
        for budget in (400, 2_000):
            try:
                ours = whole.context(budget_tokens=budget)
            except InvalidBudget:
                continue
            assert ours.text == again.context(budget_tokens=budget).text


@thorough
@given(turns=conversations(most=80))
def test_the_whole_conversation_is_shown_verbatim_when_it_fits(turns: list[dict[str, Any]]) -> None:
    with fold(turns) as conversation:
        context = conversation.context(budget_tokens=200_000)
        assert context.coverage is not None
        assert {span.level for span in context.coverage.spans} == {0}
        shown = [m.get("content") for m in context.messages("openai") if m["role"] != "system"]
        assert len(shown) == len(turns)
        # An unanswered call is shown as text, because providers reject it as a call.
        said = [(ours, turn["content"]) for ours, turn in zip(shown, turns, strict=True) if "tool_calls" not in turn]
        assert [ours for ours, _ in said] == [theirs for _, theirs in said]


@thorough
@given(turns=conversations(most=80))
def test_levels_shrink_and_never_exceed_their_source(turns: list[dict[str, Any]]) -> None:
    enough_for_a_segment = [{"role": "user", "content": "Another note on the plan."} for _ in range(12)]
    settings = {"segment_max_turns": 8, "segment_min_turns": 2}
    with fold([*enough_for_a_segment, *turns], settings=settings) as conversation:
        assert conversation.segments
        for segment in conversation.segments:
            source, detailed, brief, tags = segment.tokens
            assert detailed <= source
            assert brief <= detailed
            assert tags <= brief or tags <= 40


def test_every_turn_of_the_longest_segment_can_become_an_excerpt() -> None:
    turns = [{"role": "user", "content": "Another note on the plan."} for _ in range(400)]
    turns[150]["content"] = "The vault code is 4711."
    longest = {"segment_max_turns": 200, "segment_max_tokens": 16_000, "segment_min_turns": 100}
    with fold(turns, settings=longest) as conversation:
        assert max(segment.last_seq - segment.first_seq for segment in conversation.segments) >= 180
        for policy in ("balanced", "recency"):
            context = conversation.context(budget_tokens=600, query="What is the vault code?", policy=policy)
            assert "vault code is 4711" in context.text
        assert "4711" in conversation.search("vault code")[0].snippet
