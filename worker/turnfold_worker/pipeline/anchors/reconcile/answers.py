"""Whether an anchor answers an open question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, both
from turnfold_worker.pipeline.anchors.rules import reply_rules
from turnfold_worker.pipeline.anchors.statements.slots import fills, names_what_is_asked
from turnfold_worker.pipeline.language.facts import VALUES, FactKind
from turnfold_worker.pipeline.language.words import words

ANSWERS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.CORRECTION})
"""Anchor types that may answer a question."""
_ABOUT_IT_FROM: Final = 0.30
_MIN_SHARED_ANSWER: Final = 2
_WHEN: Final = lazy_pattern(r"(?:(?:and|so|but),? )?(?:when|what (?:day|date|time))(?!\w)")
_HOW_MANY: Final = lazy_pattern(r"(?:(?:and|so|but),? )?how (?:many|much|long|often)(?!\w)")
_SOON: Final = 8
"""Number of turns within which 'We took the blue one' refers to the last question."""
_OF_OTHERS: Final = lazy_pattern(r"(?<!\w)you(?:r|'re|'ve|'ll)?(?!\w)")
_OF_ONESELF: Final = lazy_pattern(r"(?<!\w)(?:i|i'm|i've|i'd)(?!\w)")


def answers(new: Known, old: Known, similarity: float) -> bool:
    """Check whether a later statement is about an open question and supplies the kind of value asked for."""
    if old.kind is not AnchorType.UNRESOLVED_QUESTION or new.kind not in ANSWERS:
        return False
    if similarity < _ABOUT_IT_FROM or new.anchor.turn_seq <= old.anchor.turn_seq:
        return False
    # 'On Saturday at 20:00' names no subject, so values do not count as shared words.
    values = frozenset(words(" ".join(old.values)))
    if len([word for word in both(new, old) if word not in values]) < _MIN_SHARED_ANSWER:
        return False
    # A fact that askers state about themselves does not answer their own question.
    of_asker = new.kind is AnchorType.CRITICAL_FACT and new.anchor.speaker == old.anchor.speaker
    if (of_asker and _OF_ONESELF.search(new.said)) or reply_rules.NO_ANSWER.search(new.said):
        return False
    return _says_when_or_how_many(old.said, new)


def answered_in_other_words(new: Known, known: Sequence[Known]) -> Known | None:
    """Find the latest open question that a statement answers in other words.

    A statement without a subject ('It starts on 3 June') answers only a question asked within the last few turns.
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
    # Askers who state what they do themselves do not say what the other person does.
    if _OF_ONESELF.search(new.said) and _OF_OTHERS.search(old.said) and new.anchor.speaker == old.anchor.speaker:
        return False
    return turns <= _SOON or names_what_is_asked(old.anchor.text, new.anchor.text)


def _says_when_or_how_many(question: str, answer: Known) -> bool:
    """Check that the answer to 'When …?' has a date and the answer to 'How many …?' a number."""
    if _WHEN.match(question):
        return bool(answer.facts.texts(FactKind.DATE))
    if _HOW_MANY.match(question):
        return bool(answer.facts.texts(*VALUES)) or any(map(str.isdigit, answer.said))
    return True
