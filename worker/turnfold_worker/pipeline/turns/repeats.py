"""Repeats: turns whose text equals that of an earlier turn, exactly or in nearly all lines.

A repeat always points back, so a segment never depends on later turns. The new lines of a near repeat are kept with
it: a second look at a file is worth its changed lines.

Turns of earlier segments are found by marks, hashes that a fold stores for each turn that repeats nothing. A fold
compares a bounded number of candidates, however long the conversation is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final
from zlib import crc32

from turnfold.assemble.forms.markers import ARROW, turns_marker
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import StoredTurn
from turnfold_worker.pipeline.language.prose import READ_HEAD, READ_TAIL
from turnfold_worker.pipeline.turns.tool_groups import call_ids

NEIGHBOURS: Final = 4
"""Turns right before a segment that a fold compares with it."""
SHORTEST: Final = 120
"""Code points from which a turn can be a repeat; a shorter one costs no more than a reference."""
SHORTEST_SPOKEN: Final = 400
"""The same for a turn of a person or an assistant that repeats a turn of an earlier segment: a short one repeated
much later may be meant anew."""
NEARLY: Final = 0.85
"""Minimum share of common lines (the Jaccard index of the sets of lines) of a near repeat."""
_FEWEST_LINES: Final = 4
"""Minimum number of lines of a turn that is compared line by line."""
_FINGERPRINTS: Final = 4
"""Number of smallest line hashes used to find candidates; texts sharing 85 % of their lines nearly always share one."""
_POSTED: Final = 2
"""Number of these hashes that are stored, for later segments to find the turn by."""
_MOST_LINES: Final = 2_000
_MOST_CANDIDATES: Final = 8
_SENTENCE: Final = lazy_pattern(r"\n|(?<=[.!?]) +(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Repeat:
    """A turn that repeats an earlier one."""

    seq: int
    of: int
    """Number of the earlier turn."""
    similarity: float = 1.0
    """Share of common lines, rounded to hundredths; 1.0 if and only if the texts are equal."""
    news: tuple[str, ...] = ()
    """Lines of a near repeat that are not in the earlier turn, in order."""

    @property
    def exact(self) -> bool:
        """True when the texts are equal."""
        return self.similarity == 1.0


def reference(repeat: Repeat) -> str:
    """Render the text that replaces a repeat, with a marker that `expand` resolves.

    >>> reference(Repeat(14, 12)), reference(Repeat(14, 12, 0.9, ("port = 81",)))
    ('[same as turn 12 →L0:turn-12]', '[almost as turn 12, 90 % →L0:turn-12]')
    """
    marker = f"{ARROW}{turns_marker(repeat.of, repeat.of)}"
    if repeat.exact:
        return f"[same as turn {repeat.of} {marker}]"
    return f"[almost as turn {repeat.of}, {round(repeat.similarity * 100)} % {marker}]"


def find_repeats(
    turns: Sequence[StoredTurn], *, before: Sequence[StoredTurn] = (), earlier: Sequence[StoredTurn] = ()
) -> dict[int, Repeat]:
    """Find the turns that repeat an earlier turn of the segment, of `before`, or of `earlier`; return them by number.

    Only the last `NEIGHBOURS` of `before` count; `earlier` are turns of any age that have one of the `sought_marks`.
    Exact repeats are found by a dictionary keyed by the text. Near repeats must share a line hash before their lines
    are compared. A repeat never points to another repeat.
    """
    whole: dict[tuple[str, str], int] = {}
    lines: dict[int, dict[str, None]] = {}
    buckets: dict[tuple[str, int], list[int]] = {}
    repeats: dict[int, Repeat] = {}
    segment = {turn.seq for turn in turns}
    known = {turn.seq: turn for turn in (*earlier, *before[-NEIGHBOURS:])}
    near = turns[0].seq - NEIGHBOURS if turns else 0
    for turn in (*(known[seq] for seq in sorted(known)), *turns):
        if len(turn.content) < SHORTEST or call_ids(turn):
            continue
        key = (_voice(turn), turn.content)
        marks: list[tuple[str, int]] = []
        if key in whole:
            repeat: Repeat | None = Repeat(turn.seq, whole[key])
        else:
            lines[turn.seq] = _lines(turn.content)
            marks = [(key[0], mark) for mark in _fingerprints(turn.content)]
            repeat = _nearest(turn.seq, marks, lines, buckets)
        if repeat is not None and repeat.of < near and not _may_repeat_far(turn):
            repeat = None
        if repeat is None:
            whole[key] = turn.seq
            for mark in marks:
                buckets.setdefault(mark, []).append(turn.seq)
        elif turn.seq in segment:
            repeats[turn.seq] = repeat
    return repeats


def posted_marks(turn: StoredTurn) -> tuple[int, ...]:
    """Return the marks by which later segments find a turn that they may repeat; none if the turn is too short."""
    if len(turn.content) < SHORTEST or call_ids(turn) or not _may_repeat_far(turn):
        return ()
    voice = _voice(turn)
    lines = [_marked("line", voice, str(line)) for line in _fingerprints(turn.content)[:_POSTED]]
    return (_marked("same", voice, turn.content), *lines)


def sought_marks(turns: Sequence[StoredTurn]) -> list[int]:
    """Return the marks for finding the earlier turns that a segment may repeat; marks of equal texts come first."""
    by_turn = [marks for turn in turns if (marks := posted_marks(turn))]
    return list(dict.fromkeys([*(marks[0] for marks in by_turn), *(mark for marks in by_turn for mark in marks[1:])]))


def repeating_mark(of: int) -> int:
    """Return the mark for finding the segments that have a repeat of turn `of`."""
    return _marked("repeats", str(of))


def _marked(*parts: str) -> int:
    """Hash the parts of a mark to a signed 64-bit integer, as SQL stores it."""
    hashed = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "little", signed=True)


def _may_repeat_far(turn: StoredTurn) -> bool:
    return holds_tool_words(turn) or len(turn.content) >= SHORTEST_SPOKEN


def _voice(turn: StoredTurn) -> str:
    """Return whose words a turn contains: a person who quotes a tool repeats nothing, the quote was chosen."""
    return "tool" if holds_tool_words(turn) else turn.speaker


@lru_cache(maxsize=32)
def _lines(content: str) -> dict[str, None]:
    """Split a text into its distinct lines and sentences, stripped, in order. Callers must not change the result.

    Cached, because the last turns of a segment are compared again with the next segment.
    """
    if len(content) > READ_HEAD + READ_TAIL:
        content = f"{content[:READ_HEAD]}\n{content[-READ_TAIL:]}"
    stripped = (line.strip() for line in _SENTENCE.split(content, _MOST_LINES))
    return dict.fromkeys(line for line in stripped if line)


@lru_cache(maxsize=32)
def _fingerprints(content: str) -> tuple[int, ...]:
    lines = _lines(content)
    if len(lines) < _FEWEST_LINES:
        return ()
    return tuple(sorted(crc32(line.encode("utf-8", "surrogatepass")) for line in lines)[:_FINGERPRINTS])


def _nearest(
    seq: int,
    marks: Sequence[tuple[str, int]],
    lines: Mapping[int, dict[str, None]],
    buckets: Mapping[tuple[str, int], list[int]],
) -> Repeat | None:
    """Return the repeat of the earlier turn with the highest share of common lines, if high enough; newest on ties."""
    mine = lines[seq]
    candidates = {other for mark in marks for other in buckets.get(mark, ())}
    best: tuple[float, int] | None = None
    for other in sorted(candidates, reverse=True)[:_MOST_CANDIDATES]:
        theirs = lines[other]
        if min(len(mine), len(theirs)) < NEARLY * max(len(mine), len(theirs)):
            continue
        common = len(mine.keys() & theirs.keys())
        similarity = common / (len(mine) + len(theirs) - common)
        if similarity >= NEARLY and (best is None or similarity > best[0]):
            best = similarity, other
    if best is None:
        return None
    news = tuple(line for line in mine if line not in lines[best[1]])
    return Repeat(seq, best[1], min(0.99, round(best[0], 2)), news)
