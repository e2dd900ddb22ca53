"""References: a short id stands for a context.

Another process turns it back into the same bytes, for as long as the reference lives and its conversation is not
forgotten.
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
