"""Blocks of notes under one line of a context."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from turnfold.assemble.forms.render_text import HITS_HEADER, group_line
from turnfold.contract.notes import Note, SpokenDay, days_of, lines_of_days


class NoteBlock:
    """Notes under a line, with their rendering cached."""

    notes: tuple[Note, ...]
    """In turn order."""
    day_before: str = ""
    """Day heading already in force above the notes, which is not repeated."""
    months: str = ""
    """Months of all the turns that the notes cover, such as `May to July 2026`; empty if unknown."""

    @property
    def line(self) -> str:
        """The line above the notes."""
        raise NotImplementedError

    @cached_property
    def text(self) -> str:
        """The line and the notes."""
        return self.line + "".join(lines_of_days(self.days, day_before=self.day_before))

    @cached_property
    def days(self) -> list[SpokenDay]:
        """The notes by day and speaker, sorted once for pricing and rendering."""
        return days_of(self.notes, months=self.months)


@dataclass(frozen=True)
class Hits(NoteBlock):
    """Notes about a query or the newest user turn, and others for which there is room."""

    notes: tuple[Note, ...]
    header: str = HITS_HEADER

    @property
    def line(self) -> str:
        return self.header


@dataclass(frozen=True)
class Group(NoteBlock):
    """Neighbouring turns under one line, with their selected notes."""

    first_seq: int
    last_seq: int
    marker: str
    notes: tuple[Note, ...]
    day_before: str = ""
    months: str = ""

    @property
    def line(self) -> str:
        return group_line(self.marker)

    @cached_property
    def day_after(self) -> str:
        """Day heading in force at the end of the group."""
        return self.days[-1][0] if self.notes else self.day_before
