"""Days as people write them. Time comes from the turns only; there is no clock here."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip

_AGO: Final = re.compile(r"(?i)(?<!\w)(\d{1,3}|two|three|four|five|six) (day|week)s? ago(?!\w)")
_NEAR: Final = re.compile(r"(?i)(?<!\w)(?:the )?(day before yesterday|yesterday|day after tomorrow|tomorrow)(?!\w)")
_NEAR_DAYS: Final = {"day before yesterday": -2, "yesterday": -1, "day after tomorrow": 2, "tomorrow": 1}
_RELATIVE: Final = (" ago", "yesterday", "tomorrow")
"""What a text holds, in lower case, that names a day so."""
_LIKENESS: Final = re.compile(r"(?i)\blike (?:it was )?(?:just |only )?$")
"""'Feels like yesterday' is no date."""
_SPELLED: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def as_utc(moment: datetime) -> datetime:
    """The moment in UTC; one without a zone is taken as UTC, because a local zone would differ between workers."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def day_label(day: date) -> str:
    """The day in words that mean the same everywhere.

    >>> day_label(date(2026, 5, 14))
    '14 May 2026'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def resolve_relative_days(text: str, said_on: date) -> str:
    """Replace 'yesterday', 'tomorrow' and 'N days ago' by dates.

    >>> resolve_relative_days("signed two days ago", date(2026, 5, 14))
    'signed 12 May 2026'
    """
    if not _may_be_relative(text):
        return text

    def near(match: re.Match[str]) -> str:
        if _LIKENESS.search(text, max(0, match.start() - 20), match.start()):
            return match.group()
        return _shifted(match.group(), said_on, _NEAR_DAYS[match.group(1).lower()])

    def ago(match: re.Match[str]) -> str:
        count = match.group(1).lower()
        days = _SPELLED[count] if count in _SPELLED else int(count)
        return _shifted(match.group(), said_on, -days * (7 if match.group(2).lower() == "week" else 1))

    return _AGO.sub(ago, _NEAR.sub(near, text))


def _may_be_relative(text: str) -> bool:
    lowered = text.lower()
    return not text.isascii() or any(map(lowered.__contains__, _RELATIVE))


def _shifted(words: str, said_on: date, days: int) -> str:
    try:
        return day_label(said_on + timedelta(days=days))
    except OverflowError:
        return words
