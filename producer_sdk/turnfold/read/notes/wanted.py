"""A caller's filter of notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, Self, cast

from turnfold.contract.records import AnchorState, Origin
from turnfold.contract.results import Note
from turnfold.contract.wanted_anchors import LAST_TURN
from turnfold.errors import InvalidInput
from turnfold.wire.name_sets import members, names
from turnfold.wire.whole_numbers import turn_number, whole_number

WrittenBy = Literal["rules", "model"]
NOTES_A_PAGE: Final = 10_000
"""Default page size: the notes of some thousand turns."""


@dataclass(frozen=True, slots=True)
class WantedNotes:
    """The filter and limit of a page of notes."""

    states: frozenset[AnchorState] = frozenset(AnchorState)
    origins: frozenset[Origin] = frozenset(Origin)
    speakers: frozenset[str] | None = None
    """None: any speaker."""
    min_importance: int = 0
    first_turn: int = 1
    last_turn: int = LAST_TURN
    limit: int = LAST_TURN
    written_by: WrittenBy | None = None
    """None: the notes that contexts show, a model's where it wrote some, otherwise the rules'."""

    @classmethod
    def checked(  # noqa: PLR0913 - what a caller may ask for, by name
        cls,
        *,
        states: Iterable[AnchorState | str] | None,
        origins: Iterable[Origin | str] | None,
        speakers: Iterable[str] | None,
        min_importance: int,
        first_turn: int,
        last_turn: int | None,
        limit: int,
        written_by: str | None = None,
    ) -> Self:
        """Check a caller's filter; None means all. Raises `InvalidInput`."""
        if whole_number("min_importance", min_importance, least=0) > 100:
            raise InvalidInput(f"min_importance must be at most 100, not {min_importance}")
        if written_by not in (None, "rules", "model"):
            raise InvalidInput(f"written_by must be 'rules', 'model' or None, not {written_by!r}")
        return cls(
            states=members("states", AnchorState, states),
            origins=members("origins", Origin, origins),
            speakers=None if speakers is None else names("speakers", speakers),
            min_importance=min_importance,
            first_turn=turn_number("first_turn", first_turn, least=1),
            last_turn=LAST_TURN if last_turn is None else turn_number("last_turn", last_turn, least=1),
            limit=whole_number("limit", limit, least=1),
            written_by=cast("WrittenBy | None", written_by),
        )

    def __contains__(self, note: Note) -> bool:
        return (
            note.importance >= self.min_importance
            and note.state in self.states
            and note.origin in self.origins
            and (self.speakers is None or note.speaker in self.speakers)
            and self.first_turn <= note.turn_seq <= self.last_turn
        )
