"""Lists as one value, and words inside a text, as each database has them."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Text, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType

LIKE_ESCAPE: Final = "\\"


class _Among(FunctionElement[Any]):
    inherit_cache = True
    # As a truth value it would be compared with 1 on SQLite, which then looks at every row.
    type = NullType()


class _AmongTexts(_Among):
    inherit_cache = True


class _Listed(FunctionElement[str]):
    inherit_cache = True
    type = Text()


def among(column: ColumnElement[int], name: str) -> ColumnElement[bool]:
    """Whether a number is among those of the parameter `name`: a text, with commas between them."""
    return _Among(column, bindparam(name, type_=Text))


def among_texts(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Whether a text is among those of the parameter `name`: a list as JSON."""
    return _AmongTexts(column, bindparam(name, type_=Text))


def listed(column: ColumnElement[Any]) -> ColumnElement[str]:
    """The values of all rows as one JSON list, in their order; null without rows on PostgreSQL."""
    return _Listed(column)


def like_pattern(words: str) -> str:
    """The pattern for `LIKE … ESCAPE` that finds words in a text."""
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
