"""Settle a new anchor against earlier ones: it repeats, corrects, answers or completes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.records import AnchorState, AnchorType
from turnfold_worker.pipeline.anchors.reconcile.answers import ANSWERS, answered_in_other_words, answers
from turnfold_worker.pipeline.anchors.reconcile.attribute_values import (
    of_other_holders,
    of_other_people,
    says_again,
    states_another_value,
)
from turnfold_worker.pipeline.anchors.reconcile.differences import assigns_otherwise, orders_otherwise
from turnfold_worker.pipeline.anchors.reconcile.likeness import (
    Known,
    agree,
    by_meaning,
    by_words,
    place_of,
    same_speaker,
    says_no_more,
    shares_half,
)
from turnfold_worker.pipeline.anchors.reconcile.opposites import is_newer_value, oppose
from turnfold_worker.pipeline.anchors.reconcile.overtaking import (
    CORRECTS_FROM,
    OVERTAKEN,
    changes,
    corrects,
    mends,
    moves,
    moves_another,
    renumbered_by,
    restates,
    rules_otherwise,
    takes_back,
)
from turnfold_worker.pipeline.anchors.reconcile.plans import is_empty_marker, plans_instead, plans_set_aside
from turnfold_worker.pipeline.anchors.reconcile.subjects import adds_another, supposes, takes_back_only
from turnfold_worker.pipeline.anchors.reconcile.two_values import (
    are_a_choice,
    are_contested,
    contest,
    gives_two_values,
    is_contested,
    part,
    says_which_holds,
    tells_which,
)
from turnfold_worker.pipeline.anchors.statements.completion_reports import SOON, does, does_it, opens_with
from turnfold_worker.pipeline.anchors.statements.denials import denial_of
from turnfold_worker.pipeline.anchors.statements.numbers import corrected_value, holds_an_address
from turnfold_worker.pipeline.language.facts import VALUES, FactKind
from turnfold_worker.pipeline.settings import FoldSettings

_MEANT_FROM: Final = 0.10
"""Word similarity below which two anchors share no specific word, so they are not compared by meaning."""
_MAX_SUPERSEDED: Final = 2
_ADDRESSES: Final = (FactKind.EMAIL, FactKind.URL, FactKind.PATH)


def settle(new: Known, known: Sequence[Known], settings: FoldSettings) -> None:
    """Update the states of the new anchor and of the earlier ones that it repeats, corrects, answers or completes."""
    if not new.active or new.shown_only:
        return
    near = [(by_words(new, old), old) for old in known if old.active or _done_as_asked(new, old)]
    near = sorted(near, key=lambda pair: (-pair[0], -pair[1].anchor.id))
    confirmed = _confirmed(new, near)
    alike = [
        pair for pair in near if pair[1].active and pair[1] not in confirmed and not states_another_value(new, pair[1])
    ]
    if says_again(new, [old for _, old in alike]) or _repeats(new, alike, settings):
        return
    _supersede(new, near)
    for old in confirmed:
        if old.active:
            _change(old, AnchorState.DUPLICATE, new.anchor.id)
    part(known)
    for similarity, old in near:
        if not old.active:
            continue
        if answers(new, old, similarity):
            _change(old, AnchorState.RESOLVED, new.anchor.id)
    finish(new, known)
    answer(new, known)
    oppose(new, known)


def answer(new: Known, known: Sequence[Known]) -> bool:
    """Resolve the open question that a statement answers in other words, and return whether there is one."""
    question = answered_in_other_words(new, known)
    if question is not None:
        _change(question, AnchorState.RESOLVED, new.anchor.id)
    return question is not None


def _confirmed(new: Known, near: Sequence[tuple[float, Known]]) -> list[Known]:
    """Return the values of contested pairs that a new statement may confirm because it contradicts the other value."""
    if not any(is_contested(old.anchor) for _, old in near):
        return []
    other = [old for similarity, old in near if states_another_value(new, old) or restates(new, old, similarity)]
    return [old for _, old in near if old not in other and any(are_contested(old, contesting) for contesting in other)]


def hand_on(fresh: Sequence[Known], known: Sequence[Known]) -> None:
    """Move `replaces` from an anchor that only takes something back to the statement that says what holds instead.

    That statement is the one of the same turn most similar to the replaced anchor: the first sentence of 'Full refund
    until 24 hours before. So forget the 48-hour rule.'.
    """
    by_id = {beside_it.anchor.id: beside_it for beside_it in known}
    for new in fresh:
        old = by_id.get(new.anchor.replaces or 0)
        if old is None or old.anchor.related != new.anchor.id or not new.values <= old.values:
            continue
        beside = [beside_it for beside_it in fresh if beside_it is not new and _says_instead(beside_it, new, old)]
        best = max(beside, key=lambda beside_it: (by_words(beside_it, old), -beside_it.anchor.id), default=None)
        if best is not None:
            _change(old, AnchorState.SUPERSEDED, best.anchor.id)
            best.anchor = replace(best.anchor, replaces=old.anchor.id)
            new.anchor = replace(new.anchor, replaces=None)


def set_plans_aside(fresh: Sequence[Known], known: Sequence[Known], *, only: Sequence[Known] | None = None) -> None:
    """Let the plan of a turn that sets earlier plans aside supersede them, and resolve markers that say nothing else.

    With `only`, just those of the `known` anchors change.
    """
    for new, old in plans_set_aside(fresh, known):
        if old is not None and (only is None or old in only):
            _overtake(new, old)
        for marker in fresh:
            if (
                marker is not new
                and marker.active
                and marker.anchor.turn_seq == new.anchor.turn_seq
                and is_empty_marker(marker)
            ):
                _change(marker, AnchorState.RESOLVED, new.anchor.id)


def _says_instead(one: Known, new: Known, old: Known) -> bool:
    """Check whether a statement of the same turn says what replaces the thing that another one takes back."""
    return (
        one.active
        and not one.shown_only
        and one.anchor.replaces is None
        and one.anchor.turn_seq == new.anchor.turn_seq != old.anchor.turn_seq
        and one.anchor.type in ANSWERS
        and (
            (bool(one.values) and one.values != old.values and by_words(one, old) >= CORRECTS_FROM)
            or (takes_back_only(new) and plans_instead(one))
        )
    )


def finish(new: Known, known: Sequence[Known]) -> bool:
    """Resolve the promises of earlier turns that a report completes, and return whether there were any."""
    if new.shown_only:
        return False
    promises = [old for old in known if old.kind is AnchorType.COMMITMENT and old.anchor.turn_seq < new.anchor.turn_seq]
    finished = [old for old in promises if old.active and does(new.text, old.text)]
    if not finished:
        meant = max((old for old in promises if _means(new, old)), key=place_of, default=None)
        finished = [meant] if meant is not None and meant.active else []
    for old in finished:
        _change(old, AnchorState.RESOLVED, new.anchor.id)
    return bool(finished)


def _means(new: Known, old: Known) -> bool:
    """Check whether a report that names no thing ('Sent it.', or 'Done.' as a reply) fits a recent promise."""
    turns = new.anchor.turn_seq - old.anchor.turn_seq
    if turns == 1 and not same_speaker(new, old) and opens_with(new.text, old.text):
        return True
    return turns <= SOON and does_it(new.text, old.text)


def _done_as_asked(new: Known, old: Known) -> bool:
    """Check whether the new anchor is a correction ('I changed my mind') of a promise that is already resolved."""
    done = old.anchor.state is AnchorState.RESOLVED and old.kind is AnchorType.COMMITMENT
    return done and new.kind is AnchorType.CORRECTION


def _change(known_anchor: Known, state: AnchorState, related: int) -> None:
    known_anchor.anchor = replace(known_anchor.anchor, state=state, related=related)


def comparable(new: Known, old: Known) -> bool:
    """Check whether two anchors may say the same: same type and a specific word in common."""
    return new.kind is old.kind and by_words(new, old) >= _MEANT_FROM


def _repeats(new: Known, near: Sequence[tuple[float, Known]], settings: FoldSettings) -> bool:
    """Mark the longer of two equal anchors as a duplicate, and return whether the new one is."""
    for words_alike, old in near:
        if new.kind is not old.kind or words_alike < _MEANT_FROM or of_other_holders(new, old):
            continue
        if new.kind is AnchorType.CRITICAL_FACT and says_no_more(new, old) and shares_half(new, old):
            _change(new, AnchorState.DUPLICATE, old.anchor.id)
            return True
        meant_alike = by_meaning(new, old) if new.vector and old.vector else 0.0
        if max(words_alike, meant_alike) <= settings.deduplicate_above or not agree(old, new):
            continue
        # 'I wish I had no allergy' is a small part of the words of an allergy statement, but its meaning differs.
        longer, shorter = sorted((new, old), key=lambda equal: -len(equal.words))
        if meant_alike <= settings.deduplicate_above and not shares_half(longer, shorter):
            continue
        if len(new.anchor.text) < len(old.anchor.text) and new.anchor.rank >= old.anchor.rank - 100:
            _change(old, AnchorState.DUPLICATE, new.anchor.id)
            return False
        _change(new, AnchorState.DUPLICATE, old.anchor.id)
        return True
    return False


def _supersede(new: Known, near: Sequence[tuple[float, Known]]) -> None:
    """Let a correction supersede what it corrects, and a statement an earlier one with another value."""
    adds = new.kind is not AnchorType.CORRECTION and adds_another(new.said)
    left = 0 if adds or supposes(new.said) or denial_of(new.anchor.text) else _MAX_SUPERSEDED
    overtaken_in: dict[int, Known] = {}
    renumbered = renumbered_by(new, [old for _, old in near])
    for similarity, old in near:
        overtaken = old.kind in OVERTAKEN and old.anchor.turn_seq <= new.anchor.turn_seq
        # Duplicates of the new anchor are not replaced by it.
        overtaken = overtaken and old.anchor.state is not AnchorState.DUPLICATE
        overtaken = overtaken and (new.kind is AnchorType.CORRECTION or not of_other_people(new, old))
        if not left or not overtaken or moves_another(new, old):
            continue
        if _stands_beside(old, overtaken_in.get(old.anchor.turn_seq)):
            continue
        if _is_left_open(new, old, similarity):
            if not are_a_choice(new, old):
                contest(new, old)
            continue
        if (
            corrects(new, old, similarity)
            or restates(new, old, similarity)
            or takes_back(new, old)
            or rules_otherwise(new, old)
            or is_newer_value(new, old)
            or states_another_value(new, old)
            or moves(new, old)
            or changes(new, old)
            or says_which_holds(new, old)
            or old is renumbered
        ):
            _overtake(new, old)
            overtaken_in[old.anchor.turn_seq] = old
            left -= 1
    if left == _MAX_SUPERSEDED and new.kind is AnchorType.CORRECTION:
        said_last = max((old for _, old in near if mends(new, old)), key=place_of, default=None)
        if said_last is not None:
            _overtake(new, said_last)


def _stands_beside(old: Known, overtaken: Known | None) -> bool:
    """Check whether a statement is independent of a superseded one of its turn: the room, next to the day."""
    if overtaken is None or are_contested(old, overtaken):
        return False
    return not _words_of_values(overtaken) & _words_of_values(old)


def _is_left_open(new: Known, old: Known, similarity: float) -> bool:
    """Check whether both state a value of one thing in one turn and nothing tells which holds."""
    if new.anchor.turn_seq != old.anchor.turn_seq or tells_which(new, old):
        return False
    if gives_two_values(new, old) or restates(new, old, similarity):
        return True
    return assigns_otherwise(new, old) or orders_otherwise(new, old)


def _words_of_values(known_anchor: Known) -> frozenset[str]:
    """Return the words of the anchor's values, so that "the 14th of July" matches "the 14th"."""
    return frozenset(word for value_text in known_anchor.values for word in value_text.split())


def _overtake(new: Known, old: Known) -> None:
    if _tells_more(old, new):
        # Both stay active: the older one is shown with the correction of a part of it.
        old.anchor = replace(old.anchor, replaces=new.anchor.id)
        return
    _change(old, AnchorState.SUPERSEDED, new.anchor.id)
    if new.anchor.replaces is None:
        new.anchor = replace(new.anchor, replaces=old.anchor.id)


def _tells_more(old: Known, new: Known) -> bool:
    """Check whether an anchor has an address that the correction of one of its numbers omits: a house or an email."""
    ours, theirs = new.facts, old.facts
    if holds_an_address(old.anchor.text) and not holds_an_address(new.anchor.text):
        return corrected_value(old.anchor.text, new.anchor.text) is not None
    return bool(theirs.texts(*_ADDRESSES)) and bool(ours.texts(*VALUES)) and not ours.texts(*_ADDRESSES)
