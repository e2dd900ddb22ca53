"""Detection of names and line beginnings that look like others, so that no speaker can impersonate another."""

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
"""Labels that no speaker may have: roles of providers, and labels of our own lines."""

_NAMES_OF_ROLES: Final = (
    "bot", "chatbot", "model", "llm", "language model", "operator", "ai assistant", "ai bot", "ai model", "ai system",
    "the ai", "the bot", "the model", "the operator", "the assistant", "the system", "the developer", "the user",
)  # fmt: skip
"""Names of roles that no speaker may have either; a line of a text may begin with one, as in a printer's "model:"."""
_NOT_AI: Final = str.maketrans("lL", "zz")
"""Keep the name Al distinct from AI; all other lookalikes of the letters of AI count as AI."""

UNSEEN: Final = dict.fromkeys((*range(32), 127, 8203, 65279, *range(8234, 8239), *range(8294, 8298)))
"""For `str.translate`: control characters and reordering marks, which could change how a line reads."""
REORDERING: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Bidirectional marks, which reorder the text around them."""
_STEERING: Final = lazy_pattern(f"[\x7f-\x9f{REORDERING}]")
"""Characters that JSON may contain unescaped but a terminal interprets: control characters and reordering marks."""
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U0001d159")
"""Characters that render as nothing or as a blank, although Unicode counts them among letters, marks or symbols."""
_LONGEST_UNSEEN: Final = 4_096
"""Code points of a line that are searched for its visible beginning."""
_BLANKS: Final = lazy_pattern(r"(?<=\S)[ \t]{2,}")
_NUMBER: Final = lazy_pattern(r"^\s*\d{1,9}\s+")
"""A turn number before a label, as in our own lines."""
_BEHIND: Final = lazy_pattern(r"[(\[{<!|]")
"""Start of a suffix after a label, as in our own lines; the line still belongs to the same speaker."""

_LETTERS: Final = str.maketrans({character: letter for letter, alike in ALIKE.items() for character in alike})
_NAMES_LETTER: Final = lazy_pattern(r"\b(?:LATIN|SYMBOL)\b.* LETTER (?:SMALL CAPITAL )?([A-Z])(?![A-Z])")
"""Match the base letter in a character's name: \u00f8, \u1d00, \U0001f150, \U0001f1e6 are variants of Latin letters."""
# Letters and digits that are mistaken for each other share a skeleton.
_TAKEN_FOR: Final = str.maketrans(
    {"l": "i", "1": "i", "|": "i", "!": "i", "0": "o", "5": "s", "$": "s", "3": "e", "@": "a", "4": "a", "7": "t"}
)
MARKS_FOR_LETTERS: Final = "@$|!"
"""ASCII marks that are mistaken for a letter."""
_PAIRS: Final = (("rn", "m"), ("vv", "w"))


def escaped_json(text: str) -> str:
    r"""Escape the characters of JSON that a terminal would interpret; the parsed values stay equal.

    >>> print(escaped_json('"\x9b2J"'))
    "\u009b2J"
    """
    return text if text.isascii() and "\x7f" not in text else _STEERING.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def is_unseen(character: str) -> bool:
    """Whether a character is invisible: a control or format character, or a filler."""
    return unicodedata.category(character) in {"Cc", "Cf"} or character in _FILLERS


def is_bracket(character: str) -> bool:
    """Whether a character is, or looks like, the bracket that our lines begin with."""
    return character == "[" or (
        not character.isascii() and (character in BRACKETS or unicodedata.category(character) == "Ps")
    )


def seen_beginning(line: str, most: int) -> str:
    r"""Return the first visible code points of a line, at most `most`, without marks and with single spaces as blanks.

    Empty for a line without any, and for one that hides its beginning behind thousands of invisible characters.

    >>> seen_beginning("\ufe0f\u00a0[recent]", 4)
    '[rec'
    """
    begins = line[:most]
    # A tab is a visible blank.
    if line[:1] in {" ", "\t"} or (_is_plain(begins) and "  " not in begins.replace("\t", " ")):
        return begins
    looked_at = line[:_LONGEST_UNSEEN]
    squeezed = _BLANKS.sub(" ", looked_at)
    seen = squeezed[:most]
    if not _is_plain(seen):
        seen = "".join(islice(filter(_is_seen, squeezed), most))
    return "" if len(seen) < most and len(looked_at) < len(line) else seen


def passes_for(label: str, skeletons: AbstractSet[str]) -> bool:
    """Whether a label is mistaken for one with one of the skeletons, also with a number before or a suffix after it.

    >>> passes_for("47 Assistant (quoted)", RESERVED)
    True
    """
    bare = _NUMBER.sub("", label)
    return any(skeleton(text) in skeletons for text in (label, bare, _BEHIND.split(bare, maxsplit=1)[0]))


def passes_for_role(name: str) -> bool:
    """Whether a display name is mistaken for a role: one that providers know, or a common name of one.

    >>> [passes_for_role(name) for name in ("AI", "B0t", "The Operator", "Al", "Ana (operator of cranes)")]
    [True, True, True, False, False]
    """
    return passes_for(name, _ROLES) or passes_for(name.translate(_NOT_AI), _AI)


@lru_cache(maxsize=4_096)
def skeleton(text: str) -> str:
    r"""Reduce a short text to the letters that it looks like: lookalike texts have equal skeletons.

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
    """Whether a text is all visible ASCII, apart from a line break at its end."""
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
