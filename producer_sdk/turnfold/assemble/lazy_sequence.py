"""Sequences that make their records on access, for reads that use few of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

_Record = TypeVar("_Record")


class Lazy(Sequence[_Record]):
    """Sequence of records in which `make` fills the None places of `made` on access. Safe to share among threads."""

    __slots__ = ("_make", "made")

    def __init__(self, made: list[_Record | None], make: Callable[[int], _Record]) -> None:
        """`make` returns the record at a place, counted from 0."""
        self.made = made
        self._make = make

    def __len__(self) -> int:
        return len(self.made)

    @overload
    def __getitem__(self, at: int) -> _Record: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[_Record, ...]: ...
    def __getitem__(self, at: int | slice) -> _Record | tuple[_Record, ...]:
        if isinstance(at, slice):
            return tuple([self[i] for i in range(*at.indices(len(self.made)))])
        found = self.made[at]
        if found is None:
            # Two threads may both make the record, with equal results.
            place = range(len(self.made))[at]
            found = self.made[place] = self._make(place)
        return found
