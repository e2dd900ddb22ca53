"""How notes are stored, and read.

The first line is JSON: speakers and days, and all numbers of the notes in base64, a column for each field. Each
further line is the text of a note, with what it is in brief behind a tab. A number of JSON takes ten times as long to
read, and a JSON object for each note a hundred times.
"""

from __future__ import annotations

import json
import struct
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Any, Final, cast, overload

from turnfold.contract.notes import Note, bare_words

made_note: Final = cast("Callable[[Iterable[Any]], Note]", partial(tuple.__new__, Note))
"""`Note._make` without a call of Python's: a read makes hundreds."""

_CODES: Final = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32))
"""Unsigned numbers of one, two and four bytes, and what they stay below."""


def pack_notes(notes: Sequence[Note], *, gains: bool = False) -> str:
    """Notes in their order, with what is needed to rank them again, or with their gains instead."""
    speakers: dict[tuple[str, str], int] = {}
    days: dict[str, int] = {}
    columns = [
        [note.seq for note in notes],
        [note.place for note in notes],
        [speakers.setdefault((note.speaker, note.role), len(speakers)) for note in notes],
        [days.setdefault(note.day, len(days)) for note in notes],
        [note.tokens for note in notes],
        [note.gain if gains else note.worth for note in notes],
        [note.brief_tokens for note in notes],
        [note.start for note in notes],
        [note.end for note in notes],
    ]
    codes = "".join(map(_code, columns))
    numbers = b"".join(
        struct.pack(f"<{len(notes)}{code}", *column) for code, column in zip(codes, columns, strict=True)
    )
    header: dict[str, Any] = {
        "many": len(notes),
        "codes": codes,
        "numbers": b2a_base64(numbers, newline=False).decode(),
        "speakers": list(speakers),
        "days": list(days),
    }
    if not gains:
        header["weights"] = [note.weights for note in notes]
    lines = [f"{note.text}\t{note.brief}" if note.brief else note.text for note in notes]
    return "\n".join([json.dumps(header, ensure_ascii=False, separators=(",", ":")), *lines])


def _code(column: Sequence[int]) -> str:
    most = max(column, default=0)
    return next(code for code, above in _CODES if most < above)


def unpack_notes(body: str) -> tuple[Note, ...]:
    """Notes from what `pack_notes` made."""
    return tuple(NoteList(body))


class NoteList(Sequence[Note]):
    """Notes from what `pack_notes` made, each made once. Safe to share among threads."""

    __slots__ = ("_notes", "_words", "seqs")

    def __init__(self, body: str) -> None:
        """`body` is what `pack_notes` made."""
        first, *lines = body.split("\n")
        parted = [line.partition("\t") for line in lines]
        header = json.loads(first)
        many, codes = header["many"], header["codes"]
        numbers = struct.unpack(
            "<" + "".join([f"{many}{code}" for code in codes]), a2b_base64(header["numbers"])
        )  # fmt: skip
        self.seqs, places, who, when, tokens, values, brief_tokens, starts, ends = [
            numbers[at * many : (at + 1) * many] for at in range(len(codes))
        ]
        labels, roles = [label for label, _ in header["speakers"]], [role for _, role in header["speakers"]]
        weights: list[str] | None = header.get("weights")
        worth: tuple[Iterable[Any], ...] = (repeat(0), repeat(""), values)
        if weights is not None:
            worth = (values, weights, repeat(0))
        columns = zip(
            self.seqs, places, map(labels.__getitem__, who), map(roles.__getitem__, who),
            map(header["days"].__getitem__, when), [text for text, _, _ in parted], tokens, *worth,
            [brief for _, _, brief in parted], brief_tokens, starts, ends, strict=False,
        )  # fmt: skip
        self._notes = [*map(made_note, columns)]
        self._words: dict[int, frozenset[str]] = {}

    def bare_words(self, at: int) -> frozenset[str]:
        """The words of the note at a place."""
        words = self._words.get(at)
        if words is None:
            words = self._words[at] = frozenset(bare_words(self._notes[at].text))
        return words

    def __iter__(self) -> Iterator[Note]:
        return iter(self._notes)

    def __len__(self) -> int:
        return len(self._notes)

    @overload
    def __getitem__(self, at: int) -> Note: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Note, ...]: ...
    def __getitem__(self, at: int | slice) -> Note | tuple[Note, ...]:
        return tuple(self._notes[at]) if isinstance(at, slice) else self._notes[at]


class Tiers(Sequence[Note]):
    """Notes of several parts, each parsed when it is first looked at. Safe to share among threads."""

    __slots__ = ("_parts",)

    def __init__(self, bodies: Iterable[str | NoteList]) -> None:
        self._parts: list[str | NoteList] = list(bodies)

    @classmethod
    def of(cls, notes: Sequence[Note]) -> Tiers:
        """Notes that are in parts, or not yet: then as one part."""
        return notes if isinstance(notes, Tiers) else cls([pack_notes(notes, gains=True)])

    def lists(self) -> Iterator[NoteList]:
        """The notes of each part in turn."""
        for i, part in enumerate(self._parts):
            # Two threads may both parse it, to the same notes.
            notes = NoteList(part) if isinstance(part, str) else part
            self._parts[i] = notes
            yield notes

    def first(self, count: int) -> Tiers:
        """The first parts, parsed as far as these are."""
        return self if count >= len(self._parts) else Tiers(self._parts[:count])

    def __iter__(self) -> Iterator[Note]:
        return chain.from_iterable(self.lists())

    def __len__(self) -> int:
        return sum(map(len, self.lists()))

    @overload
    def __getitem__(self, at: int) -> Note: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Note, ...]: ...
    def __getitem__(self, at: int | slice) -> Note | tuple[Note, ...]:
        return tuple(self)[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # compared by its notes
