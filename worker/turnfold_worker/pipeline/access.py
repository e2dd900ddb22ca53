"""Frequently expanded segments: weights grow with expansions and fade as others are expanded. Pure, no clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from turnfold.contract.access import MOST_OFTEN

MOST_WEIGHT: Final = 256
"""Sum of a conversation's weights above which all are halved, as in TinyLFU's reset: older expansions count less."""
MOST_SEGMENTS: Final = 64
"""Maximum number of segments per conversation whose expansions are kept."""
MOST_AT_ONCE: Final = 16
"""Maximum weight that one segment gains per count: an agent that expands it in a loop shows a single interest."""
LEAST_OFTEN: Final = 2


@dataclass(frozen=True, slots=True)
class Access:
    """How often, and when last, a segment was expanded."""

    expansions: int
    weight: int
    expanded_at: int
    """Time of the last expansion: milliseconds, by the database's clock."""


def counted(before: Mapping[int, Access], times: Mapping[int, int], *, now: int) -> dict[int, Access]:
    """Return the accesses by segment after adding `times` expansions; segments whose weight fell to 0 are dropped."""
    after = dict(before)
    for idx, more in sorted(times.items()):
        old = after.get(idx, Access(0, 0, now))
        after[idx] = Access(old.expansions + more, old.weight + min(more, MOST_AT_ONCE), now)
    while sum(access.weight for access in after.values()) > MOST_WEIGHT:
        after = {idx: Access(one.expansions, one.weight // 2, one.expanded_at) for idx, one in after.items()}
    return {idx: after[idx] for idx in sorted(_heaviest(after)[:MOST_SEGMENTS]) if after[idx].weight > 0}


def often(accesses: Mapping[int, Access]) -> list[int]:
    """Return the frequently expanded segments that a read reports, in order of index."""
    heavy = [idx for idx in _heaviest(accesses) if accesses[idx].weight >= LEAST_OFTEN]
    return sorted(heavy[:MOST_OFTEN])


def _heaviest(accesses: Mapping[int, Access]) -> list[int]:
    return sorted(accesses, key=lambda idx: (-accesses[idx].weight, -accesses[idx].expanded_at, idx))
