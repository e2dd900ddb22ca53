"""Find the time expressions of a text, with the days that they mean: one grammar for turns and queries.

`docs/time.md` lists the supported expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS, WEEK, Period, Precision, period_label
from turnfold.dates.beside import BESIDE, BETWEEN, RANGE, WEEKDAY_OF, beside
from turnfold.dates.composed import COMPOSED, composed_time
from turnfold.dates.decades import DECADES, decade_periods, has_its_year
from turnfold.dates.direction import PERFECT, REPORTS, SHIFTS, direction
from turnfold.dates.ordinals import in_named_months
from turnfold.dates.relative import RELATIVE, relative_time
from turnfold.dates.spans import LASTING, RECURRING, SINCE, UNTIL, lasting_since
from turnfold.dates.time_expression import Form, Kind, TimeExpression
from turnfold.dates.written import BEFORE_BARE, SEASONS, WRITTEN, has_year, written_periods

_LIKENESS: Final = lazy_pattern(r"(?i)\blike (?:it was )?(?:just |only )?$")
"""Precedes a day that is a comparison: 'feels like yesterday' is no date."""
_NO_COUNT: Final = lazy_pattern(r"(?i)\b(?:or|to|than|least|most|about|around|over|under|nearly|almost|maybe|some) $")
"""Precedes a count that is no exact day: 'less than two days ago'."""

_NO_PERIOD: Final = lazy_pattern(
    r"(?i)\b(?:these|those|my|our|your|his|(?:in|on|of|for|during|is|was|after|before|to|about|with) her"
    r"|their|its|very|of|a|no|any|first|must|should|would|can|could) $"
)
"""Precedes words that are no date: 'my last year', 'must last weekends'."""
_LENGTH: Final = lazy_pattern(
    rf"(?i)(?:(?<!\w){PERFECT}\b[^.!?;:,]{{0,60}}|\b(?:times|twice) "
    rf"|\b(?:{REPORTS})\b[^.!?;:,]{{0,60}}"
    r"|\b(?:first|second|third|fourth|fifth|only|last|best|worst|\d{1,2}(?:st|nd|rd|th)|(?!interest)\w{3,20}est)(?: "
    r"(?!(?:is|are|will|go|goes|comes|arrives|starts|begins|opens|closes|ends|leaves|lands|ships|returns|due)\b)"
    r"\w+){1,2} )$"
)
"""Precedes 'in two weeks' as a length: 'I haven't seen him in two weeks', 'the third leak in two weeks'."""
_IN: Final = lazy_pattern(r"(?i)\bin (?:early |mid |late )?$")
_VERSION: Final = lazy_pattern(r"(?i)(?:version|release|v|ip|build) ?$")
_LATE: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:was|were|am|is|are|be|been|being|i'm|came|come|comes|arrived|left|got|get|too|so|very) $"
)
"""Precedes an adjective rather than a part of a period: 'I was late last week'."""
_OF_IT: Final = lazy_pattern(r"(?i) of (?!\d)")
"""Follows words that are no calendar period: 'the last week of school'."""
_NOT_BEFORE: Final = lazy_pattern(
    r"(?i)(?:\bnot|\b(?:wo|do|does|is|are|ca|should)n['\u2019]t)"
    r"(?: (?!(?:i|we|you|he|she|they|forget|sure|only)\b)\w+){0,3} before (?:the )?$"
)
"""Words before a time from which on something may happen: 'not before', 'won't ship before'."""
_IF: Final = lazy_pattern(r"(?i)\b(?:if|unless|why)\b")
_OF_A_TIME: Final = lazy_pattern(
    r"(?i)\b(?:invoices?|bills?|letters?|mails?|e-?mails?|messages?|photos?|pictures?|notes?|minutes|figures|numbers|reports?"
    r"|results?|data|logs?|tickets?|versions?|draft|order|receipts?|statement) from (?:the )?$"
)
"""Something that a time is the date of: 'the bill from May'."""
_SHIFTED: Final = lazy_pattern(rf"(?i)\b{SHIFTS}from (?:the )?$")
"""Words before a time that holds no longer: 'moved from Tuesday to Thursday'."""
_OR_SO: Final = lazy_pattern(r"(?i) or (?:so|two|three|more)\b")
"""Makes a count inexact: 'in a day or two'."""
_ORDINAL: Final = lazy_pattern(r"the \d\d?(?:st|nd|rd|th)\b")
"""A day of a month, in lower case, mostly without its month."""
_LOOKED: Final = 100
"""Code points before a time that are searched for a perfect tense."""

_UNITS: Final = ("day", "week", "month", "year", "night", "quarter", "decade")
_WRITTEN_SIGNS: Final = (
    *(name[:3].lower() for name in MONTHS), *SEASONS, "19", "20", " q", "q1", "q2", "q3", "q4", "christmas", "new year",
    "halloween", "valentine", "thanksgiving", "easter", "good friday",
)  # fmt: skip
_COUNTED_SIGNS: Final = (
    *_UNITS, "mon", "tue", "wed", "thu", "fri", "sat", "sun", "tomorrow", "morning", "afternoon", "evening", " now",
    "recently", "lately", "while", "soon", "last ", "next ", "this ", "past ", "coming ", "following ", " ago",
    *(f"the {digit}" for digit in range(1, 10)),
)  # fmt: skip
_COMPOSED_SIGNS: Final = (
    "before last", "after next", "last week", "this week", "next week", " today", " tomorrow", " yesterday",
    " last year", " this year", " next year",
    " and a half", "the next ", "this time ", "day in ", "day of ", "week of ", "week in ", "weekend of ",
    "weekend in ", "half of ", "night of the ", "morning of the ", "evening of the ", "afternoon of the ", "week on ",
    "weeks on ", "day from ", "days from ", "week from ", "weeks from ", "months from ", "years from ",
    *(f"{part} {which} " for part in ("early", "mid", "late") for which in ("last", "this", "next")), "mid-",
)  # fmt: skip
_DECADE_SIGNS: Final = (
    "ties", "0s", "early ", "early-", "mid ", "mid-", "late ", "late-", "easter", "christmas"
)  # fmt: skip
_RECURRING_SIGNS: Final = (
    "every",
    "each",
    "days",
    "weekends",
    "most ",
    "dai",
    "weekly",
    "month",
    "annual",
    "year",
    " a ",
    " per ",
)
"""Like the other signs, lower-case substrings that a text with such a time contains: most texts have none."""


def time_expressions(text: str, said_on: date | None) -> list[TimeExpression]:
    """Return a text's time expressions in order, without overlaps; `said_on` is the day that relative ones count from.

    Without `said_on` only absolute times with a year and recurring times are found.
    """
    lowered = text.lower()
    expressions: list[TimeExpression] = []
    for signs, search in _WAYS:
        if any(map(lowered.__contains__, signs)):
            expressions += search(text, said_on)
    if not expressions:
        return expressions
    expressions.sort(key=lambda time: (time.start, -time.end))
    kept: list[TimeExpression] = []
    for time in expressions:
        if not kept or time.start >= kept[-1].end:
            placed = _placed(text, time)
            # The words that shift a time may be a time themselves: 'the Friday after 1 May'.
            while kept and kept[-1].end > placed.start:
                kept.pop()
            kept.append(placed)
    if said_on is not None and _ORDINAL.search(lowered):
        kept = list(in_named_months(text, kept, said_on))
    return list(_ranges(text, kept))


def _placed(text: str, time: TimeExpression) -> TimeExpression:
    """Extend a time by the words before it that shift it: 'the week before 9 June 2023'."""
    if time.form is Form.WRITTEN and (weekday := WEEKDAY_OF.search(text, max(0, time.start - 14), time.start)):
        return time._replace(start=weekday.start())
    match = BESIDE.search(text, max(0, time.start - 40), time.start) if time.period else None
    if match is None or time.period is None:
        return time
    moved = beside(match["count"], match["unit"], match["weekday"], match["side"], time.period)
    if moved is None:
        return time
    words = match.group().removeprefix("the ").removeprefix("The ")
    return time._replace(start=match.start(), periods=(moved,), label=f"{words.rstrip()} {time.label}")


def _ranges(text: str, times: list[TimeExpression]) -> Iterator[TimeExpression]:
    """Join pairs of times that are the beginning and the end of a period."""
    place = 0
    while place < len(times):
        first, last = times[place], times[place + 1] if place + 1 < len(times) else None
        place += 1
        if last is not None and _SHIFTED.search(text, max(0, first.start - _LOOKED), first.start):
            continue
        if last is not None and _is_joined(text, first, last):
            begins = _in_year_of(first, last)
            period = _from_to(begins, last)
        else:
            begins, period = first, None
        if last is not None and period is not None:
            label = f"{begins.label} to {last.label}" if begins.label and last.label else ""
            is_relative = first.relative or last.relative
            yield begins._replace(end=last.end, periods=(period,), label=label, relative=is_relative)
            place += 1
        else:
            yield _bounded(text, first)


def _is_joined(text: str, first: TimeExpression, last: TimeExpression) -> bool:
    between = text[first.end : last.start]
    return RANGE.search(between) is not None or (
        between == " and " and BETWEEN.search(text, max(0, first.start - 14), first.start) is not None
    )


def _from_to(first: TimeExpression, last: TimeExpression) -> Period | None:
    if first.period is None or last.period is None:
        return None
    starts, ends = first.period.first, last.period.last
    if starts is not None and ends is not None and ends < starts and last.relative:
        # A range into the next year or week: from December to January, or from a Friday on.
        ends = next((period.last for period in last.periods[1:] if period.last and period.last >= starts), None) or (
            ends.replace(year=ends.year + 1) if last.form is Form.WRITTEN else ends + timedelta(WEEK)
        )
    if starts is None or ends is None or ends < starts:
        return None
    return Period(starts, ends, last.period.precision)


def _in_year_of(first: TimeExpression, last: TimeExpression) -> TimeExpression:
    """Give a beginning without a year the year of its end: 'between May and July 2025'."""
    if not first.relative or last.relative or first.form is not Form.WRITTEN or not first.period or not last.period:
        return first
    begins, ends = first.period, last.period.last
    if begins.first is None or begins.last is None or ends is None:
        return first
    years = ends.year - begins.first.year - ((begins.first.month, begins.first.day) > (ends.month, ends.day))
    try:
        moved = begins._replace(
            first=begins.first.replace(year=begins.first.year + years),
            last=begins.last.replace(year=begins.last.year + years),
        )
    except ValueError:
        return first
    return first._replace(periods=(moved,), label=period_label(moved))


def _recurring(text: str, said_on: date | None) -> Iterator[TimeExpression]:
    del said_on
    for match in RECURRING.finditer(text):
        yield TimeExpression(
            match.start(), match.end(), Kind.RECURRING, (), "", relative=False, form=Form.RECURRING, toward=0
        )


def _lasting(text: str, said_on: date | None) -> Iterator[TimeExpression]:
    if said_on is None:
        return
    for match in LASTING.finditer(text):
        since = lasting_since(match, said_on)
        if since is not None:
            yield TimeExpression(
                *match.span(), Kind.SINCE, (since[0],), since[1], relative=True, form=Form.LASTING, toward=-1
            )


def _written(text: str, said_on: date | None) -> Iterator[TimeExpression]:
    for match in WRITTEN.finditer(text):
        is_bare = bool(match["m4"] or match["season"] or match["y5"]) and not match["y4"]
        if match["dotted"] and _VERSION.search(text, max(0, match.start() - 12), match.start()):
            continue
        is_short = match["m4"] and match["m4"].title() not in MONTHS
        if is_bare and is_short and not _IN.search(text, max(0, match.start() - 12), match.start()):
            # After any word other than 'in', Jun and Jan are names.
            continue
        if is_bare and not match["part"] and not BEFORE_BARE.search(text, max(0, match.start() - 14), match.start()):
            continue
        toward = direction(text, *match.span())
        periods = tuple(written_periods(match, said_on, toward))
        if periods:
            label = period_label(periods[0])
            yield TimeExpression(
                *match.span(), Kind.WHEN, periods, label, relative=not has_year(match), form=Form.WRITTEN, toward=toward
            )


def _relative(text: str, said_on: date | None) -> Iterator[TimeExpression]:
    if said_on is None:
        return
    for match in RELATIVE.finditer(text):
        looked_from = max(0, match.start() - 20)
        if _LIKENESS.search(text, looked_from, match.start()) or (
            match["what"] and _NO_PERIOD.search(text, looked_from, match.start())
        ):
            continue
        if match["what"] and _OF_IT.match(text, match.end()):
            continue
        toward = direction(text, *match.span())
        if match["within"] and match["within"].lower() == "in" and (toward < 0 or _is_length(text, match.start())):
            # 'We built it in two weeks' is a length.
            continue
        time = relative_time(match, said_on, toward)
        if time is None:
            continue
        kind = Kind.UNTIL if time.until else Kind.WHEN
        label = time.label
        is_inexact = match["side"] and _NO_COUNT.search(text, max(0, match.start() - 20), match.start())
        if is_inexact or ((match["side"] or match["within"]) and _OR_SO.match(text, match.end())):
            label = ""
        yield TimeExpression(*match.span(), kind, time.periods, label, relative=True, form=Form.COUNTED, toward=toward)


def _is_length(text: str, start: int) -> bool:
    return _LENGTH.search(text[max(0, start - _LOOKED) : start]) is not None


def _composed(text: str, said_on: date | None) -> Iterator[TimeExpression]:
    if said_on is None:
        return
    for match in COMPOSED.finditer(text):
        if match["part"] and _LATE.search(text, max(0, match.start() - 14), match.start()):
            continue
        toward = direction(text, *match.span())
        time = composed_time(match, said_on, toward)
        if time is not None:
            kind = Kind.UNTIL if time.until else Kind.WHEN
            form = Form.COUNTED if time.may_stand else Form.WRITTEN
            yield TimeExpression(
                *match.span(), kind, (time.period,), time.label, relative=not time.has_year, form=form, toward=toward
            )


def _decades(text: str, said_on: date | None) -> Iterator[TimeExpression]:
    for match in DECADES.finditer(text):
        toward = direction(text, *match.span())
        periods = tuple(decade_periods(match, said_on, toward))
        if periods:
            has_its_own = has_its_year(match)
            label = match.group().lower() if has_its_own else period_label(periods[0])
            yield TimeExpression(
                *match.span(), Kind.WHEN, periods, label, relative=not has_its_own, form=Form.WRITTEN, toward=toward
            )


def _bounded(text: str, time: TimeExpression) -> TimeExpression:
    """Turn a time into an open-ended one if the words before it say so: 'since May', 'until Friday'."""
    if time.kind is not Kind.WHEN:
        return time
    looked_from = max(0, time.start - 30)
    # 'From 3 to 5 May' is not open-ended.
    is_range = time.form is Form.WRITTEN and time.period is not None and time.period.precision is Precision.WEEK
    is_since = SINCE.search(text, looked_from, time.start) and not _OF_A_TIME.search(text, looked_from, time.start)
    if not is_range and is_since and time.period is not None and time.period.days:
        after = text[looked_from : time.start].rstrip().lower().endswith("after")
        since = tuple(_from_then(period, after=after) for period in time.periods)
        return time._replace(kind=Kind.SINCE, periods=since, side="after" if after else "")
    if UNTIL.search(text, looked_from, time.start):
        before = text[max(0, time.start - _LOOKED) : time.start]
        if _NOT_BEFORE.search(before) and not _IF.search(before):
            since = tuple(_from_then(period, after=False) for period in time.periods)
            return time._replace(kind=Kind.SINCE, periods=since, side="from")
        earlier = text[looked_from : time.start].rstrip().lower().endswith("before")
        until = tuple(_up_to(period, before=earlier) for period in time.periods)
        return time._replace(kind=Kind.UNTIL, periods=until, side="before" if earlier else "")
    return time


def _from_then(period: Period, *, after: bool) -> Period:
    """Return the period from a time on, without an end; `after` begins when the time is over."""
    first = period.first
    if after and period.last:
        first = min(period.last, date.max - timedelta(1)) + timedelta(1)
    return Period(first, None, Precision.OPEN, period.vague)


def _up_to(period: Period, *, before: bool) -> Period:
    """Return the period up to a time, without a beginning; `before` ends when the time begins."""
    last = period.last
    if before and period.first:
        last = max(period.first, date.min + timedelta(1)) - timedelta(1)
    return Period(None, last, Precision.OPEN, period.vague)


_WAYS: Final = (
    (_RECURRING_SIGNS, _recurring), (_UNITS, _lasting), (_WRITTEN_SIGNS, _written), (_COUNTED_SIGNS, _relative),
    (_COMPOSED_SIGNS, _composed), (_DECADE_SIGNS, _decades),
)  # fmt: skip
