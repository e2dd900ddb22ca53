"""Detail: what is looked up often is shown in more of it.

Expansions are counted beside the read and folded into SQL by a worker. A segment becomes warm, then hot, and contexts
show more of it.
"""

from __future__ import annotations

from support.examples_folder import example
from support.waiting import wait_until
from turnfold import Turnfold


def test_what_is_looked_up_often_is_shown_in_more_detail(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    first = turnfold.expand("conv", "L1:2").first_seq
    for _ in range(3):
        turnfold.expand("conv", "L1:2")

    def tier() -> str | None:
        coverage = turnfold.context("conv", budget_tokens=3_000).coverage
        return coverage.tier_of(first) if coverage else None

    assert tier() == "cold"
    wait_until(lambda: tier() == "warm", what="a worker has counted the expansions")
