"""The producer's side of the inbox in Redis: append, forget, and reads of turns that are not stored yet.

The keys are documented in `turnfold.contract.keys`. All times are Redis's own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from turnfold.redis.servers import places_in
from turnfold.wire.encode import Entry
from turnfold.wire.inbox_entry import InboxEntry

if TYPE_CHECKING:
    import redis

    from turnfold.redis.servers import InboxServers

ENTRIES_PER_CALL: Final = 500
"""Maximum entries per Lua call: a longer one would block Redis's other clients."""
BYTES_PER_CALL: Final = 16 * 1_048_576
"""Maximum bytes per Lua call, except for a single entry: a call of gigabytes would never finish in time."""
BYTES_A_LOOK: Final = 16 * 1_048_576
"""Maximum bytes that one peek returns, except for a single entry: 200 of the largest would be gigabytes."""

_TOO_MANY: Final = -1
"""Reply of `APPEND` for too many entries; -2 for too many bytes."""
_BOUNDED: Final = -3
"""Reply of `APPEND` if the tenant's own limits have to be checked first."""
_CLOSED: Final = -4
"""Reply of `APPEND` for a shard that a reshard has closed."""
_CHANGED: Final = -2
"""Reply of `FORGET` if the inbox has changed since `SEE`."""
_LOOKS: Final = 5
"""Tries with a fresh layout; one is enough unless one reshard follows another."""

ENTRIES_A_PAGE: Final = 16
"""Entries read per page: more of the largest would take too much of a client's memory."""


Seen = dict[Place, str]
"""The state of each place of a conversation, as returned by `SEE`."""


class _Room(NamedTuple):
    """The limits of an inbox, and how much is still to be added."""

    most_entries: int
    most_bytes: int
    entries: int
    bytes: int

    def without(self, block: Sequence[Entry]) -> _Room:
        """Return what remains after adding a block."""
        added = sum(len(entry.body) for entry in block)
        return self._replace(entries=self.entries - len(block), bytes=self.bytes - added)

    def refusal(self, address: Address, code: int, held: int) -> InboxFull:
        """Return the error for a script's rejection."""
        limit, given, unit, setting = (
            (self.most_entries, self.entries, "turns", "TURNFOLD_MAX_INBOX_TURNS")
            if code == _TOO_MANY
            else (self.most_bytes, self.bytes, "bytes", "TURNFOLD_MAX_INBOX_BYTES")
        )
        return InboxFull(
            f"the inbox of conversation {address.conversation!r} holds {held} of at most {limit} {unit}, and {given} "
            "more were given",
            remedy=f"check that workers run and append the turns again later, or raise {setting}",
        )


@dataclass(frozen=True, slots=True)
class Pending:
    """A snapshot of an inbox."""

    held: int
    """Number of entries in the inbox."""
    newest: tuple[InboxEntry, ...]
    """The newest entries, oldest first; as many as requested, unless they are large."""
    forgotten: bool
    """Whether the conversation was forgotten: SQL may still have its old rows, which must not be read."""
    lag_seconds: float
    mark: str | None = None
    """The stored mark, if workers wrote one within the hour."""
    away: bool = False
    """Whether Redis did not answer and the read may go on without: nothing is known of the inbox."""

    def after(self, earlier: Pending, newest: int) -> Pending:
        """Append this inbox to the older one of the same conversation, during a reshard.

        The mark is this one's, as the older inbox's may lag behind.
        """
        entries = (*earlier.newest, *self.newest)
        return Pending(
            earlier.held + self.held, entries[max(0, len(entries) - newest) :], earlier.forgotten or self.forgotten,
            max(earlier.lag_seconds, self.lag_seconds), self.mark,
        )  # fmt: skip


AWAY: Final = Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0, away=True)
AWAY_SECONDS: Final = 1.0
"""Seconds without further calls to Redis after a failure, for reads that may go on without."""


_NOT_CONFIRMED: Final = "Redis has the turns, but no replica confirmed them in time"
_CONFIRM: Final = (
    "append `turns` again; check with `redis-cli INFO replication` that a replica is online, or append without "
    "`durable`"
)


_BEING_LAID_OUT: Final = "the inboxes are being resharded: nothing was written"
_LATER: Final = "retry in a moment; if it keeps failing, run `turnfold doctor`"


class Changed(Exception):  # noqa: N818 - no error: the caller looks again
    """The conversation or its inbox changed since `seen`; nothing was forgotten. The caller looks again."""


class NotCounted(Exception):  # noqa: N818 - no error: the caller counts, and appends again
    """The tenant has a quota of its own, and the append was not counted. The caller counts and retries."""


class ProducerInbox:
    """Appends to, reads and deletes inboxes. Thread-safe."""

    def __init__(
        self, servers: InboxServers, *, reads_without_redis: bool = False, rings_elsewhere: bool = False
    ) -> None:
        """With `reads_without_redis`, `peek` returns `AWAY` while Redis is down instead of raising.

        With `rings_elsewhere`, an append leaves ringing to its caller.
        """
        self._servers = servers
        self._reads_without_redis = reads_without_redis
        self._rings_elsewhere = rings_elsewhere
        self._confirm_milliseconds = 0
        self._asks_again: dict[tuple[int, ...], float] = {}

    def confirmed(self, milliseconds: int) -> Self:
        """Return a view whose appends wait up to `milliseconds` for a replica of Redis to confirm them."""
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
        """Add entries in order, and ring for their drain; True if the bell was silent before.

        Takes one round trip for up to 500 entries or 16 MiB. Raises `InboxFull` (nothing was added) or `Unavailable`
        (outcome unknown). Larger appends may have added whole blocks before either error; the error's `rings` then
        tells whether the bell was silent. Retries with the same ids are safe. Without `counted`, raises `NotCounted`
        (nothing was added) if the tenant has a quota of its own.
        """
        ring = False
        ahead = _Room(most_entries, most_bytes, len(entries), sum(len(entry.body) for entry in entries))
        for block in blocks_of(entries):
            try:
                # Everything still to come has to fit, so that a list is rejected before any of it is added. It can be
                # rejected later only if others fill the inbox meanwhile.
                wanted = self._append_block(address, operation, block, ahead, bell=bell, counted=counted)
            except (InboxFull, Unavailable) as error:
                error.rings = error.rings or ring
                raise
            ring, counted = ring or wanted, True
            ahead = ahead.without(block)
        self._is_back([address])
        return ring

    def _append_block(
        self, address: Address, operation: Operation, block: Sequence[Entry], room: _Room, *, bell: bool, counted: bool
    ) -> bool:
        """Add one block of the remaining entries."""

        def add(place: Place) -> tuple[int, int, bool]:
            with self._servers.asking("appending", place.shard) as client:
                return self._appended(client, self._append_call(place, operation, block, room, bell, counted))

        held, wanted, is_confirmed = self._in_open_shard(address, add)
        if operation in CHANGES and held >= 0:
            self._drop_references_elsewhere(address)
        if held == _BOUNDED:
            raise NotCounted
        if held < 0:
            raise room.refusal(address, held, wanted)
        if not is_confirmed:
            not_confirmed = Unavailable(_NOT_CONFIRMED, remedy=_CONFIRM)
            not_confirmed.rings = wanted == 1
            raise not_confirmed
        return wanted == 1

    def _in_open_shard(self, address: Address, add: Callable[[Place], tuple[int, int, bool]]) -> tuple[int, int, bool]:
        """Add to the older shard first during a reshard: as long as it is open, only it accepts entries."""
        for look in range(_LOOKS):
            layout = self._servers.layout("appending", fresh=look > 0)
            for place in reversed(places_in(layout, address)):
                answer = add(place)
                if answer[0] != _CLOSED:
                    return answer
        raise Unavailable(_BEING_LAID_OUT, remedy=_LATER)

    def _drop_references_elsewhere(self, address: Address) -> None:
        """Drop stored contexts in the other shard of a reshard too, as they may quote changed turns."""
        layout = self._servers.layout()
        if layout.target:
            calls = [Call(place.shard, [place.references], [place.contexts]) for place in places_in(layout, address)]
            self._servers.each("dropping contexts", _DROP_REFERENCES, calls)

    def _append_call(
        self, place: Place, operation: Operation, block: Sequence[Entry], room: _Room, bell: bool, counted: bool  # noqa: FBT001
    ) -> Call:  # fmt: skip
        shard, address = place.shard, place.address
        names = [
            place.inbox, place.ready, keys.tenants(shard), keys.bell(shard), place.references,
            # In a cluster the ring is in another slot, whereas all keys of a call must share one.
            keys.bell(shard) if self._rings_elsewhere else keys.rung_for(Queue.INGEST),
            keys.bounded(shard), keys.full(shard), keys.closed(shard),
        ]  # fmt: skip
        # Stored contexts may quote the changed turns.
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
        """Run the append script, and return whether a replica confirmed it, if requested."""
        if not self._confirm_milliseconds:
            held, wanted = cast("list[int]", _APPEND(client, call.names, call.arguments))
            return held, wanted, True
        # WAIT covers writes of its own connection, hence one pipeline.
        (held, wanted), replicas = _APPEND.together(client, [call], milliseconds=self._confirm_milliseconds)
        return held, wanted, replicas > 0

    def peek(self, address: Address, *, newest: int) -> Pending:
        """Read the inbox in one round trip: up to `newest` entries and 16 MiB."""
        if not self._reads_without_redis:
            return self._peeked(address, newest)
        if time.monotonic() < self._asks_again.get(self._servers.known_positions(address), 0.0):
            return AWAY
        try:
            return self._peeked(address, newest)
        except NoAnswer:
            # While a server is down, only one read a second waits for its timeout.
            self._asks_again[self._servers.known_positions(address)] = time.monotonic() + AWAY_SECONDS
            return AWAY

    def _is_back(self, addresses: Iterable[Address]) -> None:
        """Let reads ask the servers of some conversations again, as these have just answered."""
        if self._asks_again:
            for positions in {(), *map(self._servers.known_positions, addresses)}:
                self._asks_again.pop(positions, None)

    def _peeked(self, address: Address, newest: int) -> Pending:
        doing = "reading the inbox"
        layout = self._servers.layout(doing)
        if layout.target is None:
            pending, is_closed = self._peeked_at(places_in(layout, address)[0], newest)
            if not is_closed:
                return pending
            layout = self._servers.layout(doing, fresh=True)
        # Newest shard first: entries found there came after everything that the older one has or that is stored.
        later, *earlier = [self._peeked_at(place, newest)[0] for place in places_in(layout, address)]
        return later.after(earlier[0], newest) if earlier else later

    def _peeked_at(self, place: Place, newest: int) -> tuple[Pending, bool]:
        """Read one inbox of a conversation, and whether a reshard has closed its shard."""
        names = [place.inbox, keys.forgotten(place.shard), place.mark, keys.closed(place.shard)]
        with self._servers.asking("reading the inbox", place.shard) as client:
            answer: Any = _PEEK(client, names, [place.address.member, newest, BYTES_A_LOOK])
        held, sizes, joined, gone, age, mark, is_closed = cast("tuple[int, bytes, bytes, int, int, bytes, int]", answer)
        ends = [*accumulate(map(int, sizes.split(b",") if sizes else ()))]
        flat = [joined[begin:end] for begin, end in pairwise([0, *ends])]
        newest_first = [
            InboxEntry(stream_id.decode(), op.decode("utf-8", "replace"), entry_id.decode("utf-8", "replace"), body)
            for stream_id, op, entry_id, body in zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=True)
        ]
        pending = Pending(
            held, tuple(newest_first[::-1]), bool(gone), max(0.0, age / 1000), mark.decode() if mark else None
        )
        return pending, bool(is_closed)

    def last_stream_id(self, address: Address) -> str | None:
        """Return the id of the newest entry; None for an empty inbox."""
        return next((stream_id for place in self._servers.places(address) if (stream_id := self._last(place))), None)

    def _last(self, place: Place) -> str | None:
        with self._servers.asking("reading the inbox", place.shard) as client:
            rows = cast("list[Any]", client.xrevrange(place.inbox, count=1))
        return rows[0][0].decode() if rows else None

    def is_stored(self, address: Address, last_id: str) -> bool:
        """Whether the entry with this id, and all entries before it, have left the inbox."""
        for place in self._servers.places(address):
            rows = self._page(place, "-", 1)
            # Compares within one inbox, or with the older one during a reshard, whose clock may differ.
            if rows and stream_order(rows[0][0].decode()) <= stream_order(last_id):
                return False
        return True

    def entries(self, address: Address) -> Iterator[InboxEntry]:
        """Iterate over all entries of an inbox, oldest first, page by page."""
        for place in reversed(self._servers.places(address)):
            begin = "-"
            while rows := self._page(place, begin, ENTRIES_A_PAGE):
                for stream_id, fields in rows:
                    yield InboxEntry.of(stream_id, [part for pair in fields.items() for part in pair])
                if len(rows) < ENTRIES_A_PAGE:
                    break
                begin = f"({rows[-1][0].decode()}"

    def _page(self, place: Place, begin: str, most: int) -> list[Any]:
        with self._servers.asking("reading the inbox", place.shard) as client:
            return cast("list[Any]", client.xrange(place.inbox, min=begin, count=most))

    def waiting(self, tenant: str) -> list[Address]:
        """Return the conversations of a tenant with entries in their inbox."""
        places = self._servers.waiting("listing the inboxes", tenant)
        return [*dict.fromkeys(place.address for place in places)]

    def seen(self, address: Address) -> Seen:
        """Capture the state of the inbox, for a later comparison by `forget`."""
        places = places_in(self._servers.layout("reading the inbox", fresh=True), address)
        token = (secrets.token_hex(8), keys.SEEN_SECONDS)
        calls = [Call(place.shard, [place.inbox, place.seen], [*token]) for place in places]
        seen = self._servers.each("reading the inbox", _SEE, calls)
        return {place: text.decode() for place, text in zip(places, seen, strict=True)}

    def forget(self, address: Address, *, seen: Seen | None = None) -> int:
        """Drop the inbox and mark the conversation's rows for deletion; return the number of dropped entries.

        With `seen`, raises `Changed` if entries were added or drained since.
        """
        return self.forget_all([address], seen=seen)

    def forget_all(self, addresses: Iterable[Address], *, seen: Seen | None = None) -> int:
        """Forget many conversations, in one round trip per server; return the number of dropped entries."""
        left, dropped = [*addresses], 0
        wanted = tuple(left)
        for look in range(_LOOKS):
            layout = self._servers.layout("forgetting", fresh=look > 0)
            open_first = [places_in(layout, address)[-1] for address in left]
            held = self._forgotten_at(open_first, seen)
            closed = [place for place, number in zip(open_first, held, strict=True) if number < 0]
            dropped += sum(number for number in held if number > 0)
            if layout.target is None:
                left = [place.address for place in closed]
            else:
                # First clean the closed shard; then the one that follows it, with the mark for workers.
                dropped += sum(self._forgotten_at(closed, seen, clean=True))
                later = [places_in(layout, place.address)[0] for place in closed]
                held = self._forgotten_at(later, seen)
                dropped += sum(number for number in held if number > 0)
                left = [place.address for place, number in zip(later, held, strict=True) if number < 0]
                for place in {*open_first} - {*closed}:
                    self._drop_references_elsewhere(place.address)
            if not left:
                self._is_back(wanted)
                return dropped
        raise Unavailable(_BEING_LAID_OUT, remedy=_LATER)

    def _forgotten_at(self, places: Sequence[Place], seen: Seen | None, *, clean: bool = False) -> list[int]:
        calls = []
        for place in places:
            names = [
                place.inbox, place.ready, keys.forgotten(place.shard), place.erased, place.references, place.access,
                keys.accessed(place.shard), keys.closed(place.shard), place.seen,
            ]  # fmt: skip
            arguments = [
                keys.encode_id(place.address.conversation), place.address.member, place.contexts, int(clean),
                *(() if seen is None else (seen.get(place, "unseen"),)),
            ]  # fmt: skip
            calls.append(Call(place.shard, names, arguments))
        held = [*map(int, self._servers.each("forgetting", _FORGET, calls))] if calls else []
        if _CHANGED in held:
            raise Changed
        return held

    def shard_of(self, address: Address) -> int:
        """Return the shard to ring for."""
        return self._servers.place(address).shard

    def erased(self, address: Address) -> bytes | None:
        """Return the erasure counts that a worker writes after deleting the rows; None before."""
        return self.erased_all([address])[0]

    def erased_all(self, addresses: Sequence[Address]) -> list[bytes | None]:
        """Return the erasure counts of many conversations, in one round trip per server."""
        layout = self._servers.layout()
        places = [place for address in addresses for place in places_in(layout, address)]
        calls = [Call(place.shard, [place.erased], []) for place in places]
        counts: dict[Address, bytes | None] = {}
        for place, held in zip(places, self._servers.each("reading erasure receipts", _GET, calls), strict=True):
            counts[place.address] = counts.get(place.address) or held
        return [counts[address] for address in addresses]

    def forgotten(self, addresses: Sequence[Address]) -> set[str]:
        """Return the ids of the given conversations whose rows are still to be deleted."""
        return self._forgotten_of(addresses, patient=True)

    def known_forgotten(self, addresses: Sequence[Address]) -> set[str]:
        """Return those of `forgotten` that are known; with `reads_without_redis`, servers that are down are skipped."""
        if not self._reads_without_redis:
            return self.forgotten(addresses)
        try:
            return self._forgotten_of(addresses, patient=False)
        except NoAnswer:
            return set()

    def _forgotten_of(self, addresses: Sequence[Address], *, patient: bool) -> set[str]:
        layout = self._servers.layout(fresh=True)
        places = [place for address in addresses for place in places_in(layout, address)]
        calls = [Call(place.shard, [keys.forgotten(place.shard)], [place.address.member]) for place in places]
        since = self._servers.each("checking for forgotten conversations", _SCORE, calls, patient=patient)
        return {place.address.conversation for place, when in zip(places, since, strict=True) if when is not None}

    def remnants(self) -> list[str]:
        """Return the kinds of logs that may still contain erased words."""
        kinds = self._servers.of_all(
            "reading the erasure receipt", lambda client: cast("list[bytes]", client.hkeys(keys.REMNANTS))
        )
        return sorted({kind.decode() for of_server in kinds for kind in of_server})


_APPEND: Final = Script(inbox_scripts.APPEND)
_PEEK: Final = Script(inbox_scripts.PEEK)
_DROP_REFERENCES: Final = Script(inbox_scripts.DROP_REFERENCES)
_SEE: Final = Script(inbox_scripts.SEE)
_FORGET: Final = Script(inbox_scripts.FORGET)
_GET: Final = Script("return redis.call('GET', KEYS[1])")
_SCORE: Final = Script("return redis.call('ZSCORE', KEYS[1], ARGV[1])")


def blocks_of(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Split entries, in order, into blocks for one call each."""
    start = size = 0
    for end, entry in enumerate(entries):
        if end - start == ENTRIES_PER_CALL or (end > start and size + len(entry.body) > BYTES_PER_CALL):
            yield entries[start:end]
            start, size = end, 0
        size += len(entry.body)
    if start < len(entries):
        yield entries[start:]


def is_one_block(entries: Sequence[Entry]) -> bool:
    """Whether one call takes all entries, so that either all are added or none."""
    return sum(1 for _ in blocks_of(entries)) <= 1


def stream_order(stream_id: str) -> tuple[int, int]:
    """Sort key of a stream id.

    >>> stream_order("10-2") > stream_order("9-30")
    True
    """
    milliseconds, _, sequence = stream_id.partition("-")
    return int(milliseconds), int(sequence)
