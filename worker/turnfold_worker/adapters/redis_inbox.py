"""The worker's side of the inboxes in Redis. Keys and what they hold are listed in `turnfold.contract.keys`.

All times are microseconds of Redis's own clock. The score of a ready conversation is at once its readiness, its
lease and the token of the claim: below now it may be claimed, above now it is leased until then. A score further
ahead than two leases comes from a clock that was set back, and counts as ready.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import redis

from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.inbox import pending_entry
from turnfold_worker.errors import StoreAway
from turnfold_worker.ports import Claim, InboxEntry

TENANTS_A_CLAIM: Final = 64
"""Tenants that one claim looks at, those served longest ago first."""

_NOW: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
"""

# KEYS tenants, forgotten     ARGV ready prefix, lease in microseconds, most conversations, most tenants
# Returns {tenant, conversation, token, forgotten mark or '', …}. Ready sets share the hash tag, hence the slot.
_CLAIM: Final = (
    _NOW
    + """
local lease, most = tonumber(ARGV[2]), tonumber(ARGV[3])
local token = string.format('%.0f', now + lease)
local found, taken = {}, 0
local tenants = redis.call('ZRANGE', KEYS[1], 0, ARGV[4] - 1)
local share = math.max(1, math.ceil(most / math.max(1, #tenants)))
for _, tenant in ipairs(tenants) do
  if taken >= most then break end
  local ready = ARGV[1] .. tenant
  local room = math.min(share, most - taken)
  local names = redis.call('ZRANGEBYSCORE', ready, '-inf', string.format('%.0f', now), 'LIMIT', 0, room)
  if #names < room then
    local ahead = string.format('(%.0f', now + 2 * lease)
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', ready, ahead, '+inf', 'LIMIT', 0, room - #names)) do
      names[#names + 1] = name
    end
  end
  for _, name in ipairs(names) do
    redis.call('ZADD', ready, 'XX', token, name)
    local mark = redis.call('ZSCORE', KEYS[2], tenant .. ':' .. name)
    found[#found + 1] = tenant
    found[#found + 1] = name
    found[#found + 1] = token
    found[#found + 1] = mark or ''
    taken = taken + 1
  end
  if redis.call('EXISTS', ready) == 0 then
    redis.call('ZREM', KEYS[1], tenant)
  else
    redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', now), tenant)
  end
end
return found
"""
)

# KEYS inbox, ready, tenants     ARGV conversation, token, last stream id or '', tenant
# Returns -1 when the claim is no longer ours, else the entries left (0: nothing remains of the inbox).
_FINISH: Final = (
    _NOW
    + """
local score = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return -1 end
if ARGV[3] ~= '' then
  local milliseconds, sequence = string.match(ARGV[3], '(%d+)-(%d+)')
  redis.call('XTRIM', KEYS[1], 'MINID', milliseconds .. '-' .. string.format('%.0f', sequence + 1))
end
local left = redis.call('XLEN', KEYS[1])
if left == 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('ZREM', KEYS[3], ARGV[4]) end
else
  redis.call('ZADD', KEYS[2], 'XX', string.format('%.0f', now), ARGV[1])
end
return left
"""
)

# KEYS forgotten, erased     ARGV member, mark, JSON counts, seconds
# The mark goes only if nobody asked to forget again meanwhile; the first counts stand, a repeat finds nothing.
_ERASED: Final = """
local mark = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not mark or tonumber(mark) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[4])
return 1
"""


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except redis.RedisError as error:
        msg = f"Redis failed: {type(error).__name__}"
        raise StoreAway(msg) from error


class RedisInbox:
    """Implements `ports.Inbox`."""

    def __init__(self, client: redis.Redis, *, lease_seconds: float, sweep_seconds: float) -> None:
        self._client = client
        self._lease_microseconds = int(lease_seconds * 1_000_000)
        self._sweep_milliseconds = max(1, int(sweep_seconds * 1_000))
        self._claim = client.register_script(_CLAIM)
        self._finish = client.register_script(_FINISH)
        self._erased = client.register_script(_ERASED)

    def silence_bell(self, shard: int) -> None:
        with _translated():
            self._client.delete(keys.bell(shard))

    def ring_bell(self, shard: int) -> bool:
        with _translated():
            return bool(self._client.set(keys.bell(shard), "1", nx=True, px=keys.BELL_MILLISECONDS))

    def claim(self, shard: int, most: int) -> list[Claim]:
        with _translated():
            flat = cast(
                "list[bytes]",
                self._claim(
                    [keys.tenants(shard), keys.forgotten(shard)],
                    [keys.ready_prefix(shard), self._lease_microseconds, most, TENANTS_A_CLAIM],
                ),
            )
        words = [word.decode() for word in flat]
        return [
            Claim(
                Address(keys.decode_id(tenant), keys.decode_id(conversation)),
                token,
                _mark(float(mark)) if mark else None,
            )
            for tenant, conversation, token, mark in zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True)
        ]

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        pipeline = self._client.pipeline(transaction=False)
        for claim in claims:
            pipeline.xrange(claim.address.inbox, count=most)
        with _translated():
            replies = cast("list[list[Any]]", pipeline.execute())
        return [[_entry(stream_id, fields) for stream_id, fields in rows] for rows in replies]

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for claim, last in done:
            address = claim.address
            self._finish(
                [address.inbox, address.ready, keys.tenants(address.shard)],
                [keys.encode_id(address.conversation), claim.token, last or "", keys.encode_id(address.tenant)],
                client=pipeline,
            )
        with _translated():
            pipeline.execute()

    def waiting(self) -> list[int]:
        pipeline = self._client.pipeline(transaction=False)
        for shard in range(keys.SHARDS):
            pipeline.exists(keys.tenants(shard), keys.forgotten(shard))
        with _translated():
            found = cast("list[int]", pipeline.execute())
        return [shard for shard, held in enumerate(found) if held]

    def forgotten(self, shard: int, most: int) -> list[Claim]:
        with _translated():
            rows = cast(
                "list[tuple[bytes, float]]",
                self._client.zrange(keys.forgotten(shard), 0, most - 1, withscores=True),
            )
        return [Claim(Address.from_member(member.decode()), "", _mark(score)) for member, score in rows]

    def still_forgotten(self, claim: Claim) -> bool:
        with _translated():
            score = self._client.zscore(keys.forgotten(claim.address.shard), claim.address.member)
        return score is not None and _mark(score) == claim.forgotten_at

    def erased(self, claim: Claim, counts: Mapping[str, int]) -> None:
        address = claim.address
        with _translated():
            self._erased(
                [keys.forgotten(address.shard), address.erased],
                [address.member, claim.forgotten_at or "0", json.dumps(dict(counts)), keys.ERASED_SECONDS],
            )

    def start_sweep(self) -> bool:
        with _translated():
            return bool(self._client.set(keys.SWEEP, "1", nx=True, px=self._sweep_milliseconds))


def _mark(score: float) -> str:
    return f"{score:.0f}"


def _entry(stream_id: bytes, fields: Mapping[bytes, bytes]) -> InboxEntry:
    flat = [part for pair in fields.items() for part in pair]
    entry = pending_entry(stream_id, flat)
    return InboxEntry(entry.stream_id, entry.operation, entry.entry_id, entry.body)
