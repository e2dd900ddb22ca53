"""The plan that replaces one set aside without a name: 'Scratch that. We'll print it'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from turnfold.contract.records import AnchorType, Role
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, place_of, same_speaker, shared
from turnfold_worker.pipeline.anchors.statements.overrides import Reach, is_bare, of_another_topic, plans, reach_of

WITHIN: Final = 4
"""Number of turns within which 'scratch that' refers to the last plan."""
_DIRECTS: Final = frozenset({Role.USER, Role.SYSTEM, Role.DEVELOPER, None})
"""Roles whose words set plans aside; assistants and tools cannot."""
_OVERTAKEN: Final = frozenset({AnchorType.DECISION, AnchorType.COMMITMENT})


def plans_set_aside(fresh: Sequence[Known], known: Sequence[Known]) -> Iterator[tuple[Known, Known | None]]:
    """Yield the new plan, else the marker, of each turn that sets plans aside, with each plan superseded or None."""
    ordered = sorted((known_anchor for known_anchor in fresh if not known_anchor.shown_only), key=place_of)
    for _, turn in groupby(ordered, key=lambda one: one.anchor.turn_seq):
        of_turn = list(turn)
        markers = [
            (reach, one) for one in of_turn if one.anchor.role in _DIRECTS and (reach := reach_of(one.anchor.text))
        ]
        if markers:
            reach, marker = max(markers, key=lambda pair: (pair[0], -pair[1].anchor.start))
            new = _instead(of_turn, markers[0][1])
            set_aside = _set_aside(reach, marker, new, known)
            yield from ((new or marker, old) for old in set_aside)
            if new is not None and not set_aside:
                yield new, None


def is_empty_marker(known_anchor: Known) -> bool:
    """Check whether an anchor only sets a plan aside, so that it needs no place once that is done."""
    return bool(reach_of(known_anchor.anchor.text)) and is_bare(known_anchor.anchor.text)


def plans_instead(known_anchor: Known) -> bool:
    """Check whether an anchor states the replacement plan itself: 'Use clay instead'."""
    return (
        bool(reach_of(known_anchor.anchor.text))
        and plans(known_anchor.anchor.text)
        and not is_bare(known_anchor.anchor.text)
    )


def _instead(known_anchors: Sequence[Known], marker: Known) -> Known | None:
    """Return the plan of a turn: the first from the marker on, else the last before it."""
    made = [
        known_anchor
        for known_anchor in known_anchors
        if known_anchor.active and _is_plan(known_anchor) and not is_bare(known_anchor.anchor.text)
    ]
    after = [plan for plan in made if place_of(plan) >= place_of(marker)]
    return after[0] if after else made[-1] if made else None


def _set_aside(reach: Reach, marker: Known, new: Known | None, known: Sequence[Known]) -> list[Known]:
    first = min(place_of(marker), place_of(new or marker))
    earlier = [
        old
        for old in known
        if old.active
        and place_of(old) < first
        and _is_plan(old)
        and not is_bare(old.anchor.text)
        and same_speaker(old, marker)
        and not (new is not None and of_another_topic(new.anchor.text, old.anchor.text))
    ]
    if reach is Reach.ALL:
        return earlier
    if reach is Reach.LATEST:
        earlier = [old for old in earlier if marker.anchor.turn_seq - old.anchor.turn_seq <= WITHIN]
    alike = [old for old in earlier if new is not None and shared(new, old)]
    return [max(alike or earlier, key=place_of)] if earlier else []


def _is_plan(known_anchor: Known) -> bool:
    return plans(known_anchor.anchor.text) or (
        known_anchor.kind in _OVERTAKEN and not known_anchor.said.rstrip("\"') ").endswith("?")
    )
