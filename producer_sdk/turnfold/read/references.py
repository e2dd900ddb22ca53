"""References: short ids of assembled contexts that are kept in Redis for a while.

The id is a hash of the conversation's address and the context's fingerprint, so that equal contexts share a reference.
Redis expires each by itself; `forget` drops those of a conversation in the same call that drops its inbox.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, cast

from turnfold.assemble import Context, pack_context, unpack_context
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.errors import InvalidInput, UnknownConversation, UnknownReference
from turnfold.read.snapshot import readable_head
from turnfold.redis.connections import translated
from turnfold.redis.lua import Script

if TYPE_CHECKING:
    import redis

    from turnfold.contract.keys import Place
    from turnfold.contract.shards import Layout
    from turnfold.database.read_source import PendingSource
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.database.reader import Reader
    from turnfold.redis.servers import InboxServers

MOST_REFERENCES: Final = 100
"""Most references of one conversation; beyond that, the one that would expire first is dropped."""

_HASH_BYTES: Final = 12
_REFERENCE: Final = lazy_pattern(r"ctx_(?P<point>[0-9a-f]{4})[0-9a-f]{24}")

# KEYS refs, ctx     ARGV reference, packed context, seconds, most references, key prefix of references
# Drops references that have expired or exceed the limit.
_KEEP: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3] * 1000000), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local over = redis.call('ZCARD', KEYS[1]) - ARGV[4]
if over > 0 then
  for _, reference in ipairs(redis.call('ZRANGE', KEYS[1], 0, over - 1)) do
    redis.call('DEL', ARGV[5] .. reference)
    redis.call('ZREM', KEYS[1], reference)
  end
end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
redis.call('PEXPIRE', KEYS[1], math.ceil((last - now) / 1000))
return redis.status_reply('OK')
"""


# KEYS refs, point     ARGV reference, point, seconds, the point's name among the references
# Stored only while the reference of its block exists: a conversation forgotten or edited meanwhile gets none.
_KEEP_POINT: Final = """
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local time = redis.call('TIME')
redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
local now = time[1] * 1000000 + time[2]
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3] * 1000000), ARGV[4])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
redis.call('PEXPIRE', KEYS[1], math.ceil((last - now) / 1000))
return 1
"""

_KEEP_SCRIPT: Final = Script(_KEEP)
_KEEP_POINT_SCRIPT: Final = Script(_KEEP_POINT)


def reference_of(address: Address, context: Context) -> str:
    """Return a context's reference: `ctx_`, its conversation's hash point, and a hash of address and context."""
    digest = blake2b(address.member.encode(), digest_size=_HASH_BYTES)
    digest.update(context.fingerprint.encode())
    return f"ctx_{address.point:04x}{digest.hexdigest()}"


class ContextReferences:
    """Keeps contexts in Redis. Safe to share among threads."""

    def __init__(self, servers: InboxServers) -> None:
        self._servers = servers

    def keep(self, address: Address, context: Context, *, seconds: int) -> str:
        """Store a context for `seconds` from now, and return its reference."""
        reference, packed = reference_of(address, context), pack_context(context)

        def keep(place: Place, client: redis.Redis) -> None:
            arguments: list[Any] = [reference, packed, seconds, MOST_REFERENCES, place.contexts]
            _KEEP_SCRIPT(client, [place.references, place.contexts + reference], arguments)

        self._servers.run(address, "keeping a context", keep)
        return reference

    def drop(self, address: Address, reference: str) -> None:
        """Delete a reference and its context."""

        def drop(place: Place, client: redis.Redis) -> None:
            pipeline = client.pipeline(transaction=False)
            pipeline.delete(place.contexts + reference)
            pipeline.zrem(place.references, reference)
            pipeline.execute()

        self._servers.run(address, "dropping a context", drop)

    def fold_point(self, address: Address) -> bytes | None:
        """Return a conversation's last fold point, stored by any process; None if there is none."""
        return self._servers.run(
            address, "reading a fold point", lambda place, client: cast("bytes | None", client.get(_point_key(place)))
        )

    def keep_fold_point(self, address: Address, point: bytes, *, reference: str, seconds: int) -> None:
        """Store a fold point as long as the context of `reference`, which holds its block; a no-op if that has expired.

        The point is dropped with the references of its conversation: when that is forgotten, or its past changes.
        """
        arguments: list[Any] = [reference, point, seconds, keys.fold_point_member(address)]

        def keep(place: Place, client: redis.Redis) -> None:
            _KEEP_POINT_SCRIPT(client, [place.references, _point_key(place)], arguments)

        self._servers.run(address, "keeping a fold point", keep)

    def find(self, tenant: str, reference: object) -> Context:
        """Return the context of a tenant's reference. Raises `UnknownReference`, `InvalidInput`."""
        if not isinstance(reference, str):
            raise InvalidInput(f"a reference must be text such as ctx_07…, not {type(reference).__name__}")
        packed: bytes | None = None
        if match := _REFERENCE.fullmatch(reference):
            packed = self._found(int(match["point"], 16), tenant, reference)
        context = None if packed is None else unpack_context(packed)
        if context is None:
            msg = (
                f"{reference[:60]!r} names no context of tenant {tenant!r}: it has expired, or its conversation "
                "was forgotten"
            )
            raise UnknownReference(msg, remedy="make the context again")
        return context

    def _found(self, point: int, tenant: str, reference: str) -> bytes | None:
        doing = "resolving a reference"
        layout = self._servers.layout(doing)
        packed = self._found_in(layout.newest, point, tenant, reference)
        if packed is None and (now := self._servers.layout(doing, fresh=True)) != layout:
            # Another process may have learned of a reshard before this one.
            packed, layout = self._found_in(now.newest, point, tenant, reference), now
        return self._found_in(layout, point, tenant, reference) if packed is None and layout.target else packed

    def _found_in(self, generation: Layout, point: int, tenant: str, reference: str) -> bytes | None:
        shard = generation.shard_at(point)
        with translated("resolving a reference"):
            name = keys.contexts_prefix(shard, tenant) + reference
            return cast("bytes | None", self._servers.client_of(shard).get(name))


def _point_key(place: Place) -> str:
    return place.contexts + keys.fold_point_member(place.address)


def keep(
    references: ContextReferences,
    inbox: PendingSource,
    reader: Reader,
    address: Address,
    context: Context,
    *,
    seconds: int,
) -> str:
    """Store a context unless its conversation was forgotten since it was made. Raises `UnknownConversation`.

    The check comes after storing: a later `forget` finds the reference, and after an earlier one it is dropped here.
    """
    reference = references.keep(address, context, seconds=seconds)
    if not _stands(inbox, reader, address, context):
        references.drop(address, reference)
        msg = (
            f"conversation {address.conversation!r} of tenant {address.tenant!r} is not the one that this context was "
            "made from: it has no turns, or was forgotten since"
        )
        raise UnknownConversation(msg, remedy="make the context again")
    return reference


def _stands(inbox: PendingSource, reader: Reader, address: Address, context: Context) -> bool:
    """Whether the conversation that a context was read from still exists."""
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> bool:
        head = readable_head(transaction, address, pending)
        if context.stored_as is not None:
            return head is not None and head.id == context.stored_as
        # The context was read from the inbox alone: its newest turn must still be there, or be stored by now.
        newest = [turn.turn.turn_id for turn in context.chat.turns[-1:]]
        waits = any(entry.entry_id in newest for entry in pending.newest)
        return waits or (head is not None and bool(newest) and bool(transaction.stored_seqs(head, newest)))

    return reader.read(look)
