"""Lines of a level: one a turn, code indented below it, a line with the day where the day changes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Final, NamedTuple

from turnfold.contract.periods import day_label

INDENT: Final = "    "
"""Stands before a line of code."""


class Part(NamedTuple):
    """What is said at one place of a level."""

    seq: int
    day: date | None
    speaker: str
    text: str
    joint: str
    """Stands before it where the turn goes on."""
    code: bool = False


def lines_of(parts: Iterable[Part]) -> str:
    """Parts, in the order of the turns, as lines that each end in a newline; empty for no parts."""
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
    """Code, indented so that no line of it begins like one of ours."""
    return "".join(f"{INDENT}{line}\n" for line in text.split("\n"))


def most_that_fit(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest count that fits, when every smaller one does; 0 when none does."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _separator(text_before: str, joint: str) -> str:
    return " " if joint == ". " and text_before[-1] in ".!?:,;…。\uff01\uff1f" else joint
