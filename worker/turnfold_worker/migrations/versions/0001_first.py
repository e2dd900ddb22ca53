"""The schema of version 1."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

from turnfold.contract.webhook_triggers import create_triggers, drop_functions

if TYPE_CHECKING:
    from collections.abc import Sequence

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(length=16), autoincrement=False, nullable=False),
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.String(length=60), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("requests_per_minute", sa.Integer(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False
        ),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("api_key_pkey")),
    )
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False),
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("key_id", sa.String(length=16), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("conversation_hash", sa.String(length=64), nullable=True),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("audit_entry_pkey")),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_entry_tenant", "audit_entry", ["tenant", "id"], unique=False)
    op.create_table(
        "conversation",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("external_id", sa.String(length=200), nullable=False),
        sa.Column("turn_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("closed_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("fold_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("unfolded_tokens", sa.Integer(), server_default="0", nullable=False),
        sa.Column("expired_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("system_turns", sa.Integer(), server_default="0", nullable=False),
        sa.Column("node_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("anchor_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("anchor_tokens", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_anchor", sa.Integer(), server_default="1", nullable=False),
        sa.Column("refined_anchors", sa.Integer(), server_default="0", nullable=False),
        sa.Column("refined_anchor_tokens", sa.Integer(), server_default="0", nullable=False),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("edit_revision", sa.Integer(), server_default="0", nullable=False),
        sa.Column("segmenter", sa.JSON(), nullable=True),
        sa.Column("said", sa.JSON(), nullable=True),
        sa.Column("settings", sa.JSON(), nullable=True),
        sa.Column("expansions_asked", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("expansions_found", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("often", sa.JSON(), nullable=True),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False
        ),
        sa.Column(
            "updated_at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("conversation_pkey")),
        sa.UniqueConstraint("tenant", "external_id", name=op.f("conversation_tenant_external_id_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.String(length=40), autoincrement=False, nullable=False),
        sa.Column("value", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("meta_pkey")),
    )
    op.create_table(
        "model_batch",
        sa.Column("id", sa.String(length=100), autoincrement=False, nullable=False),
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("model_batch_pkey")),
    )
    op.create_table(
        "tenant_quota",
        sa.Column("tenant", sa.String(length=200), autoincrement=False, nullable=False),
        sa.Column("turns_a_day", sa.BigInteger(), nullable=True),
        sa.Column("bytes_a_day", sa.BigInteger(), nullable=True),
        sa.Column("stored_bytes", sa.BigInteger(), nullable=True),
        sa.Column("model_tokens_a_day", sa.BigInteger(), nullable=True),
        sa.Column("retention_days", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("tenant", name=op.f("tenant_quota_pkey")),
    )
    op.create_table(
        "tenant_usage",
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model", sa.String(length=100), nullable=False),
        sa.Column("requests", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("repaired", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cached_replies", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("estimated", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("quotes_kept", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("quotes_refused", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("notes_kept", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("notes_refused", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("skipped", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("reserved_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("reserved_micros", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("tenant", "day", "model", name=op.f("tenant_usage_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_index("tenant_usage_day", "tenant_usage", ["day"], unique=False)
    op.create_table(
        "access",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("expansions", sa.Integer(), nullable=False),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("expanded_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("access_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "idx", name=op.f("access_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "anchor",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("node_idx", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("start_offset", sa.Integer(), nullable=False),
        sa.Column("end_offset", sa.Integer(), nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("score", sa.SmallInteger(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("factors", sa.JSON(), server_default="{}", nullable=False),
        sa.Column("valid_from", sa.Date(), nullable=True),
        sa.Column("valid_to", sa.Date(), nullable=True),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("related", sa.Integer(), nullable=True),
        sa.Column("replaces", sa.Integer(), nullable=True),
        sa.Column("settled_after", sa.Integer(), nullable=True),
        sa.Column("ruled", sa.SmallInteger(), nullable=True),
        sa.Column("filler", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("refined", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("model", sa.String(length=100), nullable=True),
        sa.Column("prompt_version", sa.String(length=60), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("anchor_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "id", name=op.f("anchor_pkey")),
        sa.UniqueConstraint(
            "conversation", "seq", "start_offset", "end_offset", "kind", "refined", name="anchor_span_key"
        ),
    )
    op.create_index(
        "anchor_over",
        "anchor",
        ["conversation", "state", "id"],
        unique=False,
        sqlite_where=sa.text("state <> 0"),
        postgresql_where=sa.text("state <> 0"),
    )
    op.create_index(
        "anchor_settled",
        "anchor",
        ["conversation", "settled_after"],
        unique=False,
        sqlite_where=sa.text("settled_after IS NOT NULL"),
        postgresql_where=sa.text("settled_after IS NOT NULL"),
    )
    op.create_index(
        "anchor_top",
        "anchor",
        ["conversation", sa.literal_column("(rank + CASE WHEN replaces IS NULL THEN 0 ELSE 40 END)"), "id"],
        unique=False,
        sqlite_where=sa.text("state = 0"),
        postgresql_where=sa.text("state = 0"),
    )
    op.create_table(
        "anchor_posting",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("term", sa.String(length=64), autoincrement=False, nullable=False),
        sa.Column("anchor", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("anchor_posting_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "term", "anchor", name=op.f("anchor_posting_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "anchor_vector",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("model", sa.String(length=200), autoincrement=False, nullable=False),
        sa.Column("text_hash", sa.LargeBinary(length=16), autoincrement=False, nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("anchor_vector_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "model", "text_hash", name=op.f("anchor_vector_pkey")),
    )
    op.create_table(
        "block_list",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("block_list_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "idx", name=op.f("block_list_pkey")),
    )
    op.create_table(
        "job",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.Integer(), server_default="0", nullable=False),
        sa.Column("input_hash", sa.String(length=64), server_default="", nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("not_before", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("lease_until", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("claim", sa.String(length=36), nullable=True),
        sa.Column("error", sa.String(length=500), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("job_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("job_pkey")),
        sa.UniqueConstraint(
            "conversation", "kind", "subject", "input_hash", name=op.f("job_conversation_kind_subject_input_hash_key")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "job_due",
        "job",
        ["kind", "tenant", "not_before"],
        unique=False,
        sqlite_where=sa.text("state = 'due'"),
        postgresql_where=sa.text("state = 'due'"),
    )
    op.create_index(
        "job_later",
        "job",
        ["not_before"],
        unique=False,
        sqlite_where=sa.text("state = 'later'"),
        postgresql_where=sa.text("state = 'later'"),
    )
    op.create_index(
        "job_running",
        "job",
        ["lease_until"],
        unique=False,
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
    )
    op.create_index(
        "job_waiting",
        "job",
        ["state", "kind"],
        unique=False,
        sqlite_where=sa.text("state IN ('parked', 'batched')"),
        postgresql_where=sa.text("state IN ('parked', 'batched')"),
    )
    op.create_table(
        "level",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("height", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("level", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("refined", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("model", sa.String(length=100), nullable=True),
        sa.Column("prompt_version", sa.String(length=60), nullable=True),
        sa.Column("source_hash", sa.LargeBinary(length=16), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("level_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "height", "idx", "level", "refined", name=op.f("level_pkey")),
    )
    op.create_table(
        "model_note",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("height", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("turns", sa.JSON(), nullable=False),
        sa.Column("speaker", sa.String(length=40), nullable=False),
        sa.Column("role", sa.String(length=9), nullable=False),
        sa.Column("said_on", sa.Date(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("brief", sa.Text(), nullable=True),
        sa.Column("importance", sa.SmallInteger(), nullable=False),
        sa.Column("origin", sa.String(length=9), nullable=False),
        sa.Column("day_meant", sa.String(length=60), nullable=True),
        sa.Column("valid_from", sa.Date(), nullable=True),
        sa.Column("valid_to", sa.Date(), nullable=True),
        sa.Column("model", sa.String(length=100), nullable=False),
        sa.Column("prompt_version", sa.String(length=60), nullable=False),
        sa.Column("source_hash", sa.LargeBinary(length=16), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("model_note_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "height", "idx", "place", name=op.f("model_note_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "model_outline",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("part", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("model_outline_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "part", name=op.f("model_outline_pkey")),
    )
    op.create_table(
        "model_passage",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("model_passage_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "idx", name=op.f("model_passage_pkey")),
    )
    op.create_table(
        "model_posting",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("model_posting_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "number", name=op.f("model_posting_pkey")),
    )
    op.create_table(
        "node",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("height", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("first_seq", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("tokens_0", sa.Integer(), nullable=False),
        sa.Column("tokens_1", sa.Integer(), nullable=False),
        sa.Column("tokens_2", sa.Integer(), nullable=False),
        sa.Column("tokens_3", sa.Integer(), nullable=False),
        sa.Column("importance", sa.SmallInteger(), nullable=False),
        sa.Column("method", sa.SmallInteger(), nullable=False),
        sa.Column("refined", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("refined_tokens_1", sa.Integer(), server_default="0", nullable=False),
        sa.Column("refined_tokens_2", sa.Integer(), server_default="0", nullable=False),
        sa.Column("refined_tokens_3", sa.Integer(), server_default="0", nullable=False),
        sa.Column("closed_at", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("decided_seq", sa.Integer(), server_default="0", nullable=False),
        sa.Column("segmenter", sa.JSON(), nullable=True),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("source_hash", sa.LargeBinary(length=16), nullable=False),
        sa.CheckConstraint("first_seq <= last_seq", name=op.f("node_range_check")),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("node_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "height", "idx", name=op.f("node_pkey")),
        sa.UniqueConstraint("conversation", "height", "first_seq", name=op.f("node_conversation_height_first_seq_key")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "note_list",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("height", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("best", sa.Text(), nullable=False),
        sa.Column("ledger", sa.JSON(), nullable=False),
        sa.Column("actions", sa.JSON(), nullable=False),
        sa.Column("said", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("note_list_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "height", "idx", name=op.f("note_list_pkey")),
    )
    op.create_table(
        "operation",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("operation_id", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("after_seq", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("operation_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "number", name=op.f("operation_pkey")),
        sa.UniqueConstraint("conversation", "operation_id", name=op.f("operation_conversation_operation_id_key")),
    )
    op.create_table(
        "outline",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("part", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("outline_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "part", name=op.f("outline_pkey")),
    )
    op.create_table(
        "parked_entry",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("entry_id", sa.String(length=200), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=True),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("error", sa.String(length=500), nullable=False),
        sa.Column("state", sa.String(length=8), server_default="parked", nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default="1", nullable=False),
        sa.Column("parked_at", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("parked_entry_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("parked_entry_pkey")),
        sa.UniqueConstraint("conversation", "entry_id", name=op.f("parked_entry_conversation_entry_id_key")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "parked_entry_waiting",
        "parked_entry",
        ["conversation"],
        unique=False,
        sqlite_where=sa.text("state = 'parked'"),
        postgresql_where=sa.text("state = 'parked'"),
    )
    op.create_table(
        "part_list",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("part_list_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "idx", name=op.f("part_list_pkey")),
    )
    op.create_table(
        "passage",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("bundle", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("times", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("passage_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "bundle", name=op.f("passage_pkey")),
    )
    op.create_table(
        "passage_signs",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("model", sa.String(length=200), autoincrement=False, nullable=False),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("signs", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("passage_signs_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "model", "idx", name=op.f("passage_signs_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "posting",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("posting_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "number", name=op.f("posting_pkey")),
    )
    op.create_table(
        "repeat_mark",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("mark", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("idx", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seqs", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("repeat_mark_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "mark", "idx", name=op.f("repeat_mark_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "reply",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("request_hash", sa.String(length=32), autoincrement=False, nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("reply_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "request_hash", name=op.f("reply_pkey")),
    )
    op.create_table(
        "rewound_turn",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("turn_id", sa.String(length=200), autoincrement=False, nullable=False),
        sa.Column("stream_id", sa.String(length=48), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("rewound_turn_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "turn_id", name=op.f("rewound_turn_pkey")),
    )
    op.create_table(
        "stored_size",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("stored_size_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", name=op.f("stored_size_pkey")),
    )
    op.create_table(
        "subject_turn",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("subject_turn_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "seq", name=op.f("subject_turn_pkey")),
    )
    op.create_index("subject_turn_subject", "subject_turn", ["tenant", "subject", "conversation"], unique=False)
    op.create_table(
        "turn",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("turn_id", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=9), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=True),
        sa.Column("importance", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("metadata", sa.JSON(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("state", sa.SmallInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("turn_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "seq", name=op.f("turn_pkey")),
        sa.UniqueConstraint("conversation", "turn_id", name=op.f("turn_conversation_turn_id_key")),
    )
    op.create_index(
        "system_turn",
        "turn",
        ["conversation", "seq"],
        unique=False,
        sqlite_where=sa.text("role IN ('system', 'developer')"),
        postgresql_where=sa.text("role IN ('system', 'developer')"),
    )
    op.create_index(
        "turn_time",
        "turn",
        ["conversation", "created_at", "seq"],
        unique=False,
        sqlite_where=sa.text("created_at IS NOT NULL"),
        postgresql_where=sa.text("created_at IS NOT NULL"),
    )
    op.create_table(
        "turn_change",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("operation_id", sa.String(length=200), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("turn_change_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "operation_id", name=op.f("turn_change_pkey")),
    )
    op.create_table(
        "turn_memo",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("turn_memo_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "seq", name=op.f("turn_memo_pkey")),
    )
    op.create_table(
        "turn_vector",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("model", sa.String(length=200), autoincrement=False, nullable=False),
        sa.Column("content_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("turn_vector_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "seq", "model", name=op.f("turn_vector_pkey")),
    )
    op.create_table(
        "usage",
        sa.Column(
            "conversation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("model", sa.String(length=100), nullable=False),
        sa.Column("requests", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failed", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("repaired", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cached_replies", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("estimated", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("quotes_kept", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("quotes_refused", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("notes_kept", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("notes_refused", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("skipped", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"], ["conversation.id"], name=op.f("usage_conversation_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("conversation", "day", "model", name=op.f("usage_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_endpoint",
        sa.Column("id", sa.String(length=16), autoincrement=False, nullable=False),
        sa.Column("tenant", sa.String(length=200), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.String(length=60), nullable=False),
        sa.Column("secret", sa.String(length=100), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False
        ),
        sa.Column("given_up", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("webhook_endpoint_pkey")),
    )
    op.create_index("webhook_endpoint_tenant", "webhook_endpoint", ["tenant"], unique=False)
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("endpoint", sa.String(length=16), nullable=False),
        sa.Column("event", sa.String(length=16), nullable=False),
        sa.Column("conversation_row", sa.BigInteger(), nullable=False),
        sa.Column("conversation_id", sa.String(length=200), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP"), nullable=False
        ),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("not_before", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["endpoint"], ["webhook_endpoint.id"], name=op.f("webhook_delivery_endpoint_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("webhook_delivery_pkey")),
        sqlite_autoincrement=True,
    )
    op.create_index("webhook_delivery_conversation", "webhook_delivery", ["conversation_row"], unique=False)
    op.create_index("webhook_delivery_due", "webhook_delivery", ["not_before", "id"], unique=False)
    op.create_index("webhook_delivery_endpoint", "webhook_delivery", ["endpoint"], unique=False)
    for statement in create_triggers(op.get_bind().dialect.name):
        op.execute(statement)
    op.bulk_insert(
        sa.table("meta", sa.column("key", sa.String), sa.column("value", sa.String)),
        [{"key": "schema_version", "value": "1"}, {"key": "seal_secret", "value": secrets.token_hex(32)}],
    )


def downgrade() -> None:
    for statement in drop_functions(op.get_bind().dialect.name):
        op.execute(statement)
    op.drop_table("webhook_delivery")
    op.drop_table("webhook_endpoint")
    op.drop_table("usage")
    op.drop_table("turn_vector")
    op.drop_table("turn_memo")
    op.drop_table("turn_change")
    op.drop_table("turn")
    op.drop_table("subject_turn")
    op.drop_table("stored_size")
    op.drop_table("rewound_turn")
    op.drop_table("reply")
    op.drop_table("repeat_mark")
    op.drop_table("posting")
    op.drop_table("passage_signs")
    op.drop_table("passage")
    op.drop_table("part_list")
    op.drop_table("parked_entry")
    op.drop_table("outline")
    op.drop_table("operation")
    op.drop_table("note_list")
    op.drop_table("node")
    op.drop_table("model_posting")
    op.drop_table("model_passage")
    op.drop_table("model_outline")
    op.drop_table("model_note")
    op.drop_table("level")
    op.drop_table("job")
    op.drop_table("block_list")
    op.drop_table("anchor_vector")
    op.drop_table("anchor_posting")
    op.drop_table("anchor")
    op.drop_table("access")
    op.drop_table("tenant_usage")
    op.drop_table("tenant_quota")
    op.drop_table("model_batch")
    op.drop_table("meta")
    op.drop_table("conversation")
    op.drop_table("audit_entry")
    op.drop_table("api_key")
