"""Forget: Redis is clean already; delete what SQL holds, exactly once for each time it was asked."""

from __future__ import annotations

from turnfold_worker.ports import Claim, Inbox, Store

CONVERSATIONS_AT_ONCE = 50


def erase(shard: int, *, inbox: Inbox, store: Store) -> int:
    """Delete the rows of a shard's forgotten conversations; how many there were."""
    claims = inbox.forgotten(shard, CONVERSATIONS_AT_ONCE)
    for claim in claims:
        erase_claimed(claim, inbox=inbox, store=store)
    return len(claims)


def erase_claimed(claim: Claim, *, inbox: Inbox, store: Store) -> None:
    """Delete the rows of one forgotten conversation and record it.

    The mark is looked at again between finding the rows and deleting them. While it stands, no drain has stored
    anything newer than the request to forget under these rows that it could also trim from the inbox: so what is
    deleted is old, or still in Redis.
    """
    counts = store.erase(claim.address, lambda: inbox.still_forgotten(claim))
    inbox.erased(claim, counts)
