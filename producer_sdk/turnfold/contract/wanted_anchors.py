"""The filter of an anchor read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from turnfold.contract.records import Anchor, AnchorState, AnchorType

LAST_TURN: Final = 2**31 - 1
"""No turn has a higher number."""
ANCHORS_A_PAGE: Final = 10_000
"""Default page size: the anchors of some ten thousand turns."""


@dataclass(frozen=True, slots=True)
class WantedAnchors:
    """A page of anchors: the first `limit` that meet all conditions."""

    first_turn: int = 1
    last_turn: int = LAST_TURN
    ids: frozenset[int] | None = None
    types: frozenset[AnchorType] = frozenset(AnchorType)
    states: frozenset[AnchorState] = frozenset(AnchorState)
    limit: int = LAST_TURN

    def __contains__(self, anchor: Anchor) -> bool:
        return (
            self.first_turn <= anchor.turn_seq <= self.last_turn
            and (self.ids is None or anchor.id in self.ids)
            and anchor.type in self.types
            and anchor.state in self.states
        )


EVERY_ANCHOR: Final = WantedAnchors()


def whole_turns(anchors: Sequence[Anchor], limit: int) -> list[Anchor]:
    """Return the first `limit` anchors, given in order, without splitting a turn; more if the first turn has more."""
    if len(anchors) <= limit:
        return [*anchors]
    cut = anchors[limit].turn_seq
    before = [anchor for anchor in anchors if anchor.turn_seq < cut]
    return before or [anchor for anchor in anchors if anchor.turn_seq == cut]
