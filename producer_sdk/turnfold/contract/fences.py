"""Code in a text, by offset: fenced blocks, and runs of lines that look like code. Pure, linear time.

Fences follow CommonMark, except for an unclosed one: CommonMark takes the rest of the text for code. Here the rest is
code only if its lines look like code, so that a stray mark does not hide prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern

_FENCE: Final = lazy_pattern(r"^[ \t]{0,8}(?P<mark>`{3,}|~{3,})(?P<info>[^\n`]{0,200})$", re.MULTILINE)
_CODE_LINE: Final = lazy_pattern(
    r"[ \t]{0,60}(?:\d{1,6}[:|](?!\d)"
    r"|(?:import|from|def|class|public|private|protected|return|const|package|using) [^.!?]{1,120}$"
    r"|@\w{1,40}(?:\(|[ \t]*$)|</?[a-zA-Z!][^<>]{0,200}>|[{}\[\]();]{1,6}[ \t]*$|[$>#]{1,3} \S|\S{0,200}[$#][ \t]*$)"
    r"|[^\n]{0,240}[;{}][ \t]*$|[ \t]{4,60}[^\n]{0,160}[)=(:,][ \t]*$"
)
"""Match a line outside a fence that looks like code, output or markup; two in a row are a code block."""
_INSIDE: Final = lazy_pattern(
    r"[ \t]{0,60}(?:[\w.\[\]\"']{1,80}[ \t]*[-+*/:|]?=[ \t]*\S|(?:\#|//)[ \t]?\S|[\w.]{1,80}\([^\n]{0,200}\)[ \t]*$)"
)
"""Match a line inside a fence that looks like code: an assignment, a comment, a call."""
_MOST_STRAY: Final = 4
"""Stray marks after which the search for fences continues."""
_LOOKED_AT: Final = 40
"""Lines of an unclosed fence that are checked."""
_LIKE_CODE: Final = 0.5
_NAMED_LIKE_CODE: Final = 0.25
"""Minimum share of code-like lines for an unclosed fence to be code; lower if its info string names a language."""


class Fence(NamedTuple):
    """A fenced code block of a text."""

    start: int
    """Start of the line of the opening mark."""
    inside: int
    """Start of the line after the opening mark."""
    inside_end: int
    """Start of the line of the closing mark, or the end of the text."""
    end: int
    """End of the block, after the line break of its closing line."""
    info: str
    """The info string after the opening mark, such as `python`."""
    closed: bool = True
    """False for a missing closing mark: the block extends to the end of the text."""


def fences_of(text: str, start: int = 0, end: int | None = None) -> list[Fence]:
    r"""Find the fenced blocks of `text[start:end]`, in order.

    A closing mark is at least as long as the opening one and has no info string.

    >>> fences_of("Run:\n```sh\nmake\n```\nDone.")
    [Fence(start=5, inside=11, inside_end=16, end=20, info='sh', closed=True)]
    """
    end = len(text) if end is None else end
    fences: list[Fence] = []
    if text.find("```", start, end) < 0 and text.find("~~~", start, end) < 0:
        return fences
    for _ in range(_MOST_STRAY):
        opened: re.Match[str] | None = None
        for match in _FENCE.finditer(text, start, end):
            if opened is None:
                opened = match
            elif match["mark"].startswith(opened["mark"]) and not match["info"].strip():
                fences.append(_fence(opened, inside_end=match.start(), end=min(match.end() + 1, end), closed=True))
                opened = None
        if opened is None:
            break
        last = _fence(opened, inside_end=end, end=end, closed=False)
        if _looks_like_code(text[last.inside : last.inside_end], named=bool(last.info)):
            fences.append(last)
            break
        # A stray mark: fences may follow it.
        start = opened.end()
    return fences


def _fence(opened: re.Match[str], *, inside_end: int, end: int, closed: bool) -> Fence:
    return Fence(
        opened.start(), min(opened.end() + 1, inside_end), inside_end, end, opened["info"].strip(), closed=closed
    )


def _looks_like_code(inside: str, *, named: bool) -> bool:
    lines = [line for line in inside[: 300 * _LOOKED_AT].split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    alike = sum((_CODE_LINE.match(line) or _INSIDE.match(line)) is not None for line in lines)
    return alike > 0 and alike >= (_NAMED_LIKE_CODE if named else _LIKE_CODE) * len(lines)


def code_runs(text: str, lines: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Map the first to the last line index of each run of unfenced code; `lines` are (start, end) spans."""
    runs: dict[int, int] = {}
    first: int | None = None
    for i, (start, end) in enumerate([*lines, (0, 0)]):
        if i < len(lines) and start < end and _CODE_LINE.match(text, start, end):
            first = i if first is None else first
        else:
            if first is not None and i - first > 1:
                runs[first] = i - 1
            first = None
    return runs
