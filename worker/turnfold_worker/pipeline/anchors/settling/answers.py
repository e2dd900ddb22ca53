"""Whether an anchor answers a question that was open."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType
from turnfold_worker.pipeline.anchors.rules import reply_rules
from turnfold_worker.pipeline.anchors.settling.likeness import Known, both
from turnfold_worker.pipeline.language.facts import VALUES, FactKind
from turnfold_worker.pipeline.language.words import words

ANSWERS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.CORRECTION})
"""Types of what may answer."""
_ABOUT_IT_FROM: Final = 0.30
_MIN_SHARED_ANSWER: Final = 2
_WHEN: Final = lazy_pattern(r"(?:(?:and|so|but),? )?(?:when|what (?:day|date|time))(?!\w)")
_HOW_MANY: Final = lazy_pattern(r"(?:(?:and|so|but),? )?how (?:many|much|long|often)(?!\w)")
_OF_ONESELF: Final = lazy_pattern(r"(?<!\w)(?:i|i'm|i've|i'd)(?!\w)")


def answers(new: Known, old: Known, similarity: float) -> bool:
    """Whether a statement that was made after a question is about it, and says what was asked for."""
    if old.kind is not AnchorType.UNRESOLVED_QUESTION or new.kind not in ANSWERS:
        return False
    if similarity < _ABOUT_IT_FROM or new.anchor.turn_seq <= old.anchor.turn_seq:
        return False
    # 'On Saturday at 20:00' tells of no subject.
    values = frozenset(words(" ".join(old.values)))
    if len([word for word in both(new, old) if word not in values]) < _MIN_SHARED_ANSWER:
        return False
    # What the one who asked tells of himself answers nothing.
    of_asker = new.kind is AnchorType.CRITICAL_FACT and new.anchor.speaker == old.anchor.speaker
    if (of_asker and _OF_ONESELF.search(new.said)) or reply_rules.NO_ANSWER.search(new.said):
        return False
    return _says_when_or_how_many(old.said, new)


def _says_when_or_how_many(question: str, answer: Known) -> bool:
    """Whether an answer states what is asked for, where a day or a number is: 'When …?', 'How many …?'."""
    if _WHEN.match(question):
        return bool(answer.facts.texts(FactKind.DATE))
    if _HOW_MANY.match(question):
        return bool(answer.facts.texts(*VALUES)) or any(map(str.isdigit, answer.said))
    return True
