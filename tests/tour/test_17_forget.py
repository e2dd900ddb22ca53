"""Forgetting: a conversation is erased from Redis and SQL.

Once `forget` returns, nothing of the conversation can be read, and the receipt counts what was deleted. A later
conversation with the same name starts from scratch.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import Turnfold


def test_forgetting_leaves_nothing(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    receipt = turnfold.forget("conv")
    assert receipt.completed
    assert receipt.turns == len(example())
    assert turnfold.context("conv", budget_tokens=500).coverage is None
    assert turnfold.status("conv").stored == 0
    turnfold.append("conv", {"role": "user", "content": "A new start."})
    assert turnfold.wait("conv").stored == 1
