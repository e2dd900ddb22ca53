"""Regular expressions that are compiled when they are first used: all at once they take a quarter of a second.

>>> from turnfold.contract.lazy_patterns import lazy_pattern
>>> lazy_pattern(r"turn (?P<seq>[0-9]+)").search("see turn 42")["seq"]
'42'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, cast

_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class LazyPattern:
    """Stands in for a `re.Pattern`. From its first use on, its methods are the bound methods of the compiled pattern.

    Any thread may use it: two that come first together both compile it, with the same outcome.
    """

    def __init__(self, source: str | Callable[[], str], flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Reached only by what is not set yet: the compiled methods cost a call no more than those of a `re.Pattern`.
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "pattern":
            source = self._source
            self.pattern = source if isinstance(source, str) else source()
            return self.pattern
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


_PATTERNS: Final[list[LazyPattern]] = []


def lazy_pattern(source: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """A constant of a module like `re.compile(source, flags)`, compiled when it is first used.

    Not for functions of `re` that take a pattern, and never made again and again: the module keeps each.
    """
    pattern = LazyPattern(source, flags)
    _PATTERNS.append(pattern)
    # `re.Pattern` is final; what it does for its callers is all here.
    return cast("re.Pattern[str]", pattern)


def compile_lazy_patterns() -> None:
    """Compile what is not compiled yet, of the modules imported so far."""
    for pattern in tuple(_PATTERNS):
        _ = pattern.search


def compiled_patterns() -> int:
    """How many lazy patterns this process has compiled."""
    return sum("search" in vars(pattern) for pattern in tuple(_PATTERNS))
