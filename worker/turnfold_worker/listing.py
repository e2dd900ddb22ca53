"""All conversations of a tenant, also those that are not stored yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlalchemy import Engine, select

from turnfold.contract import keys
from turnfold.contract.keys import SHARDS
from turnfold.contract.tables import ConversationRow, standing, table
from turnfold.database.failures import translated as sql_translated
from turnfold.inbox import translated as redis_translated

if TYPE_CHECKING:
    import redis


def known_conversations(client: redis.Redis, engine: Engine, tenant: str) -> list[str]:
    """Every conversation of a tenant, stored or waiting. Raises `Unavailable` or `SchemaMismatch`."""
    conversation = table(ConversationRow)
    with redis_translated("listing what waits in the inboxes"):
        encoded = keys.encode_id(tenant)
        waiting = {
            keys.decode_id(name.decode())
            for shard in range(SHARDS)
            for name in cast("list[bytes]", client.zrange(keys.ready_prefix(shard) + encoded, 0, -1))
        }
    with sql_translated(), engine.begin() as connection:
        mine = select(conversation.c.external_id).where(conversation.c.tenant == tenant, standing())
        return sorted(waiting.union(connection.scalars(mine)))
