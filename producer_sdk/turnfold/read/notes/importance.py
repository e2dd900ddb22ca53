"""The importance of a note, from 0 to 100, as the sum of named factors; doubts are negative.

A note that an anchor covers has the anchor's factors, 50 or more unless a conversation's settings keep weaker anchors.
Other notes of the rules stay below that unless their turn is marked. A model rates its own notes.
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
"""Most points for informative words."""
_MANNER: Final = 15
"""Points for a clause of twice the worth of a plain one."""
_MOST_MANNER: Final = 19
_SHARE: Final = {Importance.LOW: 0.5, Importance.MEDIUM: 1.2, Importance.HIGH: 2.0, Importance.PIN: 4.0}
"""Factor that the caller's mark has applied to a clause's worth."""
_MARKS: Final = {Importance.LOW: -20, Importance.MEDIUM: 8, Importance.HIGH: 15, Importance.PIN: 40}
"""Points of the caller's mark, the same as for anchors."""
_MODEL: Final = {1: 10, 2: 30, 3: 50, 4: 70, 5: 90}


def importance_of(factors: Factors, *, says_nothing: bool = False) -> int:
    """Return the sum of the factors, clamped to 1 to 100; 0 for a note without information or factors."""
    return 0 if says_nothing and not factors else min(max(sum(factors.values()), 1), MOST)


def clause_factors(note: Note, mark: Importance) -> Factors:
    """Return the factors of a rules' note: how informative its words are, its manner, and the caller's mark."""
    if not note.worth:
        return {}
    plain = note.worth / _PLAIN / _SHARE.get(mark, 1.0)
    telling = round(sum(map(WEIGHT_OF_DIGIT.__getitem__, note.weights)))
    manner = min(max(round(_MANNER * (plain - 1.0)), -_MANNER), _MOST_MANNER)
    return _without_zeros({"telling": min(telling, _MOST_TELLING), "manner": manner, "marked": _MARKS.get(mark, 0)})


def written_factors(importance: int, marks: Sequence[Importance]) -> Factors:
    """Return the factors of a model's note: the model's rating from 1 to 5, and the highest mark of its turns."""
    return _without_zeros(
        {"model": _MODEL[importance], "marked": max((_MARKS.get(mark, 0) for mark in marks), default=0)}
    )


def with_anchors(factors: Factors, anchors: Sequence[Anchor]) -> Factors:
    """Return the factors of a note's best anchor, an active one first, if they exceed the note's own."""
    best = max(anchors, key=lambda anchor: (anchor.state is AnchorState.ACTIVE, anchor.score), default=None)
    return best.factors if best is not None and sum(best.factors.values()) > sum(factors.values()) else factors


def _without_zeros(factors: Factors) -> Factors:
    return {name: points for name, points in factors.items() if points}
