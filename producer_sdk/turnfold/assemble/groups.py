"""Neighbouring turns under one line of a context."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from turnfold.assemble.render_text import group_line
from turnfold.contract.notes import Note, SpokenDay, days_of, lines_of_days


@dataclass(frozen=True)
class Group:
    """Neighbouring turns under one line, with the notes of them that are shown."""

    first_seq: int
    last_seq: int
    marker: str
    notes: tuple[Note, ...]
    """In the order of the turns."""
    day_before: str = ""
    """The day under which the group before it ends: its line is not repeated."""

    @cached_property
    def day_after(self) -> str:
        """The day under which this group ends."""
        return self.notes[-1].day if self.notes else self.day_before

    @cached_property
    def text(self) -> str:
        """Its line and its notes."""
        line = group_line(self.first_seq, self.last_seq, self.marker)
        return line + "".join(lines_of_days(self.days, day_before=self.day_before))

    @cached_property
    def days(self) -> list[SpokenDay]:
        """The notes by day and speaker: sorted once, for their price and for their words."""
        return days_of(self.notes)
