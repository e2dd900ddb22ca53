"""Notes: the statements that contexts are made of, and the lines that they are shown in.

note      a clause of a turn, whole and in fewer words, with its speaker, its day and what it is worth
covered   a node whose turns stand behind notes
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import OUTSIDE
from turnfold.contract.periods import MONTHS, YEAR_MONTHS
from turnfold.contract.records import Role
from turnfold.contract.remembered import Remembered

MARKS: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CLOSING: Final = ("?", "!", "…", ";", ".", "。", "\uff1f", "\uff01")
_QUOTES: Final = "\"'\u201d\u2019)]"
_COUNTED_FROM: Final = lazy_pattern(
    r"(?i)(?P<period>\b(?:night|week|weekend|month|year|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri"
    r"|satur|sun)?day)s? (?:before|after)) (?P<day>\d{1,2} [a-z]{3,9} \d{4})(?!\w)(?P<goes_on> (?=\w))?"
)
"""A period and the day from which it is counted: 'the Saturday before 8 May 2026'."""
OVERHEAD: Final = 6
"""Tokens that every note is charged beside its words when it is chosen, so that scraps do not win over statements."""
FIRST_WRITTEN: Final = 1_000
"""Place of a model's first note of a turn: those of the rules are lower."""
FIRST_OF_CHAPTER: Final = 3_000
"""The same of its notes on chapters."""
NO_PLACE: Final = 1 << 20
"""More than a turn has notes."""
_MAX_VOICE: Final = 20.0


class Note(NamedTuple):
    """A statement of a turn, as it is shown. Notes sort by turn and place: no two of a conversation have the same."""

    seq: int
    place: int
    """Position among the notes of its turn."""
    speaker: str
    role: str
    day: str
    """As it is shown, such as `8 May 2026`; empty for a turn without a time."""
    text: str
    """One line: the whole clause, as it was said."""
    tokens: int
    """Estimated as it stands under its day, with at most what separates it from the next one."""
    worth: int = 0
    """Multiplier of its gain in hundredths, without the voice of its role. Not read with an outline."""
    weights: str = ""
    """One digit of base 36 a distinct word: three times its rarity. Not read with an outline."""
    gain: int = 0
    """What it told when it was taken, in hundredths a token; of an outline's notes."""
    brief: str = ""
    """The same in fewer words, where that saves a tenth; else empty."""
    brief_tokens: int = 0
    """Those of `brief`; 0 without one."""
    start: int = 0
    """First code point of the clause in its turn; 0, as `end`, of a note that is made of no clause."""
    end: int = 0

    @property
    def least_tokens(self) -> int:
        """What it costs at least, in whatever words it is shown."""
        return self.brief_tokens or self.tokens

    @property
    def is_item(self) -> bool:
        """Whether it is a model's item of a list: it makes sense alone under its speaker, and names its own day."""
        return self.place >= FIRST_WRITTEN and self.text == self.brief

    def in_brief(self) -> Note:
        """The note as it is shown where room is tight."""
        return self._replace(text=self.brief, tokens=self.brief_tokens) if self.brief else self


class Covered(NamedTuple):
    """A node whose turns an outline covers."""

    height: int
    idx: int
    first_seq: int
    last_seq: int
    tokens: int
    """Estimated tokens of its turns."""
    slug: str
    first_day: str = ""
    """Of its first turn that has a time, as `2026-05-08`."""
    last_day: str = ""


class ChapterName(NamedTuple):
    """A chapter above covered nodes."""

    height: int
    idx: int
    slug: str


def bare_words(text: str) -> list[str]:
    """Words in lower case, without the marks around them."""
    return [word.strip(MARKS) for word in text.lower().split()]


_SEQ: Final = itemgetter(0)
_PLACE: Final = itemgetter(1)


def joined(notes: Sequence[Note]) -> str:
    """Notes of one speaker and day on one line, with a slash between turns and between items.

    Those of a turn are sentences, or parts of one where the next begins small; dots stand where something was said
    between them. What is said in another turn may speak of something else.

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
    """What stands behind a note before the next one of its turn; nothing where a mark closes it."""
    if is_gap(note, following):
        return " ..."
    if closes(note.text):
        return ""
    return ";" if following.text[:1].islower() else "."


def is_gap(note: Note, following: Note) -> bool:
    """Whether something was said between two notes of a turn. A model's notes tell it in words of their own."""
    return note.place + 1 < following.place < FIRST_WRITTEN


def closes(text: str) -> bool:
    """True for words that end in a mark of their own."""
    return text.rstrip(_QUOTES).endswith(_CLOSING)


def under_day(text: str, day: str) -> str:
    """A text as it stands under its day, which is not said again: 'the Saturday before 8 May 2026'.

    >>> under_day("The week before 8 May 2026 we sold the van, on 7 May 2026 the bus", "8 May 2026")
    'The week before, we sold the van, on 7 May 2026 the bus'
    """
    if not day or day not in text:
        return text
    return _COUNTED_FROM.sub(lambda counted: _without_day(counted) if counted["day"] == day else counted[0], text)


def _without_day(counted: re.Match[str]) -> str:
    """'The week before we met' would say something else than 'the week before, we met'."""
    return f"{counted['period']}, " if counted["goes_on"] else counted["period"]


def note_lines(notes: Iterable[Note]) -> list[str]:
    """Lines of a level, each with its newline: of each speaker, the first of a day behind the day."""
    return lines_of_days(days_of(in_order(notes), numbered=False))


def lines_of_days(days: Iterable[SpokenDay], *, day_before: str = "") -> list[str]:
    """Lines of notes that are sorted into days already; `day_before` is the day that stands above them."""
    lines: list[str] = []
    for day, spoken in shown_days(days, day_before=day_before):
        opening = day_opening(day) if day else ""
        for label, notes in spoken:
            lines.append(f"{opening}{label}: {joined(notes)}\n")
            opening = ""
    return lines


def shown_days(days: Iterable[SpokenDay], *, day_before: str) -> Iterator[SpokenDay]:
    """Days as they are written: without the year of the one before, empty where `day_before` or no day stands above."""
    year = ""
    for day, spoken in days:
        yield ("" if day == day_before else day.removesuffix(year)), spoken
        if day:
            year = day[day.rfind(" ") :]
        day_before = day


SpokenDay = tuple[str, list[tuple[str, list[Note]]]]
"""A day, and what was said on it: labels, each with the notes that stand behind it, in the order of the turns."""


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Notes in the order of the turns: as `sorted` has them, which takes twice as long to compare tuples."""
    return sorted(sorted(notes, key=_PLACE), key=_SEQ)


def days_of(notes: Sequence[Note], *, months: str = "", numbered: bool = True) -> list[SpokenDay]:
    """Notes, given in the order of the turns, by day and by who speaks; those without a day by turn, if `numbered`.

    Before them items, under the `months` in which all was said or else their own, and by who speaks: what was said
    between them is not needed to understand them.
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
    """The month of a day as it is shown: `May 2026` of `8 May 2026`."""
    return day.partition(" ")[2]


ItemOrder = tuple[int, str, int, int]


def item_order(note: Note, months: str) -> ItemOrder:
    """By what items of one group sort: month, where no `months` stand above all of them, speaker, turn, place."""
    return (0 if months else _MONTHS[month_of(note.day)], note.speaker, note.seq, note.place)


def _number_of_month(month: str) -> int:
    """Months since the year 0 of `May 2026`; 0 where nothing tells."""
    name, _, year = month.partition(" ")
    return YEAR_MONTHS * int(year) + MONTHS.index(name) if name in MONTHS and year.isdecimal() else 0


_MONTHS: Final = Remembered(_number_of_month)


def label_of(seq: int, speaker: str, day: str) -> str:
    """What stands before the notes of a turn: who speaks and, where no day tells when, the turn's number.

    >>> label_of(47, "user", ""), label_of(47, "Mara", "8 May 2026")
    ('47 user', 'Mara')
    """
    return speaker if day else f"{seq} {speaker}"


def day_opening(day: str) -> str:
    """Stands before the first notes of a day."""
    return f"[{day}] "


def voices(said: Mapping[str, int]) -> dict[str, float]:
    """How much a role's words weigh, from its tokens: who says less says what matters."""
    whole = sum(said.values())
    weights = {role: min(_MAX_VOICE, whole / max(1, tokens)) for role, tokens in said.items()}
    # Whoever pastes words shows them for a reason, and did not say them.
    return {**weights, OUTSIDE: max(1.0, weights.get(Role.USER, 1.0) / 2)}
