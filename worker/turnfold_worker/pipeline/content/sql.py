"""Summarizes SQL: each statement whole if short, else its verb, tables and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.statements import (
    LONGEST_STATEMENT,
    Lines,
    Statement,
    counted,
    is_bad,
    shown,
    state,
)

_TOKEN: Final = lazy_pattern(
    r"'(?>(?:[^'\\]|\\.|'')*)'?|\"[^\"]*+\"?|--[^\n]*|/\*(?>(?:[^*]|\*(?!/)){0,2000})(?:\*/)?|;|[^;'\"/-]+|.", re.DOTALL
)
"""A token of SQL. An unclosed quote extends to the end, so nothing is scanned twice."""
_TABLE: Final = lazy_pattern(r"(?i)\b(?:from|join|into|update|table(?:\s+if\s+(?:not\s+)?exists)?)\s+([\w.\"`]{1,80})")
_COLUMN: Final = lazy_pattern(r"(?:^|,)\s*[\"`]?(\w{1,60})[\"`]?\s+\w")
_CREATE: Final = lazy_pattern(r"(?i)create\s+(?:\w+\s+){0,2}table\s+(?:if\s+not\s+exists\s+)?([\w.\"`]+)\s*\(")
_NOT_COLUMNS: Final = frozenset({"primary", "foreign", "unique", "constraint", "check", "index", "key", "exclude"})
_WHERE: Final = lazy_pattern(r"(?is)\bwhere\b(.{1,160})")
_INSERT: Final = lazy_pattern(r"(?is)insert\s+into\s+([\w.\"`]+)\s*(\([^()]{0,300}\))?\s*values\s*")
_MOST: Final = 40


def summarize_sql(lines: Lines) -> list[Statement]:
    """State the SQL statements in order."""
    statements: list[Statement] = []
    for text in _statements("\n".join(lines.kept)):
        flat = " ".join(text.split())
        if flat and len(statements) < _MOST:
            statements.append(state(_short(flat), (100 if is_bad(flat[:80]) else 90) - len(statements)))
    return statements


def _statements(text: str) -> Iterator[str]:
    """Split a text into statements without comments; a semicolon inside quotes does not end a statement."""
    held: list[str] = []
    for match in _TOKEN.finditer(text):
        piece = match.group()
        if piece == ";":
            yield "".join(held)
            held = []
        elif not piece.startswith(("--", "/*")):
            held.append(piece)
    yield "".join(held)


def _short(flat: str) -> str:
    if len(flat) <= LONGEST_STATEMENT:
        return flat
    if created := _CREATE.match(flat):
        columns = [
            name for name in _COLUMN.findall(_without_nested(flat[created.end() :])) if name.lower() not in _NOT_COLUMNS
        ]
        return f"CREATE TABLE {created.group(1)} ({', '.join(columns)})"
    if inserted := _INSERT.match(flat):
        values = flat[inserted.end() :]
        head = " ".join(filter(None, ("INSERT INTO", *inserted.groups())))
        return f"{head} {counted(_rows(values), 'row')}: {values}"
    verb = flat.split(None, 1)[0].upper()
    tables = ", ".join(dict.fromkeys(_TABLE.findall(flat)))
    condition = _WHERE.search(flat)
    where = f" WHERE {shown(condition.group(1), 90)}" if condition else ""
    return f"{verb} of {tables}{where}" if tables else flat


def _rows(values: str) -> int:
    """Count the rows of a VALUES list: its outermost parentheses, except inside quotes."""
    depth = rows = 0
    for piece in re.findall(r"'(?:[^']|'')*'|[()]", values):
        rows += piece == "(" and depth == 0
        depth += {"(": 1, ")": -1}.get(piece, 0)
    return rows


def _without_nested(text: str) -> str:
    """Drop text in nested parentheses, so that `numeric(10, 2)` yields no column."""
    depth = 0
    kept = []
    for piece in re.split(r"([()])", text):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth -= 1
            if depth < 0:
                break
        elif depth == 0:
            kept.append(piece)
    return "".join(kept)
