"""References: a short id stands for a whole context.

Any process can resolve the id to the same bytes, until the reference expires or its conversation is forgotten.
"""

from __future__ import annotations

import pytest

from support.examples_folder import example
from turnfold import Turnfold, UnknownReference


def test_a_reference_stands_for_a_context(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    context = turnfold.context("conv", budget_tokens=1_000)
    reference = context.reference()
    assert reference.startswith("ctx_")
    turnfold.append("conv", {"role": "user", "content": "One more thing."})
    assert turnfold.resolve(reference).text == context.text
    turnfold.forget("conv")
    with pytest.raises(UnknownReference, match="make the context again"):
        turnfold.resolve(reference)
