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


SIGNS_BLOCK: Final = 64
"""Turns whose signs are stored together."""
_WIDTH: Final = 2
_BITS: Final = bytes([ord("1") if 0 < number < 128 else ord("0") for number in range(256)])


def signs(vector: Vector) -> int:
    """One bit a number, 1 for those above 0. How many bits differ tells the angle between two directions, about."""
    return int(vector.translate(_BITS), 2) if vector else 0


def pack_signs(vectors: Mapping[int, Vector], block: int) -> bytes:
    """The signs of a block's turns by seq: how many each has, in two bytes, then each in as many bytes as they need.

    Zeros for a turn without a direction.
    """
    first = block * SIGNS_BLOCK
    bits = max((len(vector) for vector in vectors.values()), default=0)
    width = -(-bits // 8)
    codes = [
        signs(vector) if len(vector := vectors.get(seq, NO_VECTOR)) == bits else 0
        for seq in range(first, min(first + SIGNS_BLOCK, max(vectors, default=0) + 1))
    ]
    return b"".join([bits.to_bytes(_WIDTH, "big"), *(code.to_bytes(width, "big") for code in codes)])


def differing(asked: Vector, block: int, packed: bytes) -> list[tuple[int, int]]:
    """How many signs differ from those of a vector, and the turn, of each turn of a block that has a direction.

    None where the vectors have another number of numbers: they are another model's.
    """
    if not asked or int.from_bytes(packed[:_WIDTH], "big") != len(asked):
        return []
    width = -(-len(asked) // 8)
    code, nothing, first = signs(asked), bytes(width), block * SIGNS_BLOCK
    return [
        ((int.from_bytes(one, "big") ^ code).bit_count(), seq)
        for seq, (one,) in enumerate(struct.iter_unpack(f"{width}s", packed[_WIDTH:]), first)
        if one != nothing
    ]


def cosine_of_signs(differ: int, bits: int) -> float:
    """The cosine of two directions of which so many signs differ, about (Charikar 2002)."""
    return math.cos(math.pi * differ / bits)
