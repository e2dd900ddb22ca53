"""Tables of the work behind conversations: jobs, what could not be done, what models did, what is looked up."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    UniqueConstraint,
)
from sqlmodel import Field

from turnfold.contract.columns import Base, Id, Json, column, conversation_column, key_column, partial_index


class AccessRow(Base, table=True):
    """How often a segment was expanded: outside the canonical state, and reset by command.

    `weight` counts older expansions less; `expanded_at` is the database's time, in milliseconds.
    """

    __tablename__ = "access"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    expansions: int = column(Integer)
    weight: int = column(Integer)
    expanded_at: int = column(BigInteger)


class JobRow(Base, table=True):
    """Work that SQL remembers, so that a lost message loses nothing. Times are the database's, in milliseconds."""

    __tablename__ = "job"
    __table_args__ = (
        UniqueConstraint("conversation", "kind", "subject", "input_hash"),
        # Before the time: a sweep goes from tenant to tenant, and one with many jobs cannot hide the others.
        partial_index("job_due", "kind", "tenant", "not_before", where="state = 'due'"),
        partial_index("job_later", "not_before", where="state = 'later'"),
        partial_index("job_running", "lease_until", where="state = 'running'"),
        partial_index("job_waiting", "state", "kind", where="state IN ('parked', 'batched')"),
        # One conversation has a job for each chapter that was refined: those that are parked are few.
        partial_index("job_parked", "conversation", where="state = 'parked'"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    conversation: int = conversation_column(primary_key=False)
    tenant: str = column(String(200))
    kind: str = column(String(16))
    subject: int = column(Integer, server_default="0")
    input_hash: str = column(String(64), server_default="")
    state: str = column(String(8))
    attempts: int = column(SmallInteger, server_default="0")
    priority: int = column(Integer, server_default="0")
    not_before: int = column(BigInteger, server_default="0")
    lease_until: int = column(BigInteger, server_default="0")
    claim: str | None = column(String(36), nullable=True)
    error: str | None = column(String(500), nullable=True)


class ParkedEntryRow(Base, table=True):
    """An inbox entry that could not be stored as it was: kept whole for a person, while later turns go on.

    `parked_at` is the database's time, in milliseconds.
    """

    __tablename__ = "parked_entry"
    __table_args__ = (
        UniqueConstraint("conversation", "entry_id"),
        partial_index("parked_entry_waiting", "conversation", where="state = 'parked'"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    conversation: int = conversation_column(primary_key=False)
    entry_id: str = column(String(200))
    seq: int | None = column(Integer, nullable=True)
    payload: bytes = column(LargeBinary)
    error: str = column(String(500))
    state: str = column(String(8), server_default="parked")
    attempts: int = column(SmallInteger, server_default="1")
    parked_at: int = column(BigInteger, server_default="0")


class TurnChangeRow(Base, table=True):
    """Edits, deletions and rewinds that were carried out or refused: a repeat changes nothing. Holds no content."""

    __tablename__ = "turn_change"

    conversation: int = conversation_column()
    operation_id: str = key_column(String(200))
    kind: str = column(String(16))
    seq: int | None = column(Integer, nullable=True)


class RewoundTurnRow(Base, table=True):
    """Turns that a rewind cut off. An entry that was in the inbox before the rewind, at `stream_id`, is old."""

    __tablename__ = "rewound_turn"

    conversation: int = conversation_column()
    turn_id: str = key_column(String(200))
    stream_id: str = column(String(48))


class SubjectTurnRow(Base, table=True):
    """Whose turn one is: the end user that its append named. Erased with the turn, and deleted with its words."""

    __tablename__ = "subject_turn"
    __table_args__ = (Index("subject_turn_subject", "tenant", "subject", "conversation"),)

    conversation: int = conversation_column()
    seq: int = key_column(Integer)
    tenant: str = column(String(200))
    subject: str = column(String(200))


class ReplyRow(Base, table=True):
    """A model's reply to a request, so that no request is paid twice. Erased with its conversation."""

    __tablename__ = "reply"

    conversation: int = conversation_column()
    request_hash: str = key_column(String(32))
    body: dict[str, Any] = column(Json)


class ModelBatchRow(Base, table=True):
    """A provider's batch of requests under way. `id` is the provider's; replies go where single calls put theirs."""

    __tablename__ = "model_batch"

    id: str = key_column(String(100))
    tenant: str = column(String(200))
    requests: int = column(Integer)


USED: Final = (
    "requests", "failed", "repaired", "cached_replies", "input_tokens", "cached_tokens", "output_tokens", "estimated",
    "cost_micros", "quotes_kept", "quotes_refused", "notes_kept", "notes_refused", "skipped",
)  # fmt: skip
"""Columns of what models did and cost. Money is in millionths of a US dollar; `estimated` counts replies that did not
say what they used."""


def _counts() -> list[Column[Any]]:
    return [Column(name, BigInteger, nullable=False, server_default="0") for name in USED]


USAGE: Final = Table(
    "usage",
    Base.metadata,
    Column(
        "conversation", Id, ForeignKey("conversation.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    Column("day", Date, primary_key=True),
    Column("model", String(100), primary_key=True),
    *_counts(),
    sqlite_with_rowid=False,
)
"""What models did for a conversation on a day (UTC). Erased with it."""

TENANT_USAGE: Final = Table(
    "tenant_usage",
    Base.metadata,
    Column("tenant", String(200), primary_key=True),
    Column("day", Date, primary_key=True),
    Column("model", String(100), primary_key=True),
    *_counts(),
    Column("reserved_tokens", BigInteger, nullable=False, server_default="0"),
    Column("reserved_micros", BigInteger, nullable=False, server_default="0"),
    Index("tenant_usage_day", "day"),
    sqlite_with_rowid=False,
)
"""The same for a tenant; it stays when conversations are erased, because caps and bills count on it. `reserved_*` is
what calls under way may use."""


class TenantQuotaRow(Base, table=True):
    """What one tenant may use. NULL: as the settings say; 0: any number, or kept for ever."""

    __tablename__ = "tenant_quota"

    tenant: str = key_column(String(200))
    turns_a_day: int | None = column(BigInteger, nullable=True)
    bytes_a_day: int | None = column(BigInteger, nullable=True)
    stored_bytes: int | None = column(BigInteger, nullable=True)
    model_tokens_a_day: int | None = column(BigInteger, nullable=True)
    retention_days: int | None = column(Integer, nullable=True)


class StoredSizeRow(Base, table=True):
    """Bytes of a conversation's turns, as they were measured at a revision of it; older where that has moved on."""

    __tablename__ = "stored_size"

    conversation: int = conversation_column()
    revision: int = column(BigInteger)
    size: int = column(BigInteger)


class MetaRow(Base, table=True):
    """Facts about the database itself."""

    __tablename__ = "meta"

    key: str = key_column(String(40))
    value: str = column(String(200))
