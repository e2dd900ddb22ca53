"""${message}"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import op
% if imports:
${imports}
% endif

if TYPE_CHECKING:
    from collections.abc import Sequence

revision: str = ${repr(up_revision)}
down_revision: str | None = ${repr(down_revision)}
branch_labels: str | Sequence[str] | None = ${repr(branch_labels)}
depends_on: str | Sequence[str] | None = ${repr(depends_on)}


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}
% if down_revision is None:
    op.bulk_insert(
        sa.table("meta", sa.column("key", sa.String), sa.column("value", sa.String)),
        [{"key": "schema_version", "value": "1"}, {"key": "seal_secret", "value": secrets.token_hex(32)}],
    )
% endif


def downgrade() -> None:
    ${downgrades if downgrades else "pass"}
