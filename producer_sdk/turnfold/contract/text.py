"""Cleaning text for databases, and cutting it. Pure."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_REPLACED: Final = {0: "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def clean(text: str) -> str:
    """Replace NUL and lone surrogates with U+FFFD, as databases and clients cannot take them."""
    return text if "\x00" not in text and _can_be_sent(text) else text.translate(_REPLACED)


def _can_be_sent(text: str) -> bool:
    """Whether a text is valid UTF-8; a hundred times as fast as an unneeded `translate`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


ENDS: Final = 1_500
"""Code points used of either end of a long question, as a pasted document states its subject at the ends.

The total of three thousand bounds the cost of a read to three times that of a question of a thousand.
"""


_PART_BEHIND: Final = lazy_pattern(r"(?<=\s)\S{1,64}\Z")
_PART_BEFORE: Final = lazy_pattern(r"\A\S{1,64}(?=\s)")
"""A truncated word at a cut; longer runs, as in scripts without spaces, are kept."""


def ends_of(text: str, most: int = ENDS) -> str:
    r"""Shorten a long question to its beginning and end, so that no paste makes a read slow.

    Surrounding whitespace is stripped first, and truncated words are dropped.

    >>> ends_of("  the first word, middle, and a last  ", 12)
    'the first \n and a last'
    """
    if len(text) > 2 * most:
        text = text.strip()
    if len(text) <= 2 * most:
        return text
    first, last = text[:most], text[-most:]
    if not text[most].isspace():
        first = _PART_BEHIND.sub("", first)
    if not text[-most - 1].isspace():
        last = _PART_BEFORE.sub("", last)
    return f"{first}\n{last}"


_LONGEST_NUMBER: Final = 40
"""Maximum code points of a number that a cut keeps whole; nothing longer is read as a number."""


def whole_numbers(text: str, size: int) -> int:
    """Return the largest size up to `size` at which a cut splits no number: `1,250,000` is not `1,25`.

    >>> text = "pay 1,250,000 euros"
    >>> text[: whole_numbers(text, 8)]
    'pay '
    """
    after = text[size : size + 2]
    if not (after[:1].isdigit() or (after[:1] in {".", ","} and after[1:].isdigit())):
        return size
    start, stop = size, size
    while start and stop - start < _LONGEST_NUMBER and (text[start - 1].isdigit() or text[start - 1] in ".,"):
        start -= 1
    while stop < len(text) and stop - start < _LONGEST_NUMBER and (text[stop].isdigit() or text[stop] in ".,"):
        stop += 1
    return start if stop - start < _LONGEST_NUMBER else size
