"""New anchors against earlier ones: repeats, corrections, answers. Nothing is deleted; states change.

Every draft becomes an anchor. Two anchors are only ever the same when they are of one type and agree in their
numbers, names, comparisons and negations: 'never restart' does not repeat 'restart'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold.contract.remembered import Remembered
from turnfold.contract.terms import rarity, terms
from turnfold.contract.vectors import NO_VECTOR, NO_VECTORS, Vector
from turnfold_worker.pipeline import statement_rules
from turnfold_worker.pipeline.anchor_drafts import AnchorDraft
from turnfold_worker.pipeline.facts import NAMES, VALUES
from turnfold_worker.pipeline.likeness import (
    Known,
    agree,
    by_meaning,
    by_words,
    cosine,
    orders_otherwise,
    others,
    same_names,
    same_person,
    same_speaker,
    shared,
)
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.spoken import plain_words
from turnfold_worker.pipeline.words import specific_words

MAX_CANDIDATES: Final = 96
"""Earlier anchors that a segment's anchors are compared with."""
_MAX_TERMS: Final = 8
_CORRECTS_FROM: Final = 0.30
_ABOUT_IT_FROM: Final = 0.30
_SAME_SUBJECT_FROM: Final = 0.70
_MEANT_FROM: Final = 0.10
"""Likeness by words from which two anchors may be alike in meaning: below it they share no telling word."""
_MENDS_WITHIN: Final = 4
"""Turns within which a correction that names nothing else is about what was said last."""
_SUBJECT_OF_ITS_OWN: Final = 7
"""Telling words from which a correction says itself what it is about."""
_NAMES_OF_ACTS: Final = frozenset({"decision", "decided", "decide", "agreed", "correction"})
"""They tell what a clause does, and nothing of its subject."""
_MAX_SUPERSEDED: Final = 2
_MIN_SHARED_ANSWER: Final = 2
_OVERTAKEN: Final = frozenset(
    {AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.COMMITMENT, AnchorType.CORRECTION}
)
_STATEMENTS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT})
_TAKES_BACK: Final = frozenset({AnchorType.DECISION, AnchorType.CORRECTION})
_ANSWERS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.CORRECTION})
_RARITIES: Final = Remembered(rarity)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorChange:
    """What a merge changes in an earlier anchor."""

    id: int
    state: AnchorState
    related: int | None
    replaces: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a segment's anchors do to the conversation's."""

    new: tuple[Anchor, ...]
    changed: tuple[AnchorChange, ...]
    """At most one an earlier anchor, by id."""


@lru_cache(maxsize=256)
def anchor_terms(text: str) -> tuple[str, ...]:
    """The rarest distinct terms of a text, at most eight, rarest first, ties by position: for finding candidates."""
    # The sort is stable: of equal terms, the one that was said first stays first.
    return tuple(sorted(dict.fromkeys(terms(text)), key=_RARITIES.__getitem__, reverse=True)[:_MAX_TERMS])


def texts_to_embed(drafts: Sequence[AnchorDraft], candidates: Sequence[Anchor]) -> list[str]:
    """Texts whose meaning has to be known for `merge`: of pairs of one type that agree and share a telling word."""
    earlier = [Known(anchor) for anchor in _newest(candidates)]
    wanted: dict[str, None] = {}
    for position, draft in enumerate(drafts):
        new = Known(_numbered(draft, position, 0))
        for old in earlier:
            if _comparable(new, old) and agree(new, old):
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
    """Number the drafts `next_id`, `next_id + 1`, … and settle them with each other and with earlier anchors.

    `candidates` are earlier anchors of the conversation; the first `MAX_CANDIDATES` by id, from the newest, are used.
    `vectors` are those of `texts_to_embed`, by text; without them words alone decide.
    """
    if not drafts:
        return Merged(new=(), changed=())
    rare = sorted({word for draft in drafts for word in specific_words(draft.text)})
    first_seq = min(draft.turn_seq for draft in drafts)
    known = [
        _known(anchor, vectors)
        for anchor in _newest(candidates)
        if anchor.turn_seq >= first_seq - _MENDS_WITHIN or _may_meet(anchor.text.lower(), rare)
    ]
    before = {one.anchor.id: one.anchor for one in known}
    for offset, draft in enumerate(drafts):
        new = _known(_numbered(draft, next_id + offset, node_idx), vectors, finishes=draft.finishes)
        _settle(new, known, settings)
        known.append(new)
    fresh = tuple(one.anchor for one in known if one.anchor.id not in before)
    changed = (_change_of(one.anchor) for one in known if one.anchor != before.get(one.anchor.id, one.anchor))
    return Merged(new=fresh, changed=tuple(changed))


def merge_into_past(
    drafts: Sequence[AnchorDraft],
    candidates: Sequence[Anchor],
    *,
    next_id: int,
    node_idx: int,
    settings: FoldSettings,
    vectors: Mapping[str, Vector] = NO_VECTORS,
) -> Merged:
    """As `merge`, for a segment that others have followed already: later anchors repeat, correct or answer its own.

    `candidates` may be anchors from before, inside and after the segment.
    """
    if not drafts:
        return Merged(new=(), changed=())
    last_seq = max(draft.turn_seq for draft in drafts)
    before = [one for one in candidates if one.turn_seq <= last_seq]
    merged = merge(drafts, before, next_id=next_id, node_idx=node_idx, settings=settings, vectors=vectors)
    ours = [_known(anchor, vectors) for anchor in merged.new]
    later = sorted((one for one in candidates if one.turn_seq > last_seq), key=lambda one: (one.turn_seq, one.id))
    changed = list(merged.changed)
    for anchor in later[-MAX_CANDIDATES:]:
        one = _known(anchor, vectors, finishes=_finishes(anchor))
        _settle(one, ours, settings)
        if one.anchor != anchor:
            changed.append(_change_of(one.anchor))
    return Merged(new=tuple(one.anchor for one in ours), changed=tuple(sorted(changed, key=lambda one: one.id)))


def settle_again(anchor: Anchor, later: Sequence[Anchor], *, settings: FoldSettings) -> list[AnchorChange]:
    """What anchors that were said after an active one do to it, and it to them, by words alone.

    Its own change comes first, and is there even when nothing was said about it.
    """
    ours = _known(replace(anchor, related=None), NO_VECTORS)
    changed: list[AnchorChange] = []
    for other in sorted(later, key=lambda one: (one.turn_seq, one.id)):
        if other.turn_seq > anchor.turn_seq and other.id != anchor.id:
            one = _known(other, NO_VECTORS, finishes=_finishes(other))
            _settle(one, [ours], settings)
            if one.anchor != other:
                changed.append(_change_of(one.anchor))
    return [_change_of(ours.anchor), *changed]


def _newest(candidates: Sequence[Anchor]) -> list[Anchor]:
    """Those that are looked at, oldest first."""
    distinct = {one.id: one for one in candidates}
    return [distinct[id_] for id_ in sorted(distinct)[-MAX_CANDIDATES:]]


def _change_of(anchor: Anchor) -> AnchorChange:
    return AnchorChange(id=anchor.id, state=anchor.state, related=anchor.related, replaces=anchor.replaces)


def _finishes(anchor: Anchor) -> bool:
    """Whether a stored anchor reports something done: what its draft knew."""
    done = statement_rules.COMPLETIONS.search(plain_words(anchor.text))
    return anchor.type is AnchorType.CRITICAL_FACT and bool(done)


def _may_meet(text: str, rare: Sequence[str]) -> bool:
    """A cheap look before the vectors: most earlier anchors share no telling word with a segment's."""
    return any(term in text for term in rare)


def _known(anchor: Anchor, vectors: Mapping[str, Vector], *, finishes: bool = False) -> Known:
    return Known(anchor, finishes, vectors.get(anchor.text, NO_VECTOR))


def _numbered(draft: AnchorDraft, anchor_id: int, node_idx: int) -> Anchor:
    return Anchor(
        id=anchor_id, type=draft.type, text=draft.text, turn_seq=draft.turn_seq, start=draft.start, end=draft.end,
        state=draft.state, score=draft.score, rank=draft.rank, node_idx=node_idx, tokens=draft.tokens,
        speaker=draft.speaker,
    )  # fmt: skip


def _settle(new: Known, known: Sequence[Known], settings: FoldSettings) -> None:
    """Change the states of the new anchor and of the earlier ones that it repeats, corrects or answers."""
    if not new.active:
        return
    near = [(by_words(new, old), old) for old in known if old.active]
    near = sorted(near, key=lambda pair: (-pair[0], -pair[1].anchor.id))
    if _repeats(new, near, settings):
        return
    _supersede(new, near)
    for similarity, old in near:
        if not old.active:
            continue
        answers = old.anchor.type is AnchorType.UNRESOLVED_QUESTION and new.anchor.type in _ANSWERS
        finishes = old.anchor.type is AnchorType.COMMITMENT and new.finishes
        later = old.anchor.turn_seq < new.anchor.turn_seq
        needed = 1 if finishes else _MIN_SHARED_ANSWER
        if later and (answers or finishes) and similarity >= _ABOUT_IT_FROM and shared(new, old) >= needed:
            _change(old, AnchorState.RESOLVED, new.anchor.id)


def _change(one: Known, state: AnchorState, related: int) -> None:
    one.anchor = replace(one.anchor, state=state, related=related)


def _comparable(new: Known, old: Known) -> bool:
    return new.anchor.type is old.anchor.type and by_words(new, old) >= _MEANT_FROM


def _repeats(new: Known, near: Sequence[tuple[float, Known]], settings: FoldSettings) -> bool:
    """Mark the longer of two equals as the duplicate; True when the new one is it."""
    for words_alike, old in near:
        if new.anchor.type is not old.anchor.type or words_alike < _MEANT_FROM:
            continue
        meant_alike = by_meaning(new, old) if new.vector and old.vector else 0.0
        if max(words_alike, meant_alike) <= settings.deduplicate_above or not agree(old, new):
            continue
        if len(new.anchor.text) < len(old.anchor.text) and new.anchor.rank >= old.anchor.rank - 100:
            _change(old, AnchorState.DUPLICATE, new.anchor.id)
            return False
        _change(new, AnchorState.DUPLICATE, old.anchor.id)
        return True
    return False


def _supersede(new: Known, near: Sequence[tuple[float, Known]]) -> None:
    """A correction overtakes what it corrects; a statement overtakes an earlier one that differs in a value."""
    left = _MAX_SUPERSEDED
    for similarity, old in near:
        overtaken = old.active and old.anchor.type in _OVERTAKEN and old.anchor.turn_seq <= new.anchor.turn_seq
        if not left or not overtaken:
            continue
        if (
            _corrects(new, old, similarity)
            or _restates(new, old, similarity)
            or _takes_back(new, old)
            or orders_otherwise(new, old)
        ):
            _overtake(new, old)
            left -= 1
    if left == _MAX_SUPERSEDED and new.anchor.type is AnchorType.CORRECTION:
        said_last = max((old for _, old in near if _mends(new, old)), key=_place, default=None)
        if said_last is not None:
            _overtake(new, said_last)


def _overtake(new: Known, old: Known) -> None:
    _change(old, AnchorState.SUPERSEDED, new.anchor.id)
    if new.anchor.replaces is None:
        new.anchor = replace(new.anchor, replaces=old.anchor.id)


def _place(one: Known) -> tuple[int, int]:
    return one.anchor.turn_seq, one.anchor.start


def _corrects(new: Known, old: Known, similarity: float) -> bool:
    if new.anchor.type is not AnchorType.CORRECTION or similarity < _CORRECTS_FROM:
        return False
    return shared(new, old) > sum(1 for act in _NAMES_OF_ACTS if act in new.words and act in old.words)


def _takes_back(new: Known, old: Known) -> bool:
    """'We will use MySQL for the ledger, not PostgreSQL' after 'We decided to use PostgreSQL for the ledger'."""
    if new.anchor.type not in _TAKES_BACK or old.anchor.type not in _STATEMENTS or not new.taken_back & old.specific:
        return False
    subject = (new.specific - new.taken_back - _NAMES_OF_ACTS) & old.specific
    return bool(subject) and not old.taken_back & new.taken_back


def _mends(new: Known, old: Known) -> bool:
    """'Sorry, I meant Tuesday' names no subject: it is about the last statement with another value of the kind."""
    turns = new.anchor.turn_seq - old.anchor.turn_seq
    if not old.active or old.anchor.type not in _OVERTAKEN or not 0 <= turns <= _MENDS_WITHIN:
        return False
    if _place(old) >= _place(new) or not (same_speaker(new, old) or statement_rules.CONTRADICTION.search(new.said)):
        return False
    if len(specific_words(new.anchor.text)) >= _SUBJECT_OF_ITS_OWN and not shared(new, old):
        return False
    return any(
        ours and theirs and not set(ours) & set(theirs)
        for kind in (*VALUES, *NAMES)
        for ours, theirs in ((others(new, old, kind), others(old, new, kind)),)
    )


def _restates(new: Known, old: Known, similarity: float) -> bool:
    """Same subject, other value: 'the launch is on 7 May' after 'the launch is on 3 May'."""
    if not (new.anchor.type is old.anchor.type and new.anchor.type in _STATEMENTS) or not shared(new, old, least=2):
        return False
    if not similarity > 0 or not same_names(new, old) or not same_person(new, old) or new.negations != old.negations:
        return False
    ours, theirs = new.facts, old.facts
    return any(
        len(ours.texts(kind)) == 1 == len(theirs.texts(kind))
        and ours.texts(kind) != theirs.texts(kind)
        and _subject_similarity(new, old, ours.texts(kind)[0], theirs.texts(kind)[0]) >= _SAME_SUBJECT_FROM
        for kind in VALUES
    )


def _subject_similarity(new: Known, old: Known, our_value: str, their_value: str) -> float:
    return cosine(new.anchor.text.replace(our_value, " "), old.anchor.text.replace(their_value, " "))
