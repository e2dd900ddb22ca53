"""Cut text to a number of tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from turnfold.contract.text import whole_numbers
from turnfold.tokens import ESTIMATOR, Counter, TokenCount

_SHORTEST_BOTH: Final = 150
"""Code points from which both ends are shown: in fewer, the words of the end would say nothing."""
_LONGEST_WORD: Final = 20
"""Longest word, in code points, that is not cut."""
_GUESSES: Final = 5
"""Counts per cut before the best size so far is used."""


def clip_text(text: str, max_tokens: int | None, counter: Counter = ESTIMATOR) -> tuple[str, bool]:
    """Cut `text` to at most `max_tokens`, between words where there are any; True if cut."""
    if max_tokens is None or counter.count(text) <= max_tokens:
        return text, False
    length = longest_within(len(text), max_tokens, lambda size: counter.count(head_of(text, size)))
    return head_of(text, length), True


def clip_middle(text: str, max_tokens: int, gap: str, count: TokenCount) -> str:
    """Both ends of `text` around `gap`, two thirds of it from the beginning; the tokens of `gap` count too.

    A text of which a read kept only the ends is cut the same way, so the words next to `gap` are never from its middle.

    Only `gap` is left when nothing else fits; it may then cost more than `max_tokens`.
    """

    def clipped(size: int) -> str:
        tail = size // 3
        end = _tail(text, tail).lstrip() if size >= _SHORTEST_BOTH else ""
        return head_of(text, size - tail).rstrip() + gap + end

    length = longest_within(len(text) - 1, max_tokens, lambda size: count(clipped(size)))
    return clipped(length).strip()


def longest_within(limit: int, max_tokens: int, tokens_at: Callable[[int], int]) -> int:
    """A size of at most `limit` whose tokens fit, close to the largest, found in a few counts; 0 if none was found.

    Assumes that tokens grow about evenly with the size. The returned size was counted, so an irregular counter only
    makes the cut shorter.
    """
    fits, fails = 0, limit + 1
    guess = min(limit, max(0, max_tokens) * 4)
    for _ in range(_GUESSES):
        if not fits < guess < fails:
            guess = (fits + fails) // 2
            if guess <= fits:
                break
        tokens = tokens_at(guess)
        if tokens <= max_tokens:
            fits = guess
            if tokens >= max_tokens * 0.97:
                break
        else:
            fails = guess
        guess = int(guess * max_tokens * 0.985 / max(1, tokens))
    return fits


def head_of(text: str, size: int) -> str:
    """At most `size` code points from the beginning, ending with a word if one ends near."""
    cut = text[:size]
    if size < len(text) and text[size].isspace():
        return cut
    space = cut.rfind(" ")
    near = space > max(0, min(size * 3 // 4, size - _LONGEST_WORD))
    return cut[:space] if near and size < len(text) else text[: whole_numbers(text, size)]


def _tail(text: str, size: int) -> str:
    cut = text[-size:]
    space = cut.find(" ")
    if 0 <= space < max(size // 4, _LONGEST_WORD):
        return cut[space + 1 :]
    start = max(0, len(text) - size)
    # A number that the tail would begin inside of is left out.
    return cut if whole_numbers(text, start) == start else cut.lstrip("0123456789.,")
