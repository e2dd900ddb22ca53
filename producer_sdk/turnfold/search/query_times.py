"""The times that a question names, as terms of postings. Pure."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import chain
from typing import Final, NamedTuple

from turnfold.contract.periods import Period, as_utc
from turnfold.contract.terms import terms
from turnfold.contract.text import ends_of
from turnfold.contract.time_terms import query_time_terms
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form, Kind
from turnfold.errors import InvalidInput

MOST_TIME_TERMS: Final = 40
ENDS: Final = 500
"""Code points at either end of a question that are searched for times: those inside a pasted document are the
document's, and parsing all of them takes long."""
_BEFORE: Final = timedelta(days=364)
"""How far back a question about the time before a day that has passed is searched."""


class QueryTimes(NamedTuple):
    """Times that a question asks about."""

    terms: tuple[str, ...] = ()
    """Terms of the days, months and years that are meant, at most 40; empty if none is named."""
    words: frozenset[str] = frozenset()
    """Terms of the question that only count from the day of the query, as in 'last week': no note contains them."""
    named: frozenset[str] = frozenset()
    """Terms of all times in the question: those of `words`, and names of months and weekdays."""


NO_TIMES: Final = QueryTimes()


def check_now(now: object) -> None:
    """Raise `InvalidInput` unless `now` is None or a datetime with a time zone that UTC can express."""
    if now is not None and (not isinstance(now, datetime) or now.tzinfo is None):
        raise InvalidInput("now must be a datetime with a time zone, such as datetime.now(UTC)")
    if now is None:
        return
    try:
        as_utc(now)
    except OverflowError as error:
        msg = f"now {now} is out of range in UTC"
        raise InvalidInput(msg, remedy="pass a time such as datetime.now(UTC)") from error


def query_times(question: str, today: date | None) -> QueryTimes:
    """The times of a question that is asked on `today`; without a day only those that are written with their year.

    >>> query_times("What did we decide last month?", date(2026, 5, 14)).terms
    ('!2026-04',)
    """
    question = ends_of(question, ENDS)
    times = [time for time in time_expressions(question, today) if time.form is not Form.RECURRING]
    wanted: dict[str, None] = {}
    for time in times:
        for period in time.periods:
            first, last = _ends(time.kind, period, today)
            if first is not None and last is not None and first <= last:
                wanted |= dict.fromkeys(query_time_terms(first, last))
    if not wanted or len(wanted) > MOST_TIME_TERMS:
        return NO_TIMES
    words = {time: terms(question[time.start : time.end]) for time in times}
    counted = chain.from_iterable(words[time] for time in times if time.form is Form.COUNTED)
    return QueryTimes(tuple(wanted), frozenset(counted), frozenset(chain.from_iterable(words.values())))


def _ends(kind: Kind, period: Period, today: date | None) -> tuple[date | None, date | None]:
    """First and last day: 'since' ends today; 'by' begins today if the day is to come, else a year before the day."""
    first, last = period.first, period.last
    if kind is Kind.SINCE:
        return first, last or today
    if first is None and last is not None:
        first = today if today is not None and today <= last else max(date.min + _BEFORE, last) - _BEFORE
    return first, last
