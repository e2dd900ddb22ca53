"""Record which rules folded a conversation, so that two versions may fold side by side; count its refined turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op

if TYPE_CHECKING:
    from collections.abc import Sequence

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    op.add_column("conversation", sa.Column("rules_version", sa.Integer(), server_default="0", nullable=False))
    # NULL (not counted) for existing conversations: workers of version 1 would not keep the number right.
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("conversation", sa.Column("refined_turns", sa.Integer(), nullable=True))
        op.alter_column("conversation", "refined_turns", server_default="0")
    else:
        op.add_column("conversation", sa.Column("refined_turns", sa.Integer(), nullable=True, server_default="0"))
        op.execute("UPDATE conversation SET refined_turns = NULL")
    op.execute("INSERT INTO meta (key, value) VALUES ('schema_expanded', '2')")


def downgrade() -> None:
    op.execute("DELETE FROM meta WHERE key = 'schema_expanded'")
    op.drop_column("conversation", "refined_turns")
    op.drop_column("conversation", "rules_version")
