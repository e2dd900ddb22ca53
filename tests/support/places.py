"""Where a new installation keeps conversations, for tests that look into Redis or name a shard."""

from __future__ import annotations

import redis

from turnfold.contract.keys import Address, Place
from turnfold.contract.shards import META_GENERATION, META_SERVERS, META_SHARDS, NEW_SHARDS, Layout
from turnfold.redis.servers import InboxServers

LAYOUT = Layout(0, NEW_SHARDS)
SHARDS = LAYOUT.all()


def shard_of(address: Address) -> int:
    return LAYOUT.shard_at(address.point)


def place(address: Address) -> Place:
    return Place(address, shard_of(address))


def meta_of(layout: Layout) -> dict[str, str]:
    """The rows of `meta` that say a layout."""
    return {
        META_SHARDS: str(layout.shards), META_GENERATION: str(layout.generation), META_SERVERS: str(layout.servers),
    }  # fmt: skip


def servers(client: redis.Redis) -> InboxServers:
    """Of one server."""
    return InboxServers.on(client, lambda: LAYOUT)
