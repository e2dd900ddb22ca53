"""Detail: segments that are looked up often are shown in more detail.

Each expansion is counted without slowing the read, and a worker later adds the counts to SQL. A cold segment becomes
warm, then hot, and contexts show more of it at each step.
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
