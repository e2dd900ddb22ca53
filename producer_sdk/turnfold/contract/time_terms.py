"""Times as search terms: a query's time matches notes that share a day, month or year with it.

`!2026-05-14` is a day, `!2026-05` a month, `!2026` a year; no word has this form.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

MEANT: Final = 200
"""Impact of a time that a note refers to."""
SAID: Final = 100
"""Impact of the day of the note's turn."""
_DAYS: Final = 14
"""Maximum days of a period with a term per day."""
_MONTHS: Final = 3
"""Maximum months of a note's period with a term per month; longer ones have terms for years only."""
_MOST_MONTHS: Final = 24
_MOST_YEARS: Final = 12


def day_term(day: date) -> str:
    """Return the term of a day."""
    return f"!{day.isoformat()}"


def month_term(year: int, month: int) -> str:
    """Return the term of a month."""
    return f"!{year:04}-{month:02}"


def note_time_terms(first: date, last: date) -> tuple[str, ...]:
    """Return the terms of a period that a note refers to; none for one longer than twelve years.

    >>> note_time_terms(date(2026, 5, 14), date(2026, 5, 14))
    ('!2026-05-14', '!2026-05', '!2026')
    """
    months = tuple(_months(first, last, _MONTHS + 1))
    return (*_days(first, last), *(months if len(months) <= _MONTHS else ()), *_years(first, last))


def said_terms(day: date) -> tuple[str, ...]:
    """Return the terms of the day of a turn.

    >>> said_terms(date(2026, 5, 14))
    ('!2026-05-14', '!2026-05')
    """
    return (day_term(day), f"!{day:%Y-%m}")


def query_time_terms(first: date, last: date) -> tuple[str, ...]:
    """Return the query terms for notes in a period; none for one longer than twelve years.

    >>> query_time_terms(date(2026, 5, 1), date(2026, 5, 31))
    ('!2026-05',)
    """
    if days := tuple(_days(first, last)):
        return days
    months = tuple(_months(first, last, _MOST_MONTHS + 1))
    cut = {*_cut_years(first, last)}
    whole_years = [year for year in _years(first, last) if year not in cut]
    return (*(months if len(months) <= _MOST_MONTHS else ()), *whole_years)


def _cut_years(first: date, last: date) -> Iterator[str]:
    """Yield the years that a period covers in part."""
    if (first.month, first.day) != (1, 1):
        yield f"!{first.year}"
    if (last.month, last.day) != (12, 31):
        yield f"!{last.year}"


def _days(first: date, last: date) -> Iterator[str]:
    many = (last - first).days + 1
    for day in range(many if many <= _DAYS else 0):
        yield day_term(first + timedelta(days=day))


def _months(first: date, last: date, most_months: int) -> Iterator[str]:
    start, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    for month in range(start, min(end + 1, start + most_months)):
        yield month_term(month // 12, month % 12 + 1)


def _years(first: date, last: date) -> Iterator[str]:
    for year in range(first.year, last.year + 1 if last.year - first.year < _MOST_YEARS else first.year):
        yield f"!{year:04}"
