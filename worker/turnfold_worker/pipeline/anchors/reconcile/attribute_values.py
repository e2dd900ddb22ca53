"""Effect of a new attribute statement on earlier ones: the same value in other words, or another value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import LASTING_RANK, AnchorState, AnchorType
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, same_speaker
from turnfold_worker.pipeline.anchors.rules import lasting_rules
from turnfold_worker.pipeline.anchors.rules.home_rules import lives_there_since
from turnfold_worker.pipeline.anchors.statements.attributes import (
    are_apart,
    attributes_of,
    changes_value,
    is_plainer,
    states_no_more,
    tells_of_a_name,
)
from turnfold_worker.pipeline.anchors.statements.frames import other_value
from turnfold_worker.pipeline.anchors.statements.temporal_scope import only_then, sometimes_only
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken import is_question

_STATES: Final = frozenset(
    {AnchorType.CRITICAL_FACT, AnchorType.DECISION, AnchorType.CORRECTION, AnchorType.COMMITMENT}
)
_WISHES: Final = listed("want wants hope hopes hoping wish aim aiming target goal ideally")
_BEGAN: Final = lazy_pattern(
    r"(?<!\w)(?:i|we)(?:'ve| have)? (?:just |now )?(?:moved|relocated|switched|started|joined)(?!\w)"
)
"""Something that began on a day and continues: 'I moved to Rome in March'."""
_TELL_MORE: Final = (lasting_rules.AIM, lasting_rules.DENIAL, lasting_rules.VALUE_NOW)


def says_again(new: Known, earlier: Sequence[Known]) -> bool:
    """Mark the less complete of two equal lasting facts as a duplicate, at a tie the less direct one.

    Return True if the new fact is the duplicate.
    """
    if not _lasts(new):
        return False
    for old in earlier:
        if not _lasts(old) or not _may_be_the_same(new, old):
            continue
        ours, theirs = new.anchor.text, old.anchor.text
        no_more, no_less = states_no_more(ours, theirs), states_no_more(theirs, ours)
        if no_less and _says_only_that(old) and (not no_more or is_plainer(ours, theirs)):
            old.anchor = replace(old.anchor, state=AnchorState.DUPLICATE, related=new.anchor.id)
        elif no_more and _says_only_that(new):
            new.anchor = replace(new.anchor, state=AnchorState.DUPLICATE, related=old.anchor.id)
            return True
    return False


def states_another_value(new: Known, old: Known) -> bool:
    """Check whether a later statement gives another value for what the same speaker stated earlier."""
    if new.kind not in _STATES or new.anchor.turn_seq <= old.anchor.turn_seq or not same_speaker(new, old):
        return False
    if not (changes_value(new.anchor.text, old.anchor.text) or other_value(new.anchor.text, old.anchor.text)):
        return False
    if sometimes_only(new.said, old.said) and not _BEGAN.search(new.said):
        return False
    return not (only_then(lives_there_since(new.said), old.said) or is_question(new.said))


def of_other_holders(one: Known, other: Known) -> bool:
    """Check whether similar statements differ in person or time: 'I'm 44', 'she's 44', 'I want to be 44'."""
    if one.said == other.said:
        return False
    if _WISHES.isdisjoint(one.tokens) is not _WISHES.isdisjoint(other.tokens):
        return True
    return of_other_people(one, other) or are_apart(one.anchor.text, other.anchor.text)


def of_other_people(one: Known, other: Known) -> bool:
    """Check whether one is only about its speaker, the other only about others: 'my budget', 'their budget'."""
    if tell_of_self_and_another(one, other):
        return True
    ours, of_others = one.tells_of_self, one.tells_of_others
    theirs, of_their_others = other.tells_of_self, other.tells_of_others
    if ours and not of_others:
        return of_their_others and not theirs
    return of_others and not ours and theirs and not of_their_others


def tell_of_self_and_another(one: Known, other: Known) -> bool:
    """Check whether one begins with its speaker, the other with someone else: 'I live in Leeds', 'My sister moved'."""
    return (one.begins_with_self and other.begins_with_another) or (other.begins_with_self and one.begins_with_another)


def _lasts(known_anchor: Known) -> bool:
    return (
        known_anchor.anchor.type is AnchorType.CRITICAL_FACT
        and known_anchor.anchor.rank >= LASTING_RANK
        and not known_anchor.shown_only
    )


def _may_be_the_same(new: Known, old: Known) -> bool:
    return same_speaker(new, old) or (tells_of_a_name(new.anchor.text) and tells_of_a_name(old.anchor.text))


def _says_only_that(known_anchor: Known) -> bool:
    """Check whether a statement contains no lasting fact besides its attributes."""
    if any(rule.search(known_anchor.said) for rule in _TELL_MORE):
        return False
    lasting = sum(len(rule.findall(known_anchor.said)) for rule in (lasting_rules.IDENTITY, lasting_rules.HEALTH))
    return lasting <= len(attributes_of(known_anchor.anchor.text))
