"""Structured content in a few lines: recognized, then summarized by its kind. Total and linear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from turnfold.contract.text import whole_numbers
from turnfold.tokens import estimate_tokens
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
from turnfold_worker.pipeline.content.statements import (
    MAX_STATEMENTS,
    Lines,
    Statement,
    Summarizer,
    read_lines,
    shown,
    state,
)
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
"""Texts inside a JSON value that are read."""
_DEEPEST: Final = 2
"""How often a text may stand inside a text."""
_SHORT: Final = 2_000
"""Code points up to which a text may be shown whole."""
_RECOGNIZED: Final = 20_000
"""Code points from which the kind alone is told."""
_COUNTED: Final = 50_000
"""Code points whose tokens are counted: no summary is as long."""


@dataclass(frozen=True, slots=True)
class Content:
    """A text that was recognized: what it is, and what there is to say about it."""

    kind: Kind
    statements: tuple[Statement, ...]
    """In order of the source, each one line of at most 160 code points."""


def kind_of(text: str) -> Kind:
    """The kind of a text, without a summary."""
    if parse_json(text) is not None:
        return Kind.JSON
    return _kind(text, read_lines(text[:_RECOGNIZED]))


def _kind(text: str, lines: Lines) -> Kind:
    kind = recognize(lines)
    return Kind.JSON if kind in {Kind.TEXT, Kind.PAIRS, Kind.CODE} and looks_cut(text) else kind


def read_content(text: str) -> Content:
    """Recognize a text and state what it holds."""
    return _read(text, inside=0)


def _read(text: str, *, inside: int) -> Content:
    value = parse_json(text)
    if value is not None:
        return Content(Kind.JSON, _distinct([*summarize_json(value), *_inside(value, inside)]))
    lines = read_lines(text)
    if not lines.kept:
        return Content(Kind.TEXT, (state("no output", 100),))
    kind = _kind(text, lines)
    if kind is Kind.JSON:
        return Content(Kind.JSON, _distinct(summarize_cut_json(text)))
    found = _distinct(SUMMARIZERS[kind](lines))
    return Content(kind, found or _distinct(summarize_plain(lines)))


def _inside(value: Any, inside: int) -> Iterator[Statement]:
    """What the texts inside a JSON value hold: tools often wrap what a command printed."""
    if inside >= _DEEPEST:
        return
    for path, text in islice(texts_inside(value), _MOST_INSIDE):
        for place, statement in enumerate(_read(text, inside=inside + 1).statements):
            # Values that tell most, such as an exit code, go first.
            worth = statement.worth * 2 // 3
            yield state(statement.text if place or not path else f"{path}: {statement.text}", worth)


def _distinct(found: Sequence[Statement]) -> tuple[Statement, ...]:
    """The worthiest statements, each once, in their order."""
    once: dict[str, Statement] = {}
    for statement in found:
        if statement.text and (statement.text not in once or once[statement.text].worth < statement.worth):
            once[statement.text] = statement
    values = list(once.values())
    best = sorted(range(len(values)), key=lambda i: (-values[i].worth, i))[:MAX_STATEMENTS]
    return tuple(values[i] for i in sorted(best))


def summarize_content(text: str, *, max_tokens: int, source_tokens: int | None = None) -> str:
    """What a tool printed, in at most `max_tokens` estimated tokens; one statement a line, without a last newline.

    A short text that fits is shown whole. Never longer than the source, in tokens or in code points; empty when
    nothing fits. The lines hold no marker of ours. `source_tokens` saves counting the text again.
    """
    if max_tokens <= 0 or not text.strip():
        return ""
    source = estimate_tokens(text[:_COUNTED]) if source_tokens is None else source_tokens
    if len(text) <= _SHORT and source <= max_tokens:
        return "\n".join(shown(line, _SHORT) for line in text.splitlines() if line.strip())
    max_tokens = min(max_tokens, source)
    return fit_statements(read_content(text).statements, max_tokens=max_tokens, longest=len(text))


def fit_statements(statements: Sequence[Statement], *, max_tokens: int, longest: int) -> str:
    """The worthiest statements that fit, in their order, one a line; the beginning of the best when none does."""
    chosen: list[int] = []
    tokens = length = 0
    order = sorted(range(len(statements)), key=lambda i: (-statements[i].worth, i))
    for i in order:
        said = statements[i].text
        cost = estimate_tokens(said) + 1
        if tokens + cost <= max_tokens + 1 and length + len(said) + 1 <= longest + 1:
            tokens, length = tokens + cost, length + len(said) + 1
            chosen.append(i)
    if chosen or not order:
        return "\n".join(statements[i].text for i in sorted(chosen))
    return _beginning(statements[order[0]].text, max_tokens, longest)


def _beginning(text: str, max_tokens: int, longest: int) -> str:
    """As much of a statement as fits, cut between words and marked as cut."""
    low, high = 0, min(len(text), longest - 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(f"{text[:middle]}…") <= max_tokens else (low, middle - 1)
    words = text[:low].rpartition(" ")[0] or text[: whole_numbers(text, low)]
    return f"{words}…" if words else ""
