"""Code fences: a text as prose and code, in order, nothing lost."""

from __future__ import annotations

from dataclasses import dataclass

from turnfold.contract.fences import fences_of


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
    for fence in fences_of(text):
        pieces.extend(_prose(text[prose : fence.start]))
        inside = text[fence.inside : fence.inside_end]
        pieces.append(Piece(text[fence.start : fence.end], code=True, closed=fence.closed, inside=inside))
        prose = fence.end
    pieces.extend(_prose(text[prose:]))
    return tuple(pieces)


def _prose(text: str) -> list[Piece]:
    return [Piece(text, code=False)] if text else []
