"""Format and parse markers, the references after the arrow in `[… →L1:auth-options-17]`.

L1:auth-options-17   segment 17 (`idx` 16) at level 1, found by its number; the slug must match, in any case
L2:auth-c2-3         chapter 3 (`idx` 2) of height 2 at level 2
L1:17, L2:c2-3       the same without slugs
L0:turn-12           one turn
L0:turns-120-480     a range of turns
L0:turn-12+4000      a turn, or a range, from code point 4000 of its first turn on: where a page ended
L0:turn-12+4000-9000 a part of a turn, up to code point 9000
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import MAX_HEIGHT, Node, marker_name
from turnfold.errors import UnknownMarker

ARROW: Final = "\N{RIGHTWARDS ARROW}"
COARSEST: Final = 3
"""The level with the fewest tokens per turn: tags."""

_LONGEST: Final = 200
"""Longest marker, in code points; longer text is none of ours."""

_MARKER: Final = lazy_pattern(
    r"L(?P<level>[0-3]):(?:turns?-(?P<first>[0-9]{1,12})(?:-(?P<last>[0-9]{1,12}))?"
    r"(?:\+(?P<offset>[0-9]{1,12})(?:-(?P<until>[0-9]{1,12}))?)?"
    r"|(?:(?P<of_chapter>[^\s:\]]*)-)?c(?P<height>[0-9]{1,2})-(?P<chapter>[0-9]{1,12})"
    r"|(?:(?P<of_segment>[^\s:\]]*)-)?(?P<segment>[0-9]{1,12}))"
)

_BESIDE: Final = lazy_pattern(rf"(?m)^ {{4}}\[… [\w ,]{{1,60}} {ARROW}(L0:turn-[0-9]{{1,12}})\]$")
"""The mark for omitted lines of an edit."""


@dataclass(frozen=True, slots=True)
class NodeTarget:
    """A node of the tree, by primary key."""

    height: int
    idx: int
    """Counted from 0; one less than the number in the marker."""
    slug: str = field(default="", compare=False)
    """The slug in the marker; empty if it has none."""


@dataclass(frozen=True, slots=True)
class TurnsTarget:
    """Turns `first_seq` to `last_seq`, both included."""

    first_seq: int
    last_seq: int
    offset: int = 0
    """Code points of the first turn that are on an earlier page; at level 0 only."""
    until: int | None = None
    """Code point before which a part of a turn ends; None: the end of the turn."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A target, and the level at which to show it."""

    level: int
    target: NodeTarget | TurnsTarget


def format_marker(marker: Marker, *, slug: str = "") -> str:
    """Format a marker, without arrow and brackets: `L1:auth-options-17`."""
    target = marker.target
    if isinstance(target, TurnsTarget):
        return turns_marker(
            target.first_seq, target.last_seq, level=marker.level, offset=target.offset, until=target.until
        )
    return f"L{marker.level}:{marker_name(target.height, target.idx, slug)}"


def node_marker(node: Node, *, level: int, short: bool) -> str:
    """Marker of a node at a level; short ones have no slug."""
    return format_marker(Marker(level, NodeTarget(node.height, node.idx)), slug="" if short else node.slug)


def turns_marker(first_seq: int, last_seq: int, *, level: int = 0, offset: int = 0, until: int | None = None) -> str:
    """Marker of a range of turns, or of a part of one turn."""
    goes_on = f"+{offset}" if until is None and offset else "" if until is None else f"+{offset}-{until}"
    turns = f"turn-{first_seq}" if first_seq == last_seq else f"turns-{first_seq}-{last_seq}"
    return f"L{level}:{turns}{goes_on}"


def markers_beside(lines: str) -> list[str]:
    """Find the markers in marks for omitted lines of edits."""
    return _BESIDE.findall(lines)


def parse_marker(text: str) -> Marker:
    """Parse a marker, with or without brackets, dots and arrow around it.

    Raises `UnknownMarker` for anything that `format_marker` cannot have written.
    """
    bare = text.strip().strip("[]").lstrip("… ").removeprefix(ARROW).strip() if len(text) <= _LONGEST else ""
    match = _MARKER.fullmatch(bare)
    marker = _checked(match) if match else None
    if marker is None:
        msg = f"{text[:60]!r} is not a Turnfold marker"
        raise UnknownMarker(msg, remedy="copy one from a context, such as L1:auth-options-17")
    return marker


def _checked(match: re.Match[str]) -> Marker | None:
    level = int(match["level"])
    if match["first"]:
        first = int(match["first"])
        last = int(match["last"] or first)
        offset = int(match["offset"] or 0)
        until = None if match["until"] is None else int(match["until"])
        exists = 1 <= first <= last and not (offset and level)
        if until is not None:
            exists = exists and level == 0 and first == last and offset < until
        return Marker(level, TurnsTarget(first, last, offset, until)) if exists else None
    height = int(match["height"] or 0)
    number = int(match["chapter"] or match["segment"])
    if number < 1 or height > MAX_HEIGHT or (match["chapter"] and height == 0):
        return None
    return Marker(level, NodeTarget(height, number - 1, match["of_chapter"] or match["of_segment"] or ""))


def names_node(target: NodeTarget, node: Node) -> bool:
    """Whether a marker's slug is that of its node; a marker without a slug matches any."""
    return not target.slug or target.slug.lower() == node.slug.lower()
