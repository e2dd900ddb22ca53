"""Drop rows that have no use once retention removed the text of their turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import BindParameter, Connection, Delete, Table, bindparam, delete, select

from turnfold.contract.records import TurnState
from turnfold.contract.tables import BlockListRow, ConversationRow, NodeRow, PartListRow, TurnRow, TurnVectorRow, table

_conversation = table(ConversationRow)
_node = table(NodeRow)
_turn = table(TurnRow)
_vector = table(TurnVectorRow)

_IDS: Final[BindParameter[int]] = bindparam("conversations", expanding=True)

_expired_seq = select(_conversation.c.expired_seq).where(_conversation.c.id == _vector.c.conversation)
VECTORS: Final = delete(_vector).where(
    _vector.c.conversation.in_(_IDS), _vector.c.seq <= _expired_seq.scalar_subquery()
)
"""Delete vectors of expired turns: only refolds read them, and only segments with text are folded again."""


def _slices(rows: Table) -> Delete:
    """Delete rows of segments without any text left; operators' turns keep theirs."""
    words = (
        select(_turn.c.seq)
        .where(
            _turn.c.conversation == _node.c.conversation, _turn.c.seq.between(_node.c.first_seq, _node.c.last_seq),
            _turn.c.state == int(TurnState.STORED),
        )
        .correlate(_node)
        .exists()
    )  # fmt: skip
    segment = (
        select(_node.c.idx)
        .join(_conversation, _conversation.c.id == _node.c.conversation)
        .where(
            _node.c.conversation == rows.c.conversation, _node.c.height == 0, _node.c.idx == rows.c.idx,
            _node.c.last_seq <= _conversation.c.expired_seq, ~words,
        )
        .correlate(rows)
        .exists()
    )  # fmt: skip
    return delete(rows).where(rows.c.conversation.in_(_IDS), segment)


SLICES: Final = (_slices(table(BlockListRow)), _slices(table(PartListRow)))
"""Blocks and parts are positions within turns, and show nothing without their text."""


def drop(connection: Connection, conversations: Sequence[int]) -> None:
    """Drop useless rows of some conversations, by their `expired_seq`."""
    for statement in (VECTORS, *SLICES):
        connection.execute(statement, {"conversations": list(conversations)})
