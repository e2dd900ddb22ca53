"""Denials that contradict other statements of the speaker, and newer values of what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType
from turnfold.contract.words import note_words
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, by_words, same_speaker
from turnfold_worker.pipeline.anchors.rules.lasting_rules import VALUE_NOW
from turnfold_worker.pipeline.anchors.statements.denials import denial_of, is_contradicted
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.quantities import sort_of_amount

_AMOUNT: Final = lazy_pattern(r"[^\w\s]?\d[\d.,:%]{0,20}(?: ?[a-z%]{1,20})?")
_SHARED: Final = 2
"""Minimum number of shared words for two statements to be about the same value."""
_HOW_IT_CHANGED: Final = listed("""
    improved increased extended expanded reduced decreased dropped grown gone risen rose raised lowered cut adjusted
    reached recently managed
""")


def oppose(new: Known, known: Sequence[Known]) -> None:
    """Link a denial to the contradicting statement of its speaker, earlier or later; both stay active."""
    facts = [
        old
        for old in known
        if old is not new and old.active and old.kind is AnchorType.CRITICAL_FACT and same_speaker(new, old)
    ]
    if not new.active or new.kind is not AnchorType.CRITICAL_FACT:
        return
    denial = denial_of(new.anchor.text)
    if denial is None:
        for old in facts:
            denied = denial_of(old.anchor.text) if old.anchor.replaces is None else None
            if denied is not None and is_contradicted(denied, new.anchor.text):
                old.anchor = replace(old.anchor, replaces=new.anchor.id)
        return
    against = [old for old in facts if is_contradicted(denial, old.anchor.text)]
    likest = max(against, key=lambda old: (by_words(new, old), -old.anchor.id), default=None)
    if likest is None:
        return
    new.anchor = replace(new.anchor, replaces=likest.anchor.id)
    for old in against:
        # An anchor names one other anchor, so the remaining contradicted ones name the denial.
        if old is not likest and old.anchor.replaces is None:
            old.anchor = replace(old.anchor, replaces=new.anchor.id)


def is_newer_value(new: Known, old: Known) -> bool:
    """Check whether both give the changed value of one thing: 'has now reached 165 commits' after '150 commits'."""
    if new.kind is not AnchorType.CRITICAL_FACT or old.kind is not new.kind or not same_speaker(new, old):
        return False
    if new.anchor.turn_seq <= old.anchor.turn_seq or not (now := _value_now(new)) or not (before := _value_now(old)):
        return False
    ours, theirs = (
        {word for word in note_words(statement.said) if word.isalpha()} - _HOW_IT_CHANGED for statement in (new, old)
    )
    return (
        sort_of_amount(now) == sort_of_amount(before)
        and len(ours & theirs) >= _SHARED
        and bool(ours & new.specific & old.specific)
    )


def _value_now(known_anchor: Known) -> str:
    """Return the amount that something changed to, or an empty string."""
    change = VALUE_NOW.search(known_anchor.said)
    amount = _AMOUNT.search(known_anchor.said, change.end()) if change else None
    return amount.group() if amount else ""
