"""A segment as callers get it: position, topic, sizes and, on request, its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from turnfold.contract.records import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class OfNode:
    """Base of results about a segment or chapter: turns, sizes, marker."""

    node: Node = field(repr=False)

    @property
    def first_seq(self) -> int:
        return self.node.first_seq

    @property
    def last_seq(self) -> int:
        return self.node.last_seq

    @property
    def tokens(self) -> tuple[int, int, int, int]:
        """Estimated tokens of levels 0 to 3, as shown."""
        return self.node.tokens

    @property
    def marker(self) -> str:
        """Marker for `expand`, which returns the segment in detail."""
        return f"L1:{self.node.marker_name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment(OfNode):
    """A run of turns about one topic."""

    method: Literal["plain", "rules"]
    """How the rules' text was made: `plain` is the fallback, until the segment is folded again."""
    expansions: int = 0
    """Number of recorded expansions."""
    words: Mapping[int, str] = field(default_factory=dict, hash=False, repr=False)
    """The rules' texts of levels 1 to 3, if requested."""
    model_words: Mapping[int, str] = field(default_factory=dict, hash=False, repr=False)
    """A model's texts of the same levels, if there are any; contexts show them instead."""
    facts: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False, repr=False)
    """With the text: names and statements of the segment by kind, heaviest first."""

    @property
    def number(self) -> int:
        """Number of the segment from 1, as in its markers."""
        return self.node.idx + 1

    @property
    def topic(self) -> str:
        """Topic in two or three words; empty if no words stand out."""
        return self.node.slug.replace("-", " ")

    @property
    def started_at(self) -> datetime | None:
        """Time of the first turn with one."""
        return self.node.started_at

    @property
    def ended_at(self) -> datetime | None:
        """Time of the last turn with one."""
        return self.node.ended_at

    @property
    def importance(self) -> int:
        """Importance from 0 to 100."""
        return self.node.importance
