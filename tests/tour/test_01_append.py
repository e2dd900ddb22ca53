"""Appending: a turn is a message dict.

`append` takes one message of a provider's client as it is, a `Turn`, or a list of either, and returns when Redis has
them. What was appended is in the next context at once, whether or not a worker has seen it: a service always reads its
own writes. A context is made for a budget of tokens and never costs more.
"""

from __future__ import annotations

from turnfold import Turnfold


def test_a_turn_is_a_message_dict_and_is_readable_at_once(turnfold: Turnfold) -> None:
    turnfold.append("conv", {"role": "user", "content": "We must use PostgreSQL."})
    context = turnfold.context("conv", budget_tokens=500)
    assert "We must use PostgreSQL." in context.text
    assert context.tokens <= 500
