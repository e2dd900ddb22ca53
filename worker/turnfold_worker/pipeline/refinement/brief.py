"""A note's brief: taken where it is the note in fewer words, and nothing else."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.word_places import is_negation

_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_ALIKE: Final = 4
"""Letters with which forms of one word begin alike."""
_GLUE: Final = listed(
    """
    via per from with for about after before until plus also now then who whose and or to of in on at by as
    will plans planning considering that up out wants hopes recent recently daily weekly monthly yearly own owns since
    """
)
"""Words that a brief may have of its own: none of them says more than its note."""
_LIMITS: Final = listed("only if unless until except")
"""Words of a clause without which it would say more than it does."""
_PLANNED: Final = listed(
    "planned plans planning wants wanted hopes hoping wishes considering may might could would maybe perhaps"
)
"""Of these any one says that something is not done yet."""
_ALSO_PLANNED: Final = listed("will thinking upcoming coming possible possibly want plan hope wish idea")
_DENIED: Final = "not"
_PLAN: Final = "planned"
_CLAUSE: Final = lazy_pattern(
    r";\s|,\s(?=(?:and|but|so|because|which|who|while|when|although|as)\s)|\s(?=(?:but|because|so that|although)\s)"
)


def brief_of(brief: str, text: str) -> str:
    """The brief on one line; empty unless it is shorter than the note and is made of the words of it.

    Each number stands in the note, each word begins as one of the note does, and what denies or limits a clause stays
    with the words of that clause.

    >>> brief_of("Moved to Lisbon 20 May with brother Tom", "Mara moved to Lisbon with her brother Tom on 20 May 2023.")
    'Moved to Lisbon 20 May with brother Tom'
    >>> brief_of("Eats gluten", "Mara does not eat gluten."), brief_of("Oats", "Mara likes oats, but no gluten.")
    ('', 'Oats')
    """
    line = plain_line(brief).rstrip(".")
    if not line or len(line) >= len(text):
        return ""
    ours, theirs = _words(line), _words(text)
    beginnings = {word[:_ALIKE] for word in theirs}
    if not all(_is_held(word, theirs, beginnings) for word in ours):
        return ""
    if any(map(is_negation, ours)) and not any(map(is_negation, theirs)):
        return ""
    return line if _keeps_limits(ours, text) else ""


def _keeps_limits(ours: frozenset[str], text: str) -> bool:
    """Whether what denies or limits a clause of the note is said where words of that clause alone are."""
    clauses = _CLAUSE.split(text)
    limits = [_limits_of(clause) for clause in clauses]
    told = [_told(clause, ours) for clause in clauses]
    kept = _limits_of(" ".join(ours)) | ({_PLAN} if ours & _ALSO_PLANNED else set())
    for i, limited in enumerate(limits):
        for limit in limited - kept:
            elsewhere = frozenset().union(*(told[k] for k in range(len(clauses)) if limit not in limits[k]))
            if told[i] - elsewhere:
                return False
    return True


def _limits_of(clause: str) -> set[str]:
    # As it is written: May is a month.
    words = set(_WORD.findall(clause.replace("\u2019", "'")))
    found = {word for word in words if word in _LIMITS}
    if any(is_negation(word.lower()) for word in words):
        found.add(_DENIED)
    if not words.isdisjoint(_PLANNED):
        found.add(_PLAN)
    return found


def _told(clause: str, ours: frozenset[str]) -> frozenset[str]:
    """The words of a brief that a clause of the note holds."""
    theirs = _words(clause)
    beginnings = {word[:_ALIKE] for word in theirs}
    return frozenset(
        word for word in ours
        if word not in _GLUE and not is_common(word) and (word in theirs or word[:_ALIKE] in beginnings)
    )  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower().replace("\u2019", "'")))


def _is_held(word: str, theirs: frozenset[str], beginnings: set[str]) -> bool:
    if word in theirs or word in _GLUE or is_negation(word):
        return True
    return not word[0].isdigit() and (word[:_ALIKE] in beginnings or is_common(word))
