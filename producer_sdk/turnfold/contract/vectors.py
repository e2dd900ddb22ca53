"""Sentence vectors in stored form: one signed byte per dimension, so that arithmetic is exact.

A unit vector is multiplied by `SCALE` and rounded. Its direction moves by less than a degree (cosine 0.9999), which is
less than the difference between two CPUs; decisions made from the stored bytes are then the same on every machine.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from types import MappingProxyType
from typing import Any, Final, NewType

Vector = NewType("Vector", bytes)
"""Signed bytes of an embedding. Empty for a text without an embedding, such as one without words."""

DEFAULT_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"

SCALE: Final = 400
"""The largest component of a unit vector by all-MiniLM-L6-v2 is about 0.25, so that 400 times it fits a signed byte."""
_LARGEST: Final = 127

NO_VECTOR: Final = Vector(b"")
NO_VECTORS: Final[Mapping[Any, Vector]] = MappingProxyType({})
"""An empty mapping, for no known vectors."""


def rounded(numbers: Iterable[float]) -> Vector:
    """Quantize a vector of any positive length; `NO_VECTOR` for one of length 0 or with non-finite components."""
    given = list(numbers)
    length = math.sqrt(math.fsum(number * number for number in given))
    if not 0 < length < math.inf:
        return NO_VECTOR
    factor = SCALE / length
    clipped = (min(max(round(number * factor), -_LARGEST), _LARGEST) for number in given)
    return Vector(bytes(number & 0xFF for number in clipped))


def numbers_of(vector: Vector) -> Sequence[int]:
    """Return a view of a stored vector as signed integers."""
    return memoryview(vector).cast("b")


def cosine(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the cosine of two vectors, -1 to 1; 0 if one is empty or their dimensions differ."""
    if not first or len(first) != len(second):
        return 0.0
    lengths = sum(map(mul, first, first)) * sum(map(mul, second, second))
    return sum(map(mul, first, second)) / math.sqrt(lengths) if lengths else 0.0


_WIDTH: Final = 2
_BITS: Final = bytes([ord("1") if 0 < number < 128 else ord("0") for number in range(256)])
_HALF_BYTES: Final = "0123456789abcdef"


def signs(vector: Vector) -> int:
    """Return one bit per dimension, 1 if positive. The Hamming distance of two results approximates the angle."""
    return int(vector.translate(_BITS), 2) if vector else 0


def pack_signs(vectors: Sequence[tuple[int, Vector]]) -> bytes:
    """Serialize the signs of numbered vectors, with numbers below 2^32; empty vectors are omitted.

    Layout: the dimension in two bytes, then the numbers in four bytes each, then the signs in whole bytes each.
    """
    bits = max((len(vector) for _, vector in vectors), default=0)
    width = -(-bits // 8)
    codes = [(number, code) for number, vector in vectors if len(vector) == bits and (code := signs(vector))]
    numbers = struct.pack(f">{len(codes)}I", *(number for number, _ in codes))
    return b"".join([bits.to_bytes(_WIDTH, "big"), numbers, *(code.to_bytes(width, "big") for _, code in codes)])


def numbers_of_each(packed: bytes) -> int:
    """Return the dimension of the vectors in packed signs; 0 if empty."""
    return int.from_bytes(packed[:_WIDTH], "big")


def differing(asked: Vector, packed: bytes) -> list[tuple[int, int, bytes]]:
    """Compare a vector with packed signs: return the Hamming distance, number and signs of each entry.

    Empty if the dimensions differ, as the vectors are of another model.
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
    """Approximate the cosines of a vector to vectors of which only the signs are known.

    Uses the exact values of the query vector, which is closer to the true cosine than a Hamming distance
    (Dong, Charikar, Li 2008).
    """
    if not codes:
        return []
    numbers = numbers_of(asked)
    length = math.sqrt(sum(map(mul, numbers, numbers)) * len(numbers))
    scale = math.sqrt(math.pi / 2) / length if length else 0.0
    padded = [*([0] * (-len(numbers) % 8)), *numbers]
    # The contribution of each hex digit: its four bits are the signs of four dimensions.
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
