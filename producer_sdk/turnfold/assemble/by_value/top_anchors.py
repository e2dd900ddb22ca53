"""The anchors that a read fetched, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from turnfold.assemble.lazy import Lazy
from turnfold.contract.records import PINNED_RANK, Anchor, AnchorType

STANDING: Final = frozenset(AnchorType) - {AnchorType.CRITICAL_FACT}


class TopAnchors(Lazy[Anchor]):
    """Anchors, best first, with what decides whether one can be shown."""

    __slots__ = ("pinned", "seqs", "standing", "tokens")

    def __init__(
        self, *, seqs: list[int], tokens: list[int], standing: list[bool], pinned: int, make: Callable[[int], Anchor]
    ) -> None:
        """`make` gives the record at a place; the lists have one entry an anchor."""
        super().__init__([None] * len(seqs), make)
        self.seqs: Final = seqs
        """Of the turns in which they were said."""
        self.tokens: Final = tokens
        """Estimated, of their words alone."""
        self.standing: Final = standing
        """Whether each binds somebody, or is open, until something is said against it: what happened once does not."""
        self.pinned: Final = pinned
        """How many of the first are of pinned turns."""

    @classmethod
    def of(cls, anchors: Iterable[Anchor]) -> TopAnchors:
        """Anchors that are records already."""
        if isinstance(anchors, TopAnchors):
            return anchors
        made = list(anchors)
        return cls(
            seqs=[one.turn_seq for one in made], tokens=[one.tokens for one in made],
            standing=[one.type in STANDING for one in made],
            pinned=sum(one.rank >= PINNED_RANK for one in made),
            make=made.__getitem__,
        )  # fmt: skip
