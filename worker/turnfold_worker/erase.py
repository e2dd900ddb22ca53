"""Forget: Redis is clean already; delete what SQL holds, exactly once for each time it was asked."""

from __future__ import annotations

import logging

from turnfold_worker.errors import where
from turnfold_worker.ports import Claim, Inbox, Store

_log = logging.getLogger(__name__)

CONVERSATIONS_AT_ONCE = 50


def erase(shard: int, *, inbox: Inbox, store: Store) -> int:
    """Delete the rows of a shard's forgotten conversations; how many there were. One that fails holds up no other."""
    done = 0
    for claim in inbox.forgotten(shard, CONVERSATIONS_AT_ONCE):
        try:
            erase_claimed(claim, inbox=inbox, store=store)
            done += 1
        except Exception as error:  # noqa: BLE001 - the mark stands: it is tried again
            _log.error("a forgotten conversation of shard %s was not deleted: %s", shard, where(error))
    return done


def erase_claimed(claim: Claim, *, inbox: Inbox, store: Store) -> None:
    """Delete the rows of one forgotten conversation and record it.

    The mark is looked at again between finding the rows and deleting them. While it stands, no drain has stored
    anything newer than the request to forget under these rows that it could also trim from the inbox: so what is
    deleted is old, or still in Redis.
    """
    counts = store.erase(claim.address, lambda: inbox.still_forgotten(claim))
    inbox.erased(claim, counts)
