"""The order in which notes are taken when nothing is asked: most news per token first, redundancy counted as one goes.

`gain = worth * sum(weight * decay^(times the word was taken before)) / (tokens + 3)`, where the decay is .5, and
that of a heavy word, which is mostly a name, .35: a name is known once it was said; what is said of it has to bring its
own news.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from turnfold.contract.notes import OVERHEAD, Note, voices
from turnfold.contract.words import WEIGHT_OF_DIGIT, note_stems

_DECAY: Final = 0.5
_HEAVY: Final = 6.0
"""Weight from which a word counts less when it is said again."""
_HEAVY_DECAY: Final = 0.35
_LEAST_LEFT: Final = _DECAY**11
"""Below it, taking a word again makes no difference."""
_SPEAKS_OF: Final = re.compile(r"(?:They|He|She|Them|His|Her|Their)\b")
_MOST_BEFORE: Final = 20
"""Tokens of a note up to which it is taken because the next one speaks of what it names."""


def ranked(notes: Sequence[Note], said: Mapping[str, int], *, most_tokens: int) -> list[Note]:
    """The best notes with their gains, best first, while they cost at most `most_tokens` together; ties by position.

    `said` are the tokens of each role in the conversation so far. Notes without worth are never among them.
    """
    voice = voices(said)
    worths = [note.worth * voice.get(note.role, 1.0) for note in notes]
    # What was said again in the same words tells nothing, whatever is left of its words.
    said_before: set[tuple[str, str]] = set()
    for i, note in enumerate(notes):
        if (note.speaker, note.text) in said_before:
            worths[i] = 0.0
        said_before.add((note.speaker, note.text))
    order = taken(notes, worths, most_tokens=most_tokens, named_by=_named_by(notes, worths))
    return [notes[i]._replace(gain=round(100 * gain)) for i, gain in order]


def _named_by(notes: Sequence[Note], worths: Sequence[float]) -> dict[int, int]:
    """By position, the note before one of the same turn that begins with `They`, `He` or `She`: it says who that is."""
    found = {}
    for i, note in enumerate(notes[1:], 1):
        if _SPEAKS_OF.match(note.text):
            before = notes[i - 1]
            if before.seq == note.seq and before.tokens <= _MOST_BEFORE and worths[i - 1]:
                found[i] = i - 1
    return found


def taken(
    notes: Sequence[Note],
    worths: Sequence[float],
    *,
    most_tokens: int,
    named_by: Mapping[int, int] | None = None,
) -> list[tuple[int, float]]:
    """Positions of notes with their gains, best first, while they cost at most `most_tokens` together.

    `worths` are multipliers, one a note; notes of worth 0 are never taken for themselves. Ties go to the earlier
    position. `named_by` has, by position, the note without which another one is not understood: it is taken first.
    """
    named_by = named_by or {}
    done: set[int] = set()
    rates = [worth / (note.tokens + OVERHEAD) for note, worth in zip(notes, worths, strict=True)]
    words = [_told(note) if rate > 0 else [] for note, rate in zip(notes, rates, strict=True)]
    left_of: dict[str, float] = {}
    heap = [(-rate * _news(told, left_of), i) for i, (rate, told) in enumerate(zip(rates, words, strict=True)) if told]
    heapq.heapify(heap)
    order: list[tuple[int, float]] = []
    room = most_tokens
    while heap and room > 0:
        stale, i = heap[0]
        gain = rates[i] * _news(words[i], left_of)
        if -gain > stale + 1e-9:
            heapq.heapreplace(heap, (-gain, i))
            continue
        heapq.heappop(heap)
        if i in done:
            continue
        if notes[i].tokens > room:
            continue
        names = named_by.get(i, i)
        alone = names == i or names in done or notes[names].tokens + notes[i].tokens > room
        for one in (i,) if alone else (names, i):
            done.add(one)
            room -= notes[one].tokens
            order.append((one, gain))
            for word, weight in words[one]:
                left = left_of.get(word, 1.0) * (_DECAY if weight < _HEAVY else _HEAVY_DECAY)
                left_of[word] = max(_LEAST_LEFT, left)
    return order


def _told(note: Note) -> list[tuple[str, float]]:
    return list(zip(note_stems(note.text), map(WEIGHT_OF_DIGIT.__getitem__, note.weights), strict=False))


def _news(words: Iterable[tuple[str, float]], left_of: Mapping[str, float]) -> float:
    """The weights of the words, each times what is left of it after the times that it was taken."""
    news = 0.0
    for word, weight in words:
        news += weight * left_of.get(word, 1.0)
    return news
