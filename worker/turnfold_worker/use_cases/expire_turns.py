"""Retention of Level 0: removes the text of turns some days after their segment closed, and keeps derived rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from turnfold.contract.records import ConversationId

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.retention import SqlRetention

CONVERSATIONS_AT_ONCE: Final = 50
"""Conversations of one transaction."""


def expire(
    keep_days: float, *, retention: SqlRetention, seconds: float, clock: Callable[[], float],
    make_whole: Callable[[Sequence[ConversationId], float], bool],
) -> tuple[int, bool]:  # fmt: skip
    """Remove the text of turns older than `keep_days`, or than their tenant's own limit, for up to `seconds`.

    Returns the number of turns, and False when time ran out before all expired turns were handled.

    Only turns in closed segments expire, and only after `make_whole` has rebuilt the levels that were dropped; False
    from it says that time ran out.
    """
    removed, deadline, after = 0, clock() + seconds, ""
    if not keep_days and not retention.bounds_any():
        return 0, True
    while True:
        tenants, reached = retention.next_tenants(keep_days, after=after)
        for tenant, until in tenants.items():
            # Conversations that were handled are no longer expirable.
            while conversations := retention.expirable(tenant, until, most=CONVERSATIONS_AT_ONCE):
                if not make_whole(conversations, deadline):
                    return removed, False
                removed += retention.expire(conversations, keep_days)
                if clock() >= deadline:
                    return removed, False
        if reached is None:
            return removed, True
        after = reached
