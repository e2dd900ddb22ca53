"""The static order in which anchors are shown: the caller's mark, then the type, then the score; no clock in it."""

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
"""What must hold and what is wanted from now on come before all that nobody marked, whatever that replaces."""
_MARK_RANK: Final = {Importance.LOW: -50, Importance.MEDIUM: 20, Importance.HIGH: 320, Importance.PIN: 1000}
_HEALTH_RANK: Final = 165
_LASTING_RANK: Final = 110
"""Of what stays true of a person: above preferences, below limits; the sum is `LASTING_RANK` or more."""
_BY_WORDS_RANK: Final = 45
"""Of what probably must hold, or is probably wanted from now on: above decisions, below preferences."""
_PASSING: Final = -250
"""Of what stands in no context by itself: it must not take the place of what does."""


ANSWERED_AT_ONCE: Final = -1_000
"""The rank of a question that its own segment answers: what is told of it stands beside the answer."""


class Bearing(Enum):
    """How far an anchor bears on later answers, beside its type."""

    HEALTH = "health"
    LASTING = "lasting"
    BY_WORDS = "by words"
    BY_TYPE = "by type"
    PASSING = "passing"


def borne_rank(kind: AnchorType, score: int, importance: Importance, bearing: Bearing) -> int | None:
    """The rank of an anchor that lasts or passes; None where its type alone decides.

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
    """The rank of an anchor; `stands`: it holds for all that follows, whatever its type.

    >>> rank_of(AnchorType.CONSTRAINT, 50, Importance.NORMAL) > rank_of(AnchorType.CORRECTION, 100, Importance.MEDIUM)
    True
    """
    by_type = max(_TYPE_RANK[kind], _TYPE_RANK[AnchorType.CONSTRAINT] if stands else 0)
    return _MARK_RANK.get(importance, 0) + by_type + score
