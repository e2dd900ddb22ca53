"""Passages: neighbouring notes of one turn, which a query finds together, and how a term's posting points to them.

A posting says of each passage that holds its term how much it is about it (the part of BM25 that does not depend on
the query), who says it and whether it asks: a read scores by arithmetic over postings alone, and fetches only the
passages that it takes.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Container, Iterable, Sequence
from itertools import chain, groupby
from typing import Any, Final, NamedTuple

from turnfold.contract.notes import Note
from turnfold.contract.origins import OUTSIDE
from turnfold.contract.records import Role

PASSAGE_TOKENS: Final = 40
"""Estimated tokens of the notes of one passage, about."""
PLACES: Final = 256
"""Passages of one turn that have a number."""
PASSAGES_A_BUNDLE: Final = 8
"""A bundle holds up to so many neighbouring passages of one turn. More take hardly fewer bytes, and longer to open."""
_LEVEL: Final = 6
_RAW: Final = -zlib.MAX_WBITS
"""Deflate without zlib's header and checksum, six bytes of a bundle of two hundred."""
STANDING: Final = "!standing"
"""Stands as a term in postings for what a person wants from now on, whatever is asked. No word is such a term."""
LAST_TURN: Final = 2**31 // PLACES - 1
"""The last turn whose passages have numbers that a database's integer holds."""
MOST_IMPACT: Final = 255
"""An impact is BM25's saturated count, which is below 2.2, in hundredths."""
ORDERED: Final = MOST_IMPACT
"""The impact of `STANDING` for an order: 'Always answer in German'."""
PREFERRED: Final = 127
"""That for what a person likes better: 'I prefer short answers'."""
IMPACT_SCALE: Final = 100
IMPACT: Final = 0xFF
"""Bits of a pointer's mark: the impact, then the role, then whether the passage asks and whether its turn ends."""
ROLE_SHIFT: Final = 8
ROLE: Final = 0x7
ASKS: Final = 1 << 11
ENDS: Final = 1 << 12
ROLES: Final = (*map(str, Role), OUTSIDE)
"""Voices by their numbers in a mark."""


def number_of(seq: int, place: int) -> int:
    """The number of a turn's passage: the passage after one that is not its turn's last has the next number."""
    return seq * PLACES + place


def mark_of(impact: int, role: str, *, asks: bool, ends: bool) -> int:
    """The bits of a pointer."""
    return impact | ROLES.index(role) << ROLE_SHIFT | (ASKS if asks else 0) | (ENDS if ends else 0)


def pack_pointers(pointers: Sequence[tuple[int, int]]) -> bytes:
    """Six bytes a pointer, a number and a mark: all numbers, then all marks."""
    many = len(pointers)
    return struct.pack(f"<{many}I{many}H", *chain.from_iterable(zip(*pointers, strict=True)))


def unpack_pointers(packed: bytes) -> tuple[Sequence[int], Sequence[int]]:
    """The numbers and the marks."""
    many = len(packed) // 6
    values = struct.unpack(f"<{many}I{many}H", packed)
    return values[:many], values[many:]


def pack_passage(notes: Sequence[Note], words: Iterable[str]) -> str:
    """The notes of a passage as JSON; `words` are the stems of each, one string a note, in the order of its weights."""
    first = notes[0]
    packed: list[Any] = [first.seq, first.place, first.speaker, first.role, first.day]
    for note, stems in zip(notes, words, strict=True):
        packed += (
            note.text, note.tokens, note.worth, note.weights, note.brief, note.brief_tokens, note.start, note.end, stems
        )  # fmt: skip
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":"))


class Passage(NamedTuple):
    """Notes of one turn that stand beside each other."""

    number: int
    notes: tuple[Note, ...]
    words: tuple[str, ...]
    """The stems of each note, separated by spaces."""


def bundle_of(number: int) -> int:
    """The number of the bundle that holds a passage. None holds passages of two turns."""
    return number // PASSAGES_A_BUNDLE


def pack_bundles(passages: Iterable[tuple[int, str]]) -> list[tuple[int, bytes]]:
    """Bundles of passages by number, each as `pack_passage` made it, in order and without a gap within a turn."""
    return [
        (bundle, compressed("\n".join([body for _, body in held])))
        for bundle, held in groupby(passages, lambda passage: bundle_of(passage[0]))
    ]


def passages_among(bundles: Iterable[tuple[int, bytes]], numbers: Container[int]) -> list[tuple[int, str]]:
    """Those passages of bundles that have one of some numbers, in the order of the bundles."""
    return [
        (number, body)
        for bundle, packed in bundles
        # JSON escapes line feeds, so that each stands between two passages.
        for number, body in enumerate(expanded(packed).split("\n"), start=bundle * PASSAGES_A_BUNDLE)
        if number in numbers
    ]


def compressed(text: str) -> bytes:
    """A text as a bundle of passages holds it."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    return packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()


def expanded(packed: bytes) -> str:
    """The inverse of `compressed`."""
    return zlib.decompress(packed, _RAW).decode("utf-8", "surrogatepass")


def unpack_passages(rows: Sequence[tuple[int, str]]) -> list[Passage]:
    """Passages from their numbers and what `pack_passage` made, in the order of the rows."""
    # One parse for all: a read has a hundred of them.
    packed = json.loads(f"[{','.join([body for _, body in rows])}]")
    return [_passage(number, unpacked) for (number, _), unpacked in zip(rows, packed, strict=True)]


def unpack_written(bodies: Iterable[str]) -> list[tuple[int, str]]:
    """Numbers and bodies of passages from the rows of a model's notes."""
    return [(number, body) for written in bodies for number, body in json.loads(written)]


_FIELDS: Final = 9
"""Of a note in a passage, the last being its stems."""
_new: Final[Any] = tuple.__new__
"""As `Note(…)` and `Passage(…)`, without a call of Python's: a read makes hundreds."""


def _passage(number: int, packed: list[Any]) -> Passage:
    seq, place, speaker, role, day = packed[:5]
    notes = [
        _new(Note, (seq, place, speaker, role, day, *packed[at : at + 4], 0, *packed[at + 4 : at + 8]))
        for place, at in enumerate(range(5, len(packed), _FIELDS), place)
    ]
    passage: Passage = _new(Passage, (number, tuple(notes), tuple(packed[4 + _FIELDS :: _FIELDS])))
    return passage
