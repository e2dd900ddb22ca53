"""Heads that each add one act to turns where the rules found none, and may doubt what the rules found.

A head is a weighted sum over the `evidence` of a turn and its neighbours in the segment, optionally with their sentence
vectors. `benchmarks/train_anchor_head.py` learns the weights; heads judge only talk like their training data
(`JUDGED`). The weights are in a file next to this module; worker/NOTICE names the source of the training data.
"""

from __future__ import annotations

import json
from base64 import b85decode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import fsum
from operator import mul
from typing import Any, Final

from turnfold.contract.records import Role
from turnfold.contract.vectors import NO_VECTOR, SCALE, Vector, numbers_of
from turnfold_worker.pipeline.anchors.heads.evidence import evidence_of
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, PERHAPS, Act, Found
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span, clauses
from turnfold_worker.pipeline.turns.reading import Reading

WINDOWS: Final = {
    "turn": (0, 0), "previous": (-1, -1), "next": (1, 1), "three before": (-3, -1), "three after": (1, 3),
    "ten before": (-10, -1), "ten after": (1, 10), "thirty before": (-30, -1), "thirty after": (1, 30),
}  # fmt: skip
"""Offsets of the first and last turn of each window around a turn; values are averaged over the window."""
WEIGHTS_FILE: Final = "heads.json"
HEAD: Final = "head"
"""Rule name of an added act."""

_GROUP: Final = 3
_A_WORD_OR_TWO: Final = 2
_POINTS_A_UNIT: Final = 10
_MOST_POINTS: Final = 20
"""Maximum points above `ENOUGH` that a head gives, so that confident rules outrank it."""


def in_a_group(readings: Sequence[Reading]) -> list[bool]:
    """Mark the turns of a conversation of three or more people, except those of a word or two."""
    people = {reading.speaker for reading in readings if not reading.tool}
    several = len(people) >= _GROUP
    return [several and not reading.tool and len(reading.turn.content.split()) > _A_WORD_OR_TWO for reading in readings]


def alone(readings: Sequence[Reading]) -> list[bool]:
    """Mark the user turns of a segment in which only one person speaks, as in mail and notes."""
    people = {reading.speaker for reading in readings if not reading.tool}
    return [len(people) == 1 and reading.turn.role is Role.USER and not reading.tool for reading in readings]


JUDGED: Final[Mapping[Act, Callable[[Sequence[Reading]], list[bool]]]] = {
    Act.COMMITMENT: in_a_group,
    Act.REQUEST: alone,
}
"""Turns that the head of an act judges: talk like its training data."""
IN_RUNS: Final = frozenset({Act.COMMITMENT})
"""Acts that come in runs, since whoever hands out work hands it to several people.

Turns found in a run support each other, while an isolated one needs a higher score. Many of them cast doubt on other
rule matches in the segment: where work is handed out, "I'll put that on the next page" is no task.
"""
RUN: Final = 3
"""Number of found turns within `NEAR` turns of one, itself included, that make a run."""
NEAR: Final = 30
BY_ITSELF: Final = 0.6
"""Score above which a turn outside a run is accepted."""
MANY: Final = 5
"""Number of turns found in a segment from which rule matches that the head rejects are in doubt."""


@dataclass(frozen=True, slots=True)
class Head:
    """The weights of one head."""

    act: Act
    bias: float
    evidence: Mapping[str, Mapping[str, float]]
    """Weights by window, then by feature name."""
    directions: Mapping[str, tuple[float, Sequence[int]]]
    """Factor and direction by window: the dot product of a turn's vector with the direction is scaled by the factor."""


@cache
def heads() -> tuple[Head, ...]:
    """Load the shipped heads."""
    stored = json.loads((files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8"))
    return tuple(map(head_from, stored.values()))


def head_from(given: Mapping[str, Any]) -> Head:
    """Decode a stored head: one signed byte per weight, in base 85."""
    names = given["names"].split("|")
    evidence = {
        window: {name: step * much for name, much in zip(names, _unpacked(packed), strict=True) if much}
        for window, (step, packed) in given["evidence"].items()
    }
    directions = {
        window: (factor / SCALE, _unpacked(packed)) for window, (factor, packed) in given["directions"].items()
    }
    return Head(Act(given["act"]), given["bias"], evidence, directions)


def _unpacked(packed: str) -> Sequence[int]:
    return numbers_of(Vector(b85decode(packed)))


def with_head(
    readings: Sequence[Reading], acts: Sequence[list[Found]], vectors: Mapping[int, Vector]
) -> list[list[Found]]:
    """Return the acts of each turn of a segment, with those that heads add where the rules found none.

    Doubted acts are capped at `PERHAPS` points. `vectors` are sentence vectors by turn number; a head that uses vectors
    skips turns without one.
    """
    known = [vectors.get(reading.turn.seq, NO_VECTOR) for reading in readings]
    done = [list(act) for act in acts]
    evidence: list[dict[str, float]] | None = None
    for head in heads():
        judged = [
            (bool(vector) or not head.directions) and may and bool(reading.sentences)
            for reading, vector, may in zip(readings, known, JUDGED[head.act](readings), strict=True)
        ]
        if not any(judged):
            continue
        evidence = evidence_of(readings, acts) if evidence is None else evidence
        scores = scores_of(head, evidence, known)
        sure = _sure_turns(head.act, scores, judged)
        doubts = head.act in IN_RUNS and len(sure) >= MANY
        for at, score in enumerate(scores):
            by_rule = any(act.act is head.act and act.points >= ENOUGH for act in acts[at])
            if at in sure and not by_rule:
                done[at] = _added(readings[at], done[at], head.act, score)
            elif doubts and judged[at] and at not in sure:
                done[at] = [_doubted(one) if one.act is head.act else one for one in done[at]]
    return done


def _sure_turns(act: Act, scores: Sequence[float], judged: Sequence[bool]) -> frozenset[int]:
    sure = [at for at, score in enumerate(scores) if judged[at] and score > 0]
    if act not in IN_RUNS:
        return frozenset(sure)
    return in_runs(sure) | {at for at in sure if scores[at] > BY_ITSELF}


def in_runs(sure: Sequence[int]) -> frozenset[int]:
    """Return the turns, given in ascending order, that belong to a run of at least `RUN` within `NEAR` turns."""
    return frozenset(at for at in sure if bisect_right(sure, at + NEAR) - bisect_left(sure, at - NEAR) >= RUN)


def scores_of(head: Head, evidence: Sequence[Mapping[str, float]], vectors: Sequence[Vector]) -> list[float]:
    """Return the score of the head for each turn; above 0 the act is found."""
    scores = [head.bias] * len(evidence)
    for window, weights in head.evidence.items():
        _add_window(scores, [_weighed(about_turn, weights) for about_turn in evidence], window)
    for window, (factor, direction) in head.directions.items():
        _add_window(scores, [_along(vector, direction) * factor for vector in vectors], window)
    return scores


def _weighed(evidence: Mapping[str, float], weights: Mapping[str, float]) -> float:
    # `sum` rounds differently between Python versions.
    return fsum(weights.get(name, 0.0) * much for name, much in evidence.items())


def _along(vector: Vector, direction: Sequence[int]) -> int:
    """Return the dot product, or 0 for a missing vector or one of another model."""
    return sum(map(mul, numbers_of(vector), direction)) if len(vector) == len(direction) else 0


def _add_window(scores: list[float], values: Sequence[float], window: str) -> None:
    first, last = WINDOWS[window]
    for at in range(len(scores)):
        inside = values[max(at + first, 0) : max(at + last + 1, 0)]
        if inside:
            scores[at] += fsum(inside) / len(inside)


def _added(reading: Reading, acts: Sequence[Found], act: Act, score: float) -> list[Found]:
    """Add the act to its most likely clause: by rule points, then by number of facts, then by length."""
    points = {act_found.span: act_found.points for act_found in acts if act_found.act is act}
    spans = [span for sentence in reading.sentences for span in clauses(reading.turn.content, sentence, MAX_CLAUSE)]
    span = max(spans, key=lambda act_found: _nearness(reading, act_found, points))
    more = min(int(score * _POINTS_A_UNIT), _MOST_POINTS)
    other_acts = [act_found for act_found in acts if act_found.act is not act or act_found.span != span]
    return [*other_acts, Found(act, ENOUGH + more, span, HEAD)]


def _doubted(act: Found) -> Found:
    return replace(act, points=min(act.points, PERHAPS))


def _nearness(reading: Reading, span: Span, points: Mapping[Span, int]) -> tuple[int, int, int]:
    return points.get(span, 0), len(reading.facts.within(span.start, span.end)), span.end - span.start
