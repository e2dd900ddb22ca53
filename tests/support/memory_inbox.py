"""An in-memory fake of `ports.Inbox` and of the producer's side; the conformance suite checks it like the real one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from support.places import place, shard_of
from turnfold.contract.access import Expansions
from turnfold.contract.keys import BELL_MILLISECONDS, Address, Place, encode_id
from turnfold.contract.marks import StoredMark
from turnfold.contract.tasks import JobKind, Operation
from turnfold.wire.encode import Entry
from turnfold.wire.inbox_entry import InboxEntry
from turnfold_worker.ports.messages import Claim

MICROSECONDS = 1_000_000
TENANTS_A_CLAIM = 512


@dataclass
class _Box:
    ready_from: int
    """Microseconds; while claimed, the end of the lease, which is also its token."""
    entries: list[InboxEntry] = field(default_factory=list)


class MemoryInbox:
    """The inboxes of all shards, with a clock that the test moves; every call takes a microsecond."""

    def __init__(self, *, lease: int = 30, sweep: int | None = None) -> None:
        self.now = 10_000
        """Seconds."""
        self.lease = lease
        self.sweep = sweep
        """Seconds between two sweeps; None if the test sweeps itself."""
        self.refusals: dict[Address, int] = {}
        self.bells: dict[int | JobKind, int] = {}
        """Shard or kind of job -> microseconds at which its bell expires."""
        self.receipts: dict[Address, dict[str, int]] = {}
        self._calls = 0
        self._entries = 0
        self._boxes: dict[Address, _Box] = {}
        self._served: dict[tuple[int, str], int] = {}
        """(shard, tenant) -> microseconds when it was last served."""
        self.stored_marks: dict[Address, StoredMark] = {}
        self._marks: dict[Address, int] = {}
        self._swept_until = 0
        self._expired_until = 0

    def _moment(self) -> int:
        self._calls += 1
        return self.now * MICROSECONDS + self._calls

    # The producer's side

    def append(self, address: Address, entries: Sequence[Entry], operation: Operation = Operation.APPEND) -> bool:
        now = self._moment()
        box = self._boxes.setdefault(address, _Box(now))
        for entry in entries:
            self._entries += 1
            box.entries.append(InboxEntry(f"{self._entries}-0", str(operation), entry.entry_id, entry.body))
        self._served.setdefault((shard_of(address), address.tenant), now)
        return self.ring_bell(shard_of(address))

    def forget(self, address: Address) -> int:
        box = self._boxes.pop(address, None)
        self.receipts.pop(address, None)
        self._marks[address] = self._moment()
        return len(box.entries) if box else 0

    def held(self, address: Address) -> int:
        return len(self._boxes[address].entries) if address in self._boxes else 0

    # The worker's side

    def silence_bells(self, shards: Sequence[int]) -> None:
        for shard in shards:
            self.bells.pop(shard, None)

    def ring_bell(self, shard: int) -> bool:
        return self._ring(shard)

    def silence_jobs(self, kind: JobKind) -> None:
        self.bells.pop(kind, None)

    def ring_jobs(self, kind: JobKind) -> bool:
        return self._ring(kind)

    def _ring(self, bell: int | JobKind) -> bool:
        now = self._moment()
        ends = now + BELL_MILLISECONDS * 1_000
        if bell in self.bells and self.bells[bell] > now:
            self.bells[bell] = min(ends, self.bells[bell])
            return False
        self.bells[bell] = ends
        return True

    def claim(self, shards: Sequence[int], most: int) -> list[Claim]:
        return [claim for shard in shards for claim in self._claim(shard, most)]

    def _claim(self, shard: int, most: int) -> list[Claim]:
        now = self._moment()
        hungry: list[str] = []
        for key in [key for key, served in self._served.items() if key[0] == shard and served > now]:
            self._served[key] = now
        for _, _, tenant in sorted(
            (served, encode_id(tenant), tenant) for (where, tenant), served in self._served.items() if where == shard
        )[:TENANTS_A_CLAIM]:
            if len(hungry) >= most:
                break
            if any(self._claimable(shard, tenant, now)):
                hungry.append(tenant)
            if any(self._of(shard, tenant)):
                self._served[shard, tenant] = now
            else:
                del self._served[shard, tenant]
        claims: list[Claim] = []
        while len(claims) < most and hungry:
            share, still = max(1, (most - len(claims)) // len(hungry)), []
            for tenant in hungry:
                room = min(share, most - len(claims))
                taken = list(self._claimable(shard, tenant, now))[:room]
                for address in taken:
                    token = self._boxes[address].ready_from = now + self.lease * MICROSECONDS
                    mark = self._marks.get(address)
                    claims.append(Claim(place(address), str(token), None if mark is None else str(mark)))
                if len(taken) == room:
                    still.append(tenant)
            hungry = still
        return claims

    def _of(self, shard: int, tenant: str) -> Iterator[Address]:
        return (address for address in self._boxes if (shard_of(address), address.tenant) == (shard, tenant))

    def _claimable(self, shard: int, tenant: str, now: int) -> Iterator[Address]:
        """Yield addresses leased by a clock that was set back, then ready ones in the order of waiting."""
        mine = sorted(
            self._of(shard, tenant), key=lambda one: (self._boxes[one].ready_from, encode_id(one.conversation))
        )
        latest = now + 2 * self.lease * MICROSECONDS
        yield from (address for address in mine if self._boxes[address].ready_from > latest)
        yield from (address for address in mine if self._boxes[address].ready_from <= now)

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        boxes = [self._boxes.get(claim.address) for claim in claims]
        return [box.entries[:most] if box else [] for box in boxes]

    def mark_stored(self, marks: Mapping[Place, StoredMark]) -> None:
        for where, mark in marks.items():
            self.stored_marks[where.address] = max(mark, self.stored_marks.get(where.address, mark))

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        now = self._moment()
        for claim, last in done:
            box = self._boxes.get(claim.address)
            if box is None or str(box.ready_from) != claim.token:
                continue
            if last is not None:
                self.refusals.pop(claim.address, None)
                reached = int(last.partition("-")[0])
                box.entries = [one for one in box.entries if int(one.stream_id.partition("-")[0]) > reached]
            if box.entries:
                box.ready_from = now
            else:
                del self._boxes[claim.address]
                shard, tenant = shard_of(claim.address), claim.address.tenant
                if not any(self._of(shard, tenant)):
                    self._served.pop((shard, tenant), None)

    def postpone(self, claims: Sequence[Claim], seconds: float) -> None:
        now = self._moment()
        for claim in claims:
            box = self._boxes.get(claim.address)
            if box is not None and str(box.ready_from) == claim.token:
                box.ready_from = now + int(seconds * MICROSECONDS)

    def count_refusal(self, claim: Claim) -> int:
        self.refusals[claim.address] = self.refusals.get(claim.address, 0) + 1
        return self.refusals[claim.address]

    def waiting(self) -> list[int]:
        return sorted({shard for shard, _ in self._served} | {shard_of(address) for address in self._marks})

    def forgotten(self, shard: int, most: int) -> list[Claim]:
        marked = sorted(
            (mark, address.member, address) for address, mark in self._marks.items() if shard_of(address) == shard
        )
        return [Claim(place(address), "", str(mark)) for mark, _, address in marked[:most]]

    def still_forgotten(self, claim: Claim) -> bool:
        mark = self._marks.get(claim.address)
        return mark is not None and str(mark) == claim.forgotten_at

    def mark_remnants(self) -> None: ...

    def remnants(self) -> dict[str, str]:
        return {}

    def rewrite_log(self, mark: str) -> bool:
        return True

    def cleared(self, kind: str, mark: str) -> None: ...

    def erased(self, claim: Claim, counts: Mapping[str, int]) -> None:
        if self.still_forgotten(claim):
            del self._marks[claim.address]
            self.receipts[claim.address] = dict(counts)

    def repeat_expiry(self) -> None:
        self._expired_until = 0

    def start_expiry(self) -> bool:
        now = self._moment()
        if now < self._expired_until:
            return False
        self._expired_until = now + 3_600 * MICROSECONDS
        return True

    def take_expansions(self, most: int) -> list[Expansions]:
        return []

    def start_sweep(self) -> bool:
        now = self._moment()
        if self.sweep is None:
            return False
        ends = now + self.sweep * MICROSECONDS
        if now < self._swept_until:
            self._swept_until = min(ends, self._swept_until)
            return False
        self._swept_until = ends
        return True
