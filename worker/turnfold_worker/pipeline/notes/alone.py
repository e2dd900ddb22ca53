"""Clauses that are not understood without the one before."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_REFERS: Final = lazy_pattern(
    r"(?:They|He|She|It|That|This|These|Those|Them|His|Her|Their|Its)(?:'(?:s|re|ve|ll|d))?"
    r"(?= (?!(?:week|weekend|month|year|morning|afternoon|evening|spring|summer|autumn|fall|winter|time|day)\b))"
)
"""The beginning of a clause about somebody or something that the one before it names."""
_EXISTS: Final = lazy_pattern(r"(?i)(?:it|that|this)(?:'s| is| was| has been) (?:an?|the|my|our|[A-Z\d])")
"""'It was a clay bowl' says what it is."""


def refers(text: str) -> bool:
    """True for a clause that begins with a word for what the one before it names."""
    return _REFERS.match(text) is not None and not _EXISTS.match(text)
