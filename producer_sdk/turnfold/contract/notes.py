"""Notes: the telegraphic statements that tight contexts are made of, and the lines that they are shown in.

note      a clause of a turn in fewer words, with its speaker, its day and what it is worth
covered   a node whose turns stand behind notes
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

SEPARATOR: Final = ";"
"""Stands between two notes, unless the first one ends in it."""

MARKS: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_MARKS_A_TOKEN: Final = 3
OVERHEAD: Final = 3
"""Tokens that every note is charged beside its words when it is chosen, so that scraps do not win over statements."""
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
    """One line."""
    tokens: int
    """Estimated, with what separates it from the next one."""
    worth: int = 0
    """Multiplier of its gain in hundredths, without the voice of its role. Not read with an outline."""
    weights: str = ""
    """One digit of base 36 a distinct word: three times its rarity. Not read with an outline."""
    gain: int = 0
    """What it told when it was taken, in hundredths a token; of an outline's notes."""


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


_SEQ: Final = itemgetter(0)
_PLACE: Final = itemgetter(1)


def joined(texts: Sequence[str]) -> str:
    """Notes of one speaker on one line."""
    line = f"{SEPARATOR} ".join(texts)
    if f"{SEPARATOR}{SEPARATOR} " not in line:
        return line
    pieces = [text if text[-1:] == SEPARATOR else text + SEPARATOR for text in texts]
    pieces[-1:] = texts[-1:]
    return " ".join(pieces)


def is_parted_free(text: str) -> bool:
    """True where the separator behind a note costs nothing: the estimator counts three marks in a row at once."""
    if text[-1:] not in MARKS or not text:
        return False
    return text[-1] == SEPARATOR or (len(text) - len(text.rstrip(MARKS))) % _MARKS_A_TOKEN != 0


def note_lines(notes: Iterable[Note]) -> list[str]:
    """Lines, each with its newline, in the order of the turns: of the day where it changes, then of each speaker."""
    return lines_of_days(days_of(in_order(notes)))


def lines_of_days(days: Iterable[SpokenDay], *, day_before: str = "") -> list[str]:
    """`note_lines` of notes that are sorted into days already."""
    lines: list[str] = []
    for day, spoken in days:
        if day and day != day_before:
            lines.append(day_line(day))
        day_before = day
        lines += [f"{speaker}: {joined([note.text for note in said])}\n" for speaker, said in spoken.items()]
    return lines


SpokenDay = tuple[str, dict[str, list[Note]]]
"""A day, and the notes of each speaker on it, in the order of the turns."""


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Notes in the order of the turns: as `sorted` has them, which takes twice as long to compare tuples."""
    return sorted(sorted(notes, key=_PLACE), key=_SEQ)


def days_of(notes: Iterable[Note]) -> list[SpokenDay]:
    """Notes, given in the order of the turns, by day and by speaker within it."""
    days: list[SpokenDay] = []
    today: str | None = None
    spoken: dict[str, list[Note]] = {}
    for note in notes:
        speaker = note[2]
        if (day := note[4]) != today:
            today, spoken = day, {}
            days.append((day, spoken))
        if speaker in spoken:
            spoken[speaker].append(note)
        else:
            spoken[speaker] = [note]
    return days


def day_line(day: str) -> str:
    """Stands before the notes of a day."""
    return f"[{day}]\n"


def voices(said: Mapping[str, int]) -> dict[str, float]:
    """How much a role's words weigh, from its tokens: who says less says what matters."""
    whole = sum(said.values())
    return {role: min(_MAX_VOICE, whole / max(1, tokens)) for role, tokens in said.items()}
