"""Let retention look once at conversations whose segments workers of version 1 closed beside newer ones."""

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


def upgrade() -> None:
    # They did not know the column: what they closed after 0002 is due at no time, and its words would stay for ever.
    op.execute("UPDATE conversation SET words_since = 0 WHERE words_since IS NULL AND closed_seq > expired_seq")


def downgrade() -> None:
    """Nothing to do: 0 is right for what is known, too."""
