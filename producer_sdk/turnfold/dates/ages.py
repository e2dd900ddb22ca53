"""Times that are told by an age: 'since I was ten', 'when I was twelve', counted from a birth. Pure."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.note_times import NoteTime
from turnfold.contract.periods import Period, Precision
from turnfold.dates.expressions import time_expressions
from turnfold.dates.numbers import NUMBER_OF
from turnfold.dates.time_expression import Kind, TimeExpression

_YOUNGEST: Final = 3
_NUMBERS: Final = {word: number for word, number in NUMBER_OF.items() if number >= _YOUNGEST}
_COUNT: Final = rf"(?P<age>[1-9]\d?|{'|'.join(_NUMBERS)})(?: years? old)?"
_AT_AN_AGE: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:ever )?(?P<side>since|when) (?P<who>I|he|she|(?:my|our|his|her) \w{2,20}) (?:was|turned) "
    rf"(?:about |around |only |just )?{_COUNT}(?=[,.;!?)]|$| (?:and|but|because|so|years?|I|we|my|in|at)(?!\w))"
)
_IS_OLD: Final = lazy_pattern(
    r"(?i)(?<!\w)I(?:['\u2019]m| am)(?: now)? (?P<years>[1-9]\d)"
    r"(?: years old| now| and (?!an? (?:half|quarter))|(?=[.;!](?!\d)|, (?:and|but|so) |$))"
)
_TURNED: Final = lazy_pattern(
    r"(?i)(?<!\w)I(?:['\u2019]ve| have)?(?: just)? turned (?P<years>[1-9]\d)"
    r"(?=[,.;!](?!\d)|$| (?:in|on|last|this|today|yesterday)(?!\w))"
)
_BORN: Final = lazy_pattern(
    r"(?i)(?:(?<!\w)I was born|^born(?= (?:in|on) )|(?<!\w)my (?:birthday|date of birth) (?:is|was))(?!\w)"
)
_SIGNS: Final = (" was ", " turned ")


def tells_an_age(text: str) -> bool:
    """Whether a text tells a time by an age.

    >>> tells_an_age("I've sailed since I was ten."), tells_an_age("She left when I was 5 minutes late.")
    (True, False)
    """
    return any(map(text.__contains__, _SIGNS)) and _AT_AN_AGE.search(text) is not None


def age_time(text: str, born: Period | None) -> NoteTime | None:
    """When somebody had the age by which a statement tells a time; open where it is not known when he was born.

    >>> age_time("I've sailed since I was ten.", Period(date(1990, 1, 1), date(1990, 12, 31))).day_meant
    'since about 2000'
    """
    match = _AT_AN_AGE.search(text) if tells_an_age(text) else None
    if match is None:
        return None
    years = _NUMBERS.get(match["age"].lower()) or int(match["age"])
    period = _after(born, years) if born is not None and match["who"].lower() == "i" else None
    if period is None:
        words = match.group()
        return NoteTime(words[0].lower() + words[1:], precision=Precision.OPEN.value)
    first, last = period
    if match["side"].lower() == "since":
        return NoteTime(f"since about {first.year}", first, precision=Precision.OPEN.value, valid_from=first)
    meant = f"{first.year}" if first.year == last.year else f"{first.year} to {last.year}"
    return NoteTime(meant, first, last, Precision.YEAR.value)


def with_years(text: str, time: NoteTime) -> str:
    """A statement with the years that its age means, behind it.

    >>> with_years("I broke my arm when I was twelve", NoteTime("2002", date(2002, 1, 1), date(2002, 12, 31)))
    'I broke my arm when I was twelve (2002)'
    """
    return text if time.meant_from is None else f"{text} ({time.day_meant})"


def birth_of(text: str, said_on: date | None) -> Period | None:
    """When the speaker of a statement was born, as far as it tells.

    >>> birth_of("I was born in 1990.", None)[:2]
    (datetime.date(1990, 1, 1), datetime.date(1990, 12, 31))
    """
    if (born := _BORN.search(text)) is not None:
        times = (time for time in time_expressions(text, said_on) if time.start >= born.end() and not time.relative)
        return next((time.period for time in times if time.kind is Kind.WHEN), None)
    if (turned := _TURNED.search(text)) is not None and said_on is not None:
        times = (time for time in time_expressions(text, said_on) if time.start >= turned.end())
        return _turned(int(turned["years"]), said_on, next(times, None))
    is_old = _IS_OLD.search(text)
    return None if is_old is None or said_on is None else _of_age(int(is_old["years"]), said_on)


def _turned(years: int, said_on: date, time: TimeExpression | None) -> Period | None:
    if time is None:
        return _of_age(years, said_on)
    period = time.period
    if period is None or period.first is None or period.last is None or not years < period.first.year <= said_on.year:
        return None
    return Period(_moved(period.first, -years), _moved(period.last, -years))


def _of_age(years: int, said_on: date) -> Period | None:
    if said_on.year <= years + 1:
        return None
    return Period(_moved(said_on, -years - 1) + timedelta(1), _moved(said_on, -years))


def _after(born: Period, years: int) -> tuple[date, date] | None:
    """From the first day on which somebody may have had an age to the last."""
    if born.first is None or born.last is None or born.last.year + years + 1 > date.max.year:
        return None
    return _moved(born.first, years), _moved(born.last, years + 1) - timedelta(1)


def _moved(day: date, years: int) -> date:
    """The same day so many years later; 28 February for the 29th."""
    year = day.year + years
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)
