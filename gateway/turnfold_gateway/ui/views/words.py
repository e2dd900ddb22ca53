"""Text for display: clipped, with visible control characters, with markers and anchors as runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from turnfold.contract.lookalikes import REORDERING

TURN_CHARACTERS: Final = 2_000
"""Code points of a turn shown in a list; the turn's own page has the rest."""
PAGE_CHARACTERS: Final = 40_000
"""Code points of a very long text shown on one page."""

_CONTROLS: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\U000e0000-\U000e007f{REORDERING}]")
"""The last range, Unicode tags, are letters that a model reads but people cannot see."""


def visible(text: str) -> str:
    """Make control characters visible, and neutralize those that reorder text."""
    return _CONTROLS.sub(_picture, text.replace("\r\n", "\n"))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else f"\u27e8U+{code:04X}\u27e9"


class Clip(NamedTuple):
    """The beginning of a text, as far as it fits."""

    text: str
    hidden: int
    """Code points left out."""


def clipped(text: str, most: int = TURN_CHARACTERS) -> Clip:
    """Return the first `most` code points of a text."""
    return Clip(text[:most], max(0, len(text) - most))


class Run(NamedTuple):
    """A piece of text. `marker` is set if the piece is one, `anchor` if an anchor covers it."""

    text: str
    marker: str | None = None
    anchor: str | None = None
    state: str | None = None


def runs_with_markers(text: str, markers: Iterable[str]) -> tuple[Run, ...]:
    """Split a text at its own markers, ignoring text that only looks like one. Joined, the runs are the text."""
    known = sorted(set(markers), key=len, reverse=True)
    if not known:
        return (Run(text),) if text else ()
    pattern = re.compile("(?<![\\w:])(?:" + "|".join(map(re.escape, known)) + ")(?![\\w-])")
    return tuple(_cut(text, pattern))


def _cut(text: str, pattern: re.Pattern[str]) -> Iterator[Run]:
    end = 0
    for match in pattern.finditer(text):
        if match.start() > end:
            yield Run(text[end : match.start()])
        yield Run(match[0], marker=match[0])
        end = match.end()
    if end < len(text):
        yield Run(text[end:])


class Mark(NamedTuple):
    """An anchor over `text[start:end]` of a turn."""

    start: int
    end: int
    type: str
    state: str


def runs_with_anchors(text: str, marks: Sequence[Mark]) -> tuple[Run, ...]:
    """Split a text where anchors begin and end; of overlapping ones the first wins. Joined, the runs are the text."""
    runs, end = [], 0
    for mark in sorted(marks):
        if mark.start < end or mark.end > len(text) or mark.start >= mark.end:
            continue
        if mark.start > end:
            runs.append(Run(text[end : mark.start]))
        runs.append(Run(text[mark.start : mark.end], anchor=mark.type, state=mark.state))
        end = mark.end
    if end < len(text):
        runs.append(Run(text[end:]))
    return tuple(runs)
