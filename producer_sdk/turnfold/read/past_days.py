"""Read a conversation as of an earlier day: its turns and anchors up to then, in their states then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from turnfold.contract.keys import Address
from turnfold.contract.notes import Note
from turnfold.contract.outlines import Outline, overtaken_by, tail_anchors_of
from turnfold.contract.records import Anchor, Role
from turnfold.contract.results import Head, Snapshot
from turnfold.contract.turn_limits import cap_for
from turnfold.contract.words import note_stems
from turnfold.database.conversation_cache import AsOf
from turnfold.database.steering import steering_text
from turnfold.dates.validity import within_calendar
from turnfold.read.pending_edits import Changes, changed_snapshot, changes_by, newest_turns
from turnfold.read.snapshot import look_at, readable_head
from turnfold.tokens import estimate_tokens

if TYPE_CHECKING:
    from turnfold.assemble import Request
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.redis.inbox import Pending

_FIRST_PLACE: Final = 2_000
"""First place of notes made from anchors: higher than those of the rules' and a model's notes."""
_GAIN: Final = 100


def past_snapshot(
    transaction: ReadTransaction, address: Address, pending: Pending, request: Request, as_of: datetime
) -> Snapshot | None:
    """Return the snapshot as of the end of a day; None if no turn came after it, so that the current one will do."""
    head = readable_head(transaction, address, pending)
    changes = changes_by(transaction, head, pending, as_of)
    if changes is None:
        return None
    cap = cap_for(request.budget_tokens)
    turns, _ = newest_turns(transaction, head, changes, cap=cap)
    question = request.query or (steering_text(turns, (), task=request.task) if request.steered else None)
    of_day = replace(request, now=request.now or within_calendar(as_of))
    look = look_at(
        transaction, address, pending, of_day, whole=True, as_of=AsOf(changes.cut, None if request.query else question)
    )
    whole_snapshot = look.snapshot()
    snapshot = changed_snapshot(transaction, replace(whole_snapshot, question=question), changes, cap=cap)
    if whole_snapshot.head is None or snapshot.head is None or not changes.touches:
        return snapshot
    return _with_anchors(transaction, whole_snapshot, whole_snapshot.head, snapshot, changes)


def _with_anchors(
    transaction: ReadTransaction, whole_snapshot: Snapshot, now: Head, snapshot: Snapshot, changes: Changes
) -> Snapshot:
    """Add the anchors that were active at the cut to a snapshot, and notes of those that were closed later."""
    past = transaction.past_anchors(now, changes.cut, tail_anchors_of(whole_snapshot.outline, now.closed_seq))
    active = [anchor for anchor in past.active if not changes.hides(anchor.turn_seq)]
    if whole_snapshot.outline is not None and (overtaken := overtaken_by(whole_snapshot.outline, up_to=changes.cut)):
        active = [
            active_anchor
            for active_anchor in active
            if not overtaken.tells_value(active_anchor.turn_seq, note_stems(active_anchor.text))
        ]
    head = replace(
        snapshot.head or now, anchor_count=len(active), anchor_tokens=sum(anchor.tokens for anchor in active)
    )
    closed_later = [anchor for anchor in past.reopened if not changes.hides(anchor.turn_seq)]
    outline = None if snapshot.outline is None else _with_notes(snapshot.outline, closed_later)
    return replace(snapshot, head=head, anchors=tuple(active), outline=outline)


def _with_notes(outline: Outline, reopened: Sequence[Anchor]) -> Outline:
    """Add notes of reopened anchors to an outline, whose current notes omit them."""
    known = {(note.seq, note.text) for note in (*outline.notes, *outline.tail)}
    gain = max((note.gain for note in (*outline.notes, *outline.tail)), default=_GAIN)
    notes = [note for note in _notes_of(reopened, gain) if (note.seq, note.text) not in known]
    return replace(
        outline, notes=(*(note for note in notes if note.seq <= outline.last_seq), *outline.notes),
        tail=(*(note for note in notes if outline.last_seq < note.seq <= outline.tail_seq), *outline.tail),
    )  # fmt: skip


def _notes_of(anchors: Sequence[Anchor], gain: int) -> Iterator[Note]:
    for place, anchor in enumerate(anchors, _FIRST_PLACE):
        text = " ".join(anchor.text.split()).rstrip(".")
        yield Note(
            anchor.turn_seq, place, anchor.speaker or "", str(anchor.role or Role.USER), anchor.day, text,
            estimate_tokens(text) + 1, gain=gain, start=anchor.start, end=anchor.end,
        )  # fmt: skip
