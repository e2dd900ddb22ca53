"""A turn that the caller pins appears verbatim in every context that has room for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.talk import talk
from turnfold.contract.records import PINNED_RANK
from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import FoldedConversation, fold

CLAUSE = (
    "Clause seven: the supplier delivers within ten working days, failing which a penalty of two percent of the value "
    "is due for each week begun, and the buyer may withdraw after the fifth week."
)


def told(mark: str, times: int = 1) -> FoldedConversation:
    turns = talk("pins", 100)
    for i in range(times):
        turns[20 + 12 * i] = {"role": "user", "content": f"({i}) {CLAUSE}", "importance": mark}
    return fold(turns)


@pytest.fixture(scope="module")
def pinned() -> Iterator[FoldedConversation]:
    with told("pin") as conversation:
        yield conversation


@pytest.mark.parametrize(
    ("policy", "budget"),
    [("balanced", 300), *((policy, at) for policy in ("balanced", "recency") for at in (500, 1_000, 2_000, 8_000))],
)
def test_a_pinned_turn_stands_word_for_word_in_small_contexts_too(
    pinned: FoldedConversation, policy: str, budget: int
) -> None:
    for query in (None, "Who owns the seat map?"):
        context = pinned.context(budget_tokens=budget, policy=policy, query=query)
        assert CLAUSE in context.text
        assert context.tokens <= budget
        used = next(part for part in context.budget.parts if part.name == "anchors")
        assert used.used <= used.got <= budget // 2


def test_pins_take_a_quarter_at_most_and_leave_rules_their_share() -> None:
    with told("pin", times=6) as many, told("normal", times=6) as none:
        budget = 600
        shown = many.context(budget_tokens=budget)
        parts = {part.name: part.used for part in shown.budget.parts}
        assert 2 <= shown.text.count(CLAUSE) < 6
        assert sum(estimate_tokens(line) for line in shown.text.splitlines() if CLAUSE in line) <= budget // 4
        assert parts["anchors"] <= 0.30 * budget
        assert any("anchors" in left.what for left in shown.budget.left_out)
        plain = {part.name: part.used for part in none.context(budget_tokens=budget).budget.parts}
        assert plain["anchors"] <= 0.30 * budget


def test_only_a_pin_has_its_rank(pinned: FoldedConversation) -> None:
    with told("high") as high:
        assert {CLAUSE in one.text for one in pinned.anchors() if one.rank >= PINNED_RANK} == {True}
        assert max(one.rank for one in high.anchors()) < PINNED_RANK
