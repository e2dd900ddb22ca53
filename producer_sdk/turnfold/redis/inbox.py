"""The producer's side of the inbox in Redis: append, forget, and the turns that no worker has stored yet.

Keys and what they hold are listed in `turnfold.contract.keys`. All times are Redis's own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, cast

from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.rings import Ring
from turnfold.contract.tasks import CHANGES, ENTRY_VERSION, Operation, Task
from turnfold.errors import InboxFull, InvalidSettings, Unavailable
from turnfold.redis import scripts as inbox_scripts
from turnfold.redis.errors import refusal
from turnfold.wire.encode import Entry

if TYPE_CHECKING:
    import redis

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


def connect(redis_url: str, *, timeout_seconds: float) -> redis.Redis:
    """A client that answers or fails within `timeout_seconds`, whatever the server does.

    Raises `InvalidSettings` for a URL that is not Redis's.
    """
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # One immediate retry replaces a pooled connection that a restarted server has dropped. Repeating is safe:
    # entries are deduplicated by id.
    each = timeout_seconds / 2
    # The client of a Redis behind a file knows neither of these.
    network = {} if redis_url.startswith("unix://") else {"socket_connect_timeout": each, "socket_keepalive": True}
    try:
        # Threads beyond the connections wait for one, where redis-py's usual pool fails at once.
        pool = redis.BlockingConnectionPool.from_url(
            redis_url, max_connections=MOST_CONNECTIONS, timeout=timeout_seconds, socket_timeout=each,
            retry=Retry(NoBackoff(), 1), health_check_interval=0, protocol=2, **network,
        )  # fmt: skip
        # Connects to nothing. Options are looked at when a connection is made, which is at the first call.
        pool.connection_class(**pool.connection_kwargs)
    except (ValueError, TypeError) as error:
        # Without what is taken for the port: it may be the rest of a password.
        reason = str(error)
        if "could not be cast" in reason:
            reason = "its port is no number: write /, ? and # in a password as %2F, %3F and %23"
        elif isinstance(error, TypeError):
            reason = "it has an option that redis-py does not know"
        msg = f"TURNFOLD_REDIS_URL is not a Redis URL ({reason})"
        raise InvalidSettings(msg, remedy="use redis://host:port/0, rediss://… or unix://…") from None
    return redis.Redis.from_pool(pool)


MOST_CONNECTIONS: Final = 64
"""Of one client to Redis: a call takes a millisecond, so that far more threads than that share them."""
_NONE_FREE: Final = "No connection available"
"""What redis-py says when none becomes free in time; it has no class for that."""
_START_ONE: Final = "`turnfold up` of turnfold-worker starts one on this machine"


_NOT_CONFIRMED: Final = "Redis has the turns, and no replica of it confirmed them in time"
_CONFIRM: Final = (
    "append `error.turns` again; check with `redis-cli INFO replication` that a replica is online, or append without "
    "`durable`"
)


class NotCounted(Exception):  # noqa: N818 - no error: the caller counts, and appends again
    """The tenant has a quota of its own, and what is appended was not counted."""


class NoAnswer(Unavailable):
    """Redis is away: it neither refused nor was kept busy by this client."""


@contextmanager
def translated(doing: str, *, remedy: str = _START_ONE) -> Iterator[None]:
    """Turn Redis's errors into `Unavailable`; `remedy` is what helps where no server runs."""
    import redis

    try:
        yield
    except redis.AuthenticationError as error:
        msg = f"Redis refused the user or password while {doing}"
        raise Unavailable(msg, remedy="correct them in TURNFOLD_REDIS_URL") from error
    except (redis.ConnectionError, redis.TimeoutError) as error:
        if _NONE_FREE in str(error):
            msg = f"all {MOST_CONNECTIONS} connections of this client to Redis were in use while {doing}"
            raise Unavailable(msg, remedy="use fewer threads, or several clients") from error
        msg = f"Redis did not answer while {doing}"
        raise NoAnswer(msg, remedy=f"is it running, and is TURNFOLD_REDIS_URL right? {remedy}") from error
    except redis.RedisError as error:
        why, remedy = refusal(error)
        msg = f"Redis refused while {doing}: {why}"
        raise Unavailable(msg, remedy=remedy) from error


class ProducerInbox:
    """Appends to, looks at and drops inboxes. Safe to share among threads."""

    def __init__(
        self, client: redis.Redis, *, reads_without_redis: bool = False, rings_elsewhere: bool = False
    ) -> None:
        """`reads_without_redis`: a look finds nothing while Redis is away, where it would raise.

        `rings_elsewhere`: an append leaves ringing to its caller.
        """
        self._append = client.register_script(inbox_scripts.APPEND)
        self._peek = client.register_script(inbox_scripts.PEEK)
        self._forget = client.register_script(inbox_scripts.FORGET)
        self._client = client
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
        shard = address.shard
        where = [
            address.inbox, address.ready, keys.tenants(shard), keys.bell(shard), address.references, keys.rung(shard),
            keys.bounded(shard), keys.full(shard),
        ]  # fmt: skip
        # Contexts that were kept may hold what is changed.
        changed = keys.contexts_prefix(shard, address.tenant) if operation in CHANGES else ""
        arguments: list[Any] = [
            keys.encode_id(address.conversation), keys.encode_id(address.tenant), room.most_entries, room.entries,
            keys.BELL_MILLISECONDS if bell else 0, ENTRY_VERSION, changed, room.most_bytes, room.bytes,
            "" if self._rings_elsewhere else Ring(Task.DRAIN, (shard,)).member, keys.RUNG_SECONDS,
            0 if counted else 1,
        ]  # fmt: skip
        for entry in block:
            arguments += (str(operation), entry.entry_id, entry.body)
        with translated("appending"):
            held, wanted, is_confirmed = self._appended(where, arguments)
        if held == _BOUNDED:
            raise NotCounted
        if held < 0:
            raise room.refusal(address, held, wanted)
        if not is_confirmed:
            not_confirmed = Unavailable(_NOT_CONFIRMED, remedy=_CONFIRM)
            not_confirmed.rings = wanted == 1
            raise not_confirmed
        return wanted == 1

    def _appended(self, where: Sequence[str], arguments: Sequence[Any]) -> tuple[int, int, bool]:
        """What the script answers, and whether a replica has what it wrote, where one is waited for."""
        if not self._confirm_milliseconds:
            held, wanted = cast("list[int]", self._append(where, arguments))
            return held, wanted, True
        # Redis waits for what was written on the same connection, hence one pipeline.
        pipeline = self._client.pipeline(transaction=False)
        self._append(where, arguments, client=pipeline)
        pipeline.wait(1, self._confirm_milliseconds)
        (held, wanted), replicas = cast("tuple[list[int], int]", pipeline.execute())
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
        with translated("reading the inbox"):
            names = [address.inbox, keys.forgotten(address.shard), address.mark]
            held, sizes, joined, gone, age, mark = cast(
                "tuple[int, bytes, bytes, int, int, bytes]",
                self._peek(names, [address.member, newest, BYTES_A_LOOK]),
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
        with translated("reading the inbox"):
            rows = cast("list[Any]", self._client.xrevrange(address.inbox, count=1))
        return rows[0][0].decode() if rows else None

    def first_stream_id(self, address: Address) -> str | None:
        """Id of the oldest entry, None for an empty inbox."""
        with translated("reading the inbox"):
            rows = cast("list[Any]", self._client.xrange(address.inbox, count=1))
        return rows[0][0].decode() if rows else None

    def entries(self, address: Address) -> Iterator[PendingEntry]:
        """Everything in an inbox, oldest first, some at a time."""
        begin = "-"
        while True:
            with translated("reading the inbox"):
                rows = cast("list[Any]", self._client.xrange(address.inbox, min=begin, count=ENTRIES_A_PAGE))
            for stream_id, fields in rows:
                yield pending_entry(stream_id, [part for pair in fields.items() for part in pair])
            if len(rows) < ENTRIES_A_PAGE:
                return
            begin = f"({rows[-1][0].decode()}"

    def waiting(self, tenant: str) -> list[Address]:
        """The conversations of a tenant that have something in their inbox."""
        with translated("listing what waits in the inboxes"):
            pipeline = self._client.pipeline(transaction=False)
            for shard in range(keys.SHARDS):
                pipeline.zrange(keys.ready_prefix(shard) + keys.encode_id(tenant), 0, -1)
            names = [name for of_shard in pipeline.execute() for name in of_shard]
        return [Address(tenant, keys.decode_id(name.decode())) for name in names]

    def forget(self, address: Address) -> int:
        """Drop the inbox and mark the conversation's rows for deletion; the number of entries dropped."""
        with translated("forgetting"):
            return int(cast("int", self._forget_with(address, self._client)))

    def forget_all(self, addresses: Iterable[Address]) -> int:
        """The same for many, of each shard in one round trip; the number of entries dropped."""
        dropped = 0
        with translated("forgetting"):
            for of_shard in _by_shard(addresses):
                pipeline = self._client.pipeline(transaction=False)
                for address in of_shard:
                    self._forget_with(address, pipeline)
                dropped += sum(map(int, pipeline.execute()))
        return dropped

    def _forget_with(self, address: Address, client: redis.Redis) -> object:
        shard = address.shard
        names = [
            address.inbox, address.ready, keys.forgotten(shard), address.erased, address.references, address.access,
            keys.accessed(shard),
        ]  # fmt: skip
        contexts = keys.contexts_prefix(address.shard, address.tenant)
        arguments = [keys.encode_id(address.conversation), address.member, contexts]
        return self._forget(names, arguments, client=client)

    def erased(self, address: Address) -> bytes | None:
        """What the worker wrote when it had deleted the rows; None before."""
        with translated("reading the erasure receipt"):
            return cast("bytes | None", self._client.get(address.erased))

    def erased_all(self, addresses: Sequence[Address]) -> list[bytes | None]:
        """The same of many, in one round trip a shard."""
        receipts: dict[Address, bytes | None] = {}
        with translated("reading erasure receipts"):
            for of_shard in _by_shard(addresses):
                values = self._client.mget([address.erased for address in of_shard])
                receipts.update(zip(of_shard, cast("list[bytes | None]", values), strict=True))
        return [receipts[address] for address in addresses]

    def forgotten(self, addresses: Sequence[Address]) -> set[str]:
        """Those of some conversations whose rows are still to be deleted."""
        if not addresses:
            return set()
        with translated("asking which conversations were forgotten"):
            pipeline = self._client.pipeline(transaction=False)
            for address in addresses:
                pipeline.zscore(keys.forgotten(address.shard), address.member)
            since = pipeline.execute()
        return {address.conversation for address, when in zip(addresses, since, strict=True) if when is not None}

    def remnants(self) -> list[str]:
        """The kinds of logs that may hold erased words still."""
        with translated("reading the erasure receipt"):
            return [kind.decode() for kind in cast("list[bytes]", self._client.hkeys(keys.REMNANTS))]


def _by_shard(addresses: Iterable[Address]) -> Iterable[list[Address]]:
    """Addresses whose keys share a slot of a cluster, together."""
    groups: dict[int, list[Address]] = {}
    for address in addresses:
        groups.setdefault(address.shard, []).append(address)
    return groups.values()


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
