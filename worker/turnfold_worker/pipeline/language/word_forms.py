"""Forms and synonyms of English words, for matching a paraphrase with its source.

Broader than the terms of a search, and never stored: used to compare a claim with its source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from turnfold_worker.pipeline.language.rarity import is_known

_INFLECTIONS: Final = tuple(
    """
    ies ied ier ily iest ing ings est ed es er ers ly s y e d
    """.split()  # noqa: SIM905 - a list of many lines reads worse
)
_DERIVATIONS: Final = tuple(
    """
    ibility ability
    ational itions ition ations ation ments ment ances ences ence ance ships ship tions tion sion sions ness
    able ible ives ive ists ist ally ical ized izes izing ize ise ised ated ates ating ate ions ion ities ity
    ant ents ent ful fully ous ously al ic ors or th
    """.split()  # noqa: SIM905 - a list of many lines reads worse
)
"""Suffixes that keep the sense of a word; `less`, which reverses it, is not among them."""
_LEAST_INFLECTED: Final = 3
_LEAST_DERIVED: Final = 4
"""Minimum letters of a root."""
_LONG: Final = 9
"""Minimum letters of a word in which two letters may be wrong."""


@cache
def _synonyms() -> Mapping[str, frozenset[str]]:
    synonyms_of: dict[str, set[str]] = {}
    for name in ("related_words.txt", "implied_words.txt"):
        for word, *further in _lines(name):
            synonyms_of.setdefault(word, set()).update(further)
    for words in _lines("same_words.txt"):
        for word in words:
            synonyms_of.setdefault(word, set()).update(words)
    return {word: frozenset(further) for word, further in synonyms_of.items()}


def _lines(name: str) -> Iterable[list[str]]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return (line.split() for line in text.splitlines() if not line.startswith("#"))


@lru_cache(maxsize=20_000)
def forms(word: str) -> frozenset[str]:
    """Return a lower-case word and its possible roots: words are forms of each other when these sets overlap.

    >>> bool(forms("inspiring") & forms("inspiration")), bool(forms("bottle") & forms("bottom"))
    (True, False)
    """
    plain = {word, *_roots(word, _INFLECTIONS, _LEAST_INFLECTED)}
    return frozenset(plain | {root for form in plain for root in _roots(form, _DERIVATIONS, _LEAST_DERIVED)})


def _roots(word: str, suffixes: Iterable[str], least: int) -> Iterable[str]:
    for suffix in suffixes:
        root = word.removesuffix(suffix)
        if suffix[:2] == "ie" and root != word and len(root) == least - 1:
            yield f"{root}y"
        if root != word and len(root) >= least:
            yield root
            if suffix[0] == "i" and suffix[1] in "el":
                yield f"{root}y"
            if len(root) > least and root[-1] == root[-2]:
                yield root[:-1]


@lru_cache(maxsize=20_000)
def meanings(word: str) -> frozenset[str]:
    """Return the synonyms of a word, reduced to roots for comparison with `forms`."""
    synonyms = _synonyms()
    plain = [form for form in forms(word) if form in synonyms]
    plain += [f"{form}e" for form in forms(word) if f"{form}e" in synonyms]
    return frozenset(form for plain_form in plain for other in synonyms[plain_form] for form in _plain_forms(other))


def _plain_forms(word: str) -> tuple[str, ...]:
    """Return a word, and for a longer one also the word without a final `e`."""
    return (word, word.removesuffix("e")) if len(word) > _LEAST_DERIVED else (word,)


def is_ordinary(word: str) -> bool:
    """True for a lower-case word that has synonyms: few names have any."""
    return word in _synonyms()


def is_misspelt(written: str, word: str) -> bool:
    """True for an unknown word within one edit of `word`, or within two if that is long.

    >>> is_misspelt("rythm", "rhythm"), is_misspelt("reccomendation", "recommendation"), is_misspelt("warden", "garden")
    (True, True, False)
    """
    edits = 2 if len(word) >= _LONG else 1
    if written[:1] != word[:1] or abs(len(written) - len(word)) > edits or is_known(written):
        return False
    return _is_near(written, word, edits)


def _is_near(left: str, right: str, edits: int) -> bool:
    """True when at most `edits` insertions, deletions, substitutions or swaps turn one text into the other."""
    at = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    left, right = left[at:], right[at:]
    if not edits or not (left and right):
        return len(left) <= edits and len(right) <= edits if not (left and right) else False
    swapped = left[:2] == right[1::-1] and _is_near(left[2:], right[2:], edits - 1)
    return swapped or any(
        _is_near(a, b, edits - 1) for a, b in ((left[1:], right[1:]), (left[1:], right), (left, right[1:]))
    )
