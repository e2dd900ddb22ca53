"""A fake of `ports.Inbox` and of the producer's side, in memory; the conformance suite holds it to the real one."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.edge import Entry
from turnfold_worker.ports import Claim, InboxEntry


@dataclass
class _Box:
    entries: list[InboxEntry] = field(default_factory=list)
    ready_from: int = 0


class MemoryInbox:
    """One shard's worth of inboxes under a clock that the test moves."""

    def __init__(self, *, lease: int = 30) -> None:
        self.now = 1_000
        self.lease = lease
        self.bells: set[int] = set()
        self.receipts: dict[Address, dict[str, int]] = {}
        self._boxes: OrderedDict[Address, _Box] = OrderedDict()
        self._marks: dict[Address, int] = {}
        self._next_id = 1
        self._swept_until = 0

    # The producer's side

    def append(self, address: Address, entries: Sequence[Entry], operation: Operation = Operation.APPEND) -> bool:
        box = self._boxes.setdefault(address, _Box(ready_from=self.now))
        for entry in entries:
            box.entries.append(InboxEntry(f"{self._next_id}-0", str(operation), entry.entry_id, entry.body))
            self._next_id += 1
        return self.ring_bell(address.shard)

    def forget(self, address: Address) -> int:
        box = self._boxes.pop(address, _Box())
        self._next_id += 1
        self._marks[address] = self._next_id
        return len(box.entries)

    def held(self, address: Address) -> int:
        return len(self._boxes[address].entries) if address in self._boxes else 0

    # The worker's side

    def silence_bell(self, shard: int) -> None:
        self.bells.discard(shard)

    def ring_bell(self, shard: int) -> bool:
        silent = shard not in self.bells
        self.bells.add(shard)
        return silent

    def claim(self, shard: int, most: int) -> list[Claim]:
        claims: list[Claim] = []
        for address, box in self._boxes.items():
            if address.shard == shard and box.ready_from <= self.now and len(claims) < most:
                self._next_id += 1
                box.ready_from = self.now + self.lease + self._next_id % 1
                token = str(box.ready_from)
                mark = self._marks.get(address)
                claims.append(Claim(address, token, None if mark is None else str(mark)))
        return claims

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        return [list(self._boxes.get(claim.address, _Box()).entries[:most]) for claim in claims]

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        for claim, last in done:
            box = self._boxes.get(claim.address)
            if box is None or str(box.ready_from) != claim.token:
                continue
            if last is not None:
                reached = int(last.partition("-")[0])
                box.entries = [e for e in box.entries if int(e.stream_id.partition("-")[0]) > reached]
            if box.entries:
                box.ready_from = self.now
            else:
                del self._boxes[claim.address]

    def waiting(self) -> list[int]:
        return sorted({address.shard for address in (*self._boxes, *self._marks)})

    def forgotten(self, shard: int, most: int) -> list[Claim]:
        marked = [(address, mark) for address, mark in self._marks.items() if address.shard == shard]
        return [Claim(address, "", str(mark)) for address, mark in marked[:most]]

    def still_forgotten(self, claim: Claim) -> bool:
        return str(self._marks.get(claim.address)) == claim.forgotten_at

    def erased(self, claim: Claim, counts: Mapping[str, int]) -> None:
        if self.still_forgotten(claim):
            del self._marks[claim.address]
            self.receipts[claim.address] = dict(counts)

    def start_sweep(self) -> bool:
        return False
