"""Expansion counts: how Redis keeps them until a worker adds them up, and the hot segments that a read gets.

Outside the canonical state: two runs over the same turns may get different expansions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from turnfold.contract.records import ConversationId, Node
from turnfold.contract.results import Often

ACCESS_SECONDS: Final = 7 * 86_400
"""Lifetime of counts that wait for a worker."""
MOST_FIELDS: Final = 500
"""Distinct ranges of a conversation that may wait to be counted."""
MOST_OFTEN: Final = 8
"""Most often expanded segments of a conversation that a read gets."""

_ASKED: Final = "asked"
_FOUND: Final = "found"


@dataclass(slots=True)
class Expansions:
    """Expansions of one conversation that are not counted in SQL yet."""

    conversation: ConversationId
    asked: int = 0
    found: int = 0
    """Expansions that returned text."""
    ranges: dict[tuple[int, int], int] = field(default_factory=dict)
    """(first_seq, last_seq) of an expanded range -> number of expansions."""


def asked_field(conversation: ConversationId) -> str:
    return f"{conversation}:{_ASKED}"


def found_fields(conversation: ConversationId, first_seq: int, last_seq: int) -> tuple[str, str]:
    return f"{conversation}:{_FOUND}", f"{conversation}:{first_seq}-{last_seq}"


def read_fields(fields: Mapping[str, int]) -> list[Expansions]:
    """Parse the fields of an access hash, by conversation id: after an erasure it may have fields of several ids."""
    expansions: dict[ConversationId, Expansions] = {}
    for name, times in fields.items():
        number, _, counted = name.partition(":")
        counts = expansions.setdefault(conversation := ConversationId(int(number)), Expansions(conversation))
        if counted == _ASKED:
            counts.asked += times
        elif counted == _FOUND:
            counts.found += times
        else:
            first, _, last = counted.partition("-")
            counts.ranges[int(first), int(last)] = times
    return list(expansions.values())


def pack_often(often: Iterable[Often]) -> list[list[Any]] | None:
    """Serialize hot segments for the conversation's row; None if there are none."""
    rows = [
        [
            segment.node.idx,
            segment.node.first_seq,
            segment.node.last_seq,
            segment.node.slug,
            segment.node.tokens[1],
            segment.node.refined,
            segment.weight,
        ]
        for segment in often
    ]
    return rows or None


def unpack_often(rows: Sequence[Sequence[Any]] | None) -> tuple[Often, ...]:
    """The inverse of `pack_often`."""
    return tuple(
        Often(
            Node(
                height=0, idx=idx, first_seq=first, last_seq=last, slug=slug, tokens=(0, tokens, 0, 0), refined=refined
            ),
            weight,
        )
        for idx, first, last, slug, tokens, refined, weight in rows or ()
    )
