"""Text before the recent turns stays the same while a conversation grows, because providers cache prompts by prefix."""

from __future__ import annotations

from statistics import median

import pytest

from support.examples_folder import example
from support.growing import growing
from support.prefixes import shared
from support.talk import talk

APPENDS = 30


@pytest.mark.parametrize(
    ("turns", "appends", "budget"), [(200, 20, 1_600), pytest.param(500, 50, 4_000, marks=pytest.mark.long)]
)
def test_three_fifths_of_a_context_stand_in_the_next_one_while_turns_are_appended_one_by_one(
    turns: int, appends: int, budget: int
) -> None:
    """The talk keeps revoking earlier turns, whose notes and standing facts leave the context at once."""
    texts = []
    for tf in growing(talk("one", turns), begin=turns - appends):
        context = tf.context("c", budget_tokens=budget, query=False)
        assert 0.95 * budget <= context.tokens <= budget
        texts.append(context.text.encode())
    assert median(shared(texts)) >= 0.6


def test_while_no_segment_closes_the_cached_block_begins_the_next_context() -> None:
    """The block changes only where recent turns take a step more of the budget; between steps, every byte stays."""
    turns = example()
    queries = (False, None)
    stays: dict[bool | None, list[bool]] = {query: [] for query in queries}
    shares: dict[bool | None, list[float]] = {query: [] for query in queries}
    blocks: dict[bool | None, str] = {}
    closed = 0
    for tf in growing(turns, begin=len(turns) - APPENDS):
        last_closed = tf.status("c").closed
        for query in queries:
            context = tf.context("c", budget_tokens=1_000, query=query)
            if query in blocks and last_closed == closed:
                stays[query].append(context.text.startswith(blocks[query]))
            blocks[query] = context.request("anthropic")["messages"][0]["content"][0]["text"]
            shares[query].append(context.stable_tokens / context.tokens)
        closed = last_closed
    for query in queries:
        assert len(stays[query]) > APPENDS // 2
        assert sum(stays[query]) >= 0.8 * len(stays[query])
        assert median(shares[query]) >= 0.4


@pytest.mark.parametrize("budget", [1_000, 2_000])
def test_turns_that_are_neither_folded_nor_shown_have_notes(budget: int) -> None:
    turns = example()
    seen = 0
    for tf in growing(turns, begin=len(turns) - APPENDS, step=5):
        text = tf.context("c", budget_tokens=budget).text
        _, line, rest = text.partition("[→L0:turns-")
        if line:
            seen += 1
            notes, _, _ = rest.partition("\n[recent turns]")
            assert ": " in notes, text
    assert seen
