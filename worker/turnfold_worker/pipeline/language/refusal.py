"""Recognizes proposals and refusals, which are misleading one without the other."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_REFUSES: Final = lazy_pattern(
    r"(?i)(?:(?:oh|um|uh|well|hmm?|sorry|ah|ha|honestly|actually)[,.!]* ){0,3}"
    r"(?:no(?=[,.!;]|$| (?:thanks|thank you|i|we|not)\b)|nope|nah|never(?! mind)"
    r"|not(?! (?:only|bad|just|sure|certain|surprised|at all)\b)(?= \w)"
    r"|(?:absolutely|definitely|certainly|of course) not"
    r"|(?:please )?(?:don't|do not)(?! (?:worry|you|mention|be|forget|know|think|get me wrong)\b)"
    r"|let's not|(?:i(?:'d| would) )?rather not|i don't (?:think so|want)|i(?:'m| am) afraid not)(?!\w)"
)
_PROPOSES: Final = lazy_pattern(
    r"(?i)\b(?:(?:we|i|you|they) (?:could|can|should|might)|let's|let us|(?:how|what) about|i(?:'d| would)? "
    r"(?:suggest|propose|recommend)|shall (?:we|i)|maybe (?:we|i|you)|why (?:don't|not))\b"
)


def refuses(sentence: str) -> bool:
    """True when the first sentence of a reply rejects the question or proposal before it.

    >>> refuses("No, not the Adler."), refuses("Please don't."), refuses("No worries!"), refuses("Not only that.")
    (True, True, False, False)
    """
    return _REFUSES.match(sentence.replace("\u2019", "'")) is not None


def proposes(sentence: str) -> bool:
    """True for a question or proposal that a reply may refuse.

    >>> proposes("Shall I book it?"), proposes("We could move in May."), proposes("We moved in May.")
    (True, True, False)
    """
    return sentence.rstrip("\"')* ").endswith("?") or _PROPOSES.search(sentence.replace("\u2019", "'")) is not None
