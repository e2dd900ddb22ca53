"""The SQL schema, as SQLModel classes in a registry of their own: a host application's metadata stays clean.

Every primary key begins with the conversation's surrogate id, so that a read touches one range and an erasure
cascades over it. Imported only when SQL is first needed: it takes a quarter of a second.
"""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

SCHEMA_VERSION: Final = 1
"""What `meta.schema_version` must say for this code."""

NAMING: Final = {
    "ix": "%(table_name)s_%(column_0_N_name)s",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "ck": "%(table_name)s_%(constraint_name)s_check",
    "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    "pk": "%(table_name)s_pkey",
}

Id = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows only for a column that is exactly INTEGER."""

Json = JSON(none_as_null=True)
"""Not JSONB: a provider's message comes back with its keys in the order in which they were given."""


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime on every database: SQLite gives back naive ones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None or value.tzinfo is not None:
            return value if value is None else value.astimezone(UTC)
        return value.replace(tzinfo=UTC)


class Base(SQLModel, registry=registry()):
    """Root of Turnfold's tables; its metadata is `Base.metadata`."""


Base.metadata.naming_convention = NAMING


def _conversation(*, primary_key: bool = True) -> Any:
    return Field(
        sa_column=Column(
            "conversation",
            Id,
            ForeignKey("conversation.id", ondelete="CASCADE"),
            primary_key=primary_key,
            nullable=False,
            autoincrement=False,
        )
    )


def _key(type_: Any, *, name: str | None = None) -> Any:
    return Field(sa_column=Column(name, type_, primary_key=True, nullable=False, autoincrement=False))


def _column(type_: Any, **options: Any) -> Any:
    options.setdefault("nullable", False)
    return Field(sa_column=Column(type_, **options))


class ConversationRow(Base, table=True):
    """A conversation and its counters; the row that writers lock."""

    __tablename__ = "conversation"
    __table_args__ = (UniqueConstraint("tenant", "external_id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    tenant: str = _column(String(200))
    external_id: str = _column(String(200))
    turn_count: int = _column(Integer, server_default="0")
    closed_seq: int = _column(Integer, server_default="0")
    fold_seq: int = _column(Integer, server_default="0")
    expired_seq: int = _column(Integer, server_default="0")
    node_count: int = _column(Integer, server_default="0")
    anchor_count: int = _column(Integer, server_default="0")
    anchor_tokens: int = _column(Integer, server_default="0")
    next_anchor: int = _column(Integer, server_default="1")
    refined_anchors: int = _column(Integer, server_default="0")
    refined_anchor_tokens: int = _column(Integer, server_default="0")
    revision: int = _column(BigInteger, server_default="0")
    edit_revision: int = _column(Integer, server_default="0")
    segmenter: dict[str, Any] | None = _column(Json, nullable=True)
    said: dict[str, int] | None = _column(Json, nullable=True)
    settings: dict[str, Any] | None = _column(Json, nullable=True)
    expansions_asked: int = _column(BigInteger, server_default="0")
    expansions_found: int = _column(BigInteger, server_default="0")
    often: list[Any] | None = _column(Json, nullable=True)
    created_at: datetime = _column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    updated_at: datetime = _column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))


class TurnRow(Base, table=True):
    """Level 0: a turn, verbatim."""

    __tablename__ = "turn"
    __table_args__ = (UniqueConstraint("conversation", "turn_id"),)

    conversation: int = _conversation()
    seq: int = _key(Integer)
    turn_id: str = _column(String(200))
    role: str = _column(String(9))
    name: str | None = _column(String(200), nullable=True)
    content: str = _column(Text)
    parts: dict[str, Any] | None = _column(Json, nullable=True)
    importance: int = _column(SmallInteger)
    created_at: datetime | None = _column(UtcDateTime, nullable=True)
    metadata_: dict[str, Any] | None = Field(sa_column=Column("metadata", Json, nullable=True))
    tokens: int = _column(Integer)
    content_hash: bytes = _column(LargeBinary(16))
    state: int = _column(SmallInteger, server_default="0")


class OperationRow(Base, table=True):
    """Operations other than append, in the order in which they took effect. `after_seq` turns came before."""

    __tablename__ = "operation"
    __table_args__ = (UniqueConstraint("conversation", "operation_id"),)

    conversation: int = _conversation()
    number: int = _key(Integer)
    operation_id: str = _column(String(200))
    kind: str = _column(String(16))
    after_seq: int = _column(Integer)
    body: dict[str, Any] = _column(Json)


class NodeRow(Base, table=True):
    """A segment (height 0) or chapter. The parent of (h, i) is (h + 1, i / 8).

    `refined` has bit `1 << level` set for each level of which a model's words are shown; `refined_tokens_*` are their
    estimated tokens. `closed_at` is the database's time, in milliseconds.
    """

    __tablename__ = "node"
    __table_args__ = (
        UniqueConstraint("conversation", "height", "first_seq"),
        CheckConstraint("first_seq <= last_seq", name="range"),
        {"sqlite_with_rowid": False},
    )

    conversation: int = _conversation()
    height: int = _key(SmallInteger)
    idx: int = _key(Integer)
    first_seq: int = _column(Integer)
    last_seq: int = _column(Integer)
    started_at: datetime | None = _column(UtcDateTime, nullable=True)
    ended_at: datetime | None = _column(UtcDateTime, nullable=True)
    slug: str = _column(String(60))
    tokens_0: int = _column(Integer)
    tokens_1: int = _column(Integer)
    tokens_2: int = _column(Integer)
    tokens_3: int = _column(Integer)
    importance: int = _column(SmallInteger)
    method: int = _column(SmallInteger)
    refined: int = _column(SmallInteger, server_default="0")
    refined_tokens_1: int = _column(Integer, server_default="0")
    refined_tokens_2: int = _column(Integer, server_default="0")
    refined_tokens_3: int = _column(Integer, server_default="0")
    closed_at: int = _column(BigInteger, server_default="0")
    facts: dict[str, Any] = _column(Json)
    source_hash: bytes = _column(LargeBinary(16))


class LevelRow(Base, table=True):
    """The words of a node at levels 1 to 3. `refined` 0 are the rules' words, 1 a model's, with where they come from.

    Level 0 with `refined` 1 is a reconstruction of turns that retention removed.
    """

    __tablename__ = "level"

    conversation: int = _conversation()
    height: int = _key(SmallInteger)
    idx: int = _key(Integer)
    level: int = _key(SmallInteger)
    refined: int = _key(SmallInteger)
    body: str = _column(Text)
    model: str | None = _column(String(100), nullable=True)
    prompt_version: str | None = _column(String(60), nullable=True)
    source_hash: bytes | None = _column(LargeBinary(16), nullable=True)


class NoteListRow(Base, table=True):
    """The notes of a node that a context may show without a query, best first."""

    __tablename__ = "note_list"

    conversation: int = _conversation()
    height: int = _key(SmallInteger)
    idx: int = _key(Integer)
    tokens: int = _column(Integer)
    best: str = _column(Text)
    ledger: list[Any] = _column(Json)
    said: dict[str, int] = _column(Json)


class OutlineRow(Base, table=True):
    """What a context needs of all that is folded, in parts by budget: see `turnfold.contract.notes`."""

    __tablename__ = "outline"

    conversation: int = _conversation()
    part: int = _key(SmallInteger)
    body: str = _column(Text)


class AnchorRow(Base, table=True):
    """A verbatim span of a turn. State 0 is active: the only one that the partial index holds.

    Anchors with `refined` 1 are a model's finds: their ids are below 0, and the rules never look at them.
    """

    __tablename__ = "anchor"
    __table_args__ = (
        # Named: the convention's name would be above PostgreSQL's 63 bytes.
        UniqueConstraint(
            "conversation", "seq", "start_offset", "end_offset", "kind", "refined", name="anchor_span_key"
        ),
        # Read backwards for the best ones first.
        Index(
            "anchor_top",
            "conversation",
            "rank",
            "id",
            sqlite_where=text("state = 0"),
            postgresql_where=text("state = 0"),
        ),
        # Few are settled by hand, and each segment asks whether any was.
        Index(
            "anchor_settled",
            "conversation",
            "settled_after",
            sqlite_where=text("settled_after IS NOT NULL"),
            postgresql_where=text("settled_after IS NOT NULL"),
        ),
    )

    conversation: int = _conversation()
    id: int = _key(Integer)
    node_idx: int = _column(Integer)
    seq: int = _column(Integer)
    start_offset: int = _column(Integer)
    end_offset: int = _column(Integer)
    kind: int = _column(SmallInteger)
    body: str = _column(Text)
    tokens: int = _column(Integer)
    score: int = _column(SmallInteger)
    rank: int = _column(Integer)
    state: int = _column(SmallInteger)
    related: int | None = _column(Integer, nullable=True)
    replaces: int | None = _column(Integer, nullable=True)
    settled_after: int | None = _column(Integer, nullable=True)
    """Turn after which a person settled it: for what was said before, the state by the rules still counts."""
    ruled: int | None = _column(SmallInteger, nullable=True)
    """Its state by the rules, while `state` is a person's."""
    refined: int = _column(SmallInteger, server_default="0")
    model: str | None = _column(String(100), nullable=True)
    prompt_version: str | None = _column(String(60), nullable=True)


class PassageRow(Base, table=True):
    """Neighbouring notes of one turn, which a query finds together: see `turnfold.contract.passages`."""

    __tablename__ = "passage"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = _conversation()
    number: int = _key(Integer)
    body: str = _column(Text)


class PostingRow(Base, table=True):
    """Which segments a term occurs in, heaviest first, and in which of their passages."""

    __tablename__ = "posting"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = _conversation()
    term: str = _key(String(64))
    weight: int = _key(SmallInteger)
    idx: int = _key(Integer)
    passages: bytes = _column(LargeBinary)


class AnchorPostingRow(Base, table=True):
    """Which anchors hold a term: how candidates for deduplication are found without reading them all."""

    __tablename__ = "anchor_posting"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = _conversation()
    term: str = _key(String(64))
    anchor: int = _key(Integer)


class TurnVectorRow(Base, table=True):
    """The direction of a turn's meaning by a sentence model, in signed bytes.

    Computed once, because two processors compute slightly different ones; holds while `content_hash` is the turn's.
    """

    __tablename__ = "turn_vector"

    conversation: int = _conversation()
    seq: int = _key(Integer)
    model: str = _key(String(200))
    content_hash: bytes = _column(LargeBinary(16))
    vector: bytes = _column(LargeBinary)


class PassageSignsRow(Base, table=True):
    """The signs of the vectors of a segment's passages: what a query's vector is compared with, passage by passage."""

    __tablename__ = "passage_signs"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = _conversation()
    model: str = _key(String(200))
    idx: int = _key(Integer)
    signs: bytes = _column(LargeBinary)


class AnchorVectorRow(Base, table=True):
    """The direction of an anchor's meaning, by the hash of its text; as `TurnVectorRow`."""

    __tablename__ = "anchor_vector"

    conversation: int = _conversation()
    model: str = _key(String(200))
    text_hash: bytes = _key(LargeBinary(16))
    vector: bytes = _column(LargeBinary)


class AccessRow(Base, table=True):
    """How often a segment was expanded: outside the canonical state, and reset by command.

    `weight` counts older expansions less; `expanded_at` is the database's time, in milliseconds.
    """

    __tablename__ = "access"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = _conversation()
    idx: int = _key(Integer)
    expansions: int = _column(Integer)
    weight: int = _column(Integer)
    expanded_at: int = _column(BigInteger)


class JobRow(Base, table=True):
    """Work that SQL remembers, so that a lost message loses nothing. Times are the database's, in milliseconds."""

    __tablename__ = "job"
    __table_args__ = (
        UniqueConstraint("conversation", "kind", "subject", "input_hash"),
        Index(
            "job_due",
            "kind",
            # Before the time: a sweep goes from tenant to tenant, and one with many jobs cannot hide the others.
            "tenant",
            "not_before",
            sqlite_where=text("state = 'due'"),
            postgresql_where=text("state = 'due'"),
        ),
        Index(
            "job_running",
            "lease_until",
            sqlite_where=text("state = 'running'"),
            postgresql_where=text("state = 'running'"),
        ),
        Index(
            "job_waiting",
            "state",
            "kind",
            sqlite_where=text("state IN ('parked', 'batched')"),
            postgresql_where=text("state IN ('parked', 'batched')"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    conversation: int = _conversation(primary_key=False)
    tenant: str = _column(String(200))
    kind: str = _column(String(16))
    subject: int = _column(Integer, server_default="0")
    input_hash: str = _column(String(64), server_default="")
    state: str = _column(String(8))
    attempts: int = _column(SmallInteger, server_default="0")
    priority: int = _column(Integer, server_default="0")
    not_before: int = _column(BigInteger, server_default="0")
    lease_until: int = _column(BigInteger, server_default="0")
    claim: str | None = _column(String(36), nullable=True)
    error: str | None = _column(String(500), nullable=True)


class ParkedEntryRow(Base, table=True):
    """An inbox entry that could not be stored as it was: kept whole for a person, while later turns go on.

    `parked_at` is the database's time, in milliseconds.
    """

    __tablename__ = "parked_entry"
    __table_args__ = (
        UniqueConstraint("conversation", "entry_id"),
        Index(
            "parked_entry_waiting",
            "conversation",
            sqlite_where=text("state = 'parked'"),
            postgresql_where=text("state = 'parked'"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    conversation: int = _conversation(primary_key=False)
    entry_id: str = _column(String(200))
    seq: int | None = _column(Integer, nullable=True)
    payload: bytes = _column(LargeBinary)
    error: str = _column(String(500))
    state: str = _column(String(8), server_default="parked")
    attempts: int = _column(SmallInteger, server_default="1")
    parked_at: int = _column(BigInteger, server_default="0")


class ReplyRow(Base, table=True):
    """A model's reply to a request, so that no request is paid twice. Erased with its conversation."""

    __tablename__ = "reply"

    conversation: int = _conversation()
    request_hash: str = _key(String(32))
    body: dict[str, Any] = _column(Json)


class ModelBatchRow(Base, table=True):
    """A provider's batch of requests under way. `id` is the provider's; replies go where single calls put theirs."""

    __tablename__ = "model_batch"

    id: str = _key(String(100))
    tenant: str = _column(String(200))
    requests: int = _column(Integer)


USED: Final = (
    "requests", "failed", "repaired", "cached_replies", "input_tokens", "cached_tokens", "output_tokens", "estimated",
    "cost_micros", "quotes_kept", "quotes_refused", "levels_kept", "levels_refused", "skipped",
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


class MetaRow(Base, table=True):
    """Facts about the database itself."""

    __tablename__ = "meta"

    key: str = _key(String(40))
    value: str = _column(String(200))


def table(row: type[SQLModel]) -> Table:
    """The Core table behind a class: hot statements are written against it."""
    found: Table = row.__table__  # type: ignore[attr-defined]  # set by SQLAlchemy's mapper
    return found
