"""Detect clauses that cannot be understood without the one before."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.words import note_words
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.rarity import is_feeling

_REFERS: Final = lazy_pattern(
    r"(?i)(?:they|he|she|it|that|this|these|those|them|his|her|their|its)(?:'(?:s|re|ve|ll|d))?"
    r"(?= (?!(?:week|weekend|month|year|morning|afternoon|evening|spring|summer|autumn|fall|winter|time|day)\b))"
)
"""The beginning of a clause about someone or something named in the clause before."""
_DETERMINES: Final = lazy_pattern(r"(?i)(?:(?:this|that) (?P<one>[a-z'-]+)|(?:these|those) (?P<many>[a-z'-]+s))(?!\w)")
_EXISTS: Final = lazy_pattern(
    r"(?i)(?:it|that|this)(?:'s| is| was| has been) (?:an?\b(?! (?:ton|lot|bit|blast|pleasure|joy|dream|relief|shame"
    r"|struggle|challenge|huge|big|great|good|nice|bad|tough|hard|amazing|wonderful|real)\b)|the\b|my\b|our\b|(?-i:[A-Z])"
    r"|\d)"
)
"""A clause that says what a thing is, 'it was a clay bowl', as opposed to 'it was a blast'."""
_DEPENDS: Final = lazy_pattern(
    r"(?i)(?:which|who|whose|whom|because|then|although|though|whereas|so that)\b(?! [^?]{0,200}\?)"
)
"""The beginning of a clause that continues the one before, and is no question."""
_LEANS: Final = lazy_pattern(
    r"(?i)(?<=[a-z] )(?:it|them|this|that|these|those|one|ones|him|her)"
    r"(?=$|[,.!?;]| (?:and|but|so|for|to|in|on|at|with|from|because|'cause|cause|when|while|since|after|before|too|as"
    r"|if|up|out|all|again|back|there|here|around|about|by|over|through|last|every|today|yesterday|now|instead|myself)\b)"
    r"|\b(?:do|does|did|is|are|was|were|can|could|should|would|will) (?:it|this|that|they|these|those)\b(?= \w{3})"
)
"""A pronoun as the object of a verb, whose antecedent is in another clause: 'painted it after the trip'."""
_BEFORE_OWN: Final = lazy_pattern(
    r"(?i)(?:[,;:.!?–—]|\b(?:and|but|so|or|because|when|while|after|before|if|that|which|who|to|since|where)\b)(?= )"
)
"""The end of the text before the verb's own clause, whose subject cannot be the pronoun's antecedent."""


def leans(text: str) -> bool:
    """Return whether a clause continues the one before, or is about something that only that one names.

    >>> leans("It took three weeks"), leans("A friend painted it after the trip"), leans("which is about half of all")
    (True, True, True)
    >>> leans("It was a clay bowl"), leans("This bowl cracked"), leans("Rufus chewed the blue cable and I replaced it")
    (False, False, False)
    """
    if _REFERS.match(text):
        return not (_EXISTS.match(text) or _names_itself(text))
    if _DEPENDS.match(text):
        return True
    word = _LEANS.search(text)
    if word is None:
        return False
    clause_ends = [match.end() for match in _BEFORE_OWN.finditer(text, 0, word.start())]
    named = note_words(text[: clause_ends[-1]] if clause_ends else "")
    return all(is_common(name) or is_feeling(name) for name in named)


def _names_itself(text: str) -> bool:
    """Return whether a demonstrative has a noun: 'this bowl cracked', 'those bowls'; not 'this cracks', 'that was'."""
    match = _DETERMINES.match(text)
    if match is None:
        return False
    noun = (match["one"] or match["many"]).lower()
    return not is_common(noun) and not is_feeling(noun) and not (match["one"] and noun.endswith(("s", "ed")))
