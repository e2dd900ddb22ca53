"""A time that a text tells: its words, what it is to what is told, and the days it means."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from turnfold.contract.periods import Period


class Kind(StrEnum):
    """What a time is to what is told of it."""

    WHEN = "when"
    """It happened or happens then."""
    SINCE = "since"
    """It holds from then on."""
    UNTIL = "until"
    """It holds up to then, or is to be done by then."""
    RECURRING = "recurring"
    """It comes back: no day of its own."""


class Form(StrEnum):
    """How a time is worded."""

    WRITTEN = "written"
    """By its date, with or without the year."""
    COUNTED = "counted"
    """From the day on which it was said: 'yesterday', 'next month'."""
    LASTING = "lasting"
    """By how long it has lasted."""
    RECURRING = "recurring"


class TimeExpression(NamedTuple):
    """Words of a text that tell a time."""

    start: int
    """Code points from the beginning of the text."""
    end: int
    kind: Kind
    periods: tuple[Period, ...]
    """All that people mean by the words, best first; none for what recurs."""
    label: str
    """The time in words that mean it on any day: '12 May 2026', 'week before 9 June 2023'; empty for what recurs, and
    where the words say no more than the day on which they were said."""
    relative: bool
    """Whether the words mean another day when they are said on another day."""
    form: Form
    toward: int
    """-1 in a clause about the past, 1 in one about what is to come, 0 where nothing shows."""

    @property
    def meaning(self) -> str:
        """The label with what the time is to what is told: 'since 2019', 'by 12 May 2026'."""
        side = {Kind.SINCE: "since ", Kind.UNTIL: "by "}.get(self.kind, "") if self.label else ""
        return side + self.label

    @property
    def period(self) -> Period | None:
        """The best reading."""
        return self.periods[0] if self.periods else None
