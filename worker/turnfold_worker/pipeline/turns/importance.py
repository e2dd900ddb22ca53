"""Importance of a turn, from 0 to 100, by named factors; and the turns of a segment that are kept for it.

The factors and their points are those of tiered prompt compaction: decisions, tool results, the caller's marks,
references, position and tasks. None needs a clock: recency is the position in the segment, so a fold gives the same
result whenever it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.origins import holds_tool_words
from turnfold.contract.records import Importance, StoredTurn
from turnfold_worker.pipeline.content.statements import RESULT, is_bad
from turnfold_worker.pipeline.language.common_words import COMMON_WORDS
from turnfold_worker.pipeline.turns.tool_groups import tool_failed

RESIDUAL_FROM: Final = 60
"""Minimum score of a turn that may be kept verbatim."""
MOST_RESIDUALS: Final = 0.2
"""Maximum share of a segment's turns that are kept; the lowest scores are dropped first."""
_LOOKED_AT: Final = 2_000
"""Code points of a turn that are searched for factors."""
_REFERENCES: Final = 2
"""Number of later turns that must refer to a turn for it to count as referenced."""
_SHARED_WORDS: Final = 3
"""Number of a turn's words that a later turn must use to refer to it."""
_LONG_WORD: Final = lazy_pattern(r"[^\W\d_][\w.-]{5,40}")
_NEWEST: Final = 2
_NEW: Final = 5

POINTS: Final[Mapping[str, int]] = {
    "decision": 50,
    "tool error": 40,
    "tool success": 30,
    "marked high": 40,
    "marked medium": 20,
    "referenced": 20,
    "newest": 15,
    "new": 5,
    "task": 20,
    "pinned": 100,
}
"""Points of each factor. `newest`: the last two turns of the segment; `new`: the three before them."""

_DECISION: Final = lazy_pattern(
    r"(?i)(?<![\w'])(?:decided|concluded|agreed|will do|won't do|determined|resolved|settled on|chose|final decision"
    r"|we(?:'ll| will) go with|going with|approved|signed off)(?!\w)"
)
_OPEN: Final = lazy_pattern(
    r"(?i)(?:\b(?:not|never|yet to|if|unless|before|whether|until|nobody|cannot|could be|to be)\b|n't\b)[^.!?\n]{0,25}$"
)
"""Words right before a word of decision that mean that nothing is decided."""
_TASK: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:tasks?|objectives?|goals?|requirements?|acceptance criteria|deliverables?)(?!\w)"
)
_FAILED: Final = lazy_pattern(r"(?i)(?<!\w)(?:error|exception|failed|failure|fatal|traceback|panic)(?!\w)")


@dataclass(frozen=True, slots=True)
class ImportanceScore:
    """A turn's score, with the factors that it is made up of."""

    seq: int
    score: int
    """0 to 100."""
    factors: tuple[str, ...]
    """Keys of `POINTS`, in their order."""


def score_turns(turns: Sequence[StoredTurn]) -> tuple[ImportanceScore, ...]:
    """Score the turns of one segment, in order."""
    referenced = _referenced(turns)
    return tuple(
        _scored(turn, place_from_end=len(turns) - place, referenced=turn.seq in referenced)
        for place, turn in enumerate(turns)
    )


def _scored(turn: StoredTurn, *, place_from_end: int, referenced: bool) -> ImportanceScore:
    """Score a turn; `place_from_end` is 1 for the last turn of the segment."""
    tool = holds_tool_words(turn)
    text = turn.content[:_LOOKED_AT]
    outcome = _outcome(turn, text) if tool else None
    holds = {
        "decision": not tool and _decides(text),
        "tool error": outcome is False,
        "tool success": outcome is True,
        "marked high": turn.importance is Importance.HIGH,
        "marked medium": turn.importance is Importance.MEDIUM,
        "referenced": referenced,
        "newest": place_from_end <= _NEWEST,
        "new": _NEWEST < place_from_end <= _NEW,
        "task": not tool and (_metadata(turn, "type") == "task" or _TASK.search(text) is not None),
        "pinned": turn.importance is Importance.PIN,
    }
    factors = tuple(name for name in POINTS if holds[name])
    score = min(100, sum(POINTS[name] for name in factors))
    if turn.importance is Importance.LOW:
        score = min(score, RESIDUAL_FROM - 1)
    return ImportanceScore(turn.seq, score, factors)


def _decides(text: str) -> bool:
    """True for words of decision that are not negated, conditional or part of a question."""
    for match in _DECISION.finditer(text):
        end = text[match.end() : match.end() + 120]
        asks = "?" in end and not any(mark in end.partition("?")[0] for mark in ".!\n")
        if not asks and not _OPEN.search(text[max(0, match.start() - 40) : match.start()]):
            return True
    return False


def _outcome(turn: StoredTurn, text: str) -> bool | None:
    """True when a tool succeeded, False when it failed, None when its output does not say."""
    failed = tool_failed(turn)
    if failed is None:
        tool_result = _metadata(turn, "toolResult")
        given = tool_result.get("success") if isinstance(tool_result, Mapping) else _metadata(turn, "success")
        failed = not given if isinstance(given, bool) else None
    if failed is None and (_metadata(turn, "isToolError") is True or _metadata(turn, "is_error") is True):
        failed = True
    if failed is not None:
        return not failed
    head = text.split("\n", 8)[:8]
    if any(_FAILED.search(line[:200]) and is_bad(line[:200]) for line in (*head, text[-200:])):
        return False
    return True if RESULT.search(text[:200]) or RESULT.search(text[-200:]) else None


def _metadata(turn: StoredTurn, key: str) -> Any:
    return turn.metadata.get(key) if isinstance(turn.metadata, Mapping) else None


def _referenced(turns: Sequence[StoredTurn]) -> frozenset[int]:
    """Return the numbers of turns that at least two later turns refer to, by words that those turns introduced."""
    first: dict[str, int] = {}
    used: dict[int, int] = {}
    for turn in turns:
        shared: dict[int, int] = {}
        for word in _telling(turn):
            origin = first.setdefault(word, turn.seq)
            shared[origin] = shared.get(origin, 0) + 1
        for origin, words in shared.items():
            if origin != turn.seq and words >= _SHARED_WORDS:
                used[origin] = used.get(origin, 0) + 1
    return frozenset(seq for seq, later in used.items() if later >= _REFERENCES)


def _telling(turn: StoredTurn) -> frozenset[str]:
    """Return the words that a turn can be recognized by: the longer ones that are not everyday words."""
    return frozenset(_LONG_WORD.findall(turn.content[:_LOOKED_AT].lower())) - COMMON_WORDS


def residuals(
    scores: Sequence[ImportanceScore], *, least: int = RESIDUAL_FROM, share: float = MOST_RESIDUALS
) -> frozenset[int]:
    """Return the numbers of a segment's residuals: the turns that are kept for their score.

    A residual has at least `least` points, and at most a `share` of the turns, rounded up, are residuals. Of equal
    scores the later turn is kept, since it may correct the earlier one. All pinned turns are kept, and count towards
    the share.
    """
    pinned = [score for score in scores if "pinned" in score.factors]
    able = [score for score in scores if score.score >= least and "pinned" not in score.factors]
    room = max(0, ceil(share * len(scores)) - len(pinned))
    best = sorted(able, key=lambda scored: (-scored.score, -scored.seq))[:room]
    return frozenset(scored.seq for scored in (*pinned, *best))
