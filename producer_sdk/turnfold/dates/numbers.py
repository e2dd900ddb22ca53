"""Counts in words: 'two', 'a couple of', 'several'."""

from __future__ import annotations

from typing import Final

COUNT: Final = (
    r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty"
    r"|(?:a )?couple(?: of)?|a few|few|several|some|half a(?:n)?|a (?:year|month|week) and a half"
)
"""A regex for lower-case text, without capturing groups."""
_WORDS: Final = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty
"""
NUMBER_OF: Final = {word: number for number, word in enumerate(_WORDS.split(), start=1)}
"""The numbers one to twenty, by their English words."""
_VALUES: Final = {"a": 1, "an": 1, "a couple": 2, "a couple of": 2, "couple": 2, "couple of": 2, **NUMBER_OF}
_FEW: Final = (2, 6)
_HALVES: Final = {
    "decade": ("five", "year"), "year": ("six", "month"), "month": ("two", "week"), "fortnight": ("one", "week"),
    "week": ("a few", "day"), "day": ("0", "day"),
}  # fmt: skip
"""Half of each unit, in a whole number of smaller units."""


def count_of(shown: str) -> tuple[int, int]:
    """Return the least and the greatest number that a match of `COUNT` may mean; equal if it is exact.

    >>> count_of("two"), count_of("a few")
    ((2, 2), (2, 6))
    """
    shown = shown.lower()
    if shown.isdigit():
        return int(shown), int(shown)
    number = _VALUES.get(shown)
    return (number, number) if number else _FEW


def whole_units(count: str, unit: str) -> tuple[str, str]:
    """Return a count and its unit, with half a unit converted to smaller units.

    >>> whole_units("half a", "year"), whole_units("two", "year")
    (('six', 'month'), ('two', 'year'))
    """
    return _HALVES.get(unit, ("one", unit)) if count.lower().startswith("half") else (count, unit)
