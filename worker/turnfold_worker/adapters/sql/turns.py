"""Conversations and turns as rows, and the fold jobs that come with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache, partial
from hashlib import blake2b
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Text,
    and_,
    bindparam,
    case,
    delete,
    literal_column,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId, StoredTurn
from turnfold.contract.tables import ConversationRow, JobRow, TurnRow, table
from turnfold.contract.tasks import JobKind, JobState
from turnfold.database.database_clock import now_milliseconds

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_job = table(JobRow)

_IS_DONE: Final = _job.c.state == str(JobState.DONE)
LATER: Final = _job.c.state == literal_column("'later'")
BACKFILL_FROM: Final = 2**50
"""Milliseconds from which on a time never comes: such jobs run when no other is due, the earliest first."""
BACKFILL: Final = _job.c.not_before >= literal_column(str(BACKFILL_FROM))

_KEPT: Final = frozenset({"conversation", "seq", "turn_id"})
"""Columns of a turn that changes never update."""


class FoldWhen(Enum):
    """When a conversation with unfolded turns is folded."""

    NOW = auto()
    IDLE = auto()
    """When no more turns have come for a while."""
    BACKFILL = auto()
    """When no other job is due."""


# A join, since a list of pairs is compiled anew for each length, which takes three times as long for 64 pairs.
_FIND: Final = text(
    "SELECT c.id, c.tenant, c.external_id FROM unnest(:tenants, :names) AS asked(tenant, external_id) "
    "JOIN conversation c USING (tenant, external_id)"
).bindparams(bindparam("tenants", type_=postgresql.ARRAY(Text)), bindparam("names", type_=postgresql.ARRAY(Text)))
_FIND_IN_SQLITE: Final = text(
    "SELECT c.id, c.tenant, c.external_id FROM json_each(:pairs) AS asked JOIN conversation c "
    "ON c.tenant = json_extract(asked.value, '$[0]') AND c.external_id = json_extract(asked.value, '$[1]')"
)

# All conversations at once: one statement per conversation would be a third of a drain's cost.
_KNOWN: Final = text(
    "SELECT t.conversation, t.turn_id FROM unnest(:conversations, :turn_ids) AS asked(conversation, turn_id) "
    "JOIN turn t USING (conversation, turn_id)"
).bindparams(
    bindparam("conversations", type_=postgresql.ARRAY(BigInteger)), bindparam("turn_ids", type_=postgresql.ARRAY(Text))
)
_KNOWN_IN_SQLITE: Final = text(
    "SELECT t.conversation, t.turn_id FROM json_each(:pairs) AS asked JOIN turn t "
    "ON t.conversation = json_extract(asked.value, '$[0]') AND t.turn_id = json_extract(asked.value, '$[1]')"
)


def insert_new(connection: Connection, into: Any) -> Any:
    """Make an insert that supports ON CONFLICT, in the dialect of the connection."""
    return insert_into(connection.dialect.name, into)


def insert_into(dialect: str, into: Any) -> Any:
    """Make an insert that supports ON CONFLICT, in a dialect given by name."""
    return (postgresql if dialect == "postgresql" else sqlite).insert(into)


def resolve(connection: Connection, addresses: Sequence[Address]) -> list[ConversationId]:
    """Return ids of conversations in the order of `addresses`, creating missing ones."""
    found = _find(connection, addresses)
    while missing := [address for address in addresses if address not in found]:
        rows = [{"tenant": a.tenant, "external_id": a.conversation} for a in sorted(missing, key=_sorted)]
        connection.execute(insert_new(connection, _conversation).on_conflict_do_nothing(), rows)
        # A row that the insert met may be erased before the lookup: then the next insert creates one.
        found |= _find(connection, missing)
    return [found[address] for address in addresses]


def _find(connection: Connection, addresses: Sequence[Address]) -> dict[Address, ConversationId]:
    tenants, names = [one.tenant for one in addresses], [one.conversation for one in addresses]
    if connection.dialect.name == "postgresql":
        rows = connection.execute(_FIND, {"tenants": tenants, "names": names})
    else:
        rows = connection.execute(_FIND_IN_SQLITE, {"pairs": json.dumps([*zip(tenants, names, strict=True)])})
    return {Address(row.tenant, row.external_id): ConversationId(row.id) for row in rows}


def known_turns(connection: Connection, asked: Sequence[tuple[ConversationId, str]]) -> dict[ConversationId, set[str]]:
    """Return which of the turns `asked` are stored already, by conversation."""
    if not asked:
        return {}
    if connection.dialect.name == "postgresql":
        conversations, turn_ids = zip(*asked, strict=True)
        rows = connection.execute(_KNOWN, {"conversations": list(conversations), "turn_ids": list(turn_ids)})
    else:
        rows = connection.execute(_KNOWN_IN_SQLITE, {"pairs": json.dumps(asked)})
    known: dict[ConversationId, set[str]] = {}
    for row in rows:
        known.setdefault(ConversationId(row.conversation), set()).add(row.turn_id)
    return known


def stays(connection: Connection, conversation: ConversationId) -> bool:
    """Whether a conversation exists; locks it against deletion until the transaction ends."""
    found = select(_conversation.c.id).where(_conversation.c.id == conversation)
    return connection.scalar(found.with_for_update(read=True, key_share=True)) is not None


def discard_unused(connection: Connection, conversations: Sequence[ConversationId]) -> None:
    """Delete conversations in which nothing was ever stored. A drain that read for one meanwhile finds it missing."""
    # A column of the row itself, which PostgreSQL checks again after waiting for the row's lock.
    connection.execute(
        delete(_conversation).where(_conversation.c.id.in_(conversations), _conversation.c.revision == 0)
    )


def _sorted(address: Address) -> tuple[str, str]:
    return address.tenant, address.conversation


def content_hash(content: str) -> bytes:
    """Hash a text for comparison: 16 bytes."""
    return blake2b(content.encode(), digest_size=16).digest()


def turn_row(conversation: ConversationId, seq: int, turn: StoredTurn) -> dict[str, Any]:
    """Return the columns of a turn."""
    return {
        "conversation": conversation, "seq": seq, "turn_id": turn.turn_id, "role": str(turn.role), "name": turn.name,
        "content": turn.content, "parts": None if turn.parts is None else dict(turn.parts),
        "importance": int(turn.importance), "created_at": turn.created_at,
        "metadata": None if turn.metadata is None else dict(turn.metadata), "tokens": turn.tokens,
        "content_hash": content_hash(turn.content), "state": int(turn.state),
    }  # fmt: skip


def replace_turn(
    connection: Connection, conversation: ConversationId, seq: int, turn: StoredTurn, *where: ColumnElement[bool]
) -> None:
    """Overwrite a turn's row with its current content."""
    values = {name: column for name, column in turn_row(conversation, seq, turn).items() if name not in _KEPT}
    mine = (_turn.c.conversation == conversation, _turn.c.seq == seq)
    connection.execute(update(_turn).where(*mine, *where).values(values))


@dataclass(frozen=True, slots=True)
class FoldDue:
    """The rules for when stored turns are folded."""

    turns: int
    """Number of waiting turns that are folded together."""
    tokens: int
    """Number of waiting tokens at which fewer turns are folded."""
    idle_milliseconds: int
    """Time without new turns after which fewer turns are folded."""
    longest_milliseconds: int
    """Longest delay of a job: a longer one dates from before the clock was set back."""

    def is_ripe(self, turns: int, tokens: int) -> bool:
        """Whether this number of turns and tokens is folded at once."""
        return turns >= self.turns or (tokens >= self.tokens and turns > 0)

    def make(self, connection: Connection, to_fold: Mapping[FoldWhen, Sequence[ConversationId]]) -> bool:
        """Make fold jobs; return whether any became due."""
        make = partial(_make, connection, idle_milliseconds=self.idle_milliseconds)
        make(to_fold[FoldWhen.IDLE], FoldWhen.IDLE)
        make(to_fold[FoldWhen.BACKFILL], FoldWhen.BACKFILL)
        return make(to_fold[FoldWhen.NOW], FoldWhen.NOW)


def fold_due(connection: Connection, conversations: Sequence[ConversationId]) -> bool:
    """Make fold jobs due; return whether any was not due before, and so has to be rung for."""
    return _make(connection, conversations, FoldWhen.NOW)


def _make(
    connection: Connection, conversations: Sequence[ConversationId], when: FoldWhen, *, idle_milliseconds: int = 0
) -> bool:
    """Make fold jobs for some time; return whether any is new or changed.

    A running job is left unchanged: before it ends it checks for new turns, under the row lock.
    """
    if not conversations:
        return False
    upsert = _upsert(connection.dialect.name, when, idle_milliseconds)
    return bool(connection.scalars(upsert, {"of_conversations": list(conversations)}).all())


@lru_cache(maxsize=16)
def _upsert(dialect: str, when: FoldWhen, idle_milliseconds: int) -> Any:
    """Built once: SQLAlchemy takes longer to build the statement than the database to run it."""
    now = now_milliseconds()
    # Each new turn postpones the job, which is written only once half the delay is over.
    soon = _job.c.not_before < now + idle_milliseconds // 2
    state, not_before, where = {
        FoldWhen.NOW: (JobState.DUE, now, or_(_IS_DONE, LATER)),
        FoldWhen.IDLE: (JobState.LATER, now + idle_milliseconds, or_(_IS_DONE, and_(LATER, or_(soon, BACKFILL)))),
        FoldWhen.BACKFILL: (JobState.LATER, now + BACKFILL_FROM, _IS_DONE),
    }[when]
    constants = bindparam("kind", str(JobKind.COMPRESS), Text), bindparam("state", str(state), Text)
    source = (
        select(_conversation.c.id, _conversation.c.tenant, *constants, not_before)
        .where(_conversation.c.id.in_(bindparam("of_conversations", expanding=True)))
        .order_by(_conversation.c.id)
    )
    insert = insert_into(dialect, _job).from_select(["conversation", "tenant", "kind", "state", "not_before"], source)
    return insert.on_conflict_do_update(
        index_elements=["conversation", "kind", "subject", "input_hash"],
        set_={
            "state": str(state), "not_before": not_before, "attempts": case((_IS_DONE, 0), else_=_job.c.attempts),
        },
        where=where,
    ).returning(_job.c.conversation)  # fmt: skip
