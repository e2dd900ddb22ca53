"""The anchors that a read fetched, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from turnfold.assemble.by_value.spoken_words import SpokenWords
from turnfold.assemble.lazy_sequence import Lazy
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import HEALTH_RANK, LASTING_RANK, PINNED_RANK, Anchor, AnchorType

_LEAST: Final = {
    AnchorType.UNRESOLVED_QUESTION: 50, AnchorType.CORRECTION: 60, AnchorType.CONSTRAINT: 0, AnchorType.INSTRUCTION: 0,
}  # fmt: skip
"""Minimum scores, by type, of anchors that are shown on their own merit."""
_SETTING: Final = lazy_pattern(r"[A-Z][A-Z0-9_]{2,60} ?= ?(?=\D{0,60}\d)[\w.:/@+-]{1,120}")
"""Settings such as 'HOLD_SECONDS=600', the facts that hold until they are set anew. Notes cover the others."""
RANK_OF_REPLACING: Final = 40
"""Points of rank that `tables.ANCHOR_ORDER` gives to an anchor that replaced another."""
_LEAST_OF_OTHERS: Final = 70
_LEAST_OF_REPLACING: Final = 50
"""Minimum score of an anchor that replaced one in force."""
_CLOSING: Final = " \"')*"


def stands(kind: AnchorType, score: int, text: str, *, rank: int = 0, replaces: bool = False) -> bool:
    """Whether an anchor is a lasting statement that matters enough: a rule, a setting, or open until contradicted.

    One-time events do not qualify, because notes cover them; neither do questions, unless unresolved, and anchors that
    the worker ranks below 0.
    """
    if kind is AnchorType.CRITICAL_FACT:
        return rank >= LASTING_RANK or _SETTING.fullmatch(text) is not None
    if rank < 0:
        return False
    least = _LEAST.get(kind, _LEAST_OF_REPLACING if replaces else _LEAST_OF_OTHERS)
    asks = kind is not AnchorType.UNRESOLVED_QUESTION and text.rstrip(_CLOSING).endswith("?")
    return score >= least and not asks


def binds(rank: int) -> bool:
    """Whether an anchor surely limits or orders, concerns someone's health, or was marked high by the caller."""
    return rank >= HEALTH_RANK


class TopAnchors(Lazy[Anchor]):
    """Anchors, best first, with columns that decide whether one can be shown."""

    __slots__ = ("_spoken", "order", "pinned", "rules", "seqs", "standing", "tokens")

    def __init__(
        self, *, seqs: list[int], tokens: list[int], ranks: list[int], standing: list[bool], rules: list[bool],
        pinned: int, make: Callable[[int], Anchor],
    ) -> None:  # fmt: skip
        """`make` returns the anchor at a place; the lists have one entry per anchor."""
        super().__init__([None] * len(seqs), make)
        self._spoken: list[SpokenWords | None] = [None] * len(seqs)
        self.seqs: Final = seqs
        """Numbers of the anchors' turns."""
        self.tokens: Final = tokens
        """Estimated tokens of their texts alone."""
        self.standing: Final = standing
        """Results of `stands`."""
        self.rules: Final = rules
        """Results of `binds`."""
        self.pinned: Final = pinned
        """Number of leading anchors that are of pinned turns."""
        unpinned = sorted(range(pinned, len(seqs)), key=lambda at: (tokens[at] - 2 * ranks[at], at))
        self.order: Final = (*range(pinned), *unpinned)
        """Places in order of selection: pinned turns first, then by rank minus half of the tokens."""

    def spoken(self, at: int) -> SpokenWords:
        """The words of the anchor at a place."""
        words = self._spoken[at]
        if words is None:
            words = self._spoken[at] = SpokenWords.of(self[at])
        return words

    @classmethod
    def of(cls, anchors: Iterable[Anchor]) -> TopAnchors:
        """Wrap anchors that are records already."""
        if isinstance(anchors, TopAnchors):
            return anchors
        made = list(anchors)
        return cls(
            seqs=[anchor.turn_seq for anchor in made], tokens=[anchor.tokens for anchor in made],
            ranks=[anchor.rank + RANK_OF_REPLACING * bool(anchor.replaced) for anchor in made],
            standing=[
                stands(anchor.type, anchor.score, anchor.text, rank=anchor.rank, replaces=bool(anchor.replaced))
                for anchor in made
            ],
            rules=[binds(anchor.rank) for anchor in made],
            pinned=sum(anchor.rank >= PINNED_RANK for anchor in made),
            make=made.__getitem__,
        )  # fmt: skip
