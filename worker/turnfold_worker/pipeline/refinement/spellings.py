"""Spelling variants from code and hasty typing that a note may write out in prose."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.quantities import WORD

_LETTERS: Final = lazy_pattern(r"[A-Za-z]{2,80}")
_PART: Final = lazy_pattern(r"[A-Z]?[a-z]{2,40}|[A-Z]{2,40}(?![a-z])")
_CALENDAR: Final = lazy_pattern(
    r"(?<!\w)(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|april|june|july|august|september|october"
    r"|november|december|easter|christmas)(?!\w)"
)
_NONE: Final = lazy_pattern(
    r"(?P<before>[a-z]{1,40})(?P<between>[(:,`'\"= ]{1,4})None(?!\w)(?P<behind>\W{0,3}\w{0,40})"
)


def with_capitals(text: str) -> str:
    """Capitalize weekdays, months and holidays that were typed in lower case.

    >>> with_capitals("we go live on tuesday 7 april, the day after easter monday")
    'we go live on Tuesday 7 April, the day after Easter Monday'
    """
    return _CALENDAR.sub(lambda match: match.group().capitalize(), text)


def parts_of_names(text: str) -> frozenset[str]:
    """Return the words inside identifiers, in lower case.

    >>> sorted(parts_of_names("handler.setLevel(INFO)"))
    ['level', 'set']
    """
    names = [name for name in set(_LETTERS.findall(text)) if not name.isupper() and not name[1:].islower()]
    return frozenset(part.lower() for name in names for part in _PART.findall(name))


def spaced(text: str) -> str:
    """Return the words and figures of a text in lower case, with a space around each."""
    return f" {' '.join(WORD.findall(text.lower()))} "


def without_none(text: str, source: str) -> str:
    """Replace each None of a claim by `null` if `source`, in the form of `spaced`, has None next to the same word."""

    def null(match: re.Match[str]) -> str:
        behind = "".join(WORD.findall(match["behind"].lower()))
        pairs = (f" {match['before']} none ", f" none {behind} " if behind else "\n")
        known = any(pair in source for pair in pairs)
        return f"{match['before']}{match['between']}`null`{match['behind']}" if known else match.group()

    return _NONE.sub(null, text)
