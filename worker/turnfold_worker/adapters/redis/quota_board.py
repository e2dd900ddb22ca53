"""Quotas in Redis, where appends are checked. Keys are listed in `turnfold.contract.keys`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, cast

import redis

from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.redis.quotas import MEASURED_SECONDS
from turnfold.redis.scripts import HELD_BYTES
from turnfold_worker.adapters.redis.failures import translated
from turnfold_worker.use_cases.tenant_quotas import TenantQuota

_FREE: Final = "/"
"""Before a tenant that may append any number, whatever the settings say: of an encoded id it is no part."""

# KEYS inbox
# Returns the bytes that wait in it.
_INBOX_BYTES: Final = (
    HELD_BYTES
    + """
if redis.call('XLEN', KEYS[1]) == 0 then return 0 end
local _, bytes = held_bytes(KEYS[1])
return bytes
"""
)

# KEYS stored     ARGV size, bytes added before it was measured, seconds to keep
_MEASURED: Final = """
local added = tonumber(redis.call('HGET', KEYS[1], 'added') or 0)
redis.call('HSET', KEYS[1], 'size', ARGV[1], 'added', string.format('%.0f', math.max(0, added - tonumber(ARGV[2]))))
redis.call('EXPIRE', KEYS[1], ARGV[3])
return redis.status_reply('OK')
"""


class RedisQuotaBoard:
    """Implements `tenant_quotas.QuotaBoard`."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._inbox_bytes = client.register_script(_INBOX_BYTES)
        self._measured = client.register_script(_MEASURED)

    def start(self) -> bool:
        with translated():
            return bool(self._client.set(keys.QUOTAS, "1", nx=True, ex=MEASURED_SECONDS))

    def publish(self, quotas: Collection[TenantQuota]) -> None:
        ours = [quota for quota in quotas if quota.is_of_appends]
        members = {("" if quota.bounds_appends else _FREE) + keys.encode_id(quota.tenant) for quota in ours}
        with translated():
            before = {name.decode() for name in cast("set[bytes]", self._client.smembers(keys.bounded(0)))}
            gone = before - members
            pipeline = self._client.pipeline(transaction=False)
            for quota in ours:
                _put(pipeline, quota)
            for shard in range(keys.SHARDS):
                # Added before others are taken out: no append finds a set without its tenant in between.
                if members:
                    pipeline.sadd(keys.bounded(shard), *members)
                    pipeline.expire(keys.bounded(shard), keys.QUOTA_SECONDS)
                if gone:
                    pipeline.srem(keys.bounded(shard), *gone)
            published = {keys.encode_id(quota.tenant) for quota in ours}
            for name in {member.removeprefix(_FREE) for member in gone} - published:
                pipeline.delete(keys.quota(keys.decode_id(name)))
            if pipeline.command_stack:
                pipeline.execute()

    def waiting(self, tenant: str) -> tuple[int, int]:
        pipeline = self._client.pipeline(transaction=False)
        pipeline.hget(keys.stored(tenant), "added")
        for shard in range(keys.SHARDS):
            pipeline.zrange(keys.ready_prefix(shard) + keys.encode_id(tenant), 0, -1)
        with translated():
            added, *of_shards = pipeline.execute()
            pipeline = self._client.pipeline(transaction=False)
            for name in (name for of_shard in of_shards for name in of_shard):
                self._inbox_bytes([Address(tenant, keys.decode_id(name.decode())).inbox], client=pipeline)
            sizes = cast("list[int]", pipeline.execute()) if pipeline.command_stack else []
        return int(added or 0), sum(sizes)

    def measured(self, tenant: str, size: int, *, added: int) -> None:
        with translated():
            self._measured([keys.stored(tenant)], [size, added, keys.QUOTA_SECONDS])


def _put(pipeline: redis.client.Pipeline, quota: TenantQuota) -> None:
    name = keys.quota(quota.tenant)
    bounds = {"turns": quota.turns_a_day, "bytes": quota.bytes_a_day, "stored": quota.stored_bytes}
    pipeline.hset(name, mapping={field: bound for field, bound in bounds.items() if bound is not None})
    if left_out := [field for field, bound in bounds.items() if bound is None]:
        pipeline.hdel(name, *left_out)
    pipeline.expire(name, keys.QUOTA_SECONDS)
