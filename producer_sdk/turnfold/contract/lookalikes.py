"""What a name or the beginning of a line looks like to whoever reads it, so that nobody passes for somebody else."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

RESERVED_LABELS: Final = (
    "user", "assistant", "system", "developer", "tool", "function", "human", "task", "memory",
)  # fmt: skip
"""What no speaker is called: roles of providers, and lines of ours."""

UNSEEN: Final = dict.fromkeys((*range(32), 127, 8203, 65279, *range(8234, 8239), *range(8294, 8298)))
"""For `str.translate`: control characters and marks that reorder text; a line could say something else with them."""
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that are shown as nothing, or as a blank, and that Unicode counts among letters, marks or symbols."""

# Letters that look like Latin ones in most fonts: those of Unicode's confusables (UTS 39) in Cyrillic and Greek.
_CAPITALS: Final = str.maketrans(
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7", "ABEZHIKMNOPTYX"
)
_SMALL: Final = str.maketrans(
    "\u0430\u0431\u0432\u0435\u0437\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0456\u0458\u0501\u04bb"
    "\u051b\u051d\u03b1\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c3\u03c4\u03c5\u03c7\u03c9\u0131\u0261\u0251",
    "a6be3kmhopctyxsijdhqwaenikmvopotuxwiga",
)
# Of one skeleton: letters and digits that are taken for each other.
_ALIKE: Final = str.maketrans(
    {"l": "i", "1": "i", "|": "i", "!": "i", "0": "o", "5": "s", "$": "s", "3": "e", "@": "a"}
)
_PAIRS: Final = (("rn", "m"), ("vv", "w"))


def is_unseen(character: str) -> bool:
    """Whether a character is shown as nothing: control and format characters, and fillers."""
    return unicodedata.category(character) in {"Cc", "Cf"} or character in _FILLERS


@lru_cache(maxsize=4_096)
def skeleton(text: str) -> str:
    r"""The letters that a short text looks like: equal for texts that are taken for each other.

    >>> skeleton("A\u200bss\u0456stant") == skeleton("assistant") == skeleton("ASSlSTANT")
    True
    """
    spread = unicodedata.normalize("NFKD", text).translate(_CAPITALS).casefold()
    latin = "".join(c for c in spread if not is_unseen(c) and not unicodedata.combining(c)).translate(_SMALL)
    letters = "".join(c for c in latin.translate(_ALIKE) if c.isalnum())
    for pair, single in _PAIRS:
        letters = letters.replace(pair, single)
    return letters


RESERVED: Final = frozenset(map(skeleton, RESERVED_LABELS))
"""Skeletons of the reserved labels."""
