"""The producer's side of the inbox in Redis: append, forget, and the turns that no worker has stored yet.

Keys and what they hold are listed in `turnfold.contract.keys`. All times are Redis's own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, cast

from turnfold.contract import keys
from turnfold.contract.keys import Address, Place
from turnfold.contract.rings import Ring
from turnfold.contract.tasks import CHANGES, ENTRY_VERSION, Operation, Queue, Task
from turnfold.errors import InboxFull, Unavailable
from turnfold.redis import scripts as inbox_scripts
from turnfold.redis.connections import NoAnswer
from turnfold.redis.lua import Call, Script
from turnfold.wire.encode import Entry

if TYPE_CHECKING:
    import redis

    from turnfold.redis.servers import InboxServers

ENTRIES_PER_CALL: Final = 500
"""Entries that one Lua call adds: a longer one would hold up Redis's other clients."""
BYTES_PER_CALL: Final = 16 * 1_048_576
"""As much of them, one at least: a call of gigabytes would never be done in time, however often it is repeated."""
BYTES_A_LOOK: Final = 16 * 1_048_576
"""What one look at an inbox takes of it, one entry at least: two hundred of the largest would be gigabytes."""

_TOO_MANY: Final = -1
"""What `APPEND` answers for too many entries; -2 for too many bytes."""
_BOUNDED: Final = -3
"""What it answers where bounds are to be asked for first."""

ENTRIES_A_PAGE: Final = 16
"""Entries of an inbox that are read together: more of the largest would be more than a client should hold."""


class _Room(NamedTuple):
    """How much an inbox takes, and how much is still to be added to it."""

    most_entries: int
    most_bytes: int
    entries: int
    bytes: int

    def without(self, block: Sequence[Entry]) -> _Room:
        """What is left when a block was added."""
        added = sum(len(entry.body) for entry in block)
        return self._replace(entries=self.entries - len(block), bytes=self.bytes - added)

    def refusal(self, address: Address, code: int, held: int) -> InboxFull:
        """The error for a script's refusal."""
        limit, given, unit, setting = (
            (self.most_entries, self.entries, "turns", "TURNFOLD_MAX_INBOX_TURNS")
            if code == _TOO_MANY
            else (self.most_bytes, self.bytes, "bytes", "TURNFOLD_MAX_INBOX_BYTES")
        )
        return InboxFull(
            f"the inbox of conversation {address.conversation!r} holds {held} of at most {limit} {unit}, and {given} "
            "more were given",
            remedy=f"are workers running? Append the turns again in a while, or raise {setting}",
        )


class PendingEntry(NamedTuple):
    """An entry as it lies in the inbox."""

    stream_id: str
    operation: str
    entry_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Pending:
    """The inbox at one instant."""

    held: int
    """Entries in it."""
    newest: tuple[PendingEntry, ...]
    """The newest of them, oldest first; as many as were asked for, unless they are large."""
    forgotten: bool
    """The conversation was forgotten, and SQL may still hold its old rows: they must not be read."""
    lag_seconds: float
    mark: str | None = None
    """How far it is stored, where workers note that and did within the hour."""
    away: bool = False
    """Redis did not answer, and the read may do without it: nothing is known of the inbox."""


AWAY: Final = Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0, away=True)
AWAY_SECONDS: Final = 1.0
"""After Redis did not answer, how long reads that may do without it do not ask again."""


_NOT_CONFIRMED: Final = "Redis has the turns, and no replica of it confirmed them in time"
_CONFIRM: Final = (
    "append `error.turns` again; check with `redis-cli INFO replication` that a replica is online, or append without "
    "`durable`"
)


class NotCounted(Exception):  # noqa: N818 - no error: the caller counts, and appends again
    """The tenant has a quota of its own, and what is appended was not counted."""


class ProducerInbox:
    """Appends to, looks at and drops inboxes. Safe to share among threads."""

    def __init__(
        self, servers: InboxServers, *, reads_without_redis: bool = False, rings_elsewhere: bool = False
    ) -> None:
        """`reads_without_redis`: a look finds nothing while Redis is away, where it would raise.

        `rings_elsewhere`: an append leaves ringing to its caller.
        """
        self._servers = servers
        self._reads_without_redis = reads_without_redis
        self._rings_elsewhere = rings_elsewhere
        self._confirm_milliseconds = 0
        self._asks_again = 0.0

    def confirmed(self, milliseconds: int) -> Self:
        """A view whose appends wait so long for a replica of Redis to have them too."""
        view = copy(self)
        view._confirm_milliseconds = milliseconds  # noqa: SLF001 - one of our own kind
        return view

    def append(
        self,
        address: Address,
        operation: Operation,
        entries: Sequence[Entry],
        *,
        most_entries: int,
        most_bytes: int,
        bell: bool,
        counted: bool = True,
    ) -> bool:
        """Add entries in order, and ring for their drain; True when the bell was silent before.

        One round trip for up to 500 entries or 16 MiB. Raises `InboxFull` (nothing was added) or `Unavailable` (unknown
        whether it was added). With more, whole blocks may have been added before either: then the
        error's `rings` says whether the bell was silent. Repeat with the same ids. Without `counted` raises
        `NotCounted` (nothing was added) where the tenant has a quota of its own.
        """
        ring = False
        ahead = _Room(most_entries, most_bytes, len(entries), sum(len(entry.body) for entry in entries))
        for block in blocks_of(entries):
            try:
                # All that is still to come has to fit, so that a list is refused before a part of it is added. Only
                # one that others fill the inbox beside may be refused later.
                wanted = self._append_block(address, operation, block, ahead, bell=bell, counted=counted)
            except (InboxFull, Unavailable) as error:
                error.rings = error.rings or ring
                raise
            ring, counted = ring or wanted, True
            ahead = ahead.without(block)
        return ring

    def _append_block(
        self, address: Address, operation: Operation, block: Sequence[Entry], room: _Room, *, bell: bool, counted: bool
    ) -> bool:
        """Add one block of the entries that are still to be added."""

        def add(place: Place, client: redis.Redis) -> tuple[int, int, bool]:
            return self._appended(client, self._append_call(place, operation, block, room, bell, counted))

        held, wanted, is_confirmed = self._servers.run(address, "appending", add)
        if held == _BOUNDED:
            raise NotCounted
        if held < 0:
            raise room.refusal(address, held, wanted)
        if not is_confirmed:
            not_confirmed = Unavailable(_NOT_CONFIRMED, remedy=_CONFIRM)
            not_confirmed.rings = wanted == 1
            raise not_confirmed
        return wanted == 1

    def _append_call(
        self, place: Place, operation: Operation, block: Sequence[Entry], room: _Room, bell: bool, counted: bool  # noqa: FBT001
    ) -> Call:  # fmt: skip
        shard, address = place.shard, place.address
        names = [
            place.inbox, place.ready, keys.tenants(shard), keys.bell(shard), place.references,
            keys.rung_for(Queue.INGEST),
            keys.bounded(shard), keys.full(shard),
        ]  # fmt: skip
        # Contexts that were kept may hold what is changed.
        changed = place.contexts if operation in CHANGES else ""
        arguments: list[Any] = [
            keys.encode_id(address.conversation), keys.encode_id(address.tenant), room.most_entries, room.entries,
            keys.BELL_MILLISECONDS if bell else 0, ENTRY_VERSION, changed, room.most_bytes, room.bytes,
            "" if self._rings_elsewhere else Ring(Task.DRAIN, (shard,)).member, keys.RUNG_SECONDS,
            0 if counted else 1,
        ]  # fmt: skip
        for entry in block:
            arguments += (str(operation), entry.entry_id, entry.body)
        return Call(shard, names, arguments)

    def _appended(self, client: redis.Redis, call: Call) -> tuple[int, int, bool]:
        """What the script answers, and whether a replica has what it wrote, where one is waited for."""
        if not self._confirm_milliseconds:
            held, wanted = cast("list[int]", _APPEND(client, call.names, call.arguments))
            return held, wanted, True
        # Redis waits for what was written on the same connection, hence one pipeline.
        (held, wanted), replicas = _APPEND.together(client, [call], milliseconds=self._confirm_milliseconds)
        return held, wanted, replicas > 0

    def peek(self, address: Address, *, newest: int) -> Pending:
        """Look at the inbox in one round trip, at its `newest` entries at most, of 16 MiB at most."""
        if not self._reads_without_redis:
            return self._peeked(address, newest)
        if time.monotonic() < self._asks_again:
            return AWAY
        try:
            return self._peeked(address, newest)
        except NoAnswer:
            # A read waits for it once a second, not each one for as long as a call may take.
            self._asks_again = time.monotonic() + AWAY_SECONDS
            return AWAY

    def _peeked(self, address: Address, newest: int) -> Pending:
        def peek(place: Place, client: redis.Redis) -> Any:
            names = [place.inbox, keys.forgotten(place.shard), place.mark]
            return _PEEK(client, names, [address.member, newest, BYTES_A_LOOK])

        held, sizes, joined, gone, age, mark = cast(
            "tuple[int, bytes, bytes, int, int, bytes]", self._servers.run(address, "reading the inbox", peek)
        )
        ends = [*accumulate(map(int, sizes.split(b",") if sizes else ()))]
        flat = [joined[begin:end] for begin, end in pairwise([0, *ends])]
        newest_first = [
            PendingEntry(stream_id.decode(), op.decode("utf-8", "replace"), entry_id.decode("utf-8", "replace"), body)
            for stream_id, op, entry_id, body in zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=True)
        ]
        return Pending(
            held, tuple(newest_first[::-1]), bool(gone), max(0.0, age / 1000), mark.decode() if mark else None
        )

    def last_stream_id(self, address: Address) -> str | None:
        """Id of the newest entry, None for an empty inbox."""
        rows = self._servers.run(
            address,
            "reading the inbox",
            lambda place, client: cast("list[Any]", client.xrevrange(place.inbox, count=1)),
        )
        return rows[0][0].decode() if rows else None

    def first_stream_id(self, address: Address) -> str | None:
        """Id of the oldest entry, None for an empty inbox."""
        rows = self._page(address, "-", 1)
        return rows[0][0].decode() if rows else None

    def entries(self, address: Address) -> Iterator[PendingEntry]:
        """Everything in an inbox, oldest first, some at a time."""
        begin = "-"
        while True:
            rows = self._page(address, begin, ENTRIES_A_PAGE)
            for stream_id, fields in rows:
                yield pending_entry(stream_id, [part for pair in fields.items() for part in pair])
            if len(rows) < ENTRIES_A_PAGE:
                return
            begin = f"({rows[-1][0].decode()}"

    def _page(self, address: Address, begin: str, most: int) -> list[Any]:
        return self._servers.run(
            address, "reading the inbox",
            lambda place, client: cast("list[Any]", client.xrange(place.inbox, min=begin, count=most)),
        )  # fmt: skip

    def waiting(self, tenant: str) -> list[Address]:
        """The conversations of a tenant that have something in their inbox."""
        places = self._servers.waiting("listing what waits in the inboxes", tenant)
        return [*dict.fromkeys(place.address for place in places)]

    def forget(self, address: Address) -> int:
        """Drop the inbox and mark the conversation's rows for deletion; the number of entries dropped."""
        return self.forget_all([address])

    def forget_all(self, addresses: Iterable[Address]) -> int:
        """The same for many, of each server in one round trip; the number of entries dropped."""
        calls = []
        for place in map(self._servers.place, addresses):
            names = [
                place.inbox, place.ready, keys.forgotten(place.shard), place.erased, place.references, place.access,
                keys.accessed(place.shard),
            ]  # fmt: skip
            arguments = [keys.encode_id(place.address.conversation), place.address.member, place.contexts]
            calls.append(Call(place.shard, names, arguments))
        return sum(map(int, self._servers.each("forgetting", _FORGET, calls)))

    def shard_of(self, address: Address) -> int:
        """What is to be rung for."""
        return self._servers.place(address).shard

    def erased(self, address: Address) -> bytes | None:
        """What the worker wrote when it had deleted the rows; None before."""
        return self._servers.run(
            address, "reading the erasure receipt",
            lambda place, client: cast("bytes | None", client.get(place.erased)),
        )  # fmt: skip

    def erased_all(self, addresses: Sequence[Address]) -> list[bytes | None]:
        """The same of many, in one round trip a server."""
        calls = [Call(place.shard, [place.erased], []) for place in map(self._servers.place, addresses)]
        return self._servers.each("reading erasure receipts", _GET, calls)

    def forgotten(self, addresses: Sequence[Address]) -> set[str]:
        """Those of some conversations whose rows are still to be deleted."""
        calls = [
            Call(place.shard, [keys.forgotten(place.shard)], [place.address.member])
            for place in map(self._servers.place, addresses)
        ]
        since = self._servers.each("asking which conversations were forgotten", _SCORE, calls)
        return {address.conversation for address, when in zip(addresses, since, strict=True) if when is not None}

    def remnants(self) -> list[str]:
        """The kinds of logs that may hold erased words still."""
        kinds = self._servers.of_all(
            "reading the erasure receipt", lambda client: cast("list[bytes]", client.hkeys(keys.REMNANTS))
        )
        return sorted({kind.decode() for of_server in kinds for kind in of_server})


_APPEND: Final = Script(inbox_scripts.APPEND)
_PEEK: Final = Script(inbox_scripts.PEEK)
_FORGET: Final = Script(inbox_scripts.FORGET)
_GET: Final = Script("return redis.call('GET', KEYS[1])")
_SCORE: Final = Script("return redis.call('ZSCORE', KEYS[1], ARGV[1])")


def blocks_of(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """The entries in order, in blocks that one call takes."""
    start = size = 0
    for end, entry in enumerate(entries):
        if end - start == ENTRIES_PER_CALL or (end > start and size + len(entry.body) > BYTES_PER_CALL):
            yield entries[start:end]
            start, size = end, 0
        size += len(entry.body)
    if start < len(entries):
        yield entries[start:]


def is_one_block(entries: Sequence[Entry]) -> bool:
    """Whether one call takes all of them: either they are added or none is."""
    return sum(1 for _ in blocks_of(entries)) <= 1


def pending_entry(stream_id: bytes, flat: Sequence[bytes]) -> PendingEntry:
    """An entry from the flat list of fields that a script or a RESP2 reply returns."""
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    return PendingEntry(
        stream_id.decode(),
        fields.get(b"op", b"").decode(errors="replace"),
        fields.get(b"id", b"").decode(errors="replace"),
        fields.get(b"d", b""),
    )


def stream_order(stream_id: str) -> tuple[int, int]:
    """Order of a stream id.

    >>> stream_order("10-2") > stream_order("9-30")
    True
    """
    milliseconds, _, sequence = stream_id.partition("-")
    return int(milliseconds), int(sequence)
