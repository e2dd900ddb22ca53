"""Which of a caller's messages are new, and where its history left the stored one. Pure.

A caller may have dropped the beginning (a window), changed a message in place (a tool's result that was cleared), gone
back and on from there (an answer that is made again, a message that was edited), or know nothing of what is stored.
What is stored is cut off on strong evidence alone: a wrong guess would cost turns, a missed one leaves an abandoned
branch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final, NamedTuple

_MOST_RUNS: Final = 10_000
"""More than any talk has: thousands of messages of one word or another make a million."""
_REPLIES: Final = frozenset({"assistant", "tool"})


class Said(NamedTuple):
    """A message or turn, as far as alignment looks."""

    role: str
    digest: str


@dataclass(frozen=True, slots=True)
class Alignment:
    """How a caller's messages lie beside the newest stored turns."""

    new_from: int
    """Place of the first message that is to be appended; the number of messages where none is."""
    kept: int
    """How many of the stored turns that were looked at stand; those behind them were abandoned by the caller."""
    places: dict[int, int]
    """Of stored turns, by their place among those looked at: the place of the caller's own version of it."""


class _Run(NamedTuple):
    """Messages that equal stored turns one by one."""

    last: int
    """Place of the last of these messages."""
    length: int
    stored_last: int
    """Place of the stored turn that it equals."""


def align(stored: Sequence[Said], said: Sequence[Said], *, whole: bool, only_new: bool = False) -> Alignment:
    """Lay a caller's messages beside the newest stored turns.

    `whole`: nothing stored is older than what is given. `only_new`: the caller sends no history, but new messages.
    """
    if only_new:
        return _of_new_ones(stored, said)
    best = _best(list(_runs(stored, said)), stored, said, whole=whole)
    if best is not None:
        return Alignment(best.last + 1, best.stored_last + 1, _places(best, stored, said))
    if not stored:
        return Alignment(0, 0, {})
    # A history that shares nothing with what is stored: only what nobody has answered yet is surely new.
    answered = max((place for place, message in enumerate(said) if message.role == "assistant"), default=-1)
    return Alignment(answered + 1, len(stored), {})


def _of_new_ones(stored: Sequence[Said], history: Sequence[Said]) -> Alignment:
    """All are new, unless they were the last ones already: the call is repeated."""
    count = len(history)
    if count and list(stored[-count:]) == list(history):
        return Alignment(count, len(stored), {len(stored) - count + place: place for place in range(count)})
    return Alignment(0, len(stored), {})


def _runs(stored: Sequence[Said], history: Sequence[Said]) -> Iterator[_Run]:
    """All runs that cannot be made longer."""
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
    """The run of evidence at the end of the longest chain of runs; of chains of one length, one that cuts nothing off.

    Whoever says again what was said before makes a run too, but a short one, and not behind the others on both sides.
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
    """By run, the messages of the longest chain that ends with it: each run behind the one before it on both sides."""
    finished = iter(sorted(runs))
    ended = next(finished, None)
    longest_at = [0] * stored_count
    """By place of a stored turn: the longest chain that ends there and is over before the run that is looked at."""
    lengths: dict[_Run, int] = {}
    for run in sorted(runs, key=lambda run: run.last - run.length):
        while ended is not None and ended.last <= run.last - run.length:
            longest_at[ended.stored_last] = max(longest_at[ended.stored_last], lengths[ended])
            ended = next(finished, None)
        before = max(longest_at[: run.stored_last - run.length + 1], default=0)
        lengths[run] = run.length + before
    return lengths


def _is_evidence(run: _Run, stored: Sequence[Said], history: Sequence[Said], *, whole: bool) -> bool:
    """Whether a run says where the caller's history is, and not only that something was said twice."""
    first, stored_first = run.last - run.length + 1, run.stored_last - run.length + 1
    from_the_start = first == 0 and stored_first == 0 and whole
    if run.stored_last < len(stored) - 1:
        # What is behind it would be cut off. One message is enough only to have its own answer made again.
        again = from_the_start and len(stored) == 2
        return run.length > 1 or again
    if run.length > 1 or first == 0:
        return True
    return history[run.last].role in _REPLIES and _changed_in_place(first, stored_first, stored, history)


def _changed_in_place(first: int, stored_first: int, stored: Sequence[Said], history: Sequence[Said]) -> bool:
    """Whether just the one message before a run is another than the stored one, of the same role."""
    if not first or not stored_first or history[first - 1].role != stored[stored_first - 1].role:
        return False
    return min(first, stored_first) == 1 or history[first - 2] == stored[stored_first - 2]


def _places(run: _Run, stored: Sequence[Said], history: Sequence[Said]) -> dict[int, int]:
    """From the run's end backwards, as long as both sides have the same roles: others were changed in place."""
    places = {}
    at, stored_at = run.last, run.stored_last
    while at >= 0 and stored_at >= 0 and history[at].role == stored[stored_at].role:
        places[stored_at] = at
        at, stored_at = at - 1, stored_at - 1
    return places
