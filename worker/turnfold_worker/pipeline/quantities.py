"""Numbers and dates in a form in which two ways to write one are equal: `1,500 euros` is `€1500`."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.days import MONTHS

DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")
WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_UNIT: Final = re.compile(r"[^\d\s.,+-].*\Z")
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)(?!\w)")
_COUNTED: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
SPELLED: Final = {word: str(number) for number, word in enumerate(_COUNTED.split())} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100", "thousand": "1000", "once": "1",
    "twice": "2", "both": "2", "half": "50", "dozen": "12",
}  # fmt: skip
_UNITS: Final = {
    "percent": "%", "per cent": "%", "milliseconds": "ms", "millisecond": "ms", "seconds": "s", "second": "s",
    "sec": "s", "secs": "s", "minutes": "min", "minute": "min", "mins": "min", "m": "min",
    "hours": "h", "hour": "h", "hrs": "h",
    "hr": "h", "euros": "€", "euro": "€", "eur": "€", "dollars": "$", "dollar": "$", "usd": "$", "pounds": "£",
    "pound": "£", "gbp": "£", "thousand": "k",
}  # fmt: skip
_SHORT: Final = 2
"""Letters of a unit up to which an `s` at its end is its own."""


def value_of(digits: str) -> str:
    """A number without separators of thousands and without zeros that mean nothing."""
    whole = re.sub(r",(?=\d{3}(?!\d))", "", digits).replace(",", ".")
    head, point, tail = whole.partition(".")
    tail = tail.rstrip("0")
    return (head.lstrip("0") or "0") + (point + tail if tail else "")


def quantity(shown: str) -> tuple[str, str]:
    """Value and unit of a number as it is shown.

    >>> quantity("1,500 euros"), quantity("$40"), quantity("150 ms")
    (('1500', '€'), ('40', '$'), ('150', 'ms'))
    """
    digits = DIGITS.search(shown)
    if digits is None:
        return shown, ""
    before, after = shown[: digits.start()].strip(" +-"), _UNIT.search(shown[digits.end() :].strip())
    unit = (before or (after.group() if after else "")).lower()
    unit = _UNITS.get(unit, unit)
    return value_of(digits.group()), _UNITS.get(unit, unit.removesuffix("s") if len(unit) > _SHORT else unit)


def date_words(shown: str) -> frozenset[str]:
    """A date as the set of its parts: `14 May 2026`, `May 14th, 2026` and `2026-05-14` are one."""
    text = _ORDINAL.sub("", shown.lower())
    iso = re.match(r"(\d{4})-(\d{2})-(\d{2})", text)
    if iso:
        month = int(iso.group(2))
        name = MONTHS[month - 1] if 1 <= month <= len(MONTHS) else iso.group(2)
        text = f"{int(iso.group(3))} {name.lower()} {iso.group(1)}{text[iso.end() :]}"
    words = (word.lstrip("0") or "0" if word.isdigit() else word for word in WORD.findall(text))
    return frozenset(word[:3] if word.isalpha() else word for word in words if word not in {"of", "on", "t"})
