"""A segment as callers get it: its place, topic, sizes and, where they are asked for, its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from turnfold.contract.records import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class OfNode:
    """What is known of a segment or chapter: its turns, its sizes, the marker that leads to it."""

    node: Node = field(repr=False)

    @property
    def first_seq(self) -> int:
        return self.node.first_seq

    @property
    def last_seq(self) -> int:
        return self.node.last_seq

    @property
    def tokens(self) -> tuple[int, int, int, int]:
        """Estimated tokens of levels 0 to 3, as they are shown."""
        return self.node.tokens

    @property
    def marker(self) -> str:
        """Give it to `expand`: the segment in detail."""
        return f"L1:{self.node.marker_name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment(OfNode):
    """A run of turns about one thing."""

    method: Literal["plain", "rules"]
    """How the rules' words were made: `plain` is the fallback, until the segment is folded again."""
    expansions: int = 0
    """How often it was expanded, as far as is remembered."""
    words: Mapping[int, str] = field(default_factory=dict, hash=False, repr=False)
    """The rules' texts of levels 1 to 3, where they were asked for."""
    model_words: Mapping[int, str] = field(default_factory=dict, hash=False, repr=False)
    """A model's texts of the same levels, where it wrote some: contexts show these."""
    facts: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False, repr=False)
    """With the words: what it names and states, by kind, the heaviest first."""

    @property
    def number(self) -> int:
        """From 1, as in its markers."""
        return self.node.idx + 1

    @property
    def topic(self) -> str:
        """Two or three words; empty where none stand out."""
        return self.node.slug.replace("-", " ")

    @property
    def started_at(self) -> datetime | None:
        """When its first turn with a time was said."""
        return self.node.started_at

    @property
    def ended_at(self) -> datetime | None:
        """When its last turn with a time was said."""
        return self.node.ended_at

    @property
    def importance(self) -> int:
        """0 to 100."""
        return self.node.importance
