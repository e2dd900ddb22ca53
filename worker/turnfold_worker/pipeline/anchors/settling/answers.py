"""Whether an anchor answers a question that was open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType
from turnfold_worker.pipeline.anchors.rules import reply_rules
from turnfold_worker.pipeline.anchors.settling.likeness import Known, both
from turnfold_worker.pipeline.anchors.statements.slots import fills, names_what_is_asked
from turnfold_worker.pipeline.language.facts import VALUES, FactKind
from turnfold_worker.pipeline.language.words import words

ANSWERS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.CORRECTION})
"""Types of what may answer."""
_ABOUT_IT_FROM: Final = 0.30
_MIN_SHARED_ANSWER: Final = 2
_WHEN: Final = lazy_pattern(r"(?:(?:and|so|but),? )?(?:when|what (?:day|date|time))(?!\w)")
_HOW_MANY: Final = lazy_pattern(r"(?:(?:and|so|but),? )?how (?:many|much|long|often)(?!\w)")
_SOON: Final = 8
"""Turns within which 'We took the blue one' is about what was asked last."""
_OF_OTHERS: Final = lazy_pattern(r"(?<!\w)you(?:r|'re|'ve|'ll)?(?!\w)")
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


def answered_in_other_words(new: Known, known: Sequence[Known]) -> Known | None:
    """The open question that a statement answers without repeating its words: of several the one asked last.

    One that does not say what it is about, 'It starts on 3 June', only answers what was asked shortly before.
    """
    if new.shown_only or new.kind is AnchorType.UNRESOLVED_QUESTION:
        return None
    known_anchors = [old for old in known if _is_answered_by(new, old)]
    return max(known_anchors, key=lambda old: (old.anchor.turn_seq, old.anchor.start), default=None)


def _is_answered_by(new: Known, old: Known) -> bool:
    if old.kind is not AnchorType.UNRESOLVED_QUESTION or not old.active or old.shown_only:
        return False
    turns = new.anchor.turn_seq - old.anchor.turn_seq
    if turns < 1 or not fills(old.anchor.text, new.anchor.text):
        return False
    # Who asks another one tells of himself what he does, and not what the other one does.
    if _OF_ONESELF.search(new.said) and _OF_OTHERS.search(old.said) and new.anchor.speaker == old.anchor.speaker:
        return False
    return turns <= _SOON or names_what_is_asked(old.anchor.text, new.anchor.text)


def _says_when_or_how_many(question: str, answer: Known) -> bool:
    """Whether an answer states what is asked for, where a day or a number is: 'When …?', 'How many …?'."""
    if _WHEN.match(question):
        return bool(answer.facts.texts(FactKind.DATE))
    if _HOW_MANY.match(question):
        return bool(answer.facts.texts(*VALUES)) or any(map(str.isdigit, answer.said))
    return True
