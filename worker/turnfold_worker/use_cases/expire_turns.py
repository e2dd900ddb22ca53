"""Retention of Level 0: the words of turns go some days after their segment was closed. What was made of them stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from turnfold.contract.records import ConversationId

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.retention import SqlRetention

CONVERSATIONS_AT_ONCE: Final = 50
"""In one transaction."""


class Expired(NamedTuple):
    """What one look did."""

    turns: int
    complete: bool
    """False when time was over before all that was old enough was gone."""


def expire(
    keep_days: float, *, retention: SqlRetention, seconds: float, clock: Callable[[], float],
    make_whole: Callable[[Sequence[ConversationId], float], bool],
) -> Expired:  # fmt: skip
    """Remove the words of what is older than `keep_days`, or its tenant's own days, for `seconds`.

    Only turns inside segments go, and none before `make_whole` has made what is kept of them again, where that was
    dropped; False says that time was over first.
    """
    removed, deadline, after = 0, clock() + seconds, ""
    if not keep_days and not retention.bounds_any():
        return Expired(0, complete=True)
    while True:
        tenants = retention.next_tenants(keep_days, after=after)
        for tenant, until in tenants.until.items():
            # What was looked at is not among those that are old enough any more.
            while conversations := retention.expirable(tenant, until, most=CONVERSATIONS_AT_ONCE):
                if not make_whole(conversations, deadline):
                    return Expired(removed, complete=False)
                removed += retention.expire(conversations, keep_days)
                if clock() >= deadline:
                    return Expired(removed, complete=False)
        if tenants.reached is None:
            return Expired(removed, complete=True)
        after = tenants.reached
