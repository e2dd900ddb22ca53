"""Lists as single parameters or values, and LIKE patterns, for each database."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Text, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType

LIKE_ESCAPE: Final = "\\"


class _Among(FunctionElement[Any]):
    inherit_cache = True
    # With a boolean type, SQLAlchemy on SQLite would render a comparison with 1, which defeats the index.
    type = NullType()


class _AmongTexts(_Among):
    inherit_cache = True


class _Listed(FunctionElement[str]):
    inherit_cache = True
    type = Text()


def among(column: ColumnElement[int], name: str) -> ColumnElement[bool]:
    """Return whether a number is in the parameter `name`, a comma-separated text."""
    return _Among(column, bindparam(name, type_=Text))


def among_texts(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Return whether a text is in the parameter `name`, a JSON list."""
    return _AmongTexts(column, bindparam(name, type_=Text))


def listed(column: ColumnElement[Any]) -> ColumnElement[str]:
    """Aggregate the values of all rows into one JSON list, in order; null without rows on PostgreSQL."""
    return _Listed(column)


def like_pattern(words: str) -> str:
    """Return the pattern for `LIKE … ESCAPE` that finds words in a text."""
    for mark in (LIKE_ESCAPE, "%", "_"):
        words = words.replace(mark, LIKE_ESCAPE + mark)
    return f"%{words}%"


@compiles(_Among, "sqlite")
def _among_on_sqlite(element: _Among, compiler: Any, **more: Any) -> str:
    column, numbers = (compiler.process(clause, **more) for clause in element.clauses)
    return f"{column} IN (SELECT value FROM json_each('[' || {numbers} || ']'))"  # noqa: S608 - clauses that are compiled


@compiles(_Among, "postgresql")
def _among_on_postgresql(element: _Among, compiler: Any, **more: Any) -> str:
    column, numbers = (compiler.process(clause, **more) for clause in element.clauses)
    return f"{column} = ANY (CAST('{{' || {numbers} || '}}' AS integer[]))"


@compiles(_AmongTexts, "sqlite")
def _among_texts_on_sqlite(element: _AmongTexts, compiler: Any, **more: Any) -> str:
    column, texts = (compiler.process(clause, **more) for clause in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({texts}))"  # noqa: S608 - clauses that are compiled


@compiles(_AmongTexts, "postgresql")
def _among_texts_on_postgresql(element: _AmongTexts, compiler: Any, **more: Any) -> str:
    column, texts = (compiler.process(clause, **more) for clause in element.clauses)
    return f"{column} = ANY (ARRAY(SELECT json_array_elements_text(CAST({texts} AS json))))"


@compiles(_Listed, "sqlite")
def _listed_on_sqlite(element: _Listed, compiler: Any, **more: Any) -> str:
    return f"json_group_array({compiler.process(element.clauses, **more)})"


@compiles(_Listed, "postgresql")
def _listed_on_postgresql(element: _Listed, compiler: Any, **more: Any) -> str:
    return f"CAST(json_agg({compiler.process(element.clauses, **more)}) AS text)"
