"""Tenants: data never crosses from one to another.

`for_tenant` returns a lightweight client for another tenant on the same connections. Two tenants may use the same
conversation name; they are two separate conversations.
"""

from __future__ import annotations

from turnfold import Turnfold


def test_tenants_never_meet(turnfold: Turnfold) -> None:
    other = turnfold.for_tenant("somebody-else")
    turnfold.append("conv", {"role": "user", "content": "Our secret is 42."})
    assert other.context("conv", budget_tokens=500).coverage is None
    assert "42" in turnfold.context("conv", budget_tokens=500).text
