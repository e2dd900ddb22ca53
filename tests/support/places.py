"""The layout of inboxes in test databases, for tests that inspect Redis or name a shard."""

from __future__ import annotations

import redis

from turnfold.contract.keys import Address, Place
from turnfold.contract.shards import META_GENERATION, META_SERVERS, META_SHARDS, NEW_SHARDS, Layout
from turnfold.contract.tables import MetaRow, table
from turnfold.database.engines import connect
from turnfold.redis.servers import InboxServers

LAYOUT = Layout(0, 16)
"""Fewer shards than in a new installation, since each of thousands of sweeps asks all of them."""
SHARDS = LAYOUT.all()
NEW_LAYOUT = Layout(0, NEW_SHARDS)
"""The layout of a new installation, which benchmarks use."""


def shard_of(address: Address) -> int:
    return LAYOUT.shard_at(address.point)


def place(address: Address) -> Place:
    return Place(address, shard_of(address))


def meta_of(layout: Layout) -> dict[str, str]:
    """Return the rows of `meta` that store a layout."""
    return {
        META_SHARDS: str(layout.shards), META_GENERATION: str(layout.generation), META_SERVERS: str(layout.servers),
    }  # fmt: skip


def write_layout(database_url: str, layout: Layout) -> None:
    """Store `layout` as the layout of a database's inboxes."""
    engine = connect(database_url, write=True, timeout_seconds=10)
    meta = table(MetaRow)
    with engine.begin() as connection:
        for key, value in meta_of(layout).items():
            connection.execute(meta.delete().where(meta.c.key == key))
            connection.execute(meta.insert(), {"key": key, "value": value})
    engine.dispose()


def servers(client: redis.Redis, layout: Layout = LAYOUT) -> InboxServers:
    """Return the inboxes of a single server."""
    return InboxServers.on(client, lambda: layout)
