"""Anchors of the open tail, whose turns are not in a segment yet, and their changes to stored anchors.

Provisional: each fold finds them anew; they become rows, with other ids, when their segment closes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from turnfold.contract.records import FIRST_TAIL_ANCHOR, Anchor, AnchorChange, AnchorState, AnchorType, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class TailAnchors:
    """The open tail's additions to a conversation's anchors."""

    anchors: tuple[Anchor, ...] = ()
    """Anchors of any state, in order of mention, numbered from `FIRST_TAIL_ANCHOR`; without turn ids, which may be
    generated."""
    changes: tuple[AnchorChange, ...] = ()
    """Changes to stored anchors, by id."""

    def __bool__(self) -> bool:
        return bool(self.anchors)

    @property
    def active(self) -> list[Anchor]:
        """Active anchors of the tail."""
        return [anchor for anchor in self.anchors if anchor.state is AnchorState.ACTIVE]

    @property
    def more_active(self) -> int:
        """Net number of active anchors that the tail adds to the conversation."""
        return len(self.active) - sum(change.state is not AnchorState.ACTIVE for change in self.changes)

    def after(self, seq: int) -> TailAnchors:
        """Drop anchors of turns up to `seq`, which are rows of segments by now, and the changes that depend on them."""
        if all(anchor.turn_seq > seq for anchor in self.anchors):
            return self
        anchors = tuple(anchor for anchor in self.anchors if anchor.turn_seq > seq)
        ids = {anchor.id for anchor in anchors}
        changes = [
            change
            for change in self.changes
            if all(by in ids for by in (change.related, change.replaces) if by is not None and by >= FIRST_TAIL_ANCHOR)
        ]
        return TailAnchors(anchors=anchors, changes=tuple(changes))

    def applied_to(self, stored: Iterable[Anchor]) -> tuple[Anchor, ...]:
        """Return stored anchors with the tail's changes, followed by the tail's own anchors.

        Anchors that a person or an earlier segment closed stay unchanged.
        """
        return (*self.changed(stored), *self.anchors)

    def changed(self, stored: Iterable[Anchor]) -> tuple[Anchor, ...]:
        """Return stored anchors with the tail's changes."""
        changes = {change.id: change for change in self.changes}
        return tuple(
            replace(anchor, state=change.state, related=change.related, replaces=change.replaces)
            if anchor.state is AnchorState.ACTIVE and (change := changes.get(anchor.id))
            else anchor
            for anchor in stored
        )


NO_TAIL_ANCHORS: Final = TailAnchors()


def pack_tail_anchors(tail: TailAnchors) -> list[Any]:
    """Serialize the anchors and changes as rows of JSON; an empty list if there are none."""
    if not tail:
        return []
    anchors = [
        [
            anchor.type, anchor.text, anchor.turn_seq, anchor.start, anchor.state, anchor.score, anchor.rank,
            anchor.node_idx, anchor.tokens, anchor.related, anchor.replaces, anchor.replaced, anchor.speaker,
            anchor.role, anchor.day, dict(anchor.factors),
            anchor.replaced_seq, _packed_day(anchor.valid_from), _packed_day(anchor.valid_to),
        ]
        for anchor in tail.anchors
    ]  # fmt: skip
    return [anchors, [[change.id, change.state, change.related, change.replaces] for change in tail.changes]]


def unpack_tail_anchors(packed: Sequence[Any] | None) -> TailAnchors:
    """Deserialize rows made by `pack_tail_anchors`."""
    if not packed:
        return NO_TAIL_ANCHORS
    anchors, changes = packed
    return TailAnchors(
        anchors=tuple(_anchor(id_, *row) for id_, row in enumerate(anchors, FIRST_TAIL_ANCHOR)),
        changes=tuple(
            AnchorChange(id=id_, state=AnchorState(state), related=related, replaces=replaces)
            for id_, state, related, replaces in changes
        ),
    )


def _packed_day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _day(packed: str | None) -> date | None:
    return None if packed is None else date.fromisoformat(packed)


def _anchor(  # noqa: PLR0913, PLR0917 - the columns of `pack_tail_anchors`
    id_: int, kind: str, text: str, seq: int, start: int, state: str, score: int, rank: int, node_idx: int, tokens: int,
    related: int | None, replaces: int | None, replaced: str | None, speaker: str, role: str, day: str,
    factors: dict[str, int], replaced_seq: int | None = None, valid_from: str | None = None,
    valid_to: str | None = None,
) -> Anchor:  # fmt: skip
    return Anchor(
        id=id_, type=AnchorType(kind), text=text, turn_seq=seq, start=start, end=start + len(text),
        state=AnchorState(state), score=score, rank=rank, node_idx=node_idx, tokens=tokens, related=related,
        replaces=replaces, replaced=replaced, speaker=speaker, role=Role(role), day=day, factors=factors,
        replaced_seq=replaced_seq, valid_from=_day(valid_from), valid_to=_day(valid_to),
    )  # fmt: skip
