"""What was worked out or written of late, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, TypeVar

LONGEST: Final = 64
"""Code points of a text that is remembered."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_WORDS: Final = 8_192
"""Of each table: a process has twenty, full after some hundred conversations, of up to .3 KB a text each."""
_CLAUSES: Final = 4_096
_LONGEST_CLAUSE: Final = 400


class Remembered(dict[str, Value]):
    """`table[text]` is `function(text)`; the table forgets everything when it holds `most` texts.

    Half the time of `functools.lru_cache` where it matters most, in `map(table.__getitem__, words)`, and a text that
    is too long to come again takes no memory.
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
    """The `most` entries that were set last: a key that is set again counts as new, one that is read does not."""

    __slots__ = ("_most",)

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        self.pop(key, None)
        super().__setitem__(key, value)
        while len(self) > self._most:
            # Another thread may have dropped the same one.
            self.pop(next(iter(self)), None)


def remembers_clauses(function: Callable[[str], Value]) -> Callable[[str], Value]:
    """A pure function of a clause, with what it gave for the last ones: an open tail is worded at each of its folds.

    Clauses that are long are not remembered, so that nobody's text takes the memory.
    """
    return Remembered(function, _CLAUSES, longest=_LONGEST_CLAUSE).__getitem__
