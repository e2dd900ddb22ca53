"""Where the databases that tests copy keep conversations, for tests that look into Redis or name a shard."""

from __future__ import annotations

import redis

from turnfold.contract.keys import Address, Place
from turnfold.contract.shards import META_GENERATION, META_SERVERS, META_SHARDS, NEW_SHARDS, Layout
from turnfold.contract.tables import MetaRow, table
from turnfold.database.engines import connect
from turnfold.redis.servers import InboxServers

LAYOUT = Layout(0, 16)
"""Of fewer shards than a new installation has: each of thousands of sweeps asks all of them."""
SHARDS = LAYOUT.all()
NEW_LAYOUT = Layout(0, NEW_SHARDS)
"""Of a new installation, as benchmarks make them."""


def shard_of(address: Address) -> int:
    return LAYOUT.shard_at(address.point)


def place(address: Address) -> Place:
    return Place(address, shard_of(address))


def meta_of(layout: Layout) -> dict[str, str]:
    """The rows of `meta` that say a layout."""
    return {
        META_SHARDS: str(layout.shards), META_GENERATION: str(layout.generation), META_SERVERS: str(layout.servers),
    }  # fmt: skip


def write_layout(database_url: str, layout: Layout) -> None:
    """Let the inboxes of a database lie as `layout` says."""
    engine = connect(database_url, write=True, timeout_seconds=10)
    meta = table(MetaRow)
    with engine.begin() as connection:
        for key, value in meta_of(layout).items():
            connection.execute(meta.delete().where(meta.c.key == key))
            connection.execute(meta.insert(), {"key": key, "value": value})
    engine.dispose()


def servers(client: redis.Redis, layout: Layout = LAYOUT) -> InboxServers:
    """Of one server."""
    return InboxServers.on(client, lambda: layout)
