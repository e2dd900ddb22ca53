"""Formats the lines of a level: one per turn, code indented below it, a date line where the day changes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Final, NamedTuple

from turnfold.contract.periods import day_label

INDENT: Final = "    "
"""Prefix of a line of code."""


class Part(NamedTuple):
    """A piece of a level: a note, or preserved text."""

    seq: int
    day: date | None
    speaker: str
    text: str
    joint: str
    """Separator from the previous part of the same turn."""
    code: bool = False


def lines_of(parts: Iterable[Part]) -> str:
    """Render parts, given in the order of the turns, as lines that each end in a newline; empty for no parts."""
    lines: list[str] = []
    day: date | None = None
    spoken: tuple[int, str] | None = None
    for part in parts:
        if part.day and part.day != day:
            lines.append(f"[{day_label(part.day)}]")
            day = part.day
        if part.code:
            if (part.seq, part.speaker) != spoken:
                lines.append(f"{part.speaker}: code")
            lines.append(code_lines(part.text)[:-1])
            spoken = None
        elif (part.seq, part.speaker) != spoken:
            lines.append(f"{part.speaker}: {part.text}")
            spoken = (part.seq, part.speaker)
        else:
            lines[-1] = f"{lines[-1]}{_separator(lines[-1], part.joint)}{part.text}"
    return "".join(f"{line}\n" for line in lines)


def code_lines(text: str) -> str:
    """Indent code, so that no line of it looks like a date line or a speaker's line."""
    return "".join(f"{INDENT}{line}\n" for line in text.split("\n"))


def most_that_fit(limit: int, fits: Callable[[int], bool]) -> int:
    """Return the largest count up to `limit` that fits, by binary search; 0 if none does. `fits` must be monotonic."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _separator(text_before: str, joint: str) -> str:
    return " " if joint == ". " and text_before[-1] in ".!?:,;…。\uff01\uff1f" else joint
