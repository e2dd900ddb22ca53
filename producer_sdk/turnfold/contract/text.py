"""Text that every database takes, and text that is cut. Pure."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_REPLACED: Final = {0: "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def clean(text: str) -> str:
    """`text` with NUL and lone surrogates replaced by U+FFFD: no database takes them, and no client sends them."""
    return text if "\x00" not in text and _can_be_sent(text) else text.translate(_REPLACED)


def _can_be_sent(text: str) -> bool:
    """Whether UTF-8 has a form of all of it; a hundred times as fast to find out as to replace nothing."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


ENDS: Final = 1_500
"""Code points of either end of a long question that are looked at: a pasted document is about its ends.

Both together are three thousand: no question costs a read more than three times what one of a thousand does.
"""


_PART_BEHIND: Final = lazy_pattern(r"(?<=\s)\S{1,64}\Z")
_PART_BEFORE: Final = lazy_pattern(r"\A\S{1,64}(?=\s)")
"""What is left of a word where a text was cut; scripts without blanks have longer ones, which stay."""


def ends_of(text: str, most: int = ENDS) -> str:
    r"""A question as it is looked for: the ends of one that is longer, so that no paste makes a read slow.

    Blanks around it do not count, or they would be all that is left of it; no end has a part of a word.

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
"""Code points of a number that is never cut; nobody reads a longer one as a number."""


def whole_numbers(text: str, size: int) -> int:
    """The largest size up to `size` at which a cut of `text` leaves no part of a number: `1,250,000` is not `1,25`.

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
