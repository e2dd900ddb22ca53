"""The turns that a read fetched, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from turnfold.assemble.lazy_sequence import Lazy
from turnfold.contract.records import StoredTurn

Voice = tuple[str | None, str]
"""Name and role of a speaker."""


class TurnsNotRead(LookupError):  # noqa: N818 - named as those of `errors` are
    """Raised when a read left the text of turns in the database: it has to be repeated with all of them."""


class Turns(Lazy[StoredTurn]):
    """Turns in order, with columns of the values that a selection needs of all of them."""

    __slots__ = ("_shape", "has_parts", "seqs", "tokens", "voices")

    def __init__(
        self,
        *,
        seqs: list[int],
        tokens: list[int],
        voices: list[Voice],
        has_parts: bool,
        made: list[StoredTurn | None],
        make: Callable[[int], StoredTurn],
        shape: Callable[[int], StoredTurn] | None = None,
    ) -> None:
        """`make` returns the turn at a place; the lists have one entry per turn.

        `make` raises `TurnsNotRead` for a turn whose text was not read; `shape` returns it without its text.
        """
        super().__init__(made, make)
        self.seqs: Final = seqs
        self.tokens: Final = tokens
        """Estimated tokens of each turn."""
        self.voices: Final = voices
        self.has_parts: Final = has_parts
        """False if every turn is plain text."""
        self._shape = shape

    @classmethod
    def of(cls, turns: Iterable[StoredTurn]) -> Turns:
        """Wrap turns that are records already."""
        if isinstance(turns, Turns):
            return turns
        made = list(turns)
        return cls(
            seqs=[turn.seq for turn in made], tokens=[turn.tokens for turn in made],
            voices=[(turn.name, turn.role) for turn in made], has_parts=any(turn.parts for turn in made),
            made=[*made], make=made.__getitem__,
        )  # fmt: skip

    def shapes(self) -> list[StoredTurn]:
        """The turns, without text where it was not read, for speakers and tool calls."""
        return [self._shape_of(at) for at in range(len(self))]

    def _shape_of(self, at: int) -> StoredTurn:
        return self.made[at] or (self[at] if self._shape is None else self._shape(at))

    def from_place(self, start: int) -> Turns:
        """The turns from a place on."""
        if start <= 0:
            return self
        return Turns(
            seqs=self.seqs[start:], tokens=self.tokens[start:], voices=self.voices[start:],
            has_parts=self.has_parts, made=self.made[start:], make=lambda at: self[start + at],
            shape=lambda at: self._shape_of(start + at),
        )  # fmt: skip

    def followed_by(self, turns: Sequence[StoredTurn]) -> Turns:
        """Concatenate with later turns."""
        if not turns:
            return self
        later, count = Turns.of(turns), len(self)
        return Turns(
            seqs=self.seqs + later.seqs, tokens=self.tokens + later.tokens, voices=self.voices + later.voices,
            has_parts=self.has_parts or later.has_parts, made=self.made + later.made,
            make=lambda at: self[at] if at < count else later[at - count],
            shape=lambda at: self._shape_of(at) if at < count else later[at - count],
        )  # fmt: skip


NO_TURNS: Final = Turns.of(())
