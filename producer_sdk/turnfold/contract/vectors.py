"""Sentence vectors in the form in which they are stored: one signed byte a number, so that arithmetic is exact.

A vector of unit length is multiplied by `SCALE` and rounded. Its direction moves by less than a degree (cosine 0.9999),
which is less than the difference between two processors; whatever is decided from the stored bytes is then the same
on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import mul
from typing import Final, NewType

Vector = NewType("Vector", bytes)
"""Signed bytes; the direction of a text's meaning. Empty: no direction, as of a text without words."""

DEFAULT_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"

SCALE: Final = 400
"""The largest number of a unit vector by all-MiniLM-L6-v2 is about 0.25: a byte holds it 400 times."""
_LARGEST: Final = 127

NO_VECTOR: Final = Vector(b"")


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
