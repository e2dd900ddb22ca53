"""Which anchors of a conversation a read is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from turnfold.contract.records import Anchor

LAST_TURN: Final = 2**31 - 1
"""No turn has a higher number."""


@dataclass(frozen=True, slots=True)
class WantedAnchors:
    """Those of some turns, or of some ids: what every given part agrees with."""

    first_turn: int = 1
    last_turn: int = LAST_TURN
    ids: frozenset[int] | None = None

    @property
    def is_some_turns(self) -> bool:
        """Whether turns are left out."""
        return self.first_turn > 1 or self.last_turn < LAST_TURN

    def __contains__(self, anchor: Anchor) -> bool:
        return self.first_turn <= anchor.turn_seq <= self.last_turn and (self.ids is None or anchor.id in self.ids)


EVERY_ANCHOR: Final = WantedAnchors()
