"""Notes, the statements that contexts consist of, and the lines that render them.

note      a clause of a turn, in full and in brief, with its speaker, its day and its worth
covered   a node whose turns are represented by notes
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import OUTSIDE
from turnfold.contract.periods import MONTHS, YEAR_MONTHS
from turnfold.contract.records import Role

MARKS: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CLOSING: Final = ("?", "!", "…", ";", ".", "。", "\uff1f", "\uff01")
_QUOTES: Final = "\"'\u201d\u2019)]"
_COUNTED_FROM: Final = lazy_pattern(
    r"(?i)(?P<period>\b(?:night|week|weekend|month|year|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)?day)s? (?:before|after)) (?P<day>\d{1,2} [a-z]{3,9} \d{4})(?!\w)(?P<goes_on> (?=\w))?"
)
"""Match a period and the day it is counted from: 'the Saturday before 8 May 2026'."""
OVERHEAD: Final = 6
"""Tokens that selection charges for each note in addition to its text, so that scraps do not beat full statements."""
FIRST_WRITTEN: Final = 1_000
"""Place of a model's first note of a turn; notes of the rules have lower places."""
FIRST_OF_CHAPTER: Final = 3_000
"""Place of a model's first note of a chapter."""
NO_PLACE: Final = 1 << 20
"""Greater than the number of notes of any turn."""
_MAX_VOICE: Final = 20.0


class Note(NamedTuple):
    """A statement of a turn, as rendered. Notes sort by turn and place, which are unique in a conversation."""

    seq: int
    place: int
    """Index among the notes of its turn."""
    speaker: str
    role: str
    day: str
    """The day as rendered, such as `8 May 2026`; empty for a turn without a time."""
    text: str
    """The verbatim clause, on one line."""
    tokens: int
    """Estimated tokens of the text below its day, including the longest separator from the next note."""
    worth: int = 0
    """Multiplier of the gain in hundredths, without the weight of its role. Not read with an outline."""
    weights: str = ""
    """One base-36 digit per distinct word: three times its rarity. Not read with an outline."""
    gain: int = 0
    """Gain when the note was selected, in hundredths per token; set on notes of an outline."""
    brief: str = ""
    """A shorter wording, if it saves at least a tenth; else empty."""
    brief_tokens: int = 0
    """Estimated tokens of `brief`; 0 without one."""
    start: int = 0
    """First code point of the clause in its turn; `start` and `end` are 0 for a note that is not made from a clause."""
    end: int = 0

    @property
    def least_tokens(self) -> int:
        """The minimum cost of the note in tokens, in either wording."""
        return self.brief_tokens or self.tokens

    @property
    def is_item(self) -> bool:
        """Whether the note is a list item by a model: self-contained under its speaker, with the day in its text."""
        return self.place >= FIRST_WRITTEN and self.text == self.brief

    def in_brief(self) -> Note:
        """Return the note with its brief wording, for tight budgets."""
        return self._replace(text=self.brief, tokens=self.brief_tokens) if self.brief else self


class Covered(NamedTuple):
    """A node whose turns an outline covers."""

    height: int
    idx: int
    first_seq: int
    last_seq: int
    tokens: int
    """Estimated tokens of the node's turns."""
    slug: str
    first_day: str = ""
    """Day of the first turn with a time, as `2026-05-08`."""
    last_day: str = ""


class ChapterName(NamedTuple):
    """A chapter above covered nodes, with its slug."""

    height: int
    idx: int
    slug: str


def bare_words(text: str) -> list[str]:
    """Split a text into lower-case words without surrounding punctuation."""
    return [word.strip(MARKS) for word in text.lower().split()]


_SEQ: Final = itemgetter(0)
_PLACE: Final = itemgetter(1)


def joined(notes: Sequence[Note]) -> str:
    """Join notes of one speaker and day into a line, with a slash between turns and between items.

    Notes of a turn become sentences, or parts of one if the next begins with a lower-case letter; dots mark an
    omission between them. The slash is needed because another turn may be about something else.

    >>> texts = ((1, 0, "We sold the van"), (1, 1, "bought a bus"), (1, 2, "Who?"), (1, 4, "I may"), (9, 0, "Rain"))
    >>> joined([Note(seq, place, "Ana", "user", "", text, 3) for seq, place, text in texts])
    'We sold the van; bought a bus. Who? ... I may / Rain'
    """
    texts = [note.text if note.is_item else under_day(note.text, note.day) for note in notes]
    pieces = [
        text + separator(note, after) if note.seq == after.seq and not note.is_item else f"{text} /"
        for (note, after), text in zip(pairwise(notes), texts[:-1], strict=True)
    ]
    return " ".join([*pieces, *texts[-1:]])


def separator(note: Note, following: Note) -> str:
    """Return the separator between a note and the next of its turn; empty if the note ends with punctuation."""
    if is_gap(note, following):
        return " ..."
    if closes(note.text):
        return ""
    return ";" if following.text[:1].islower() else "."


def is_gap(note: Note, following: Note) -> bool:
    """Whether notes of the rules are omitted between two notes of a turn; a model's notes have no gaps."""
    return note.place + 1 < following.place < FIRST_WRITTEN


def closes(text: str) -> bool:
    """Whether a text ends with closing punctuation."""
    return text.rstrip(_QUOTES).endswith(_CLOSING)


def under_day(text: str, day: str) -> str:
    """Remove a day from a text that is rendered below that day: 'the Saturday before 8 May 2026'.

    >>> under_day("The week before 8 May 2026 we sold the van, on 7 May 2026 the bus", "8 May 2026")
    'The week before, we sold the van, on 7 May 2026 the bus'
    """
    if not day or day not in text:
        return text
    return _COUNTED_FROM.sub(lambda counted: _without_day(counted) if counted["day"] == day else counted[0], text)


def _without_day(counted: re.Match[str]) -> str:
    """Remove the day; a comma keeps 'the week before, we met' apart from 'the week before we met'."""
    return f"{counted['period']}, " if counted["goes_on"] else counted["period"]


def note_lines(notes: Iterable[Note]) -> list[str]:
    """Render notes as the lines of a level, each with its newline; the first line of a day begins with the day."""
    return lines_of_days(days_of(in_order(notes), numbered=False))


def lines_of_days(days: Iterable[SpokenDay], *, day_before: str = "") -> list[str]:
    """Render notes that are grouped by day already; `day_before` is the day rendered above them."""
    lines: list[str] = []
    for day, spoken in shown_days(days, day_before=day_before):
        opening = day_opening(day) if day else ""
        for label, notes in spoken:
            lines.append(f"{opening}{label}: {joined(notes)}\n")
            opening = ""
    return lines


def shown_days(days: Iterable[SpokenDay], *, day_before: str) -> Iterator[SpokenDay]:
    """Yield days as rendered: without a year equal to the previous one, and empty if equal to the day above."""
    year = ""
    for day, spoken in days:
        yield ("" if day == day_before else day.removesuffix(year)), spoken
        if day:
            year = day[day.rfind(" ") :]
        day_before = day


SpokenDay = tuple[str, list[tuple[str, list[Note]]]]
"""A day with its labels, each with its notes in the order of the turns."""


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Sort notes by turn and place; twice as fast as `sorted`, which compares whole tuples."""
    return sorted(sorted(notes, key=_PLACE), key=_SEQ)


def days_of(notes: Sequence[Note], *, months: str = "", numbered: bool = True) -> list[SpokenDay]:
    """Group notes, given in order, by day and speaker; notes without a day by turn, if `numbered`.

    Items come first, under `months` if given, else under their own month, and by speaker: they need no context from
    the notes between them.
    """
    items = sorted([note for note in notes if note.is_item], key=lambda item: item_order(item, months))
    dated = [(months or month_of(note.day), note.speaker, note) for note in items]
    dated += [
        (note.day, label_of(note.seq, note.speaker, note.day) if numbered else note.speaker, note)
        for note in notes if not note.is_item
    ]  # fmt: skip
    days: list[SpokenDay] = []
    today: str | None = None
    label: str | None = None
    for day, own, note in dated:
        if day != today:
            today, label = day, None
            days.append((day, []))
        if own != label:
            label = own
            days[-1][1].append((own, []))
        days[-1][1][-1][1].append(note)
    return days


def month_of(day: str) -> str:
    """Return the month of a rendered day: `May 2026` for `8 May 2026`."""
    return day.partition(" ")[2]


ItemOrder = tuple[int, str, int, int]


def item_order(note: Note, months: str) -> ItemOrder:
    """Sort key of an item in its group: month, unless `months` is rendered above all of them, speaker, turn, place."""
    return (0 if months else _MONTHS[month_of(note.day)], note.speaker, note.seq, note.place)


def _number_of_month(month: str) -> int:
    """Parse `May 2026` as months since the year 0; 0 if there is no month."""
    name, _, year = month.partition(" ")
    return YEAR_MONTHS * int(year) + MONTHS.index(name) if name in MONTHS and year.isdecimal() else 0


_MONTHS: Final = Remembered(_number_of_month)


def label_of(seq: int, speaker: str, day: str) -> str:
    """Return the label of a turn's notes: the speaker, with the turn's number if there is no day.

    >>> label_of(47, "user", ""), label_of(47, "Mara", "8 May 2026")
    ('47 user', 'Mara')
    """
    return speaker if day else f"{seq} {speaker}"


def day_opening(day: str) -> str:
    """Return the prefix of the first line of a day."""
    return f"[{day}] "


def voices(said: Mapping[str, int]) -> dict[str, float]:
    """Weight each role inversely to its share of the tokens: who says less says what matters."""
    whole = sum(said.values())
    weights = {role: min(_MAX_VOICE, whole / max(1, tokens)) for role, tokens in said.items()}
    # People paste words for a reason, but did not write them: half the weight of a user.
    return {**weights, OUTSIDE: max(1.0, weights.get(Role.USER, 1.0) / 2)}
