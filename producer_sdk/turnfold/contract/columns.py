"""Building blocks of all tables: types, keys and columns that work the same on every database.

The classes have a registry of their own, so that a host application's metadata stays clean.
"""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    Table,
    TextClause,
    TypeDecorator,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

NAMING: Final = {
    "ix": "%(table_name)s_%(column_0_N_name)s",
    "uq": "%(table_name)s_%(column_0_N_name)s_key",
    "ck": "%(table_name)s_%(constraint_name)s_check",
    "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    "pk": "%(table_name)s_pkey",
}

Id = BigInteger().with_variant(Integer, "sqlite")
"""Integer on SQLite, which autoincrements only a column declared exactly INTEGER."""

Json = JSON(none_as_null=True)
"""JSON rather than JSONB, so that a provider's message keeps the order of its keys."""


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime on every database; SQLite itself returns naive ones."""

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

    # Rows are read and written through `table`, so a pydantic validator is built only for a class that validates.
    model_config = {"defer_build": True}


Base.metadata.naming_convention = NAMING


def conversation_column(*, primary_key: bool = True) -> Any:
    """Define the foreign key to a row's conversation; deletes cascade."""
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


def key_column(type_: Any) -> Any:
    """Define a part of the primary key."""
    return Field(sa_column=Column(type_, primary_key=True, nullable=False, autoincrement=False))


def column(type_: Any, **options: Any) -> Any:
    """Define a column that is NOT NULL unless `options` say otherwise."""
    options.setdefault("nullable", False)
    return Field(sa_column=Column(type_, **options))


def partial_index(name: str, *columns: str | TextClause, where: str) -> Index:
    """Define an index of the rows that meet a condition in SQL."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


def table(row: type[SQLModel]) -> Table:
    """Return the Core table of a class; hot statements are written against it."""
    core_table: Table = row.__table__  # type: ignore[attr-defined]  # set by SQLAlchemy's mapper
    return core_table
