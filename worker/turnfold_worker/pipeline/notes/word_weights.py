"""Weigh the words of a note: more for rare words, names, and words that several turns of the segment use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold.contract.words import digit_of, note_words
from turnfold_worker.pipeline.language.rarity import FEELING_SHARE, is_feeling, rarity_of
from turnfold_worker.pipeline.turns.memo import made_once
from turnfold_worker.pipeline.turns.reading import Reading

READ: Final = 4_000
"""Code points of a turn in which words are counted."""
_NAMED: Final = 3.0
"""Factor for a word that is capitalized inside a sentence."""
_TAKEN_UP: Final = (1.0, 1.0, 1.5, 1.7)
"""Factor for a word by the number of turns of the segment that have it."""
_MOST_TAKEN_UP: Final = len(_TAKEN_UP) - 1
_QUOTED: Final = lazy_pattern(r"[\"\u201c]([^\"\u201c\u201d]{2,60})[\"\u201d]")
_CAPITAL: Final = lazy_pattern(r"(?<=[\w,;:)] )[A-Z][\w'-]*")


def named_words(spoken: str) -> frozenset[str]:
    """Return in lower case the words capitalized inside a sentence, or quoted; no capitals of a title."""
    capitals = [] if spoken[1:].islower() else _CAPITAL.findall(spoken)
    if 2 * len(capitals) > len(spoken.split()):
        capitals = []
    named = [match.lower().removesuffix("'s") for match in capitals]
    if '"' in spoken or "\u201c" in spoken:
        named += chain.from_iterable(map(note_words, _QUOTED.findall(spoken)))
    return frozenset(named)


def words_taken_up(readings: Sequence[Reading]) -> dict[str, int]:
    """Return in how many turns each stem occurs: repeated words are what the turns are about.

    Counts are capped at the last index of `_TAKEN_UP`.
    """
    spread: Counter[str] = Counter()
    for reading in readings:
        spread.update(_stems_of(reading))
    return {stem: min(turns, _MOST_TAKEN_UP) for stem, turns in spread.items()}


def _stems_of(reading: Reading) -> list[str]:
    """Return the distinct stems of a turn."""

    def stems() -> list[str]:
        return list(dict.fromkeys(map(STEMS.__getitem__, note_words(reading.turn.content[:READ]))))

    return made_once(reading.memo, "stems", "", stems, pack=list, unpack=list)


def weights_of(text: str, named: frozenset[str], spread: Mapping[str, int]) -> str:
    digits = []
    for word in note_words(text):
        stem, plain, capitalised = _DIGITS[word]
        taken_up = spread.get(stem, 0)
        digits.append(capitalised[taken_up] if word in named else plain[taken_up])
    return "".join(digits)


def _digits_of(word: str) -> tuple[str, str, str]:
    """Return a word's stem, and its weight digits by how many turns have it: as a plain word, and as a name."""
    share = FEELING_SHARE if is_feeling(word) else 1.0
    weights = [rarity_of(word) * times * share for times in _TAKEN_UP]
    return (STEMS[word], "".join(map(digit_of, weights)), "".join(digit_of(weight * _NAMED) for weight in weights))


_DIGITS: Final = Remembered(_digits_of)
