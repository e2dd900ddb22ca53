"""The timeline: segments by day, with their sizes, tags and anchors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from math import ceil
from typing import Final, NamedTuple

from turnfold import Anchor, Segment
from turnfold_gateway.inputs import whole_number
from turnfold_gateway.ui.views.bars import Bar, nested, stacked
from turnfold_gateway.ui.views.kinds import ANCHORS

SEGMENTS_A_PAGE: Final = 40
_TAGS: Final = 9
_TAGS_OF: Final = re.compile(r"tags: ([^;\n]*)")
_NAMING: Final = ("names", "identifiers", "paths", "urls", "errors")
"""Kinds of facts that are names."""


class SegmentRow(NamedTuple):
    """A segment as the timeline shows it."""

    segment: Segment
    tags: tuple[str, ...]
    bars: tuple[Bar, ...]
    anchors: tuple[tuple[str, int], ...]
    """Types of its active anchors and their numbers, in the order of the legend."""
    has_model: bool


class Day(NamedTuple):
    """Segments that began on one day; None if their turns have no time."""

    day: date | None
    rows: tuple[SegmentRow, ...]


@dataclass(frozen=True, slots=True)
class Pages:
    """The number of the shown page, counted from 1, and of all pages."""

    number: int
    count: int

    @property
    def before(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def after(self) -> int | None:
        return self.number + 1 if self.number < self.count else None


def page_of(wanted: str | None, total: int, size: int) -> Pages:
    """Return the requested page, clamped to the range; the last and newest one if none is given."""
    count = max(1, ceil(total / size))
    number = whole_number(wanted or "")
    return Pages(count if number is None else min(max(number, 1), count), count)


def days_of(segments: Sequence[Segment], anchors: Iterable[Anchor]) -> tuple[Day, ...]:
    """Group segments, in order, by the day on which they began."""
    counts: dict[int, Counter[str]] = {}
    for anchor in anchors:
        if anchor.state == "active":
            counts.setdefault(anchor.node_idx, Counter())[str(anchor.type)] += 1
    largest = max((segment.tokens[0] for segment in segments), default=1)
    rows = [_row(segment, counts.get(segment.number - 1, {}), largest) for segment in segments]
    return tuple(Day(day, tuple(of_day)) for day, of_day in groupby(rows, key=_day_of))


def _row(segment: Segment, counts: Mapping[str, int], largest: int) -> SegmentRow:
    return SegmentRow(
        segment=segment,
        tags=tags_of(segment),
        bars=nested(segment.tokens, largest),
        anchors=tuple((name, counts[name]) for name in ANCHORS if counts.get(name)),
        has_model=bool(segment.node.refined),
    )


def _day_of(row: SegmentRow) -> date | None:
    started: datetime | None = row.segment.started_at
    return started.date() if started else None


def tags_of(segment: Segment) -> tuple[str, ...]:
    """Return a segment's topics and names without duplicates."""
    text = segment.model_words.get(3) or segment.words.get(3, "")
    about = _TAGS_OF.match(text)
    topics = [topic.strip() for topic in about[1].split(",")] if about else []
    named = [name for kind in _NAMING for name in segment.facts.get(kind, ())]
    return tuple(dict.fromkeys(filter(None, [*topics, *named])))[:_TAGS]


def strip_of(segments: Sequence[Segment]) -> tuple[tuple[Bar, Segment], ...]:
    """Return all segments of a conversation side by side, with widths proportional to their tokens."""
    wide = [segment for segment in segments if segment.tokens[0] > 0]
    bars = stacked([("segment", segment.tokens[0]) for segment in wide], sum(segment.tokens[0] for segment in wide))
    return tuple(zip(bars, wide, strict=False))
