"""The static order in which anchors are shown: the caller's mark, then the type, then the score; no clock in it."""

from __future__ import annotations

from typing import Final

from turnfold.contract.records import AnchorType, Importance

_TYPE_RANK: Final = {
    AnchorType.CONSTRAINT: 150,
    AnchorType.INSTRUCTION: 150,
    AnchorType.PREFERENCE: 45,
    AnchorType.CORRECTION: 40,
    AnchorType.DECISION: 35,
    AnchorType.CRITICAL_FACT: 30,
    AnchorType.COMMITMENT: 25,
    AnchorType.UNRESOLVED_QUESTION: 15,
}
"""What must hold and what is wanted from now on come before all that nobody marked."""
_MARK_RANK: Final = {Importance.LOW: -50, Importance.MEDIUM: 20, Importance.HIGH: 200, Importance.PIN: 1000}
PASTED: Final = "pasted"
"""Factor of the score of what somebody else wrote, and its turn only shows: it changes nothing that was said."""
STANDING: Final = frozenset({AnchorType.CONSTRAINT, AnchorType.INSTRUCTION})
"""Types that hold for all that follows."""


def rank_of(kind: AnchorType, score: int, importance: Importance, *, stands: bool = False) -> int:
    """The rank of an anchor; `stands`: it holds for all that follows, whatever its type.

    >>> rank_of(AnchorType.CONSTRAINT, 50, Importance.NORMAL) > rank_of(AnchorType.CORRECTION, 100, Importance.MEDIUM)
    True
    """
    by_type = max(_TYPE_RANK[kind], _TYPE_RANK[AnchorType.CONSTRAINT] if stands else 0)
    return _MARK_RANK.get(importance, 0) + by_type + score
