"""Errors: bad input is rejected at once, with the remedy.

Every error is a `TurnfoldError`, tells you what to do, and leaves no work half done. When a budget is too small, the
error names the smallest one that works.
"""

from __future__ import annotations

import pytest

from support.examples_folder import example
from turnfold import InvalidBudget, InvalidTurn, Turnfold


def test_bad_input_is_refused_with_the_remedy(turnfold: Turnfold) -> None:
    with pytest.raises(InvalidTurn, match="system, developer, user, assistant, tool"):
        turnfold.append("conv", {"role": "robot", "content": "beep"})
    with pytest.raises(InvalidTurn, match="no content"):
        turnfold.append("conv", {"role": "user", "content": "  "})
    turnfold.append("conv", example()[:40])
    # Folding adds to the text that every context must show, so the minimum budget grows with it.
    turnfold.wait("conv")
    with pytest.raises(InvalidBudget) as refused:
        turnfold.context("conv", budget_tokens=5, system="A system text of some length.")
    needed = refused.value.needed_tokens
    assert turnfold.context("conv", budget_tokens=needed, system="A system text of some length.").tokens <= needed
