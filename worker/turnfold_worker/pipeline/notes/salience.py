"""Estimate how likely a clause is to be asked about later: events and facts, not moods and pleasantries. Pure.

A linear model over the shape of a clause and its words. `benchmarks/train_salience.py` fits it by ridge regression to
invented conversations with labelled clauses, and writes the weights next to this module.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import fsum
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold.contract.words import note_words
from turnfold_worker.pipeline.language.rarity import is_feeling, rarity_of
from turnfold_worker.pipeline.language.spoken_verbs import has_verb
from turnfold_worker.pipeline.language.words import has_digit
from turnfold_worker.pipeline.notes.captions import is_caption
from turnfold_worker.pipeline.notes.whole import PAST

WEIGHTS_FILE: Final = "salience.json"
WEIGHT_SCALE: Final = 1_000
"""Stored weights are integers, in thousandths."""
_CAPTION: Final = 0.25
"""Salience of a picture's caption, which the labelled conversations lack."""
_LENGTHS: Final = (2, 4, 7, 12, 18)
"""Maximum words of a clause in each class of length."""
_LENGTH_NAMES: Final = tuple(f"length {length}" for length in range(len(_LENGTHS) + 1))
_FIRST_PLACES: Final = 2
"""Number of clauses of a turn that may answer the question before it."""
_MOST_PLACES: Final = 4
_MOST_WORDS: Final = 8
_MOST_NAMES: Final = 3
_WORD: Final = lazy_pattern(r"[a-z]+(?:'[a-z]+)?|\d+")
_HAPPENED: Final = lazy_pattern(rf"(?i)\b(?:{PAST})\b")
_NAME: Final = lazy_pattern(r"(?<=[\w,;:)\]] )(?!I\b|I')[A-Z][\w'-]*")
_TIME: Final = lazy_pattern(
    r"(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september"
    r"|october|november|december|yesterday|tomorrow|tonight|last|next|ago|week|weekend|month|year|years|summer|since)\b"
)
_RUN: Final = lazy_pattern(r"\w+")
_TELLS_PAST: Final = Remembered(lambda run: _HAPPENED.fullmatch(run) is not None)
"""Whether a run of word characters matches `_HAPPENED`, whose other matches all have an apostrophe."""
_TELLS_TIME: Final = Remembered(lambda run: _TIME.fullmatch(run) is not None)


def salience(clause: str, *, place: int, replies: bool) -> float:
    """Return the salience of a turn's clause at `place`: about 0 for pleasantries, about 1 for an event with names.

    `replies` says that the turn before ended in a question.
    """
    if is_caption(clause):
        return _CAPTION
    weights = _weights()
    plain = clause.replace("\u2019", "'")
    words = _WORD.findall(plain.lower())
    shape = _shape_of(plain, words, place=place, replies=replies)
    weighted = [strength * weights[name] for name, strength in shape if strength and name in weights]
    # `fsum` is exact in any order; for words, which are most features, only the weights are needed.
    return fsum([*weighted, *map(_WORD_WEIGHTS.__getitem__, dict.fromkeys(words))]) / WEIGHT_SCALE


def features_of(clause: str, *, place: int, replies: bool) -> Iterator[tuple[str, float]]:
    """Yield names and values of features; the name of a word's feature starts with `=`."""
    plain = clause.replace("\u2019", "'")
    words = _WORD.findall(plain.lower())
    yield from _shape_of(plain, words, place=place, replies=replies)
    for word in dict.fromkeys(words):
        yield f"={STEMS[word]}", 1.0


def _shape_of(plain: str, words: Sequence[str], *, place: int, replies: bool) -> list[tuple[str, float]]:
    runs = _RUN.findall(plain)
    past = any(map(_TELLS_PAST.__getitem__, runs)) or ("'" in plain and _HAPPENED.search(plain) is not None)
    return [
        ("every clause", 1.0),
        (_LENGTH_NAMES[sum([len(words) > longest for longest in _LENGTHS])], 1.0),
        ("number", float(has_digit(plain))),
        ("names", _names(plain) / _MOST_NAMES),
        ("quote", float('"' in plain or "\u201c" in plain)),
        ("asks", float(plain.endswith("?"))),
        ("exclaims", float(plain.endswith("!"))),
        ("past", float(past)),
        ("time", float(any(map(_TELLS_TIME.__getitem__, runs)))),
        ("verb", float(has_verb(plain))),
        ("answers", float(replies and place < _FIRST_PLACES)),
        ("place", min(place, _MOST_PLACES) / _MOST_PLACES),
        *_of_telling_words(note_words(plain)),
    ]


def _names(plain: str) -> int:
    # Most clauses have no capital after their first letter.
    return 0 if plain[1:].islower() else min(len(_NAME.findall(plain)), _MOST_NAMES)


def _of_telling_words(words: Sequence[str]) -> list[tuple[str, float]]:
    rarities = [rarity_of(word) for word in words if not is_feeling(word)]
    return [
        ("rarity", sum(rarities) / 10),
        ("rarest", max(rarities, default=0.0) / 4),
        ("feelings", 1.0 - len(rarities) / max(1, len(words))),
        ("only feelings", float(bool(words) and not rarities)),
        ("telling words", min(len(words), _MOST_WORDS) / _MOST_WORDS),
    ]


@cache
def _weights() -> Mapping[str, int]:
    weights: dict[str, int] = json.loads((files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8"))
    return weights


def _word_weight(word: str) -> int:
    return _weights().get(f"={STEMS[word]}", 0)


_WORD_WEIGHTS: Final = Remembered(_word_weight)
