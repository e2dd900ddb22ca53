"""Quotas in Redis, where appends check them. Keys are listed in `turnfold.contract.keys`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, cast

from turnfold.contract import keys
from turnfold.redis.lua import Call, Script
from turnfold.redis.quotas import MEASURED_SECONDS
from turnfold.redis.scripts import HELD_BYTES
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis.failures import asks_redis, translated
from turnfold_worker.errors import StoreAway
from turnfold_worker.use_cases.tenant_quotas import TenantQuota

_FREE: Final = "/"
"""Prefix of a tenant without limits, whatever the settings: never part of an encoded id."""

# KEYS inbox
# Returns the bytes that wait in the inbox.
_INBOX_BYTES: Final = Script(
    HELD_BYTES
    + """
if redis.call('XLEN', KEYS[1]) == 0 then return 0 end
local _, bytes = held_bytes(KEYS[1])
return bytes
"""
)

# KEYS stored     ARGV size, bytes added before the measurement, seconds to keep
_MEASURED: Final = Script("""
local added = tonumber(redis.call('HGET', KEYS[1], 'added') or 0)
redis.call('HSET', KEYS[1], 'size', ARGV[1], 'added', string.format('%.0f', math.max(0, added - tonumber(ARGV[2]))))
redis.call('EXPIRE', KEYS[1], ARGV[3])
return redis.status_reply('OK')
""")


@asks_redis
class RedisQuotaBoard:
    """The quotas that appends check in Redis."""

    def __init__(self, servers: InboxServers) -> None:
        self._servers = servers

    def start(self) -> bool:
        """Return True to one caller per minute, and to the first one after Redis lost its data."""
        try:
            with translated():
                return bool(self._servers.home.set(keys.QUOTAS, "1", nx=True, ex=MEASURED_SECONDS))
        except StoreAway:
            # Among several servers, the one with quotas is away: the sweep of the others goes on.
            if len(self._servers) == 1:
                raise
            return False

    def publish(self, quotas: Collection[TenantQuota]) -> None:
        """Publish the quotas that concern appends, and remove all others."""
        ours = [quota for quota in quotas if quota.is_of_appends]
        members = {("" if quota.bounds_appends else _FREE) + keys.encode_id(quota.tenant) for quota in ours}
        home, shards = self._servers.home, self._servers.all()
        first = self._servers.client_of(shards[0])
        before = {name.decode() for name in cast("set[bytes]", first.smembers(keys.bounded(shards[0])))}
        gone = before - members
        pipeline = home.pipeline(transaction=False)
        for quota in ours:
            _put(pipeline, quota)
        if len(pipeline):
            pipeline.execute()
        # Added before others are removed: no append sees a set without its tenant in between.
        if members:
            self._of_each(shards, lambda asks, name: asks.sadd(name, *members))
            self._of_each(shards, lambda asks, name: asks.expire(name, keys.QUOTA_SECONDS))
        if gone:
            self._of_each(shards, lambda asks, name: asks.srem(name, *gone))
        published = {keys.encode_id(quota.tenant) for quota in ours}
        for name in {member.removeprefix(_FREE) for member in gone} - published:
            home.delete(keys.quota(keys.decode_id(name)))

    def _of_each(self, shards: Sequence[int], add: Callable[[Any, str], object]) -> None:
        self._servers.piped(
            "publishing quotas", shards, lambda pipeline, shard: add(pipeline, keys.bounded(shard)), patient=False
        )

    def waiting(self, tenant: str) -> tuple[int, int]:
        """Return the bytes appended since the last measurement, and the bytes waiting in the tenant's inboxes."""
        doing = "measuring inboxes"
        added = cast("bytes | None", self._servers.home.hget(keys.stored(tenant), "added"))
        calls = [Call(place.shard, [place.inbox], []) for place in self._servers.waiting(doing, tenant)]
        sizes = self._servers.each(doing, _INBOX_BYTES, calls)
        return int(added or 0), sum(sizes)

    def measured(self, tenant: str, size: int, *, added: int) -> None:
        """Set the stored bytes of a tenant; `added` is the first value that `waiting` returned."""
        _MEASURED(self._servers.home, [keys.stored(tenant)], [size, added, keys.QUOTA_SECONDS])


def _put(pipeline: Any, quota: TenantQuota) -> None:
    name = keys.quota(quota.tenant)
    bounds = {"turns": quota.turns_a_day, "bytes": quota.bytes_a_day, "stored": quota.stored_bytes}
    pipeline.hset(name, mapping={field: bound for field, bound in bounds.items() if bound is not None})
    if left_out := [field for field, bound in bounds.items() if bound is None]:
        pipeline.hdel(name, *left_out)
    pipeline.expire(name, keys.QUOTA_SECONDS)
