"""Sums of sentence vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add


def total(vectors: Iterable[Sequence[int]]) -> list[int]:
    """The sum of directions: that of what was said in all of them. Those without numbers do not count."""
    known = [vector for vector in vectors if len(vector)]
    summed = list(known[0]) if known else []
    for vector in known[1:]:
        summed = list(map(add, summed, vector))
    return summed
