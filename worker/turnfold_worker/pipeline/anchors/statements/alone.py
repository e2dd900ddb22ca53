"""Whether a clause is understandable out of context: 'I chose them' and 'that one is not negotiable' name nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.language.words import words

_REASON: Final = lazy_pattern(
    r"(?:,| [-\u2013\u2014])? (?:because|'cause|cause|cos|since|so (?:i|we|they|it)(?= )|although"
    r"|(?:that|this)(?:'s| is) why)(?!\w).*$"
)
_PARTS: Final = lazy_pattern(r"[,;:.!?](?=\s|$)|\s[-\u2013\u2014]\s|\s(?:and|but)(?!\w)")
_OPENERS: Final = lazy_pattern(
    r"^(?:(?:yes|yeah|yep|no(?= |$)(?! \w+ing)|nope|nah|ok|okay|sure|well|oh|so|and|but|then|good|great|right|agreed|"
    r"decided|done|confirmed|actually|also|exactly|maybe|perhaps|please|thanks|hey|wow|honestly|anyway|i think|i guess|"
    r"you know)(?!\w)\W*)+"
)
_THEM: Final = (
    r"(?:it|this|that|these|those|them|both|neither|either|something|anything|(?:this|that|the other|another) "
    r"(?:one|thing|way)|(?:both|all|some|any|one|each) of (?:it|this|that|these|those|them))"
)
_SUBJECT: Final = lazy_pattern(
    rf"^{_THEM}(?:'s|'re|'ll|'d| (?:is|are|was|were|will|would|must|may|can|should|has|have|had|needs?|seems?|sounds?))"
    r"(?!\w)"
)
_OBJECT: Final = lazy_pattern(
    rf"(?<!\w)(?:{_THEM}(?: (?:one|ones|special|like (?:that|this)))?|(?:this|that|these|those) \w+)"
    r"(?: (?:up|out|on|off|down|in|over|back|away|too|as well|as is|as it is|for now|then|now|anyway|again|later|done|"
    r"instead|myself|ourselves|so much|already|sometime|soon|open|in mind|that way|a decision|a requirement))*"
    r"(?: (?:on|to) (?:the|my|our) (?:\w+ )?list(?!\w)[^,;]{0,80})?$"
)
_THERE: Final = lazy_pattern(r"(?<!\w)(?:getting|got|been|be|gone|going|go) (?:there|somewhere)$")
_AGREES: Final = lazy_pattern(r"^(?:i'd|i would|we'd|we would) (?:rather|prefer) [^,.;:!?]{1,60} (?:too|as well)\W*$")
"""'I'd rather have that too' follows somebody else's wish."""
_ACTS: Final = listed(
    """
    chose chosen decided obsessed picked wrong rather negotiable mandatory not never go going went stick sticking take
    taking do doing did try trying keep keeping kept use using get getting want need like love definitely probably
    fan fond huge big massive crazy enjoy enjoying prefer
    """
)
"""Words for the act of a clause that do not name its object."""


def means_something_alone(statement: str, stated: Iterable[str] = ()) -> bool:
    """Check whether a normalized statement names its subject, reasons aside, or contains a text in `stated`.

    >>> means_something_alone("i chose them 'cause they help people with a move")
    False
    >>> means_something_alone("i chose the oak boards, they are dry")
    True
    """
    without_reason = _REASON.sub("", statement)
    if any(plain_words(text) in without_reason for text in stated):
        return True
    if _AGREES.match(without_reason):
        return False
    parts = [_OPENERS.sub("", part.strip()) for part in _PARTS.split(without_reason)]
    # A single word is a form of address or a yes.
    parts = [part for part in parts if " " in part] or [part for part in parts if part]
    return not parts or not all(map(_only_points, parts))


def _only_points(part: str) -> bool:
    """Check whether a part of a clause points elsewhere and names nothing itself."""
    pointing = _SUBJECT.search(part) or _OBJECT.search(part) or _THERE.search(part)
    if pointing is None:
        return False
    beside = f"{part[: pointing.start()]} {part[pointing.end() :]}"
    return not any(word.isalpha() and not is_common(word) and word not in _ACTS for word in words(beside))
