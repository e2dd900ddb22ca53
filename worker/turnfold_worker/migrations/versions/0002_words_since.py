"""Record with each conversation when retention is due; the index is built after the migrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

if TYPE_CHECKING:
    from collections.abc import Sequence

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"

NOT_KNOWN = sa.text("0")


def upgrade() -> None:
    # Unknown for existing conversations: retention checks each of them once. In PostgreSQL no row is rewritten.
    column = sa.Column("words_since", sa.BigInteger(), nullable=True)
    if op.get_bind().dialect.name == "postgresql":
        op.add_column(
            "conversation", sa.Column("words_since", sa.BigInteger(), nullable=True, server_default=NOT_KNOWN)
        )
        op.alter_column("conversation", "words_since", server_default=None)
    else:
        op.add_column("conversation", column)
        op.execute("UPDATE conversation SET words_since = 0 WHERE closed_seq > 0")


def downgrade() -> None:
    op.drop_index("conversation_words_since", "conversation")
    op.drop_column("conversation", "words_since")
