"""Find what no longer holds: statements of overtaken anchors, and values that a later note says it replaces. Pure.

A statement that names the value it replaces, 'the launch is on 14 May, not 7 May', overtakes what was said before with
that value, whether or not it became an anchor.
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
"""Digits from which a value is recognized alone: with fewer, two words of its subject must be next to it."""
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
"""At least two digits: too many things have a single digit as their value."""
DIGIT: Final = lazy_pattern(r"\d")
_UNIT: Final = lazy_pattern(r"\d[\d.,:%]{0,20} ([^\W\d_]+)")
_PARTS: Final = lazy_pattern(r"[^\W_]+")


class SettledAnchor(NamedTuple):
    """An anchor that no longer holds, with its replacement; or one that its own turn contradicts, with what does."""

    seq: int
    text: str
    is_overtaken: bool
    """Whether another value or rule replaced it; else it was answered or done."""
    by_seq: int = NEVER
    by_text: str = ""
    both_stand: bool = False
    """Whether one turn gives a thing two values and it is open which holds; or a later turn corrects a part of it."""
    is_correction: bool = False
    """Whether it still holds and corrects something, perhaps something that is no anchor."""

    @classmethod
    def standing(cls, seq: int, text: str, by_seq: int, by_text: str) -> SettledAnchor:
        """Return the first of two values of a turn with the other, or a statement with the correction of its number."""
        return cls(seq, text, is_overtaken=False, by_seq=by_seq, by_text=by_text, both_stand=True)


def corrections_among(settled: Iterable[SettledAnchor]) -> list[tuple[int, str]]:
    """Return the turns and texts of anchors that correct something."""
    return [(anchor.seq, anchor.text) for anchor in settled if anchor.is_correction]


def overtaken_by_anchors(settled: Iterable[SettledAnchor]) -> list[Overtaken]:
    """Return what the overtaken anchors said, and their values that other turns may have stated, too."""
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
    """Return what an overtaken anchor said."""
    stems = note_stems(anchor.text)
    return _statement(anchor, stems, _own_stems(anchor, stems))


def _statement(anchor: SettledAnchor, stems: tuple[str, ...], own: tuple[str, ...]) -> Overtaken:
    # An answered question is over whatever the answer repeats; a replaced statement differs from its replacement.
    values = own[:_MOST_STEMS] if anchor.is_overtaken else ()
    return Overtaken(anchor.seq, anchor.by_seq, values, stems[:_MOST_STEMS])


def _own_stems(anchor: SettledAnchor, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems that the replacement lacks."""
    instead = frozenset(note_stems(anchor.by_text))
    own = tuple(stem for stem in stems if stem not in instead)
    # Without a replacement, a number distinguishes a statement from similar ones of its turn.
    return own if instead else tuple(filter(DIGIT.search, stems)) or own


def _corrected_in_part(anchor: SettledAnchor) -> list[Overtaken]:
    """Return the value of a statement that a later one replaces; the rest of the statement still holds."""
    if anchor.by_seq == anchor.seq or denial_of(anchor.by_text):
        return []
    values = corrected_value(anchor.text, anchor.by_text)
    if values is None:
        return []
    written, instead = values
    stems = note_stems(written)
    return [Overtaken(anchor.seq, anchor.by_seq, stems, note_stems(anchor.text)[:_MOST_STEMS], 0, written, instead)]


def overtaken_by_notes(notes: Sequence[Note]) -> list[Overtaken]:
    """Return the values that notes say they replace; `notes` are in turn order."""
    overtaken: list[Overtaken] = []
    for at, note in enumerate(notes):
        taken_back = value_taken_back(note.text)
        # It must have a value of its own: 'not 48' alone replaces nothing.
        if taken_back is None or not DIGIT.search(_TAKES_BACK.sub(" ", note.text)):
            continue
        values = note_stems(taken_back["value"])
        if not values:
            continue
        is_plain = sum(map(str.isdigit, taken_back["value"])) >= _FEW_DIGITS or len(values) > 1
        # '48 seats' is recognized by its unit; many things cost '2,400 euros'.
        without = frozenset(values) | (_units(note.text) if is_plain else frozenset())
        if subject := _subject(notes, at, without):
            overtaken.append(Overtaken(0, note.seq, values, subject, 1 if is_plain else 2))
    return overtaken


def value_taken_back(text: str) -> re.Match[str] | None:
    """Return the match of a value that another one replaces, or None. Both have a digit, which most texts lack."""
    return _TAKES_BACK.search(text) if DIGIT.search(text) else None


def _subject(notes: Sequence[Note], at: int, without: frozenset[str]) -> tuple[str, ...]:
    """Return the stems of a note's subject; if it has fewer than two, also those of its turn.

    If it has none, as in 'Corrected: 84, not 48', also those of the turn before, which it takes up.
    """
    note = notes[at]
    own = list(_telling(note.text, without))
    if len(own) > 1:
        return tuple(dict.fromkeys(own))[:_MOST_STEMS]
    first_seq = note.seq if own or note.place else note.seq - 1
    near = chain.from_iterable(_telling(other.text, without) for other in _from_turn(notes, at, first_seq))
    return tuple(dict.fromkeys([*own, *near]))[:_MOST_STEMS] or _common(note.text, without)


def _from_turn(notes: Sequence[Note], at: int, seq: int) -> Iterator[Note]:
    """Return the notes from the first one of turn `seq` to the last one of the turn of the note at `at`."""
    start = at
    while start and notes[start - 1].seq >= seq:
        start -= 1
    return takewhile(lambda note: note.seq <= notes[at].seq, islice(notes, start, None))


def _telling(text: str, without: frozenset[str]) -> Iterator[str]:
    """Yield the stems of the words that say what a text is about."""
    for word in note_words(text):
        for part in _PARTS.findall(word):
            stem = STEMS[part]
            if stem not in without and _tells(stem):
                yield stem


def _common(text: str, without: frozenset[str]) -> tuple[str, ...]:
    """Return the stems of a text that says what it is about only in common words."""
    stems = [stem for stem in note_stems(text) if stem not in without and stem not in _DENIALS]
    return tuple(stem for stem in stems if not DIGIT.search(stem))[:_MOST_STEMS]


def _units(text: str) -> frozenset[str]:
    """Return the stems of units, which many things share: euros."""
    return frozenset(STEMS[unit.lower()] for unit in _UNIT.findall(text))


def _tells(stem: str) -> bool:
    return len(stem) > 2 and stem not in _DENIALS and not DIGIT.search(stem) and not is_common(stem)


def stated_before(notes: Sequence[Note], at: int) -> Iterator[int]:
    """Yield the places of notes that say what a confirmed value is of: '84 seats' before '84, not 48'."""
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
    """Return whether a note states the replacement of something."""
    return value_taken_back(note.text) is not None or says_one_of(note, replacing.get(note.seq, ()))


def says_one_of(note: Note, statements: Iterable[frozenset[str]]) -> bool:
    """Return whether a note makes one of the statements of its turn, given by their stems."""
    stems = note_stems(note.text)
    return any(
        2 * len(statement.intersection(stems)) >= min(len(statement), len(stems)) > 0 for statement in statements
    )
