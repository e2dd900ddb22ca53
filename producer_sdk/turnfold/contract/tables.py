"""The SQL schema as SQLModel classes: conversations and the results of folding; reexports all other tables.

Every primary key begins with the conversation's surrogate id, so that a read touches one range and an erasure
cascades over it. Import lazily: this takes a quarter of a second.
"""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Date,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    UniqueConstraint,
    event,
    text,
)
from sqlmodel import Field

from turnfold.contract.columns import (
    Base,
    Id,
    Json,
    UtcDateTime,
    column,
    conversation_column,
    key_column,
    partial_index,
    table,
)
from turnfold.contract.gateway_tables import ApiKeyRow, AuditEntryRow, WebhookDeliveryRow, WebhookEndpointRow
from turnfold.contract.model_tables import ModelNoteRow, ModelOutlineRow, ModelPassageRow, ModelPostingRow
from turnfold.contract.schema_range import SCHEMA_VERSION
from turnfold.contract.search_tables import (
    AnchorPostingRow,
    AnchorVectorRow,
    BlockListRow,
    PartListRow,
    PassageRow,
    PassageSignsRow,
    PostingRow,
    RepeatMarkRow,
    TurnMemoRow,
    TurnVectorRow,
)
from turnfold.contract.webhook_triggers import create_triggers
from turnfold.contract.work_tables import (
    TENANT_USAGE,
    USAGE,
    USED,
    AccessRow,
    JobRow,
    MetaRow,
    ModelBatchRow,
    ParkedEntryRow,
    ReplyRow,
    RewoundTurnRow,
    StoredSizeRow,
    SubjectTurnRow,
    TenantQuotaRow,
    TurnChangeRow,
)

ANCHOR_ORDER: Final = "rank + CASE WHEN replaces IS NULL THEN 0 ELSE 40 END"
"""Sort key of active anchors, highest first: questions tend to be about anchors that replaced another."""


HIDDEN_PREFIX = "\x01"
"""Prefix of the external id of a conversation under deletion; callers' ids cannot contain control characters."""


class ConversationRow(Base, table=True):
    """A conversation and its counters; the row that writers lock."""

    __tablename__ = "conversation"
    __table_args__ = (
        UniqueConstraint("tenant", "external_id"),
        # Retention goes through tenants in turn and takes the oldest rows of each.
        partial_index("conversation_words_since", "tenant", "words_since", where="words_since IS NOT NULL"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    tenant: str = column(String(200))
    external_id: str = column(String(200))
    turn_count: int = column(Integer, server_default="0")
    closed_seq: int = column(Integer, server_default="0")
    fold_seq: int = column(Integer, server_default="0")
    unfolded_tokens: int = column(Integer, server_default="0")
    """Tokens of the turns after `fold_seq`, as a fold also becomes due by tokens."""
    expired_seq: int = column(Integer, server_default="0")
    words_since: int | None = column(BigInteger, nullable=True)
    """Database time in milliseconds, at or before the closing of the oldest segment whose turns still have their
    words; 0 if unknown, NULL if there is no such segment."""
    system_turns: int = column(Integer, server_default="0")
    """Number of stored operator turns; 0 spares a read the lookup."""
    node_count: int = column(Integer, server_default="0")
    anchor_count: int = column(Integer, server_default="0")
    anchor_tokens: int = column(Integer, server_default="0")
    next_anchor: int = column(Integer, server_default="1")
    refined_anchors: int = column(Integer, server_default="0")
    refined_anchor_tokens: int = column(Integer, server_default="0")
    refined_turns: int | None = column(Integer, nullable=True, server_default="0")
    """Turns in segments shown in a model's words. NULL if not counted, before the schema was contracted."""
    revision: int = column(BigInteger, server_default="0")
    edit_revision: int = column(Integer, server_default="0")
    segmenter: dict[str, Any] | None = column(Json, nullable=True)
    said: dict[str, int] | None = column(Json, nullable=True)
    settings: dict[str, Any] | None = column(Json, nullable=True)
    expansions_asked: int = column(BigInteger, server_default="0")
    expansions_found: int = column(BigInteger, server_default="0")
    often: list[Any] | None = column(Json, nullable=True)
    created_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    updated_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    rules_version: int = column(Integer, server_default="0")
    """Version of the newest rules that folded this conversation, 0 if unknown. Workers with older rules skip it."""


class TurnRow(Base, table=True):
    """Level 0: a verbatim turn."""

    __tablename__ = "turn"
    __table_args__ = (
        UniqueConstraint("conversation", "turn_id"),
        # Reads of an earlier day look up the first turn after it.
        partial_index("turn_time", "conversation", "created_at", "seq", where="created_at IS NOT NULL"),
        # Operator turns are shown in every context, whatever their age.
        partial_index("system_turn", "conversation", "seq", where="role IN ('system', 'developer')"),
    )

    conversation: int = conversation_column()
    seq: int = key_column(Integer)
    turn_id: str = column(String(200))
    role: str = column(String(9))
    name: str | None = column(String(200), nullable=True)
    content: str = column(Text)
    parts: dict[str, Any] | None = column(Json, nullable=True)
    importance: int = column(SmallInteger)
    created_at: datetime | None = column(UtcDateTime, nullable=True)
    metadata_: dict[str, Any] | None = Field(sa_column=Column("metadata", Json, nullable=True))
    tokens: int = column(Integer)
    content_hash: bytes = column(LargeBinary(16))
    state: int = column(SmallInteger, server_default="0")


class OperationRow(Base, table=True):
    """Operations other than append, in effective order, each after turn `after_seq`."""

    __tablename__ = "operation"
    __table_args__ = (UniqueConstraint("conversation", "operation_id"),)

    conversation: int = conversation_column()
    number: int = key_column(Integer)
    operation_id: str = column(String(200))
    kind: str = column(String(16))
    after_seq: int = column(Integer)
    body: dict[str, Any] = column(Json)


class NodeRow(Base, table=True):
    """A segment (height 0) or chapter; the parent of (h, i) is (h + 1, i // 8).

    `refined` has bit `1 << level` set for each level shown in a model's words; `refined_tokens_*` are the estimated
    tokens of those. `closed_at` is the database's time, in milliseconds.
    """

    __tablename__ = "node"
    __table_args__ = (
        UniqueConstraint("conversation", "height", "first_seq"),
        CheckConstraint("first_seq <= last_seq", name="range"),
        {"sqlite_with_rowid": False},
    )

    conversation: int = conversation_column()
    height: int = key_column(SmallInteger)
    idx: int = key_column(Integer)
    first_seq: int = column(Integer)
    last_seq: int = column(Integer)
    started_at: datetime | None = column(UtcDateTime, nullable=True)
    ended_at: datetime | None = column(UtcDateTime, nullable=True)
    slug: str = column(String(60))
    tokens_0: int = column(Integer)
    tokens_1: int = column(Integer)
    tokens_2: int = column(Integer)
    tokens_3: int = column(Integer)
    importance: int = column(SmallInteger)
    method: int = column(SmallInteger)
    refined: int = column(SmallInteger, server_default="0")
    refined_tokens_1: int = column(Integer, server_default="0")
    refined_tokens_2: int = column(Integer, server_default="0")
    refined_tokens_3: int = column(Integer, server_default="0")
    closed_at: int = column(BigInteger, server_default="0")
    decided_seq: int = column(Integer, server_default="0")
    """Of a segment: the turn that triggered its end. A rewind to before that turn reopens the segment."""
    segmenter: dict[str, Any] | None = column(Json, nullable=True)
    """Of a segment: the segmenter's state at its end."""
    facts: dict[str, Any] = column(Json)
    source_hash: bytes = column(LargeBinary(16))


class LevelRow(Base, table=True):
    """Text of a node at levels 1 to 3: `refined` 0 by the rules, 1 by a model, with its model and prompt version.

    Level 0 with `refined` 1 is a reconstruction of turns that retention removed.
    """

    __tablename__ = "level"

    conversation: int = conversation_column()
    height: int = key_column(SmallInteger)
    idx: int = key_column(Integer)
    level: int = key_column(SmallInteger)
    refined: int = key_column(SmallInteger)
    body: str = column(Text)
    model: str | None = column(String(100), nullable=True)
    prompt_version: str | None = column(String(60), nullable=True)
    source_hash: bytes | None = column(LargeBinary(16), nullable=True)


class NoteListRow(Base, table=True):
    """The notes of a node that a context may show without a query, best first."""

    __tablename__ = "note_list"

    conversation: int = conversation_column()
    height: int = key_column(SmallInteger)
    idx: int = key_column(Integer)
    tokens: int = column(Integer)
    best: str = column(Text)
    ledger: list[Any] = column(Json)
    actions: list[Any] = column(Json)
    said: dict[str, int] = column(Json)


class OutlineRow(Base, table=True):
    """What a context needs of everything folded, in parts by budget: see `turnfold.contract.outlines`."""

    __tablename__ = "outline"

    conversation: int = conversation_column()
    part: int = key_column(SmallInteger)
    body: str = column(Text)


class AnchorRow(Base, table=True):
    """A verbatim span of a turn. State 0 is active, the only state in the partial index.

    Anchors with `refined` 1 were found by a model: their ids are negative, and the rules ignore them.
    """

    __tablename__ = "anchor"
    __table_args__ = (
        # Named explicitly: the conventional name would exceed PostgreSQL's limit of 63 bytes.
        UniqueConstraint(
            "conversation", "seq", "start_offset", "end_offset", "kind", "refined", name="anchor_span_key"
        ),
        # Scanned backwards for the best ones first.
        partial_index("anchor_top", "conversation", text(f"({ANCHOR_ORDER})"), "id", where="state = 0"),
        # Closed anchors by state, newest first.
        partial_index("anchor_over", "conversation", "state", "id", where="state <> 0"),
        # Few anchors are invalidated by a model; a rebuild of its notes looks them up.
        partial_index("anchor_overtaken", "conversation", "filler", where="filler < 0"),
        # Few anchors are settled by hand; the folding of each segment looks them up.
        partial_index("anchor_settled", "conversation", "settled_after", where="settled_after IS NOT NULL"),
    )

    conversation: int = conversation_column()
    id: int = key_column(Integer)
    node_idx: int = column(Integer)
    seq: int = column(Integer)
    start_offset: int = column(Integer)
    end_offset: int = column(Integer)
    kind: int = column(SmallInteger)
    body: str = column(Text)
    tokens: int = column(Integer)
    score: int = column(SmallInteger)
    rank: int = column(Integer)
    factors: dict[str, int] = column(Json, server_default="{}")
    """Components of the score, by name."""
    valid_from: date | None = column(Date, nullable=True)
    """First day of validity."""
    valid_to: date | None = column(Date, nullable=True)
    """Last day of validity as stated; not updated when another anchor closes this one."""
    state: int = column(SmallInteger)
    related: int | None = column(Integer, nullable=True)
    replaces: int | None = column(Integer, nullable=True)
    settled_after: int | None = column(Integer, nullable=True)
    """Turn after which a person settled it: the rules' state still applies to reads of earlier turns."""
    ruled: int | None = column(SmallInteger, nullable=True)
    """The rules' state, while `state` is a person's."""
    filler: int = column(SmallInteger, server_default="0")
    """Not 0 if a model hides the anchor from contexts, see `model_anchors`. Never canonical."""
    refined: int = column(SmallInteger, server_default="0")
    model: str | None = column(String(100), nullable=True)
    prompt_version: str | None = column(String(60), nullable=True)


def standing() -> ColumnElement[bool]:
    """Return a condition for conversations that are not being deleted."""
    return table(ConversationRow).c.external_id.not_like(f"{HIDDEN_PREFIX}%")


@event.listens_for(Base.metadata, "after_create")
def _create_triggers(_target: object, connection: Connection, **_options: object) -> None:
    """Create the triggers for a schema created without a migration."""
    for statement in create_triggers(connection.dialect.name):
        connection.exec_driver_sql(statement)


__all__ = [
    "AccessRow",
    "AnchorPostingRow",
    "AnchorRow",
    "AnchorVectorRow",
    "ApiKeyRow",
    "AuditEntryRow",
    "Base",
    "BlockListRow",
    "ConversationRow",
    "JobRow",
    "LevelRow",
    "MetaRow",
    "ModelBatchRow",
    "ModelNoteRow",
    "ModelOutlineRow",
    "ModelPassageRow",
    "ModelPostingRow",
    "NodeRow",
    "NoteListRow",
    "OperationRow",
    "OutlineRow",
    "ParkedEntryRow",
    "PartListRow",
    "PassageRow",
    "PassageSignsRow",
    "PostingRow",
    "RepeatMarkRow",
    "ReplyRow",
    "RewoundTurnRow",
    "SCHEMA_VERSION",
    "StoredSizeRow",
    "SubjectTurnRow",
    "TENANT_USAGE",
    "TenantQuotaRow",
    "TurnChangeRow",
    "TurnRow",
    "TurnMemoRow",
    "TurnVectorRow",
    "USAGE",
    "USED",
    "UtcDateTime",
    "WebhookDeliveryRow",
    "WebhookEndpointRow",
    "standing",
    "table",
]
