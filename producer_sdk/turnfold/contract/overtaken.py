"""What was said and holds no more: told of notes by their words, so that no context shows one as if it held.

Of two sorts: what one turn said, and a value that other turns before the change may have stated too. Where only a
value of a longer statement was corrected, the number beside an address, its note stands with the new value in place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from turnfold.contract.notes import Note
from turnfold.contract.words import note_stems
from turnfold.tokens import estimate_tokens

MOST_OVERTAKEN: Final = 128
"""Statements that an outline names, the ones that were overtaken last."""
NEVER: Final = 2**31 - 1
"""The turn since which something holds no more that no turn took the place of."""
_LEAST_WEIGHT: Final = "0"
_OF_NOTE: Final = 0.6
"""Of a note's stems: with as many in a statement the note is a part of it."""
_OF_STATEMENT: Final = 0.8
"""Of a statement's stems: with as many in a note the note holds it."""


class Overtaken(NamedTuple):
    """A statement that holds no more."""

    seq: int
    """The turn that said it; 0 for a value that any turn before `by_seq` may state."""
    by_seq: int
    """The turn since which it holds no more."""
    values: tuple[str, ...]
    """Stems. Of one turn's statement: a note of it has one of them, if there are any; else a note has them all."""
    subject: tuple[str, ...]
    """Stems of the whole statement; of a value, stems of what it is a value of."""
    least: int = 0
    """How many stems of its subject a note has that states the value."""
    written: str = ""
    """Of a statement of which only a value was corrected: that value, as it was written."""
    instead: str = ""
    """What took its place, in the same form."""

    def is_told(self, stems: Collection[str]) -> bool:
        """Whether a note with such stems says it; the note's turn is known to fit."""
        shared = sum([stem in stems for stem in self.subject])
        if not self.seq:
            return shared >= self.least and all(told_value in stems for told_value in self.values)
        if self.values and not any(told_value in stems for told_value in self.values):
            return False
        return shared > 0 and (shared >= _OF_NOTE * len(stems) or shared >= _OF_STATEMENT * len(self.subject))


class OvertakenIndex:
    """Statements that hold no more, by what a note is recognised by."""

    __slots__ = ("_by_seq", "_by_value", "_values", "overtaken_by")

    def __init__(self, statements: Iterable[Overtaken]) -> None:
        self.overtaken_by: Final[dict[int, set[int]]] = {}
        """By a turn that said what holds no more, the turns that say what does."""
        self._by_seq: dict[int, list[Overtaken]] = {}
        self._by_value: dict[str, list[Overtaken]] = {}
        for statement in statements:
            if statement.seq:
                self._by_seq.setdefault(statement.seq, []).append(statement)
                if statement.by_seq != NEVER:
                    self.overtaken_by.setdefault(statement.seq, set()).add(statement.by_seq)
            else:
                self._by_value.setdefault(statement.values[0], []).append(statement)
        self._values = frozenset(self._by_value)

    def __bool__(self) -> bool:
        return bool(self._by_seq or self._by_value)

    def tells(self, seq: int, stems: Collection[str]) -> bool:
        """Whether a note of turn `seq` says what holds no more."""
        return self.tells_statement(seq, stems) or self.tells_value(seq, stems)

    def tells_statement(self, seq: int, stems: Collection[str]) -> bool:
        """Whether a note of turn `seq` says a statement of that turn that holds no more."""
        # Few turns have one: most are asked for nothing more.
        return seq in self._by_seq and any(statement.is_told(stems) for statement in self._by_seq[seq])

    def mended(self, note: Note) -> Note | None:
        """A note of which only a value holds no more, with the new one: '… ring 555-0199 (before: 555-0101)'.

        A note that was mended already stays as it is. None where that is not all that holds no more.
        """
        for statement in self._by_seq.get(note.seq, ()):
            if statement.instead and statement.written in note.text and statement.is_told(note_stems(note.text)):
                now = f"{statement.instead} (before: {statement.written})"
                if now in note.text:
                    return note
                text = note.text.replace(statement.written, now, 1)
                return rewritten(note, text, note.brief.replace(statement.written, now, 1))
        return None

    def without_values(self, seq: int, text: str) -> str:
        """Words of turn `seq` with a mark in the place of each value that was corrected in a longer statement."""
        for statement in self._by_seq.get(seq, ()):
            if statement.instead and statement.written in text and statement.is_told(note_stems(text)):
                text = text.replace(statement.written, "…")
        return text

    def tells_value(self, seq: int, stems: Collection[str]) -> bool:
        """Whether a note of turn `seq` states a value that another one took the place of."""
        if self._values.isdisjoint(stems):
            return False
        return any(
            seq < statement.by_seq and statement.is_told(stems)
            for stem in stems
            for statement in self._by_value.get(stem, ())
        )


def rewritten(note: Note, text: str, brief: str) -> Note:
    """A note in other words, those that it had not weighing least; `brief` is left out of a note that has none."""
    weight_of = dict(zip(note_stems(note.text), note.weights, strict=False))
    weights = "".join([weight_of.get(stem, _LEAST_WEIGHT) for stem in note_stems(text)]) if note.weights else ""
    more = estimate_tokens(text) - estimate_tokens(note.text)
    return note._replace(
        text=text, tokens=note.tokens + more, weights=weights, brief=brief if note.brief else "",
        brief_tokens=note.brief_tokens + estimate_tokens(brief) - estimate_tokens(note.brief) if note.brief else 0,
    )  # fmt: skip


NOTHING_OVERTAKEN: Final = OvertakenIndex(())


def pack_overtaken(statements: Sequence[Overtaken]) -> list[list[Any]]:
    """Statements as JSON."""
    return [
        [statement.seq, statement.by_seq, " ".join(statement.values), " ".join(statement.subject), statement.least]
        + ([statement.written, statement.instead] if statement.written or statement.instead else [])
        for statement in sorted(sorted(statements, key=lambda statement: -statement.by_seq)[:MOST_OVERTAKEN])
    ]


def unpack_overtaken(packed: Iterable[Sequence[Any]]) -> tuple[Overtaken, ...]:
    """Statements from what `pack_overtaken` made."""
    return tuple(
        Overtaken(seq, by_seq, tuple(values.split()), tuple(subject.split()), *more)
        for seq, by_seq, values, subject, *more in packed
    )
