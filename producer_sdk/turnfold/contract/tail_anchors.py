"""Anchors of the open tail: those of turns that no segment holds yet, and what they do to stored ones.

Provisional: they are found anew with every fold, and become rows, with numbers of their own, when their segment closes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from turnfold.contract.records import FIRST_TAIL_ANCHOR, Anchor, AnchorChange, AnchorState, AnchorType, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class TailAnchors:
    """What the open tail adds to a conversation's anchors."""

    anchors: tuple[Anchor, ...] = ()
    """Whatever their state, in the order in which they were said, numbered from `FIRST_TAIL_ANCHOR` on; without ids of
    turns, which may have been made."""
    changes: tuple[AnchorChange, ...] = ()
    """Of stored anchors, by id."""

    def __bool__(self) -> bool:
        return bool(self.anchors)

    @property
    def active(self) -> list[Anchor]:
        """Those that stand."""
        return [anchor for anchor in self.anchors if anchor.state is AnchorState.ACTIVE]

    @property
    def more_active(self) -> int:
        """By how many the active anchors of the conversation grow with the tail."""
        return len(self.active) - sum(change.state is not AnchorState.ACTIVE for change in self.changes)

    def after(self, seq: int) -> TailAnchors:
        """What is still of the open tail when turns up to `seq` are in segments: the rows tell of the others."""
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
        """Stored anchors in the state that the tail gives them, then those of the tail.

        What a person settled, or an earlier segment, stays as it is.
        """
        return (*self.changed(stored), *self.anchors)

    def changed(self, stored: Iterable[Anchor]) -> tuple[Anchor, ...]:
        """Stored anchors in the state that the tail gives them."""
        changes = {change.id: change for change in self.changes}
        return tuple(
            replace(anchor, state=change.state, related=change.related, replaces=change.replaces)
            if anchor.state is AnchorState.ACTIVE and (change := changes.get(anchor.id))
            else anchor
            for anchor in stored
        )


NO_TAIL_ANCHORS: Final = TailAnchors()


def pack_tail_anchors(tail: TailAnchors) -> list[Any]:
    """The anchors and the changes as rows of JSON; nothing where there are none."""
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
    """What `pack_tail_anchors` made into rows."""
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
