"""Search terms: the one conversion of texts and queries to terms. Pure, independent of locale.

A change here invalidates stored postings: stored conversations have to be folded again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.lazy_patterns import lazy_pattern

MAX_TERM_LENGTH: Final = 64
"""Code points; the width of `posting.term`."""

STOP_WORDS: Final = frozenset(
    """a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further get got had has have
    having he her here hers him his how i if in into is it its just let like ll me more most my now of
    off oh ok okay on once only or other our out over own re s same she should so some such t than thank
    thanks that the their them then there these they this those through to too under until up us ve very
    was we well were what when where which while who whom why will with would yeah yes you your""".split()  # noqa: SIM905 - a list of 150 lines reads worse
)
"""Words that say nothing about a subject; negations are not included."""

_WORD: Final = lazy_pattern(r"[^\W_]+(?:[._/\-:@+#'][^\W_]+)*")
_INNER: Final = lazy_pattern(r"[^\W_]+")
_CAMEL: Final = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_CJK: Final = lazy_pattern("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f]+")
_SUFFIXES: Final = (("ies", 5, "y"), ("ing", 6, ""), ("ied", 5, "y"), ("ed", 5, ""), ("es", 5, ""), ("s", 4, ""))


def stem(word: str) -> str:
    """Strip a common English suffix, enough to match 'paint', 'paints' and 'painting'.

    >>> stem("paintings"), stem("class"), stem("decided")
    ('painting', 'class', 'decid')
    """
    return STEMS[word]


def _stripped(word: str) -> str:
    for suffix, least, ending in _SUFFIXES:
        if word.endswith(suffix) and len(word) >= least and not word.endswith("ss"):
            word = word[: -len(suffix)] + ending
            if not ending and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


STEMS: Final = Remembered(_stripped)
"""`stem`, cached."""


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, with repeats.

    Words are lower-cased, stripped of accents and stemmed; stop words and single letters are dropped. A compound
    (`a/b.py`, `max_tokens`, `camelCase`, `v1.2`) yields itself and its parts. Scripts without spaces yield overlapping
    pairs of characters.
    """
    folded = text if text.isascii() else _folded(text)
    return list(chain.from_iterable(map(_TERMS.__getitem__, _WORD.findall(folded.replace("_", "-")))))


def distinct_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text in order, without repeats."""
    return tuple(dict.fromkeys(terms(text)))


def rarest(distinct: Sequence[str], most: int = 256) -> tuple[str, ...]:
    """Return the `most` rarest terms in their order; ties go to earlier terms.

    >>> rarest(("the", "ferry", "lighthouse"), most=2)
    ('ferry', 'lighthouse')
    """
    if len(distinct) <= most:
        return tuple(distinct)
    kept = set(sorted(distinct, key=rarity, reverse=True)[:most])
    return tuple([term for term in distinct if term in kept])


def _terms_of(word: str) -> tuple[str, ...]:
    out: list[str] = []
    runs = [] if word.isascii() else _CJK.findall(word)
    for run in runs:
        out.extend(_bigrams(run))
    parts = _INNER.findall(_CJK.sub(" ", word) if runs else word)
    if len(parts) > 1 and not runs and "'" not in word:
        out.append(word.lower()[:MAX_TERM_LENGTH])
    for part in parts:
        pieces = _CAMEL.split(part)
        if len(pieces) > 1 and _says_something(part):
            out.append(part.lower()[:MAX_TERM_LENGTH])
        out.extend(_simple(piece) for piece in pieces if _says_something(piece))
    return tuple(out)


_TERMS: Final = Remembered(_terms_of)


def _folded(text: str) -> str:
    """Strip accents and typographic variants."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return unicodedata.normalize("NFKC", bare).replace("\u2019", "'")


def _says_something(word: str) -> bool:
    return word.lower() not in STOP_WORDS and (len(word) > 1 or word.isdigit() or ord(word) > 0x2E80)


def _simple(word: str) -> str:
    lowered = word.lower()
    return (lowered if not lowered.isascii() else stem(lowered))[:MAX_TERM_LENGTH]


def rarity(term: str) -> int:
    """Estimate the rarity of a term, 1 to 9, from digits, punctuation and length.

    Static on purpose, instead of idf: the same at fold time and at read time, for every conversation.
    """
    return _RARITIES[term]


def _rarity(term: str) -> int:
    if any(c.isdigit() for c in term):
        return 9 if len(term) > 2 else 6
    if any(c in term for c in "-/.:@+#"):
        return 9
    if not term.isascii():
        return 6
    return max(1, min(8, len(term) - 2))


_RARITIES: Final = Remembered(_rarity)
