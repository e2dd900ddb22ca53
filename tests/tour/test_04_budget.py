"""Budgets: a context never exceeds its budget and covers every turn.

At any budget, each turn of the conversation belongs to exactly one span of the context: shown raw, condensed into
notes, or summarized in the line of a chapter. `coverage` lists these spans, so nothing disappears silently.
"""

from __future__ import annotations

from itertools import pairwise

from support.examples_folder import example
from turnfold import Turnfold


def test_a_context_never_exceeds_its_budget_and_covers_every_turn_once(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    for budget in (300, 500, 1_000, 2_000, 8_000):
        context = turnfold.context("conv", budget_tokens=budget)
        assert context.tokens <= budget
        assert context.coverage is not None
        spans = context.coverage.spans
        assert (spans[0].first_seq, spans[-1].last_seq) == (1, len(example()))
        assert all(later.first_seq == earlier.last_seq + 1 for earlier, later in pairwise(spans))
