"""Turns that a segment may repeat, and segments that repeat a turn, by the terms that folds post."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, select, text

from turnfold.contract.records import ConversationId, StoredTurn, TurnState
from turnfold.contract.tables import PostingRow, table
from turnfold.database.rows import turn_record
from turnfold.database.statements import turn as _turn
from turnfold.database.statements import turn_columns
from turnfold_worker.pipeline.notes.repeat_notes import unpack_seqs
from turnfold_worker.pipeline.turns.repeats import repeating_term

SEGMENTS_A_TERM: Final = 4
"""Newest segments that are looked at for a term: a line may stand in all of them."""
MOST_EARLIER: Final = 16
"""Earlier turns that are read for a segment."""
_TERMS_A_STATEMENT: Final = 32
_posting: Final = table(PostingRow)
_PLACES: Final = tuple(f"t{i}" for i in range(_TERMS_A_STATEMENT))
# As `sql_anchors.SHARING`: many looks at one term each. Of one weight, so that the primary key has them in order.
HOLDING: Final = text(
    " UNION ALL ".join(
        f"SELECT {i}, passages FROM (SELECT passages FROM posting WHERE conversation = :of_conversation "  # noqa: S608
        f"AND term = :{place} AND weight = 1 AND idx < :before ORDER BY idx DESC LIMIT {SEGMENTS_A_TERM}) AS p{i}"
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
    connection: Connection, conversation: ConversationId, terms: Sequence[str], idx: int
) -> list[StoredTurn]:
    """Turns of segments before `idx` that hold the terms, in order: at most 16, those of the first terms first."""
    found: dict[int, None] = {}
    for start in range(0, len(terms), _TERMS_A_STATEMENT):
        block = terms[start : start + _TERMS_A_STATEMENT]
        padded = dict(zip(_PLACES, [*block, *([""] * _TERMS_A_STATEMENT)], strict=False))
        rows = connection.execute(HOLDING, {"of_conversation": conversation, "before": idx, **padded}).all()
        for _, packed in sorted(rows, key=lambda row: row[0]):
            found.update(dict.fromkeys(unpack_seqs(bytes(packed))))
    if not found:
        return []
    seqs = list(found)[:MOST_EARLIER]
    return [turn_record(row) for row in connection.execute(_TURNS, {"conversation": conversation, "seqs": seqs})]


def segments_repeating(connection: Connection, conversation: ConversationId, seq: int) -> list[int]:
    """The segments after its own that tell a turn as a repeat of turn `seq`, in order."""
    return list(
        connection.scalars(
            select(_posting.c.idx)
            .where(_posting.c.conversation == conversation, _posting.c.term == repeating_term(seq))
            .order_by(_posting.c.idx)
        )
    )
