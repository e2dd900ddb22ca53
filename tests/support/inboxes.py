"""Two implementations of inboxes with the same interface: the fake, and the real one in Redis."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import redis

from support.memory_inbox import MemoryInbox
from support.places import servers, shard_of
from support.waiting import wait_until
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.redis.connections import is_cluster_client, microseconds_of
from turnfold.redis.inbox import ProducerInbox
from turnfold.wire.encode import Entry
from turnfold_worker.adapters.redis.inbox import RedisInbox
from turnfold_worker.ports.messages import Claim
from turnfold_worker.ports.storage import Inbox

SHARD = 3
AN_HOUR = 3_600
SWEEP_SECONDS = 60


def addresses(tenant: str, number: int, *, shard: int = SHARD) -> list[Address]:
    """Return conversations of a tenant that share a shard."""
    found: list[Address] = []
    name = 0
    while len(found) < number:
        address = Address(tenant, f"conv-{name}")
        if shard_of(address) == shard:
            found.append(address)
        name += 1
    return found


def claim_one(worker: Inbox) -> Claim:
    """Return the claim of the only ready conversation."""
    (claim,) = worker.claim([SHARD], 10)
    return claim


def ids(worker: Inbox, claim: Claim, most: int = 100) -> list[str]:
    """Return the ids of the oldest entries of a claimed inbox."""
    (entries,) = worker.read([claim], most)
    return [entry.entry_id for entry in entries]


class Inboxes(ABC):
    """The worker's and the producer's side of inboxes, and control over time."""

    worker: Inbox
    hasty: Inbox
    """A worker whose leases end at once."""

    def append(self, address: Address, *turn_ids: str) -> bool:
        """Add turns; return True if the caller has to ring."""
        return self._append(address, [Entry(turn_id, f'"{turn_id}"'.encode()) for turn_id in turn_ids])

    @abstractmethod
    def _append(self, address: Address, entries: Sequence[Entry]) -> bool: ...

    @abstractmethod
    def forget(self, address: Address) -> int:
        """Drop the inbox and mark the rows as forgotten; return the number of its entries."""

    @abstractmethod
    def held(self, address: Address) -> int:
        """Return the number of entries in the inbox."""

    @abstractmethod
    def receipt(self, address: Address) -> Mapping[str, int] | None:
        """Return the counts of the last erasure."""

    @abstractmethod
    def end_leases(self) -> None:
        """Wait until every lease of the hasty worker has ended."""

    @abstractmethod
    def end_bells(self) -> None:
        """Let every bell expire."""

    @abstractmethod
    def end_sweeps(self) -> None:
        """Let the time between two sweeps pass."""

    @abstractmethod
    def set_clock_back(self) -> None:
        """Set the clock back by an hour, as after a failover to another machine."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Return whether only keys with a lifetime are left."""


class FakeInboxes(Inboxes):
    """Inboxes of `support.memory_inbox`."""

    def __init__(self) -> None:
        self._memory = MemoryInbox(lease=30, sweep=3)
        self.worker = self.hasty = self._memory

    def _append(self, address: Address, entries: Sequence[Entry]) -> bool:
        return self._memory.append(address, entries)

    def forget(self, address: Address) -> int:
        return self._memory.forget(address)

    def held(self, address: Address) -> int:
        return self._memory.held(address)

    def receipt(self, address: Address) -> Mapping[str, int] | None:
        return self._memory.receipts.get(address)

    def end_leases(self) -> None:
        self._memory.now += self._memory.lease + 1

    def end_bells(self) -> None:
        self._memory.now += 2

    def end_sweeps(self) -> None:
        self._memory.now += 4

    def set_clock_back(self) -> None:
        self._memory.now -= AN_HOUR

    def is_empty(self) -> bool:
        return not self._memory.waiting()


class RealInboxes(Inboxes):
    """Inboxes in Redis."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._producer = ProducerInbox(servers(client), rings_elsewhere=is_cluster_client(client))
        self.worker, self.hasty = (
            RedisInbox(servers(client), lease_seconds=seconds, sweep_seconds=SWEEP_SECONDS) for seconds in (60, 0.001)
        )

    def _append(self, address: Address, entries: Sequence[Entry]) -> bool:
        return self._producer.append(
            address, Operation.APPEND, entries, most_entries=10_000, most_bytes=1 << 28, bell=True
        )

    def forget(self, address: Address) -> int:
        return self._producer.forget(address)

    def held(self, address: Address) -> int:
        return self._producer.peek(address, newest=0).held

    def receipt(self, address: Address) -> Mapping[str, int] | None:
        found = self._producer.erased(address)
        return None if found is None else json.loads(found)

    def end_leases(self) -> None:
        ends = [score for name in self._ready_sets() for _, score in self._client.zrange(name, 0, -1, withscores=True)]
        wait_until(lambda: self._now() > max(ends), what="the leases end")

    def end_bells(self) -> None:
        self._end(keys.bell(SHARD), keys.BELL_MILLISECONDS)

    def end_sweeps(self) -> None:
        self._end(keys.SWEEP, SWEEP_SECONDS * 1_000)

    def _end(self, name: str, milliseconds: int) -> None:
        assert 0 < self._client.pttl(name) <= milliseconds
        self._client.delete(name)

    def set_clock_back(self) -> None:
        # Redis uses its machine's clock, so every stored time moves ahead instead.
        for name in (*self._ready_sets(), keys.tenants(SHARD)):
            for member in self._client.zrange(name, 0, -1):
                self._client.zincrby(name, AN_HOUR * 1_000_000, member)
        for name in (keys.bell(SHARD), keys.SWEEP):
            if (left := self._client.pttl(name)) > 0:
                self._client.pexpire(name, left + AN_HOUR * 1_000)

    def is_empty(self) -> bool:
        return {name for name in self._names("*") if self._client.ttl(name) == -1} <= {keys.LAYOUT.encode()}

    def _ready_sets(self) -> list[bytes]:
        return self._names(f"{keys.ready_prefix(SHARD)}*")

    def _names(self, pattern: str) -> list[bytes]:
        # Not KEYS, which redis-py's cluster client sends to one node only.
        return list(self._client.scan_iter(pattern))

    def _now(self) -> int:
        return microseconds_of(self._client)
