"""How much waits in the inboxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from turnfold.contract import keys
from turnfold.contract.keys import SHARDS, Address
from turnfold.redis.inbox import translated as redis_translated

if TYPE_CHECKING:
    import redis

MOST_INBOXES: Final = 1_000
"""Inboxes of a shard that are looked at, those that wait for the longest time; further ones count as their average."""

# KEYS inbox      Returns {entries in it, id of the first}: its content, which may be long, stays where it is.
_SIZE_AND_FIRST: Final = """
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
return {redis.call('XLEN', KEYS[1]), first and first[1] or ''}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTotals:
    """What waits in a shard of the inbox, of all tenants."""

    shard: int
    conversations: int
    """Conversations with entries that no worker has stored yet."""
    entries: int
    oldest_seconds: float
    """Age of the oldest entry."""
    forgotten: int
    """Forgotten conversations whose rows are still to be deleted."""


def waiting_totals(client: redis.Redis, *, most_inboxes: int = MOST_INBOXES) -> list[ShardTotals]:
    """Shards that hold anything, exactly up to `most_inboxes` waiting conversations of each. Raises `Unavailable`."""
    with redis_translated("counting what waits in the inboxes"):
        seconds, microseconds = client.time()
        now = seconds + microseconds / 1_000_000
        found = [_shard_totals(client, shard, now, most_inboxes) for shard in range(SHARDS)]
    return [totals for totals in found if totals.conversations or totals.forgotten]


def _shard_totals(client: redis.Redis, shard: int, now: float, most: int) -> ShardTotals:
    tenants = [tenant.decode() for tenant in cast("list[bytes]", client.zrange(keys.tenants(shard), 0, -1))]
    pipeline = client.pipeline(transaction=False)
    for tenant in tenants:
        pipeline.zcard(keys.ready_prefix(shard) + tenant)
        pipeline.zrange(keys.ready_prefix(shard) + tenant, 0, most - 1, withscores=True)
    ready = pipeline.execute() if tenants else []
    waiting = sorted(
        (score, f"{tenant}:{conversation.decode()}")
        for tenant, members in zip(tenants, ready[1::2], strict=True)
        for conversation, score in members
    )[:most]
    look = client.register_script(_SIZE_AND_FIRST)
    for _, member in waiting:
        look([Address.from_member(member).inbox], client=pipeline)
    answers = [(size, first) for size, first in pipeline.execute() if size] if waiting else []
    seen, further = len(answers), sum(ready[::2]) - len(waiting)
    entries = sum(size for size, _ in answers)
    oldest = min((_stream_seconds(first) for _, first in answers), default=now)
    return ShardTotals(
        shard=shard,
        conversations=seen + further,
        entries=entries + (round(entries / seen * further) if seen else further),
        oldest_seconds=max(0.0, round(now - oldest, 3)),
        forgotten=client.zcard(keys.forgotten(shard)),
    )


def _stream_seconds(stream_id: bytes) -> float:
    return int(stream_id.split(b"-")[0]) / 1000
