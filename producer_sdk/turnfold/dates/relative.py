"""Times relative to the day of the text: 'yesterday', 'two weeks ago', 'next Friday'."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import (
    MONTHS,
    SATURDAY,
    WEEK,
    WEEKDAYS,
    Period,
    Precision,
    day_label,
    month_away,
    one_day,
    period_label,
    week_of,
    weekday_number,
    weekend_of,
    whole_month,
    whole_year,
)
from turnfold.dates.near_days import (
    COMING,
    PAST,
    clear_weekend,
    day_of_month,
    days_to_weekday,
    hours_ago,
    period_around,
)
from turnfold.dates.numbers import COUNT, count_of, whole_units
from turnfold.dates.seasons import seasons_away
from turnfold.dates.written import SEASONS

_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|weds?|thurs?|thu|fri|(?-i:Sat|Sun)"
_LONG_WEEKDAY: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
"""Weekdays that count without a preposition: 'sat', 'sun' and 'wed' are other words too."""
_PARTS: Final = "(?:morning|afternoon|evening|night|lunchtime)"
_ON: Final = r"(?:(?<=on )|(?<=by )|(?<=until )|(?<=till )|(?<=since ))"
_STOP: Final = (
    r"[,.;:!?)]| (?:at|in|for|with|because|when|while|if|and|but|so|as|i|we|he|she|they|it|you|is|was|will|would)(?!\w)"
)
"""Words that may follow a day of the month: 'on the 23rd, at noon', but not 'floor' or 'attempt'."""
_OF_ONE: Final = (
    r"(?<!\ba )(?<!\bany )(?<!\bone )(?<!\bper )(?<!\bthe )(?<!\bnormal )(?<!\btypical )(?<!\bbusy )(?<!\bquiet )"
)
"""Excludes words before a weekday that make it any such day, or part of a name: 'a normal Friday'."""
RELATIVE: Final = lazy_pattern(
    r"(?i)(?<![\w.,/$~<>\u2013-])(?:"
    rf"(?P<near>(?:the )?day before yesterday|(?:the )?day after tomorrow|(?:yesterday|tomorrow)(?: {_PARTS})?"
    r"|today|tonight"
    r"|(?<!the )last night|this (?:morning|afternoon|evening)|(?:just|right) now|the other (?:day|night|week)"
    r"|an hour and a half ago)"
    rf"|(?P<hours>{COUNT}) (?P<unit5>hour|hr|minute|min)s? ago"
    rf"|(?<!quarters of )(?P<count>{COUNT}) (?P<unit>day|night|week|weekend|fortnight|month|year|{'|'.join(SEASONS)})s?"
    r" (?P<side>ago|back|earlier|from now)"
    rf"|(?P<within>in|within) (?:the next )?(?P<ahead>{COUNT}) (?P<unit2>day|week|fortnight|month|year)s?(?: time)?"
    r"|(?:the )?(?P<unit4>week|month|year|weekend) (?P<beyond>before last|after next)"
    r"|(?P<edge>end|beginning|start|middle|rest|remainder) of (?:the |(?P<which3>this|next|last) )"
    r"(?P<unit3>week|month|year|quarter)"
    r"|(?P<which>last|past|previous|this past|earlier this|later this|this coming|this|next|coming|upcoming"
    rf"|the following) (?P<what>week(?:end)?|month|year|quarter|{'|'.join(SEASONS)}|{'|'.join(MONTHS)}|{_WEEKDAY})"
    rf"|{_OF_ONE}(?P<weekday>{_LONG_WEEKDAY}|(?:(?<=on )|(?<=by )|(?<=until )|(?<=till ))(?:{_WEEKDAY}))"
    rf"(?! (?:the )?\d| {_PARTS}s\b)"
    r"|(?:over|at|on|during) the (?P<weekend>weekend)(?! of\b)"
    rf"|{_ON}the (?P<ordinal>[12]?\d|3[01])(?:st|nd|rd|th)(?: of (?P<which4>this|last|next) month(?!\w)|(?=$|{_STOP}))"
    r"|(?P<vague>recently|lately|a (?:little )?while (?:ago|back)|soon)"
    r")(?!\w|['\u2019](?!s\b)\w)"
)
_SHIFTS: Final = {
    "day before yesterday": -2, "yesterday": -1, "last night": -1, "day after tomorrow": 2, "tomorrow": 1,
}  # fmt: skip
_VAGUE_DAYS: Final = 45
_LEFT: Final = ("rest", "remainder")
_OTHER_DAYS: Final = {"day": 10, "night": 10, "week": 21}
_AUTUMN: Final = 9
"""Month from which 'last summer' is in the same year, on either hemisphere."""


class RelativeTime(NamedTuple):
    """The resolved meaning of a relative time."""

    periods: tuple[Period, ...]
    """All readings, best first."""
    label: str
    """The time in absolute words; empty if the words add nothing to the day of the text."""
    until: bool = False
    """Whether any day up to the end is meant: 'within two weeks'."""


def relative_time(match: re.Match[str], said_on: date, toward: int = 0) -> RelativeTime | None:
    """Resolve a match of `RELATIVE` in a text of the day `said_on`; None if it is outside the calendar.

    `toward` is -1 in a clause about the past, 1 about the future, 0 if unknown.
    """
    try:
        return _meaning(match, said_on, toward)
    except (ValueError, OverflowError):
        return None


def _meaning(match: re.Match[str], day: date, toward: int) -> RelativeTime | None:  # noqa: PLR0911 - one a way of saying it
    if match["near"]:
        return _near(match["near"].lower().removeprefix("the "), day)
    if match["hours"] or match["ordinal"]:
        return _near_day(match, day, toward)
    if match["side"]:
        return _away(match["count"], match["unit"].lower(), day, 1 if match["side"].lower() == "from now" else -1)
    if match["within"]:
        return _ahead(match["within"].lower(), match["ahead"], match["unit2"].lower(), day)
    if match["edge"]:
        return _edge(match["edge"].lower(), (match["which3"] or "").lower(), match["unit3"].lower(), day, toward)
    if match["unit4"]:
        return _beyond(match["unit4"].lower(), -2 if match["beyond"].lower() == "before last" else 2, day)
    if match["weekday"]:
        return _weekday("", match["weekday"], day, toward)
    if match["weekend"]:
        return _weekend("next" if toward > 0 else "last" if toward < 0 else "", day)
    if match["vague"]:
        return _vague(match["vague"].lower(), day)
    return _placed(match["which"].lower(), match["what"], day, toward)


def _away(count: str, unit: str, day: date, sign: int) -> RelativeTime:
    count, unit = whole_units(count, unit)
    if unit not in SEASONS:
        return _counted(count, unit, day, sign)
    seasons = seasons_away(count, unit, day, sign)
    return RelativeTime((seasons,), "" if seasons.vague or not seasons.first else f"{unit} {seasons.first.year}")


def _ahead(within: str, count: str, unit: str, day: date) -> RelativeTime:
    """Resolve 'in two weeks'; 'within two weeks' is any day up to then."""
    counted = _counted(*whole_units(count, unit), day, 1)
    if within == "in":
        return counted
    # The exact day, where the words tell one: a deadline is not as late as the weeks around it.
    last = counted.periods[-1].last
    return RelativeTime((Period(day, last, Precision.OPEN),), day_label(last) if last else "", until=True)


def _near_day(match: re.Match[str], day: date, toward: int) -> RelativeTime:
    if match["hours"]:
        period = hours_ago(match["hours"], match["unit5"].lower(), day)
    else:
        which = (match["which4"] or "").lower()
        period = one_day(day_of_month(int(match["ordinal"]), which, day, toward))
    is_told = not period.vague and (period.first != day or match["ordinal"])
    return RelativeTime((period,), period_label(period) if is_told else "")


def _near(words: str, day: date) -> RelativeTime:
    if words.startswith("other"):
        span = _OTHER_DAYS[words.rpartition(" ")[2]]
        return RelativeTime((Period(day - timedelta(span), day - timedelta(1), Precision.WEEK, vague=True),), "")
    shift = _SHIFTS.get(words, _SHIFTS.get(words.partition(" ")[0], 0))
    moved = day + timedelta(shift)
    label = f"night of {day_label(moved)}" if words == "last night" else day_label(moved) if shift else ""
    return RelativeTime((one_day(moved),), label)


def _counted(count: str, unit: str, day: date, sign: int) -> RelativeTime:
    """Resolve a count of days, weeks, months or years away, no more precisely than the words are."""
    least, greatest = count_of(count)
    exact = least == greatest
    side = "before" if sign < 0 else "after"
    relative = f"{count.lower()} {unit}{'' if least == greatest == 1 else 's'} {side} {day_label(day)}"
    if unit == "fortnight":
        least, greatest, unit = 2 * least, 2 * greatest, "week"
    if unit in ("day", "night"):
        ends = sorted((day + timedelta(sign * least), day + timedelta(sign * greatest)))
        period = Period(ends[0], ends[1], Precision.DAY if exact else Precision.WEEK, vague=not exact)
        return RelativeTime((period,), day_label(ends[0]) if exact else relative)
    if unit == "weekend":
        near, far = clear_weekend(day, sign, least - 1), clear_weekend(day, sign, greatest)
        both = Period(min(near, far).first, max(near, far).last, Precision.WEEK, vague=True)
        return RelativeTime((near, both), relative)
    if unit == "week":
        exactly = day + timedelta(sign * WEEK * least)
        ends = sorted((exactly, day + timedelta(sign * WEEK * greatest)))
        around = Period(ends[0] - timedelta(3), ends[1] + timedelta(3), Precision.WEEK, vague=True)
        if exact:
            return RelativeTime((around, one_day(exactly)), day_label(exactly))
        return RelativeTime((around,), relative)
    months = 12 if unit == "year" else 1
    ends_at = sorted((month_away(day, sign * least * months), month_away(day, sign * greatest * months)))
    if unit == "month":
        period = whole_month(*ends_at[0], ends_at[1])
        label = f"{MONTHS[ends_at[0][1] - 1]} {ends_at[0][0]}" if exact else relative
        return RelativeTime((period._replace(vague=not exact),), label)
    first, last = whole_year(ends_at[0][0]), whole_year(ends_at[1][0])
    period = Period(first.first, last.last, Precision.YEAR, vague=not exact)
    return RelativeTime((period,), str(ends_at[0][0]) if exact else relative)


def _beyond(unit: str, away: int, day: date) -> RelativeTime:
    """Resolve 'the week before last', 'the month after next'."""
    if unit in ("week", "weekend"):
        period = week_of(day, away) if unit == "week" else weekend_of(day, away)
        return RelativeTime((period,), f"{unit} of {day_label(period.first or day)}")
    period = whole_month(*month_away(day, away)) if unit == "month" else whole_year(day.year + away)
    return RelativeTime((period,), period_label(period))


def _edge(edge: str, which: str, unit: str, day: date, toward: int) -> RelativeTime | None:
    """Resolve 'the end of the month' to its last days, and 'the rest of the month' to all days from `day` on."""
    if edge in _LEFT and (which or toward < 0):
        # 'I spent the rest of the week in bed' is about another week.
        return None
    whole = period_around(which or "this", unit, day)[0]
    if whole.first is None or whole.last is None:
        return RelativeTime((whole,), "")
    if edge in _LEFT:
        precision = Precision.WEEK if unit == "week" else Precision.MONTH
        return RelativeTime((Period(day, whole.last, precision),), f"rest of {_name(whole, unit)}")
    span = timedelta({"week": 1, "month": 9, "quarter": 29, "year": 59}[unit])
    if edge == "end":
        days, label = (whole.last - span, whole.last), f"end of {_name(whole, unit)}"
    elif edge == "middle":
        middle = whole.first + (whole.last - whole.first) / 2
        days, label = (middle - span / 2, middle + span / 2), f"middle of {_name(whole, unit)}"
    else:
        days, label = (whole.first, whole.first + span), f"beginning of {_name(whole, unit)}"
    return RelativeTime((Period(*days, Precision.DAY if unit == "week" else Precision.WEEK, vague=True),), label)


def _name(whole: Period, unit: str) -> str:
    if unit in ("year", "month"):
        return period_label(whole)
    first = whole.first or date.min
    return f"the week of {day_label(first)}" if unit == "week" else f"Q{(first.month + 2) // 3} {first.year}"


def _placed(which: str, unit: str, day: date, toward: int) -> RelativeTime:
    """Resolve 'last week', 'next summer', 'this Friday'."""
    lowered = unit.lower()
    after = which in COMING
    side = "after" if after else "before"
    if lowered == "weekend":
        return _weekend("next" if after else "last" if which in PAST else "this", day)
    if lowered.title() in MONTHS:
        return _named_month(which, MONTHS.index(lowered.title()) + 1, day)
    if lowered in ("week", "month", "year", "quarter") or lowered in SEASONS:
        periods = tuple(period_around(which, lowered, day))
        return RelativeTime(periods, _placed_label(which, lowered, periods, day, side))
    return _weekday("after" if after else "before" if which in PAST else "this", unit, day, toward)


def _placed_label(which: str, unit: str, periods: tuple[Period, ...], day: date, side: str) -> str:
    if unit in ("year", "month", "quarter"):
        return _name(periods[0], unit)
    if which not in (*PAST, *COMING) or which == "earlier this":
        return ""
    if unit == "summer" and side == "before" and day.month >= _AUTUMN:
        return f"summer {day.year}"
    return f"{unit} {side} {day_label(day)}"


def _named_month(which: str, month: int, day: date) -> RelativeTime:
    if which in COMING or which == "later this":
        year = day.year + (month <= day.month)
    elif which == "this":
        year = day.year
    else:
        year = day.year - (month >= day.month)
    return RelativeTime((whole_month(year, month),), f"{MONTHS[month - 1]} {year}")


def _weekday(which: str, shown: str, day: date, toward: int) -> RelativeTime:
    """Resolve a weekday before or after a day. 'Next Friday' is ambiguous, so both readings are returned."""
    number = weekday_number(shown)
    back, ahead = (days_to_weekday(number, day, sign) for sign in (-1, 1))
    same = [0] if day.weekday() == number else []
    if which == "before":
        shifts, side = [-back, *([-back - WEEK] if back <= day.weekday() else [])], "before"
    elif which == "after":
        shifts, side = [ahead, ahead + WEEK], "after"
    elif toward < 0:
        shifts, side = [-back, *same], "before"
    else:
        # Without a sign of the past, a weekday is a future one: 'they arrive on Tuesday'.
        shifts = [ahead, *same, *([-back] if toward == 0 else [])]
        side = "after" if toward > 0 or which == "this" else ""
    label = f"{WEEKDAYS[number]} {side} {day_label(day)}" if side else ""
    return RelativeTime(tuple(one_day(day + timedelta(shift)) for shift in shifts), label)


def _weekend(which: str, day: date) -> RelativeTime:
    """Resolve the weekend before, of or after a day; from Friday on, 'last weekend' has two readings."""
    if which == "last":
        weeks = (-1,) if day.weekday() < SATURDAY - 1 else (-1, 0)
        found = [weekend_of(day, week) for week in weeks]
    elif which == "next":
        found = [clear_weekend(day, 1, 0), clear_weekend(day, 1, 1)]
    else:
        found = [weekend_of(day, week) for week in ((0, -1) if which == "this" else (-1, 0))]
    if which in ("last", "next"):
        return RelativeTime(tuple(found), f"weekend {'before' if which == 'last' else 'after'} {day_label(day)}")
    return RelativeTime(tuple(found), f"weekend of {day_label(found[0].first or day)}" if which else "")


def _vague(words: str, day: date) -> RelativeTime:
    if words == "soon":
        return RelativeTime((Period(day, day + timedelta(_VAGUE_DAYS), Precision.MONTH, vague=True),), "")
    return RelativeTime((Period(day - timedelta(_VAGUE_DAYS), day, Precision.MONTH, vague=True),), "")
