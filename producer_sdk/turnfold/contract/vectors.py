"""Sentence vectors in the form in which they are stored: one signed byte a number, so that arithmetic is exact.

A vector of unit length is multiplied by `SCALE` and rounded. Its direction moves by less than a degree (cosine 0.9999),
which is less than the difference between two processors; whatever is decided from the stored bytes is then the same
on every machine.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from types import MappingProxyType
from typing import Any, Final, NewType

Vector = NewType("Vector", bytes)
"""Signed bytes; the direction of a text's meaning. Empty: no direction, as of a text without words."""

DEFAULT_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"

SCALE: Final = 400
"""The largest number of a unit vector by all-MiniLM-L6-v2 is about 0.25: a byte holds it 400 times."""
_LARGEST: Final = 127

NO_VECTOR: Final = Vector(b"")
NO_VECTORS: Final[Mapping[Any, Vector]] = MappingProxyType({})
"""Of nothing a vector is known."""


def rounded(numbers: Iterable[float]) -> Vector:
    """The stored form of a vector of any length above 0; `NO_VECTOR` for one of length 0 or not of numbers."""
    given = list(numbers)
    length = math.sqrt(math.fsum(number * number for number in given))
    if not 0 < length < math.inf:
        return NO_VECTOR
    factor = SCALE / length
    clipped = (min(max(round(number * factor), -_LARGEST), _LARGEST) for number in given)
    return Vector(bytes(number & 0xFF for number in clipped))


def numbers_of(vector: Vector) -> Sequence[int]:
    """The signed bytes of a stored vector as numbers."""
    return memoryview(vector).cast("b")


def cosine(first: Sequence[int], second: Sequence[int]) -> float:
    """Cosine of two directions, from -1 to 1; 0 where one has none or they are by different models."""
    if not first or len(first) != len(second):
        return 0.0
    lengths = sum(map(mul, first, first)) * sum(map(mul, second, second))
    return sum(map(mul, first, second)) / math.sqrt(lengths) if lengths else 0.0


_WIDTH: Final = 2
_BITS: Final = bytes([ord("1") if 0 < number < 128 else ord("0") for number in range(256)])
_HALF_BYTES: Final = "0123456789abcdef"


def signs(vector: Vector) -> int:
    """One bit a number, 1 for those above 0. How many bits differ tells the angle between two directions, about."""
    return int(vector.translate(_BITS), 2) if vector else 0


def pack_signs(vectors: Sequence[tuple[int, Vector]]) -> bytes:
    """The signs of directions by their numbers, which are below 2^32; what has no direction is left out.

    How many signs each has, in two bytes, then the numbers in four bytes each, then the signs in as many as they need.
    """
    bits = max((len(vector) for _, vector in vectors), default=0)
    width = -(-bits // 8)
    codes = [(number, code) for number, vector in vectors if len(vector) == bits and (code := signs(vector))]
    numbers = struct.pack(f">{len(codes)}I", *(number for number, _ in codes))
    return b"".join([bits.to_bytes(_WIDTH, "big"), numbers, *(code.to_bytes(width, "big") for _, code in codes)])


def numbers_of_each(packed: bytes) -> int:
    """How many numbers the vectors have whose signs a block holds; 0 for a block without any."""
    return int.from_bytes(packed[:_WIDTH], "big")


def differing(asked: Vector, packed: bytes) -> list[tuple[int, int, bytes]]:
    """How many signs differ from those of a vector, the number and the signs of each direction of a block.

    None where the vectors have another number of numbers: they are another model's.
    """
    if not asked or numbers_of_each(packed) != len(asked):
        return []
    width = -(-len(asked) // 8)
    many = (len(packed) - _WIDTH) // (4 + width)
    numbers = struct.unpack_from(f">{many}I", packed, _WIDTH)
    code, read = signs(asked), int.from_bytes
    return [
        ((read(packed_signs, "big") ^ code).bit_count(), number, packed_signs)
        for number, (packed_signs,) in zip(
            numbers, struct.iter_unpack(f"{width}s", packed[_WIDTH + 4 * many :]), strict=True
        )
    ]  # fmt: skip


def cosines_to(asked: Vector, codes: Sequence[bytes]) -> list[float]:
    """The cosines, about, of a direction to others of which only the signs are known.

    Of the one that is asked all numbers count: nearer to the true cosine than counting signs that differ
    (Dong, Charikar, Li 2008).
    """
    if not codes:
        return []
    numbers = numbers_of(asked)
    length = math.sqrt(sum(map(mul, numbers, numbers)) * len(numbers))
    scale = math.sqrt(math.pi / 2) / length if length else 0.0
    padded = [*([0] * (-len(numbers) % 8)), *numbers]
    # What each half byte of signs adds: its four bits are the signs of four numbers.
    adds = [
        {
            ord(digit): sum(
                coordinate if bits >> 3 - i & 1 else -coordinate for i, coordinate in enumerate(padded[at : at + 4])
            )
            for bits, digit in enumerate(_HALF_BYTES)
        }
        for at in range(0, len(padded), 4)
    ]
    return [scale * sum(map(dict.__getitem__, adds, code.hex().encode())) for code in codes]
