"""Drop the name by which a sentence calls the listener."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.notes.phatic import bare_words, is_phatic

_ADDRESS: Final = lazy_pattern(
    r"(?P<lead>(?:[A-Za-z']{1,12}[,!]? ){0,2})(?P<name>[A-Z][\w'-]{1,30})(?:[,!]| [-–—])+ +(?=\S)"
)
"""The beginning of a sentence that calls the listener by name: 'Oh wow, Nate, …'."""
_LISTED_NAMES: Final = lazy_pattern(r"[A-Z][\w'-]+, (?:[A-Z][\w'-]+,? )+(?:and|or|&) ")
"""A list of names as the subject: 'Nate, Joanna and I …'."""
_GOES_ON: Final = lazy_pattern(
    r"(?i)(?:who|whom|whose|which|my|his|her|our|their|your|the|an?|as|like|unlike|with|without|however|though|too|also"
    r"|either|and|or|but|not|never|being|on|in|at|by|for|from|to|(?:he|she|they)(?!')|if|when|once|then|both|all)\b|\d"
    r"|(?:is|are|was|were|has|have|had|do|does|did|will|would|can|could|should|may|might|must|\w+n't)\b"
    r"(?! (?:you|i|we)\b)|[\w'-]+,"
)
"""Text after a name that is not an address: 'Nate, who won', 'Nate, 25', 'Nate, Bob', 'Nate, too'."""
_OUTCRIES: Final = listed(
    """
    hey hi hello thanks yes yeah yep no oh okay ok great cool awesome woah whoa wow aww ah ooh oof ugh hmm man omg yay
    bummer cheers sorry so and but well
    """
)
_GREETING: Final = lazy_pattern(r"(?i)(?:hey|hi|hello|wow|woah|whoa)\b")
"""A greeting, after which a name is always an address: 'Hey Nate, my favourite is …'."""
_CALLED_LAST: Final = lazy_pattern(r"[,!] (?P<name>[A-Z][\w'-]{1,30})(?P<end>[.!?…]*)$")
"""The end of a sentence that calls the listener by name: 'It was so inspiring, Mel!'."""
_NICKNAME: Final = 2
_OPENING: Final = r"(?:(?:and|but|so|well|yes|yeah|yep|no|ok|okay|oh|wow|ah|then|now)[,!]* +)*"
_TELLS: Final = lazy_pattern(
    rf"(?i){_OPENING}(?:(?:i|we|he|she|they|it|that|this|these|those|there|here|let)(?:['\u2019][a-z]{{1,2}})? \S"
    r"|(?:so )?(?:glad|happy|sorry|proud|awesome|great|amazing|lovely|nice) \w"
    r"|(?:my|our|your|his|her|their|the|an?|some|every|no|all) (?:[\w'\u2019-]+ ){1,6}?"
    r"(?:is|are|was|were|has|have|had|do|does|did|will|would|can|could|should|may|might|must|\w+n['\u2019]t"
    r"|(?:looks?|sounds?|seems?) (?!at\b|into\b|for\b|over\b))\b)"
)
"""The beginning of a statement with a subject; without one, the name may say who is to act: 'Fix the gate, Ana'."""
_PARTS: Final = lazy_pattern(r"[,;:.!] +")
_NAMES_WHO: Final = lazy_pattern(
    r"(?i)(?:\b(?:is|are|was|were|be|am)|['\u2019](?:s|re|m))(?: (?:on|for|up to))?(?: (?:me|you|us|him|her|them))?$"
    r"|\b(?:no|not|or|and|wait|rather|maybe|perhaps|actually|i mean)$"
)
"""Words that make a name after them say who: 'it was me', 'that is on you', 'Tuesday, no'."""


def unaddressed(text: str, names: frozenset[str], *, are_two: bool = False) -> str:
    """Return the text without the listener's name at its beginning or end, as it is not about the listener.

    `names` are words of people's names in lower case. A name that may be the subject stays. So does one that may say
    who is to act, unless only two people talk.

    >>> unaddressed("Wow, Nate - I won the cup!", frozenset({"nate", "joanna"}))
    'I won the cup!'
    >>> unaddressed("Nate, however, did not sign.", frozenset({"nate", "joanna"}))
    'Nate, however, did not sign.'
    """
    text = _without_last_name(text, names, are_two=are_two)
    match = _ADDRESS.match(text)
    if match is None or not _is_called(match, names):
        return text
    is_called = are_two or _tells(text[match.end() :])
    if not _GREETING.match(match["lead"]) and (_GOES_ON.match(text, match.end()) or not is_called):
        return text
    if _LISTED_NAMES.match(text, match.start("name")):
        return text
    if not all(word in _OUTCRIES for word in bare_words(match["lead"])):
        return text
    return text[match.end() :]


def _without_last_name(text: str, names: frozenset[str], *, are_two: bool) -> str:
    match = _CALLED_LAST.search(text)
    if match is None or not text[: match.start()].strip():
        return text
    name, rest = match["name"].lower(), text[: match.start()]
    if len(name) < _NICKNAME or not any(participant.startswith(name) for participant in names):
        return text
    # 'I met Ana, Nate.' may be a list.
    if rest.rsplit(maxsplit=1)[-1][:1].isupper() and " " in rest:
        return text
    called = are_two or match["end"].endswith("?") or is_phatic(rest) or all(map(_tells, _PARTS.split(rest)))
    return rest + match["end"] if called and not _NAMES_WHO.search(rest) else text


def _tells(text: str) -> bool:
    """Return whether a text is a question, a courtesy or begins with a subject."""
    return text.endswith("?") or bool(_TELLS.match(text)) or is_phatic(text)


def _is_called(match: re.Match[str], names: frozenset[str]) -> bool:
    """Return whether a whole name is called, or its beginning after an outcry: 'Hey Jo'."""
    name = match["name"].lower()
    return name in names or (bool(match["lead"]) and any(participant.startswith(name) for participant in names))
