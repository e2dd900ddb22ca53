"""Count turns in segments that show a model's text, on each change, so that status reads no segments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, func, select, update

from turnfold.contract.records import ConversationId
from turnfold.contract.tables import ConversationRow, NodeRow, table

_conversation, _node = table(ConversationRow), table(NodeRow)
LAST_SEGMENT: Final = 2**31 - 1
"""Upper bound of segment numbers."""


@contextmanager
def recounted(
    connection: Connection, conversation: ConversationId, first: int, last: int = LAST_SEGMENT
) -> Iterator[None]:
    """Update the count for changes to some segments within the block; the conversation's row must be locked."""
    before = _refined(connection, conversation, first, last)
    yield
    change = _refined(connection, conversation, first, last) - before
    if change:
        counted = update(_conversation).where(_conversation.c.id == conversation)
        # NULL, for a conversation not counted yet, stays NULL.
        connection.execute(counted.values(refined_turns=_conversation.c.refined_turns + change))


def _refined(connection: Connection, conversation: ConversationId, first: int, last: int) -> int:
    turns = select(func.sum(_node.c.last_seq - _node.c.first_seq + 1)).where(
        _node.c.conversation == conversation, _node.c.height == 0, _node.c.idx.between(first, last),
        _node.c.refined != 0,
    )  # fmt: skip
    return int(connection.scalar(turns) or 0)
