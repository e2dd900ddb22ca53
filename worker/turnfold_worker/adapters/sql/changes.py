"""Carry out edits, deletions and rewinds: in the same transaction, everything derived from the old text leaves SQL.

A segment with a changed turn gets plain words and keeps the notes of its other turns, until the rules fold it again;
the chapters above it are rebuilt at once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Connection, delete, or_, select, update

from turnfold.contract.note_lists import unpack_notes
from turnfold.contract.records import ConversationId, TurnState
from turnfold.contract.tables import (
    AnchorRow,
    ConversationRow,
    NodeRow,
    NoteListRow,
    ParkedEntryRow,
    SubjectTurnRow,
    TurnChangeRow,
    TurnRow,
    TurnVectorRow,
    table,
)
from turnfold.contract.tasks import JobKind, JobState, Operation
from turnfold.database.rows import turn_record
from turnfold.database.statements import turn_columns
from turnfold_worker.adapters.sql import folds as sql_folds
from turnfold_worker.adapters.sql import outlines as sql_outlines
from turnfold_worker.adapters.sql import refolds as sql_refolds
from turnfold_worker.adapters.sql import removals as sql_removals
from turnfold_worker.adapters.sql import repeats as sql_repeats
from turnfold_worker.adapters.sql import rewinds as sql_rewinds
from turnfold_worker.adapters.sql import turn_memos as sql_turn_memos
from turnfold_worker.adapters.sql import vectors as sql_vectors
from turnfold_worker.adapters.sql.jobs import add_refold
from turnfold_worker.adapters.sql.parked import empty_entries
from turnfold_worker.adapters.sql.turns import replace_turn
from turnfold_worker.pipeline.fold import plain_fold, said_after
from turnfold_worker.pipeline.roll_up import chapters_above
from turnfold_worker.pipeline.turns.repeats import NEIGHBOURS
from turnfold_worker.ports.messages import Changed, ReceivedChange

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_vector = table(TurnVectorRow)
_node = table(NodeRow)
_notes = table(NoteListRow)
_anchor = table(AnchorRow)
_entry = table(ParkedEntryRow)
_change = table(TurnChangeRow)
_subject = table(SubjectTurnRow)


def apply(
    connection: Connection, conversation: ConversationId, received: ReceivedChange, *, count: int, group: int
) -> Changed:
    """Apply a change, once, to a locked conversation of `count` turns. A model refines `group` segments together."""
    change, operation_id = received.change, received.entry.entry_id
    of_it = (_change.c.conversation == conversation, _change.c.operation_id == operation_id)
    if connection.scalar(select(_change.c.kind).where(*of_it)) is not None:
        return Changed(count, repeated=True)
    row = connection.execute(
        select(*turn_columns(capped=False)).where(
            _turn.c.conversation == conversation, _turn.c.turn_id == change.turn_id
        )
    ).first()
    expired_seq = connection.scalar(select(_conversation.c.expired_seq).where(_conversation.c.id == conversation)) or 0
    refused = _refusal(change.operation, change.turn_id, row, expired_seq)
    connection.execute(
        _change.insert(),
        {"conversation": conversation, "operation_id": operation_id, "kind": str(change.operation),
         "seq": row.seq if row is not None and refused is None else None},
    )  # fmt: skip
    if row is None or refused is not None:
        return Changed(count, refused=refused)
    if change.operation is Operation.REWIND:
        if row.seq == count:
            return Changed(count)
        stream_id = received.entry.stream_id
        removed = sql_rewinds.rewind(connection, conversation, row.seq, stream_id=stream_id, group=group)
        return Changed(row.seq, removed=removed)
    if change.operation is Operation.DELETE and row.state == TurnState.DELETED:
        return Changed(count)
    replace_turn(connection, conversation, row.seq, change.of(turn_record(row)))
    if change.operation is Operation.DELETE:
        connection.execute(delete(_subject).where(_subject.c.conversation == conversation, _subject.c.seq == row.seq))
    return Changed(count, refolds_due=_touched(connection, conversation, row.seq, operation_id, group=group))


def _refusal(operation: Operation, turn_id: str, row: Any, expired_seq: int) -> str | None:
    """Return why a change cannot be carried out, with ids only; None if it can."""
    if row is None:
        return f"{operation}: the conversation has no turn {turn_id!r}"
    if operation is Operation.EDIT and row.state == TurnState.DELETED:
        return f"edit: turn {turn_id!r} was deleted"
    if row.seq < expired_seq + (operation is not Operation.REWIND):
        return f"{operation}: retention removed the text of turn {turn_id!r} and its neighbours"
    return None


def _touched(connection: Connection, conversation: ConversationId, seq: int, operation_id: str, *, group: int) -> bool:
    """Delete everything derived from a turn's old text; return whether jobs to rebuild it were made."""
    connection.execute(delete(_vector).where(_vector.c.conversation == conversation, _vector.c.seq == seq))
    sql_turn_memos.drop(connection, conversation)
    empty_entries(connection, _entry.c.conversation == conversation, _entry.c.seq == seq, why="the turn was changed")
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).one()
    seen = {"edit_revision": row.edit_revision + 1}
    if seq > row.closed_seq:
        seen["fold_seq"] = min(row.fold_seq, seq - 1)
    connection.execute(update(_conversation).where(_conversation.c.id == conversation).values(seen))
    sql_outlines.drop_tail(connection, conversation)
    sql_removals.drop_replies(connection, conversation)
    # Other segments may show a turn as a repeat of this one: the next one, or later ones that marks lead to.
    repeating = sql_repeats.segments_repeating(connection, conversation, seq)
    segments = connection.execute(
        select(_node.c.idx, _node.c.first_seq)
        .where(
            _node.c.conversation == conversation, _node.c.height == 0, _node.c.last_seq >= seq,
            or_(_node.c.first_seq <= seq + NEIGHBOURS, _node.c.idx.in_(repeating)),
        )
        .order_by(_node.c.idx)
    ).all()  # fmt: skip
    is_any_made = False
    for segment in segments:
        if segment.first_seq <= seq:
            _make_plain(connection, conversation, segment.idx, seq, group=group)
        # Earlier refold jobs, parked ones too, were about the old text.
        sql_removals.drop_jobs(connection, conversation, JobKind.REFOLD, segment.idx, segment.idx)
        is_made = add_refold(connection, conversation, segment.idx, input_hash=operation_id[:64], state=JobState.DUE)
        is_any_made = is_any_made or is_made
    return is_any_made


def _make_plain(connection: Connection, conversation: ConversationId, idx: int, seq: int, *, group: int) -> None:
    """Replace a segment with a changed turn by plain words, and rebuild the chapters above it."""
    segment = sql_refolds.closed_segment(connection, conversation, idx)
    if segment is None:
        return
    sql_removals.drop_anchors(connection, conversation, _anchor.c.seq == seq, relink=True)
    sql_removals.drop_models_words(connection, conversation, idx // group * group, idx // group * group + group - 1)
    best = connection.scalar(
        select(_notes.c.best).where(_notes.c.conversation == conversation, _notes.c.height == 0, _notes.c.idx == idx)
    )
    others = tuple(note for note in unpack_notes(best) if note.seq != seq) if best else ()
    plain = plain_fold(segment.turns, idx=idx, said=said_after(segment.said_before, segment.turns))
    segment_node = replace(plain, notes=others)
    # A change has to be stored even if the rules fail.
    siblings = partial(sql_folds.siblings, connection, conversation)
    for node in (segment_node, *chapters_above(segment_node, siblings, total=True)):
        sql_refolds.replace_node(connection, conversation, node)
    sql_vectors.drop_signs(connection, conversation, idx)
    sql_removals.tell_sizes(connection, conversation)
    sql_outlines.rebuild(connection, conversation)
