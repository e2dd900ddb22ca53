"""Group neighbouring nodes, and the notes of their turns, under the lines of a context's background. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import date
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from turnfold.assemble.forms.groups import Group
from turnfold.assemble.forms.markers import Marker, NodeTarget, format_marker, turns_marker
from turnfold.contract.notes import ChapterName, Covered, Note, in_order
from turnfold.contract.periods import YEAR_MONTHS, months_label
from turnfold.contract.records import FAN_OUT, MAX_HEIGHT

_GROUP_TOKENS: Final = 12
"""Approximate cost of a group's line."""
_SHORT_TOKENS: Final = 8
"""Approximate cost of a group's line without a slug."""
_MOST_MONTHS: Final = 4
"""Maximum number of months that a group names; in a longer group each note without a day shows its own month
instead."""
_FIRST_SEQ: Final = attrgetter("first_seq")
_FIRST: Final = itemgetter(0)


class GroupSpan(NamedTuple):
    """Turns of one group, before its notes are known."""

    first_seq: int
    last_seq: int
    marker: str
    months: str = ""
    """Months of the group's nodes, such as `May to July 2026`; empty without times and for more than a season."""


def spans_of(
    cover: Sequence[Covered], chapters: Iterable[ChapterName] = (), *, before: int, most_tokens: int, short: bool
) -> list[GroupSpan]:
    """Group the nodes up to a turn into as many lines as there are tokens for; `short` leaves out their slugs.

    A group is a node: chapters for old turns, where there is no room for a line per segment. Where even those are too
    many, the oldest segments outside chapters become one range of turns, or all old nodes do.
    """
    many_nodes = bisect_right(cover, before, key=_FIRST_SEQ)
    if not many_nodes:
        return []
    most_groups = max(1, most_tokens // (_SHORT_TOKENS if short else _GROUP_TOKENS))
    nodes = _coarser(cover[:many_nodes], chapters, most_groups)
    return [_span(group, before, short=short) for group in _joined(nodes, most_groups)]


def _joined(nodes: Sequence[Covered], most_groups: int) -> list[Sequence[Covered]]:
    """Reduce nodes to at most `most_groups` groups: the oldest segments become one, or the oldest of all nodes."""
    many = len(nodes) - most_groups + 1
    if many <= 1:
        return [[node] for node in nodes]
    first = next((at for at, node in enumerate(nodes) if not node.height), len(nodes))
    if first + many > len(nodes):
        first = 0
    joined = nodes[first : first + many]
    return [*([node] for node in nodes[:first]), joined, *([node] for node in nodes[first + many :])]


def _coarser(nodes: Sequence[Covered], chapters: Iterable[ChapterName], most_nodes: int) -> list[Covered]:
    """Reduce nodes to at most `most_nodes` if the tree allows: eight become their chapter, lowest and oldest first."""
    slugs = {(chapter.height, chapter.idx): chapter.slug for chapter in chapters}
    coarser = list(nodes)
    for height in range(MAX_HEIGHT):
        at = 0
        while at < len(coarser) and len(coarser) > most_nodes:
            if (slug := slugs.get(_parent(coarser[at]))) is not None and _is_family(coarser[at : at + FAN_OUT], height):
                coarser[at : at + FAN_OUT] = [_chapter(coarser[at : at + FAN_OUT], slug)]
            at += 1
    return coarser


def _parent(node: Covered) -> tuple[int, int]:
    return node.height + 1, node.idx // FAN_OUT


def _is_family(nodes: Sequence[Covered], height: int) -> bool:
    """True for the eight children of one chapter at the height above."""
    return len(nodes) == FAN_OUT and all(
        node.height == height and node.idx == nodes[0].idx // FAN_OUT * FAN_OUT + i for i, node in enumerate(nodes)
    )


def _chapter(children: Sequence[Covered], slug: str) -> Covered:
    height, idx = _parent(children[0])
    first, last = children[0], children[-1]
    return Covered(
        height, idx, first.first_seq, last.last_seq, sum(child.tokens for child in children), slug, first.first_day,
        last.last_day,
    )  # fmt: skip


def _span(nodes: Sequence[Covered], before_seq: int, *, short: bool) -> GroupSpan:
    first, last = nodes[0].first_seq, min(nodes[-1].last_seq, before_seq)
    return GroupSpan(first, last, _marker(nodes, last, short=short), _months(nodes))


def _marker(nodes: Sequence[Covered], last_seq: int, *, short: bool) -> str:
    if last_seq < nodes[-1].last_seq:
        return turns_marker(nodes[0].first_seq, last_seq)
    if len(nodes) == 1:
        (node,) = nodes
        target = NodeTarget(node.height, node.idx)
        return format_marker(Marker(1, target), slug="" if short else node.slug)
    return turns_marker(nodes[0].first_seq, last_seq, level=2)


def _months(nodes: Sequence[Covered]) -> str:
    first = next((node.first_day for node in nodes if node.first_day), "")
    last = next((node.last_day for node in reversed(nodes) if node.last_day), "")
    if not first or not last:
        return ""
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    many = YEAR_MONTHS * (end.year - start.year) + end.month - start.month
    return months_label(start, end) if 0 <= many < _MOST_MONTHS else ""


def last_day(groups: Sequence[Group]) -> str:
    """Day heading in force at the end of the groups."""
    return groups[-1].day_after if groups else ""


def with_more(groups: tuple[Group, ...], notes: Sequence[Note]) -> tuple[Group, ...]:
    """Add notes to groups; those before the first of the notes stay the same objects."""
    if not notes:
        return groups
    kept = max(0, bisect_right(groups, min([note.seq for note in notes]), key=_FIRST_SEQ) - 1)
    spans = [GroupSpan(group.first_seq, group.last_seq, group.marker, group.months) for group in groups[kept:]]
    held = [note for group in groups[kept:] for note in group.notes]
    return groups[:kept] + grouped(spans, [*held, *notes], day=last_day(groups[:kept]))


def grouped(spans: Sequence[GroupSpan], notes: Sequence[Note], *, day: str = "") -> tuple[Group, ...]:
    """Put notes under the lines of their turns; `day` is the heading already in force above the first."""
    ordered = in_order(notes)
    ends = [bisect_left(ordered, span.first_seq, key=_FIRST) for span in spans[1:]]
    groups = []
    for span, first, last in zip(spans, [0, *ends], [*ends, len(ordered)], strict=False):
        group = Group(span.first_seq, span.last_seq, span.marker, tuple(ordered[first:last]), day, span.months)
        groups.append(group)
        day = group.day_after
    return tuple(groups)
