"""Splits a long turn into parts: at its headings, or, without any, where its topic changes. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.fences import fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.passages import PLACES
from turnfold.contract.records import StoredTurn
from turnfold.contract.turn_parts import LONG_TURN, PartEntry, pack_parts
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.levels.topic_shifts import telling_topics, topic_shifts
from turnfold_worker.pipeline.notes.passages import Passage

LEAST_PART: Final = 1_000
"""Minimum code points of a part."""
MOST_PARTS: Final = 24
"""Maximum number of parts of a turn."""
_READ: Final = 200_000
"""Code points of a turn that are searched for boundaries; the rest belongs to its last part."""
_LONGEST_TITLE: Final = 60

_ATX: Final = lazy_pattern(r"^ {0,3}(?P<marks>#{1,6})[ \t]+(?P<title>[^\n]{1,200})$", re.MULTILINE)
_UNDERLINED: Final = lazy_pattern(r"(?:\A|\n[ \t]*\n)(?P<title>[^\n]{2,120})\n(?P<marks>={3,}|-{3,})[ \t]*(?=\n|\Z)")
_BOLD: Final = lazy_pattern(r"^[ \t]{0,3}(?P<marks>\*\*)(?P<title>[^*\n]{2,100})\*\*:?[ \t]*$", re.MULTILINE)
_BOLD_LEVEL: Final = 7
"""Heading level of a bold line: below the six levels of Markdown's own headings."""
_NO_TITLE: Final = str.maketrans(dict.fromkeys('[]→"', " "))


class Part(NamedTuple):
    """A part of a turn."""

    start: int
    end: int
    """Offsets into the turn, in code points."""
    title: str


def parts_of(turn: StoredTurn) -> tuple[Part, ...]:
    """Split a turn into parts that cover it, in order; empty for a turn that is short or has a single topic.

    Tool output is split at headings alone: the words of logs and listings change all the time.
    """
    text = turn.content
    if turn.tokens < LONG_TURN or len(text) < 2 * LEAST_PART:
        return ()
    least = max(LEAST_PART, len(text) // MOST_PARTS)
    printed = holds_tool_words(turn)
    # A single `#` often begins a comment in tool output.
    if starts := _headed(text, least=least, least_level=2 if printed else 1):
        edges = [*(start for start, _ in starts), len(text)]
        titles = [title for _, title in starts]
    else:
        shifts = [] if printed else topic_shifts(text[:_READ], least=least)
        edges = [0, *shifts, len(text)]
        titles = [", ".join(topic) for topic in telling_topics([text[start:end] for start, end in pairwise(edges)])]
    return tuple(
        Part(start, end, _shown(title) or _opening(text[start:end]))
        for (start, end), title in zip(pairwise(edges), titles, strict=True)
        if len(titles) > 1
    )


def packed_parts(parts: Mapping[int, Sequence[Part]], passages: Sequence[Passage]) -> bytes:
    """Pack the parts of a segment's long turns, given by turn number, for storage; empty if there are none."""
    entries: list[PartEntry] = []
    for seq, of_turn in parts.items():
        mine = [passage for passage in passages if passage.notes[0].seq == seq]
        entries += [PartEntry(seq, start, end, _first_place(mine, start), title) for start, end, title in of_turn]
    return pack_parts(entries) if entries else b""


def named_by_parts(turns: Sequence[StoredTurn], parts: Mapping[int, Sequence[Part]]) -> list[str]:
    """Return a title word of each part of the longest turn, for the slug, if that turn is at least half the segment."""
    longest = max(turns, key=lambda turn: turn.tokens)
    if 2 * longest.tokens < sum(turn.tokens for turn in turns):
        return []
    words = [part.title.replace(",", " ").split() for part in parts.get(longest.seq, ())]
    return [next((word for word in title if word[0].isalpha()), title[0]) for title in words if title]


def _first_place(passages: Iterable[Passage], start: int) -> int:
    """Return the first place from which on no passage of a turn contains a clause that begins before `start`."""
    earlier = [
        passage.number % PLACES
        for passage in passages
        if any(note.end and note.start < start for note in passage.notes)
    ]
    return max(earlier, default=-1) + 1


class _Heading(NamedTuple):
    start: int
    level: int
    title: str


def _headings(text: str) -> list[_Heading]:
    """Return the headings outside code fences, in order."""
    headings = [_Heading(match.start(), len(match["marks"]), match["title"]) for match in _ATX.finditer(text)]
    headings += [
        _Heading(match.start("title"), 1 if match["marks"][0] == "=" else 2, match["title"])
        for match in _UNDERLINED.finditer(text)
    ]
    headings += [_Heading(match.start(), _BOLD_LEVEL, match["title"]) for match in _BOLD.finditer(text)]
    fences = fences_of(text)
    begins = [fence.start for fence in fences]
    return sorted(
        heading
        for heading in headings
        if not ((i := bisect_right(begins, heading.start)) and heading.start < fences[i - 1].end)
    )


def _headed(text: str, *, least: int, least_level: int) -> list[tuple[int, str]]:
    """Return starts and titles of the parts at the coarsest heading level that gives at least two; else empty."""
    headings = _headings(text[:_READ])
    for level in sorted({heading.level for heading in headings if heading.level >= least_level}):
        starts = _starts([heading for heading in headings if least_level <= heading.level <= level], len(text), least)
        if len(starts) > 1:
            return starts
    return []


def _starts(headings: Sequence[_Heading], length: int, least: int) -> list[tuple[int, str]]:
    """Start a part at each heading, except where it or the one before would be shorter than `least`."""
    starts = [(0, "" if headings[0].start >= least else headings[0].title)]
    for heading in headings:
        if heading.start - starts[-1][0] >= least <= length - heading.start:
            starts.append((heading.start, heading.title))
    return starts


def _opening(text: str) -> str:
    """Return the first words of a text, as a title."""
    return _shown(next((line for line in text.split("\n") if line.strip(" #*=-\t")), ""))


def _shown(title: str) -> str:
    line = " ".join(plain_line(title.strip(" \t#")).translate(_NO_TITLE).split()).strip(" :")
    if len(line) <= _LONGEST_TITLE:
        return line
    return f"{line[:_LONGEST_TITLE].rpartition(' ')[0] or line[:_LONGEST_TITLE]} …"
