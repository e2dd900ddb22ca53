"""Alembic's environment: one transaction on the connection that `turnfold_worker.operate.migrate` opened and locked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from alembic import context
from sqlalchemy import JSON, DefaultClause, TextClause

from turnfold.contract.tables import Base, UtcDateTime

if TYPE_CHECKING:
    from alembic.autogenerate.api import AutogenContext


def render_item(kind: str, item: Any, autogen: AutogenContext) -> str | Literal[False]:  # noqa: ARG001
    """Render database types instead of our classes, so that a migration stays the same when those change."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    if kind == "type" and isinstance(item, JSON):
        return "sa.JSON()"
    if kind == "server_default" and isinstance(item, DefaultClause) and isinstance(item.arg, TextClause):
        # Alembic would add parentheses, which SQLite's compiler adds again.
        return f'sa.text("{item.arg.text}")'
    return False


def run() -> None:
    connection = context.config.attributes.get("connection")
    if connection is None:
        msg = "run migrations with `turnfold migrate`, which takes the lock that prevents concurrent ones"
        raise RuntimeError(msg)
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_item=render_item,
        # SQLite rolls back DDL too, once the driver does not commit by itself.
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
