"""Rarity of a word in everyday English, like an idf: a note is as informative as the sum of its words' rarities.

`rarity(word) = min(4.5, max(0.3, 7.5 - zipf))`, where zipf is the base-10 logarithm of the word's occurrences per
billion words of English, by the frequency list of the `wordfreq` package; digits have a zipf of 3.0. Rarity is capped
because the rarest words are mostly typos.
"""

from __future__ import annotations

import math
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.terms import stem
from turnfold_worker.pipeline.language.common_words import listed

LEAST: Final = 0.3
MOST: Final = 4.5
UNKNOWN: Final = 4.0
"""Rarity of a plain lower-case word that is in no list: more often a typo than a name."""
_COMMONEST: Final = 7.5
_DIGITS_ZIPF: Final = 3.0
_ODD_WORDS: Final = 1_024
FEELING_SHARE: Final = 0.4
"""Factor on the rarity of words for feelings: queries ask about events, not feelings."""
_FEELINGS: Final = frozenset(
    stem(word)
    for word in listed(
        """
        amazing awesome great wonderful incredible inspiring inspired inspiration inspire proud happy glad excited
        exciting thrilled grateful thankful appreciate special important meaningful powerful beautiful beautifully
        stunning gorgeous lovely cute cool fun enjoyable fantastic perfect nice joy happiness peace peaceful calm
        calming feel feeling feelings felt sense emotional motivate motivated motivation encouraging encouragement
        encourage support supportive strength courage brave passion passionate dream journey grow growth true
        authentic embrace cherish precious memory memories moment life world love loved positive difference hope
        hoping fulfilling fulfilled rewarding awe blast impressive impressed appreciated appreciation blessed lucky
        fortunate touched touching heartwarming comforting comfort relax relaxing refreshing uplifting empowering
        empowered empower freedom creativity beauty interesting challenge challenging tough hard difficult
        experience share sharing connect connection understand understanding matter valuable priceless worth bring
        remind reminder help helping helpful useful effective essential crucial ensure enhance overall
        """
    )
)


def rarity_of(word: str) -> float:
    """Return the rarity of a lower-case word, between 0.3 and 4.5."""
    return _RARITIES[word]


def _rarity(word: str) -> float:
    if word[0].isdigit():
        return min(MOST, _COMMONEST - _DIGITS_ZIPF)
    return min(MOST, max(LEAST, _COMMONEST - _zipf(word)))


_RARITIES: Final = Remembered(_rarity)


def _zipf(word: str) -> float:
    # Imported here, because it takes a tenth of a second and only folding needs it.
    import wordfreq

    # Its own cache would take ten times the memory of `_RARITIES`.
    wordfreq.CACHE_SIZE = _ODD_WORDS
    if not (word.isascii() and word.isalpha()):
        return wordfreq.zipf_frequency(word, "en", wordlist="small")
    # A plain word is one token, so this equals `zipf_frequency` without running its tokenizer.
    frequency = wordfreq.get_frequency_dict("en", "small").get(word)
    return round(math.log10(frequency) + 9, 2) if frequency else _COMMONEST - UNKNOWN


def is_known(word: str) -> bool:
    """True for a plain lower-case word in the list of frequent words."""
    import wordfreq

    return word in wordfreq.get_frequency_dict("en", "small")


def is_feeling(word: str) -> bool:
    """True for a word that describes a feeling about something, not what happened."""
    return stem(word) in _FEELINGS
