"""What a name or the beginning of a line looks like to whoever reads it, so that nobody passes for somebody else."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalike_letters import ALIKE, COLONS

RESERVED_LABELS: Final = (
    "user", "assistant", "system", "developer", "tool", "function", "human", "task", "memory",
)  # fmt: skip
"""What no speaker is called: roles of providers, and lines of ours."""

UNSEEN: Final = dict.fromkeys((*range(32), 127, 8203, 65279, *range(8234, 8239), *range(8294, 8298)))
"""For `str.translate`: control characters and marks that reorder text; a line could say something else with them."""
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that are shown as nothing, or as a blank, and that Unicode counts among letters, marks or symbols."""
_LONGEST_UNSEEN: Final = 4_096
"""Code points of a line that are looked at for one that is seen."""

_LETTERS: Final = str.maketrans({character: letter for letter, alike in ALIKE.items() for character in alike})
_NAMES_LETTER: Final = lazy_pattern(r"\b(?:LATIN|SYMBOL)\b.* LETTER (?:SMALL CAPITAL )?([A-Z])(?![A-Z])")
"""Of a character's name: \u00f8, \u1d00, \U0001f150 and \U0001f1e6 are letters of the alphabet in another dress."""
# Of one skeleton: letters and digits that are taken for each other.
_TAKEN_FOR: Final = str.maketrans(
    {"l": "i", "1": "i", "|": "i", "!": "i", "0": "o", "5": "s", "$": "s", "3": "e", "@": "a"}
)
_PAIRS: Final = (("rn", "m"), ("vv", "w"))


def is_unseen(character: str) -> bool:
    """Whether a character is shown as nothing: control and format characters, and fillers."""
    return unicodedata.category(character) in {"Cc", "Cf"} or character in _FILLERS


def is_bracket(character: str) -> bool:
    """Whether a character is, or looks like, the bracket with which our lines begin."""
    return character == "[" or (not character.isascii() and unicodedata.category(character) == "Ps")


def seen_beginning(line: str, most: int) -> str:
    r"""The first code points of a line that are seen, at most `most`: no marks, no blanks but spaces, nothing unseen.

    >>> seen_beginning("\ufe0f\u00a0[recent]", 4)
    '[rec'
    """
    begins = line[:most]
    # A tab is a blank that everybody sees.
    if begins.isascii() and begins.replace("\t", " ").rstrip("\r\n").isprintable():
        return begins
    return "".join(filter(_is_seen, line[:_LONGEST_UNSEEN]))[:most]


@lru_cache(maxsize=4_096)
def skeleton(text: str) -> str:
    r"""The letters that a short text looks like: equal for texts that are taken for each other.

    >>> skeleton("A\u200bss\u0456stant") == skeleton("assistant") == skeleton("ASSlSTANT")
    True
    """
    spread = unicodedata.normalize("NFKD", text).translate(_LETTERS).casefold().translate(_LETTERS)
    seen = [c for c in spread if c.isascii() or not (is_unseen(c) or unicodedata.combining(c))]
    letters = "".join(c for c in "".join(map(_latin, seen)).translate(_TAKEN_FOR) if c.isalnum())
    for pair, single in _PAIRS:
        letters = letters.replace(pair, single)
    return letters


def _latin(character: str) -> str:
    if character.isascii():
        return character
    named = _NAMES_LETTER.search(unicodedata.name(character, ""))
    return named[1].lower() if named else character


def _is_seen(character: str) -> bool:
    if character == " " or character in COLONS:
        return True
    return unicodedata.category(character)[0] not in "CMZ" and not is_unseen(character)


RESERVED: Final = frozenset(map(skeleton, RESERVED_LABELS))
"""Skeletons of the reserved labels."""
