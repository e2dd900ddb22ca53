"""New anchors against earlier ones: repeats, corrections, answers. Nothing is deleted; states change.

Every draft becomes an anchor. Two anchors are only ever the same when they are of one type and agree in their
numbers, names and negations: 'never restart' does not repeat 'restart'.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold.contract.terms import rarity, weighted_terms
from turnfold_worker.pipeline import statement_rules
from turnfold_worker.pipeline.acts import plain_words
from turnfold_worker.pipeline.anchors import AnchorDraft
from turnfold_worker.pipeline.common_words import weight
from turnfold_worker.pipeline.facts import FactKind, Facts, extract_facts
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.words import SPECIFIC, specific_words, word_vector

MAX_CANDIDATES: Final = 96
"""Earlier anchors that a segment's anchors are compared with."""
_MAX_TERMS: Final = 8
_CORRECTS_FROM: Final = 0.30
_ABOUT_IT_FROM: Final = 0.30
_SAME_SUBJECT_FROM: Final = 0.70
_MAX_SUPERSEDED: Final = 2
_MIN_SHARED_ANSWER: Final = 2
_OVERTAKEN: Final = frozenset(
    {AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.COMMITMENT, AnchorType.CORRECTION}
)
_STATEMENTS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT})
_ANSWERS: Final = frozenset({AnchorType.DECISION, AnchorType.CRITICAL_FACT, AnchorType.CORRECTION})
_VALUES: Final = (FactKind.NUMBER, FactKind.DATE)
_NAMES: Final = (FactKind.NAME, FactKind.IDENTIFIER, FactKind.PATH, FactKind.URL, FactKind.EMAIL)

Vector = Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorChange:
    """A new state for an earlier anchor."""

    id: int
    state: AnchorState
    related: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a segment's anchors do to the conversation's."""

    new: tuple[Anchor, ...]
    changed: tuple[AnchorChange, ...]
    """At most one an earlier anchor, by id."""


@dataclass
class _Known:
    """An anchor during the merge; `anchor` is replaced as states change, its text stays."""

    anchor: Anchor
    vector: Vector
    squared: int
    finishes: bool = False

    @cached_property
    def facts(self) -> Facts:
        return extract_facts(self.anchor.text)

    @cached_property
    def said(self) -> str:
        return plain_words(self.anchor.text)

    @property
    def active(self) -> bool:
        return self.anchor.state is AnchorState.ACTIVE


def anchor_terms(text: str) -> tuple[str, ...]:
    """The rarest distinct terms of a text, at most eight, rarest first, ties by position: for finding candidates."""
    found = list(weighted_terms(text))
    order = sorted(range(len(found)), key=lambda i: (-rarity(found[i]), i))
    return tuple(found[i] for i in order[:_MAX_TERMS])


def cosine(a: str, b: str) -> float:
    """Similarity of two texts by their terms weighted by rarity, 0 to 1, rounded to four digits."""
    left, right = word_vector(a), word_vector(b)
    return _cosine(left, _squared(left), right, _squared(right))


def _squared(vector: Vector) -> int:
    return sum(value * value for value in vector.values())


def _cosine(a: Vector, a_squared: int, b: Vector, b_squared: int) -> float:
    if not a_squared or not b_squared:
        return 0.0
    dot = sum(value * b[term] for term, value in a.items() if term in b)
    return round(dot / math.sqrt(a_squared * b_squared), 4)


def merge(
    drafts: Sequence[AnchorDraft], candidates: Sequence[Anchor], *, next_id: int, node_idx: int, settings: FoldSettings
) -> Merged:
    """Number the drafts `next_id`, `next_id + 1`, … and settle them with each other and with earlier anchors.

    `candidates` are earlier anchors of the conversation; the first `MAX_CANDIDATES` by id, from the newest, are used.
    """
    if not drafts:
        return Merged(new=(), changed=())
    newest = sorted({one.id: one for one in candidates}.values(), key=lambda one: -one.id)[:MAX_CANDIDATES]
    rare = sorted({word for draft in drafts for word in specific_words(draft.text)})
    known = [_known(anchor) for anchor in reversed(newest) if _may_meet(anchor.text.lower(), rare)]
    before = {one.anchor.id: one.anchor for one in known}
    for offset, draft in enumerate(drafts):
        new = _known(_numbered(draft, next_id + offset, node_idx), finishes=draft.finishes)
        _settle(new, known, settings)
        known.append(new)
    fresh = tuple(one.anchor for one in known if one.anchor.id not in before)
    changed = tuple(
        AnchorChange(id=one.anchor.id, state=one.anchor.state, related=one.anchor.related)
        for one in known
        if one.anchor.id in before and one.anchor != before[one.anchor.id]
    )
    return Merged(new=fresh, changed=changed)


def merge_into_past(
    drafts: Sequence[AnchorDraft], candidates: Sequence[Anchor], *, next_id: int, node_idx: int, settings: FoldSettings
) -> Merged:
    """As `merge`, for a segment that others have followed already: later anchors repeat, correct or answer its own.

    `candidates` may be anchors from before, inside and after the segment.
    """
    if not drafts:
        return Merged(new=(), changed=())
    last_seq = max(draft.turn_seq for draft in drafts)
    before = [one for one in candidates if one.turn_seq <= last_seq]
    merged = merge(drafts, before, next_id=next_id, node_idx=node_idx, settings=settings)
    ours = [_known(anchor) for anchor in merged.new]
    later = sorted((one for one in candidates if one.turn_seq > last_seq), key=lambda one: (one.turn_seq, one.id))
    changed = list(merged.changed)
    for anchor in later[-MAX_CANDIDATES:]:
        one = _known(anchor, finishes=_finishes(anchor))
        _settle(one, ours, settings)
        if one.anchor != anchor:
            changed.append(AnchorChange(id=anchor.id, state=one.anchor.state, related=one.anchor.related))
    return Merged(new=tuple(one.anchor for one in ours), changed=tuple(sorted(changed, key=lambda one: one.id)))


def _finishes(anchor: Anchor) -> bool:
    """Whether a stored anchor reports something done: what its draft knew."""
    return anchor.type is AnchorType.CRITICAL_FACT and bool(
        statement_rules.COMPLETIONS.search(plain_words(anchor.text))
    )


def _may_meet(text: str, rare: Sequence[str]) -> bool:
    """A cheap look before the vectors: most earlier anchors share no telling word with a segment's."""
    return any(term in text for term in rare)


def _known(anchor: Anchor, *, finishes: bool = False) -> _Known:
    vector = word_vector(anchor.text)
    return _Known(anchor, vector, _squared(vector), finishes)


def _numbered(draft: AnchorDraft, anchor_id: int, node_idx: int) -> Anchor:
    return Anchor(
        id=anchor_id, type=draft.type, text=draft.text, turn_seq=draft.turn_seq, start=draft.start, end=draft.end,
        state=draft.state, score=draft.score, rank=draft.rank, node_idx=node_idx, tokens=draft.tokens,
    )  # fmt: skip


def _settle(new: _Known, known: Sequence[_Known], settings: FoldSettings) -> None:
    """Change the states of the new anchor and of the earlier ones that it repeats, corrects or answers."""
    if not new.active:
        return
    near = [(_cosine(new.vector, new.squared, old.vector, old.squared), old) for old in known if old.active]
    near = sorted((pair for pair in near if pair[0] > 0), key=lambda pair: (-pair[0], -pair[1].anchor.id))
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
        if later and (answers or finishes) and similarity >= _ABOUT_IT_FROM and _shared(new, old) >= needed:
            _change(old, AnchorState.RESOLVED, new.anchor.id)


def _change(one: _Known, state: AnchorState, related: int) -> None:
    one.anchor = replace(one.anchor, state=state, related=related)


def _shared(a: _Known, b: _Known) -> int:
    """Specific terms in both."""
    return sum(1 for term in a.vector if term in b.vector and weight(term) >= SPECIFIC)


def _repeats(new: _Known, near: Sequence[tuple[float, _Known]], settings: FoldSettings) -> bool:
    """Mark the longer of two equals as the duplicate; True when the new one is it."""
    for similarity, old in near:
        if similarity <= settings.deduplicate_above:
            return False
        if old.anchor.type is not new.anchor.type or not _agree(old, new):
            continue
        if len(new.anchor.text) < len(old.anchor.text) and new.anchor.rank >= old.anchor.rank - 100:
            _change(old, AnchorState.DUPLICATE, new.anchor.id)
            return False
        _change(new, AnchorState.DUPLICATE, old.anchor.id)
        return True
    return False


def _agree(a: _Known, b: _Known) -> bool:
    """True when neither text has a number, date, name or negation that the other lacks."""
    if len(statement_rules.NEGATION.findall(a.said)) != len(statement_rules.NEGATION.findall(b.said)):
        return False
    if {one.lower() for one in a.facts.texts(*_VALUES)} != {one.lower() for one in b.facts.texts(*_VALUES)}:
        return False
    return _same_names(a, b)


def _same_names(a: _Known, b: _Known) -> bool:
    return _all_in(a.facts.texts(*_NAMES), b.said) and _all_in(b.facts.texts(*_NAMES), a.said)


def _all_in(names: Sequence[str], said: str) -> bool:
    return all(plain_words(name) in said for name in names)


def _supersede(new: _Known, near: Sequence[tuple[float, _Known]]) -> None:
    """A correction overtakes what it corrects; a statement overtakes an earlier one that differs in a value."""
    left = _MAX_SUPERSEDED
    for similarity, old in near:
        overtaken = old.active and old.anchor.type in _OVERTAKEN and old.anchor.turn_seq <= new.anchor.turn_seq
        if not left or not overtaken:
            continue
        if _corrects(new, old, similarity) or _restates(new, old, similarity):
            _change(old, AnchorState.SUPERSEDED, new.anchor.id)
            left -= 1


def _corrects(new: _Known, old: _Known, similarity: float) -> bool:
    return new.anchor.type is AnchorType.CORRECTION and similarity >= _CORRECTS_FROM and _shared(new, old) >= 1


def _restates(new: _Known, old: _Known, similarity: float) -> bool:
    """Same subject, other value: 'the launch is on 7 May' after 'the launch is on 3 May'."""
    if not (new.anchor.type is old.anchor.type and new.anchor.type in _STATEMENTS) or not _shared(new, old):
        return False
    if not _same_names(new, old):
        return False
    ours, theirs = new.facts, old.facts
    return (
        any(
            len(ours.texts(kind)) == 1 == len(theirs.texts(kind))
            and ours.texts(kind) != theirs.texts(kind)
            and _subject_similarity(new, old, ours.texts(kind)[0], theirs.texts(kind)[0]) >= _SAME_SUBJECT_FROM
            for kind in _VALUES
        )
        and similarity > 0
    )


def _subject_similarity(new: _Known, old: _Known, our_value: str, their_value: str) -> float:
    return cosine(new.anchor.text.replace(our_value, " "), old.anchor.text.replace(their_value, " "))
