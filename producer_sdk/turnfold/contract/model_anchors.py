"""Ids of a model's anchors, and a model's marks on anchors of the rules. Neither is ever canonical.

Ids count down: segment `i` has the 64 ids from -64 i - 1 downwards, so that no counter is needed. The column `filler`
of an anchor of the rules records why contexts do not show it: a positive number is a reason, a negative one encodes the
segment since which the anchor is no longer valid.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from turnfold.contract.records import DONE_OR_ANSWERED, Anchor, AnchorState

FILLER: Final = 1
"""No later answer can need the anchor."""
TOLD: Final = 2
"""A model's notes cover the anchor."""
IDS_A_SEGMENT: Final = 64
_LAST_MARKED: Final = 2**15 - 2
"""Covers half a million turns; the column is a 16-bit integer."""


def first_of_model(segment: int) -> int:
    """Return the first id of a model's anchors of a segment.

    >>> first_of_model(0), first_of_model(2)
    (-1, -129)
    """
    return -IDS_A_SEGMENT * segment - 1


def segment_of_model(id_: int) -> int:
    """Return the segment of a model's anchor.

    >>> segment_of_model(-1), segment_of_model(-64), segment_of_model(-129)
    (0, 0, 2)
    """
    return (-id_ - 1) // IDS_A_SEGMENT


def mark_of_segment(segment: int) -> int | None:
    """Return the mark of an anchor that is invalid since a segment; None for a segment too late for the column."""
    return -segment - 1 if segment <= _LAST_MARKED else None


def as_models_leave_it(anchor: Anchor, filler: int, closed_by: int | None) -> Anchor:
    """Close an anchor of the rules that a model found to be over, unless a rule or a person closed it."""
    if filler >= 0 or anchor.state is not AnchorState.ACTIVE:
        return anchor
    state = AnchorState.RESOLVED if anchor.type in DONE_OR_ANSWERED else AnchorState.SUPERSEDED
    return replace(anchor, state=state, related=closed_by)
