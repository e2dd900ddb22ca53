"""Summarizes tables (Markdown, ruled, separated values): columns, row count, ranges, and the rows themselves."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.content.recognize import separator
from turnfold_worker.pipeline.content.statements import Lines, Statement, counted, is_bad, state

_RULE: Final = lazy_pattern(r"[ \t]*[-=+|: ]{3,}$")
_NUMBER: Final = lazy_pattern(r"[$€£]?\s?(-?\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,9})?)\s?(?:%|[a-zA-Z]{1,3})?$")
_LAST: Final = lazy_pattern(r"(?i)(?:total|sum|all|average|mean)\b")
_MOST_ROWS: Final = 40
_MOST_COLUMNS: Final = 24


def summarize_table(lines: Lines) -> list[Statement]:
    """State the columns and the row count, ranges of numbers, then rows; errors and totals are worth most of them."""
    mark = separator(lines)
    header, rows, other = _separated(lines, mark) if mark and not _ruled(lines) else _barred(lines)
    named = [cell for cell in header if cell]
    statements = [state(f"table of {counted(len(rows), 'row')}: {', '.join(named[:_MOST_COLUMNS])}", 110)]
    statements.extend(state(line, 60) for line in other[:6])
    statements.extend(_ranges(header, rows))
    for i, row in enumerate(rows[:_MOST_ROWS] + rows[_MOST_ROWS:][-2:]):
        cells = " | ".join(cell for cell in row if cell)
        last = i == len(rows) - 1 and row and _LAST.match(row[0])
        statements.append(state(cells, 105 if last else 95 if is_bad(cells) else 80 - i))
    return statements


def _ruled(lines: Lines) -> bool:
    return any(_RULE.match(line) and "-" in line for line in lines.kept[:6])


def _separated(lines: Lines, mark: str) -> tuple[list[str], list[list[str]], list[str]]:
    rows = [_cells(line, mark) for line in lines.kept]
    return rows[0], rows[1:], []


def _cells(line: str, mark: str) -> list[str]:
    """Split a line of separated values into cells; a separator inside quotes does not split."""
    if '"' not in line:
        return [cell.strip() for cell in line.split(mark)]
    cells = [""]
    quoted = False
    for piece in re.split(f'("|{re.escape(mark)})', line):
        if piece == '"':
            quoted = not quoted
        elif piece == mark and not quoted:
            cells.append("")
        else:
            cells[-1] += piece
    return [cell.strip() for cell in cells]


def _barred(lines: Lines) -> tuple[list[str], list[list[str]], list[str]]:
    """Split lines with bars into header, rows and other lines, such as a caption or a row count."""
    header: list[str] = []
    rows: list[list[str]] = []
    other: list[str] = []
    for line in lines.kept:
        if _RULE.match(line):
            continue
        if "|" not in line:
            other.append(line)
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if header:
            rows.append(cells)
        else:
            header = cells
    return header, rows, other


def _ranges(header: list[str], rows: list[list[str]]) -> list[Statement]:
    """State the lowest and the highest value of each column of numbers, for tables of six rows or more."""
    if len(rows) < 6:
        return []
    statements = []
    for place, name in enumerate(header[:_MOST_COLUMNS]):
        cells = [row[place] for row in rows if place < len(row) and row[place]]
        numbers = [(float(match.group(1).replace(",", "")), cell) for cell in cells if (match := _NUMBER.match(cell))]
        if len(numbers) == len(cells) > 1 and name.lower() not in {"id", "#", "no"}:
            low, high = min(numbers), max(numbers)
            statements.append(state(f"{name} from {low[1]} to {high[1]}", 90))
    return statements
