"""Turns that say again what an earlier turn said: exactly, or nearly, line for line.

A repeat always points back, so that a segment never needs what comes after it. What a near repeat says anew is kept
with it: a second look at a file is worth its changed lines.

Turns of earlier segments are found by marks of fingerprints that a fold keeps of each turn that repeats nothing: a
fold looks at a bounded number of them, however long the conversation is.
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
"""Turns right before a segment that a fold looks at."""
SHORTEST: Final = 120
"""Code points from which a turn can be a repeat; a shorter one costs no more than a reference."""
SHORTEST_SPOKEN: Final = 400
"""The same of what a person or an assistant said and an earlier segment holds: a sentence that is said again long
after may be meant anew."""
NEARLY: Final = 0.85
"""Share of lines in common, of all lines of both, from which a turn is nearly another."""
_FEWEST_LINES: Final = 4
"""Lines from which lines in common mean something."""
_FINGERPRINTS: Final = 4
"""Smallest line hashes by which candidates are found; texts that share 85 % of their lines nearly always share one."""
_POSTED: Final = 2
"""Of these, by which a turn is found from later segments."""
_MOST_LINES: Final = 2_000
_MOST_CANDIDATES: Final = 8
_SENTENCE: Final = lazy_pattern(r"\n|(?<=[.!?]) +(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Repeat:
    """A turn that repeats an earlier one."""

    seq: int
    of: int
    """The earlier turn."""
    similarity: float = 1.0
    """Share of lines in common, in hundredths; 1.0 for the same text, code point for code point, and only for it."""
    news: tuple[str, ...] = ()
    """Lines of a near repeat that the earlier turn has not, in order."""

    @property
    def exact(self) -> bool:
        """True when the text is the same."""
        return self.similarity == 1.0


def reference(repeat: Repeat) -> str:
    """What stands in the place of a repeat, with a marker that `expand` resolves.

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
    """By number, the turns that repeat one before them: of the segment, of the last `NEIGHBOURS`, or of `earlier`.

    `earlier` are turns of any age that hold any of `sought_marks`.
    Exact: a dictionary of texts, which hashes and then compares in full. Near: candidates share a fingerprint, then
    lines are compared. A repeat never points to another repeat.
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
    """Marks by which later segments find a turn that they may repeat; none of one that is too short."""
    if len(turn.content) < SHORTEST or call_ids(turn) or not _may_repeat_far(turn):
        return ()
    voice = _voice(turn)
    lines = [_marked("line", voice, str(line)) for line in _fingerprints(turn.content)[:_POSTED]]
    return (_marked("same", voice, turn.content), *lines)


def sought_marks(turns: Sequence[StoredTurn]) -> list[int]:
    """Marks of the turns of a segment by which those are found that they may repeat: the same text first."""
    by_turn = [marks for turn in turns if (marks := posted_marks(turn))]
    return list(dict.fromkeys([*(marks[0] for marks in by_turn), *(mark for marks in by_turn for mark in marks[1:])]))


def repeating_mark(of: int) -> int:
    """The mark by which segments are found that tell a turn as a repeat of turn `of`."""
    return _marked("repeats", str(of))


def _marked(*parts: str) -> int:
    """A checksum as wide as a database's integer, of what is marked and how."""
    hashed = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "little", signed=True)


def _may_repeat_far(turn: StoredTurn) -> bool:
    return holds_tool_words(turn) or len(turn.content) >= SHORTEST_SPOKEN


def _voice(turn: StoredTurn) -> str:
    """Whose words: a quote of a tool by a person is no repeat, it was chosen."""
    return "tool" if holds_tool_words(turn) else turn.speaker


@lru_cache(maxsize=32)
def _lines(content: str) -> dict[str, None]:
    """Distinct lines, or sentences of long lines, in order, without their outer white space; not to be changed.

    The last turns of a segment are looked at again with the next one.
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
    """The earlier turn with most lines in common, if they are enough; of equals the newest."""
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
