"""Queries: a context can focus on the next answer.

With `query=`, the parts of the conversation that bear on the question are shown in more detail, up to the exact words.
`search` finds turns and segments without building a context.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import Turnfold


def test_a_query_brings_what_it_asks_for(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    context = turnfold.context("conv", budget_tokens=1_000, query="What does Okralink charge for a refund?")
    assert "0.50 euros per refund" in context.text
    assert any("Fennpay" in hit.snippet for hit in turnfold.search("conv", "Fennpay charge"))
