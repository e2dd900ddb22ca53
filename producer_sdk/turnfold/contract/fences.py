"""Where code stands in a text: fenced blocks, and runs of lines that look like code. Pure, linear, by offset.

CommonMark's fences, but for one that never closes: CommonMark takes all that follows for code. Here the rest of the
text is code only where its lines look like code, so that a stray mark hides nothing that was said.
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
"""A line that looks like code, output or markup outside a fence; two in a row are a code block."""
_INSIDE: Final = lazy_pattern(
    r"[ \t]{0,60}(?:[\w.\[\]\"']{1,80}[ \t]*[-+*/:|]?=[ \t]*\S|(?:\#|//)[ \t]?\S|[\w.]{1,80}\([^\n]{0,200}\)[ \t]*$)"
)
"""A line that looks like code behind a fence: an assignment, a comment, a call."""
_MOST_STRAY: Final = 4
"""Marks that open nothing behind which further fences are looked for."""
_LOOKED_AT: Final = 40
"""Lines of a fence that never closes that are looked at."""
_LIKE_CODE: Final = 0.5
_NAMED_LIKE_CODE: Final = 0.25
"""Share of the lines that look like code from which an open fence holds code: less where it names a language."""


class Fence(NamedTuple):
    """A fenced block of a text."""

    start: int
    """Of the line of the opening mark."""
    inside: int
    """The first code point after that line."""
    inside_end: int
    """Where the line of the closing mark begins, or the text ends."""
    end: int
    """After the closing line and its line break."""
    info: str
    """The words behind the opening mark, such as `python`."""
    closed: bool = True
    """False where the closing mark is missing: the block goes on to the end of the text."""


def fences_of(text: str, start: int = 0, end: int | None = None) -> list[Fence]:
    r"""Fenced blocks of `text[start:end]`, in order.

    A closing mark has at least as many signs as the opening one, and no words.

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
        # A stray mark: what it would have hidden may hold fences of its own.
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
    """Index of the first line of each run of unfenced code, with that of its last line; `lines` are spans."""
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
