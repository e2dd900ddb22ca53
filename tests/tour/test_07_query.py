"""Queries: a context can be about the next answer.

With `query=` the parts that bear on it are shown in more detail, down to the words themselves. `search` finds turns
and segments without making a context.
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
