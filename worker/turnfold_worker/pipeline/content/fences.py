"""Code fences: a text as prose and code, in order, nothing lost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"^[ \t]{0,8}(?P<mark>`{3,}|~{3,})(?P<info>[^\n`]{0,200})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; the parts one after the other are the text."""

    text: str
    """Verbatim; of code the fences too."""
    code: bool
    closed: bool = True
    """False for code whose closing fence is missing: it goes on to the end of the text."""
    inside: str = ""
    """Code without its fences."""


def split_fences(text: str) -> tuple[Piece, ...]:
    r"""Prose and fenced code of a text; a closing fence has at least as many marks as the opening one, and no words.

    >>> [(piece.code, piece.inside or piece.text) for piece in split_fences("Run:\\n```sh\nmake\n```\nDone.")]
    [(False, 'Run:\n'), (True, 'make\n'), (False, 'Done.')]
    """
    pieces: list[Piece] = []
    prose = 0
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif match.group("mark").startswith(opened.group("mark")) and not match.group("info").strip():
            stop = min(match.end() + 1, len(text))
            pieces.extend(_prose(text[prose : opened.start()]))
            pieces.append(_code(text, opened, match.start(), stop, closed=True))
            prose, opened = stop, None
    if opened is not None:
        pieces.extend(_prose(text[prose : opened.start()]))
        pieces.append(_code(text, opened, len(text), len(text), closed=False))
    else:
        pieces.extend(_prose(text[prose:]))
    return tuple(pieces)


def _prose(text: str) -> list[Piece]:
    return [Piece(text, code=False)] if text else []


def _code(text: str, opened: re.Match[str], inside_end: int, stop: int, *, closed: bool) -> Piece:
    begin = min(opened.end() + 1, inside_end)
    return Piece(
        text[opened.start() : stop],
        code=True,
        closed=closed,
        inside=text[begin:inside_end],
    )
