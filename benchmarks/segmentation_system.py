"""Turnfold's segmenter as a system under test of a segmentation harness, fed turn by turn, as by a worker.

Put this folder on PYTHONPATH and name one of these factories:

segmentation_system:lexical                  the default granularity
segmentation_system:lexical_every_4_turns    `segment_target_turns` 4; any number works
segmentation_system:semantic_every_4_turns   the same with sentence vectors

The harness passes turns with `speaker`, `text` and optionally `time` in seconds, and expects indexes of first turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.vectors import Vector
from turnfold.tokens import estimate_tokens
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder
from turnfold_worker.pipeline.segments import segmenter as segment
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.ports.storage import SentenceEmbedder

_ROLES: Final = {
    "user": Role.USER, "customer": Role.USER, "human": Role.USER, "assistant": Role.ASSISTANT, "agent": Role.ASSISTANT,
    "system": Role.ASSISTANT, "bot": Role.ASSISTANT, "tool": Role.TOOL,
}  # fmt: skip
_BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)
_NO_CAP: Final = 10**9
"""The sets have no maximum length: a topic may go on for as long as it does."""


def as_turn(turn: Mapping[str, Any], seq: int) -> StoredTurn:
    """Convert a harness's turn to a stored one; a speaker that is no role becomes a named person."""
    role = _ROLES.get(turn["speaker"])
    seconds = turn.get("time")
    return StoredTurn(
        seq=seq, turn_id=f"t{seq}", role=role or Role.USER, name=None if role else turn["speaker"],
        content=turn["text"], tokens=estimate_tokens(turn["text"]),
        created_at=None if seconds is None else _BEGINNING + timedelta(seconds=seconds),
    )  # fmt: skip


class SegmenterSystem:
    """Steps through a conversation, and after each cut through the turns since, as `compress` does."""

    lookahead = 3

    def __init__(self, settings: FoldSettings, embedder: SentenceEmbedder | None = None) -> None:
        self._settings = settings
        self._embedder = embedder
        self._vectors: dict[tuple[int, str], Vector] = {}
        self.reset()

    def reset(self) -> None:
        self._open: list[tuple[StoredTurn, Vector | None]] = []
        self._state = segment.State(segment.SegmenterStats())
        self._seen = 0

    def push(self, turn: Mapping[str, Any]) -> list[int]:
        self._seen += 1
        return self._take(as_turn(turn, self._seen))

    def finish(self) -> list[int]:
        """Return the cuts among the last turns, with the look-ahead that is left."""
        cuts: list[int] = []
        look_ahead = self.lookahead
        while look_ahead:
            look_ahead -= 1
            self._state, cut = segment.topic_cut(self._state, replace(self._settings, look_ahead=look_ahead))
            if cut is not None:
                cuts += [self._open[cut][0].seq - 1, *self._again(self._open[cut:])]
                look_ahead = self.lookahead
        return cuts

    def _take(self, turn: StoredTurn) -> list[int]:
        vector = self._vector(turn)
        self._open.append((turn, vector))
        self._state, cut = segment.step(self._state, turn, self._settings, vector)
        if cut is None:
            return []
        after = [one for one in self._open if one[0].seq >= cut]
        return [cut - 1, *self._again(after)] if after else []

    def _vector(self, turn: StoredTurn) -> Vector | None:
        """Compute the vector of a turn alone and cache it, as workers do; a harness may repeat a conversation."""
        if self._embedder is None:
            return None
        key = turn.seq, turn.content
        if key not in self._vectors:
            self._vectors[key] = self._embedder.embed([turn.content])[0]
        return self._vectors[key]

    def _again(self, turns: list[tuple[StoredTurn, Vector | None]]) -> list[int]:
        """Begin a segment with turns that were seen before."""
        self._state, self._open = segment.State(self._state.stats), []
        cuts: list[int] = []
        for number, (turn, vector) in enumerate(turns):
            self._open.append((turn, vector))
            self._state, cut = segment.step(self._state, turn, self._settings, vector)
            if cut is not None:
                after = [one for one in self._open if one[0].seq >= cut]
                return [cut - 1, *self._again([*after, *turns[number + 1 :]])]
        return cuts


def _settings(target_turns: int | None) -> FoldSettings:
    default = FoldSettings(segment_max_tokens=_NO_CAP, segment_max_turns=_NO_CAP)
    return default if target_turns is None else replace(default, segment_target_turns=target_turns)


_FACTORY: Final = re.compile(r"(lexical|semantic)(?:_every_(\d+)_turns)?")


def __getattr__(name: str) -> Callable[[], SegmenterSystem]:
    """Return the factory of a variant and a granularity."""
    match = _FACTORY.fullmatch(name)
    if match is None:
        msg = f"{name}: use lexical or semantic, then perhaps _every_N_turns"
        raise AttributeError(msg)
    target = int(match[2]) if match[2] else None
    embedder = SentenceTransformerEmbedder() if match[1] == "semantic" else None
    return lambda: SegmenterSystem(_settings(target), embedder)
