"""Lists of what turns state, by kind, the heaviest first: what a node keeps of its facts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Final

from turnfold.contract.periods import MONTHS
from turnfold.contract.text import whole_numbers
from turnfold.dates.resolve import resolve_relative_days
from turnfold_worker.pipeline.language.facts import Fact, FactKind, Facts

MAX_ENTRIES: Final = 24
"""Entries of a kind that a node keeps."""
MAX_ENTRY_LENGTH: Final = 120
"""Code points of an entry at most."""
RELATIONS: Final = "relations"
"""Key of a node's relations (see `relations`) beside its facts."""
_BARE: Final = 2
"""Digits up to which a number alone says nothing."""


def merge_facts(weighted: Iterable[tuple[Facts, int, date | None]]) -> dict[str, list[str]]:
    """A node's facts: per kind the heaviest texts, at most `MAX_ENTRIES`; ties by first mention. JSON-able.

    Each turn's facts come with their weight and the day on which they were said. What only meant something there
    and then is left out: bare small numbers, and days without a date.
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
    """Rank (kind, text, weight) by the sum of weights, then by first mention. Every kind, and `RELATIONS`, is a key."""
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
    """The entry; a longer one is marked as cut, so that its beginning does not pass for all of it."""
    return text if len(text) <= MAX_ENTRY_LENGTH else f"{text[: whole_numbers(text, MAX_ENTRY_LENGTH - 1)]}…"
