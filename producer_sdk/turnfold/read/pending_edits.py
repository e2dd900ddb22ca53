"""Apply edits, deletions and rewinds in the inbox to a read, which shows the conversation as if they were stored.

Until a worker has stored them, everything derived from the old content of a changed turn is left out: its notes,
anchors and excerpts, and the names, slugs and levels of the nodes that contain it. The node's other turns stay, and
its markers expand to the turns themselves.

As with turns, only the newest entries of an inbox are read. Without a pending change this costs a read nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from turnfold.assemble.pages import TurnPiece
from turnfold.contract.actions import Action
from turnfold.contract.keys import Address
from turnfold.contract.notes import Covered, Note
from turnfold.contract.outlines import Outline
from turnfold.contract.records import Anchor, StoredTurn, TurnState
from turnfold.contract.results import Head, Snapshot
from turnfold.contract.tasks import CHANGES, Operation
from turnfold.contract.turn_limits import TURNS_A_READ, Shortening
from turnfold.contract.wanted_anchors import LAST_TURN
from turnfold.dates.validity import day_after
from turnfold.errors import InvalidInput, UnknownTurn
from turnfold.read.snapshot import known_head, system_turns, waiting_turns
from turnfold.redis.inbox import Pending
from turnfold.wire.decode import read_entry
from turnfold.wire.inbox_entry import InboxEntry
from turnfold.wire.turn_edits import TurnChange, read_change

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.database.reader import Reader


def has_changes(pending: Pending) -> bool:
    """Whether the inbox contains edits, deletions or rewinds."""
    return any(entry.operation in CHANGES for entry in pending.newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The effect of an inbox's pending changes on a stored conversation."""

    cut: int
    """Number of the last stored turn that remains."""
    cuts: bool
    """Whether a pending rewind removes stored turns."""
    changed: Mapping[int, TurnChange] = field(default_factory=dict)
    """Edits and deletions of stored turns, by turn number."""
    waiting: tuple[StoredTurn, ...] = ()
    """The newest turns after `cut` that are still in the inbox, with changes applied."""
    older: int = 0
    """Approximate number of turns in the inbox before `waiting`. If above 0, the numbers of `waiting` are only an
    order: an earlier entry may be no turn, or one that is already stored."""
    seqs: Mapping[str, int] = field(default_factory=dict)
    """Turn numbers, by id, of all turns that the inbox mentions and that remain."""

    @property
    def touches(self) -> bool:
        """Whether any stored turn is changed or removed."""
        return self.cuts or bool(self.changed)

    def hides(self, seq: int) -> bool:
        """Whether everything derived from a turn has to be left out."""
        return seq > self.cut or seq in self.changed

    def covers(self, first_seq: int, last_seq: int) -> bool:
        """Whether a range contains a hidden turn."""
        return last_seq > self.cut or any(first_seq <= seq <= last_seq for seq in self.changed)

    def turn(self, turn: StoredTurn) -> StoredTurn:
        """Return a stored turn with its pending change applied."""
        change = self.changed.get(turn.seq)
        return turn if change is None or turn.state is TurnState.EXPIRED else change.of(turn)

    def piece(self, piece: TurnPiece, *, offset: int) -> TurnPiece:
        """Return a piece of a stored turn; of a changed turn, its new content from `offset` on."""
        changed = self.turn(piece.turn)
        return piece if changed is piece.turn else TurnPiece.of(changed, offset=offset)

    def head(self, head: Head) -> Head:
        """Return a conversation's head with the counts that remain."""
        if not self.touches:
            return head
        return replace(
            head, turn_count=self.cut, closed_seq=min(head.closed_seq, self.cut), fold_seq=min(head.fold_seq, self.cut),
            often=(),
        )  # fmt: skip

    def anchors(self, anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
        """Return the anchors of unchanged turns, without links to replaced anchors, whose turn may be changed."""
        if not self.touches:
            return tuple(anchors)
        return tuple(
            replace(anchor, replaced=None, replaced_seq=None) for anchor in anchors if not self.hides(anchor.turn_seq)
        )

    def notes(self, notes: Iterable[Note]) -> tuple[Note, ...]:
        """Return the notes of unchanged turns."""
        return tuple(note for note in notes if not self.hides(note.seq))

    def outline(self, outline: Outline) -> Outline:
        """Return an outline without anything derived from changed turns."""
        return replace(
            outline, last_seq=min(outline.last_seq, self.cut), notes=self.notes(outline.notes), chapter_notes=(),
            cover=tuple(self._covered(node) for node in outline.cover if node.first_seq <= self.cut), chapters=(),
            tail_anchors=replace(outline.tail_anchors, anchors=self.anchors(outline.tail_anchors.anchors)),
            tail=self.notes(outline.tail), tail_seq=min(outline.tail_seq, self.cut), names=(), tail_names=(),
            actions=self._actions(outline.actions), tail_actions=self._actions(outline.tail_actions),
            requests=tuple(request for request in outline.requests if not self.hides(request.seq)),
            tail_requests=tuple(request for request in outline.tail_requests if not self.hides(request.seq)),
        )  # fmt: skip

    def _actions(self, actions: Sequence[Action]) -> tuple[Action, ...]:
        return tuple(action for action in actions if not self.hides(action.seq) and not self.hides(action.ended_seq))

    def _covered(self, covered: Covered) -> Covered:
        last = min(covered.last_seq, self.cut)
        return covered._replace(last_seq=last, slug="") if self.covers(covered.first_seq, covered.last_seq) else covered


NO_CHANGES: Final = Changes(cut=LAST_TURN, cuts=False)
"""The value for an inbox without pending changes."""


def changes_of(transaction: ReadTransaction, head: Head | None, pending: Pending) -> Changes:
    """Return the effect of pending changes, applied in order; `NO_CHANGES` if there are none.

    Entries that are already stored are applied again, which is idempotent.
    """
    return _changes(transaction, head, pending) if has_changes(pending) else NO_CHANGES


def inbox_of(transaction: ReadTransaction, head: Head | None, pending: Pending) -> Changes:
    """Return what `changes_of` does, and the turns in the inbox even if no change is pending."""
    if has_changes(pending):
        return _changes(transaction, head, pending)
    waiting, older = waiting_turns(transaction, head, pending)
    return Changes(cut=head.turn_count if head else 0, cuts=False, waiting=waiting, older=older)


def _changes(transaction: ReadTransaction, head: Head | None, pending: Pending, *, also: str | None = None) -> Changes:
    """Compute the effect of the inbox; `also` is a further turn id whose number is looked up."""
    ids = {entry.entry_id: None for entry in pending.newest if entry.operation == Operation.APPEND}
    if also is not None:
        ids[also] = None
    change_by_entry: dict[str, TurnChange] = {}
    for entry in pending.newest:
        change = _read(entry)
        if change is not None:
            change_by_entry[entry.stream_id] = change
            ids[change.turn_id] = None
    stored: dict[str, int] = {}
    if head is not None:
        wanted = list(ids)
        for start in range(0, len(wanted), TURNS_A_READ):
            stored |= transaction.stored_seqs(head, wanted[start : start + TURNS_A_READ])
    simulation = _Simulation(stored, head.turn_count if head else 0)
    for entry in pending.newest:
        if entry.operation == Operation.APPEND:
            simulation.append(entry)
        elif (change := change_by_entry.get(entry.stream_id)) is not None:
            simulation.change(change)
    return simulation.result(pending)


def changes_by(transaction: ReadTransaction, head: Head | None, pending: Pending, as_of: datetime) -> Changes | None:
    """Hide all turns after a day, as a pending rewind would; None if there are none.

    A turn without a time belongs to the day of the turn before it.
    """
    every = _changes(transaction, head, pending)
    end = day_after(as_of)
    first = None if head is None else transaction.first_after(head, end)
    if first is not None and first <= every.cut:
        changed = {seq: change for seq, change in every.changed.items() if seq < first}
        return replace(every, cut=first - 1, cuts=True, changed=changed, waiting=(), older=0)
    waiting_then = tuple(takewhile(lambda turn: turn.created_at is None or turn.created_at < end, every.waiting))
    return (
        None
        if waiting_then == every.waiting
        else replace(every, waiting=waiting_then, older=every.older if waiting_then else 0)
    )


def _read(entry: InboxEntry) -> TurnChange | None:
    if entry.operation not in CHANGES:
        return None
    try:
        return read_change(entry.operation, entry.body)
    except InvalidInput:
        return None


class _Simulation:
    """Applies the entries of an inbox in memory, as a drain would."""

    def __init__(self, stored: Mapping[str, int], turn_count: int) -> None:
        self._stored = stored
        self._count = turn_count
        self._cut = turn_count
        self._changed: dict[int, TurnChange] = {}
        self._waiting: dict[str, StoredTurn] = {}

    def append(self, entry: InboxEntry) -> None:
        turn_id = entry.entry_id
        if turn_id not in self._waiting and not self._stands(turn_id):
            self._waiting[turn_id] = read_entry(entry.body, seq=0, turn_id=turn_id)

    def change(self, change: TurnChange) -> None:
        waits = self._waiting.get(change.turn_id)
        if change.operation is Operation.REWIND:
            self._rewind(change.turn_id, waits=waits is not None)
        elif waits is not None:
            self._waiting[change.turn_id] = waits if waits.state is TurnState.DELETED else change.of(waits)
        elif self._stands(change.turn_id):
            earlier_change = self._changed.get(seq := self._stored[change.turn_id])
            # A deleted turn cannot be edited.
            if earlier_change is None or earlier_change.operation is not Operation.DELETE:
                self._changed[seq] = change

    def _stands(self, turn_id: str) -> bool:
        return self._stored.get(turn_id, self._cut + 1) <= self._cut

    def _rewind(self, turn_id: str, *, waits: bool) -> None:
        if waits:
            ids = list(self._waiting)
            for later_id in ids[ids.index(turn_id) + 1 :]:
                del self._waiting[later_id]
        elif self._stands(turn_id):
            self._cut = self._stored[turn_id]
            self._waiting.clear()
            self._changed = {seq: change for seq, change in self._changed.items() if seq <= self._cut}

    def result(self, pending: Pending) -> Changes:
        cuts = self._cut < self._count
        # Entries before the newest ones also come before the rewind.
        older = pending.held - len(pending.newest) if self._waiting and not cuts else 0
        first = self._cut + older + 1
        waiting = tuple(replace(turn, seq=seq) for seq, turn in enumerate(self._waiting.values(), first))
        seqs = {stored_id: seq for stored_id, seq in self._stored.items() if seq <= self._cut}
        seqs |= {turn.turn_id: turn.seq for turn in waiting}
        return Changes(cut=self._cut, cuts=cuts, changed=self._changed, waiting=waiting, older=older, seqs=seqs)


def newest_turns(
    transaction: ReadTransaction, head: Head | None, changes: Changes, *, cap: int
) -> tuple[tuple[StoredTurn, ...], int]:
    """Return the newest 200 turns with changes applied, and about how many older turns are in the inbox."""
    stored: tuple[StoredTurn, ...] = ()
    if head is not None and not changes.older:
        stored = transaction.turns_up_to(head, changes.cut, cap=cap, waiting=len(changes.waiting))
    last_seq = changes.waiting[-1].seq if changes.waiting else changes.cut
    short = Shortening.to(cap, last_seq=last_seq)
    newest = [
        stored_turn if (turn := changes.turn(stored_turn)) is stored_turn else short.of(turn) for stored_turn in stored
    ]
    return (*newest, *map(short.of, changes.waiting))[-TURNS_A_READ:], changes.older


def changed_snapshot(transaction: ReadTransaction, snapshot: Snapshot, changes: Changes, *, cap: int) -> Snapshot:
    """Return a snapshot with changes applied."""
    turns, unread = newest_turns(transaction, snapshot.head, changes, cap=cap)
    stored = [turn for turn in snapshot.system_turns if turn.seq <= changes.cut]
    operators = (*map(changes.turn, stored), *system_turns(changes.waiting))
    snapshot = replace(snapshot, turns=turns, unread=unread, system_turns=operators)
    if snapshot.head is None or not changes.touches:
        return snapshot
    return replace(
        snapshot, head=changes.head(snapshot.head), anchors=changes.anchors(snapshot.anchors),
        outline=None if snapshot.outline is None else changes.outline(snapshot.outline),
        hits=changes.notes(snapshot.hits),
        excerpts=tuple(excerpt for excerpt in snapshot.excerpts if not changes.hides(excerpt.turn.seq)),
        blocks=tuple(block for block in snapshot.blocks if not changes.hides(block.entry.seq)),
        changing=frozenset(changes.changed),
    )  # fmt: skip


def check(inbox: PendingSource, reader: Reader, address: Address, change: TurnChange) -> None:
    """Raise `UnknownConversation`, `UnknownTurn` or `InvalidInput` for a change that cannot be carried out.

    A change passes if its turn may be among inbox entries that are too old to be read here; a worker checks it then.
    """
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> None:
        head = known_head(transaction, address, pending)
        changes = _changes(transaction, head, pending, also=change.turn_id)
        if change.turn_id in changes.seqs or pending.held <= len(pending.newest):
            _check(transaction, head, address, change, changes)

    reader.read(look)


def _check(
    transaction: ReadTransaction, head: Head | None, address: Address, change: TurnChange, changes: Changes
) -> None:
    seq = changes.seqs.get(change.turn_id)
    if seq is None:
        msg = f"conversation {address.conversation!r} has no turn {change.turn_id!r}"
        raise UnknownTurn(
            msg,
            remedy="take ids from receipts or from `turns`",
        )
    stored_in = head if seq <= changes.cut else None
    if stored_in is not None and seq < stored_in.expired_seq + (change.operation is not Operation.REWIND):
        msg = (
            f"retention removed the text of turn {change.turn_id!r} and its neighbours: they can no longer be changed "
            "or refolded"
        )
        raise InvalidInput(msg, remedy="use `forget` to erase the whole conversation")
    if change.operation is Operation.EDIT and _is_deleted(transaction, stored_in, seq, changes):
        msg = f"turn {change.turn_id!r} was deleted and cannot be edited"
        raise UnknownTurn(msg, remedy="append a new turn instead")


def _is_deleted(transaction: ReadTransaction, stored_in: Head | None, seq: int, changes: Changes) -> bool:
    if stored_in is None:
        return any(turn.seq == seq and turn.state is TurnState.DELETED for turn in changes.waiting)
    waits = changes.changed.get(seq)
    if waits is not None and waits.operation is Operation.DELETE:
        return True
    return transaction.state_of(stored_in, seq) is TurnState.DELETED
