"""What a pure function of a word gave, so that it is worked out once: words come again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

LONGEST: Final = 64
"""Code points of a text that is remembered."""

Value = TypeVar("Value")


class Remembered(dict[str, Value]):
    """`table[text]` is `function(text)`; the table forgets everything when it holds `most` texts.

    Half the time of `functools.lru_cache` where it matters most, in `map(table.__getitem__, words)`, and a text that
    is too long to come again takes no memory.
    """

    __slots__ = ("_function", "_most")

    def __init__(self, function: Callable[[str], Value], most: int = 32_768) -> None:
        super().__init__()
        self._function = function
        self._most = most

    def __missing__(self, text: str) -> Value:
        value = self._function(text)
        if len(text) <= LONGEST:
            if len(self) >= self._most:
                self.clear()
            self[text] = value
        return value
