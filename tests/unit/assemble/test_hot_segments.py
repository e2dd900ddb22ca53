"""Segments that are often expanded are shown in more detail, within the budget and without changing coverage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from support.examples import examples
from tests.unit.assemble.strategies import Conversation, build, conversations
from turnfold.assemble import (
    BALANCED,
    RECENCY,
    TIERED,
    Context,
    Request,
    choose,
    finish,
    messages_tokens,
    request_tokens,
)
from turnfold.assemble.forms.render_text import OFTEN_HEADER
from turnfold.contract.results import Often
from turnfold.errors import InvalidBudget, UnknownTurn
from turnfold.tokens import ESTIMATOR, caller_counter, estimate_tokens

COUNTERS = (ESTIMATOR, *(caller_counter(lambda text, size=size: -(-len(text) // size)) for size in (3, 6)))


def read(conversation: Conversation, request: Request, weights: dict[int, int]) -> Context:
    snapshot = conversation.snapshot
    often = tuple(
        Often(node, weights[node.idx]) for node in conversation.nodes if node.height == 0 and node.idx in weights
    )
    if snapshot.head is not None:
        snapshot = replace(snapshot, head=replace(snapshot.head, often=often))
    if request.policy.tiers is not None:
        cold = [node for node in conversation.nodes if node.height == 0 and node.idx % 3 and node.idx not in weights]
        snapshot = replace(snapshot, cold=tuple((node.first_seq, node.last_seq) for node in cold))
    choice = choose(snapshot, request)
    return finish(choice, {key: conversation.texts[key] for key in choice.wanted})


@examples(100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    conversation=conversations(most_segments=200), budget=st.integers(60, 6_000),
    policy=st.sampled_from([BALANCED, RECENCY, replace(BALANCED, often_share=0.5), TIERED]),
    counter=st.sampled_from(COUNTERS),
    weights=st.dictionaries(st.integers(0, 200), st.integers(1, 256), max_size=8),
)  # fmt: skip
def test_it_never_costs_more_than_the_budget_and_changes_no_coverage(
    conversation: Conversation, budget: int, policy: object, counter: object, weights: dict[int, int]
) -> None:
    request = Request(budget_tokens=budget, policy=policy, counter=counter)  # type: ignore[arg-type]
    try:
        plain = read(conversation, request, {})
    except InvalidBudget:
        return
    found = read(conversation, request, weights)
    count = request.counter.count
    assert found.tokens == max(
        count(found.text), messages_tokens(found.messages("openai"), count),
        request_tokens(found.request("anthropic"), count),
    )  # fmt: skip
    assert found.tokens <= budget
    assert found == read(conversation, request, weights)
    if plain.coverage is None or found.coverage is None:
        assert plain.coverage is found.coverage is None
        return
    assert (found.coverage.first_seq, found.coverage.last_seq) == (plain.coverage.first_seq, plain.coverage.last_seq)
    used = {part.name: part.used for part in found.budget.parts}["often"]
    if request.counter.stored:
        assert used <= request.policy.detail_share * budget + 1
    for span in found.coverage.in_detail:
        assert found.coverage.tier_of(span.first_seq) in {"hot", "warm"}


def test_a_segment_that_is_looked_up_often_becomes_warm() -> None:
    conversation = build(segments=60, tail=3, words=12, seed=1)
    node = next(node for node in conversation.nodes if node.height == 0 and node.idx > 30)
    request = Request(budget_tokens=4_000)
    seldom, often = (read(conversation, request, {node.idx: weight}) for weight in (2, 3))
    assert OFTEN_HEADER not in seldom.text
    label = often.text.index(OFTEN_HEADER)
    assert often.text.index("[background") < label < often.text.index("[recent turns]")
    assert conversation.texts[0, node.idx, 1].splitlines()[0] in often.text[label:]
    assert seldom.coverage is not None
    assert often.coverage is not None
    assert seldom.coverage.tier_of(node.first_seq) == "cold"
    assert often.coverage.tier_of(node.first_seq) == "warm"
    assert often.coverage.tier_of(often.coverage.last_seq) == "hot"
    assert f"L0:{node.slug}-{node.idx + 1}" in often.markers
    with pytest.raises(UnknownTurn, match="turn 0 is not between 1 and"):
        often.coverage.tier_of(0)


def test_one_that_finds_no_room_is_named_with_its_marker() -> None:
    conversation = build(segments=60, tail=3, words=12, seed=1)
    node = next(node for node in conversation.nodes if node.height == 0 and node.idx > 30)
    small, unused = (replace(BALANCED, often_share=share) for share in (0.001, 0.0))
    found = read(conversation, Request(budget_tokens=4_000, policy=small), {node.idx: 9})
    assert OFTEN_HEADER not in found.text
    reach = [one.reach for one in found.budget.left_out if "looked up often" in one.what]
    assert reach == [f"L1:{node.slug}-{node.idx + 1}"]
    for policy, weight in ((unused, 9), (small, 2)):
        account = read(conversation, Request(budget_tokens=4_000, policy=policy), {node.idx: weight}).budget
        assert not any("looked up often" in one.what for one in account.left_out)


def test_one_of_which_only_the_end_is_shown_raw_stands_there_in_detail() -> None:
    conversation = build(segments=60, tail=3, words=12, seed=1)
    request = Request(budget_tokens=4_000)
    coverage = read(conversation, request, {}).coverage
    assert coverage is not None
    hot = next(seq for seq in range(1, coverage.last_seq + 1) if coverage.tier_of(seq) == "hot")
    segments = [node for node in conversation.nodes if node.height == 0]
    partly = [node for node in segments if node.first_seq < hot <= node.last_seq]
    whole = [node for node in segments if node.first_seq >= hot]
    for nodes, shown in ((partly, True), (whole, False)):
        for node in nodes:
            found = read(conversation, request, {node.idx: 9})
            assert (OFTEN_HEADER in found.text) is shown
            assert not any("looked up often" in one.what for one in found.budget.left_out)


def test_what_is_shown_in_detail_has_no_notes_beside_it_and_the_room_is_for_others() -> None:
    conversation = build(segments=60, tail=3, words=12, seed=1)
    outline = conversation.snapshot.outline
    assert outline is not None
    segments = [node for node in conversation.nodes if node.height == 0 and node.idx > 30]
    node = max(segments, key=lambda one: sum(one.first_seq <= note.seq <= one.last_seq for note in outline.notes))
    said = "\n".join(note.text for note in (*outline.notes, *outline.tail))
    notes = [note for note in outline.notes if said.count(note.text) == 1]
    inside = [note.text for note in notes if node.first_seq <= note.seq <= node.last_seq]
    request = Request(budget_tokens=4_000)

    def background(context: Context) -> str:
        return context.text[context.text.index("[background") :].partition(OFTEN_HEADER)[0]

    seldom, often = (read(conversation, request, {node.idx: weight}) for weight in (2, 3))
    assert any(text in background(seldom) for text in inside)
    assert not any(text in background(often) for text in inside)
    others = [note.text for note in notes if note.text not in inside and note.text in background(seldom)]
    assert sum(text in background(often) for text in others) > 0.7 * len(others) > 10
    assert often.tokens > 0.97 * request.budget_tokens


def test_a_segment_whose_words_are_gone_since_the_count_has_its_notes() -> None:
    conversation = build(segments=60, tail=3, words=12, seed=2)
    request = Request(budget_tokens=4_000)
    snapshot = conversation.snapshot
    node = next(node for node in conversation.nodes if node.height == 0 and node.idx > 30)
    assert snapshot.head is not None
    snapshot = replace(snapshot, head=replace(snapshot.head, often=(Often(node, 9),)))
    context = finish(choose(snapshot, request), {})
    assert context.text == read(conversation, request, {}).text
    assert context.markers == read(conversation, request, {}).markers
    assert context.coverage is not None
    assert context.coverage.in_detail == ()


@pytest.mark.parametrize("seed", range(6))
def test_only_segments_whose_words_were_fetched_are_shown_in_detail(seed: int) -> None:
    conversation = build(segments=60, tail=3, words=12 + 8 * seed, seed=seed)
    weights = {idx: 3 + idx % 7 for idx in range(0, 60, 8)}
    for budget in (800, 2_000, 4_000):
        # A counter below the stored counts leaves room for more segments than those counts suggest.
        context = read(conversation, Request(budget_tokens=budget, counter=COUNTERS[-1], policy=TIERED), weights)
        assert context.coverage is not None
        spans = {(span.first_seq, span.last_seq) for span in context.coverage.in_detail}
        shown = [node for node in conversation.nodes if node.height == 0 and (node.first_seq, node.last_seq) in spans]
        assert len(shown) == len(spans)
        assert all(conversation.texts[0, node.idx, 1].splitlines()[0] in context.text for node in shown)


def test_words_that_grew_since_the_count_do_not_exceed_the_budget() -> None:
    conversation = build(segments=200, tail=3, words=40, seed=3)
    request = Request(budget_tokens=1_000)
    snapshot = conversation.snapshot
    node = next(node for node in conversation.nodes if node.height == 0 and node.idx > 150)
    assert snapshot.head is not None
    small = replace(node, tokens=(0, 20, 0, 0))
    snapshot = replace(snapshot, head=replace(snapshot.head, often=(Often(small, 9),)))
    choice = choose(snapshot, request)
    assert choice.wanted
    context = finish(choice, dict.fromkeys(choice.wanted, "word " * 600))
    assert context.tokens <= 1_000
    assert estimate_tokens(context.text) <= 1_000
