"""Tables of the work behind conversations: jobs, parked entries, model usage, expansions, quotas."""

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
    """Number of expansions of a segment: not canonical, and reset by command.

    `weight` decays older expansions; `expanded_at` is the database's time, in milliseconds.
    """

    __tablename__ = "access"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    expansions: int = column(Integer)
    weight: int = column(Integer)
    expanded_at: int = column(BigInteger)


class JobRow(Base, table=True):
    """A job recorded in SQL, so that a lost message loses no work. Times are the database's, in milliseconds."""

    __tablename__ = "job"
    __table_args__ = (
        UniqueConstraint("conversation", "kind", "subject", "input_hash"),
        # Leads with the tenant: a sweep goes from tenant to tenant, so that many jobs of one cannot hide the others.
        partial_index("job_due", "kind", "tenant", "not_before", where="state = 'due'"),
        partial_index("job_later", "not_before", where="state = 'later'"),
        partial_index("job_running", "lease_until", where="state = 'running'"),
        partial_index("job_waiting", "state", "kind", where="state IN ('parked', 'batched')"),
        # A conversation has a job for each refined chapter, but few of them are parked.
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
    """An inbox entry that could not be stored as sent, kept whole for a person while later turns go on.

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
    """Edits, deletions and rewinds that were applied or refused, for idempotency. Contains no content."""

    __tablename__ = "turn_change"

    conversation: int = conversation_column()
    operation_id: str = key_column(String(200))
    kind: str = column(String(16))
    seq: int | None = column(Integer, nullable=True)


class RewoundTurnRow(Base, table=True):
    """Turns that a rewind cut off. An inbox entry with a stream id up to `stream_id` is older than the rewind."""

    __tablename__ = "rewound_turn"

    conversation: int = conversation_column()
    turn_id: str = key_column(String(200))
    stream_id: str = column(String(48))


class SubjectTurnRow(Base, table=True):
    """The end user that owns a turn, named by its append. Deleted when the turn is erased or loses its words."""

    __tablename__ = "subject_turn"
    __table_args__ = (Index("subject_turn_subject", "tenant", "subject", "conversation"),)

    conversation: int = conversation_column()
    seq: int = key_column(Integer)
    tenant: str = column(String(200))
    subject: str = column(String(200))


class ReplyRow(Base, table=True):
    """A model's reply to a request, so that no request is paid for twice. Erased with its conversation."""

    __tablename__ = "reply"

    conversation: int = conversation_column()
    request_hash: str = key_column(String(32))
    body: dict[str, Any] = column(Json)


class ModelBatchRow(Base, table=True):
    """A provider's pending batch of requests, with the provider's id; replies are stored like those of single calls."""

    __tablename__ = "model_batch"

    id: str = key_column(String(100))
    tenant: str = column(String(200))
    requests: int = column(Integer)


USED: Final = (
    "requests", "failed", "repaired", "cached_replies", "input_tokens", "cached_tokens", "output_tokens", "estimated",
    "cost_micros", "quotes_kept", "quotes_refused", "notes_kept", "notes_refused", "skipped",
)  # fmt: skip
"""Columns of model usage. Costs are in millionths of a US dollar; `estimated` counts replies without reported token
counts."""


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
"""Model usage of a conversation per day (UTC). Erased with it."""

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
"""Model usage of a tenant per day; kept when conversations are erased, as caps and bills rely on it. `reserved_*` are
the maximum that calls in flight may use."""


class TenantQuotaRow(Base, table=True):
    """Limits of a tenant. NULL: the settings' default; 0: no limit, or kept forever."""

    __tablename__ = "tenant_quota"

    tenant: str = key_column(String(200))
    turns_a_day: int | None = column(BigInteger, nullable=True)
    bytes_a_day: int | None = column(BigInteger, nullable=True)
    stored_bytes: int | None = column(BigInteger, nullable=True)
    model_tokens_a_day: int | None = column(BigInteger, nullable=True)
    retention_days: int | None = column(Integer, nullable=True)


class StoredSizeRow(Base, table=True):
    """Bytes of a conversation's turns, measured at a revision; outdated if the conversation's revision differs."""

    __tablename__ = "stored_size"

    conversation: int = conversation_column()
    revision: int = column(BigInteger)
    size: int = column(BigInteger)


class MetaRow(Base, table=True):
    """Facts about the database itself, such as its schema version and shard layout."""

    __tablename__ = "meta"

    key: str = key_column(String(40))
    value: str = column(String(200))
