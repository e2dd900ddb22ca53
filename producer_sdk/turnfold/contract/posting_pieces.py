"""Postings as they are stored: many terms of many segments in one row, and in which row a term of a segment stands.

A row for each term and segment is mostly overhead. So a segment's postings are one piece at first; when eight
neighbouring blocks of segments are complete, their pieces are merged into as many that each hold a share of the terms
of all of them, by the terms' checksums. A piece is always about as large as what one segment says, a term is looked
for in a few pieces of each height however long the conversation is, and a fold merges at most eight a height.

Which piece holds what follows from the number of segments alone. Blocks are not merged at once: the first share with
the segment that completes them, each other one with one of the next segments, so that no fold takes long.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from operator import itemgetter
from typing import Final

from turnfold.contract.records import FAN_OUT

Posted = tuple[str, int, int, bytes]
"""A term, the segment that holds it, its weight there, and pointers to passages: `turnfold.contract.passages`."""

MOST_HEIGHT: Final = 5
"""Of a piece: of FAN_OUT ** 5 segments. What a piece says of a segment's place fits 16 bits."""
_HEIGHT_SHIFT: Final = 27
_PLACE: Final = (1 << _HEIGHT_SHIFT) - 1
_SPANS: Final = tuple(FAN_OUT**height for height in range(MOST_HEIGHT + 1))
"""Segments of a block, by height."""
_HEAD: Final = struct.Struct("<HI")
_POINTER: Final = 6
"""Bytes of a pointer: four of its number, two of its mark."""
_LEVEL: Final = 6
"""Of compression: higher ones save less than a hundredth."""


def code_of(term: str) -> int:
    """What tells to which share of a block a term belongs."""
    return zlib.crc32(term.encode("utf-8", "surrogatepass"))


def piece_of(code: int, idx: int, segments: int) -> int:
    """The number of the piece that holds a term of a segment, of a conversation of so many segments."""
    for height in range(MOST_HEIGHT, 0, -1):
        span = _SPANS[height]
        start = idx // span * span
        if start + span + code % _SPANS[height - 1] <= segments:
            return height << _HEIGHT_SHIFT | start + code % span
    return idx


def pieces_of(code: int, segments: int) -> Iterator[int]:
    """The numbers of all pieces that may hold a term, oldest segments first."""
    start = 0
    for height in range(MOST_HEIGHT, 0, -1):
        span = _SPANS[height]
        end = (segments - code % _SPANS[height - 1]) // span * span
        for block in range(start, end, span):
            yield height << _HEIGHT_SHIFT | block + code % span
        start = max(start, end)
    yield from range(start, segments)


def merged_with(segments: int) -> list[int]:
    """The numbers of the pieces that are merged when a conversation has its last segment of so many."""
    found: list[int] = []
    for height in range(1, MOST_HEIGHT + 1):
        span, child = _SPANS[height], _SPANS[height - 1]
        share = segments % span
        if segments >= span and share < child:
            start = segments - share - span
            found += [height - 1 << _HEIGHT_SHIFT | block + share for block in range(start, start + span, child)]
    return found


def pieces_over(idx: int) -> list[tuple[int, int]]:
    """First and last number, by height, of the pieces that may hold any term of a segment."""
    found = []
    for height, span in enumerate(_SPANS):
        first = height << _HEIGHT_SHIFT | idx // span * span
        found.append((first, first + span - 1))
    return found


def pieces_beyond(segments: int) -> list[tuple[int, int]]:
    """First and last number, by height, of the pieces that a conversation does not have that is cut to its segments."""
    found = []
    for height, span in enumerate(_SPANS):
        merged_last = _SPANS[height - 1] - 1 if height else 0
        settled = max(0, (segments - merged_last) // span * span)
        found.append((height << _HEIGHT_SHIFT | settled, height << _HEIGHT_SHIFT | _PLACE))
    return found


def in_pieces(postings: Iterable[Posted], segments: int) -> Mapping[int, list[Posted]]:
    """Postings by the numbers of their pieces."""
    found: dict[int, list[Posted]] = defaultdict(list)
    codes: dict[str, int] = {}
    for posted in postings:
        term = posted[0]
        code = codes.get(term)
        if code is None:
            code = codes[term] = code_of(term)
        found[piece_of(code, posted[1], segments)].append(posted)
    return found


def pack_piece(number: int, postings: Iterable[Posted]) -> bytes:
    """A piece: terms, then for each its segments, the heaviest and then the newest first, as `Piece` reads them."""
    ordered = sorted(sorted(postings, key=itemgetter(2, 1), reverse=True), key=itemgetter(0))
    terms: dict[str, int] = defaultdict(int)
    for term, *_ in ordered:
        terms[term] += 1
    names = "\0".join(terms).encode("utf-8", "surrogatepass")
    start = _start_of(number)
    sizes = [len(pointers) // _POINTER for *_, pointers in ordered]
    parts = [
        _HEAD.pack(len(terms), len(names)),
        names,
        _packed(terms.values()),
        _packed([idx - start for _, idx, _, _ in ordered]),
        _packed([weight for _, _, weight, _ in ordered]),
        _packed(sizes),
        *[pointers[: 4 * size] for size, (*_, pointers) in zip(sizes, ordered, strict=True)],
        *[pointers[4 * size :] for size, (*_, pointers) in zip(sizes, ordered, strict=True)],
    ]
    return zlib.compress(b"".join(parts), _LEVEL)


def _packed(numbers: Collection[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}H", *numbers)


def _start_of(number: int) -> int:
    """The first segment of a piece's block."""
    span = _SPANS[number >> _HEIGHT_SHIFT]
    return (number & _PLACE) // span * span


class Piece:
    """A piece that was read."""

    __slots__ = ("_first", "_idx", "_marks", "_numbers", "_raw", "_sizes", "_start", "_terms", "_weights")

    def __init__(self, number: int, packed: bytes) -> None:
        raw = zlib.decompress(packed)
        many, size = _HEAD.unpack_from(raw)
        at = _HEAD.size + size
        self._raw = raw
        self._start = _start_of(number)
        self._terms = raw[_HEAD.size : at].decode("utf-8", "surrogatepass").split("\0") if size else []
        counts = struct.unpack_from(f"<{many}H", raw, at)
        self._first = [0, *accumulate(counts)]
        total = self._first[-1]
        at += 2 * many
        values = struct.unpack_from(f"<{3 * total}H", raw, at)
        self._idx, self._weights, self._sizes = values[:total], values[total : 2 * total], values[2 * total :]
        self._numbers = at + 6 * total
        self._marks = self._numbers + 4 * sum(self._sizes)

    def heaviest(self, wanted: frozenset[str], most: int) -> Iterator[Posted]:
        """Of each wanted term the `most` postings that weigh most, the newest first among equals."""
        for term in wanted.intersection(self._terms):
            at = self._terms.index(term)
            yield from self._between(at, most)

    def all(self) -> Iterator[Posted]:
        """All postings."""
        for at in range(len(self._terms)):
            yield from self._between(at, _SPANS[-1])

    def _between(self, at: int, most: int) -> Iterator[Posted]:
        term, first, end = self._terms[at], self._first[at], self._first[at + 1]
        before = sum(self._sizes[:first])
        for i in range(first, min(end, first + most)):
            after = before + self._sizes[i]
            pointers = (
                self._raw[self._numbers + 4 * before : self._numbers + 4 * after]
                + self._raw[self._marks + 2 * before : self._marks + 2 * after]
            )
            yield term, self._start + self._idx[i], self._weights[i], pointers
            before = after


def heaviest(pieces: Iterable[Piece], terms: Sequence[str], most: int) -> list[Posted]:
    """Of each term the `most` postings that weigh most, the newest first among equals, by term in their order."""
    found: dict[str, list[Posted]] = {term: [] for term in terms}
    wanted = frozenset(terms)
    for piece in pieces:
        for posted in piece.heaviest(wanted, most):
            found[posted[0]].append(posted)
    return list(
        chain.from_iterable(sorted(postings, key=itemgetter(2, 1), reverse=True)[:most] for postings in found.values())
    )
