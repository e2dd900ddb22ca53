"""Count what is waiting in the inboxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from turnfold.contract import keys
from turnfold.contract.keys import Address, Place
from turnfold.redis.connections import microseconds_of
from turnfold.redis.lua import Call, Script
from turnfold.redis.servers import InboxServers

MOST_INBOXES: Final = 1_000
"""Inboxes of a shard that are measured, longest-waiting first; the rest count as the average of those."""

# KEYS inbox Returns {entries in it, id of the first}, without the content, which may be long.
_SIZE_AND_FIRST: Final = Script("""
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
return {redis.call('XLEN', KEYS[1]), first and first[1] or ''}
""")

# KEYS tenants     ARGV ready prefix, most
# Returns {number of waiting conversations, then <tenant>:<conversation> of those that have waited longest}.
_READY: Final = Script("""
local held, ready = 0, {}
for _, tenant in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  held = held + redis.call('ZCARD', ARGV[1] .. tenant)
  local some = redis.call('ZRANGE', ARGV[1] .. tenant, 0, ARGV[2] - 1, 'WITHSCORES')
  for i = 1, #some, 2 do ready[#ready + 1] = {tonumber(some[i + 1]), tenant .. ':' .. some[i]} end
end
table.sort(ready, function(one, other) return one[1] < other[1] end)
local answer = {held}
for i = 1, math.min(#ready, tonumber(ARGV[2])) do answer[i + 1] = ready[i][2] end
return answer
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTotals:
    """What is waiting in one shard of the inboxes, over all tenants."""

    shard: int
    conversations: int
    """Conversations with entries that no worker has stored yet."""
    entries: int
    oldest_seconds: float
    """Age of the oldest entry."""
    forgotten: int
    """Forgotten conversations whose rows are still to be deleted."""


def waiting_totals(servers: InboxServers, *, most_inboxes: int = MOST_INBOXES) -> list[ShardTotals]:
    """Return totals of the shards that are not empty, exact up to `most_inboxes` waiting conversations per shard.

    Takes six round trips per server, however many shards there are. Raises `Unavailable`.
    """
    doing = "counting inbox entries"
    now = max(servers.of_all(doing, microseconds_of)) / 1_000_000
    shards = servers.all()
    tenants = servers.piped(doing, shards, lambda asks, shard: asks.zrange(keys.tenants(shard), 0, -1))
    forgotten = servers.piped(doing, shards, lambda asks, shard: asks.zcard(keys.forgotten(shard)))
    with_some = [shard for shard in shards if tenants[shard]]
    calls = [Call(shard, [keys.tenants(shard)], [keys.ready_prefix(shard), most_inboxes]) for shard in with_some]
    looks = {
        shard: ([Place(Address.from_member(member.decode()), shard) for member in members], held)
        for shard, (held, *members) in zip(with_some, servers.each(doing, _READY, calls), strict=True)
    }
    answers = iter(
        servers.each(
            doing, _SIZE_AND_FIRST,
            [Call(shard, [place.inbox], []) for shard, (places, _) in looks.items() for place in places],
        )
    )  # fmt: skip
    totals = []
    for shard in shards:
        places, held = looks.get(shard, ([], 0))
        sizes = [(size, first) for size, first in (next(answers) for _ in places) if size]
        totals.append(_shard_totals(shard, sizes, held - len(places), now, forgotten[shard]))
    return [total for total in totals if total.conversations or total.forgotten]


def _shard_totals(
    shard: int, sizes: Sequence[tuple[int, bytes]], further: int, now: float, forgotten: int
) -> ShardTotals:
    entries, seen = sum(size for size, _ in sizes), len(sizes)
    oldest = min((_stream_seconds(first) for _, first in sizes), default=now)
    return ShardTotals(
        shard=shard,
        conversations=seen + further,
        entries=entries + (round(entries / seen * further) if seen else further),
        oldest_seconds=max(0.0, round(now - oldest, 3)),
        forgotten=forgotten,
    )


def _stream_seconds(stream_id: bytes) -> float:
    return int(stream_id.split(b"-")[0]) / 1000
