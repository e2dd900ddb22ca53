"""Restrict a read to the words of some origins or some speakers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from turnfold.contract.notes import Note
from turnfold.contract.origins import origin_of, turn_origin
from turnfold.contract.outlines import Outline
from turnfold.contract.passages import LAST_TURN
from turnfold.contract.records import OPERATORS, Anchor, Origin, StoredTurn, TurnState
from turnfold.contract.results import Snapshot
from turnfold.contract.speakers import quoting, speaker_label
from turnfold.wire.name_sets import members, names


@dataclass(frozen=True, slots=True)
class Scope:
    """Origins and speakers whose words may be shown."""

    origins: frozenset[Origin] = frozenset(Origin)
    speakers: frozenset[str] | None = None
    """Labels of speakers; None for all. System turns have no speaker and are kept."""

    @classmethod
    def checked(cls, origins: Iterable[Origin | str] | None, speakers: Iterable[str] | None) -> Self:
        """Check a caller's filters; None means all. Raises `InvalidInput`."""
        return cls(
            origins=members("origins", Origin, origins),
            speakers=None if speakers is None else names("speakers", speakers),
        )

    @property
    def is_all(self) -> bool:
        """Whether the scope excludes nothing."""
        return self.speakers is None and len(self.origins) == len(Origin)

    @property
    def key(self) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
        """Key that is the same for equal scopes in every process."""
        speakers = None if self.speakers is None else tuple(sorted(self.speakers))
        return tuple(sorted(self.origins)), speakers

    def allows(self, voice: str, speaker: str) -> bool:
        """Whether words of a role, under a speaker's label, may be shown."""
        return origin_of(voice) in self.origins and self._allows_speaker(speaker)

    def allows_anchor(self, anchor: Anchor) -> bool:
        """Whether an anchor may be shown."""
        return anchor.origin in self.origins and self._allows_speaker(anchor.speaker or "")

    def notes(self, notes: Sequence[Note]) -> tuple[Note, ...]:
        """Notes that may be shown."""
        return tuple(note for note in notes if self.allows(note.role, note.speaker))

    def anchors(self, anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
        """Anchors that may be shown."""
        return tuple(
            replace(anchor, replaced=None, replaced_seq=None) for anchor in anchors if self.allows_anchor(anchor)
        )

    def allows_turn(self, turn: StoredTurn, outside: Collection[int], *, known_to: int = LAST_TURN) -> bool:
        """Whether all of a turn may be shown verbatim; for `outside` and `known_to` see `turns`."""
        return all(self._allowed(turn, outside, known_to))

    def turns(self, turns: Sequence[StoredTurn], outside: Collection[int], *, known_to: int) -> tuple[StoredTurn, ...]:
        """Reduce turns to what may be shown: excluded turns keep only their numbers.

        `outside` are the turns known to contain words of `Origin.OUTSIDE`, complete up to turn `known_to`; later tool
        turns may contain such words too. A turn that is allowed only in part is shown in notes, and then no turn up to
        it is shown verbatim.
        """
        allowed_turns: list[StoredTurn] = []
        for turn in turns:
            allowed = self._allowed(turn, outside, known_to)
            if any(allowed) and not all(allowed):
                allowed_turns.clear()
            else:
                allowed_turns.append(turn if all(allowed) else _hidden(turn))
        return tuple(allowed_turns)

    def _allowed(self, turn: StoredTurn, outside: Collection[int], known_to: int) -> list[bool]:
        """Whether the words of each origin in a turn may be shown."""
        if turn.role in OPERATORS:
            return [Origin.USER in self.origins]
        is_spoken = self._allows_speaker(speaker_label(turn))
        return [is_spoken and origin in self.origins for origin in _origins(turn, outside, known_to)]

    def snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Reduce a snapshot to what may be shown, without content that mixes the words of several speakers."""
        outline = snapshot.outline or Outline()
        known_to = max(outline.last_seq, outline.tail_seq)
        return replace(
            snapshot, anchors=self.anchors(snapshot.anchors), hits=self.notes(snapshot.hits),
            turns=self.turns(snapshot.turns, frozenset(outline.outside), known_to=known_to),
            hidden_turns=snapshot.turns,
            excerpts=tuple(excerpt for excerpt in snapshot.excerpts if self._allows_words(excerpt.turn)),
            blocks=tuple(block for block in snapshot.blocks if self._allows_words(block.turn)),
            outline=None if snapshot.outline is None else self._outline(outline),
            head=None if snapshot.head is None else replace(snapshot.head, often=()),
        )  # fmt: skip

    def _allows_words(self, turn: StoredTurn) -> bool:
        """Whether an older turn may be shown verbatim: only an assistant's turn surely contains no outside words."""
        is_sure = turn_origin(turn) is Origin.ASSISTANT or Origin.OUTSIDE in self.origins
        return is_sure and self.allows_turn(turn, ())

    def _allows_speaker(self, speaker: str) -> bool:
        return self.speakers is None or speaker in self.speakers or speaker in set(map(quoting, self.speakers))

    def _outline(self, outline: Outline) -> Outline:
        """Reduce an outline; actions are a tool's, requests a user's; names and slugs have no origin and go."""
        has_tools = self.speakers is None and Origin.TOOL in self.origins
        has_users = self.speakers is None and Origin.USER in self.origins
        return replace(
            outline, notes=self.notes(outline.notes), chapter_notes=(), tail=self.notes(outline.tail), names=(),
            tail_names=(), cover=tuple(covered._replace(slug="") for covered in outline.cover), chapters=(),
            actions=outline.actions if has_tools else (), tail_actions=outline.tail_actions if has_tools else (),
            requests=outline.requests if has_users else (),
            tail_requests=outline.tail_requests if has_users else (),
            tail_anchors=replace(outline.tail_anchors, anchors=self.anchors(outline.tail_anchors.anchors)),
        )  # fmt: skip


EVERYTHING: Final = Scope()


def _origins(turn: StoredTurn, outside: Collection[int], known_to: int) -> tuple[Origin, ...]:
    """Origins of a turn's words; both possible ones for a tool turn that no worker has classified yet."""
    own = turn_origin(turn)
    if own is not Origin.TOOL:
        return (own, Origin.OUTSIDE) if turn.seq in outside else (own,)
    if turn.seq in outside:
        return (Origin.OUTSIDE,)
    return (own,) if turn.seq <= known_to else (own, Origin.OUTSIDE)


def _hidden(turn: StoredTurn) -> StoredTurn:
    return replace(turn, state=TurnState.DELETED, content="", parts=None)
