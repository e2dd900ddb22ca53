"""Retention of Level 0: the words of turns go some days after their segment was closed. What was made of them stays."""

from __future__ import annotations

from typing import Final, Protocol

from turnfold.contract.records import ConversationId

CONVERSATIONS_AT_ONCE: Final = 200
MOST_CONVERSATIONS: Final = 10_000
"""Looked at by one task; the next one goes on."""


class Retention(Protocol):
    """The SQL side. Every method is one transaction, by the database's clock.

    A tenant's own days, if it has some, stand for `keep_days`; 0 keeps words for ever.
    """

    def bounds_any(self) -> bool:
        """Whether any tenant has a number of days of its own."""

    def expirable(self, keep_days: float, *, after: ConversationId, most: int) -> list[ConversationId]:
        """Conversations behind `after` with words in segments that were closed long enough ago."""

    def expire(self, conversation: ConversationId, keep_days: float) -> int:
        """Remove the words of its turns that are in such segments; of how many."""


def expire(keep_days: float, *, retention: Retention) -> int:
    """Remove the words of what is older than `keep_days`, or its tenant's own days; of how many turns.

    Only turns inside segments go.
    """
    removed = 0
    if not keep_days and not retention.bounds_any():
        return 0
    after = ConversationId(0)
    for _ in range(MOST_CONVERSATIONS // CONVERSATIONS_AT_ONCE):
        found = retention.expirable(keep_days, after=after, most=CONVERSATIONS_AT_ONCE)
        for conversation in found:
            removed += retention.expire(conversation, keep_days)
            after = conversation
        if len(found) < CONVERSATIONS_AT_ONCE:
            break
    return removed
