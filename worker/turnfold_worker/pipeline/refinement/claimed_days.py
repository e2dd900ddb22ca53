"""Check a note's dates against its turns: dates written in a turn, or counted from the turn's own day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import Period, as_utc, one_day, weekday_number
from turnfold.contract.records import StoredTurn
from turnfold.dates.beside import BESIDE, WEEKDAY_OF
from turnfold.dates.expressions import time_expressions
from turnfold.dates.time_expression import Form, Kind, TimeExpression
from turnfold.dates.written import BEFORE_BARE, WRITTEN, has_year, written_period
from turnfold_worker.pipeline.refinement.claims import REPORTS, content_words, says_something, sentences_of, words_of
from turnfold_worker.pipeline.refinement.passages import Passage
from turnfold_worker.pipeline.refinement.told_periods import periods_told

_NAMED_YEAR: Final = lazy_pattern(
    r"\b(?!(?:Since|Until|From|During|(?:Spring|Summer|Autumn|Fall|Winter|January|February|March|April|May|June|July"
    r"|August|September|October|November|December))\b)[A-Z]\w{3,} (?:19|20)\d\d\b(?! [A-Z])"
)
_ROUGHLY: Final = lazy_pattern(r"(?i)\b(?:around|about)(?: the)? $")
_AS_OF: Final = lazy_pattern(r"(?i)\bas of(?: the)? $")
_FAREWELL: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:talk|see|speak|chat|catch up|write)(?: (?:to|with))?(?: (?:you|ya|u|y'all))?(?: again)? "
    r"(?:soon|later)"
)
_LONG: Final = 27
"""Length in days from which a period is a month or longer, and may stand for any day in it."""
_FEW_DAYS: Final = 14
_CLAUSE_ENDS: Final = lazy_pattern(r"[,;:()]")
_NEXT: Final = 2
_WINDOW: Final = 150
"""Code points on each side of a day without a year in which words of the claim are looked for."""
_LOOKED_BACK: Final = 20
_LEAP_YEAR: Final = date(4, 1, 1)
_ANY_DAY: Final = date(2024, 7, 1)


class _Claim(NamedTuple):
    period: Period
    """The claimed days, both ends included."""
    anchor: Period
    """The days as written, relative to which `period` is given."""
    related: str
    """Side of `anchor` on which `period` lies, 'before' or 'after' as in 'the week before 9 June'; else empty."""
    weekday: int | None
    """The weekday given with the date, Monday being 0."""
    until: bool = False
    """Whether something holds until then, or as of then."""
    clause: str = ""
    """The clause around the date, without the date."""
    roughly: bool = False
    """Whether a nearby day may be meant."""
    others: tuple[Period, ...] = ()
    """Alternative readings: the day in another year, if no year is written."""


def without_dates(text: str) -> str:
    """Return a text without its written dates, whose numbers are checked as dates."""
    return WRITTEN.sub(lambda match: " " if written_period(match, _LEAP_YEAR) else match.group(), text)


def day_of(text: str) -> str:
    """Return the first date written in a text, with its relation such as 'the week before'; empty without a date.

    >>> day_of("Mara sold the van in the week before 9 June 2023.")
    'the week before 9 June 2023'
    """
    for time in time_expressions(text, None):
        if time.form is Form.WRITTEN:
            return text[time.start : time.end].strip()
    return ""


class ToldDays:
    """The days mentioned in some turns, cached for checking many notes."""

    def __init__(self, turns: Sequence[StoredTurn], read: int) -> None:
        self._day_of = {turn.seq: as_utc(turn.created_at).date() if turn.created_at else None for turn in turns}
        self._text_of = {turn.seq: turn.content[:read] for turn in turns}
        self._periods: dict[int, tuple[Period, ...]] = {}
        self._claims: dict[int, tuple[_Claim, ...]] = {}

    def supports(self, text: str, seqs: Sequence[int], near: Sequence[int]) -> bool:
        """Return whether every date of a text is supported by the turns `seqs` or by those `near` them."""
        said_near = "\n".join(self._text_of.get(seq, "") for seq in near)
        # A year after a name may be part of the name: 'Blade Runner 2049'.
        text = _NAMED_YEAR.sub(lambda match: " " if match.group() in said_near else match.group(), text)
        days = [day for seq in seqs if (day := self._day_of.get(seq))]
        # A report of speech may be dated by the day of the turn, regardless of the day it is about.
        days_said = days if any(word.text in REPORTS for word in words_of(text)) else []
        if not days and not all(self._is_undated_told(match, text, seqs or near) for match in WRITTEN.finditer(text)):
            return False
        if days and any(written_period(match, days[0]) is None for match in WRITTEN.finditer(text)):
            return False
        return all(
            _is_day_of(claim, days_said) or self._supported(claim, text, seqs, near, days)
            for claim in _claims(text, days[0] if days else None)
        )

    def _supported(
        self, claim: _Claim, text: str, seqs: Sequence[int], near: Sequence[int], days: Sequence[date]
    ) -> bool:
        if claim.others and any(
            self._supported(claim._replace(period=other, anchor=other, others=()), text, seqs, near, days)
            for other in claim.others
        ):
            return True
        if claim.weekday is not None and claim.anchor.first and claim.weekday != claim.anchor.first.weekday():
            return False
        told_periods = [period for seq in near for period in self._told(seq)]
        days_said = [one_day(day) for day in days]
        silent = not any(self._tells_time(self._text_of.get(seq, ""), self._day_of.get(seq)) for seq in seqs)
        if claim.related:
            is_anchored = any(map(claim.anchor.same_days, (*days_said, *told_periods))) or (
                # 'Ten years before 2023' restates 'ten years ago' said on a day of 2023.
                claim.period.days >= claim.anchor.days >= _LONG and any(map(claim.anchor.holds, days_said))
            )
            sides = {told.related for seq in near for told in self._related(seq) if told.anchor.same_days(claim.anchor)}
            return (
                is_anchored
                and claim.related in (sides or {claim.related})
                and (silent or any(one.meets(claim.period) or one.same_days(claim.anchor) for one in told_periods))
            )
        if claim.period.days > 1 and self._between_talks(claim.period):
            return True
        is_around = _is_day_or_months(claim.period) and any(map(claim.period.holds, days_said))
        if is_around and (
            claim.until or silent or any(self._is_said_without_time(one, seqs) for one in (text, claim.clause))
        ):
            return True
        if not silent and days:
            told_periods = self._told_beside(claim.clause, seqs) or [
                period for seq in seqs for period in self._told(seq)
            ]
        return any(
            _is_told(claim.period, one) or (claim.roughly and _is_near(claim.period, one)) for one in told_periods
        )

    def _is_said_without_time(self, text: str, seqs: Sequence[int]) -> bool:
        """Return whether the sentences most like a text mention no time: the day of their turn then dates them."""
        shared = self._shared(text, seqs)
        most_shared = max((count for count, _ in shared), default=0)
        return most_shared > 0 and not any(
            self._is_timed(sentence) for count, sentence in shared if count >= most_shared - 1
        )

    def _told_beside(self, clause: str, seqs: Sequence[int]) -> list[Period]:
        """Return the periods in sentences that share words with a clause; none if the closest ones mention no time."""
        shared = [(count, sentence) for count, sentence in self._shared(clause, seqs) if count]
        most_shared = max((count for count, _ in shared), default=0)
        if not any(self._is_timed(sentence) for count, sentence in shared if count == most_shared):
            return []
        return [
            period
            for _, sentence in shared
            for period in periods_told(sentence.text, self._day_of.get(sentence.seq))
        ]  # fmt: skip

    def _shared(self, text: str, seqs: Sequence[int]) -> list[tuple[int, Passage]]:
        """Return the sentences of some turns, each with the number of a text's words that it contains."""
        words = content_words(text)
        sentences = [
            Passage(sentence, seq, "") for seq in seqs for sentence in sentences_of(self._text_of.get(seq, ""))
        ]
        return [(sentence.shared(words), sentence) for sentence in sentences]

    def _is_timed(self, sentence: Passage) -> bool:
        return self._tells_time(sentence.text, self._day_of.get(sentence.seq))

    @staticmethod
    def _tells_time(text: str, said_on: date | None) -> bool:
        """Return whether a text says when something happened, apart from the day on which the text was said."""
        times = time_expressions(_FAREWELL.sub(" ", text), said_on or _ANY_DAY)
        return any(time.kind is not Kind.RECURRING for time in times)

    def _between_talks(self, period: Period) -> bool:
        """Return whether a period runs from one day of talk to the next: 'since we last spoke'."""
        days = sorted({day for day in self._day_of.values() if day})
        return any((period.first, period.last) == talks for talks in pairwise(days))

    def _is_undated_told(self, match: re.Match[str], text: str, seqs: Sequence[int]) -> bool:
        """Return whether a date occurs in turns without timestamps, close to one of its neighbouring words."""
        words_before = [
            word.text for word in words_of(_CLAUSE_ENDS.split(text[: match.start()])[-1]) if says_something(word.text)
        ]
        behind = [
            word.text for word in words_of(_CLAUSE_ENDS.split(text[match.end() :])[0]) if says_something(word.text)
        ]
        beside = [*words_before[-_NEXT:], *behind[:_NEXT]]
        around: dict[tuple[str, str], str] = {}
        for seq in seqs:
            turn_text = self._text_of.get(seq, "")
            for place in WRITTEN.finditer(turn_text):
                window = turn_text[max(0, place.start() - _WINDOW) : place.end() + _WINDOW]
                for day in _days_of_year(place):
                    around[day] = f"{around.get(day, '')} {window}"
        return all(
            day in around and (not beside or Passage(around[day], 0, "").shared(beside) > 0)
            for day in _days_of_year(match)
        )

    def _related(self, seq: int) -> tuple[_Claim, ...]:
        """Return a turn's claims that are relative to another day."""
        if seq not in self._claims:
            claims = _claims(self._text_of.get(seq, ""), self._day_of.get(seq))
            self._claims[seq] = tuple(claim for claim in claims if claim.related)
        return self._claims[seq]

    def _told(self, seq: int) -> tuple[Period, ...]:
        if seq not in self._periods:
            text, said_on = self._text_of.get(seq, ""), self._day_of.get(seq)
            self._periods[seq] = tuple(periods_told(text, said_on))
        return self._periods[seq]


def _days_of_year(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield month and day of each date written, ignoring the year, which is uncertain if the turn has no day."""
    for month, first, last in (("m", "a", "b"), ("m2", "a2", "a2"), ("m3", "a3", "b3")):
        for number in (match[first], match[last]):
            if match[month] and number:
                yield match[month][:3].lower(), number.rstrip("stndrh").lstrip("0")


def _is_day_of(claim: _Claim, days: Sequence[date]) -> bool:
    return not claim.related and claim.period.days == 1 and claim.period.first in days


def _is_told(claimed: Period, told_period: Period) -> bool:
    """Return whether a claimed period equals a told one, or is a coarser period around it."""
    if told_period.vague:
        # A vague period supports no single day, but may support a week or weekend within it.
        return (
            claimed.meets(told_period) and _is_day_or_months(claimed)
            if claimed.days >= _LONG
            else claimed.days > 1 and told_period.days <= _FEW_DAYS and told_period.holds(claimed)
        )
    if not _is_day_or_months(claimed) or claimed.days == 1:
        return claimed.same_days(told_period)
    return claimed.holds(told_period)


def _is_near(claimed: Period, told_period: Period) -> bool:
    """Return whether a claimed period lies within a few vaguely told days: 'about 18 June'."""
    return told_period.vague and told_period.days <= _FEW_DAYS and told_period.holds(claimed)


def _is_day_or_months(period: Period) -> bool:
    return period.days == 1 or (period.days >= _LONG and period.first is not None and period.first.day == 1)


def _claims(text: str, near: date | None) -> Iterator[_Claim]:
    """Yield the dates written in a text, each with the days that it means."""
    times = [time for time in time_expressions(text, near) if WRITTEN.search(text, time.start, time.end)]
    for time in times:
        yield from _claim(text, time, near)
    for match in WRITTEN.finditer(text):
        is_bare = bool(match["m4"] or match["season"]) and not has_year(match)
        if is_bare and not BEFORE_BARE.search(text, max(0, match.start() - _LOOKED_BACK), match.start()):
            continue
        period = written_period(match, near)
        if period and not any(time.start <= match.start() < time.end for time in times):
            # A bare year, which other date parsers may take for a price.
            yield _Claim(period, period, related="", weekday=None)


def _side(moved: re.Match[str] | None) -> str:
    side = moved["side"].lower() if moved and not moved["weekday"] else ""
    return side if side in ("before", "after") else ""


def _claim(text: str, time: TimeExpression, near: date | None) -> Iterator[_Claim]:
    match = WRITTEN.search(text, time.start, time.end)
    anchor = written_period(match, near, time.toward) if match else None
    if match is None or anchor is None:
        return
    moved = BESIDE.search(text, time.start, match.start())
    weekday = None if moved or anchor.days > 1 else WEEKDAY_OF.search(text, time.start, match.start())
    period = time.period if time.period and time.period.days else anchor
    text_before = text[max(0, time.start - _LOOKED_BACK) : time.start]
    clause = f"{_CLAUSE_ENDS.split(text[: time.start])[-1]}{_CLAUSE_ENDS.split(text[time.end :])[0]}"
    others: list[Period] = []
    if near and anchor.days == 1 and not (moved or has_year(match)):
        others = [other for toward in (-1, 1) if (other := written_period(match, near, toward))]
    yield _Claim(
        period,
        anchor,
        others=tuple(other for other in dict.fromkeys(others) if other != anchor),
        related=_side(moved),
        weekday=weekday_number(weekday.group().lstrip()) if weekday else None,
        until=time.kind is Kind.UNTIL or _AS_OF.search(text_before) is not None,
        clause=clause,
        roughly=_ROUGHLY.search(text_before) is not None,
    )
