"""Ids of a model's anchors, and the marks that it leaves on those of the rules. Neither is ever canonical.

Ids count down: segment `i` has 64 of them from -64 i - 1 on, so that no counter is needed. The column `filler` of an
anchor of the rules says why contexts do not show it: a number above 0, or below it the segment since which it holds no
more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from turnfold.contract.records import DONE_OR_ANSWERED, Anchor, AnchorState

FILLER: Final = 1
"""No later answer can need it."""
TOLD: Final = 2
"""A model's notes tell it."""
IDS_A_SEGMENT: Final = 64
_LAST_MARKED: Final = 2**15 - 2
"""Of half a million turns; the column has room for no more."""


def first_of_model(segment: int) -> int:
    """The first id of a model's anchors of a segment.

    >>> first_of_model(0), first_of_model(2)
    (-1, -129)
    """
    return -IDS_A_SEGMENT * segment - 1


def segment_of_model(id_: int) -> int:
    """The segment of a model's anchor.

    >>> segment_of_model(-1), segment_of_model(-64), segment_of_model(-129)
    (0, 0, 2)
    """
    return (-id_ - 1) // IDS_A_SEGMENT


def mark_of_segment(segment: int) -> int | None:
    """What an anchor is marked with that holds no more since a segment; None of one too late for that."""
    return -segment - 1 if segment <= _LAST_MARKED else None


def as_models_leave_it(anchor: Anchor, filler: int, closed_by: int | None) -> Anchor:
    """An anchor of the rules as over, where a model found that it is and no rule or person closed it."""
    if filler >= 0 or anchor.state is not AnchorState.ACTIVE:
        return anchor
    state = AnchorState.RESOLVED if anchor.type in DONE_OR_ANSWERED else AnchorState.SUPERSEDED
    return replace(anchor, state=state, related=closed_by)
