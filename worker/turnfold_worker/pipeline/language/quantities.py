"""Normalizes numbers and dates, so that different ways to write one compare equal: `1,500 euros` is `€1500`."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS
from turnfold_worker.pipeline.language.number_words import ONES, TENS, with_digits

DIGITS: Final = lazy_pattern(r"\d+(?:[.,]\d+)*")
WORD: Final = lazy_pattern(r"[^\W\d_]+|\d+")
_UNIT: Final = lazy_pattern(r"[^\d\s.,+-].*\Z")
SPELLED: Final = {word: str(number) for word, number in (ONES | TENS).items()} | {
    "hundred": "100", "thousand": "1000", "once": "1", "twice": "2", "both": "2", "half": "50", "dozen": "12",
}  # fmt: skip
_UNITS: Final = {
    "percent": "%", "per cent": "%", "milliseconds": "ms", "millisecond": "ms", "seconds": "s", "second": "s",
    "sec": "s", "secs": "s", "minutes": "min", "minute": "min", "mins": "min", "m": "min",
    "hours": "h", "hour": "h", "hrs": "h",
    "hr": "h", "euros": "€", "euro": "€", "eur": "€", "dollars": "$", "dollar": "$", "usd": "$", "pounds": "£",
    "pound": "£", "gbp": "£", "thousand": "k",
}  # fmt: skip
UNIT_NAMES: Final = frozenset(_UNITS)
"""Units that have more than one name."""
_SHORT: Final = 2
"""Maximum letters of a unit whose final `s` is not a plural."""


def spelled_number(word: str) -> str | None:
    """Return the digits of a number written as one word; None for other words.

    >>> spelled_number("forty"), spelled_number("fifty-five"), spelled_number("well-known")
    ('40', '55', None)
    """
    tens, hyphen, ones = word.partition("-")
    if hyphen and tens in TENS and len(digit := SPELLED.get(ones, "")) == 1:
        return f"{SPELLED[tens][0]}{digit}"
    return SPELLED.get(word)


def value_of(digits: str) -> str:
    """Normalize a number: no thousands separators, no leading zeros, no trailing zeros after the decimal point."""
    whole = re.sub(r",(?=\d{3}(?!\d))", "", digits).replace(",", ".")
    head, point, tail = whole.partition(".")
    tail = tail.rstrip("0")
    return (head.lstrip("0") or "0") + (point + tail if tail else "")


def quantity(shown: str) -> tuple[str, str]:
    """Parse a number as written into its value and its unit.

    >>> quantity("1,500 euros"), quantity("$40"), quantity("150 ms")
    (('1500', '€'), ('40', '$'), ('150', 'ms'))
    """
    digits = DIGITS.search(shown)
    if digits is None:
        return shown, ""
    sign, after = shown[: digits.start()].strip(" +-"), _UNIT.search(shown[digits.end() :].strip())
    unit = (sign or (after.group() if after else "")).lower()
    unit = _UNITS.get(unit, unit)
    return value_of(digits.group()), _UNITS.get(unit, unit.removesuffix("s") if len(unit) > _SHORT else unit)


_SIGNS: Final = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen"}
_MONEY: Final = {"dollar": "dollars", "usd": "dollars", "euro": "euros", "eur": "euros", "pound": "pounds",
                 "gbp": "pounds", "yen": "yen", "jpy": "yen"}  # fmt: skip
_ONE_NAME: Final = {
    "percent": "%", "per cent": "%", "ms": "ms", "msec": "ms", "millisecond": "ms", "s": "seconds", "sec": "seconds",
    "second": "seconds", "min": "minutes", "minute": "minutes", "h": "hours", "hr": "hours", "hour": "hours",
}  # fmt: skip
_SCALES: Final = {"k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6, "bn": 9, "billion": 9}
"""Powers of ten of the scale words of a sum of money; after other numbers `m` may be a metre and `k` a kelvin."""
_AMOUNT: Final = lazy_pattern(
    r"(?<![\w.,:/$€£¥])(?!(?:19|20)\d\ds)(?:(?P<sign>[$€£¥]) ?)?(?P<digits>\d{1,3}(?>(?:,\d{3})+)(?!\d)|\d{1,18}+)"
    r"(?>(?P<part>\.\d{1,9}+)?)"
    r"(?![.,:]?\d)(?: ?(?P<scale>k|thousand|mn|million|m|bn|billion)(?![^\W_]))?"
    r"(?:[ -]?(?P<unit>percent|per cent|milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|dollars?|"
    r"usd|euros?|eur|pounds?|gbp|yen|jpy)(?![^\W_]))?",
    re.IGNORECASE,
)
_CLOCK: Final = lazy_pattern(
    r"(?<![\w:.])(?P<hour>1[0-2]|0?\d)(?::(?P<minute>[0-5]\d))? ?(?P<half>[ap])(?:m(?!\w)|\.m\.?(?!\w))", re.IGNORECASE
)
_EARLY: Final = lazy_pattern(r"(?<![\w:.-])0(?=\d:[0-5]\d(?![\w:]))")
_MONTH: Final = "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in (*MONTHS, "Sept"))
_DAY: Final = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:,? (?P<year>(?:19|20)\d\d))?(?![\w:])"
_DATES: Final = (
    lazy_pattern(rf"(?<![\w.:-]){_DAY}(?: of)? (?P<month>{_MONTH})(?!\w)\.?{_YEAR}"),
    lazy_pattern(rf"(?<!\w)(?P<month>{_MONTH})\.? {_DAY}(?!\w){_YEAR}"),
    lazy_pattern(r"(?<![\w-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-2]\d|3[01])(?![\w-])"),
)


@lru_cache(maxsize=1_024)
def in_one_form(text: str) -> str:
    """Rewrite the amounts, days and times of day in a text in one canonical form.

    Units are not converted: `0.5 s` and `500 ms` stay different, and so do `10k` and `10,000`.

    >>> in_one_form("€1,500.00 by May 3rd, 4 p.m."), in_one_form("1500 EUR by 3 May, 16:00")
    ('1500 euros by 3 May, 16:00', '1500 euros by 3 May, 16:00')
    >>> in_one_form("fifteen hundred euros")
    '1500 euros'
    """
    text = with_digits(text)
    if not any(map(str.isdigit, text)):
        return text
    for pattern in _DATES:
        text = pattern.sub(_day_form, text)
    return _EARLY.sub("", _CLOCK.sub(_clock_form, _AMOUNT.sub(_amount_form, text)))


def sort_of_amount(amount: str) -> str:
    """Return the singular unit of a normalized amount; `money` for every currency, since one may replace another."""
    unit = amount.lstrip("+-$0123456789.,").strip()
    if unit in _MONEY.values():
        return "money"
    return unit.removesuffix("s") if len(unit) > _SHORT else unit


def _amount_form(match: re.Match[str]) -> str:
    scale, named = (match["scale"] or "").lower(), (match["unit"] or "").lower()
    named = named.removesuffix("s") if len(named) > _SHORT else named
    money = _MONEY.get(named) or _SIGNS.get(match["sign"] or "", "")
    if scale and not money:
        return match.group()
    unit = money or _ONE_NAME.get(named, named)
    digits = match["digits"] + (match["part"] or "")
    if not unit:
        return digits.replace(",", "")
    number = value_of(digits)
    if scale:
        number = value_of(f"{Decimal(number).scaleb(_SCALES[scale]):f}")
    return f"{number}{'' if unit == '%' else ' '}{unit}"


def _clock_form(match: re.Match[str]) -> str:
    hour = int(match["hour"]) % 12 + 12 * (match["half"].lower() == "p")
    return f"{hour}:{match['minute'] or '00'}"


def _day_form(match: re.Match[str]) -> str:
    month_told = match["month"]
    month = (
        MONTHS[int(month_told) - 1]
        if month_told.isdigit()
        else next(name for name in MONTHS if name.startswith(month_told[:3]))
    )
    year = f" {match['year']}" if match["year"] else ""
    return f"{int(match['day'])} {month}{year}"
