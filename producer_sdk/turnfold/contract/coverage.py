"""Which notes to take, and in what order: most news per token first, redundancy counted as one goes. Lazy greedy.

`gain = worth * sum(weight * decay^(times the word was taken before)) / (tokens + 3)`, where the decay of a heavy word,
which is mostly a name, is at most .35: a name is known once it was said; what is said of it has to bring its own news.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from turnfold.contract.notes import Note
from turnfold.contract.words import WEIGHTS, note_stems

OVERHEAD: Final = 3
"""Tokens that every note is charged beside its words, so that scraps do not win over statements."""
HEAVY: Final = 6.0
"""Weight from which a word counts less when it is said again."""
_HEAVY_DECAY: Final = 0.35
MAX_VOICE: Final = 20.0
_TIMES: Final = 12
"""Times from which taking a word again makes no difference."""


def voices(said: Mapping[str, int]) -> dict[str, float]:
    """How much a role's words weigh, from its tokens: who says less says what matters."""
    whole = sum(said.values())
    return {role: min(MAX_VOICE, whole / max(1, tokens)) for role, tokens in said.items()}


def taken(
    notes: Sequence[Note],
    worths: Sequence[float],
    *,
    most_tokens: int,
    decay: float,
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
    least = decay ** (_TIMES - 1)
    heavy_decay = min(decay, _HEAVY_DECAY)
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
                left = left_of.get(word, 1.0) * (decay if weight < HEAVY else heavy_decay)
                left_of[word] = max(least, left)
    return order


def _told(note: Note) -> list[tuple[str, float]]:
    return list(zip(note_stems(note.text), map(WEIGHTS.__getitem__, note.weights), strict=False))


def _news(words: Iterable[tuple[str, float]], left_of: Mapping[str, float]) -> float:
    """The weights of the words, each times what is left of it after the times that it was taken."""
    news = 0.0
    for word, weight in words:
        news += weight * left_of.get(word, 1.0)
    return news
