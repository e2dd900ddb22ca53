"""Turn a model's quotes into anchors of its own, next to the rules' anchors, which a model cannot change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.model_anchors import first_of_model
from turnfold.contract.records import PINNED_RANK, Anchor, AnchorChange, AnchorState, AnchorType, Role
from turnfold.contract.vectors import NO_VECTORS, Vector
from turnfold_worker.pipeline.anchors.deduplicate import merge, merge_into_past
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.refinement.overtaken import BINDING, AcceptedOvertaking, holds, sets_a_limit
from turnfold_worker.pipeline.refinement.quotes import Found, align, with_conditions
from turnfold_worker.pipeline.refinement.replies import Quote
from turnfold_worker.pipeline.refinement.sources import RefineSource
from turnfold_worker.pipeline.settings import FoldSettings

MOST_A_SEGMENT: Final = 12
"""Maximum number of a model's anchors per segment."""

_NEVER_FILLER: Final = frozenset({AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.CORRECTION})
_SCORE: Final = 70
_SCORE_OF_TALK: Final = 66
"""Score of preferences and commitments, which contexts do not show by themselves: a model's notes cover them."""
_TALK: Final = frozenset({AnchorType.PREFERENCE, AnchorType.COMMITMENT})
_BINDS_NOBODY: Final = frozenset({Role.ASSISTANT, Role.TOOL})
"""Roles whose advice counts as a fact, not as a standing rule of the conversation."""
_MEETS: Final = 0.5
_WANTS: Final = lazy_pattern(
    r"(?i)(?:(?:and|but|so|also),? )?i(?:['\u2019]m| am| also)? "
    r"(?:want(?:ing)? to|need to|try(?:ing)? to|working on|plan(?:ning)? to)(?!\w)"
)
"""Matches the start of a plan or wish of the speaker, which is a preference unless it states a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedQuotes:
    """The quotes found in the turns, with the numbers of refused and redundant ones."""

    drafts: tuple[AnchorDraft, ...]
    """Sorted by position; at most `MOST_A_SEGMENT` per segment."""
    refused: int
    """Number of quotes that occur in no turn, or are too short or too long for an anchor, alone or with a condition."""
    known: int
    """Number of quotes that overlap words already kept."""


def accept_quotes(
    source: RefineSource, quotes: Sequence[Quote], *, quoted: Sequence[AcceptedOvertaking] = ()
) -> AcceptedQuotes:
    """Locate each quote in the turns; refuse a quote that occurs nowhere or cannot be kept with its condition.

    `quoted` are the overtakings accepted before, whose words count as kept.
    """
    taken_spans: dict[int, list[tuple[int, int]]] = {}
    for anchor in source.anchors:
        taken_spans.setdefault(anchor.turn_seq, []).append((anchor.start, anchor.end))
    for overtaking in quoted:
        taken_spans.setdefault(overtaking.draft.turn_seq, []).append((overtaking.draft.start, overtaking.draft.end))
    segment_of = {turn.seq: segment.node.idx for segment in source.segments for turn in segment.turns}
    counts: Counter[int] = Counter()
    drafts: list[AnchorDraft] = []
    refused = known = 0
    for quote in quotes:
        aligned = align(quote.text, quote.turn, source.turns)
        aligned = None if aligned is None else with_conditions(aligned)
        if aligned is None:
            refused += 1
            continue
        spans = taken_spans.setdefault(aligned.turn.seq, [])
        if any(_meet(aligned, span) for span in spans):
            known += 1
            continue
        spans.append((aligned.span.start, aligned.span.end))
        counts[segment_of[aligned.turn.seq]] += 1
        if counts[segment_of[aligned.turn.seq]] <= MOST_A_SEGMENT:
            drafts.append(_draft(quote, aligned))
    drafts.sort(key=lambda draft: (draft.turn_seq, draft.start))
    return AcceptedQuotes(drafts=tuple(drafts), refused=refused, known=known)


def filler_of(source: RefineSource, numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the ids of the rules' anchors within the kept words that a model calls filler.

    Anchors that bind, correct, replace another or were pinned are never returned.
    """
    spans = dict(enumerate(source.kept_spans, 1))
    named = [spans[number] for number in numbers if number in spans]
    return tuple(
        sorted(
            anchor.id
            for anchor in source.marked
            if anchor.type not in _NEVER_FILLER and anchor.rank < PINNED_RANK and anchor.replaces is None
            and any(
                anchor.turn_seq == seq and start <= anchor.start and anchor.end <= end for seq, start, end in named
            )
        )
    )  # fmt: skip


def _meet(aligned: Found, span: tuple[int, int]) -> bool:
    """Return whether two spans share more than half of the shorter one."""
    shared = min(aligned.span.end, span[1]) - max(aligned.span.start, span[0])
    return shared > _MEETS * min(aligned.span.end - aligned.span.start, span[1] - span[0])


def _draft(quote: Quote, aligned: Found) -> AnchorDraft:
    kind = quote.type
    if kind in BINDING and aligned.turn.role in _BINDS_NOBODY:
        kind = AnchorType.CRITICAL_FACT
    elif kind is AnchorType.CONSTRAINT and _WANTS.match(aligned.text) and not sets_a_limit(aligned.text):
        kind = AnchorType.PREFERENCE
    return aligned.as_anchor(kind, score=_SCORE_OF_TALK if kind in _TALK else _SCORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A model's new anchors with their states, and state changes of its earlier ones; never of the rules' anchors."""

    new: tuple[Anchor, ...]
    changed: tuple[AnchorChange, ...]


def settle_quotes(
    source: RefineSource,
    drafts: Sequence[AnchorDraft],
    *,
    rules: Sequence[Anchor],
    models: Sequence[Anchor],
    settings: FoldSettings,
    overtaken: Sequence[AcceptedOvertaking] = (),
    vectors: Mapping[str, Vector] = NO_VECTORS,
) -> Settled:
    """Settle new quotes against the anchors around them, and the model's earlier anchors against these segments.

    `rules` are candidates from the rules' anchors of any segment; `models` are the model's own anchors of other
    segments. With the `vectors` of `texts_to_embed`, quotes with the same meaning are kept once, too. Overtaking quotes
    get the first ids of their segment; the model's anchors that they overtake become superseded.
    """
    segment_of = {turn.seq: segment.node.idx for segment in source.segments for turn in segment.turns}
    ids = _Ids(segment_of)
    taking_place = tuple(_taking_place(overtaking, *ids.next(overtaking.draft.turn_seq)) for overtaking in overtaken)
    new, changed = _merged(ids, drafts, [*rules, *models], settings, vectors)
    earlier = [anchor for anchor in models if anchor.turn_seq < source.segments[0].node.first_seq]
    drafts_said = [_as_draft(anchor) for anchor in source.anchors]
    by_rules = (
        merge(drafts_said, earlier, next_id=1, node_idx=0, settings=settings).changed if drafts_said and earlier else ()
    )
    named = {place: anchor.id for place, anchor in enumerate(source.anchors, 1)}
    for change in by_rules:
        changed.setdefault(change.id, replace(change, related=named.get(change.related or 0, change.related)))
    over = _over_too(taking_place, overtaken, models)
    changed.update(over)
    own = {anchor.id for anchor in models}
    standing = (
        replace(anchor, state=over[anchor.id].state, related=over[anchor.id].related) if anchor.id in over else anchor
        for anchor in taking_place
    )
    return Settled(new=(*standing, *new), changed=tuple(changed[id_] for id_ in sorted(changed) if id_ in own))


def _over_too(
    taking_place: Sequence[Anchor], overtaken: Sequence[AcceptedOvertaking], models: Sequence[Anchor]
) -> dict[int, AnchorChange]:
    """Supersede the model's anchors that a quote overtakes; the rules' anchors of the same words are only marked."""
    return {
        older.id: AnchorChange(
            id=older.id, state=AnchorState.SUPERSEDED, related=anchor.id, replaces=older.replaces
        )
        for anchor, overtaking in zip(taking_place, overtaken, strict=True)
        for older in (*models, *taking_place)
        if older.position < anchor.position
        and any(holds(older.turn_seq, Span(older.start, older.end), before) for before in overtaking.before)
    }  # fmt: skip


def _taking_place(overtaking: AcceptedOvertaking, id_: int, node_idx: int) -> Anchor:
    draft = overtaking.draft
    return Anchor(
        id=id_, type=draft.type, text=draft.text, turn_seq=draft.turn_seq, start=draft.start, end=draft.end,
        score=draft.score, rank=draft.rank, tokens=draft.tokens, node_idx=node_idx, factors=draft.factors,
        replaces=overtaking.replaced, valid_from=draft.said_on,
    )  # fmt: skip


class _Ids:
    """Number a model's anchors by segment, counting down from the segment's `first_of_model`."""

    def __init__(self, segment_of: Mapping[int, int]) -> None:
        self._segment_of = segment_of
        self._counts: Counter[int] = Counter()

    def next(self, turn_seq: int) -> tuple[int, int]:
        """Return the next id in a turn's segment, and the segment's index."""
        idx = self._segment_of[turn_seq]
        self._counts[idx] += 1
        return first_of_model(idx) + 1 - self._counts[idx], idx


def _merged(
    ids: _Ids,
    drafts: Sequence[AnchorDraft],
    candidates: Sequence[Anchor],
    settings: FoldSettings,
    vectors: Mapping[str, Vector],
) -> tuple[tuple[Anchor, ...], dict[int, AnchorChange]]:
    if not drafts:
        return (), {}
    # Temporary ids above all others while merging; renumbered by segment below.
    first = 1 + max((anchor.id for anchor in candidates), default=0)
    merged = merge_into_past(drafts, candidates, next_id=first, node_idx=0, settings=settings, vectors=vectors)
    own = {anchor.id: ids.next(anchor.turn_seq) for anchor in merged.new}
    new = tuple(
        replace(
            anchor, id=own[anchor.id][0], node_idx=own[anchor.id][1],
            related=_renamed(anchor.related, own), replaces=_renamed(anchor.replaces, own),
        )
        for anchor in merged.new
    )  # fmt: skip
    changed = {
        change.id: replace(change, related=_renamed(change.related, own), replaces=_renamed(change.replaces, own))
        for change in merged.changed
    }
    return new, changed


def _renamed(id_: int | None, ids: Mapping[int, tuple[int, int]]) -> int | None:
    return ids[id_][0] if id_ is not None and id_ in ids else id_


def _as_draft(anchor: Anchor) -> AnchorDraft:
    return AnchorDraft(
        type=anchor.type, text=anchor.text, turn_seq=anchor.turn_seq, start=anchor.start, end=anchor.end,
        score=anchor.score, rank=anchor.rank, tokens=anchor.tokens, state=AnchorState.ACTIVE,
    )  # fmt: skip
