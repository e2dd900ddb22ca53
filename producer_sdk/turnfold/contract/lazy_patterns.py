"""Regular expressions compiled on first use: compiling all of them at import takes a quarter of a second.

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
    """A proxy of `re.Pattern`; after its first use, its methods are the bound methods of the compiled pattern.

    Thread-safe: two threads that use it first at the same time both compile it, with the same result.
    """

    def __init__(self, source: str | Callable[[], str], flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Called only for missing attributes: once set, the compiled methods cost no more than those of a `re.Pattern`.
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
    """Return a pattern like `re.compile(source, flags)`, compiled on first use.

    For constants of a module only, as each pattern is kept forever. Functions of `re` that take a pattern reject it.
    """
    pattern = LazyPattern(source, flags)
    _PATTERNS.append(pattern)
    # `re.Pattern` cannot be subclassed; `LazyPattern` has all the methods that callers use.
    return cast("re.Pattern[str]", pattern)


def compile_lazy_patterns() -> None:
    """Compile the patterns, not compiled yet, of all modules imported so far."""
    for pattern in tuple(_PATTERNS):
        _ = pattern.search


def compiled_patterns() -> int:
    """Return how many lazy patterns this process has compiled."""
    return sum("search" in vars(pattern) for pattern in tuple(_PATTERNS))
