"""Shards: in how many parts the inboxes are, and on which Redis server each part lies.

How many there are is stored in `meta` when a database is migrated for the first time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

NEW_SHARDS: Final = 256
"""Of a new installation, unless its first migration is told another number."""
UNSTORED_SHARDS: Final = 16
"""Of a database that was migrated before the number was stored."""
MOST_SHARDS: Final = 4_096

IDS_A_GENERATION: Final = 65_536
"""Numbers of shards: generation times this, and the place in it."""
MOST_IDS: Final = IDS_A_GENERATION * IDS_A_GENERATION

META_SHARDS: Final = "shards"
META_GENERATION: Final = "shards_generation"
META_SERVERS: Final = "redis_servers"
"""Rows of `meta`."""


def tag(shard: int) -> str:
    """The hash tag of a shard's keys: all of them share a slot of a cluster.

    >>> tag(7), tag(65_536 + 7)
    ('{07}', '{1.07}')
    """
    generation, place = divmod(shard, IDS_A_GENERATION)
    return f"{{{generation}.{place:02d}}}" if generation else f"{{{place:02d}}}"


class Layout(NamedTuple):
    """One generation of shards: shard n lies on server n modulo `servers` of TURNFOLD_REDIS_URL's list."""

    generation: int
    shards: int
    servers: int = 1

    def shard_at(self, point: int) -> int:
        """The shard of what lies at a point, 0 to 65535."""
        return self.generation * IDS_A_GENERATION + point % self.shards

    def all(self) -> range:
        """Every shard."""
        first = self.generation * IDS_A_GENERATION
        return range(first, first + self.shards)

    def server_of(self, shard: int) -> int:
        """Place of a shard's server in the list, from 0."""
        return shard % IDS_A_GENERATION % self.servers

    def has(self, shard: int) -> bool:
        """Whether this is one of its shards."""
        generation, place = divmod(shard, IDS_A_GENERATION)
        return generation == self.generation and place < self.shards

    def to_text(self) -> str:
        """As Redis and `meta` keep it.

        >>> Layout(1, 256, 2).to_text()
        '1 256 2'
        """
        return f"{self.generation} {self.shards} {self.servers}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The inverse of `to_text`. Raises `ValueError`."""
        generation, shards, servers = map(int, text.split())
        layout = cls(generation, shards, servers)
        if not (0 <= layout.generation < IDS_A_GENERATION and 1 <= layout.shards <= MOST_SHARDS and layout.servers > 0):
            msg = f"no layout of shards: {text[:80]!r}"
            raise ValueError(msg)
        return layout

    @classmethod
    def unknown(cls) -> Self:
        """Of what asks for no shard. Raises `RuntimeError`."""
        msg = "no shard is known here"
        raise RuntimeError(msg)

    @classmethod
    def from_meta(cls, rows: Mapping[str, str]) -> Self:
        """Of the rows of `meta`."""
        generation, shards = rows.get(META_GENERATION, 0), rows.get(META_SHARDS, UNSTORED_SHARDS)
        return cls(int(generation), int(shards), int(rows.get(META_SERVERS, 1)))
