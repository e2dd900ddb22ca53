"""Detect talk that carries no information: greetings, thanks, praise."""

from __future__ import annotations

from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.courtesy_rules import PARTS
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.language.words import WORD_EDGES, has_digit, is_negation

_BARE: Final = Remembered(lambda word: word.replace("\u2019", "'").lower().strip(WORD_EDGES))
_PHATIC: Final = listed(
    """
    hey hi hello bye goodbye thanks thank you so much welcome you're wow cool great awesome amazing nice good glad
    happy sure okay ok yes yeah yep absolutely definitely certainly course of no prob problem worries sounds that's that
    is it's it i to hear see know what how are doing been have a day night luck care take congrats congratulations
    really love lovely wonderful fantastic perfect exactly agree totally right true indeed me too same here for
    sharing sweet haha lol oh ah aww well keep up the work let me if any questions need help further assistance feel
    free ask talk soon later chat catch agreed 100% woohoo yup cheers gotcha yum yummy bummer anytime phew woo yay omg
    bon voyage posted awww stoked thrilled excited psyched pumped hm hmm hmmm huh mhm ooh oof ugh dang
    noted acknowledged understood roger fair point got let's image img screenshot
    """
)
_SINCE: Final = lazy_pattern(
    r"(?i)(?<!\w)since (?:(?:we|i|you) (?:last )?(?:\w+ )?(?:talked|spoke|chatted|met|caught up|saw \w+)"
    r"|(?:our|the) last (?:chat|talk|time|call|conversation))(?: last)?(?!\w)"
)
_NO_NEWS: Final = listed(
    """
    a lot lots much stuff things something everything crazy wild busy super hectic eventful exciting quite some time
    while ages week weeks month happened happening happens going stuff's things've with me my our us was and few an
    has had it i've we've anything
    """
)
"""Words that announce news without giving any."""
_THANKS: Final = lazy_pattern(
    r"(?i)(?:(?:oh|wow|aw+|hey|ok|okay|great|yeah|yes|yep|cool|again|perfect|awesome|amazing|no worries)[,!.]* )*"
    r"(?:many )?(?:thanks|thank you|thx|congrats|congratulations|(?:i )?(?:really )?appreciate)\b"
)
_THANKS_WORDS: Final = 10
_VOCATIVE: Final = lazy_pattern(r", [A-Z][\w-]{1,30}[!.]{0,3}$")
_LONGEST_PHATIC: Final = 120
_LONGEST_PARTING: Final = 80


def is_phatic(text: str, speakers: frozenset[str] = frozenset()) -> bool:
    """Return whether a text carries no information: greetings, thanks, praise, the listener's name.

    A negation other than 'no problem' carries information.
    """
    if len(text) > _LONGEST_PHATIC:
        return False
    if _THANKS.match(text) and len(text.split()) <= _THANKS_WORDS and not has_digit(text):
        return True
    if " since " in text and _SINCE.search(text):
        others = [word for word in bare_words(_SINCE.sub(" ", text)) if word.strip("-–—") and word not in _NO_NEWS]
        carries_nothing = all(word != "got" and _carries_nothing(word, speakers) for word in others)
        return carries_nothing and not any(map(is_negation, others))
    first = next(filter(None, map(_BARE.__getitem__, text.split())), "")
    if first and not _carries_nothing(first, speakers):
        return False
    parted = PARTS.sub(" ", plain_words(text)) if len(text) <= _LONGEST_PARTING else text
    words = [word for word in bare_words(parted) if word]
    if len(words) > 1 and ", " in text and _VOCATIVE.search(text):
        words.pop()
    if not all(_carries_nothing(word, speakers) for word in words):
        return False
    return "problem" in words or "prob" in words or "worries" in words or not any(map(is_negation, words))


def _carries_nothing(word: str, speakers: frozenset[str]) -> bool:
    return word in _PHATIC or any(name.startswith(word) for name in speakers)


def bare_words(text: str) -> list[str]:
    """Return the words of a text in lower case with straight apostrophes, without the punctuation around them."""
    return list(map(_BARE.__getitem__, text.split()))
