"""Importance and tiers of segments: a weighted sum of six factors, each 0 to 1. Pure, no clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from turnfold.assemble.policy import FACTORS, MemoryTiers
from turnfold.contract.results import SegmentSigns, Tier, TieredSegment

_ENTITIES: Final = ("names", "identifiers", "paths", "urls", "emails")
"""Kinds of facts that name something."""
_MOST: Final = 100


def tiered_segments(
    segments: Sequence[SegmentSigns], tiers: MemoryTiers, *, last_seq: int, relevance: Mapping[int, float] | None = None
) -> tuple[TieredSegment, ...]:
    """Each segment with its importance and tier, in the order given.

    `last_seq` is the newest turn: age is counted in turns. `relevance` maps segments to query scores; None without a
    query, and then its weight does not count.
    """
    weights = {name: getattr(tiers, name) for name in FACTORS if name != "relevance" or relevance is not None}
    total = sum(weights.values()) or 1
    shared, own = _shared_names(segments), _own_facts(segments)
    relevant = _of_best([(relevance or {}).get(signs.node.idx, 0.0) for signs in segments])
    tiered: list[TieredSegment] = []
    for place, signs in enumerate(segments):
        factors = {
            "recency": 0.5 ** (max(0, last_seq - signs.node.last_seq) / tiers.half_life_turns),
            "access": 1 - 0.5 ** (signs.weight / tiers.access_half),
            "relevance": relevant[place],
            "entities": shared[place],
            "uniqueness": own[place],
            "marks": signs.node.importance / _MOST,
        }
        points = {name: round(_MOST * weight * factors[name] / total) for name, weight in weights.items()}
        importance = min(_MOST, sum(points.values()))
        tiered.append(
            TieredSegment(node=signs.node, tier=_tier(importance, tiers), importance=importance, factors=points)
        )
    return tuple(tiered)


def _tier(importance: int, tiers: MemoryTiers) -> Tier:
    if importance >= tiers.hot_from:
        return "hot"
    return "warm" if importance >= tiers.warm_from else "cold"


def _shared_names(segments: Sequence[SegmentSigns]) -> list[float]:
    """Mentions of each segment's names in other segments, relative to the segment with most."""
    names = [_texts(signs, _ENTITIES) for signs in segments]
    spread = Counter(name for of_segment in names for name in of_segment)
    return _of_best([float(sum(spread[name] - 1 for name in of_segment)) for of_segment in names])


def _own_facts(segments: Sequence[SegmentSigns]) -> list[float]:
    """Share of each segment's names and facts that are in no other segment; 0 for a segment without any."""
    facts = [_texts(signs, signs.facts) for signs in segments]
    spread = Counter(text for of_segment in facts for text in of_segment)
    return [sum(spread[text] == 1 for text in texts) / max(1, len(texts)) for texts in facts]


def _texts(signs: SegmentSigns, kinds: Iterable[str]) -> frozenset[str]:
    return frozenset(text for kind in kinds for text in signs.facts.get(kind, ()))


def _of_best(scores: Sequence[float]) -> list[float]:
    best = max(scores, default=0.0)
    return [score / best if best > 0 else 0.0 for score in scores]
