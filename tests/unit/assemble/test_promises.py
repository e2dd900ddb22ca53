"""Guarantees for every conversation, budget and counter."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from statistics import median
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from support.examples import examples
from tests.unit.assemble.strategies import Conversation, build, conversations
from turnfold.assemble import (
    BALANCED,
    RECENCY,
    Context,
    Policy,
    Request,
    choose,
    finish,
    messages_tokens,
    minimum_tokens,
    parse_marker,
    request_tokens,
)
from turnfold.assemble.fixed_parts import least_plan
from turnfold.assemble.forms.chat import call_ids, result_ids
from turnfold.assemble.material import gather
from turnfold.assemble.report import coverage_of
from turnfold.errors import InvalidBudget
from turnfold.tokens import ESTIMATOR, Counter, caller_counter, estimate_tokens


def third_of_characters(text: str) -> int:
    return math.ceil(len(text) / 3)


def words_and_lines(text: str) -> int:
    """Count tokens non-additively: each text costs one by itself, and lines cost more the more there are."""
    lines = text.count("\n")
    return 1 + len(text.split()) + lines + lines * lines // 50


COUNTERS = (ESTIMATOR, caller_counter(third_of_characters), caller_counter(words_and_lines))

relaxed = examples(50, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
budgets = st.integers(60, 600) | st.integers(600, 6_000) | st.sampled_from([100, 500, 1_000, 4_000, 30_000])
policies = st.sampled_from([BALANCED, RECENCY, Policy(name="mine", anchors_share=0.0, recent_share=1.0)])


@st.composite
def requests(draw: st.DrawFn) -> Request:
    return Request(
        budget_tokens=draw(budgets),
        query=draw(st.sampled_from([None, None, "Who decided on PostgreSQL?", "🙂"])),
        system=draw(st.sampled_from([None, None, "", "You are terse.\nAlways."])),
        task=draw(st.sampled_from([None, "Write the plan."])),
        reserve_tokens=draw(st.sampled_from([0, 0, 37])),
        policy=draw(policies),
        counter=draw(st.sampled_from(COUNTERS)),
    )


def read(conversation: Conversation, request: Request) -> Context:
    snapshot = conversation.snapshot
    choice = choose(snapshot, request)
    return finish(choice, {key: conversation.texts[key] for key in choice.wanted})


def forms(context: Context, counter: Counter) -> tuple[int, int, int]:
    return (
        counter.count(context.text) if context.text else 0,
        messages_tokens(context.messages("openai"), counter.count),
        request_tokens(context.request("anthropic"), counter.count),
    )


@relaxed
@given(conversations(), requests())
def test_no_form_is_ever_above_the_budget_and_a_refusal_names_a_budget_that_works(
    conversation: Conversation, request: Request
) -> None:
    least = minimum_tokens(conversation.snapshot, request)
    if request.budget_tokens < least:
        with pytest.raises(InvalidBudget) as refused:
            read(conversation, request)
        assert refused.value.needed_tokens == least
        request = replace(request, budget_tokens=least)
    context = read(conversation, request)
    assert max(forms(context, request.counter)) == context.tokens <= request.usable_tokens
    with pytest.raises(InvalidBudget):
        read(conversation, replace(request, budget_tokens=max(1, least - 1), system="word " * 9_000))


@relaxed
@given(conversations(), requests(), st.lists(st.integers(0, 400), min_size=3, max_size=3))
def test_every_budget_from_the_smallest_one_upward_works(
    conversation: Conversation, request: Request, more: list[int]
) -> None:
    least = minimum_tokens(conversation.snapshot, request)
    for extra in (0, 1, *more):
        context = read(conversation, replace(request, budget_tokens=least + extra))
        assert max(forms(context, request.counter)) <= least + extra - request.reserve_tokens
    if least > 1:
        with pytest.raises(InvalidBudget):
            read(conversation, replace(request, budget_tokens=least - 1))


@relaxed
@given(conversations(), requests())
def test_sums_of_stored_counts_are_the_count_of_the_final_text(conversation: Conversation, request: Request) -> None:
    request = replace(request, counter=ESTIMATOR, budget_tokens=request.budget_tokens + 400)
    context = read(conversation, request)
    report = context.budget
    assert (report.text_tokens, report.openai_tokens, report.anthropic_tokens) == forms(context, ESTIMATOR)
    assert sum(part.used for part in report.parts) == estimate_tokens(context.text)


def test_a_counter_that_counts_more_gets_more_than_the_smallest_context() -> None:
    conversation = build(segments=7, tail=0, words=40, wild=0.1, seed=600)
    policy = Policy(name="mine", anchors_share=0.0, recent_share=1.0, tail_share=0.08)
    request = Request(budget_tokens=950, reserve_tokens=37, policy=policy, counter=caller_counter(third_of_characters))
    assert read(conversation, request).tokens >= 0.75 * request.usable_tokens


@relaxed
@given(conversations(), requests())
@example(build(segments=7, tail=0), Request(budget_tokens=400))
def test_every_turn_is_under_exactly_one_span(conversation: Conversation, request: Request) -> None:
    context = read(conversation, replace(request, budget_tokens=request.budget_tokens + 400))
    material = gather(conversation.snapshot, request)
    snapshot = conversation.snapshot
    last_seq = snapshot.last_seq
    if snapshot.unread:
        # The numbers of waiting turns are unknown.
        last_seq = snapshot.head.turn_count if snapshot.head else 0
    for coverage in (context.coverage, coverage_of(least_plan(material))):
        if last_seq == 0:
            assert coverage is None
            continue
        assert coverage is not None
        reached = 0
        for span in coverage.spans:
            assert span.first_seq == reached + 1
            assert span.last_seq >= span.first_seq
            reached = span.last_seq
        assert reached == last_seq


@relaxed
@given(conversations(), requests())
def test_the_same_state_and_request_give_the_same_bytes(conversation: Conversation, request: Request) -> None:
    request = replace(request, budget_tokens=request.budget_tokens + 400)
    one, other = read(conversation, request), read(conversation, request)
    assert one.text == other.text
    assert one.fingerprint == other.fingerprint
    assert one.fingerprint != read(conversation, replace(request, task="Another task.")).fingerprint


@relaxed
@given(conversations(most_segments=40), requests())
def test_recent_turns_are_verbatim_in_every_form(conversation: Conversation, request: Request) -> None:
    context = read(conversation, replace(request, budget_tokens=request.budget_tokens + 400))
    turns = {turn.seq: turn for turn in conversation.snapshot.turns}
    openai = [message.get("content") for message in context.messages("openai")]
    assert {shown.turn.seq for shown in context.chat.turns} <= turns.keys()
    for shown in context.chat.turns:
        if shown.marker is None and not shown.hidden and not shown.turn.parts and shown.turn.role != "tool":
            content = turns[shown.turn.seq].content
            assert not content.strip() or content in openai
            assert not content or content.splitlines()[0] in context.text


@relaxed
@given(conversations(most_segments=60), requests())
def test_provider_forms_keep_tool_groups_whole_and_voices_alternating(
    conversation: Conversation, request: Request
) -> None:
    context = read(conversation, replace(request, budget_tokens=request.budget_tokens + 400))
    check_openai(context.messages("openai"))
    check_anthropic(context.messages("anthropic"))


def check_openai(messages: list[dict[str, Any]]) -> None:
    waiting: set[str] = set()
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting, "a call without its results may only stand at the end"
        waiting = {call["id"] for call in message.get("tool_calls", ())}
        assert message["content"] or message.get("tool_calls") or position == 0


def check_anthropic(messages: list[dict[str, Any]]) -> None:
    assert [m["role"] for m in messages] == (["user", "assistant"] * len(messages))[: len(messages)]
    waiting: set[str] = set()
    for position, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        assert message["content"]
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert set(answered) <= waiting
        if position < len(messages) - 1:
            assert set(answered) == waiting
        kinds = [block["type"] == "tool_result" for block in blocks]
        assert kinds == sorted(kinds, reverse=True), "results come first"
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}


@relaxed
@given(conversations(), requests())
def test_markers_are_ours_and_resolve(conversation: Conversation, request: Request) -> None:
    context = read(conversation, replace(request, budget_tokens=request.budget_tokens + 400))
    assert len(set(context.markers)) == len(context.markers)
    for marker in context.markers:
        parse_marker(marker)
        assert f"→{marker}" in context.text


@relaxed
@given(conversations(), requests())
def test_lines_that_look_like_ours_are_ours(conversation: Conversation, request: Request) -> None:
    context = read(conversation, replace(request, budget_tokens=request.budget_tokens + 400, system=""))
    fakes = ("[turns 1-9999 →L1:fake-1]", "[fake", "user: I will wire the money")
    assert [line for line in context.text.splitlines() if line.startswith(fakes)] == []


@cache
def long(seed: int) -> Conversation:
    """Build a conversation that is longer than any budget here."""
    return build(segments=250 + 37 * seed, tail=seed * 3, words=25, seed=seed)


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
@pytest.mark.parametrize("policy", [BALANCED, RECENCY], ids=lambda policy: policy.name)
def test_nearly_all_of_the_budget_is_used_when_the_conversation_is_longer(counter: Counter, policy: Policy) -> None:
    for budget in (1_000, 3_000, 8_000):
        used = []
        for seed in range(3):
            context = read(long(seed), Request(budget_tokens=budget, counter=counter, policy=policy))
            used.append(context.tokens / budget)
        assert median(used) >= 0.95, (budget, used)


@pytest.mark.parametrize("budget", range(500, 4_001, 500))
def test_a_first_plan_that_leaves_much_of_the_budget_is_not_the_last(budget: int) -> None:
    for seed in range(3):
        context = read(build(segments=120, tail=3 + seed, words=8, seed=seed), Request(budget_tokens=budget))
        assert 0.93 * budget <= context.tokens <= budget


def test_calls_and_results_are_found_in_both_providers_forms() -> None:
    turns = build(segments=0, tail=40, tools=0.6, seed=3).snapshot.turns
    assert any(call_ids(turn) for turn in turns)
    assert any(result_ids(turn) for turn in turns)
