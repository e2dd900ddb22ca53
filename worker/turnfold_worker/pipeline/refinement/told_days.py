"""When something was, as turns tell it: days that are written out, and those that are counted from a turn's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.dates.periods import MONTHS


class Period(NamedTuple):
    """Days from the first to the last, both included."""

    first: date
    last: date
    vague: bool = False
    """Whether it is somewhere in these days: 'a few weeks ago'."""

    @property
    def days(self) -> int:
        """How many there are."""
        return (self.last - self.first).days + 1

    def holds(self, other: Period) -> bool:
        """Whether all of another period lies in this one."""
        return self.first <= other.first and other.last <= self.last

    def meets(self, other: Period) -> bool:
        """Whether the two share a day."""
        return self.first <= other.last and other.first <= self.last


_MONTH: Final = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in (*MONTHS, "Sept"))
_DAY: Final = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_DASH: Final = r" ?(?:[-\u2013\u2014]|to|and|until) ?"
SEASONS: Final = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 2)}
"""First and last month, in the north; a winter ends in the next year."""
WRITTEN_DAY: Final = lazy_pattern(
    rf"(?<![\w.:-])(?:(?P<iso>\d{{4}}-\d\d-\d\d)(?!\d)"
    rf"|(?P<a>{_DAY})(?:{_DASH}(?P<b>{_DAY}))?(?: of)? (?P<m>{_MONTH})\b\.?"
    rf"(?:{_DASH}(?P<a2>{_DAY}) (?P<m2>{_MONTH})\b)?(?:,? (?P<y>(?:19|20)\d\d)(?![\d-]))?"
    rf"|(?P<m3>{_MONTH})\b\.? (?P<a3>{_DAY})(?!\w)(?:{_DASH}(?P<b3>{_DAY})(?!\w))?"
    rf"(?:,? (?P<y3>(?:19|20)\d\d)(?![\d-]))?"
    rf"|(?:(?P<part>early|mid|late|the (?:beginning|start|middle|end) of)[ -])?"
    rf"(?:(?P<m4>{_MONTH})\b|(?P<season>(?i:{'|'.join(SEASONS)})))(?: (?:of )?(?P<y4>(?:19|20)\d\d)(?![\d-]))?"
    r"|(?P<y5>(?:19|20)\d\d)(?![\d%-]| ?(?:ms|tokens|users|people|rows|requests|euros|dollars|words|lines)\b))(?!\w)"
)
_NAMES: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|weds?|thurs?|thu|fri|sat|sun"
_COUNT: Final = (
    r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|a couple(?: of)?|a few|few|several|some"
)
COUNTS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "a couple": 2, "a couple of": 2,
}  # fmt: skip
_UNIT: Final = r"(?P<unit>day|night|week|weekend|month|year)s?"
RELATIVE: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?:(?P<near>the day before yesterday|the day after tomorrow|yesterday|tomorrow|today|tonight"
    r"|last night|this (?:morning|afternoon|evening)|(?:just|right) now|the other (?:day|night))"
    rf"|(?P<count>{_COUNT}) {_UNIT} (?P<side>ago|back|earlier|from now|later)"
    rf"|in (?P<ahead>{_COUNT}) (?P<unit2>day|week|month|year)s?(?: time)?"
    rf"|(?:for|been|over|about|almost|nearly|past|last|already|after)? ?(?P<long>{_COUNT}) (?P<unit3>month|year)s?"
    r"(?: (?:now|already|old))?"
    r"|(?P<which>last|past|previous|this past|next|this|coming|upcoming|on|by|until|till|since|before|every)? ?"
    rf"(?P<weekday>{_WEEKDAY})(?:'s)?"
    rf"|(?P<which2>last|past|previous|this past|this|next|coming|upcoming|the whole|all) "
    rf"(?P<what>week(?:end)?|month|year|{'|'.join(SEASONS)}|quarter)(?:'s)?"
    r"|(?P<vague>recently|lately|a while (?:ago|back)|the other week|soon|earlier))(?!\w)"
)
_FAREWELL: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:talk|see|speak|chat|catch up|write)(?: (?:to|with))?(?: (?:you|ya|u|y'all))?(?: again)? "
    r"(?:soon|later)"
)
_BARE_WEEKEND: Final = lazy_pattern(r"(?i)(?<!\w)weekend(?!\w)")
_WEEK: Final = 7
_SATURDAY: Final = 5


def month_of(shown: str) -> int:
    """Number of a month by its first three letters."""
    return next(number for number, name in enumerate(MONTHS, 1) if name[:3].lower() == shown[:3].lower())


def whole_month(year: int, month: int, last: tuple[int, int] | None = None) -> Period:
    """All days of a month, or to the end of another `(year, month)`."""
    end_year, end_month = last or (year, month)
    following = date(end_year + end_month // 12, end_month % 12 + 1, 1)
    return Period(date(year, month, 1), following - timedelta(days=1))


def written_period(match: re.Match[str], near: date | None) -> Period | None:
    """What a match of `WRITTEN_DAY` means; a year that is not written is the one that lies nearest to `near`."""
    try:
        return _written(match, near)
    except (ValueError, OverflowError):
        return None


def _written(match: re.Match[str], near: date | None) -> Period | None:  # noqa: PLR0911 - one a way of writing
    if match["iso"]:
        day = date.fromisoformat(match["iso"])
        return Period(day, day)
    if match["y5"]:
        return whole_month(int(match["y5"]), 1, (int(match["y5"]), 12))
    year_text = match["y"] or match["y3"] or match["y4"]
    if match["season"]:
        first, last = SEASONS[match["season"].lower()]
        year = int(year_text) if year_text else (near.year if near else 0)
        return whole_month(year, first, (year + (last < first), last)) if year else None
    month = month_of(match["m"] or match["m3"] or match["m4"])
    if not year_text and near is None:
        return None
    year = int(year_text) if year_text else _nearest_year(month, near or date.min)
    if match["m4"]:
        return whole_month(year, month)
    start, end = match["a"] or match["a3"], match["b"] or match["b3"]
    first_day = date(year, month, _number(start))
    if match["m2"]:
        return Period(first_day, date(year, month_of(match["m2"]), _number(match["a2"])))
    if end and _number(end) <= first_day.day:
        msg = "days in the wrong order"
        raise ValueError(msg)
    return Period(first_day, date(year, month, _number(end)) if end else first_day)


def _number(shown: str) -> int:
    return int(re.sub(r"\D", "", shown))


def _nearest_year(month: int, near: date) -> int:
    return min(
        (near.year - 1, near.year, near.year + 1), key=lambda year: abs((year - near.year) * 12 + month - near.month)
    )


def told_periods(text: str, said_on: date | None) -> Iterator[Period]:
    """All periods that a text may mean, as said on a day. People do not agree about 'next Friday': then both."""
    for match in WRITTEN_DAY.finditer(text):
        period = written_period(match, said_on)
        if period:
            yield period
    if said_on is None:
        return
    for match in RELATIVE.finditer(text):
        try:
            yield from _counted(match, said_on)
        except (ValueError, OverflowError):
            continue
    if _BARE_WEEKEND.search(text):
        yield from _weekends(-1, said_on)


def tells_time(text: str) -> bool:
    """Whether a text says when something was, beside the day on which it was said."""
    text = _FAREWELL.sub(" ", text)
    return bool(RELATIVE.search(text) or WRITTEN_DAY.search(text))


def _counted(match: re.Match[str], day: date) -> Iterator[Period]:
    if match["near"]:
        yield from _near(match["near"].lower(), day)
    elif match["side"]:
        sign = 1 if match["side"].lower() in ("from now", "later") else -1
        yield from _exactly(match["count"].lower(), match["unit"].lower(), day, sign)
        yield _away(match["count"].lower(), match["unit"].lower(), day, sign)
    elif match["ahead"]:
        yield from _exactly(match["ahead"].lower(), match["unit2"].lower(), day, 1)
        yield _away(match["ahead"].lower(), match["unit2"].lower(), day, 1)
    elif match["long"]:
        yield _away(match["long"].lower(), match["unit3"].lower(), day, -1)
    elif match["weekday"]:
        yield from _weekdays((match["which"] or "").lower(), match["weekday"].lower(), day)
    elif match["what"]:
        yield from _around((match["which2"]).lower(), match["what"].lower(), day)
    elif match["vague"].lower() != "soon":
        yield Period(day - timedelta(days=45), day, vague=True)


def _near(words: str, day: date) -> Iterator[Period]:
    shift = {
        "yesterday": -1,
        "last night": -1,
        "tomorrow": 1,
        "the day before yesterday": -2,
        "the day after tomorrow": 2,
    }
    if words.startswith("the other"):
        yield Period(day - timedelta(days=10), day - timedelta(days=1), vague=True)
        return
    moved = day + timedelta(days=shift.get(words, 0))
    yield Period(moved, moved)


def _exactly(count: str, unit: str, day: date, sign: int) -> Iterator[Period]:
    """The day that is a number of weeks away."""
    weeks = COUNTS.get(count) or (int(count) if count.isdigit() else 0)
    if unit == "week" and weeks:
        moved = day + timedelta(days=sign * _WEEK * weeks)
        yield Period(moved, moved)


def _away(count: str, unit: str, day: date, sign: int) -> Period:
    """So many days, weeks, months or years before or after: no finer than what was said."""
    if count in ("a few", "few", "several", "some"):
        least, most = 2, 6
    else:
        least = most = COUNTS.get(count) or int(count)
    if unit in ("day", "night"):
        ends = [day + timedelta(days=sign * least), day + timedelta(days=sign * most)]
        return Period(min(ends), max(ends), vague=least != most)
    if unit == "weekend":
        # 'Two weekends ago' is the last but one, or the one two weeks before it.
        weekends = [_weekend(day, sign, least - 1), _weekend(day, sign, most)]
        return Period(min(weekends).first, max(weekends).last, vague=True)
    if unit == "week":
        ends = [day + timedelta(days=sign * _WEEK * least), day + timedelta(days=sign * _WEEK * most)]
        slack = timedelta(days=3)
        return Period(min(ends) - slack, max(ends) + slack, vague=True)
    months = 12 if unit == "year" else 1
    far, near = _month_away(day, sign * most * months), _month_away(day, sign * least * months)
    first, last = min(far, near), max(far, near)
    period = whole_month(first[0], 1, (last[0], 12)) if unit == "year" else whole_month(*first, last)
    return period._replace(vague=least != most)


def _month_away(day: date, months: int) -> tuple[int, int]:
    at = day.year * 12 + day.month - 1 + months
    return at // 12, at % 12 + 1


def _weekdays(which: str, shown: str, day: date) -> Iterator[Period]:
    number = next(place for place, name in enumerate(_NAMES) if name[:3] == shown[:3])
    back = (day.weekday() - number - 1) % _WEEK + 1
    ahead = (number - day.weekday() - 1) % _WEEK + 1
    past = [-back, -back - _WEEK] if back < day.weekday() + 1 else [-back]
    coming = [ahead, ahead + _WEEK]
    if which in ("last", "past", "previous", "this past"):
        shifts = past
    elif which in ("next", "coming", "upcoming"):
        shifts = coming
    else:
        shifts = [-back, ahead, 0] if day.weekday() == number else [-back, ahead]
    for shift in shifts:
        moved = day + timedelta(days=shift)
        yield Period(moved, moved)


def _around(which: str, what: str, day: date) -> Iterator[Period]:
    sign = (
        -1
        if which in ("last", "past", "previous", "this past")
        else (1 if which in ("next", "coming", "upcoming") else 0)
    )
    if what == "week":
        monday = day - timedelta(days=day.weekday()) + timedelta(days=sign * _WEEK)
        yield Period(monday, monday + timedelta(days=6))
        if sign < 0:
            yield Period(day - timedelta(days=_WEEK), day - timedelta(days=1))
    elif what == "weekend":
        yield from _weekends(sign, day)
    elif what == "month":
        yield whole_month(*_month_away(day, sign))
    elif what == "quarter":
        quarter = (day.month - 1) // 3 * 3 + 1
        yield whole_month(
            *_month_away(day.replace(month=quarter, day=1), 3 * sign),
            _month_away(day.replace(month=quarter, day=1), 3 * sign + 2),
        )
    elif what == "year":
        yield whole_month(day.year + sign, 1, (day.year + sign, 12))
    else:
        first_month, last_month = SEASONS[what]
        for year in sorted({day.year, day.year + sign}):
            yield whole_month(year, first_month, (year + (last_month < first_month), last_month))


def _weekend(day: date, sign: int, more: int) -> Period:
    """The last or next weekend that is all past or to come, or so many before or after it."""
    saturday = day - timedelta(days=(day.weekday() - _SATURDAY) % _WEEK)
    near = (1 if sign > 0 else 0 if day.weekday() < _SATURDAY else -1) + sign * more
    first = saturday + timedelta(days=_WEEK * near)
    return Period(first, first + timedelta(days=1))


def _weekends(sign: int, day: date) -> Iterator[Period]:
    """The weekend before, of or after a day; people do not agree about 'last weekend' on a Saturday."""
    saturday = day - timedelta(days=(day.weekday() - _SATURDAY) % _WEEK)
    weeks = {1: (1,), 0: (0, 1, -1), -1: (0, -1) if day.weekday() >= _SATURDAY - 1 else (0,)}[sign]
    for week in weeks:
        first = saturday + timedelta(days=_WEEK * week)
        if sign >= 0 or first < day:
            yield Period(first, first + timedelta(days=1))


__all__ = ["COUNTS", "RELATIVE", "SEASONS", "WRITTEN_DAY", "Period", "tells_time", "told_periods", "written_period"]
