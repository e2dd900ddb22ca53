"""The order in which notes are taken: most news per token first, redundancy counted as one goes. Lazy greedy.

`gain = worth * voice * sum(weight * 0.5^(times the word was taken before)) / (tokens + 3)`
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.notes import Note
from turnfold.contract.terms import stem
from turnfold_worker.pipeline.rarity import note_words, weight_of

OVERHEAD: Final = 3
"""Tokens that every note is charged beside its words, so that scraps do not win over statements."""
MAX_VOICE: Final = 20.0
_DECAY: Final = tuple(0.5**times for times in range(12))

_Words = list[tuple[str, float]]


def voices(said: Mapping[str, int]) -> dict[str, float]:
    """How much a role's words weigh, from its tokens: who says less says what matters."""
    whole = sum(said.values())
    return {role: min(MAX_VOICE, whole / max(1, tokens)) for role, tokens in said.items()}


def ranked(notes: Sequence[Note], said: Mapping[str, int], *, most_tokens: int) -> list[Note]:
    """The best notes with their gains, best first, while they cost at most `most_tokens` together; ties by position.

    `said` are the tokens of each role in the conversation so far. Notes without worth are never among them.
    """
    voice = voices(said)
    worths = [note.worth * voice.get(note.role, 1.0) / (note.tokens + OVERHEAD) for note in notes]
    words = [_told(note) for note in notes]
    taken: dict[str, int] = {}
    heap = [(-_gain(worths[i], words[i], taken), i) for i in range(len(notes)) if worths[i] > 0 and words[i]]
    heapq.heapify(heap)
    order: list[Note] = []
    left = most_tokens
    while heap:
        stale, i = heap[0]
        gain = -_gain(worths[i], words[i], taken)
        if gain > stale + 1e-9:
            heapq.heapreplace(heap, (gain, i))
            continue
        heapq.heappop(heap)
        if notes[i].tokens > left:
            continue
        left -= notes[i].tokens
        order.append(replace(notes[i], gain=round(100 * -gain)))
        for word, _ in words[i]:
            taken[word] = taken.get(word, 0) + 1
    return order


def _told(note: Note) -> _Words:
    return [(stem(word), weight_of(digit)) for word, digit in zip(note_words(note.text), note.weights, strict=False)]


def _gain(worth: float, words: Iterable[tuple[str, float]], taken: Mapping[str, int]) -> float:
    news = 0.0
    for word, weight in words:
        times = taken.get(word, 0)
        news += weight if not times else weight * _DECAY[times if times < len(_DECAY) else -1]
    return worth * news
