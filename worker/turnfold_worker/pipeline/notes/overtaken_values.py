"""What holds no more: what anchors that are over said, and the values whose places notes take by naming them. Pure.

A statement that names the value whose place it takes, 'the launch is on 14 May, not 7 May', overtakes what was said
before with that value, whether or not it became an anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, takewhile
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note
from turnfold.contract.overtaken import NEVER, Overtaken
from turnfold.contract.terms import STEMS
from turnfold.contract.words import note_stems, note_words
from turnfold_worker.pipeline.anchors.statements.denials import denial_of
from turnfold_worker.pipeline.anchors.statements.numbers import corrected_value
from turnfold_worker.pipeline.language.common_words import is_common

_MOST_STEMS: Final = 16
_FEW_DIGITS: Final = 3
"""Digits from which a value is told by itself: with fewer, two words of its subject have to stand beside it."""
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_VALUE: Final = rf"(?:{_MONTH} )?[^\s\w]?\d(?:[\d\w%]|[.,:/-](?=\w))*(?: {_MONTH}(?!\w))?"
_TAKES_BACK: Final = lazy_pattern(
    rf"(?<!\w)(?:not|instead of|rather than|no longer"
    rf"|(?:went|goes|gone|moved?s?|changed?s?|rose|raised|rises|grew|fell|dropped|lowered|cut|increased|reduced)"
    rf"(?: (?:up|down|back))? from(?= \S+ to {_VALUE})) (?P<value>{_VALUE})",
    re.IGNORECASE,
)
_DENIALS: Final = frozenset({"not", "never", "none", "nothing", "nobody"})
TELLING_NUMBER: Final = lazy_pattern(r"\d\W?\d")
"""A single digit is the value of too many things."""
DIGIT: Final = lazy_pattern(r"\d")
_UNIT: Final = lazy_pattern(r"\d[\d.,:%]{0,20} ([^\W\d_]+)")
_PARTS: Final = lazy_pattern(r"[^\W_]+")


class SettledAnchor(NamedTuple):
    """An anchor that is over, and what it is over by; or one that its own turn contradicts, and by what."""

    seq: int
    text: str
    is_overtaken: bool
    """Another value or rule took its place; else it was answered or done."""
    by_seq: int = NEVER
    by_text: str = ""
    both_stand: bool = False
    """One turn gives a thing two values, and nothing tells which one holds; or a later turn corrects a part of it."""
    is_correction: bool = False
    """It is not over: it corrects something, maybe what no anchor holds."""

    @classmethod
    def standing(cls, seq: int, text: str, by_seq: int, by_text: str) -> SettledAnchor:
        """The first of two values of a turn, or what holds an address beside a corrected number, and the other one."""
        return cls(seq, text, is_overtaken=False, by_seq=by_seq, by_text=by_text, both_stand=True)


def corrections_among(settled: Iterable[SettledAnchor]) -> list[tuple[int, str]]:
    """The turns and words of anchors that correct something."""
    return [(anchor.seq, anchor.text) for anchor in settled if anchor.is_correction]


def overtaken_by_anchors(settled: Iterable[SettledAnchor]) -> list[Overtaken]:
    """What the anchors that are over said, and the values among it that other turns may have stated."""
    overtaken: list[Overtaken] = []
    for anchor in settled:
        if anchor.is_correction:
            continue
        if anchor.both_stand:
            overtaken += _corrected_in_part(anchor)
            continue
        stems = note_stems(anchor.text)
        own = _own_stems(anchor, stems)
        overtaken.append(_statement(anchor, stems, own))
        if anchor.is_overtaken and anchor.by_text:
            subject = tuple(filter(_tells, stems))[:_MOST_STEMS]
            values = [stem for stem in own if TELLING_NUMBER.search(stem)]
            overtaken += [
                Overtaken(0, anchor.by_seq, (overtaken_value,), subject, 2)
                for overtaken_value in values
                if len(subject) > 1
            ]
    return overtaken


def overtaken_statement(anchor: SettledAnchor) -> Overtaken:
    """What an anchor that is over said."""
    stems = note_stems(anchor.text)
    return _statement(anchor, stems, _own_stems(anchor, stems))


def _statement(anchor: SettledAnchor, stems: tuple[str, ...], own: tuple[str, ...]) -> Overtaken:
    # What was answered is over whatever the answer repeats; what was replaced differs from what replaced it.
    values = own[:_MOST_STEMS] if anchor.is_overtaken else ()
    return Overtaken(anchor.seq, anchor.by_seq, values, stems[:_MOST_STEMS])


def _own_stems(anchor: SettledAnchor, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Stems that what took its place has not."""
    instead = frozenset(note_stems(anchor.by_text))
    own = tuple(stem for stem in stems if stem not in instead)
    # Of what was taken away without another in its place, a number tells it from what its turn says like it.
    return own if instead else tuple(filter(DIGIT.search, stems)) or own


def _corrected_in_part(anchor: SettledAnchor) -> list[Overtaken]:
    """The value of a statement in the place of which a later one states another; the rest of it goes on to hold."""
    if anchor.by_seq == anchor.seq or denial_of(anchor.by_text):
        return []
    values = corrected_value(anchor.text, anchor.by_text)
    if values is None:
        return []
    written, instead = values
    stems = note_stems(written)
    return [Overtaken(anchor.seq, anchor.by_seq, stems, note_stems(anchor.text)[:_MOST_STEMS], 0, written, instead)]


def overtaken_by_notes(notes: Sequence[Note]) -> list[Overtaken]:
    """The values whose places notes take by naming them; `notes` are in the order of the turns."""
    overtaken: list[Overtaken] = []
    for at, note in enumerate(notes):
        taken_back = value_taken_back(note.text)
        # With a value of its own: 'not 48' alone puts nothing in its place.
        if taken_back is None or not DIGIT.search(_TAKES_BACK.sub(" ", note.text)):
            continue
        values = tuple(map(STEMS.__getitem__, note_words(taken_back["value"])))
        if not values:
            continue
        is_plain = sum(map(str.isdigit, taken_back["value"])) >= _FEW_DIGITS or len(values) > 1
        # '48 seats' needs its unit to be told; '2,400 euros' are many things' price.
        without = frozenset(values) | (_units(note.text) if is_plain else frozenset())
        if subject := _subject(notes, at, without):
            overtaken.append(Overtaken(0, note.seq, values, subject, 1 if is_plain else 2))
    return overtaken


def value_taken_back(text: str) -> re.Match[str] | None:
    """The value whose place another takes. Each has a digit, which most texts have not."""
    return _TAKES_BACK.search(text) if DIGIT.search(text) else None


def _subject(notes: Sequence[Note], at: int, without: frozenset[str]) -> tuple[str, ...]:
    """What a note speaks of; where it says that with fewer than two words, also its turn.

    Where it says nothing of it, 'Corrected: 84, not 48', also the turn before, which it takes up.
    """
    note = notes[at]
    own = list(_telling(note.text, without))
    if len(own) > 1:
        return tuple(dict.fromkeys(own))[:_MOST_STEMS]
    first_seq = note.seq if own or note.place else note.seq - 1
    near = chain.from_iterable(_telling(other.text, without) for other in _from_turn(notes, at, first_seq))
    return tuple(dict.fromkeys([*own, *near]))[:_MOST_STEMS] or _common(note.text, without)


def _from_turn(notes: Sequence[Note], at: int, seq: int) -> Iterator[Note]:
    """Notes from the first one of a turn to the last one of the turn of the note at a place."""
    start = at
    while start and notes[start - 1].seq >= seq:
        start -= 1
    return takewhile(lambda note: note.seq <= notes[at].seq, islice(notes, start, None))


def _telling(text: str, without: frozenset[str]) -> Iterator[str]:
    """Stems of the words that tell what a text is about."""
    for word in note_words(text):
        for part in _PARTS.findall(word):
            stem = STEMS[part]
            if stem not in without and _tells(stem):
                yield stem


def _common(text: str, without: frozenset[str]) -> tuple[str, ...]:
    """Stems of a text that says what it is about in common words alone."""
    stems = [stem for stem in note_stems(text) if stem not in without and stem not in _DENIALS]
    return tuple(stem for stem in stems if not DIGIT.search(stem))[:_MOST_STEMS]


def _units(text: str) -> frozenset[str]:
    """Stems of what numbers count: many things may cost euros."""
    return frozenset(STEMS[unit.lower()] for unit in _UNIT.findall(text))


def _tells(stem: str) -> bool:
    return len(stem) > 2 and stem not in _DENIALS and not DIGIT.search(stem) and not is_common(stem)


def stated_before(notes: Sequence[Note], at: int) -> Iterator[int]:
    """Places of the notes that say of what the value is that a note confirms: '84 seats' before '84, not 48'."""
    note = notes[at]
    instead = _TAKES_BACK.sub(" ", note.text)
    values = {stem for stem in note_stems(instead) if TELLING_NUMBER.search(stem)}
    if note.place or not values or any(map(_tells, note_stems(instead))):
        return
    for place in range(at - 1, -1, -1):
        if notes[place].seq < note.seq - 1:
            return
        if values.issubset(note_stems(notes[place].text)):
            yield place


def replaces(note: Note, replacing: Mapping[int, Sequence[frozenset[str]]]) -> bool:
    """Whether a note says what took the place of something."""
    return value_taken_back(note.text) is not None or says_one_of(note, replacing.get(note.seq, ()))


def says_one_of(note: Note, statements: Iterable[frozenset[str]]) -> bool:
    """Whether a note says one of the statements of its turn, given by their stems."""
    stems = note_stems(note.text)
    return any(
        2 * len(statement.intersection(stems)) >= min(len(statement), len(stems)) > 0 for statement in statements
    )
