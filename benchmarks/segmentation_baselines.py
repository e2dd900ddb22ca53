"""Baselines of the segmenter, as systems of a segmentation harness.

segmentation_baselines:nothing                no cut
segmentation_baselines:every_4_turns          a cut every 4 turns; any number works
segmentation_baselines:depth_every_4_turns    where neighbouring turns are least alike in meaning (MiniLM)

The last is TextTiling on sentence vectors, turn by turn: it compares three turns with the next three and cuts where the
similarity is furthest below the peaks around it, with a threshold that yields the given number of cuts in the talk so
far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from turnfold.contract.vectors import Vector, cosine, numbers_of
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder

_WINDOW: Final = 3
_DEEP: Final = 0.25
"""Depth that counts before there are enough gaps for comparison."""
_ENOUGH: Final = 20


class Every:
    """Cuts after a fixed number of turns; 0 never cuts."""

    def __init__(self, turns: int) -> None:
        self._turns = turns

    def segment(self, turns: list[Mapping[str, Any]]) -> list[int]:
        return list(range(self._turns, len(turns), self._turns)) if self._turns else []


def _total(vectors: Sequence[Vector]) -> list[int]:
    """Return the sum of the texts' direction vectors."""
    directions = [numbers_of(vector) for vector in vectors if vector]
    return [sum(column) for column in zip(*directions, strict=True)]


class Depth:
    """Cuts where the text before and after a gap is less alike than around it."""

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self._embedder = SentenceTransformerEmbedder()

    def segment(self, turns: list[Mapping[str, Any]]) -> list[int]:
        vectors = self._embedder.embed([turn["text"] for turn in turns])
        alike = [self._alike(vectors, gap) for gap in range(1, len(turns))]
        cuts: list[int] = []
        depths: list[float] = []
        for index in range(len(alike)):
            begin = cuts[-1] if cuts else 0
            before, after = alike[max(begin, index - 3 * _WINDOW) : index + 1], alike[index : index + 2]
            depths.append(max(before) + max(after) - 2 * alike[index])
            if depths[-1] > self._deep(depths) and index + 1 - begin > max(1, self._turns // 4):
                cuts.append(index + 1)
        return cuts

    @staticmethod
    def _alike(vectors: list[Vector], gap: int) -> float:
        before, after = vectors[max(0, gap - _WINDOW) : gap], vectors[gap : gap + _WINDOW]
        return cosine(_total(before), _total(after))

    def _deep(self, depths: list[float]) -> float:
        if len(depths) < _ENOUGH:
            return _DEEP
        return sorted(depths)[-max(1, len(depths) // self._turns)]


_FACTORY: Final = re.compile(r"(depth_)?every_(\d+)_turns|nothing")


def __getattr__(name: str) -> Callable[[], Every | Depth]:
    """Return the factory of a baseline."""
    match = _FACTORY.fullmatch(name)
    if match is None:
        msg = f"{name}: use nothing, every_N_turns or depth_every_N_turns"
        raise AttributeError(msg)
    turns = int(match[2]) if match[2] else 0
    return lambda: Depth(turns) if match[1] else Every(turns)
