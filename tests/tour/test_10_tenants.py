"""Tenants: nothing crosses from one to another.

`for_tenant` is a cheap view on the same connections. Conversations of the same name in two tenants are two
conversations.
"""

from __future__ import annotations

from turnfold import Turnfold


def test_tenants_never_meet(turnfold: Turnfold) -> None:
    other = turnfold.for_tenant("somebody-else")
    turnfold.append("conv", {"role": "user", "content": "Our secret is 42."})
    assert other.context("conv", budget_tokens=500).coverage is None
    assert "42" in turnfold.context("conv", budget_tokens=500).text
