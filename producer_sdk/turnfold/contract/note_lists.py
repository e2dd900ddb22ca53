"""Storage format of notes.

The first line is JSON: speakers, days, and the numbers of all notes as base64, column by column. Each further line is
the text of a note, followed by a tab and its brief wording if any. Parsing the numbers as JSON takes ten times as long,
and a JSON object per note a hundred times.
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
"""`Note._make` without a Python-level call, as a read makes hundreds of notes."""

_CODES: Final = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32))
"""Unsigned integers of one, two and four bytes, each with its exclusive upper bound."""

_AT_ONCE: Final = 64
"""Notes that are made per batch: one by one, each takes three times as long."""


def pack_notes(notes: Sequence[Note], *, gains: bool = False) -> str:
    """Serialize notes in their order, with the weights needed to rank them again, or with their gains instead."""
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
    greatest = max(column, default=0)
    return next(code for code, above in _CODES if greatest < above)


def unpack_notes(body: str) -> tuple[Note, ...]:
    """Deserialize notes packed by `pack_notes`."""
    return tuple(NoteList(body))


class NoteList(Sequence[Note]):
    """A lazy sequence of packed notes, each made on first access, as callers seldom need all of them.

    Thread-safe.
    """

    __slots__ = (
        "_blocks", "_brief_tokens", "_days", "_ends", "_lines", "_speakers", "_starts", "_tokens", "_values",
        "_weights", "_when", "_who", "_words", "places", "seqs",
    )  # fmt: skip

    def __init__(self, body: str) -> None:
        """Parse `body`, made by `pack_notes`."""
        first, *self._lines = body.split("\n")
        header = json.loads(first)
        many, codes = header["many"], header["codes"]
        numbers = struct.unpack(
            "<" + "".join([f"{many}{code}" for code in codes]), a2b_base64(header["numbers"])
        )  # fmt: skip
        (
            self.seqs, self.places, self._who, self._when, self._tokens, self._values, self._brief_tokens, self._starts,
            self._ends,
        ) = [numbers[at * many : (at + 1) * many] for at in range(len(codes))]  # fmt: skip
        self._speakers: list[tuple[str, str]] = header["speakers"]
        self._days: list[str] = header["days"]
        self._weights: list[str] | None = header.get("weights")
        """None if `_values` are gains."""
        self._blocks: dict[int, list[Note]] = {}
        """Batches of notes made so far, by the index of their first note."""
        self._words: dict[int, frozenset[str]] = {}

    @property
    def speakers(self) -> list[str]:
        """Return the speakers of the notes."""
        return [label for label, _ in self._speakers]

    def speaker(self, at: int) -> str:
        """Return the speaker of the note at an index."""
        label: str = self._speakers[self._who[at]][0]
        return label

    def bare_words(self, at: int) -> frozenset[str]:
        """Return the bare words of the note at an index."""
        words = self._words.get(at)
        if words is None:
            words = self._words[at] = frozenset(bare_words(self._lines[at].partition("\t")[0]))
        return words

    def __iter__(self) -> Iterator[Note]:
        return chain.from_iterable(map(self._block, range(0, len(self.seqs), _AT_ONCE)))

    def __len__(self) -> int:
        return len(self.seqs)

    @overload
    def __getitem__(self, at: int) -> Note: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Note, ...]: ...
    def __getitem__(self, at: int | slice) -> Note | tuple[Note, ...]:
        if isinstance(at, slice):
            return tuple(self)[at]
        at = range(len(self.seqs))[at]
        block = self._blocks.get(at - at % _AT_ONCE)
        return self._one(at) if block is None else block[at % _AT_ONCE]

    def _one(self, at: int) -> Note:
        text, _, brief = self._lines[at].partition("\t")
        gain_or_worth, weights = self._values[at], self._weights
        worth = (0, "", gain_or_worth) if weights is None else (gain_or_worth, weights[at], 0)
        return made_note(
            (
                self.seqs[at], self.places[at], *self._speakers[self._who[at]], self._days[self._when[at]], text,
                self._tokens[at], *worth, brief, self._brief_tokens[at], self._starts[at], self._ends[at],
            )
        )  # fmt: skip

    def _block(self, start: int) -> list[Note]:
        notes = self._blocks.get(start)
        if notes is None:
            places = slice(start, start + _AT_ONCE)
            weights, values = self._weights, self._values[places]
            worth = (repeat(0), repeat(""), values) if weights is None else (values, weights[places], repeat(0))
            voices = [self._speakers[who] for who in self._who[places]]
            parted = [line.partition("\t") for line in self._lines[places]]
            columns = zip(
                self.seqs[places], self.places[places], [label for label, _ in voices], [role for _, role in voices],
                map(self._days.__getitem__, self._when[places]), [text for text, _, _ in parted], self._tokens[places],
                *worth, [brief for _, _, brief in parted], self._brief_tokens[places], self._starts[places],
                self._ends[places], strict=False,
            )  # fmt: skip
            # Two threads may both make a batch, with equal notes.
            notes = self._blocks[start] = [*map(made_note, columns)]
        return notes


class Tiers(Sequence[Note]):
    """A sequence of notes in several parts, each parsed on first access. Thread-safe."""

    __slots__ = ("_parts",)

    def __init__(self, bodies: Iterable[str | NoteList]) -> None:
        self._parts: list[str | NoteList] = list(bodies)

    @classmethod
    def of(cls, notes: Sequence[Note]) -> Tiers:
        """Wrap notes as a single part, unless they are in parts already."""
        return notes if isinstance(notes, Tiers) else cls([pack_notes(notes, gains=True)])

    def lists(self) -> Iterator[NoteList]:
        """Iterate over the notes of each part."""
        for i, part in enumerate(self._parts):
            # Two threads may both parse a part, to equal notes.
            notes = NoteList(part) if isinstance(part, str) else part
            self._parts[i] = notes
            yield notes

    @property
    def speakers(self) -> list[str]:
        """Return the speakers of the notes."""
        return [speaker for notes in self.lists() for speaker in notes.speakers]

    def said_by(self, is_one: Callable[[str], bool]) -> Iterator[Note]:
        """Iterate over all notes of each part that has a note of a speaker for whom `is_one` holds."""
        return chain.from_iterable(notes for notes in self.lists() if any(map(is_one, notes.speakers)))

    def first(self, count: int) -> Tiers:
        """Return the first `count` parts; those parsed already stay parsed."""
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
