"""The anchors that a read fetched, of which a context shows few: each becomes a record when it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, overload

from turnfold.contract.records import Anchor


class Ledger(Sequence[Anchor]):
    """Anchors, best first, with what decides whether one can be shown. Safe to share among threads."""

    __slots__ = ("_made", "_make", "seqs", "tokens")

    def __init__(self, *, seqs: list[int], tokens: list[int], make: Callable[[int], Anchor]) -> None:
        """`make` gives the record at a place; the lists have one entry an anchor."""
        self.seqs: Final = seqs
        """Of the turns in which they were said."""
        self.tokens: Final = tokens
        """Estimated, of their words alone."""
        self._made: list[Anchor | None] = [None] * len(seqs)
        self._make = make

    @classmethod
    def of(cls, anchors: Iterable[Anchor]) -> Ledger:
        """Anchors that are records already."""
        if isinstance(anchors, Ledger):
            return anchors
        made = list(anchors)
        return cls(
            seqs=[one.turn_seq for one in made], tokens=[one.tokens for one in made], make=made.__getitem__
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.seqs)

    @overload
    def __getitem__(self, at: int) -> Anchor: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Anchor, ...]: ...
    def __getitem__(self, at: int | slice) -> Anchor | tuple[Anchor, ...]:
        if isinstance(at, slice):
            return tuple([self[i] for i in range(*at.indices(len(self)))])
        found = self._made[at]
        if found is None:
            # Two threads may both make it, the same.
            found = self._made[at] = self._make(at)
        return found
