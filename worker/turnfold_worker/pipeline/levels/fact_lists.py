"""Ranks the facts of turns by kind, heaviest first, into the lists that a node keeps."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

from turnfold.contract.periods import MONTHS
from turnfold.contract.text import whole_numbers
from turnfold.dates.resolve import resolve_relative_days
from turnfold_worker.pipeline.language.facts import Fact, FactKind, Facts

MAX_ENTRIES: Final = 24
"""Maximum entries of each kind in a node."""
MAX_ENTRY_LENGTH: Final = 120
"""Maximum code points of an entry."""
RELATIONS: Final = "relations"
"""Key of a node's relations (see `relations`) among its facts."""
_BARE: Final = 2
"""Maximum code points of a number that says nothing by itself."""


def merge_facts(weighted: Iterable[tuple[Facts, int, date | None]]) -> dict[str, list[str]]:
    """Merge facts into a node's: at most `MAX_ENTRIES` texts per kind, heaviest first, ties by first mention.

    Each turn's facts come with their weight and the day of the turn. Facts that mean nothing outside their turn are
    dropped: bare small numbers, and days without a date. The result is serializable as JSON.
    """
    return rank_entries(
        (str(fact.kind), entry, weight)
        for facts, weight, said_on in weighted
        for fact in facts.all
        if (entry := _entry(fact, said_on))
    )


def _entry(fact: Fact, said_on: date | None) -> str:
    if fact.kind is FactKind.NUMBER:
        return fact.text if len(fact.text) > _BARE else ""
    if fact.kind is FactKind.DATE:
        day = resolve_relative_days(fact.text, said_on) if said_on else fact.text
        return day if any(map(str.isdigit, day)) or day in MONTHS else ""
    return fact.text


def rank_entries(entries: Iterable[tuple[str, str, int]]) -> dict[str, list[str]]:
    """Rank (kind, text, weight) rows by total weight, then by first mention. All kinds and `RELATIONS` are keys."""
    totals: dict[str, dict[str, list[int]]] = {str(kind): {} for kind in (*FactKind, RELATIONS)}
    for position, (kind, text, weight) in enumerate(entries):
        entry = _whole_entry(" ".join(text[: 4 * MAX_ENTRY_LENGTH].split()))
        if kind in totals and entry:
            total = totals[kind].setdefault(entry, [0, position])
            total[0] += weight
    return {
        kind: sorted(entries_of_kind, key=lambda text: (-entries_of_kind[text][0], entries_of_kind[text][1]))[
            :MAX_ENTRIES
        ]
        for kind, entries_of_kind in totals.items()
    }


def _whole_entry(text: str) -> str:
    """Truncate a long entry with an ellipsis, so that its beginning does not pass for the whole."""
    return text if len(text) <= MAX_ENTRY_LENGTH else f"{text[: whole_numbers(text, MAX_ENTRY_LENGTH - 1)]}…"
