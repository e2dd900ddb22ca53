"""Whether a note's dates are those that its turns tell, written there or counted from their own days."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import StoredTurn
from turnfold.dates.periods import MONTHS, as_utc
from turnfold_worker.pipeline.refinement.claims import REPORTS, content_words, says_something, sentences_of, words_of
from turnfold_worker.pipeline.refinement.passages import Passage
from turnfold_worker.pipeline.refinement.told_days import (
    COUNTS,
    SEASONS,
    WRITTEN_DAY,
    Period,
    tells_time,
    told_periods,
    whole_month,
    written_period,
)

_MONTHS: Final = "|".join((*MONTHS, *map(str.title, SEASONS), "Since", "Until", "From", "During"))
_BESIDE: Final = lazy_pattern(
    r"(?i)(?:(?P<count>a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|a few|several|some)? ?"
    r"\b(?P<unit>day|week|weekend|month|year)s? )?"
    r"\b(?P<side>before|after|of|following|preceding|later than|earlier than"
    r"|since|by|until|till|from|around|about|as of)(?: the)? $"
)
_NAMED_YEAR: Final = lazy_pattern(rf"\b(?!(?:{_MONTHS})\b)[A-Z]\w{{3,}} (?:19|20)\d\d\b(?! [A-Z])")
_BETWEEN: Final = lazy_pattern(r"\bbetween (?:the )?$")
_UNTIL: Final = ("by", "until", "till", "as of")
_ROUGHLY: Final = ("around", "about")
_WEEKDAY_BESIDE: Final = lazy_pattern(
    r"\b(?P<weekday>Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day (?P<side>before|after) (?:the )?$"
)
_WEEKDAY: Final = lazy_pattern(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? (?:the )?$")
_NAMES: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LONG: Final = 27
"""Days from which a period is a month or longer: it may stand for a day in it."""
_FEW_DAYS: Final = 14
_WEEKEND: Final = 2
_CLAUSE_ENDS: Final = lazy_pattern(r"[,;:()]")
_NEXT: Final = 2
_WINDOW: Final = 150
"""Code points around a day without a year in which stands what was on it."""
_LOOKED_BACK: Final = 40


class _Claim(NamedTuple):
    period: Period
    anchor: Period
    """What is written; the period lies beside it."""
    related: bool
    """Whether the period is told by another day: 'the week before 9 June'."""
    weekday: int | None
    until: bool = False
    """Whether something is so by then."""
    clause: str = ""
    """What it is said of."""
    roughly: bool = False
    """Whether it may be another day near it."""


def without_dates(text: str) -> str:
    """A text without the dates that are written in it: their numbers are checked as dates."""
    return WRITTEN_DAY.sub(
        lambda match: " " if written_period(match, date.min.replace(year=4)) else match.group(), text
    )


def day_of(text: str) -> str:
    """The first date that is written in a text, with what it is beside; empty without one.

    >>> day_of("Mara sold the van in the week before 9 June 2023.")
    'the week before 9 June 2023'
    """
    for match in WRITTEN_DAY.finditer(text):
        if not (match["m4"] or match["season"]) or match["y4"]:
            beside = _BESIDE.search(text, 0, match.start())
            start = beside.start() if beside and beside["unit"] else match.start()
            article = "the " if text[:start].rstrip().endswith(" the") else ""
            return article + text[start : match.end()].strip()
    return ""


class ToldDays:
    """The days of some turns, looked at once for many notes."""

    def __init__(self, turns: Sequence[StoredTurn], read: int) -> None:
        self._day_of = {turn.seq: as_utc(turn.created_at).date() if turn.created_at else None for turn in turns}
        self._text_of = {turn.seq: turn.content[:read] for turn in turns}
        self._periods: dict[int, tuple[Period, ...]] = {}

    def supports(self, text: str, seqs: Sequence[int], near: Sequence[int]) -> bool:
        """Whether every date of a text is told by the turns it names, or by those beside them."""
        said_near = "\n".join(self._text_of.get(seq, "") for seq in near)
        # A year behind a name may be part of it: 'Blade Runner 2049'.
        text = _NAMED_YEAR.sub(lambda match: " " if match.group() in said_near else match.group(), text)
        days = [day for seq in seqs if (day := self._day_of.get(seq))]
        # What somebody said was said on the day of the turn, whatever day it speaks of.
        said = days if any(word.text in REPORTS for word in words_of(text)) else []
        if not days and not all(
            self._is_undated_told(match, text, seqs or near) for match in WRITTEN_DAY.finditer(text)
        ):
            return False
        if days and any(written_period(match, days[0]) is None for match in WRITTEN_DAY.finditer(text)):
            return False
        return all(
            _is_day_of(claim, said) or self._supported(claim, text, seqs, near, days)
            for claim in _claims(text, days[0] if days else None)
        )

    def _supported(
        self, claim: _Claim, text: str, seqs: Sequence[int], near: Sequence[int], days: Sequence[date]
    ) -> bool:
        if claim.weekday is not None and claim.weekday != claim.anchor.first.weekday():
            return False
        told = [period for seq in near for period in self._told(seq)]
        said = [Period(day, day) for day in days]
        silent = not any(tells_time(self._text_of.get(seq, "")) for seq in seqs)
        if claim.related:
            counted_from = any(one[:2] == claim.anchor[:2] for one in (*said, *told)) or (
                # 'Ten years before 2023' is what 'ten years ago' says on a day of 2023.
                claim.period.days >= claim.anchor.days >= _LONG and any(map(claim.anchor.holds, said))
            )
            if not counted_from:
                return False
            return (
                silent
                or any(one.meets(claim.period) for one in told)
                or any(one[:2] == claim.anchor[:2] for one in told)
            )
        if claim.period.days > 1 and self._between_talks(claim.period):
            return True
        around = _is_day_or_months(claim.period) and any(claim.period.holds(one) for one in said)
        if around and (
            claim.until or silent or any(self._is_said_without_time(one, seqs) for one in (text, claim.clause))
        ):
            return True
        if not silent and days:
            told = [period for seq in seqs for period in self._told(seq)]
        return any(_is_told(claim.period, one) or (claim.roughly and _is_near(claim.period, one)) for one in told)

    def _is_said_without_time(self, text: str, seqs: Sequence[int]) -> bool:
        """Whether the sentences that are most like a text do not say when: it is the day on which they were said."""
        words = content_words(text)
        sentences = [
            Passage(sentence, seq, "") for seq in seqs for sentence in sentences_of(self._text_of.get(seq, ""))
        ]
        shared = [(sentence.shared(words), sentence) for sentence in sentences]
        most = max((count for count, _ in shared), default=0)
        return most > 0 and not any(tells_time(sentence.text) for count, sentence in shared if count >= most - 1)

    def _between_talks(self, period: Period) -> bool:
        """Whether a period is from a day on which they talked to the next one: 'since we last spoke'."""
        days = sorted({day for day in self._day_of.values() if day})
        return (period.first, period.last) in pairwise(days)

    def _is_undated_told(self, match: re.Match[str], text: str, seqs: Sequence[int]) -> bool:
        """Whether a day of the year stands in turns without days, near a word that stands next to it in a text."""
        before = [
            word.text for word in words_of(_CLAUSE_ENDS.split(text[: match.start()])[-1]) if says_something(word.text)
        ]
        behind = [
            word.text for word in words_of(_CLAUSE_ENDS.split(text[match.end() :])[0]) if says_something(word.text)
        ]
        beside = [*before[-_NEXT:], *behind[:_NEXT]]
        around: dict[tuple[str, str], str] = {}
        for seq in seqs:
            told = self._text_of.get(seq, "")
            for place in WRITTEN_DAY.finditer(told):
                window = told[max(0, place.start() - _WINDOW) : place.end() + _WINDOW]
                for day in _days_of_year(place):
                    around[day] = f"{around.get(day, '')} {window}"
        return all(
            day in around and (not beside or Passage(around[day], 0, "").shared(beside) > 0)
            for day in _days_of_year(match)
        )

    def _told(self, seq: int) -> tuple[Period, ...]:
        if seq not in self._periods:
            self._periods[seq] = tuple(told_periods(self._text_of.get(seq, ""), self._day_of.get(seq)))
        return self._periods[seq]


def _days_of_year(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Month and number of each day that is written, whatever its year: without the day of a turn no year is sure."""
    for month, first, last in (("m", "a", "b"), ("m2", "a2", "a2"), ("m3", "a3", "b3")):
        for number in (match[first], match[last]):
            if match[month] and number:
                yield match[month][:3].lower(), number.rstrip("stndrh").lstrip("0")


def _is_day_of(claim: _Claim, days: Sequence[date]) -> bool:
    return not claim.related and claim.period.days == 1 and claim.period.first in days


def _is_told(claimed: Period, told: Period) -> bool:
    """Whether a claimed period is one that was told, or a coarser one around it."""
    if told.vague:
        # No day in it is told; a week or a weekend of it may be.
        return (
            claimed.meets(told) and _is_day_or_months(claimed)
            if claimed.days >= _LONG
            else claimed.days > 1 and told.days <= _FEW_DAYS and told.holds(claimed)
        )
    if not _is_day_or_months(claimed) or claimed.days == 1:
        return (claimed.first, claimed.last) == (told.first, told.last)
    return claimed.holds(told)


def _is_near(claimed: Period, told: Period) -> bool:
    """Whether a period may be meant where some days without a day in them are told: 'about 18 June'."""
    return told.vague and told.days <= _FEW_DAYS and told.holds(claimed)


def _is_day_or_months(period: Period) -> bool:
    return period.days == 1 or (period.days >= _LONG and period.first.day == 1)


def _claims(text: str, near: date | None) -> Iterator[_Claim]:
    first: Period | None = None
    for match in WRITTEN_DAY.finditer(text):
        if match["m4"] in ("May", "March", "Mar") and not match["y4"]:
            continue
        if match["season"] and not match["y4"]:
            continue
        anchor = written_period(match, near)
        if anchor is None:
            continue
        before = text[max(0, match.start() - _LOOKED_BACK) : match.start()]
        if _BETWEEN.search(before):
            first = anchor
        elif first is not None and before.endswith(" and "):
            yield _plain(Period(first.first, anchor.last))
            first = None
        else:
            behind = _CLAUSE_ENDS.split(text[match.end() :])[0]
            clause = f"{_CLAUSE_ENDS.split(text[: match.start()])[-1]}{behind}"
            yield _claim(before, anchor)._replace(clause=clause)
    if first is not None:
        yield _plain(first)


def _plain(period: Period, weekday: int | None = None, side: str = "") -> _Claim:
    until, roughly = side in _UNTIL, side in _ROUGHLY
    return _Claim(period, period, related=False, weekday=weekday, until=until, roughly=roughly)


def _claim(before: str, anchor: Period) -> _Claim:
    """What a date means with the words before it."""
    if beside := _WEEKDAY_BESIDE.search(before):
        number = _NAMES.index(beside["weekday"][:3].lower())
        back = (anchor.first.weekday() - number - 1) % 7 + 1
        ahead = (number - anchor.last.weekday() - 1) % 7 + 1
        day = _moved(anchor.first, -back) if beside["side"] == "before" else _moved(anchor.last, ahead)
        return _plain(Period(day, day))
    weekday = _WEEKDAY.search(before)
    number_of = None if weekday is None or anchor.days > 1 else _NAMES.index(weekday.group()[:3].lower())
    beside = _BESIDE.search(before)
    side = "" if beside is None else beside["side"].lower()
    unit = "" if beside is None else (beside["unit"] or "").lower()
    if side == "of" and unit == "weekend" and anchor.days <= _WEEKEND:
        weekend = _weekend_of(anchor)
        return _plain(weekend if anchor.days == 1 or anchor == weekend else anchor)
    if beside is None or side in (*_UNTIL, *_ROUGHLY, "from") or (side == "of" and not unit):
        return _plain(anchor, number_of, side)
    return _Claim(_beside(beside, anchor), anchor, related=side != "since", weekday=number_of)


def _beside(match: re.Match[str], anchor: Period) -> Period:
    """The days that 'the week before 9 June' may mean."""
    side, unit = match["side"].lower(), (match["unit"] or "").lower()
    if side == "since":
        return anchor
    if side == "of":
        monday = anchor.first - timedelta(days=anchor.first.weekday())
        return Period(monday, monday + timedelta(days=6)) if unit in ("week", "weekend") else anchor
    count = (match["count"] or "a").lower()
    many = 6 if count in ("a few", "several", "some") else COUNTS.get(count) or int(count)
    days = {"day": 1, "week": 7, "weekend": 7, "month": 31, "year": 366, "": 3_660}[unit] * many
    if unit in ("week", "weekend"):
        days += 6
    if side in ("before", "preceding", "earlier than"):
        return Period(_moved(anchor.first, -days), _moved(anchor.first, -1))
    return Period(_moved(anchor.last, 1), _moved(anchor.last, days))


def _weekend_of(anchor: Period) -> Period:
    """The weekend that a day lies in or nearest to."""
    saturday = anchor.first + timedelta(days=(8 - anchor.first.weekday()) % 7 - 3)
    return Period(saturday, saturday + timedelta(days=1))


def _moved(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return day


__all__ = ["ToldDays", "day_of", "whole_month", "without_dates"]
