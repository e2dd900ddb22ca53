"""Fill the columns that workers of version 1 left out: when retention is due, and the number of refined turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import op

if TYPE_CHECKING:
    from collections.abc import Sequence

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "contract"

REFINED = (
    "(SELECT COALESCE(SUM(last_seq - first_seq + 1), 0) FROM node "
    "WHERE node.conversation = conversation.id AND height = 0 AND refined <> 0)"
)


def upgrade() -> None:
    # They did not know the column: segments that they closed after 0002 would never expire.
    op.execute("UPDATE conversation SET words_since = 0 WHERE words_since IS NULL AND closed_seq > expired_seq")
    op.execute(f"UPDATE conversation SET refined_turns = {REFINED} WHERE COALESCE(refined_turns, -1) <> {REFINED}")  # noqa: S608 - a constant


def downgrade() -> None:
    """Do nothing: 0 is also right for known conversations."""
