"""Find which of a caller's messages are new, and where its history diverged from the stored one. Pure.

A caller may have dropped the beginning (a window), changed a message in place (a cleared tool result), gone back to
continue from an earlier point (a regenerated answer, an edited message), or share nothing with the stored turns.
Stored turns are cut off on strong evidence alone: a wrong guess loses turns, a missed one only leaves an abandoned
branch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final, NamedTuple

_MOST_RUNS: Final = 10_000
"""Limit on runs, above any real conversation's: thousands of one-word messages would make a million."""
_REPLIES: Final = frozenset({"assistant", "tool"})


class Said(NamedTuple):
    """The role and digest of a message or turn, which is all that alignment compares."""

    role: str
    digest: str


@dataclass(frozen=True, slots=True)
class Alignment:
    """The alignment of a caller's messages with the newest stored turns."""

    new_from: int
    """Index of the first message to append; the number of messages if none is new."""
    kept: int
    """How many of the given stored turns remain; the caller abandoned those after them."""
    places: dict[int, int]
    """Index of the caller's version of a stored turn, by the turn's index among those given."""


class _Run(NamedTuple):
    """Consecutive messages that equal consecutive stored turns."""

    last: int
    """Index of the last message."""
    length: int
    stored_last: int
    """Index of the stored turn that equals the last message."""


def align(stored: Sequence[Said], said: Sequence[Said], *, whole: bool, only_new: bool = False) -> Alignment:
    """Align a caller's messages with the newest stored turns.

    `whole`: `stored` is the entire conversation. `only_new`: the caller sends only new messages, no history.
    """
    if only_new:
        return _of_new_ones(stored, said)
    best = _best(list(_runs(stored, said)), stored, said, whole=whole)
    if best is not None:
        return Alignment(best.last + 1, best.stored_last + 1, _places(best, stored, said))
    if not stored:
        return Alignment(0, 0, {})
    # A history that shares nothing with the stored turns: only messages after the last answer are surely new.
    answered = max((place for place, message in enumerate(said) if message.role == "assistant"), default=-1)
    return Alignment(answered + 1, len(stored), {})


def _of_new_ones(stored: Sequence[Said], history: Sequence[Said]) -> Alignment:
    """Treat all messages as new, unless they equal the last stored ones: then the call is a repeat."""
    count = len(history)
    if count and list(stored[-count:]) == list(history):
        return Alignment(count, len(stored), {len(stored) - count + place: place for place in range(count)})
    return Alignment(0, len(stored), {})


def _runs(stored: Sequence[Said], history: Sequence[Said]) -> Iterator[_Run]:
    """Yield all maximal runs."""
    stored_places = defaultdict(list)
    for place, turn in enumerate(stored):
        stored_places[turn].append(place)
    lengths: dict[int, int] = {}
    for place, message in enumerate(history):
        longer = {at: lengths.get(at - 1, 0) + 1 for at in stored_places.get(message, ())}
        yield from (_Run(place - 1, length, at) for at, length in lengths.items() if at + 1 not in longer)
        lengths = longer
    yield from (_Run(len(history) - 1, length, at) for at, length in lengths.items())


def _best(runs: list[_Run], stored: Sequence[Said], history: Sequence[Said], *, whole: bool) -> _Run | None:
    """Return the evident run that ends the longest chain of runs; among equals, one that cuts nothing off.

    Repeated messages make runs too, but short ones that do not follow the others on both sides.
    """
    if len(runs) > _MOST_RUNS:
        runs = nlargest(_MOST_RUNS, runs, key=lambda run: (run.length, run))
    lengths = _chain_lengths(runs, len(stored))
    evident = [run for run in runs if _is_evidence(run, stored, history, whole=whole)]

    def strength(run: _Run) -> tuple[int, bool, bool, _Run]:
        from_the_start = whole and run.last + 1 == run.length == run.stored_last + 1
        return lengths[run], run.stored_last == len(stored) - 1, from_the_start, run

    return max(evident, key=strength, default=None)


def _chain_lengths(runs: list[_Run], stored_count: int) -> dict[_Run, int]:
    """Return, for each run, the length of the longest chain of runs, in order on both sides, that ends with it."""
    finished = iter(sorted(runs))
    ended = next(finished, None)
    longest_at = [0] * stored_count
    """Longest chain that ends at each stored turn, among runs that end before the current one begins."""
    lengths: dict[_Run, int] = {}
    for run in sorted(runs, key=lambda run: run.last - run.length):
        while ended is not None and ended.last <= run.last - run.length:
            longest_at[ended.stored_last] = max(longest_at[ended.stored_last], lengths[ended])
            ended = next(finished, None)
        before = max(longest_at[: run.stored_last - run.length + 1], default=0)
        lengths[run] = run.length + before
    return lengths


def _is_evidence(run: _Run, stored: Sequence[Said], history: Sequence[Said], *, whole: bool) -> bool:
    """Whether a run shows where the caller's history is, rather than just a repeated message."""
    first, stored_first = run.last - run.length + 1, run.stored_last - run.length + 1
    from_the_start = first == 0 and stored_first == 0 and whole
    if run.stored_last < len(stored) - 1:
        # The turns after it would be cut off. A single message suffices only when its own answer is regenerated.
        again = from_the_start and len(stored) == 2
        return run.length > 1 or again
    if run.length > 1 or first == 0:
        return True
    return history[run.last].role in _REPLIES and _changed_in_place(first, stored_first, stored, history)


def _changed_in_place(first: int, stored_first: int, stored: Sequence[Said], history: Sequence[Said]) -> bool:
    """Whether exactly the message before a run differs from the stored one, with the same role."""
    if not first or not stored_first or history[first - 1].role != stored[stored_first - 1].role:
        return False
    return min(first, stored_first) == 1 or history[first - 2] == stored[stored_first - 2]


def _places(run: _Run, stored: Sequence[Said], history: Sequence[Said]) -> dict[int, int]:
    """Pair messages with stored turns backwards from the run's end while roles match; unequal ones changed in place."""
    places = {}
    at, stored_at = run.last, run.stored_last
    while at >= 0 and stored_at >= 0 and history[at].role == stored[stored_at].role:
        places[stored_at] = at
        at, stored_at = at - 1, stored_at - 1
    return places
