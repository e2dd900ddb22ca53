"""Resolve a time that a query counts from an event, 'before the trip', by a note that dates the event. Pure."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note
from turnfold.contract.overtaken import NOTHING_OVERTAKEN, OvertakenIndex
from turnfold.contract.periods import month_away
from turnfold.contract.terms import distinct_terms
from turnfold.contract.time_terms import day_term, month_term, query_time_terms
from turnfold.contract.words import note_stems
from turnfold.dates.note_time import time_of
from turnfold.dates.passed import day_of

_DAY: Final = timedelta(days=1)
_MONTHS: Final = 9
"""Whole months searched before or after the month of an event; its own month is searched by days."""
_LONGEST: Final = timedelta(days=92)
"""Longest event that a time is counted from."""
_NAMED: Final = lazy_pattern(
    r"(?i)(?<!\w)(?P<relation>before|prior to|after|following|since|during) "
    r"(?:the|our|my|your|his|her|their|[^\W\d_][\w-]*['\u2019]s) (?P<event>(?:[\w-]+ ){0,2}?[^\W\d_][\w-]+)"
    r"(?= (?:to|in|at|of|with|on|about|from|for|and|did|do|does|was|were|is|are|had|have|has|we|i|you|they|he|she|what|"
    r"who|where|which|how)(?!\w)|\s*[?,.;!]|\s*$)"
)
_DEEDS: Final = {
    "wedding": "married", "marriage": "married", "move": "moved", "birth": "born", "arrival": "arrived",
    "departure": "departed", "launch": "launched", "release": "released", "merger": "merged", "promotion": "promoted",
    "graduation": "graduated", "migration": "migrated", "surgery": "operated", "visit": "visited",
    "opening": "opened", "accident": "crashed", "retirement": "retired",
}  # fmt: skip
"""Verbs for events: 'we moved on 3 May'."""
_OF_ANOTHER: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:for|of|to|about|before|after|since|until|till|during|from|without|regarding|re) "
    r"(?:(?:the|our|my|your|his|her|their|a|an|that|this) )?(?:[\w-]+ ){0,2}$"
)
"""Words before an event that a note does not date: 'we booked the flights for the trip on 3 March'."""
_WORD: Final = lazy_pattern(r"[^\W_][\w'-]*")


@dataclass(frozen=True, slots=True)
class EventTime:
    """The event that a query counts its time from."""

    relation: str
    """'before', 'after', 'since' or 'during'."""
    words: str
    """Words for the event in the query."""

    @property
    def terms(self) -> tuple[str, ...]:
        """Terms by which notes about the event are found: those of its words and of its verb."""
        return distinct_terms(f"{self.words} {self._deed}")

    @property
    def _deed(self) -> str:
        """Verb for the event; empty if none is known."""
        return _DEEDS.get(self.words.lower().rpartition(" ")[2], "")

    def time_terms(self, first: date, last: date, today: date | None) -> tuple[str, ...]:
        """Terms of the days that are meant, for an event from `first` to `last`."""
        if self.relation == "during":
            return query_time_terms(first, last)
        if self.relation == "before":
            return (*_days(first.replace(day=1), first - _DAY), *_months(first, range(-_MONTHS, 0)))
        begin = last + _DAY if self.relation == "after" else first
        until = today if today is not None and today >= begin else date.max
        months = [term for term in _months(begin, range(1, _MONTHS + 1)) if term <= f"!{until:%Y-%m}"]
        return (*_days(begin, min(until, _end_of_month(begin))), *months)

    def day_in(self, notes: Iterable[Note], overtaken: OvertakenIndex = NOTHING_OVERTAKEN) -> tuple[date, date] | None:
        """First and last day of the event by the newest note that dates it; None if no note does."""
        newest: tuple[int, date, date] | None = None
        for note in notes:
            if (newest is not None and note.seq < newest[0]) or not self._is_dated_by(note.text):
                continue
            time = time_of(note.text, day_of(note.day))
            if time is None or time.meant_from is None or time.meant_to is None:
                continue
            if time.meant_to - time.meant_from <= _LONGEST and not overtaken.tells(note.seq, note_stems(note.text)):
                newest = note.seq, time.meant_from, time.meant_to
        return None if newest is None else newest[1:]

    def _is_dated_by(self, text: str) -> bool:
        """Whether a note is about the event itself, by its words or by its verb."""
        wanted = frozenset(distinct_terms(self.words))
        starts = {term: match.start() for match in _WORD.finditer(text) for term in distinct_terms(match.group())}
        if any(term in starts for term in distinct_terms(self._deed)):
            return True
        return (
            bool(wanted)
            and wanted <= starts.keys()
            and not _OF_ANOTHER.search(text[: min(starts[wanted_term] for wanted_term in wanted)])
        )


def _days(first: date, last: date) -> tuple[str, ...]:
    return tuple(day_term(first + number * _DAY) for number in range((last - first).days + 1))


def _months(day: date, numbers: range) -> tuple[str, ...]:
    """Terms of months, by their offsets from the month of a day."""
    return tuple(month_term(*month_away(day, number)) for number in numbers)


def _end_of_month(day: date) -> date:
    return date(day.year, day.month, monthrange(day.year, day.month)[1])


def event_of(question: str) -> EventTime | None:
    """Find the event that a question counts its time from; None without one.

    >>> event_of("What did we buy before the trip to Rome?")
    EventTime(relation='before', words='trip')
    >>> event_of("Is there a shop before the bridge on the left?").words
    'bridge'
    >>> event_of("What did we buy before noon?")
    """
    match = _NAMED.search(question)
    if match is None or not distinct_terms(match["event"]):
        return None
    relation = match["relation"].lower()
    return EventTime({"prior to": "before", "following": "after"}.get(relation, relation), match["event"])
