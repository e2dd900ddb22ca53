"""What reads of one state worked out, so that the next one does not work it out again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

_Found = TypeVar("_Found")

MOST_ENTRIES: Final = 256
"""Results that are remembered of one state; then it begins anew."""


class Memo:
    """Results by what they depend on beside the stored state, which is always the same. Safe to share among threads.

    It never changes what a read returns: two threads may both work out a result, and find the same.
    """

    __slots__ = ("_found", "_most")

    def __init__(self, most: int = MOST_ENTRIES) -> None:
        self._most = most
        self._found: dict[Hashable, Any] = {}

    def of(self, key: Hashable, make: Callable[[], _Found]) -> _Found:
        """The result of this key, by `make` when it is asked for first."""
        known: _Found | None = self._found.get(key)
        if known is None:
            if len(self._found) >= self._most:
                self._found.clear()
            known = self._found[key] = make()
        return known

    def anew(self, key: Hashable, make: Callable[[], _Found]) -> _Found:
        """The result of this key by `make`, in the place of the one before."""
        made = self._found[key] = make()
        return made
