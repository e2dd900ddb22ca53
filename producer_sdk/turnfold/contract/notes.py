"""Notes: the telegraphic statements that tight contexts are made of, and how they are stored.

note      a clause of a turn in fewer words, with its speaker, its day and what it is worth
outline   what a context needs of all that is folded: the best notes of the conversation in the order in which a
          budget takes them, its names, and which nodes hold its turns

Stored as compact JSON, a list for each field, which is parsed much faster than an object for each note. A reader
needs only the order, the words and their price, so an outline leaves the rest out, and parses no part of it that a
budget does not reach.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from operator import itemgetter
from typing import Any, Final, NamedTuple, cast, overload

from turnfold.contract.actions import Action, kept_actions, pack_actions, unpack_actions

OUTLINE_TIERS: Final = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
"""Estimated tokens of notes after which a part of an outline ends: a read fetches what its budget can hold."""

SEPARATOR: Final = ";"
"""Stands between two notes, unless the first one ends in it."""

MARKS: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_MARKS_A_TOKEN: Final = 3

FRAME_PART: Final = 0
"""The part of an outline that says what it covers."""
NAMES_PART: Final = 1
"""The part that holds the names."""
FIRST_TIER: Final = 2


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """All that is folded, as a context within a budget takes it."""

    last_seq: int = 0
    """Last turn that it covers."""
    cover: tuple[Covered, ...] = ()
    """The nodes that hold turns 1 to `last_seq`, in order, without gap."""
    notes: Sequence[Note] = ()
    """Best first, as many as the read asked for."""
    tail: tuple[Note, ...] = ()
    """Notes of turns after `last_seq`, best first."""
    tail_seq: int = 0
    """Last turn that `tail` speaks for."""
    names: tuple[str, ...] = ()
    """Paths, symbols and names, best first."""
    tail_names: tuple[str, ...] = ()
    """Those of turns after `last_seq`."""
    actions: tuple[Action, ...] = ()
    """What was done last with tools up to `last_seq`."""
    tail_actions: tuple[Action, ...] = ()
    """The same of the turns after it."""
    said: Mapping[str, int] = field(default_factory=dict)
    """Tokens of each role up to `last_seq`."""
    tool_percent: int = 0
    """Of the conversation's tokens, those that tools said."""

    @property
    def all_actions(self) -> tuple[Action, ...]:
        """What was done last, in order, of all turns that it speaks for."""
        return kept_actions((*self.actions, *self.tail_actions))

    def within(self, last_part: int) -> Outline:
        """The outline without the parts after one: what a read of so many parts finds."""
        if not isinstance(self.notes, Tiers):
            return self
        notes = self.notes.first(last_part - FIRST_TIER + 1)
        return self if notes is self.notes else replace(self, notes=notes)


_SEQ: Final = itemgetter(0)
_PLACE: Final = itemgetter(1)
_note: Final = cast("Callable[[Iterable[Any]], Note]", partial(tuple.__new__, Note))
"""`Note._make` without a call of Python's: a read makes hundreds."""

_covered: Final = cast("Callable[[Iterable[Any]], Covered]", partial(tuple.__new__, Covered))


def joined(texts: Sequence[str]) -> str:
    """Notes of one speaker on one line."""
    pieces = [text if text[-1:] == SEPARATOR else text + SEPARATOR for text in texts]
    pieces[-1:] = texts[-1:]
    return " ".join(pieces)


def is_parted_free(text: str) -> bool:
    """True where the separator behind a note costs nothing: the estimator counts three marks in a row at once."""
    if text[-1:] not in MARKS or not text:
        return False
    return text[-1] == SEPARATOR or (len(text) - len(text.rstrip(MARKS))) % _MARKS_A_TOKEN != 0


def note_lines(notes: Iterable[Note], *, day_before: str = "") -> list[str]:
    """Lines, each with its newline, in the order of the turns: of the day where it changes, then of each speaker."""
    return lines_of_days(days_of(in_order(notes)), day_before=day_before)


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
        _, _, speaker, _, day, _, _, _, _, _ = note
        if day != today:
            today, spoken = day, {}
            days.append((day, spoken))
        said = spoken.get(speaker)
        if said is None:
            spoken[speaker] = [note]
        else:
            said.append(note)
    return days


def day_line(day: str) -> str:
    """Stands before the notes of a day."""
    return f"[{day}]\n"


def pack_notes(notes: Sequence[Note], *, gains: bool = False) -> str:
    """Notes in their order as JSON, with what is needed to rank them again, or with their gains instead."""
    speakers: dict[tuple[str, str], int] = {}
    days: dict[str, int] = {}
    packed: dict[str, list[Any]] = {
        "seq": [note.seq for note in notes],
        "place": [note.place for note in notes],
        "who": [speakers.setdefault((note.speaker, note.role), len(speakers)) for note in notes],
        "day": [days.setdefault(note.day, len(days)) for note in notes],
        "text": [note.text for note in notes],
        "tokens": [note.tokens for note in notes],
        "speakers": [list(one) for one in speakers],
        "days": list(days),
    }
    if gains:
        packed["gain"] = [note.gain for note in notes]
    else:
        packed |= {"worth": [note.worth for note in notes], "weights": [note.weights for note in notes]}
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":"))


def unpack_notes(body: str) -> tuple[Note, ...]:
    """Notes from what `pack_notes` made."""
    return _notes_of(json.loads(body))


def _notes_of(packed: Any) -> tuple[Note, ...]:
    speakers, days = packed["speakers"], packed["days"]
    labels = [label for label, _ in speakers]
    roles = [role for _, role in speakers]
    who = packed["who"]
    fields = zip(
        packed["seq"],
        packed["place"],
        map(labels.__getitem__, who),
        map(roles.__getitem__, who),
        map(days.__getitem__, packed["day"]),
        packed["text"],
        packed["tokens"],
        packed.get("worth", repeat(0)),
        packed.get("weights", repeat("")),
        packed.get("gain", repeat(0)),
        strict=False,
    )
    return tuple(map(_note, fields))


class Tiers(Sequence[Note]):
    """Notes of several parts, each parsed when it is first looked at. Safe to share among threads."""

    def __init__(self, bodies: Iterable[str | tuple[Note, ...]]) -> None:
        self._parts: list[str | tuple[Note, ...]] = list(bodies)

    def tiers(self) -> Iterator[tuple[Note, ...]]:
        """The notes of each part in turn."""
        for i, part in enumerate(self._parts):
            # Two threads may both parse it, to the same notes.
            notes = unpack_notes(part) if isinstance(part, str) else part
            self._parts[i] = notes
            yield notes

    def first(self, count: int) -> Tiers:
        """The first parts, parsed as far as these are."""
        return self if count >= len(self._parts) else Tiers(self._parts[:count])

    def __iter__(self) -> Iterator[Note]:
        return chain.from_iterable(self.tiers())

    def __len__(self) -> int:
        return sum(map(len, self.tiers()))

    @overload
    def __getitem__(self, at: int) -> Note: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Note, ...]: ...
    def __getitem__(self, at: int | slice) -> Note | tuple[Note, ...]:
        return tuple(self)[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # compared by its notes


def pack_outline(outline: Outline) -> dict[int, str]:
    """The parts of an outline by number."""
    frame = {
        "last_seq": outline.last_seq,
        "cover": outline.cover,
        "tail_seq": outline.tail_seq,
        "tail": json.loads(pack_notes(outline.tail, gains=True)),
        "tail_names": list(outline.tail_names),
        "actions": pack_actions(outline.actions),
        "tail_actions": pack_actions(outline.tail_actions),
        "tool_percent": outline.tool_percent,
        "said": dict(outline.said),
    }
    parts = {FRAME_PART: json.dumps(frame, ensure_ascii=False, separators=(",", ":"))}
    if outline.names:
        parts[NAMES_PART] = json.dumps(list(outline.names), ensure_ascii=False)
    for number, notes in enumerate(_tiers(outline.notes), FIRST_TIER):
        parts[number] = pack_notes(notes, gains=True)
    return parts


def unpack_outline(parts: Iterable[tuple[int, str]]) -> Outline | None:
    """An outline from its parts in the order of their numbers; None without the first."""
    bodies = dict(parts)
    if FRAME_PART not in bodies:
        return None
    frame = json.loads(bodies[FRAME_PART])
    return Outline(
        last_seq=frame["last_seq"],
        cover=tuple(map(_covered, frame["cover"])),
        tail=_notes_of(frame["tail"]),
        tail_names=tuple(frame.get("tail_names", ())),
        actions=unpack_actions(frame.get("actions")),
        tail_actions=unpack_actions(frame.get("tail_actions")),
        tail_seq=frame["tail_seq"],
        tool_percent=frame["tool_percent"],
        said=frame["said"],
        names=tuple(json.loads(bodies.get(NAMES_PART, "[]"))),
        notes=Tiers(body for number, body in sorted(bodies.items()) if number >= FIRST_TIER),
    )


def last_part(budget_tokens: int) -> int:
    """The last part of an outline that a budget has a use for."""
    for number, tier in enumerate(OUTLINE_TIERS):
        # Counters differ from the estimator, and notes of turns that are shown raw are passed over.
        if tier >= budget_tokens + budget_tokens // 2:
            return FIRST_TIER + number
    return FIRST_TIER + len(OUTLINE_TIERS) - 1


def _tiers(notes: Sequence[Note]) -> list[list[Note]]:
    tiers: list[list[Note]] = []
    spent = 0
    for note in notes:
        tier = next((i for i, most in enumerate(OUTLINE_TIERS) if spent < most), None)
        if tier is None:
            break
        while len(tiers) <= tier:
            tiers.append([])
        tiers[tier].append(note)
        spent += note.tokens
    return tiers
