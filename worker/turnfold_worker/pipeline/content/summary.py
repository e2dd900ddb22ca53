"""Summarizes structured content as statements: recognizes the kind, then summarizes by it. Total and linear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from turnfold_worker.pipeline.content.code import summarize_code
from turnfold_worker.pipeline.content.data import (
    looks_cut,
    parse_json,
    summarize_cut_json,
    summarize_json,
    texts_inside,
)
from turnfold_worker.pipeline.content.diffs import summarize_diff
from turnfold_worker.pipeline.content.listings import summarize_listing
from turnfold_worker.pipeline.content.logs import summarize_log
from turnfold_worker.pipeline.content.matches import summarize_matches
from turnfold_worker.pipeline.content.pairs import summarize_pairs
from turnfold_worker.pipeline.content.plain import summarize_plain
from turnfold_worker.pipeline.content.recognize import Kind, recognize
from turnfold_worker.pipeline.content.reports import summarize_report
from turnfold_worker.pipeline.content.shell import summarize_shell
from turnfold_worker.pipeline.content.sql import summarize_sql
from turnfold_worker.pipeline.content.statements import MAX_STATEMENTS, Lines, Statement, Summarizer, read_lines, state
from turnfold_worker.pipeline.content.tables import summarize_table
from turnfold_worker.pipeline.content.traces import summarize_trace

SUMMARIZERS: Final[Mapping[Kind, Summarizer]] = {
    Kind.DIFF: summarize_diff,
    Kind.TEST_REPORT: summarize_report,
    Kind.TRACE: summarize_trace,
    Kind.LOG: summarize_log,
    Kind.MATCHES: summarize_matches,
    Kind.LISTING: summarize_listing,
    Kind.TABLE: summarize_table,
    Kind.SQL: summarize_sql,
    Kind.SHELL: summarize_shell,
    Kind.CODE: summarize_code,
    Kind.PAIRS: summarize_pairs,
    Kind.TEXT: summarize_plain,
}
_MOST_INSIDE: Final = 4
"""Maximum number of texts inside a JSON value that are read."""
_DEEPEST: Final = 2
"""Maximum nesting depth of texts inside texts."""
_RECOGNIZED: Final = 20_000
"""Code points that are read when only the kind is needed."""


def kind_of(text: str) -> Kind:
    """Return the kind of a text without summarizing it."""
    if parse_json(text) is not None:
        return Kind.JSON
    return _kind(text, read_lines(text[:_RECOGNIZED]))


def _kind(text: str, lines: Lines) -> Kind:
    kind = recognize(lines)
    return Kind.JSON if kind in {Kind.TEXT, Kind.PAIRS, Kind.CODE} and looks_cut(text) else kind


def read_content(text: str, *, inside: int = 0) -> tuple[Statement, ...]:
    """Recognize a text and summarize it as statements, in text order; `inside` is its nesting depth in other texts."""
    value = parse_json(text)
    if value is not None:
        return _distinct([*summarize_json(value), *_inside(value, inside)])
    lines = read_lines(text)
    if not lines.kept:
        return (state("no output", 100),)
    kind = _kind(text, lines)
    if kind is Kind.JSON:
        return _distinct(summarize_cut_json(text))
    return _distinct(SUMMARIZERS[kind](lines)) or _distinct(summarize_plain(lines))


def _inside(value: Any, inside: int) -> Iterator[Statement]:
    """Summarize the texts inside a JSON value: tools often wrap the output of a command in one."""
    if inside >= _DEEPEST:
        return
    for path, text in islice(texts_inside(value), _MOST_INSIDE):
        for place, statement in enumerate(read_content(text, inside=inside + 1)):
            # The most informative values of the JSON itself, such as an exit code, are worth more.
            worth = statement.worth * 2 // 3
            yield state(statement.text if place or not path else f"{path}: {statement.text}", worth)


def _distinct(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return at most `MAX_STATEMENTS` distinct statements with the highest worth, in their order."""
    once: dict[str, Statement] = {}
    for statement in statements:
        if statement.text and (statement.text not in once or once[statement.text].worth < statement.worth):
            once[statement.text] = statement
    values = list(once.values())
    best = sorted(range(len(values)), key=lambda i: (-values[i].worth, i))[:MAX_STATEMENTS]
    return tuple(values[i] for i in sorted(best))
