"""Clip a long turn to its most informative pieces: head, end, and what must not be lost between them. Pure.

Headings or items that structure the text are kept, so that "do number 3" is understood, and pieces with query terms,
decisions, numbers, errors, names and paths, under their headings. A fence or a formula is shown whole; a fence may be
named on one line instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from heapq import nlargest
from itertools import takewhile
from operator import itemgetter
from typing import Final, NamedTuple

from turnfold.assemble.forms.clip import clip_middle, head_of, longest_within
from turnfold.assemble.forms.text_pieces import Piece, closed, pieces_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import rarity
from turnfold.tokens import TokenCount

_FURTHER_GAP: Final = " […] "
"""Mark for every gap but the first, which has the marker."""


class Words:
    """Case-insensitive word pattern with a substring prefilter: the regex takes ten times as long."""

    def __init__(self, begun: str, pattern: str) -> None:
        """`begun`: comma-separated substrings in lower case, one of which is in every text that the pattern matches."""
        self._begun = begun.split(",")
        self.pattern = lazy_pattern(rf"(?i)\b(?:{pattern})\b")

    def are_in(self, text: str, lowered: str) -> bool:
        """Whether a text, also given in lower case, contains one of the words."""
        # Beyond ASCII, case-insensitive matching equates letters that `lower` keeps apart.
        if text.isascii() and not any(map(lowered.__contains__, self._begun)):
            return False
        return self.pattern.search(text) is not None


ERRORS: Final = Words(
    "error,exception,fail,denied,timed out,broken",
    r"\w{0,30}errors?|\w{0,30}exception|fail(?:ed|ure|s)?|denied|timed out|broken",
)
DECISIONS: Final = Words(
    "decid,decision,agree,chose,must,never,always,instead,deadline,conclu,final,cannot,can't,won't,will not,do not,"
    "don't,because,important,require,note that,in short,so we,let's,prefer,only",
    r"decid\w+|decision|agreed?|chose\w*|must|never|always|instead|deadline|conclu\w+|final\w*|cannot|can't"
    r"|won't|will not|do not|don't|because|important|required?|note that|in short|so we|let's|prefer\w*|only",
)
NAMES: Final = lazy_pattern(r"`[^`\n]+`|_(?<=\w_)\w|\.(?<=\w\.)\w{1,5}\b(?=[\s,)]|$)|/(?<=\S/)\S")
"""Names and paths, each from its mark on, which is the fastest to search for."""
_SIGNS: Final = (
    (NAMES, 0.5),
    (lazy_pattern(r"(?<=[\w,;:)] )[A-Z][\w'-]+"), 0.4),
    (lazy_pattern(r"\?\s*$"), 0.3),
)
"""Patterns of sentences that must not be lost, and the worth that each adds."""
_DECIDES: Final = 1.0
_FAILS: Final = 0.8
_DIGITS: Final = 0.6
"""Worth of a number in prose: lines of code and of files have numbers anyway."""
_PLAIN: Final = 0.3
_BARE: Final = 0.05
"""Worth of a piece of one or two words."""
_FENCED: Final = 1.2
_NAMED: Final = 0.6
_ASKED: Final = 2.0
"""Worth of the piece with most of the query."""
_MOST_ASKED: Final = 64
"""Maximum number of query stems, the rarest ones, to search for in every piece of a text."""
_OVERHEAD: Final = 40
"""Code points charged for each piece besides its own: a gap costs too."""
_LEAST_HEADS: Final = 3
"""Minimum number of headings of one depth, or of item heads, that make an outline."""
_MOST_HEADS: Final = 12
_LEAST_BEGINNING: Final = 24
"""Minimum number of code points of the first piece."""
_CLOSING: Final = lazy_pattern(
    r"(?i)(?:if you (?:have|need)|let me know|feel free|(?:i )?hope (?:this|that|it)|by following"
    r"|don't hesitate|you're welcome|these (?:steps|changes)|happy \w+ing|good luck)\b"
)
"""Closing phrases that add nothing."""
_ASKS: Final = lazy_pattern(r"(?i)\?\s*$|\bplease\b")
_NUMBER_OF_LINE: Final = lazy_pattern(r"\s{0,8}\d{1,7}[:|\t\u2192]")
_BEHIND_NUMBERS: Final = ":|\t\u2192"
_SHORTEST_LINE: Final = 4


class Focus(NamedTuple):
    """Criteria of a cut besides the text itself."""

    asked: tuple[str, ...] = ()
    """Stems of the query."""
    elsewhere: frozenset[str] = frozenset()
    """Lines, as `bare_lines` returns them, that are in the context anyway; pieces that repeat them are left out."""
    is_output: bool = False
    """Whether a tool wrote the text."""
    in_order: bool = False
    """Take pieces in text order rather than by worth, after the first piece and a request at the end."""


NO_FOCUS: Final = Focus()


class _Pieces:
    """The pieces of a text, with the properties that do not depend on a query."""

    def __init__(self, text: str, kept: int | None, *, is_output: bool) -> None:
        self.all = pieces_of(text, kept, is_output=is_output)
        self._is_output = is_output
        self.lengths = [len(piece.text) for piece in self.all]
        """Code points of each piece."""
        self.labels: list[tuple[int, ...]] = []
        """Places of the labels above each piece, the nearest first."""
        for piece in self.all:
            # A label precedes the pieces below it.
            self.labels.append((piece.label, *self.labels[piece.label]) if piece.label >= 0 else ())

    @cached_property
    def lowered(self) -> list[str]:
        """Each piece's text in lower case."""
        return [piece.text.lower() for piece in self.all]

    @cached_property
    def lines(self) -> list[list[str]]:
        """The `bare_lines` of each piece."""
        return [bare_lines(piece.text) for piece in self.all]

    @cached_property
    def signs(self) -> list[float]:
        """Worth of each piece without a query."""
        return [
            _signs(piece, lowered, is_output=self._is_output)
            for piece, lowered in zip(self.all, self.lowered, strict=True)
        ]


def clip_around(
    text: str, max_tokens: int, gap: str, count: TokenCount, *, kept: int | None = None, focus: Focus = NO_FOCUS
) -> str:
    """The most informative pieces of `text`, in order, within `max_tokens`; `gap` is put at the first omission.

    `kept` is the offset at which a read left the middle of the text out: there is always a gap. Where not even a
    sentence fits, the ends are shown, as by `clip_middle`.
    """
    pieces = _pieces_of(text, kept, is_output=focus.is_output)
    order = _in_order(text, kept, focus)
    words_by_size: dict[int, str] = {}

    def tokens_at(size: int) -> int:
        chosen = _taken(pieces, order, size)
        words = _joined(text, chosen, gap, kept)
        if chosen:
            words_by_size[size] = words
        return count(words)

    longest = sum(pieces.lengths) + _OVERHEAD * len(pieces.all)
    size = longest_within(longest, max_tokens, tokens_at)
    if size in words_by_size:
        return words_by_size[size]
    return clip_middle(_without_fences(text, pieces.all), max_tokens, gap, count) or gap.strip()


def bare_lines(text: str) -> list[str]:
    """Lines long enough to tell a text from others, without line numbers and indentation."""
    lines = [
        (_NUMBER_OF_LINE.sub("", line, count=1) if any(mark in line for mark in _BEHIND_NUMBERS) else line).strip()
        for line in text.split("\n")
    ]
    return [line for line in lines if len(line) >= _SHORTEST_LINE]


@lru_cache(maxsize=64)
def _pieces_of(text: str, kept: int | None, *, is_output: bool) -> _Pieces:
    """Pieces of a text, cached: later reads have other queries, and cut the same turns."""
    return _Pieces(text, kept, is_output=is_output)


@lru_cache(maxsize=64)
def _in_order(text: str, kept: int | None, focus: Focus) -> list[int]:
    """Places of the pieces in order of selection, cached: one read cuts a turn to several sizes."""
    return _order(_pieces_of(text, kept, is_output=focus.is_output), focus)


def _order(parted: _Pieces, focus: Focus) -> list[int]:
    """Places of the pieces by priority: first and last ones, then sections by the best piece's worth for its length."""
    pieces, elsewhere = parted.all, focus.elsewhere
    repeats: set[int] = set()
    if elsewhere:
        repeats = {i for i, lines in enumerate(parted.lines) if i and lines and elsewhere.issuperset(lines)}
    closing = [i for i, piece in enumerate(pieces) if _CLOSING.match(piece.text) and not piece.is_label]
    telling = [i for i, piece in enumerate(pieces) if not piece.is_label and i not in repeats and i not in closing]
    prose = [i for i in telling if pieces[i].fence < 0]
    first = [i for i, piece in enumerate(pieces[:1]) if piece.fence < 0]
    asking = [i for i in prose[-1:] if _ASKS.search(pieces[i].text)]
    if focus.in_order:
        return list(dict.fromkeys([*first, *prose[:1], *asking, *telling, *closing]))
    ends = dict.fromkeys([*first, *prose[:1], *prose[-1:]])
    worth = _worth(parted, telling, focus)

    def place(i: int) -> tuple[float, int]:
        # Consecutive lines of a tool's output say more than lines from many places.
        return (-worth[i] if focus.is_output else -worth[i] / (parted.lengths[i] + _OVERHEAD) ** 0.5, i)

    best = sorted(telling, key=place)
    asked_pieces = [i for i in best if worth[i] >= _ASKED]
    sections = {i: parted.labels[i][-1] for i in telling if parted.labels[i]}
    if not focus.is_output and (outline := _outline(pieces)):
        ends = dict.fromkeys([*first, *prose[:1], *asking, *outline])
    return list(dict.fromkeys([*first, *asked_pieces[:1], *ends, *_by_section(best, sections), *closing]))


def _outline(pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Places of the highest headings of which there are several, or of item heads; empty without any."""
    by_depth: dict[int, list[int]] = {}
    for i, piece in enumerate(pieces):
        if piece.depth:
            by_depth.setdefault(piece.depth, []).append(i)
    depths = [depth for depth, heads in by_depth.items() if len(heads) >= _LEAST_HEADS]
    return tuple(by_depth[min(depths)][:_MOST_HEADS]) if depths else ()


def _by_section(best: Iterable[int], sections: Mapping[int, int]) -> Iterator[int]:
    """Pieces, best first, each followed by the rest of its section: a section shown in part costs two more gaps."""
    members: dict[int, list[int]] = {}
    for i, section in sections.items():
        members.setdefault(section, []).append(i)
    for i in best:
        yield i
        yield from members.pop(sections[i], ()) if i in sections else ()


def _worth(pieces: _Pieces, places: Sequence[int], focus: Focus) -> dict[int, float]:
    """Worth of each piece, with its share of the query."""
    asked_stems = nlargest(_MOST_ASKED, ((stem, rarity(stem)) for stem in focus.asked), key=itemgetter(1))
    held = (
        {i: sum([weight for stem, weight in asked_stems if stem in pieces.lowered[i]]) for i in places}
        if asked_stems
        else {}
    )
    most_held = max(held.values(), default=0)
    return {i: (_ASKED * held[i] / most_held if most_held else 0.0) + pieces.signs[i] for i in places}


def _signs(piece: Piece, lowered: str, *, is_output: bool) -> float:
    if piece.fence >= 0:
        return _NAMED if piece.named else _FENCED
    if is_output:
        return float(ERRORS.are_in(piece.text, lowered))
    if piece.text.count(" ") <= 1:
        return _BARE
    digits = _DIGITS if not piece.is_code and any(map(str.isdigit, piece.text)) else 0.0
    points = [
        _DECIDES if DECISIONS.are_in(piece.text, lowered) else 0.0,
        _FAILS if ERRORS.are_in(piece.text, lowered) else 0.0,
        *[points for pattern, points in _SIGNS if pattern.search(piece.text)],
    ]
    return _PLAIN + digits + sum(points)


def _taken(pieces: _Pieces, order: Sequence[int], size: int) -> list[Piece]:
    """Select pieces that fit into `size` code points, in text order; a fence that fits replaces its name.

    Each piece brings its labels. A text always begins with its first words, however long its first sentence is.
    """
    everything, labels, lengths = pieces.all, pieces.labels, pieces.lengths
    taken_pieces: dict[int, Piece] = {}
    for i in order:
        if lengths[i] + _OVERHEAD > size and taken_pieces:
            continue
        piece = everything[i]
        if not taken_pieces and piece.fence < 0 and i == 0:
            piece = _begun(piece, max(_LEAST_BEGINNING, size - _OVERHEAD))
        # Labels cost no gap of their own: none separates a label from its piece, or one is there anyway.
        above = [*takewhile(lambda label: label not in taken_pieces, labels[i])]
        cost = len(piece.text) + sum([lengths[label] for label in above]) + _OVERHEAD
        if i not in taken_pieces and cost <= size:
            taken_pieces[i] = piece
            taken_pieces.update((label, everything[label]) for label in above)
            size -= cost
    chosen = [taken_pieces[i] for i in sorted(taken_pieces)]
    whole = {piece.fence for piece in chosen if piece.fence >= 0 and not piece.named}
    return [piece for piece in chosen if not (piece.named and piece.fence in whole)]


def _begun(piece: Piece, size: int) -> Piece:
    """Truncate a piece to `size` code points."""
    words = piece.text
    if len(words) > size:
        words = closed(head_of(words, size).rstrip())
    return piece._replace(text=words, end=piece.start + len(words))


def _joined(text: str, taken_pieces: Sequence[Piece], gap: str, kept: int | None) -> str:
    """Join the pieces with the text between them, or with a gap where text is left out."""
    parts: list[str] = []
    at = 0
    mark = gap
    after_whole = False
    for piece in taken_pieces:
        is_cut = kept is not None and at <= kept <= piece.start
        if text[at : piece.start].strip() or is_cut:
            begins_line = text.rfind("\n", at, piece.start) >= 0
            # A fence needs lines of its own; a paragraph, an item or a row begins on a new one.
            if after_whole:
                parts.append(f"\n{mark.strip()}\n")
            else:
                parts.append(f"{mark.rstrip()}\n" if begins_line or piece.fence >= 0 else mark)
            mark = _FURTHER_GAP
        else:
            parts.append(text[at : piece.start])
        parts.append(piece.text)
        at = piece.end
        after_whole = piece.fence >= 0
    if text[at:].strip() or (kept is not None and at <= kept):
        parts.append(f"\n{mark.strip()}" if after_whole else mark)
    return "".join(parts).strip()


def _without_fences(text: str, pieces: Sequence[Piece]) -> str:
    """Replace the fences of a text by their names; fences shorter than their names are dropped."""
    names = {piece.fence: piece.text for piece in pieces if piece.named}
    parts = []
    at = 0
    for piece in pieces:
        if piece.fence >= 0 and piece.start >= at:
            parts += [text[at : piece.start], names.get(piece.fence, "")]
            at = piece.end
    return "".join([*parts, text[at:]])
