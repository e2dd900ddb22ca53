"""Storage of postings: pieces, each with many terms of many segments in one row, and the lookup of a term's pieces.

A row for each term and segment would be mostly overhead. So a new segment's postings are one piece; when eight
neighbouring blocks of segments are complete, their pieces are merged into as many that each contain a share of the
terms of all of them, by the terms' checksums. A piece is always about as large as the postings of one segment, a term
is looked up in a few pieces per height however long the conversation is, and a fold merges at most eight per height.

The number of segments alone determines which piece contains what. Merges are spread out: the first share of a block is
merged with the segment that completes the block, the others with the segments after it, so that no fold takes long.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, repeat, takewhile
from operator import itemgetter
from typing import Final

from turnfold.contract.records import FAN_OUT

Posted = tuple[str, int, int, bytes]
"""A term, the segment that contains it, its weight there, and pointers to passages: `turnfold.contract.passages`."""

MOST_HEIGHT: Final = 5
"""Maximum height of a piece, with FAN_OUT ** 5 segments; the offset of a segment in a piece fits 16 bits."""
_HEIGHT_SHIFT: Final = 27
_PLACE: Final = (1 << _HEIGHT_SHIFT) - 1
_SPANS: Final[tuple[int, ...]] = tuple(FAN_OUT**height for height in range(MOST_HEIGHT + 1))
"""Segments per block, by height."""
_PARTS: Final = 4
"""Pieces of a merged block per segment of it; smaller pieces mean that a read fetches fewer unrelated terms."""
_PER_SEGMENT: Final[tuple[int, ...]] = (1, *[_PARTS] * MOST_HEIGHT)
_SHARES: Final[tuple[int, ...]] = tuple(span * each for span, each in zip(_SPANS, _PER_SEGMENT, strict=True))
"""Pieces per block, by height."""
_HEAD: Final = struct.Struct("<HIII")
"""Number of terms, bytes of their names, number of postings, number of pointers."""
_POINTER: Final = 6
"""Bytes per pointer: four for its number, two for its mark."""
_LEVEL: Final = 6
"""Compression level; higher ones save less than a hundredth."""


def code_of(term: str) -> int:
    """Hash a term; the hash determines its share of a block."""
    return zlib.crc32(_name(term))


def _name(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")


def piece_of(code: int, idx: int, segments: int) -> int:
    """Return the number of the piece with the postings of a term of a segment, given the number of segments."""
    for height in range(MOST_HEIGHT, 0, -1):
        start = idx - idx % _SPANS[height]
        if start + _SPANS[height] + _wait(code, height) <= segments:
            return _number(height, start, code)
    return idx


def pieces_of(code: int, segments: int) -> Iterator[int]:
    """Yield the numbers of all pieces that may contain a term, oldest segments first."""
    start = 0
    for height in range(MOST_HEIGHT, 0, -1):
        span = _SPANS[height]
        end = (segments - _wait(code, height)) // span * span
        for block in range(start, end, span):
            yield _number(height, block, code)
        start = max(start, end)
    yield from range(start, segments)


def merged_with(segments: int) -> list[int]:
    """Return the numbers of the pieces to merge when the conversation reaches a number of segments."""
    numbers: list[int] = []
    for height in range(1, MOST_HEIGHT + 1):
        span, child = _SPANS[height], _SPANS[height - 1]
        waited = segments % span
        if segments >= span and waited < child:
            each = _PER_SEGMENT[height - 1]
            shares = range(waited * each, (waited + 1) * each)
            end = segments - waited
            numbers += [
                _number(height - 1, block, share) for block in range(end - span, end, child) for share in shares
            ]
    return numbers


def pieces_over(idx: int) -> list[tuple[int, int]]:
    """Return, by height, the first and last number of the pieces that may contain any term of a segment."""
    ranges = []
    for height, span in enumerate(_SPANS):
        first = _number(height, idx - idx % span, 0)
        ranges.append((first, first + _SHARES[height] - 1))
    return ranges


def pieces_beyond(segments: int) -> list[tuple[int, int]]:
    """Return, by height, the first and last number of the pieces to delete when a conversation is cut to `segments`."""
    ranges = []
    for height, span in enumerate(_SPANS):
        longest_wait = span // FAN_OUT - 1 if height else 0
        settled = max(0, (segments - longest_wait) // span * span)
        ranges.append((_number(height, settled, 0), height << _HEIGHT_SHIFT | _PLACE))
    return ranges


def _wait(code: int, height: int) -> int:
    """Return how many segments after the completion of a block a term's share of it is merged."""
    return code % _SHARES[height - 1] // _PER_SEGMENT[height - 1]


def _number(height: int, start: int, code: int) -> int:
    """Number the piece of a block, from its first segment; numbers of a height are in the order of the segments."""
    return height << _HEIGHT_SHIFT | start * _PER_SEGMENT[height] + code % _SHARES[height]


def _start_of(number: int) -> int:
    """Return the first segment of a piece's block."""
    height = number >> _HEIGHT_SHIFT
    place = (number & _PLACE) // _PER_SEGMENT[height]
    return place - place % _SPANS[height]


def in_pieces(postings: Iterable[Posted], segments: int) -> Mapping[int, list[Posted]]:
    """Group postings by the numbers of their pieces."""
    by_piece: dict[int, list[Posted]] = defaultdict(list)
    codes: dict[str, int] = {}
    for posted in postings:
        term = posted[0]
        code = codes.get(term)
        if code is None:
            code = codes[term] = code_of(term)
        by_piece[piece_of(code, posted[1], segments)].append(posted)
    return by_piece


def pack_piece(number: int, postings: Iterable[Posted]) -> bytes:
    """Serialize a piece: terms, their numbers of postings and pointers, then postings, heaviest and newest first."""
    ordered = sorted(sorted(postings, key=itemgetter(2, 1), reverse=True), key=itemgetter(0))
    start = _start_of(number)
    sizes = [len(pointers) // _POINTER for *_, pointers in ordered]
    counts: dict[str, int] = defaultdict(int)
    totals: dict[str, int] = defaultdict(int)
    for (term, *_), size in zip(ordered, sizes, strict=True):
        counts[term] += 1
        totals[term] += size
    names = _name("".join([f"\0{term}" for term in counts])) + b"\0"
    parts = [
        _HEAD.pack(len(counts), len(names), len(ordered), sum(sizes)),
        names,
        _packed(counts.values()),
        _packed(totals.values()),
        _packed([idx - start for _, idx, _, _ in ordered]),
        _packed([weight for _, _, weight, _ in ordered]),
        _packed(sizes),
        *[pointers[: 4 * size] for size, (*_, pointers) in zip(sizes, ordered, strict=True)],
        *[pointers[4 * size :] for size, (*_, pointers) in zip(sizes, ordered, strict=True)],
    ]
    return zlib.compress(b"".join(parts), _LEVEL)


def _packed(numbers: Collection[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}H", *numbers)


class Piece:
    """A deserialized piece."""

    __slots__ = ("_firsts", "_head", "_raw", "_start")

    def __init__(self, number: int, packed: bytes) -> None:
        self._raw = zlib.decompress(packed)
        self._head = _HEAD.unpack_from(self._raw)
        self._start = _start_of(number)
        self._firsts: tuple[list[int], list[int]] = ([], [])
        """Cumulative counts of postings and of pointers before each term, with the totals at the end."""

    def place_of(self, term: bytes) -> int:
        """Return the index of a UTF-8 term in the piece; -1 if absent."""
        at = self._raw.find(b"\0%b\0" % term, _HEAD.size, _HEAD.size + self._head[1])
        return at if at < 0 else self._raw.count(b"\0", _HEAD.size, at)

    def weights(self, place: int, most: int) -> tuple[int, ...]:
        """Return the `most` highest weights of a term's postings, in stored order."""
        at, first, many = self._at(place)
        return struct.unpack_from(f"<{min(many, most)}H", self._raw, at + 2 * (first + self._head[2]))

    def segments(self, place: int, most: int) -> list[int]:
        """Return the segments of the same postings as `weights`; among equal weights, newest first."""
        at, first, many = self._at(place)
        idxs = struct.unpack_from(f"<{min(many, most)}H", self._raw, at + 2 * first)
        return [self._start + idx for idx in idxs]

    def pointers(self, place: int, most: int) -> Iterator[bytes]:
        """Yield the pointers of the same postings as `weights`."""
        at, first, many = self._at(place)
        raw, held = self._raw, self._head[2]
        numbers = at + 6 * held + 4 * self._firsts[1][place]
        marks = at + 6 * held + 4 * self._head[3] + 2 * self._firsts[1][place]
        for size in struct.unpack_from(f"<{min(many, most)}H", raw, at + 2 * (first + 2 * held)):
            numbers_end, marks_end = numbers + 4 * size, marks + 2 * size
            yield raw[numbers:numbers_end] + raw[marks:marks_end]
            numbers, marks = numbers_end, marks_end

    def all(self) -> Iterator[Posted]:
        """Yield all postings."""
        names = self._raw[_HEAD.size : _HEAD.size + self._head[1]]
        for place, name in enumerate(names.split(b"\0")[1:-1]):
            term = name.decode("utf-8", "surrogatepass")
            columns = [column(place, _SPANS[-1]) for column in (self.segments, self.weights, self.pointers)]
            yield from zip(repeat(term), *columns)

    def _at(self, place: int) -> tuple[int, int, int]:
        """Return the offset of all postings, and the index of the first of a term and their number."""
        terms = self._head[0]
        at = _HEAD.size + self._head[1]
        if not self._firsts[0]:
            counts = struct.unpack_from(f"<{2 * terms}H", self._raw, at)
            self._firsts = [0, *accumulate(counts[:terms])], [0, *accumulate(counts[terms:])]
        firsts = self._firsts[0]
        return at + 4 * terms, firsts[place], firsts[place + 1] - firsts[place]


@lru_cache(maxsize=1_024)
def opened(number: int, packed: bytes) -> Piece:
    """Return a cached piece: a conversation tends to be queried again, with most of its pieces unchanged."""
    return Piece(number, packed)


class WantedPieces:
    """The pieces to fetch for terms of a conversation, given its number of segments."""

    def __init__(self, terms: Sequence[str], segments: int) -> None:
        self._pieces_of = {term: list(pieces_of(code_of(term), segments)) for term in terms}
        self.numbers = frozenset(chain.from_iterable(self._pieces_of.values()))

    def heaviest(self, pieces: Mapping[int, Piece], most: int, *, enough_pointers: float = math.inf) -> list[Posted]:
        """Return the `most` heaviest postings of each term, newest first among equals, in the order of the terms.

        After `enough_pointers` pointers, further postings of a term are returned without theirs.
        """
        postings: list[Posted] = []
        for term, numbers in self._pieces_of.items():
            name = _name(term)
            held = [pieces[number] for number in numbers if number in pieces]
            placed = [(piece, place) for piece in held if (place := piece.place_of(name)) >= 0]
            weights = [piece.weights(place, most) for piece, place in placed]
            if sum(map(len, weights)) > most:
                # Skip lighter postings early: of a ubiquitous term, that is nearly all.
                least = sorted(chain.from_iterable(weights))[-most]
                weights = [tuple(takewhile(least.__le__, some)) for some in weights]
            weighed = [
                (weight, idx, at)
                for at, (piece, place) in enumerate(placed)
                for weight, idx in zip(weights[at], piece.segments(place, len(weights[at])), strict=True)
            ]
            chosen = sorted(weighed, reverse=True)[:most]
            pointers = [piece.pointers(place, most) for piece, place in placed]
            left = _POINTER * enough_pointers
            for weight, idx, at in chosen:
                held_there = next(pointers[at]) if left > 0 else b""
                left -= len(held_there)
                postings.append((term, idx, weight, held_there))
        return postings
