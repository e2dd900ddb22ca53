"""Delete the SQL rows of forgotten conversations, once for each request to forget; Redis is clean already."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final

from turnfold_worker.errors import StoreAway, where
from turnfold_worker.ports.messages import Claim
from turnfold_worker.ports.storage import Inbox, Publisher
from turnfold_worker.use_cases.remnants import clear_remnants

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore

_log = logging.getLogger(__name__)

CONVERSATIONS_AT_ONCE: Final = 50
STEPS_A_CONVERSATION: Final = 500
"""Transactions that one task spends on one conversation before the next one gets its turn."""


def erase(shard: int, *, inbox: Inbox, store: SqlStore, publisher: Publisher) -> int:
    """Delete the rows of a shard's forgotten conversations; return how many are done. A failing one delays no other."""
    done = unfinished = 0
    for claim in inbox.forgotten(shard, CONVERSATIONS_AT_ONCE):
        try:
            finished = erase_claimed(claim, inbox=inbox, store=store, steps=STEPS_A_CONVERSATION)
        except StoreAway:
            # The other conversations would fail too, and their marks remain.
            raise
        except Exception as error:  # noqa: BLE001 - the mark remains, so it is tried again
            _log.error("a forgotten conversation of shard %s was not deleted: %s", shard, where(error))
            continue
        done += finished
        unfinished += not finished
    if unfinished:
        publisher.erase(shard)
    if done:
        clear_remnants(inbox=inbox, store=store)
    return done


def erase_claimed(claim: Claim, *, inbox: Inbox, store: SqlStore, steps: int) -> bool:
    """Delete the rows of one forgotten conversation and record it; False when `steps` transactions were too few.

    The mark is checked again between finding the rows and hiding them. While the mark is set, no drain has both stored
    entries newer than the request to forget under these rows and trimmed them from the inbox: so deleted rows are old,
    or their content is still in Redis.
    """
    counts: Counter[str] = Counter()
    while (hidden := store.hide(claim.address, lambda: inbox.still_forgotten(claim))) is not None:
        counts.update(hidden.counts)
        while store.delete_some(hidden.conversation):
            steps -= 1
            if steps <= 0:
                return False
    # Before the receipt, which reports on logs too.
    inbox.mark_remnants()
    inbox.erased(claim, counts)
    return True
