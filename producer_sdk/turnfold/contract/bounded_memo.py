"""Bounded in-memory caches."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeVar

LONGEST: Final = 64
"""Maximum code points of a key that is cached."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_WORDS: Final = 8_192
"""Default size of a cache: a process has twenty, full after some hundred conversations, with up to .3 KB per entry."""
_CLAUSES: Final = 4_096
_LONGEST_CLAUSE: Final = 400


class Remembered(dict[str, Value]):
    """A memoized function: `table[text]` is `function(text)`; the table is cleared when it reaches `most` entries.

    Takes half the time of `functools.lru_cache` in `map(table.__getitem__, words)`, where it matters most. Texts longer
    than `longest`, which hardly repeat, are not cached.
    """

    __slots__ = ("_function", "_longest", "_most")

    def __init__(self, function: Callable[[str], Value], most: int = _WORDS, *, longest: int = LONGEST) -> None:
        super().__init__()
        self._function = function
        self._most = most
        self._longest = longest

    def __missing__(self, text: str) -> Value:
        made = self._function(text)
        if len(text) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[text] = made
        return made


class NewestEntries(dict[Key, Value]):
    """A dict of the `most` entries set last: setting a key again renews it, reading it does not."""

    __slots__ = ("_most",)

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        self.pop(key, None)
        super().__setitem__(key, value)
        while len(self) > self._most:
            # Another thread may have dropped the same key.
            self.pop(next(iter(self)), None)


def remembers_clauses(function: Callable[[str], Value]) -> Callable[[str], Value]:
    """Cache a pure function of a clause: the clauses of an open tail recur in each of its folds.

    Long clauses are not cached, which bounds the memory.
    """
    return Remembered(function, _CLAUSES, longest=_LONGEST_CLAUSE).__getitem__
