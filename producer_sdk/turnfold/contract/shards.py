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
META_TARGET: Final = "reshard_to"
"""Rows of `meta`."""


def tag(shard: int) -> str:
    """The hash tag of a shard's keys: all of them share a slot of a cluster.

    >>> tag(7), tag(65_536 + 7)
    ('{07}', '{1.07}')
    """
    generation, place = divmod(shard, IDS_A_GENERATION)
    return f"{{{generation}.{place:02d}}}" if generation else f"{{{place:02d}}}"


class Layout(NamedTuple):
    """One generation of shards: shard n lies on server n modulo `servers` of TURNFOLD_REDIS_URL's list.

    With a `target` a reshard is under way: what is appended goes to a shard of this generation until that is closed,
    and then to the target's; workers store what waits in this one first.
    """

    generation: int
    shards: int
    servers: int = 1
    target: Layout | None = None

    @property
    def newest(self) -> Layout:
        """Where everything will be: the target, or this one where no reshard is under way."""
        return self.target or self

    @property
    def most_servers(self) -> int:
        """As many of the list are in use."""
        return max(self.servers, self.newest.servers)

    @property
    def rank(self) -> int:
        """Greater for a layout that came later: generation g has 2 g, a reshard from it 2 g + 1."""
        return 2 * self.generation + (self.target is not None)

    def shard_at(self, point: int) -> int:
        """The shard, of this generation, of what lies at a point, 0 to 65535."""
        return self.generation * IDS_A_GENERATION + point % self.shards

    def own(self) -> range:
        """Every shard of this generation."""
        first = self.generation * IDS_A_GENERATION
        return range(first, first + self.shards)

    def all(self) -> list[int]:
        """Every shard, also of the target."""
        return [*self.own(), *(self.target.own() if self.target else ())]

    def server_of(self, shard: int) -> int:
        """Place of a shard's server in the list, from 0."""
        generation, place = divmod(shard, IDS_A_GENERATION)
        return place % (self.newest.servers if generation == self.newest.generation else self.servers)

    def has(self, shard: int) -> bool:
        """Whether this is one of its shards, or of its target's."""
        return shard in self.own() or (self.target is not None and shard in self.target.own())

    def to_text(self) -> str:
        """As Redis and `meta` keep it.

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
            raise ValueError(f"no layout of shards: {text[:80]!r}")
        return layout

    @classmethod
    def unknown(cls) -> Self:
        """Of what asks for no shard. Raises `RuntimeError`."""
        raise RuntimeError("no shard is known here")

    @classmethod
    def from_meta(cls, rows: Mapping[str, str]) -> Self:
        """Of the rows of `meta`."""
        generation, shards = rows.get(META_GENERATION, 0), rows.get(META_SHARDS, UNSTORED_SHARDS)
        target = cls.from_text(rows[META_TARGET]) if META_TARGET in rows else None
        return cls(int(generation), int(shards), int(rows.get(META_SERVERS, 1)), target)
