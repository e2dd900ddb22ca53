"""Repeating: appending the same turn again changes nothing.

Give a turn your own `turn_id` and appending it is idempotent: retry after a timeout, append it from two processes, or
let a queue deliver it twice. Without one, the client generates an id and returns it in the receipt.
"""

from __future__ import annotations

from datetime import UTC, datetime

from turnfold import Turn, Turnfold


def test_repeating_a_turn_id_changes_nothing(turnfold: Turnfold) -> None:
    turn = Turn(role="user", content="Ship on Monday.", turn_id="m-1", created_at=datetime(2026, 3, 2, tzinfo=UTC))
    for _ in range(3):
        assert turnfold.append("conv", turn).turn_ids == ["m-1"]
    assert turnfold.wait("conv").stored == 1
