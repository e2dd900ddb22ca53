"""Which lines the background of a context has: neighbouring nodes under one each, and the notes below them. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from turnfold.assemble.forms.groups import Group
from turnfold.assemble.forms.markers import Marker, NodeTarget, format_marker, turns_marker
from turnfold.contract.notes import Covered, Note, in_order

_GROUP_TOKENS: Final = 16
"""About what a group's line costs."""
_FIRST_SEQ: Final = attrgetter("first_seq")
_FIRST: Final = itemgetter(0)
_NEAR: Final = 3
"""Nodes within which a group's edge may move to the beginning of a day."""


class GroupSpan(NamedTuple):
    """Turns that one group's line stands for, before its notes are known."""

    first_seq: int
    last_seq: int
    marker: str


def spans_of(cover: Sequence[Covered], *, before: int, most_tokens: int, short: bool) -> list[GroupSpan]:
    """Nodes up to a turn in as many groups as there are tokens for lines; `short` names of nodes if wanted."""
    many_nodes = bisect_right(cover, before, key=_FIRST_SEQ)
    if not many_nodes:
        return []
    many = max(1, min(many_nodes, most_tokens // _GROUP_TOKENS))
    edges = sorted({0, *(_edge(cover, many_nodes, many_nodes * i // many) for i in range(1, many))})
    return [
        _span(cover[first:last], before, short=short)
        for first, last in zip(edges, [*edges[1:], many_nodes], strict=True)
    ]


def _span(nodes: Sequence[Covered], before: int, *, short: bool) -> GroupSpan:
    first, last = nodes[0].first_seq, min(nodes[-1].last_seq, before)
    if last < nodes[-1].last_seq:
        return GroupSpan(first, last, turns_marker(first, last))
    if len(nodes) == 1:
        (node,) = nodes
        target = NodeTarget(node.height, node.idx)
        return GroupSpan(first, last, format_marker(Marker(1, target), slug="" if short else node.slug))
    return GroupSpan(first, last, turns_marker(first, last, level=2))


def _edge(cover: Sequence[Covered], many_nodes: int, at: int) -> int:
    """Where a group begins: at the nearest node that begins a day, or where asked for."""
    for far in range(_NEAR):
        for place in (at - far, at + far):
            if 0 < place < many_nodes and _begins_day(cover[place - 1], cover[place]):
                return place
    return at


def _begins_day(before: Covered, node: Covered) -> bool:
    return bool(before.last_day and node.first_day) and before.last_day != node.first_day


def last_day(groups: Sequence[Group]) -> str:
    """The day under which groups end."""
    return groups[-1].day_after if groups else ""


def with_more(groups: tuple[Group, ...], notes: Sequence[Note]) -> tuple[Group, ...]:
    """Groups with more notes under their lines; those before the first of these notes stay the same objects."""
    if not notes:
        return groups
    kept = max(0, bisect_right(groups, min([note.seq for note in notes]), key=_FIRST_SEQ) - 1)
    spans = [GroupSpan(group.first_seq, group.last_seq, group.marker) for group in groups[kept:]]
    held = [note for group in groups[kept:] for note in group.notes]
    return groups[:kept] + grouped(spans, [*held, *notes], day=last_day(groups[:kept]))


def grouped(spans: Sequence[GroupSpan], notes: Sequence[Note], *, day: str = "") -> tuple[Group, ...]:
    """Notes under the lines of their turns; `day` is what stands above the first already."""
    ordered = in_order(notes)
    ends = [bisect_left(ordered, span.first_seq, key=_FIRST) for span in spans[1:]]
    groups = []
    for span, first, last in zip(spans, [0, *ends], [*ends, len(ordered)], strict=False):
        found = tuple(ordered[first:last])
        groups.append(Group(span.first_seq, span.last_seq, span.marker, found, day))
        day = found[-1].day if found else day
    return tuple(groups)
