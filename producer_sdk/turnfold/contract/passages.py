"""Passages: runs of neighbouring notes of one turn, the unit of search, and the postings that point to them.

For each passage that contains its term, a posting records the impact (the part of BM25 that does not depend on the
query), the speaker's role and whether the passage is a question: a read scores by arithmetic over postings alone, and
fetches only the passages that it selects.
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
"""Approximate estimated tokens of a passage's notes."""
PLACES: Final = 256
"""Maximum number of passages of a turn."""
PASSAGES_A_BUNDLE: Final = 8
"""Maximum passages per bundle, neighbours of one turn. More would save few bytes and take longer to open."""
_LEVEL: Final = 6
_RAW: Final = -zlib.MAX_WBITS
"""Raw deflate, without zlib's header and checksum, which are six bytes of a bundle of two hundred."""
STANDING: Final = "!standing"
"""Pseudo-term of passages that state a standing wish of a user, relevant to any query. No word has this form."""
LAST_TURN: Final = 2**31 // PLACES - 1
"""Last turn whose passage numbers fit a 32-bit integer."""
MOST_IMPACT: Final = 255
"""Maximum impact, in hundredths; BM25's saturated term frequency is below 2.2."""
ORDERED: Final = MOST_IMPACT
"""Impact of `STANDING` for an order: 'Always answer in German'."""
PREFERRED: Final = 127
"""Impact of `STANDING` for a preference: 'I prefer short answers'."""
IMPACT_SCALE: Final = 100
IMPACT: Final = 0xFF
"""Bit mask of the impact in a pointer's mark; above it the role, whether the passage asks, whether it ends its turn."""
ROLE_SHIFT: Final = 8
ROLE: Final = 0x7
ASKS: Final = 1 << 11
ENDS: Final = 1 << 12
ROLES: Final = (*map(str, Role), OUTSIDE)
"""Voices by their number in a mark."""


def number_of(seq: int, place: int) -> int:
    """Number a passage of a turn; passages of a turn have consecutive numbers."""
    return seq * PLACES + place


def mark_of(impact: int, role: str, *, asks: bool, ends: bool) -> int:
    """Encode the mark of a pointer."""
    return impact | ROLES.index(role) << ROLE_SHIFT | (ASKS if asks else 0) | (ENDS if ends else 0)


def pack_pointers(pointers: Sequence[tuple[int, int]]) -> bytes:
    """Serialize pointers, pairs of a number and a mark, in six bytes each: all numbers, then all marks."""
    many = len(pointers)
    return struct.pack(f"<{many}I{many}H", *chain.from_iterable(zip(*pointers, strict=True)))


def unpack_pointers(packed: bytes) -> tuple[Sequence[int], Sequence[int]]:
    """Deserialize pointers into numbers and marks."""
    many = len(packed) // 6
    values = struct.unpack(f"<{many}I{many}H", packed)
    return values[:many], values[many:]


def pack_passage(notes: Sequence[Note], words: Iterable[str]) -> str:
    """Serialize the notes of a passage as JSON; `words` are the stems of each note, in the order of its weights."""
    first = notes[0]
    packed: list[Any] = [first.seq, first.place, first.speaker, first.role, first.day]
    for note, stems in zip(notes, words, strict=True):
        packed += (
            note.text, note.tokens, note.worth, note.weights, note.brief, note.brief_tokens, note.start, note.end, stems
        )  # fmt: skip
    return json.dumps(packed, ensure_ascii=False, separators=(",", ":"))


class Passage(NamedTuple):
    """A run of neighbouring notes of one turn."""

    number: int
    notes: tuple[Note, ...]
    words: tuple[str, ...]
    """Space-separated stems of each note."""


def bundle_of(number: int) -> int:
    """Return the number of the bundle that contains a passage. No bundle spans two turns."""
    return number // PASSAGES_A_BUNDLE


def pack_bundles(passages: Iterable[tuple[int, str]]) -> list[tuple[int, bytes]]:
    """Pack passages, given in order and without gaps within a turn, into bundles, by number."""
    return [
        (bundle, compressed("\n".join([body for _, body in held])))
        for bundle, held in groupby(passages, lambda passage: bundle_of(passage[0]))
    ]


def passages_among(bundles: Iterable[tuple[int, bytes]], numbers: Container[int]) -> list[tuple[int, str]]:
    """Return the passages with one of the given numbers, in the order of the bundles."""
    return [
        (number, body)
        for bundle, packed in bundles
        # JSON escapes line feeds, so a line feed always separates two passages.
        for number, body in enumerate(expanded(packed).split("\n"), start=bundle * PASSAGES_A_BUNDLE)
        if number in numbers
    ]


def compressed(text: str) -> bytes:
    """Compress the text of a bundle."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW)
    return packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()


def expanded(packed: bytes) -> str:
    """The inverse of `compressed`."""
    return zlib.decompress(packed, _RAW).decode("utf-8", "surrogatepass")


def unpack_passages(rows: Sequence[tuple[int, str]]) -> list[Passage]:
    """Deserialize passages, in the order of the rows."""
    # One parse for all: a read has a hundred passages.
    packed = json.loads(f"[{','.join([body for _, body in rows])}]")
    return [_passage(number, unpacked) for (number, _), unpacked in zip(rows, packed, strict=True)]


def unpack_written(bodies: Iterable[str]) -> list[tuple[int, str]]:
    """Parse the numbers and bodies of passages from rows of a model's notes."""
    return [(number, body) for written in bodies for number, body in json.loads(written)]


_FIELDS: Final = 9
"""Fields per note in a passage, the last being its stems."""
_new: Final[Any] = tuple.__new__
"""Like `Note(…)` and `Passage(…)`, without a Python-level call, as a read makes hundreds."""


def _passage(number: int, packed: list[Any]) -> Passage:
    seq, place, speaker, role, day = packed[:5]
    notes = [
        _new(Note, (seq, place, speaker, role, day, *packed[at : at + 4], 0, *packed[at + 4 : at + 8]))
        for place, at in enumerate(range(5, len(packed), _FIELDS), place)
    ]
    passage: Passage = _new(Passage, (number, tuple(notes), tuple(packed[4 + _FIELDS :: _FIELDS])))
    return passage
