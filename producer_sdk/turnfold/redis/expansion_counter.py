"""Counting of expansions without delaying reads: in memory first, then to Redis in the background.

Counts are hints, so losing some to a crash or an outage is acceptable.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from turnfold.contract import keys
from turnfold.contract.access import ACCESS_SECONDS, MOST_FIELDS, asked_field, found_fields
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.errors import Unavailable
from turnfold.redis.lua import Call, Script

if TYPE_CHECKING:
    from turnfold.redis.servers import InboxServers

_log = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 1.0
MOST_HELD: Final = 10_000
"""Maximum number of counters in memory; further ones are dropped until the next flush."""

# KEYS access, accessed     ARGV member of accessed, seconds, most fields, then (field, times) each
_COUNT: Final = """
for i = 4, #ARGV, 2 do
  if redis.call('HLEN', KEYS[1]) < tonumber(ARGV[3]) or redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then
    redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[2])
return redis.status_reply('OK')
"""

_COUNT_SCRIPT: Final = Script(_COUNT)


class ExpansionCounter:
    """Interface of expansion counters. This base class counts nothing, for reads that only inspect a conversation."""

    def asked(self, address: Address, conversation: ConversationId) -> None:
        """Count a marker passed to `expand`."""

    def found(self, address: Address, conversation: ConversationId, first_seq: int, last_seq: int) -> None:
        """Count an expansion that returned text of the given turns."""


UNCOUNTED: Final = ExpansionCounter()


class AccessCounts(ExpansionCounter):
    """Counts expansions in memory and flushes them to Redis every second. Thread-safe."""

    def __init__(self, servers: InboxServers) -> None:
        self._servers = servers
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        self._held: Counter[tuple[Address, str]] = Counter()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def asked(self, address: Address, conversation: ConversationId) -> None:
        self._add(address, asked_field(conversation))

    def found(self, address: Address, conversation: ConversationId, first_seq: int, last_seq: int) -> None:
        self._add(address, *found_fields(conversation, first_seq, last_seq))

    def flush(self) -> None:
        """Write all counts to Redis, after any flush in progress; they are dropped if Redis does not answer."""
        with self._flushing:
            with self._lock:
                held, self._held = self._held, Counter()
            if held:
                self._send(held)

    def _send(self, held: Counter[tuple[Address, str]]) -> None:
        by_address: dict[Address, list[Any]] = {}
        for (address, name), times in held.items():
            by_address.setdefault(address, []).extend((name, times))
        try:
            calls = [
                Call(
                    place.shard, [place.access, keys.accessed(place.shard)],
                    [place.address.member, ACCESS_SECONDS, MOST_FIELDS, *by_address[place.address]],
                )
                for place in map(self._servers.place, by_address)
            ]  # fmt: skip
            self._servers.each("counting expansions", _COUNT_SCRIPT, calls)
        except Unavailable as error:
            _log.warning("%s expansions were not counted: %s", sum(held.values()), error)

    def close(self) -> None:
        """Flush the remaining counts."""
        self._closing.set()
        self.flush()

    def _add(self, address: Address, *fields: str) -> None:
        with self._lock:
            for name in fields:
                if len(self._held) < MOST_HELD or (address, name) in self._held:
                    self._held[address, name] += 1
            if self._thread is None and not self._closing.is_set():
                self._thread = threading.Thread(target=self._run, name="turnfold-access", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._closing.wait(FLUSH_SECONDS):
            self.flush()
            with self._lock:
                if not self._held:
                    # The next count starts another thread: an idle process has none of ours.
                    self._thread = None
                    return
