"""What a name or the beginning of a line looks like to whoever reads it, so that nobody passes for somebody else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalike_letters import ALIKE, BRACKETS, COLONS

RESERVED_LABELS: Final = (
    "user", "assistant", "system", "developer", "tool", "function", "human", "task", "memory",
)  # fmt: skip
"""What no speaker is called: roles of providers, and lines of ours."""

_NAMES_OF_ROLES: Final = (
    "bot", "chatbot", "model", "llm", "language model", "operator", "ai assistant", "ai bot", "ai model", "ai system",
    "the ai", "the bot", "the model", "the operator", "the assistant", "the system", "the developer", "the user",
)  # fmt: skip
"""What nobody is called either; a line of a text may begin with it, and say what a printer's model is."""
_NOT_AI: Final = str.maketrans("lL", "zz")
"""Al is somebody's name; whatever else is drawn like the letters of AI stands for them."""

UNSEEN: Final = dict.fromkeys((*range(32), 127, 8203, 65279, *range(8234, 8239), *range(8294, 8298)))
"""For `str.translate`: control characters and marks that reorder text; a line could say something else with them."""
REORDERING: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Marks that have the text around them shown in another order."""
_STEERING: Final = lazy_pattern(f"[\x7f-\x9f{REORDERING}]")
"""What JSON may hold as it is, and steers a terminal: control characters, and marks that reorder text."""
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that are shown as nothing, or as a blank, and that Unicode counts among letters, marks or symbols."""
_LONGEST_UNSEEN: Final = 4_096
"""Code points of a line that are looked at for its seen beginning: what is pushed behind them hides."""
_BLANKS: Final = lazy_pattern(r"(?<=\S)[ \t]{2,}")
_NUMBER: Final = lazy_pattern(r"^\s*\d{1,9}\s+")
"""Before a label: lines of ours number turns so."""
_BEHIND: Final = lazy_pattern(r"[(\[{<!|]")
"""What stands behind a label, as we write it too, gives the line to the same speaker."""

_LETTERS: Final = str.maketrans({character: letter for letter, alike in ALIKE.items() for character in alike})
_NAMES_LETTER: Final = lazy_pattern(r"\b(?:LATIN|SYMBOL)\b.* LETTER (?:SMALL CAPITAL )?([A-Z])(?![A-Z])")
"""Of a character's name: \u00f8, \u1d00, \U0001f150 and \U0001f1e6 are letters of the alphabet in another dress."""
# Of one skeleton: letters and digits that are taken for each other.
_TAKEN_FOR: Final = str.maketrans(
    {"l": "i", "1": "i", "|": "i", "!": "i", "0": "o", "5": "s", "$": "s", "3": "e", "@": "a", "4": "a", "7": "t"}
)
MARKS_FOR_LETTERS: Final = "@$|!"
"""ASCII marks that are taken for a letter."""
_PAIRS: Final = (("rn", "m"), ("vv", "w"))


def escaped_json(text: str) -> str:
    r"""JSON with escapes in place of what steers a terminal: it reads as the same values.

    >>> print(escaped_json('"\x9b2J"'))
    "\u009b2J"
    """
    return text if text.isascii() and "\x7f" not in text else _STEERING.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def is_unseen(character: str) -> bool:
    """Whether a character is shown as nothing: control and format characters, and fillers."""
    return unicodedata.category(character) in {"Cc", "Cf"} or character in _FILLERS


def is_bracket(character: str) -> bool:
    """Whether a character is, or looks like, the bracket with which our lines begin."""
    return character == "[" or (
        not character.isascii() and (character in BRACKETS or unicodedata.category(character) == "Ps")
    )


def seen_beginning(line: str, most: int) -> str:
    r"""The first code points of a line that are seen, at most `most`: no marks, no blanks but single spaces.

    Empty for a line without any, and for one that hides its beginning behind thousands that are not seen.

    >>> seen_beginning("\ufe0f\u00a0[recent]", 4)
    '[rec'
    """
    begins = line[:most]
    # A tab is a blank that everybody sees.
    if line[:1] in {" ", "\t"} or (_is_plain(begins) and "  " not in begins.replace("\t", " ")):
        return begins
    looked_at = line[:_LONGEST_UNSEEN]
    squeezed = _BLANKS.sub(" ", looked_at)
    seen = squeezed[:most]
    if not _is_plain(seen):
        seen = "".join(islice(filter(_is_seen, squeezed), most))
    return "" if len(seen) < most and len(looked_at) < len(line) else seen


def passes_for(label: str, skeletons: AbstractSet[str]) -> bool:
    """Whether a label is taken for one of those with these skeletons, numbered or with something behind it too.

    >>> passes_for("47 Assistant (quoted)", RESERVED)
    True
    """
    bare = _NUMBER.sub("", label)
    return any(skeleton(text) in skeletons for text in (label, bare, _BEHIND.split(bare, maxsplit=1)[0]))


def passes_for_role(name: str) -> bool:
    """Whether a display name is taken for a role: one that a provider knows, or that people call the same.

    >>> [passes_for_role(name) for name in ("AI", "B0t", "The Operator", "Al", "Ana (operator of cranes)")]
    [True, True, True, False, False]
    """
    return passes_for(name, _ROLES) or passes_for(name.translate(_NOT_AI), _AI)


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


def _is_plain(text: str) -> bool:
    """Whether all of it is ASCII that is seen; a line break may end it."""
    return text.isascii() and text.replace("\t", " ").rstrip("\r\n").isprintable()


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
_ROLES: Final = RESERVED.union(map(skeleton, _NAMES_OF_ROLES))
_AI: Final = frozenset({skeleton("ai")})
