"""Statements that are no longer valid, recognized in notes by their words, so that no context presents them as current.

A record is either a statement of one turn, or a value that any turn before the change may state. If only a value in a
longer statement was corrected, such as the number after an address, its note is kept with the new value in place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from turnfold.contract.notes import Note
from turnfold.contract.words import note_stems
from turnfold.tokens import estimate_tokens

MOST_OVERTAKEN: Final = 128
"""Maximum number of records in an outline, the latest first."""
NEVER: Final = 2**31 - 1
"""`by_seq` of a statement that no turn superseded."""
_LEAST_WEIGHT: Final = "0"
_OF_NOTE: Final = 0.6
"""Minimum share of a note's stems that occur in a statement for the note to count as part of it."""
_OF_STATEMENT: Final = 0.8
"""Minimum share of a statement's stems that occur in a note for the note to count as containing it."""


class Overtaken(NamedTuple):
    """A statement that is no longer valid."""

    seq: int
    """The turn that made the statement; 0 for a value that any turn before `by_seq` may state."""
    by_seq: int
    """The turn since which the statement is not valid."""
    values: tuple[str, ...]
    """Stems of the value. A note of turn `seq` needs one of them, if there are any; without a turn, all of them."""
    subject: tuple[str, ...]
    """Stems of the whole statement; for a value, stems of its subject."""
    least: int = 0
    """Number of stems of the subject required in a note that states the value."""
    written: str = ""
    """The corrected value as written, if only a value of the statement was corrected."""
    instead: str = ""
    """The value that replaces `written`, in the same form."""

    def is_told(self, stems: Collection[str]) -> bool:
        """Whether a note with these stems makes the statement; the caller has checked the note's turn."""
        shared = sum([stem in stems for stem in self.subject])
        if not self.seq:
            return shared >= self.least and all(told_value in stems for told_value in self.values)
        if self.values and not any(told_value in stems for told_value in self.values):
            return False
        return shared > 0 and (shared >= _OF_NOTE * len(stems) or shared >= _OF_STATEMENT * len(self.subject))


class OvertakenIndex:
    """An index of invalid statements by turn and by value."""

    __slots__ = ("_by_seq", "_by_value", "_values", "overtaken_by")

    def __init__(self, statements: Iterable[Overtaken]) -> None:
        self.overtaken_by: Final[dict[int, set[int]]] = {}
        """Turn of an invalid statement -> turns that superseded it."""
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
        """Whether a note of turn `seq` is no longer valid."""
        return self.tells_statement(seq, stems) or self.tells_value(seq, stems)

    def tells_statement(self, seq: int, stems: Collection[str]) -> bool:
        """Whether a note makes a statement of its own turn `seq` that is no longer valid."""
        # Few turns have one, so most calls end here.
        return seq in self._by_seq and any(statement.is_told(stems) for statement in self._by_seq[seq])

    def mended(self, note: Note) -> Note | None:
        """Put the new value into a note of which only a value is invalid: '… ring 555-0199 (before: 555-0101)'.

        A note that was corrected already is returned as it is; None if no such record fits the note.
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
        """Replace each corrected value in words of turn `seq` with an ellipsis."""
        for statement in self._by_seq.get(seq, ()):
            if statement.instead and statement.written in text and statement.is_told(note_stems(text)):
                text = text.replace(statement.written, "…")
        return text

    def tells_value(self, seq: int, stems: Collection[str]) -> bool:
        """Whether a note of turn `seq` states a value that was superseded later."""
        if self._values.isdisjoint(stems):
            return False
        return any(
            seq < statement.by_seq and statement.is_told(stems)
            for stem in stems
            for statement in self._by_value.get(stem, ())
        )


def rewritten(note: Note, text: str, brief: str) -> Note:
    """Reword a note; words that are new in it get the lowest weight, and `brief` is ignored for a note without one."""
    weight_of = dict(zip(note_stems(note.text), note.weights, strict=False))
    weights = "".join([weight_of.get(stem, _LEAST_WEIGHT) for stem in note_stems(text)]) if note.weights else ""
    more = estimate_tokens(text) - estimate_tokens(note.text)
    return note._replace(
        text=text, tokens=note.tokens + more, weights=weights, brief=brief if note.brief else "",
        brief_tokens=note.brief_tokens + estimate_tokens(brief) - estimate_tokens(note.brief) if note.brief else 0,
    )  # fmt: skip


NOTHING_OVERTAKEN: Final = OvertakenIndex(())


def pack_overtaken(statements: Sequence[Overtaken]) -> list[list[Any]]:
    """Serialize the latest statements for JSON."""
    return [
        [statement.seq, statement.by_seq, " ".join(statement.values), " ".join(statement.subject), statement.least]
        + ([statement.written, statement.instead] if statement.written or statement.instead else [])
        for statement in sorted(sorted(statements, key=lambda statement: -statement.by_seq)[:MOST_OVERTAKEN])
    ]


def unpack_overtaken(packed: Iterable[Sequence[Any]]) -> tuple[Overtaken, ...]:
    """Deserialize statements packed by `pack_overtaken`."""
    return tuple(
        Overtaken(seq, by_seq, tuple(values.split()), tuple(subject.split()), *more)
        for seq, by_seq, values, subject, *more in packed
    )
