"""Contexts that prefer recent turns give each age its share, and unused tokens to the newest turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from tests.unit.assemble.strategies import Conversation, build
from turnfold.assemble import RECENCY, Band, Policy, Request, choose, finish
from turnfold.assemble.forms.render_text import BACKGROUND_HEADER
from turnfold.contract.notes import Note
from turnfold.tokens import estimate_tokens

POINTS = 0.025
"""Tolerance of a share, as a fraction of the budget."""


def shares_of(conversation: Conversation, request: Request) -> list[float]:
    """Return the costs of raw turns and of the notes of each age, as shares of what standing facts leave."""
    snapshot = conversation.snapshot
    context = finish(choose(snapshot, request), {})
    used = {part.name: part.used for part in context.report.parts}
    shared = request.budget_tokens - sum(used[name] for name in ("system", "task", "frame", "anchors"))
    assert context.coverage is not None
    first_raw = next(span.first_seq for span in context.coverage.spans if span.level == 0)
    assert snapshot.outline is not None
    notes = [note for note in (*snapshot.outline.notes, *snapshot.outline.tail) if note.seq < first_raw]
    plan = choose(snapshot, request).plan
    groups = [*plan.groups, *([plan.tail] if plan.tail else [])]
    ages = [*ages_of(notes, request.policy, shared), 1]
    # The header counts as part of the oldest age.
    costs = [0] * len(ages)
    costs[-1] = estimate_tokens(BACKGROUND_HEADER)
    for group in groups:
        line = estimate_tokens(group.line)
        costs[age_of(group.last_seq, ages)] += line
        for age in range(len(ages)):
            notes = tuple(note for note in group.notes if age_of(note.seq, ages) == age)
            costs[age] += estimate_tokens(replace(group, notes=notes).text) - line
    raw = context.tokens - sum(used.values()) + used["recent"]
    return [cost / shared for cost in (raw, *costs)]


def age_of(seq: int, ages: Sequence[int]) -> int:
    return next(age for age, first_seq in enumerate(ages) if seq >= first_seq)


def ages_of(notes: Sequence[Note], policy: Policy, shared: int) -> Iterator[int]:
    """Yield the first turn of each age but the oldest: an age spans the notes whose kept part costs its share."""
    newest = sorted(notes, reverse=True)
    for band in policy.bands:
        wanted = band.share * shared / band.kept
        while newest and wanted > 0:
            wanted -= newest[0].tokens
            first_seq = newest.pop(0).seq
        newest = [note for note in newest if note.seq < first_seq]
        yield first_seq


MINE = Policy(
    name="mine", recent_share=0.4, newest_share=0.4, bands=(Band(share=0.5, kept=0.6),), tail_share=0.0,
    actions_share=0.0, steered_share=0.0, raw_step=0.0,
)  # fmt: skip


@examples(40)
@given(
    seed=st.integers(0, 2**32), budget=st.integers(2_000, 8_000), words=st.sampled_from([12, 24]),
    tail=st.sampled_from([0, 3, 30]),
)  # fmt: skip
def test_a_long_conversation_has_the_shares_of_recency(seed: int, budget: int, words: int, tail: int) -> None:
    # A read covers 200 turns: if they are short, they cannot fill 70 % of a larger budget.
    budget = min(budget, 500 * words)
    check_shares(build(segments=600, tail=tail, words=words, seed=seed), budget, RECENCY)


@pytest.mark.parametrize("budget", [2_000, 4_000, 8_000])
def test_a_policy_of_ones_own_has_its_shares(budget: int) -> None:
    check_shares(build(segments=600, tail=0, words=12, seed=1), budget, MINE)


def check_shares(conversation: Conversation, budget: int, policy: Policy) -> None:
    """Assert that raw turns and the notes of each age cost what the policy grants them."""
    raw, *notes = shares_of(conversation, Request(budget_tokens=budget, policy=policy))
    wanted = [band.share for band in policy.bands]
    assert raw == pytest.approx(policy.recent_share, abs=POINTS)
    assert notes == pytest.approx([*wanted, 1 - policy.recent_share - sum(wanted)], abs=POINTS)


@pytest.mark.parametrize("kept", [0, 8, 40])
def test_what_an_age_cannot_use_goes_to_the_newest_turns(kept: int) -> None:
    conversation = build(segments=60, tail=0, words=20, seed=1)
    outline = conversation.snapshot.outline
    assert outline is not None
    few = replace(outline, notes=tuple(outline.notes)[:kept])
    snapshot = replace(conversation.snapshot, outline=few)
    request = Request(budget_tokens=4_000, policy=RECENCY)
    context = finish(choose(snapshot, request), {})
    used = {part.name: part.used for part in context.report.parts}
    assert used["background"] < 0.25 * request.budget_tokens
    assert used["recent"] > 0.7 * (request.budget_tokens - used["anchors"])
    assert context.tokens > 0.95 * request.budget_tokens


@pytest.mark.parametrize("budget", [1_000, 4_000])
def test_what_a_query_finds_has_a_quarter_and_the_shares_are_of_the_rest(budget: int) -> None:
    conversation = build(segments=600, tail=3, words=12, seed=3)
    outline = conversation.snapshot.outline
    assert outline is not None
    old = tuple(note for note in outline.notes if note.seq < outline.last_seq // 2)
    snapshot = replace(conversation.snapshot, hits=old[:80])
    request = Request(budget_tokens=budget, query="Who decided on PostgreSQL?", policy=RECENCY)
    context = finish(choose(snapshot, request), {})
    used = {part.name: part.used for part in context.report.parts}
    kept = RECENCY.excerpts_share * budget
    assert 0.15 * budget < used["excerpts"] <= kept
    assert used["background"] / (budget - used["system"] - used["frame"] - used["anchors"] - kept) == pytest.approx(
        0.3, abs=POINTS
    )
    assert used["recent"] > 2 * used["background"]
    assert context.tokens > 0.95 * budget
