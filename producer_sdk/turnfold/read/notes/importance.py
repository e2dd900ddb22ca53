"""How important a note is, from 0 to 100, as the sum of named factors; doubts are below 0.

A note over which an anchor stands has the anchor's factors, from 50 up unless a conversation's settings keep more.
Another one of the rules stays below that unless its turn is marked. A model says itself how important its notes are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from turnfold.contract.notes import Note
from turnfold.contract.records import Anchor, AnchorState, Importance
from turnfold.contract.words import WEIGHT_OF_DIGIT

Factors = Mapping[str, int]

MOST: Final = 100
_PLAIN: Final = 100
"""Worth of a plain clause, in hundredths."""
_MOST_TELLING: Final = 30
"""Points of the words that tell most."""
_MANNER: Final = 15
"""Points for a clause of twice the worth of a plain one."""
_MOST_MANNER: Final = 19
_SHARE: Final = {Importance.LOW: 0.5, Importance.MEDIUM: 1.2, Importance.HIGH: 2.0, Importance.PIN: 4.0}
"""What the caller's mark makes of a worth."""
_MARKS: Final = {Importance.LOW: -20, Importance.MEDIUM: 8, Importance.HIGH: 15, Importance.PIN: 40}
"""Points of the caller's mark: those that anchors have."""
_MODEL: Final = {1: 10, 2: 30, 3: 50, 4: 70, 5: 90}


def importance_of(factors: Factors, *, says_nothing: bool = False) -> int:
    """The sum, from 1 to 100; 0 for what says nothing by itself."""
    return 0 if says_nothing and not factors else min(max(sum(factors.values()), 1), MOST)


def clause_factors(note: Note, mark: Importance) -> Factors:
    """Of a note of the rules: how much its words tell, how it is said and where, and the caller's mark."""
    if not note.worth:
        return {}
    plain = note.worth / _PLAIN / _SHARE.get(mark, 1.0)
    telling = round(sum(map(WEIGHT_OF_DIGIT.__getitem__, note.weights)))
    manner = min(max(round(_MANNER * (plain - 1.0)), -_MANNER), _MOST_MANNER)
    return _without_zeros({"telling": min(telling, _MOST_TELLING), "manner": manner, "marked": _MARKS.get(mark, 0)})


def written_factors(importance: int, marks: Sequence[Importance]) -> Factors:
    """Of a note that a model wrote: what it said from 1 to 5, and the highest mark of its turns."""
    return _without_zeros(
        {"model": _MODEL[importance], "marked": max((_MARKS.get(mark, 0) for mark in marks), default=0)}
    )


def with_anchors(factors: Factors, anchors: Sequence[Anchor]) -> Factors:
    """The factors of the anchor over a note that weighs most, one in force before others, if it weighs more."""
    best = max(anchors, key=lambda anchor: (anchor.state is AnchorState.ACTIVE, anchor.score), default=None)
    return best.factors if best is not None and sum(best.factors.values()) > sum(factors.values()) else factors


def _without_zeros(factors: Factors) -> Factors:
    return {name: points for name, points in factors.items() if points}
