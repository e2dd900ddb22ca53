"""What is looked up often: weights that grow with expansions and fade with those of other segments. Pure, no clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from turnfold.contract.access import MOST_OFTEN

MOST_WEIGHT: Final = 256
"""Sum of a conversation's weights, above which all are halved: older expansions count less, as in TinyLFU's reset."""
MOST_SEGMENTS: Final = 64
"""Segments of a conversation whose expansions are remembered."""
MOST_AT_ONCE: Final = 16
"""Expansions of one segment that count, of those that are counted together: one loop of an agent is one interest."""
LEAST_OFTEN: Final = 2


@dataclass(frozen=True, slots=True)
class Access:
    """How often a segment was expanded."""

    expansions: int
    weight: int
    expanded_at: int
    """Milliseconds, the database's time."""


def counted(before: Mapping[int, Access], times: Mapping[int, int], *, now: int) -> dict[int, Access]:
    """Accesses by segment after `times` more expansions; segments whose weight has faded to nothing are left out."""
    after = dict(before)
    for idx, more in sorted(times.items()):
        old = after.get(idx, Access(0, 0, now))
        after[idx] = Access(old.expansions + more, old.weight + min(more, MOST_AT_ONCE), now)
    while sum(access.weight for access in after.values()) > MOST_WEIGHT:
        after = {idx: Access(one.expansions, one.weight // 2, one.expanded_at) for idx, one in after.items()}
    return {idx: after[idx] for idx in sorted(_heaviest(after)[:MOST_SEGMENTS]) if after[idx].weight > 0}


def often(accesses: Mapping[int, Access]) -> list[int]:
    """The segments that a read is told of, in order."""
    heavy = [idx for idx in _heaviest(accesses) if accesses[idx].weight >= LEAST_OFTEN]
    return sorted(heavy[:MOST_OFTEN])


def _heaviest(accesses: Mapping[int, Access]) -> list[int]:
    return sorted(accesses, key=lambda idx: (-accesses[idx].weight, -accesses[idx].expanded_at, idx))
