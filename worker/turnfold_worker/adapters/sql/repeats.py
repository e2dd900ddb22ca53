"""Find turns that a segment may repeat, and segments that repeat a turn, by the marks that folds store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, select, text

from turnfold.contract.records import ConversationId, StoredTurn, TurnState
from turnfold.contract.tables import RepeatMarkRow, table
from turnfold.database.rows import turn_record
from turnfold.database.statements import turn as _turn
from turnfold.database.statements import turn_columns
from turnfold_worker.pipeline.notes.repeat_notes import unpack_seqs
from turnfold_worker.pipeline.turns.repeats import repeating_mark

SEGMENTS_A_MARK: Final = 4
"""Newest segments that are read for a mark: a line may be in all of them."""
MOST_EARLIER: Final = 16
"""Most earlier turns that are read for a segment."""
_MARKS_A_STATEMENT: Final = 32
_NO_MARK: Final = -(2**63)
"""Padding of a statement, as wide as a mark: a driver prepares one statement for all."""
_mark: Final = table(RepeatMarkRow)
_PLACES: Final = tuple(f"m{i}" for i in range(_MARKS_A_STATEMENT))
# As `anchors.SHARING`: many lookups of one mark each.
HOLDING: Final = text(
    " UNION ALL ".join(
        f"SELECT {i}, seqs FROM (SELECT seqs FROM repeat_mark WHERE conversation = :of_conversation "  # noqa: S608
        f"AND mark = :{place} AND idx < :before ORDER BY idx DESC LIMIT {SEGMENTS_A_MARK}) AS p{i}"
        for i, place in enumerate(_PLACES)
    )
)
_TURNS: Final = (
    select(*turn_columns(capped=False))
    .where(
        _turn.c.conversation == bindparam("conversation"), _turn.c.seq.in_(bindparam("seqs", expanding=True)),
        _turn.c.state == int(TurnState.STORED),
    )
    .order_by(_turn.c.seq)
)  # fmt: skip


def earlier_turns(
    connection: Connection, conversation: ConversationId, marks: Sequence[int], idx: int
) -> list[StoredTurn]:
    """Read turns of segments before `idx` that have the marks, in order: at most 16, preferring earlier marks."""
    found: dict[int, None] = {}
    for start in range(0, len(marks), _MARKS_A_STATEMENT):
        block = marks[start : start + _MARKS_A_STATEMENT]
        padded = dict.fromkeys(_PLACES, _NO_MARK) | dict(zip(_PLACES, block, strict=False))
        rows = connection.execute(HOLDING, {"of_conversation": conversation, "before": idx, **padded}).all()
        for _, packed in sorted(rows, key=lambda row: row[0]):
            found.update(dict.fromkeys(unpack_seqs(bytes(packed))))
    if not found:
        return []
    seqs = list(found)[:MOST_EARLIER]
    return [turn_record(row) for row in connection.execute(_TURNS, {"conversation": conversation, "seqs": seqs})]


def segments_repeating(connection: Connection, conversation: ConversationId, seq: int) -> list[int]:
    """Return the later segments that show a turn as a repeat of turn `seq`, in order."""
    return list(
        connection.scalars(
            select(_mark.c.idx)
            .where(_mark.c.conversation == conversation, _mark.c.mark == repeating_mark(seq))
            .order_by(_mark.c.idx)
        )
    )
