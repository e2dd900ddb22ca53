"""Shards: the partitions of the inboxes, and their placement on Redis servers.

The number of shards is stored in `meta` by the first migration of a database.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

NEW_SHARDS: Final = 256
"""Default number of shards of a new installation."""
UNSTORED_SHARDS: Final = 16
"""Number of shards of a database migrated before the number was stored."""
MOST_SHARDS: Final = 4_096

IDS_A_GENERATION: Final = 65_536
"""Range of shard ids per generation: an id is the generation times this, plus the index in the generation."""
MOST_IDS: Final = IDS_A_GENERATION * IDS_A_GENERATION

META_SHARDS: Final = "shards"
META_GENERATION: Final = "shards_generation"
META_SERVERS: Final = "redis_servers"
META_TARGET: Final = "reshard_to"
"""Keys of the shard layout in `meta`."""


def tag(shard: int) -> str:
    """Return the hash tag of a shard's keys, which puts them into one slot of a cluster.

    >>> tag(7), tag(65_536 + 7)
    ('{07}', '{1.07}')
    """
    generation, place = divmod(shard, IDS_A_GENERATION)
    return f"{{{generation}.{place:02d}}}" if generation else f"{{{place:02d}}}"


class Layout(NamedTuple):
    """One generation of shards: shard n is on server n modulo `servers` of TURNFOLD_REDIS_URL's list.

    With a `target` a reshard is under way: an append goes to the shard of this generation until that shard is closed,
    then to the target's; workers drain the shards of this generation first.
    """

    generation: int
    shards: int
    servers: int = 1
    target: Layout | None = None

    @property
    def newest(self) -> Layout:
        """The layout after the reshard, or this one if none is under way."""
        return self.target or self

    @property
    def most_servers(self) -> int:
        """Number of servers of the list in use."""
        return max(self.servers, self.newest.servers)

    @property
    def rank(self) -> int:
        """Orders layouts by age: generation g has rank 2 g, a reshard from it 2 g + 1."""
        return 2 * self.generation + (self.target is not None)

    def shard_at(self, point: int) -> int:
        """Return the shard of this generation for a hash point, 0 to 65535."""
        return self.generation * IDS_A_GENERATION + point % self.shards

    def own(self) -> range:
        """Return the shards of this generation."""
        first = self.generation * IDS_A_GENERATION
        return range(first, first + self.shards)

    def all(self) -> list[int]:
        """Return all shards, including the target's."""
        return [*self.own(), *(self.target.own() if self.target else ())]

    def server_of(self, shard: int) -> int:
        """Return the index of a shard's server in the list, from 0."""
        generation, place = divmod(shard, IDS_A_GENERATION)
        return place % (self.newest.servers if generation == self.newest.generation else self.servers)

    def has(self, shard: int) -> bool:
        """Whether a shard belongs to this layout or its target."""
        return shard in self.own() or (self.target is not None and shard in self.target.own())

    def to_text(self) -> str:
        """Serialize the layout for Redis and `meta`.

        >>> Layout(1, 256, 2).to_text()
        '1 256 2'
        >>> Layout(0, 16, 1, Layout(1, 256, 2)).to_text()
        '0 16 1 1 256 2'
        """
        text = f"{self.generation} {self.shards} {self.servers}"
        return f"{text} {self.target.to_text()}" if self.target else text

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The inverse of `to_text`. Raises `ValueError`."""
        generation, shards, servers, *of_target = map(int, text.split())
        target = cls.from_text(" ".join(map(str, of_target))) if of_target else None
        layout = cls(generation, shards, servers, target)
        is_possible = 0 <= generation < IDS_A_GENERATION and 1 <= shards <= MOST_SHARDS and servers > 0
        if not is_possible or (target is not None and target.generation != generation + 1):
            raise ValueError(f"invalid shard layout: {text[:80]!r}")
        return layout

    @classmethod
    def unknown(cls) -> Self:
        """Raise `RuntimeError`: the layout source of code that needs no shard."""
        raise RuntimeError("shards are not available here")

    @classmethod
    def from_meta(cls, rows: Mapping[str, str]) -> Self:
        """Build a layout from the rows of `meta`."""
        generation, shards = rows.get(META_GENERATION, 0), rows.get(META_SHARDS, UNSTORED_SHARDS)
        target = cls.from_text(rows[META_TARGET]) if META_TARGET in rows else None
        return cls(int(generation), int(shards), int(rows.get(META_SERVERS, 1)), target)
