"""Detect a note that says the opposite of its turns: 'loves' for 'hates', 'gave' for 'refused', 'all' for 'nobody'."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.refinement.claims import content_words, sentences_of, statements_of
from turnfold_worker.pipeline.refinement.negations import DENIES
from turnfold_worker.pipeline.refinement.passages import Passage

_PAIRS: Final = (
    (r"lov(?:e[sd]?|ing)|enjoy\w*|ador(?:e[sd]?|ing)", r"hat(?:e[sd]?|ing)|dislik\w+|detest\w*|loath\w+"),
    (
        r"accept\w*|agree[sd]?|allow\w*|approv\w+|grant\w*|gave|gives?|given|permit\w*|let",
        r"refus\w+|declin\w+|turn(?:s|ed|ing)? (?:\w+ )?down|reject\w*|forb[ai]d\w*|ban(?:s|ned)?|den(?:y|ies|ied)",
    ),
    (r"buy(?:s|ing)?|bought", r"sell(?:s|ing)?|sold"),
    (r"w[io]ns?|winning", r"los(?:es?|t|ing)"),
    (r"rais(?:e[sd]?|ing)|increas\w+|rose|ris(?:es?|en|ing)", r"lower\w*|reduc\w+|decreas\w+|dropp?\w*|f[ae]ll\w*|cut"),
    (r"pass(?:e[sd]|ing)?", r"fail\w*"),
    (r"enabl\w+", r"disabl\w+"),
    (r"remember\w*", r"forg[eo]t\w*"),
    (r"add(?:s|ed|ing)?", r"remov\w+|delet\w+"),
    (
        r"ke(?:pt|eps?|eping)",
        r"remov\w+|dropp?(?:s|ed|ing)?|(?:sen[dt]s?|g[ai]ven?|took|brought)(?: \w+)? back|return\w*|threw|thrown",
    ),
    (r"borrow\w*", r"len[dt]\w*"),
    (r"open(?:s|ed|ing)?", r"clos(?:e[sd]?|ing)"),
    (r"succeed\w*|success\w*", r"fail\w*"),
    (r"everybody|everyone|everything|always", r"nobody|no one|nothing|never|not every\w*"),
)
"""Pairs of opposites, each side with all its forms."""
_REFERS: Final = lazy_pattern(r"(?i)(?<!\w)(?:it|that|this|them|those)(?!\w)")
_BEFORE: Final = 30
"""Code points before a word in which a negation denies it."""


_SIDES: Final = tuple(
    (lazy_pattern(rf"(?i)(?<!\w)(?:{own})(?!\w)"), lazy_pattern(rf"(?i)(?<!\w)(?:{opposite})(?!\w)"))
    for first, second in _PAIRS
    for own, opposite in ((first, second), (second, first))
)


def says_the_opposite(note: str, told: Iterable[str], speakers: Iterable[str] = (), around: Iterable[str] = ()) -> bool:
    """Return whether a note uses a word of which only the opposite was said, about the same thing.

    `told` are the texts of the cited turns, `speakers` the names that a note may use, and `around` the texts of
    neighbouring turns, which may contain the antecedent of an 'it'.
    """
    texts, meant = list(told), "\n".join(around)
    names = frozenset(part for speaker in speakers for part in speaker.lower().split())
    stated = [statement for statement in statements_of(note) if not DENIES.search(statement)]
    for statement in stated:
        for own, opposite in _SIDES:
            if not own.search(statement) or opposite.search(note) or any(own.search(text) for text in texts):
                continue
            telling = [word for word in content_words(own.sub(" ", statement)) if word not in names]
            if any(_tells_of(text, telling, opposite, meant) for text in texts):
                return True
    return False


def _tells_of(text: str, telling: list[str], opposite: re.Pattern[str], meant: str) -> bool:
    """Return whether a text says the opposite, undenied, in a sentence about one of the `telling` words."""
    for sentence in sentences_of(text):
        match = opposite.search(sentence)
        if match and not DENIES.search(sentence[max(0, match.start() - _BEFORE) : match.start()]):
            told_of = f"{text}\n{meant}" if _REFERS.search(sentence) else sentence
            if Passage(told_of, 0, "").shared(telling) > 0:
                return True
    return False
