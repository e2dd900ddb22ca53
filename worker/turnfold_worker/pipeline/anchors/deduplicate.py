"""Merging of new anchors with earlier ones: repeats, corrections, answers. Nothing is deleted; states change.

Every draft becomes an anchor, except a report that settles nothing. Two anchors are equal only if they have one type
and agree in numbers, names, comparisons and negations: 'never restart' does not repeat 'restart'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.note_times import UNKNOWN_TIME
from turnfold.contract.records import Anchor, AnchorChange, AnchorState
from turnfold.contract.terms import rarity, terms
from turnfold.contract.vectors import NO_VECTOR, NO_VECTORS, Vector
from turnfold.dates.note_time import time_of
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft, Answer
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, agree
from turnfold_worker.pipeline.anchors.reconcile.overtaking import MENDS_MISTYPED_WITHIN
from turnfold_worker.pipeline.anchors.reconcile.settle import (
    answer,
    comparable,
    finish,
    hand_on,
    set_plans_aside,
    settle,
)
from turnfold_worker.pipeline.anchors.rules.statement_rules import STANDING_ORDER
from turnfold_worker.pipeline.anchors.statements.attributes import attribute_terms
from turnfold_worker.pipeline.anchors.statements.obligations import duties_of
from turnfold_worker.pipeline.anchors.statements.overrides import Reach, reach_of
from turnfold_worker.pipeline.anchors.statements.style_wishes import manner_of, words_of_manner
from turnfold_worker.pipeline.language.words import specific_words, words
from turnfold_worker.pipeline.settings import FoldSettings

MAX_CANDIDATES: Final = 96
"""Maximum number of earlier anchors that a segment's anchors are compared with."""
_MAX_TERMS: Final = 8
_MAX_TERMS_OF_RULES: Final = 16
"""Maximum number of terms for a rule, which may consist of common words."""
_RARITIES: Final = Remembered(rarity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The effect of a segment's anchors on the conversation's."""

    new: tuple[Anchor, ...]
    changed: tuple[AnchorChange, ...]
    """Changes to earlier anchors by id, at most one per anchor."""


@lru_cache(maxsize=256)
def anchor_terms(text: str) -> tuple[str, ...]:
    """Return the index terms of a text: its rarest distinct terms, rarest first, ties by position.

    At most eight terms, sixteen for a rule, followed by the markers of `attribute_terms`.
    """
    most_terms = _MAX_TERMS_OF_RULES if _rules(text) else _MAX_TERMS
    # The sort is stable: of equally rare terms, the earlier one comes first.
    rarest = sorted(dict.fromkeys(terms(text)), key=_RARITIES.__getitem__, reverse=True)[:most_terms]
    return (*rarest, *attribute_terms(text))


def sought_terms(text: str) -> tuple[str, ...]:
    """Return the terms for finding earlier anchors that a text may repeat or change, with those of opposite styles."""
    return tuple(dict.fromkeys((*anchor_terms(text), *terms(words_of_manner(text)))))


def _rules(text: str) -> bool:
    """Check whether a text states what to do or how to do it."""
    return bool(duties_of(text)) or manner_of(text) is not None or STANDING_ORDER.search(text) is not None


def texts_to_embed(drafts: Sequence[AnchorDraft], candidates: Sequence[Anchor]) -> list[str]:
    """Return texts whose embeddings `merge` needs: pairs of one type that agree and share a specific word."""
    earlier = [Known(anchor) for anchor in _newest(candidates)]
    wanted: dict[str, None] = {}
    for position, draft in enumerate(report_or_draft for report_or_draft in drafts if not report_or_draft.reports):
        new = Known(_numbered(draft, position, 0))
        for old in earlier:
            if comparable(new, old) and agree(new, old):
                wanted.update(dict.fromkeys((old.anchor.text, new.anchor.text)))
        earlier.append(new)
    return list(wanted)


def merge(
    drafts: Sequence[AnchorDraft],
    candidates: Sequence[Anchor],
    *,
    next_id: int,
    node_idx: int,
    settings: FoldSettings,
    vectors: Mapping[str, Vector] = NO_VECTORS,
) -> Merged:
    """Number the drafts `next_id`, `next_id + 1`, … and settle them against each other and against earlier anchors.

    Reports that settle nothing are dropped.

    `candidates` are earlier anchors of the conversation, of which the `MAX_CANDIDATES` with the highest ids are used.
    `vectors` maps the texts of `texts_to_embed` to embeddings; without them, words alone decide.
    """
    if not drafts:
        return Merged(new=(), changed=())
    telling = sorted({word for draft in drafts for word in _telling(draft.text)})
    first_seq = min(draft.turn_seq for draft in drafts)
    stated = frozenset(term for draft in drafts for term in attribute_terms(draft.text))
    far = any(reach_of(draft.text) > Reach.LATEST for draft in drafts)
    known = [
        _known(anchor, vectors)
        for anchor in _newest(candidates)
        if far
        or anchor.turn_seq >= first_seq - MENDS_MISTYPED_WITHIN
        or _may_meet(anchor.text.lower(), telling)
        or not stated.isdisjoint(attribute_terms(anchor.text) if stated else ())
    ]
    anchors_before = {one.anchor.id: one.anchor for one in known}
    fresh: list[Known] = []
    asked: list[tuple[Answer, Known]] = []
    for draft in drafts:
        new = _known(_numbered(draft, next_id + len(fresh), node_idx), vectors)
        new.turns_before = draft.turns_before
        answered = [question for reply, question in asked if reply.is_in(draft)]
        if draft.reports:
            if not (finish(new, known) or answer(new, known) or answered):
                continue
            # A resolved report needs no place in a context; it records what settled the promise or question.
            new.anchor = replace(new.anchor, state=AnchorState.RESOLVED)
        settle(new, known, settings)
        for question in answered:
            question.anchor = replace(question.anchor, related=question.anchor.related or new.anchor.id)
        if draft.answer is not None:
            asked.append((draft.answer, new))
        known.append(new)
        fresh.append(new)
    hand_on(fresh, known)
    set_plans_aside(fresh, known)
    changed = (_change_of(one.anchor) for one in known if one.anchor != anchors_before.get(one.anchor.id, one.anchor))
    return Merged(new=tuple(known_anchor.anchor for known_anchor in fresh), changed=tuple(changed))


def merge_into_past(
    drafts: Sequence[AnchorDraft],
    candidates: Sequence[Anchor],
    *,
    next_id: int,
    node_idx: int,
    settings: FoldSettings,
    vectors: Mapping[str, Vector] = NO_VECTORS,
) -> Merged:
    """Merge a segment that precedes others already merged; later anchors repeat, correct or answer its own.

    `candidates` may be anchors from before, inside and after the segment.
    """
    if not drafts:
        return Merged(new=(), changed=())
    last_seq = max(draft.turn_seq for draft in drafts)
    anchors_before = [candidate for candidate in candidates if candidate.turn_seq <= last_seq]
    merged = merge(drafts, anchors_before, next_id=next_id, node_idx=node_idx, settings=settings, vectors=vectors)
    ours = [_known(anchor, vectors) for anchor in merged.new]
    later = sorted(
        (candidate for candidate in candidates if candidate.turn_seq > last_seq),
        key=lambda later_anchor: (later_anchor.turn_seq, later_anchor.id),
    )
    changed = [*merged.changed, *_settled_by(later[-MAX_CANDIDATES:], ours, settings, vectors)]
    return Merged(
        new=tuple(our.anchor for our in ours), changed=tuple(sorted(changed, key=lambda later_anchor: later_anchor.id))
    )


def settle_again(anchor: Anchor, later: Sequence[Anchor], *, settings: FoldSettings) -> list[AnchorChange]:
    """Settle an active anchor and the ones stated after it against each other again, by words alone.

    The first change is the anchor's own, present even if nothing affected it.
    """
    ours = _known(replace(anchor, related=None), NO_VECTORS)
    other_anchors = (
        later_anchor
        for later_anchor in later
        if later_anchor.turn_seq > anchor.turn_seq and later_anchor.id != anchor.id
    )
    changed = _settled_by(
        sorted(other_anchors, key=lambda later_anchor: (later_anchor.turn_seq, later_anchor.id)),
        [ours],
        settings,
        NO_VECTORS,
    )
    return [_change_of(ours.anchor), *changed]


def _settled_by(
    later: Sequence[Anchor], ours: Sequence[Known], settings: FoldSettings, vectors: Mapping[str, Vector]
) -> list[AnchorChange]:
    """Settle later anchors against `ours` and return the changes to the later ones."""
    known = [_known(anchor, vectors) for anchor in later]
    for known_anchor in known:
        settle(known_anchor, ours, settings)
    set_plans_aside(known, [*ours, *known], only=ours)
    return [
        _change_of(known_anchor.anchor)
        for known_anchor, anchor in zip(known, later, strict=True)
        if known_anchor.anchor != anchor
    ]


def _newest(candidates: Sequence[Anchor]) -> list[Anchor]:
    """Return the distinct `MAX_CANDIDATES` anchors with the highest ids, oldest first."""
    distinct = {candidate.id: candidate for candidate in candidates}
    return [distinct[id_] for id_ in sorted(distinct)[-MAX_CANDIDATES:]]


def _change_of(anchor: Anchor) -> AnchorChange:
    return AnchorChange(id=anchor.id, state=anchor.state, related=anchor.related, replaces=anchor.replaces)


def _telling(text: str) -> frozenset[str]:
    """Return the words of which an earlier anchor must share one to be changed.

    For a rule these include common words and opposite styles; for a text with a number they include common words too,
    since its subject may be common: 'the rent is 860 euros'.
    """
    if not _rules(text):
        return frozenset(filter(None, words(text))) if any(map(str.isdigit, text)) else specific_words(text)
    return frozenset((*filter(None, words(text)), *words_of_manner(text).split()))


def _may_meet(text: str, telling: Sequence[str]) -> bool:
    """Check cheaply, before vectors are compared, whether a text contains one of the words; most do not."""
    return any(term in text for term in telling)


def _known(anchor: Anchor, vectors: Mapping[str, Vector]) -> Known:
    return Known(anchor, vectors.get(anchor.text, NO_VECTOR))


def _numbered(draft: AnchorDraft, anchor_id: int, node_idx: int) -> Anchor:
    time = time_of(draft.text, draft.said_on) or UNKNOWN_TIME
    return Anchor(
        id=anchor_id, type=draft.type, text=draft.text, turn_seq=draft.turn_seq, start=draft.start, end=draft.end,
        state=draft.state, score=draft.score, rank=draft.rank, node_idx=node_idx, tokens=draft.tokens,
        speaker=draft.speaker, role=draft.role, factors=draft.factors, said_on=draft.said_on,
        valid_from=time.valid_from or draft.said_on, valid_to=time.valid_to,
    )  # fmt: skip
