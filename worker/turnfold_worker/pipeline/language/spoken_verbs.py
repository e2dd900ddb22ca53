"""Detects verbs in a text, by a short list and by word endings."""

from __future__ import annotations

from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.words import WORD_EDGES

_VERBS: Final = listed(
    """
    is are was were be been being am has have had do does did will would can could may might must shall should get gets
    got go goes went gone come comes came make makes made take takes took see sees saw say says said know knows knew
    think thinks thought want wants wanted use uses give gives gave find finds found tell tells told ask asks work works
    feel feels felt try tries leave leaves left call calls need needs keep keeps kept let lets begin began show shows
    hear heard play plays run runs ran move moves live lives bring brings brought happen happens write wrote sit sat
    stand stood lose lost pay paid meet met include set learn lead led understand speak spoke read spend spent grow grew
    win won buy bought send sent build built fall fell cut reach sell sold choose chose love loves like likes hope hopes
    wish plan plans prefer prefers hate hates enjoy enjoys own owns eat ate drink drank sleep slept teach taught start
    starts stop stops help helps mean means seem seems look looks put wait waits turn turns add adds fix fixes break
    broke drive drove fly flew sing sang draw drew wear wore hold held remember remembers believe thanks walk talk
    return open close join cook paint travel visit read listen watch study train fail pass change grow drop
    """
)
_ENDS_LIKE_A_VERB: Final = lazy_pattern(r"(?:[a-z]{2,}(?:ed|ing|n't)|[a-z]+'(?:s|re|m|ve|ll|d))$")
_THIRD_PERSON: Final = lazy_pattern(r"[a-z]{2,}[^s]s$")
_ANYWHERE: Final = 2
"""Kind of a word that counts as a verb in any position."""
_BEHIND: Final = 1
"""Kind of a word that counts as a verb only after another word."""


def _kind_of(written: str) -> int:
    word = written.strip(WORD_EDGES)
    if word in _VERBS or _ENDS_LIKE_A_VERB.match(word):
        return _ANYWHERE
    return _BEHIND if _THIRD_PERSON.match(word) else 0


_KINDS: Final = Remembered(_kind_of)


def has_verb(text: str) -> bool:
    """True for a text with a word that may be a verb.

    >>> has_verb("We painted the gate"), has_verb("A photo from the garden")
    (True, False)
    """
    kinds = list(map(_KINDS.__getitem__, text.replace("\u2019", "'").lower().split()))
    return _ANYWHERE in kinds or _BEHIND in kinds[1:]
