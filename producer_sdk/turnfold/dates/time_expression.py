"""A time expression: its place in the text, its kind, and the days that it means."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from turnfold.contract.periods import Period


class Kind(StrEnum):
    """How a time relates to the event or state that the text is about."""

    WHEN = "when"
    """The event happened or happens then."""
    SINCE = "since"
    """The state lasts from then on."""
    UNTIL = "until"
    """The state lasts until then, or the event is due by then."""
    RECURRING = "recurring"
    """The event recurs, without a single day."""


class Form(StrEnum):
    """How a time is worded."""

    WRITTEN = "written"
    """A date, with or without the year."""
    COUNTED = "counted"
    """Relative to the day of the text: 'yesterday', 'next month'."""
    LASTING = "lasting"
    """A duration up to now."""
    RECURRING = "recurring"


class TimeExpression(NamedTuple):
    """A span of a text that expresses a time."""

    start: int
    """`start` and `end` are offsets in code points."""
    end: int
    kind: Kind
    periods: tuple[Period, ...]
    """All readings of the words, best first; empty for recurring times."""
    label: str
    """The time in absolute words: '12 May 2026', 'week before 9 June 2023'; empty for recurring times, and if the words
    add nothing to the day of the text."""
    relative: bool
    """Whether the meaning depends on the day of the text."""
    form: Form
    toward: int
    """-1 in a clause about the past, 1 about the future, 0 if unknown."""
    side: str = ""
    """The word that bounds the time, if its kind does not tell: 'before', 'after' or 'from'."""

    @property
    def meaning(self) -> str:
        """The label with its kind: 'since 2019', 'by 12 May 2026'."""
        side = self.side or {Kind.SINCE: "since", Kind.UNTIL: "by"}.get(self.kind, "")
        return f"{side} {self.label}" if side and self.label else self.label

    @property
    def period(self) -> Period | None:
        """The best reading; None for recurring times."""
        return self.periods[0] if self.periods else None
