"""Appending: a turn is a message dict.

Pass `append` a message exactly as your provider's client returns it, a `Turn`, or a list of either. It returns as soon
as Redis has stored them. The next context already contains the new turns, even if no worker has seen them yet, so a
service always reads its own writes. You ask for a context within a token budget, and it never exceeds that budget.
"""

from __future__ import annotations

from turnfold import Turnfold


def test_a_turn_is_a_message_dict_and_is_readable_at_once(turnfold: Turnfold) -> None:
    turnfold.append("conv", {"role": "user", "content": "We must use PostgreSQL."})
    context = turnfold.context("conv", budget_tokens=500)
    assert "We must use PostgreSQL." in context.text
    assert context.tokens <= 500
