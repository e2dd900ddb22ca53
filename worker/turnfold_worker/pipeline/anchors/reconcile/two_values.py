"""Two values of one thing in one turn: both stay active as a contradiction unless a word tells which one holds.

The first of the two names the second in `replaces`, as for other contradictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Anchor, AnchorChange, AnchorState, AnchorType, Role
from turnfold.wire.change_cues import may_change
from turnfold_worker.pipeline.anchors.reconcile.attribute_values import of_other_holders
from turnfold_worker.pipeline.anchors.reconcile.differences import about_another, of_another_number
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known
from turnfold_worker.pipeline.anchors.statements.attributes import changes_value
from turnfold_worker.pipeline.anchors.statements.frames import other_value
from turnfold_worker.pipeline.anchors.statements.temporal_scope import only_then, sometimes_only

_STATES: Final = frozenset({AnchorType.CRITICAL_FACT, AnchorType.DECISION, AnchorType.COMMITMENT})
_TELLS_WHICH: Final = lazy_pattern(
    r"(?<!\w)(?:now|then|later|today|currently|finally|lately|no|nope|wait|sorry|oops|rather|again|correction|typo|"
    r"make (?:it|that)|(?:i|we) mean|at first|first|originally|initially|previously|formerly|before|after|until|since|"
    r"used to|was|were|had|last|next|new|old|so far|final|current)(?!\w)"
)
"""Words that mark one of two values as earlier, later or wrong."""
_FROM_NOW: Final = lazy_pattern(
    r"(?<!\w)(?:now|no|nope|wait|sorry|oops|actually|correction|make (?:it|that)|(?:i|we) mean|(?:i|we) meant|new|"
    r"final|currently|today|finally)(?!\w)"
)
"""Words that mark one of two values as the valid one."""
_CHOICE: Final = lazy_pattern(
    r"(?<!\w)(?:or|either|otherwise|alternatively|perhaps|maybe|also|too|another|each|respectively|for example|"
    r"for instance|(?:option|alternative|variant|scenario|plan|case|offer|quote|choice)s? (?:[a-h]|\d+|one|two))(?!\w)"
)
"""Words that mark two values as alternatives or as members of a list."""


def tells_which(new: Known, old: Known) -> bool:
    """Check whether the words of two statements of one turn tell which value holds."""
    if AnchorType.CORRECTION in {new.kind, old.kind} or new.taken_back:
        return True
    # Words in both name the thing: 'the rent for the new office'.
    only_one_says = set(_TELLS_WHICH.findall(new.said)) ^ set(_TELLS_WHICH.findall(old.said))
    return bool(only_one_says) or may_change(Role.USER, new.said)


def says_which_holds(new: Known, old: Known) -> bool:
    """Check whether the later of two values of a turn claims to be the valid one: 'Now the budget is 3,500'."""
    if new.anchor.turn_seq != old.anchor.turn_seq or are_a_choice(new, old):
        return False
    says_so = _FROM_NOW.search(new.said) is not None and _FROM_NOW.search(old.said) is None
    return says_so and gives_two_values(new, old)


def are_a_choice(new: Known, old: Known) -> bool:
    """Check whether two statements offer alternatives or add to each other."""
    return any(_CHOICE.search(known_anchor.said) for known_anchor in (new, old))


def gives_two_values(new: Known, old: Known) -> bool:
    """Check whether two statements of one turn give different values for one thing and holder."""
    if not {new.kind, old.kind} <= _STATES or old.shown_only:
        return False
    if not (changes_value(new.anchor.text, old.anchor.text) or other_value(new.anchor.text, old.anchor.text)):
        return False
    if only_then(new.said, old.said) or sometimes_only(new.said, old.said) or of_other_holders(new, old):
        return False
    return not (about_another(new, old) or of_another_number(new, old))


def contest(new: Known, old: Known) -> None:
    """Record the contradiction: let the first of two values of a turn name the second."""
    if not is_contested(old.anchor):
        old.anchor = replace(old.anchor, replaces=new.anchor.id)


def is_pair(anchor: Anchor, other: Anchor) -> bool:
    """Check whether two anchors of one turn contradict each other, the first naming the second."""
    return anchor.turn_seq == other.turn_seq and is_contested(anchor) and anchor.replaces == other.id


def are_contested(known_anchor: Known, other: Known) -> bool:
    """Check whether two anchors are a contradicting pair, in either order."""
    return is_pair(known_anchor.anchor, other.anchor) or is_pair(other.anchor, known_anchor.anchor)


def part(known: Sequence[Known]) -> None:
    """Unlink the remaining value of a contradicting pair once the other is no longer active."""
    by_id = {one.anchor.id: one.anchor for one in known}
    for known_anchor in known:
        other = by_id.get(known_anchor.anchor.replaces or 0)
        if (
            known_anchor.active
            and other is not None
            and is_pair(known_anchor.anchor, other)
            and other.state is not AnchorState.ACTIVE
        ):
            known_anchor.anchor = replace(known_anchor.anchor, replaces=None)


def standing_pairs(anchors: Sequence[Anchor], changes: Sequence[AnchorChange] = ()) -> list[tuple[Anchor, Anchor]]:
    """Pair active anchors with the active anchor they name: a contradiction, or a later partial correction.

    `changes` are applied to the anchors first.
    """
    changed = {change.id: change for change in changes}
    by_id = {
        anchor.id: replace(anchor, state=changed[anchor.id].state, replaces=changed[anchor.id].replaces)
        if anchor.id in changed
        else anchor
        for anchor in anchors
    }
    pairs = ((one, by_id[one.replaces]) for one in by_id.values() if one.replaces in by_id)
    return [
        (one, other)
        for one, other in pairs
        if one.state is AnchorState.ACTIVE is other.state and (is_pair(one, other) or other.turn_seq > one.turn_seq)
    ]


def is_contested(anchor: Anchor) -> bool:
    """Check whether an anchor names a later one."""
    # Anchors of a turn are numbered in text order, and a replacement names an earlier one.
    return anchor.replaces is not None and anchor.replaces > anchor.id
