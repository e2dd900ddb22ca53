"""The anchors that a read fetched, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from turnfold.assemble.lazy import Lazy
from turnfold.contract.records import PINNED_RANK, Anchor, AnchorType

_LEAST: Final = {
    AnchorType.CRITICAL_FACT: None, AnchorType.UNRESOLVED_QUESTION: 50, AnchorType.CORRECTION: 60,
    AnchorType.CONSTRAINT: 0, AnchorType.INSTRUCTION: 0,
}  # fmt: skip
"""Scores from which anchors of a type stand in contexts by themselves; None for those that are told in notes."""
_LEAST_OF_OTHERS: Final = 70
_CLOSING: Final = " \"')*"


def stands(kind: AnchorType, score: int, text: str) -> bool:
    """Whether an anchor binds somebody, or is open, until something is said against it, and matters enough to be shown.

    What happened once does not, nor does a taste: notes tell of them. Neither does a question.
    """
    least = _LEAST.get(kind, _LEAST_OF_OTHERS)
    asks = kind is not AnchorType.UNRESOLVED_QUESTION and text.rstrip(_CLOSING).endswith("?")
    return least is not None and score >= least and not asks


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
        """Of each, what `stands` says."""
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
            standing=[stands(one.type, one.score, one.text) for one in made],
            pinned=sum(one.rank >= PINNED_RANK for one in made),
            make=made.__getitem__,
        )  # fmt: skip
