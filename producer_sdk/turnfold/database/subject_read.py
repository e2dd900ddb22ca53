"""Stored turns of an end user, for `forget(subject=…)`."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Exists, exists, select

from turnfold.contract.keys import Address
from turnfold.contract.tables import SubjectTurnRow, standing, table
from turnfold.database.statements import conversation, turn

_subject = table(SubjectTurnRow)


class SubjectTurn(NamedTuple):
    """A stored turn of an end user."""

    conversation_id: str
    turn_id: str
    shared: bool
    """Whether another subject has a turn in the conversation."""
    expired: bool
    """Whether retention removed the turn's words, so that only texts derived from them remain."""


def turns_of_subject(connection: Connection, tenant: str, subject: str) -> list[SubjectTurn]:
    """Return every stored turn of a subject, by conversation and in order."""
    rows = connection.execute(
        select(
            conversation.c.external_id,
            turn.c.turn_id,
            _of_another(subject, _subject.c.conversation),
            _subject.c.seq <= conversation.c.expired_seq,
        )
        .select_from(_subject)
        .join(conversation, conversation.c.id == _subject.c.conversation)
        .join(turn, (turn.c.conversation == _subject.c.conversation) & (turn.c.seq == _subject.c.seq))
        .where(_subject.c.tenant == tenant, _subject.c.subject == subject, standing())
        .order_by(_subject.c.conversation, _subject.c.seq)
    )
    return [SubjectTurn(row[0], row[1], bool(row[2]), bool(row[3])) for row in rows]


def has_another_subject(connection: Connection, address: Address, subject: str) -> bool:
    """Whether another subject has a stored turn in a conversation."""
    is_it = (conversation.c.tenant == address.tenant, conversation.c.external_id == address.conversation)
    other = select(conversation.c.id).where(*is_it, _of_another(subject, conversation.c.id))
    return connection.scalar(other) is not None


def _of_another(subject: str, of: ColumnElement[Any]) -> Exists:
    other = _subject.alias("other")
    return exists().where(other.c.conversation == of, other.c.subject != subject)
