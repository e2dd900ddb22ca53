"""A note's brief: taken where it is the note in fewer words, and nothing else."""

from __future__ import annotations

import re
from typing import Final

from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.word_places import is_negation

_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_ALIKE: Final = 4
"""Letters with which forms of one word begin alike."""
_GLUE: Final = listed(
    """
    via per from with for about after before until plus also now then who whose and or to of in on at by as
    will plans planning considering recent recently daily weekly monthly yearly own owns since
    """
)
"""Words that a brief may have of its own: none of them says more than its note."""
_CONDITIONS: Final = listed("only if unless until except planned plans wants hopes may might could would maybe perhaps")
"""Words of a note without which it would say more than it does."""


def brief_of(brief: str, text: str) -> str:
    """The brief on one line; empty unless it is shorter than the note and is made of the words of it.

    Each number stands in the note, each word begins as one of the note does, and what denies or limits stays.

    >>> brief_of("Moved to Lisbon 20 May with brother Tom", "Mara moved to Lisbon with her brother Tom on 20 May 2023.")
    'Moved to Lisbon 20 May with brother Tom'
    >>> brief_of("Eats gluten", "Mara does not eat gluten.")
    ''
    """
    line = plain_line(brief).rstrip(".")
    if not line or len(line) >= len(text):
        return ""
    ours, theirs = _words(line), _words(text)
    if any(map(is_negation, ours)) != any(map(is_negation, theirs)):
        return ""
    # As it is written: May is a month.
    if not _CONDITIONS.isdisjoint(set(_WORD.findall(text)) - ours):
        return ""
    beginnings = {word[:_ALIKE] for word in theirs}
    return line if all(_is_held(word, theirs, beginnings) for word in ours) else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower().replace("\u2019", "'")))


def _is_held(word: str, theirs: frozenset[str], beginnings: set[str]) -> bool:
    if word in theirs or word in _GLUE or is_negation(word):
        return True
    return not word[0].isdigit() and (word[:_ALIKE] in beginnings or is_common(word))
