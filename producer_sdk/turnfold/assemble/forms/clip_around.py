"""Cutting a long turn around what it tells: its head, its end, and between them what must not be lost. Pure.

Kept are sentences with decisions, numbers, errors, names and paths. A fence is shown whole, or named on one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.assemble.forms.clip import clip_middle, head_of, longest_within
from turnfold.code_blocks.blocks import block_name, line_count
from turnfold.code_blocks.languages import kind_of_language, language_of
from turnfold.contract.fences import Fence, fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.tokens import TokenCount

_FURTHER_GAP: Final = " […] "
"""Stands for what is left out, but for the first place, which has the marker."""
_SENTENCE_END: Final = lazy_pattern(
    r"\n+|(?<=[.!?;:])(?<![\s#]\d\.)(?<![\s#]\d\d\.)[ \t]+(?=\S)|(?<=[\u3002\uff01\uff1f])"
)
_SIGNS: Final = (
    (
        lazy_pattern(
            r"(?i)\b(?:decid\w+|decision|agreed?|chose\w*|must|never|always|instead|deadline|conclu\w+|final\w*|cannot|can't"
            r"|won't|will not|do not|don't|because|important|required?|note that|in short|so we|let's|prefer\w*|only)\b"
        ),
        1.0,
    ),
    (lazy_pattern(r"(?i)\b(?:\w{0,30}errors?|\w{0,30}exception|fail(?:ed|ure|s)?|denied|timed out|broken)\b"), 0.8),
    (lazy_pattern(r"\d"), 0.6),
    (lazy_pattern(r"`[^`\n]+`|\b\w+_\w+\b|\b\w+\.\w{1,5}\b(?=[\s,)]|$)|\S/\S|://"), 0.5),
    (lazy_pattern(r"(?<=[\w,;:)] )[A-Z][\w'-]+"), 0.4),
    (lazy_pattern(r"\?\s*$"), 0.3),
)
"""What a sentence has that must not be lost, and what it adds to its worth."""
_PLAIN: Final = 0.3
_BARE: Final = 0.05
"""For a word or a heading alone."""
_FENCED: Final = 1.2
_NAMED: Final = 0.6
_OVERHEAD: Final = 40
"""Code points that a piece is charged beside its own: a gap costs too."""
_LONGEST_PIECE: Final = 400
_LEAST_BEGINNING: Final = 24
"""Code points of the first words."""
_HEAD: Final = 1
"""Pieces from the beginning that are taken first, then the last one."""


class _Piece(NamedTuple):
    """A sentence of a text, or a fence, which is shown whole or named, not both."""

    start: int
    end: int
    text: str
    """As it is shown."""
    worth: float
    fence: int = -1
    """Which one; of a sentence -1."""
    named: bool = False

    @property
    def size(self) -> int:
        """Code points that it takes."""
        return len(self.text) + _OVERHEAD


def clip_around(text: str, max_tokens: int, gap: str, count: TokenCount, *, kept: int | None = None) -> str:
    """What `text` tells, in order, within `max_tokens`; `gap` stands where something is left out first.

    `kept` is where a read left the middle of the text out: there is a gap whatever is shown. Where not even a sentence
    fits, the ends are shown, as `clip_middle` does.
    """
    pieces, order = _pieces_in_order(text, kept)

    def shown(size: int) -> str:
        return _joined(text, _taken(pieces, order, size), gap, kept)

    size = longest_within(sum(piece.size for piece in pieces), max_tokens, lambda size: count(shown(size)))
    taken = _taken(pieces, order, size)
    if taken:
        return _joined(text, taken, gap, kept)
    return clip_middle(_without_fences(text, pieces), max_tokens, gap, count)


@lru_cache(maxsize=64)
def _pieces_in_order(text: str, kept: int | None) -> tuple[Sequence[_Piece], Sequence[int]]:
    """The pieces of a text, and the order in which they are taken: one read cuts a turn to several sizes."""
    pieces = _pieces(text, kept)
    return pieces, _order(pieces)


def _pieces(text: str, kept: int | None) -> list[_Piece]:
    pieces: list[_Piece] = []
    at = 0
    for number, fence in enumerate(fences_of(text)):
        pieces += _sentences(text, at, fence.start, kept)
        end = fence.end - (text[fence.end - 1 : fence.end] == "\n")
        # What a read cut is not whole any more.
        if kept is None or not fence.start < kept < fence.end:
            pieces.append(_Piece(fence.start, end, text[fence.start : end], _FENCED, number))
        pieces.append(_Piece(fence.start, end, _name(text, fence), _NAMED, number, named=True))
        at = fence.end
    return [*pieces, *_sentences(text, at, len(text), kept)]


def _sentences(text: str, start: int, end: int, kept: int | None) -> list[_Piece]:
    edges = {match.end() for match in _SENTENCE_END.finditer(text, start, end)} | {end}
    if kept is not None and start < kept < end:
        edges.add(kept)
    pieces = []
    for edge in sorted(edges):
        while start < edge:
            stop = edge
            if edge - start > _LONGEST_PIECE:
                space = text.rfind(" ", start + _LONGEST_PIECE // 2, start + _LONGEST_PIECE)
                stop = space + 1 if space > 0 else edge
            piece = text[start:stop]
            if words := piece.strip():
                begin = start + len(piece) - len(piece.lstrip())
                signs = sum(points for pattern, points in _SIGNS if pattern.search(words))
                worth = _PLAIN + signs if words.count(" ") > 1 else _BARE
                pieces.append(_Piece(begin, begin + len(words), words, worth))
            start = stop
    return pieces


def _name(text: str, fence: Fence) -> str:
    inside = text[fence.inside : fence.inside_end]
    language = language_of(fence.info, inside)
    return f"({block_name(inside, kind_of_language(language), language, lines=line_count(inside))})"


def _order(pieces: Sequence[_Piece]) -> list[int]:
    """Positions of the pieces: the first ones and the last one, then by what they tell for their length."""
    prose = [i for i, piece in enumerate(pieces) if piece.fence < 0]
    first = [*prose[:_HEAD], *prose[max(_HEAD, len(prose) - 1) :]]
    rest = sorted(set(range(len(pieces))) - set(first), key=lambda i: (-pieces[i].worth / pieces[i].size, i))
    return [*first, *rest]


def _taken(pieces: Sequence[_Piece], order: Sequence[int], size: int) -> list[_Piece]:
    """Those that fit into so many code points, in order; a fence that fits stands whole, and its name does not.

    A text always begins with its first words, however long its first sentence is.
    """
    taken: dict[int, _Piece] = {}
    for i in order:
        piece = pieces[i]
        if not taken and piece.fence < 0:
            piece = _begun(piece, max(_LEAST_BEGINNING, size - _OVERHEAD))
        if piece.size <= size:
            taken[i] = piece
            size -= piece.size
    chosen = [taken[i] for i in sorted(taken)]
    whole = {piece.fence for piece in chosen if not piece.named}
    return [piece for piece in chosen if not (piece.named and piece.fence in whole)]


def _begun(piece: _Piece, size: int) -> _Piece:
    """The beginning of a piece, up to so many code points."""
    words = head_of(piece.text, size).rstrip()
    return piece._replace(text=words, end=piece.start + len(words))


def _joined(text: str, taken: Sequence[_Piece], gap: str, kept: int | None) -> str:
    """The pieces with what stood between them, or a gap where something did that is left out."""
    shown: list[str] = []
    at = 0
    mark = gap
    after_fence = False
    for piece in taken:
        is_cut = kept is not None and at <= kept <= piece.start
        if text[at : piece.start].strip() or is_cut:
            # A fence begins and ends on lines of its own.
            shown.append(f"\n{mark.strip()}\n" if after_fence or piece.fence >= 0 else mark)
            mark = _FURTHER_GAP
        else:
            shown.append(text[at : piece.start])
        shown.append(piece.text)
        at = piece.end
        after_fence = piece.fence >= 0
    if text[at:].strip() or (kept is not None and at <= kept):
        shown.append(f"\n{mark.strip()}" if after_fence else mark)
    return "".join(shown).strip()


def _without_fences(text: str, pieces: Sequence[_Piece]) -> str:
    """The text with its fences named."""
    shown = []
    at = 0
    for piece in pieces:
        if piece.named:
            shown += [text[at : piece.start], piece.text]
            at = piece.end
    return "".join([*shown, text[at:]])
