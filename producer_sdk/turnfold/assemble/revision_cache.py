"""Cache of results that reads of one stored state share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

_Found = TypeVar("_Found")

MOST_ENTRIES: Final = 256
"""Maximum number of results cached for one state; then the cache is cleared."""


class Memo:
    """Cache keyed by what a result depends on besides the stored state. Safe to share among threads.

    It never changes what a read returns: two threads may both compute a result, and get equal ones.
    """

    __slots__ = ("_found", "_most")

    def __init__(self, most: int = MOST_ENTRIES) -> None:
        self._most = most
        self._found: dict[Hashable, Any] = {}

    def of(self, key: Hashable, make: Callable[[], _Found]) -> _Found:
        """Return the result of a key, computed by `make` the first time."""
        known: _Found | None = self._found.get(key)
        if known is None:
            if len(self._found) >= self._most:
                self._found.clear()
            known = self._found[key] = make()
        return known

    def anew(self, key: Hashable, make: Callable[[], _Found]) -> _Found:
        """Compute the result of a key again, and replace the cached one."""
        made = self._found[key] = make()
        return made
