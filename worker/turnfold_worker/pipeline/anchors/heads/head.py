"""A head that adds commitments to turns of a meeting where the rules found none, and may doubt what the rules found.

It is a weighted sum over the `evidence` of a turn and its neighbours in the segment. `benchmarks/train_anchor_head.py`
learns the weights; the head judges only talk like its training data (`in_a_group`). The weights are in a file next to
this module; worker/NOTICE names the source of the training data.
"""

from __future__ import annotations

import json
from base64 import b85decode
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import fsum
from typing import Any, Final

from turnfold.contract.vectors import Vector, numbers_of
from turnfold_worker.pipeline.anchors.heads.evidence import evidence_of
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, PERHAPS, Act, Found
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span, clauses
from turnfold_worker.pipeline.turns.reading import Reading

WINDOWS: Final = {
    "turn": (0, 0), "previous": (-1, -1), "next": (1, 1), "three before": (-3, -1), "three after": (1, 3),
    "ten before": (-10, -1), "ten after": (1, 10), "thirty before": (-30, -1), "thirty after": (1, 30),
}  # fmt: skip
"""Offsets of the first and last turn of each window around a turn; values are averaged over the window."""
WEIGHTS_FILE: Final = "head.json"
HEAD: Final = "head"
"""Rule name of an added act."""

_GROUP: Final = 3
_A_WORD_OR_TWO: Final = 2
_POINTS_A_UNIT: Final = 10
_MOST_POINTS: Final = 20
"""Maximum points above `ENOUGH` that the head gives, so that confident rules outrank it."""


def in_a_group(readings: Sequence[Reading]) -> list[bool]:
    """Mark the turns of a conversation of three or more people, except those of a word or two."""
    people = {reading.speaker for reading in readings if not reading.tool}
    several = len(people) >= _GROUP
    return [several and not reading.tool and len(reading.turn.content.split()) > _A_WORD_OR_TWO for reading in readings]


RUN: Final = 3
"""Number of found turns within `NEAR` turns of one, itself included, that make a run.

Whoever hands out work hands it to several people, so turns found in a run support each other, while an isolated one
needs a higher score. Many of them cast doubt on rule matches in the segment: where work is handed out, "I'll put that
on the next page" is no task.
"""
NEAR: Final = 30
BY_ITSELF: Final = 0.6
"""Score above which a turn outside a run is accepted."""
MANY: Final = 5
"""Number of turns found in a segment from which rule matches that the head rejects are in doubt."""


@dataclass(frozen=True, slots=True)
class Head:
    """The weights of the head."""

    bias: float
    evidence: Mapping[str, Mapping[str, float]]
    """Weights by window, then by feature name."""


@cache
def head() -> Head:
    """Load the shipped head."""
    return head_from(json.loads((files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8")))


def head_from(given: Mapping[str, Any]) -> Head:
    """Decode a stored head: one signed byte per weight, in base 85."""
    names = given["names"].split("|")
    evidence = {
        window: {name: step * much for name, much in zip(names, _unpacked(packed), strict=True) if much}
        for window, (step, packed) in given["evidence"].items()
    }
    return Head(given["bias"], evidence)


def _unpacked(packed: str) -> Sequence[int]:
    return numbers_of(Vector(b85decode(packed)))


def with_head(readings: Sequence[Reading], acts: Sequence[list[Found]]) -> list[list[Found]]:
    """Return the acts of each turn of a segment, with commitments that the head adds where the rules found none.

    Doubted commitments are capped at `PERHAPS` points.
    """
    done = [list(act) for act in acts]
    judged = [may and bool(reading.sentences) for reading, may in zip(readings, in_a_group(readings), strict=True)]
    if not any(judged):
        return done
    scores = scores_of(head(), evidence_of(readings, acts))
    sure = _sure_turns(scores, judged)
    for at, score in enumerate(scores):
        by_rule = any(act.act is Act.COMMITMENT and act.points >= ENOUGH for act in acts[at])
        if at in sure and not by_rule:
            done[at] = _added(readings[at], done[at], score)
        elif len(sure) >= MANY and judged[at] and at not in sure:
            done[at] = [_doubted(one) if one.act is Act.COMMITMENT else one for one in done[at]]
    return done


def _sure_turns(scores: Sequence[float], judged: Sequence[bool]) -> frozenset[int]:
    sure = [at for at, score in enumerate(scores) if judged[at] and score > 0]
    return in_runs(sure) | {at for at in sure if scores[at] > BY_ITSELF}


def in_runs(sure: Sequence[int]) -> frozenset[int]:
    """Return the turns, given in ascending order, that belong to a run of at least `RUN` within `NEAR` turns."""
    return frozenset(at for at in sure if bisect_right(sure, at + NEAR) - bisect_left(sure, at - NEAR) >= RUN)


def scores_of(weights_of: Head, evidence: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the score of each turn; above 0 the act is found."""
    scores = [weights_of.bias] * len(evidence)
    for window, weights in weights_of.evidence.items():
        _add_window(scores, [_weighed(about_turn, weights) for about_turn in evidence], window)
    return scores


def _weighed(evidence: Mapping[str, float], weights: Mapping[str, float]) -> float:
    # `sum` rounds differently between Python versions.
    return fsum(weights.get(name, 0.0) * much for name, much in evidence.items())


def _add_window(scores: list[float], values: Sequence[float], window: str) -> None:
    first, last = WINDOWS[window]
    for at in range(len(scores)):
        inside = values[max(at + first, 0) : max(at + last + 1, 0)]
        if inside:
            scores[at] += fsum(inside) / len(inside)


def _added(reading: Reading, acts: Sequence[Found], score: float) -> list[Found]:
    """Add a commitment to its most likely clause: by rule points, then by number of facts, then by length."""
    points = {act_found.span: act_found.points for act_found in acts if act_found.act is Act.COMMITMENT}
    spans = [span for sentence in reading.sentences for span in clauses(reading.turn.content, sentence, MAX_CLAUSE)]
    span = max(spans, key=lambda act_found: _nearness(reading, act_found, points))
    more = min(int(score * _POINTS_A_UNIT), _MOST_POINTS)
    other_acts = [act_found for act_found in acts if act_found.act is not Act.COMMITMENT or act_found.span != span]
    return [*other_acts, Found(Act.COMMITMENT, ENOUGH + more, span, HEAD)]


def _doubted(act: Found) -> Found:
    return replace(act, points=min(act.points, PERHAPS))


def _nearness(reading: Reading, span: Span, points: Mapping[Span, int]) -> tuple[int, int, int]:
    return points.get(span, 0), len(reading.facts.within(span.start, span.end)), span.end - span.start
