"""Counts as people say them: 'two', 'a couple of', 'several'."""

from __future__ import annotations

from typing import Final

COUNT: Final = (
    r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|(?:a )?couple(?: of)?|a few|few|several|some|half a(?:n)?|a (?:year|month|week) and a half"
)
"""A pattern for lower-case text, without groups."""
_VALUES: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
    "a couple": 2, "a couple of": 2, "couple": 2, "couple of": 2,
}  # fmt: skip
_FEW: Final = (2, 6)


def count_of(shown: str) -> tuple[int, int]:
    """The least and the most that a count may mean; equal where it is exact. `shown` is what `COUNT` matched.

    >>> count_of("two"), count_of("a few")
    ((2, 2), (2, 6))
    """
    shown = shown.lower()
    if shown.isdigit():
        return int(shown), int(shown)
    number = _VALUES.get(shown)
    return (number, number) if number else _FEW
