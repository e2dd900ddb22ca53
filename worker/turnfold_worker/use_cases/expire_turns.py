"""Retention of Level 0: the words of turns go some days after their segment was closed. What was made of them stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

from turnfold.contract.records import ConversationId
from turnfold_worker.ports.messages import DueTenants

CONVERSATIONS_AT_ONCE: Final = 50
"""In one transaction."""


class Retention(Protocol):
    """The SQL side. Every method is one transaction, by the database's clock.

    A tenant's own days, if it has some, stand for `keep_days`; 0 keeps words for ever.
    """

    def bounds_any(self) -> bool:
        """Whether any tenant has a number of days of its own."""

    def next_tenants(self, keep_days: float, *, after: str) -> DueTenants:
        """Some of the tenants behind `after` with words that are to go."""

    def expirable(self, tenant: str, until: int, *, most: int) -> list[ConversationId]:
        """Conversations of a tenant with words in segments that were closed before then, the oldest first."""

    def expire(self, conversations: Sequence[ConversationId], keep_days: float) -> int:
        """Remove the words of their turns that are in segments that are old enough; of how many."""


class Expired(NamedTuple):
    """What one look did."""

    turns: int
    complete: bool
    """False when time was over before all that was old enough was gone."""


def expire(keep_days: float, *, retention: Retention, seconds: float, clock: Callable[[], float]) -> Expired:
    """Remove the words of what is older than `keep_days`, or its tenant's own days, for `seconds`.

    Only turns inside segments go.
    """
    removed, deadline, after = 0, clock() + seconds, ""
    if not keep_days and not retention.bounds_any():
        return Expired(0, complete=True)
    while True:
        tenants = retention.next_tenants(keep_days, after=after)
        for tenant, until in tenants.until.items():
            # What was looked at is not among those that are old enough any more.
            while conversations := retention.expirable(tenant, until, most=CONVERSATIONS_AT_ONCE):
                removed += retention.expire(conversations, keep_days)
                if clock() >= deadline:
                    return Expired(removed, complete=False)
        if tenants.reached is None:
            return Expired(removed, complete=True)
        after = tenants.reached
