"""Notes under one line of a context."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from turnfold.assemble.forms.render_text import HITS_HEADER, group_line
from turnfold.contract.notes import Note, SpokenDay, days_of, lines_of_days


class NoteBlock:
    """Notes under a line: what they are in words, worked out once."""

    notes: tuple[Note, ...]
    """In the order of the turns."""
    day_before: str = ""
    """The day that stands above them already: its line is not repeated."""
    months: str = ""
    """In which all that they stand for was said, such as `May to July 2026`; empty where that is not known."""

    @property
    def line(self) -> str:
        """What stands above them."""
        raise NotImplementedError

    @cached_property
    def text(self) -> str:
        """The line and the notes."""
        return self.line + "".join(lines_of_days(self.days, day_before=self.day_before))

    @cached_property
    def days(self) -> list[SpokenDay]:
        """The notes by day and speaker: sorted once, for their price and for their words."""
        return days_of(self.notes, months=self.months)


@dataclass(frozen=True)
class Hits(NoteBlock):
    """The notes that a query or the newest user turn is about, and those for which they leave room."""

    notes: tuple[Note, ...]
    header: str = HITS_HEADER

    @property
    def line(self) -> str:
        return self.header


@dataclass(frozen=True)
class Group(NoteBlock):
    """Neighbouring turns under one line, with the notes of them that are shown."""

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
        """The day under which this group ends."""
        return self.days[-1][0] if self.notes else self.day_before
