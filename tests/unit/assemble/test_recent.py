"""Recent turns begin at round numbers, so that successive contexts share their beginning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.seals import SEALS
from turnfold.assemble import BALANCED, Context, Policy, Request, choose, finish
from turnfold.contract.records import ConversationId, Role, StoredTurn
from turnfold.contract.results import Head, Snapshot
from turnfold.tokens import estimate_tokens

BUDGET = 1_500
APPENDS = range(100, 140)


def read(count: int, policy: Policy) -> Context:
    """Return a context of a conversation of `count` unfolded turns that exceeds its budget."""
    turns = []
    for seq in range(1, count + 1):
        content = f"Order {seq} was sent to store {seq * 37 % 101} on time." + " It was the first one." * (seq % 3)
        turns.append(
            StoredTurn(seq=seq, turn_id=f"t{seq}", role=Role.USER, content=content, tokens=estimate_tokens(content))
        )
    head = Head(
        id=ConversationId(1), turn_count=count, closed_seq=0, fold_seq=0, node_count=0, anchor_count=0,
        anchor_tokens=0, revision=count,
    )  # fmt: skip
    snapshot = Snapshot(conversation_id="c", seals=SEALS, head=head, turns=tuple(turns))
    request = Request(budget_tokens=BUDGET, policy=policy)
    return finish(choose(snapshot, request), {})


def first_raw(context: Context) -> int:
    return next(span.first_seq for span in context.coverage.spans if span.level == 0)


@pytest.mark.parametrize(("raw_step", "least", "most"), [(BALANCED.raw_step, 1, 20), (0.0, 25, 40)])
def test_recent_turns_seldom_begin_later_while_turns_are_appended(raw_step: float, least: int, most: int) -> None:
    contexts = [read(count, replace(BALANCED, name="steps", raw_step=raw_step)) for count in APPENDS]
    starts = [first_raw(context) for context in contexts]
    assert starts == sorted(starts)
    assert least <= len(set(starts)) <= most
    assert all(context.tokens <= BUDGET for context in contexts)
    assert all(context.tokens >= 0.95 * BUDGET for context in contexts)
