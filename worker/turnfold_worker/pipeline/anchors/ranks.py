"""Static display order of anchors: the caller's mark, then the type, then the score; independent of the clock."""

from __future__ import annotations

from enum import Enum
from typing import Final, assert_never

from turnfold.contract.records import AnchorType, Importance

_TYPE_RANK: Final = {
    AnchorType.CONSTRAINT: 280,
    AnchorType.INSTRUCTION: 270,
    AnchorType.PREFERENCE: 105,
    AnchorType.CORRECTION: 40,
    AnchorType.DECISION: 35,
    AnchorType.CRITICAL_FACT: 30,
    AnchorType.COMMITMENT: 25,
    AnchorType.UNRESOLVED_QUESTION: 15,
}
"""Limits and instructions rank above everything without a caller's mark, whatever supersedes them."""
_MARK_RANK: Final = {Importance.LOW: -50, Importance.MEDIUM: 20, Importance.HIGH: 320, Importance.PIN: 1000}
_HEALTH_RANK: Final = 165
_LASTING_RANK: Final = 110
"""For lasting facts about a person: above preferences, below limits; the sum is at least `LASTING_RANK`."""
_BY_WORDS_RANK: Final = 45
"""For probable limits and instructions: above decisions, below preferences."""
_PASSING: Final = -250
"""For anchors not worth showing by themselves, so that they displace no others."""


ANSWERED_AT_ONCE: Final = -1_000
"""The rank of a question that its own segment answers: the answer is shown, so the question need not be."""


class Bearing(Enum):
    """How far an anchor bears on later answers, besides its type."""

    HEALTH = "health"
    LASTING = "lasting"
    BY_WORDS = "by words"
    BY_TYPE = "by type"
    PASSING = "passing"


def borne_rank(kind: AnchorType, score: int, importance: Importance, bearing: Bearing) -> int | None:
    """Return the rank of an anchor with a special bearing; None where its type alone decides.

    >>> borne_rank(AnchorType.CRITICAL_FACT, 60, Importance.NORMAL, Bearing.LASTING)
    170
    """
    match bearing:
        case Bearing.HEALTH:
            by_type = _HEALTH_RANK
        case Bearing.LASTING:
            by_type = _LASTING_RANK
        case Bearing.BY_WORDS:
            by_type = _BY_WORDS_RANK
        case Bearing.PASSING:
            by_type = _TYPE_RANK[kind] + _PASSING
        case Bearing.BY_TYPE:
            return None
        case _:
            assert_never(bearing)
    return _MARK_RANK.get(importance, 0) + by_type + score


def rank_of(kind: AnchorType, score: int, importance: Importance, *, stands: bool = False) -> int:
    """Return the rank of an anchor; with `stands` it holds for all that follows, whatever its type.

    >>> rank_of(AnchorType.CONSTRAINT, 50, Importance.NORMAL) > rank_of(AnchorType.CORRECTION, 100, Importance.MEDIUM)
    True
    """
    by_type = max(_TYPE_RANK[kind], _TYPE_RANK[AnchorType.CONSTRAINT] if stands else 0)
    return _MARK_RANK.get(importance, 0) + by_type + score
