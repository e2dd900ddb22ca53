"""Which lines the background of a context has: neighbouring nodes under one each, and the notes below them. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from turnfold.assemble.groups import Group
from turnfold.assemble.markers import node_marker, turns_marker
from turnfold.contract.notes import Note
from turnfold.contract.records import Node

_GROUP_TOKENS: Final = 16
"""About what a group's line costs."""
_NEAR: Final = 3
"""Nodes within which a group's edge may move to the beginning of a day."""


@dataclass(frozen=True, slots=True)
class GroupSpan:
    """Turns that one group's line stands for, before its notes are known."""

    first_seq: int
    last_seq: int
    marker: str


def spans_of(roots: Sequence[Node], *, before: int, most_tokens: int, short: bool) -> list[GroupSpan]:
    """Nodes up to a turn in as many groups as there are tokens for lines; `short` names of nodes if wanted."""
    nodes = [node for node in roots if node.first_seq <= before]
    if not nodes:
        return []
    many = max(1, min(len(nodes), most_tokens // _GROUP_TOKENS))
    edges = sorted({0, *(_edge(nodes, len(nodes) * i // many) for i in range(1, many))})
    return [
        _span(nodes[first:last], before, short=short)
        for first, last in zip(edges, [*edges[1:], len(nodes)], strict=True)
    ]


def _span(nodes: Sequence[Node], before: int, *, short: bool) -> GroupSpan:
    first, last = nodes[0].first_seq, min(nodes[-1].last_seq, before)
    if last < nodes[-1].last_seq:
        return GroupSpan(first, last, turns_marker(first, last))
    if len(nodes) == 1:
        return GroupSpan(first, last, node_marker(nodes[0], level=1, short=short))
    return GroupSpan(first, last, turns_marker(first, last, level=2))


def _edge(nodes: Sequence[Node], at: int) -> int:
    """Where a group begins: at the nearest node that begins a day, or where asked for."""
    for far in range(_NEAR):
        for place in (at - far, at + far):
            if 0 < place < len(nodes) and _begins_day(nodes[place - 1], nodes[place]):
                return place
    return at


def _begins_day(before: Node, node: Node) -> bool:
    if before.ended_at is None or node.started_at is None:
        return False
    return before.ended_at.date() != node.started_at.date()


def last_day(groups: Sequence[Group]) -> str:
    """The day under which groups end."""
    return groups[-1].day_after if groups else ""


def grouped(spans: Sequence[GroupSpan], notes: Sequence[Note], *, day: str = "") -> tuple[Group, ...]:
    """Notes under the lines of their turns; `day` is what stands above the first already."""
    held: list[list[Note]] = [[] for _ in spans]
    starts = [span.first_seq for span in spans]
    for note in sorted(notes):
        held[bisect_right(starts, note.seq) - 1].append(note)
    groups = []
    for span, found in zip(spans, held, strict=True):
        groups.append(Group(span.first_seq, span.last_seq, span.marker, tuple(found), day))
        day = found[-1].day if found else day
    return tuple(groups)
