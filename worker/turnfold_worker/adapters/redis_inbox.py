"""The worker's side of the inboxes in Redis. Keys and what they hold are listed in `turnfold.contract.keys`.

All times are microseconds of Redis's own clock. The score of a ready conversation is at once its readiness, its
lease and the token of the claim: below now it may be claimed, above now it is leased until then. A score further
ahead than two leases comes from a clock that was set back, and counts as ready; so does a time ahead of now at which
a tenant was served, and counts as now.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

import redis

from turnfold.contract import keys
from turnfold.contract.access import Expansions, read_fields
from turnfold.contract.keys import Address
from turnfold.inbox import pending_entry
from turnfold_worker.errors import StoreAway
from turnfold_worker.ports import Claim, InboxEntry

TENANTS_A_CLAIM: Final = 512
"""Tenants that one claim looks at, those served longest ago first, until it has found enough that are ready."""

EXPIRY_MILLISECONDS: Final = 3_600_000
"""How often turns are looked for that are older than they are to be kept."""

BATCH_BYTES: Final = 16 * 1_048_576
"""What one claim reads of all its inboxes, so that storing it takes less than a lease."""
LEAST_BYTES: Final = 65_536

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
local present, ahead = string.format('%.0f', now), string.format('(%.0f', now + 2 * lease)
-- What is ahead first: it is what a clock that was set back left behind, and nothing that comes later may hide it.
local function claimable(ready, room)
  local names = redis.call('ZRANGEBYSCORE', ready, ahead, '+inf', 'LIMIT', 0, room)
  if #names < room then
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', ready, '-inf', present, 'LIMIT', 0, room - #names)) do
      names[#names + 1] = name
    end
  end
  return names
end
for _, tenant in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. present, '+inf', 'LIMIT', 0, ARGV[4])) do
  redis.call('ZADD', KEYS[1], 'XX', present, tenant)
end
-- Those who have something, served longest ago first. Whose conversations are all leased waits for the next round.
local hungry = {}
for _, tenant in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[4] - 1)) do
  if #hungry >= most then break end
  local ready = ARGV[1] .. tenant
  if #claimable(ready, 1) > 0 then hungry[#hungry + 1] = tenant end
  if redis.call('EXISTS', ready) == 0 then
    redis.call('ZREM', KEYS[1], tenant)
  else
    redis.call('ZADD', KEYS[1], 'XX', present, tenant)
  end
end
-- Equal shares, rounded down so that the first ones leave something to the last. What one leaves is shared again
-- among those who could take more: each look takes its whole share or is the tenant's last one.
local found, left = {}, most
while left > 0 and #hungry > 0 do
  local share, still = math.max(1, math.floor(left / #hungry)), {}
  for _, tenant in ipairs(hungry) do
    local room = math.min(share, left)
    if room == 0 then break end
    local ready = ARGV[1] .. tenant
    local names = claimable(ready, room)
    for _, name in ipairs(names) do
      redis.call('ZADD', ready, 'XX', token, name)
      local mark = redis.call('ZSCORE', KEYS[2], tenant .. ':' .. name)
      found[#found + 1] = tenant
      found[#found + 1] = name
      found[#found + 1] = token
      found[#found + 1] = mark or ''
    end
    left = left - #names
    if #names == room then still[#still + 1] = tenant end
  end
  hungry = still
end
return found
"""
)

# KEYS inbox, ready, tenants, refused     ARGV conversation, token, last stream id or '', tenant
# Returns -1 when the claim is no longer ours, else the entries left (0: nothing remains of the inbox).
_FINISH: Final = (
    _NOW
    + """
local score = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return -1 end
if ARGV[3] ~= '' then
  redis.call('DEL', KEYS[4])
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

# KEYS inbox     ARGV most entries, most bytes
# Returns the oldest entries, as XRANGE does, until their fields hold that many bytes; one at least.
_READ: Final = """
local found, bytes = {}, 0
local from = '-'
while #found < tonumber(ARGV[1]) do
  local page = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', math.min(20, ARGV[1] - #found))
  for _, entry in ipairs(page) do
    for _, field in ipairs(entry[2]) do bytes = bytes + #field end
    if #found > 0 and bytes > tonumber(ARGV[2]) then return found end
    found[#found + 1] = entry
  end
  if #page == 0 then return found end
  local milliseconds, sequence = string.match(page[#page][1], '(%d+)-(%d+)')
  from = milliseconds .. '-' .. string.format('%.0f', sequence + 1)
end
return found
"""

# KEYS ready     ARGV conversation, token, microseconds
# Gives a claim back, to be taken again after a while; nothing when it is no longer ours.
_POSTPONE: Final = (
    _NOW
    + """
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', now + ARGV[3]), ARGV[1])
return 1
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


# KEYS accessed     ARGV most, what precedes a member in the name of its hash
# Returns the hashes of some members, each as a flat list, and drops them: a count that is lost on the way is no loss.
_TAKE_EXPANSIONS: Final = """
local found = {}
for _, member in ipairs(redis.call('SPOP', KEYS[1], ARGV[1])) do
  found[#found + 1] = redis.call('HGETALL', ARGV[2] .. member)
  redis.call('DEL', ARGV[2] .. member)
end
return found
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
        self._read = client.register_script(_READ)
        self._postpone = client.register_script(_POSTPONE)
        self._take_expansions = client.register_script(_TAKE_EXPANSIONS)
        self._erased = client.register_script(_ERASED)

    def silence_bell(self, shard: int) -> None:
        with _translated():
            self._client.delete(keys.bell(shard))

    def ring_bell(self, shard: int) -> bool:
        with _translated():
            return self._mark_for(keys.bell(shard), keys.BELL_MILLISECONDS)

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
        share = max(LEAST_BYTES, BATCH_BYTES // max(1, len(claims)))
        for claim in claims:
            self._read([claim.address.inbox], [most, share], client=pipeline)
        with _translated():
            replies = cast("list[list[Any]]", pipeline.execute())
        return [[_entry(stream_id, flat) for stream_id, flat in rows] for rows in replies]

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for claim, last in done:
            address = claim.address
            self._finish(
                [address.inbox, address.ready, keys.tenants(address.shard), address.refusals],
                [keys.encode_id(address.conversation), claim.token, last or "", keys.encode_id(address.tenant)],
                client=pipeline,
            )
        with _translated():
            pipeline.execute()

    def postpone(self, claims: Sequence[Claim], seconds: float) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for claim in claims:
            who = keys.encode_id(claim.address.conversation)
            arguments: list[str | int] = [who, claim.token, int(seconds * 1_000_000)]
            self._postpone([claim.address.ready], arguments, client=pipeline)
        with _translated():
            pipeline.execute()

    def count_refusal(self, claim: Claim) -> int:
        name = claim.address.refusals
        with _translated():
            count = int(self._client.incr(name))
            self._client.expire(name, keys.REFUSALS_SECONDS)
        return count

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
            return self._mark_for(keys.SWEEP, self._sweep_milliseconds)

    def start_expiry(self) -> bool:
        with _translated():
            return self._mark_for(keys.EXPIRE, EXPIRY_MILLISECONDS)

    def take_expansions(self, most: int) -> list[Expansions]:
        pipeline = self._client.pipeline(transaction=False)
        for shard in range(keys.SHARDS):
            self._take_expansions([keys.accessed(shard)], [most, keys.access_prefix(shard)], client=pipeline)
        with _translated():
            replies = cast("list[list[list[bytes]]]", pipeline.execute())
        return [
            expansions
            for hashes in replies
            for flat in hashes
            for expansions in read_fields(
                {name.decode(): int(times) for name, times in zip(flat[::2], flat[1::2], strict=True)}
            )
        ]

    def _mark_for(self, name: str, milliseconds: int) -> bool:
        """True for the one who sets a mark that lives so long."""
        if self._client.set(name, "1", nx=True, px=milliseconds):
            return True
        # It would live longer than it was given: the clock was set back, and nobody may wait for the difference.
        if self._client.pttl(name) > milliseconds:
            self._client.pexpire(name, milliseconds)
        return False


def _mark(score: float) -> str:
    return f"{score:.0f}"


def _entry(stream_id: bytes, flat: Sequence[bytes]) -> InboxEntry:
    entry = pending_entry(stream_id, flat)
    return InboxEntry(entry.stream_id, entry.operation, entry.entry_id, entry.body)
