"""Erase everything a tenant has: first mark every conversation, which hides it from reads, then wait for its erasure.

The marks are in Redis, where each read checks them; workers delete the rows in the background.
"""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from turnfold.contract.keys import Address
from turnfold_worker.operate.list_conversations import stored_names

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from turnfold.redis.inbox import ProducerInbox

CONVERSATIONS_AT_ONCE: Final = 1_000
"""Conversations that are marked, or whose receipts are read, together."""
PAUSE_SECONDS: Final = 0.1


class TenantErasure:
    """The erasure of all conversations of a tenant, stored or waiting."""

    def __init__(self, inbox: ProducerInbox, engine: Engine, tenant: str) -> None:
        self._inbox = inbox
        self._engine = engine
        self._tenant = tenant
        self._left: deque[Address] = deque()
        self.counts: Counter[str] = Counter()
        """Numbers of erased turns, segments and anchors, and of dropped `inbox_turns`."""
        self.conversations = 0

    def mark(self, ring: Callable[[int], None]) -> Iterator[int]:
        """Mark all conversations, yielding how many are marked. `ring` wakes a shard's worker. Raises `Unavailable`."""
        waiting = {address.conversation for address in self._inbox.waiting(self._tenant)}
        in_inboxes = sorted(waiting)
        for start in range(0, len(in_inboxes), CONVERSATIONS_AT_ONCE):
            yield self._mark(in_inboxes[start : start + CONVERSATIONS_AT_ONCE], ring)
        for names in stored_names(self._engine, self._tenant, most=CONVERSATIONS_AT_ONCE):
            if unmarked := [name for name in names if name not in waiting]:
                yield self._mark(unmarked, ring)

    def _mark(self, names: Sequence[str], ring: Callable[[int], None]) -> int:
        addresses = [Address(self._tenant, name) for name in names]
        self.counts["inbox_turns"] += self._inbox.forget_all(addresses)
        self._left.extend(addresses)
        self.conversations += len(addresses)
        for shard in {self._inbox.shard_of(address) for address in addresses}:
            ring(shard)
        return self.conversations

    def erased(self) -> int:
        """Return how many conversations are erased so far, and add up their counts. Checks in the order of marking."""
        while self._left:
            some = [self._left.popleft() for _ in range(min(CONVERSATIONS_AT_ONCE, len(self._left)))]
            receipts = self._inbox.erased_all(some)
            self._left.extendleft(
                reversed([address for address, receipt in zip(some, receipts, strict=True) if receipt is None])
            )
            for receipt in filter(None, receipts):
                self.counts.update(json.loads(receipt))
            if None in receipts:
                break
        return self.conversations - len(self._left)

    def wait(self, patience_seconds: float, told: Callable[[int], None]) -> bool:
        """Wait until all are erased or none was for `patience_seconds`; return whether all are.

        `told` is called with the number erased so far.
        """
        done, since = self.erased(), time.monotonic()
        while done < self.conversations and time.monotonic() - since < patience_seconds:
            time.sleep(PAUSE_SECONDS)
            if (now_done := self.erased()) > done:
                done, since = now_done, time.monotonic()
            told(done)
        return done == self.conversations
