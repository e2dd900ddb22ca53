"""What the rules miss: a small head for an act adds it to the turns of a segment, and may doubt what the rules found.

A head is a weighted sum over a turn and its neighbours in the segment, of its `evidence` and perhaps of their sentence
vectors. `benchmarks/train_anchor_head.py` learns the weights; talk such as they were learned from is the only
talk that they judge (`JUDGED`). They stand in a file beside this module; worker/NOTICE names whose talk it was.
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
"""First and last turn of what is looked at around a turn, counted from it; of several the mean counts."""
WEIGHTS_FILE: Final = "heads.json"
HEAD: Final = "head"
"""The rule that an added act names."""

_GROUP: Final = 3
_A_WORD_OR_TWO: Final = 2
_POINTS_A_UNIT: Final = 10
_MOST_POINTS: Final = 20
"""Points above `ENOUGH` that the head gives at most: what a rule is sure of counts more."""


def in_a_group(readings: Sequence[Reading]) -> list[bool]:
    """Everybody's turns where more than two people talk, but those of a word or two."""
    people = {reading.speaker for reading in readings if not reading.tool}
    several = len(people) >= _GROUP
    return [several and not reading.tool and len(reading.turn.content.split()) > _A_WORD_OR_TWO for reading in readings]


def alone(readings: Sequence[Reading]) -> list[bool]:
    """A user's turns where nobody else speaks, as in mail and notes."""
    people = {reading.speaker for reading in readings if not reading.tool}
    return [len(people) == 1 and reading.turn.role is Role.USER and not reading.tool for reading in readings]


JUDGED: Final[Mapping[Act, Callable[[Sequence[Reading]], list[bool]]]] = {
    Act.COMMITMENT: in_a_group,
    Act.REQUEST: alone,
}
"""The turns that the head of an act judges: talk such as it was trained on."""
IN_RUNS: Final = frozenset({Act.COMMITMENT})
"""Acts that come in runs, as who gives out work gives it to several.

Turns that a head finds in a run uphold each other; one by itself must be surer. Many of them cast doubt on what else
the rules found in the segment: where work is given out, "I'll put that on the next page" is no task.
"""
RUN: Final = 3
"""Turns that make a run, where the first and the last lie at most `NEAR` turns from the one that is looked at."""
NEAR: Final = 30
BY_ITSELF: Final = 0.6
"""The score from which a turn outside a run is found."""
MANY: Final = 5
"""Turns found in a segment from which what the head does not find there is in doubt."""


@dataclass(frozen=True, slots=True)
class Head:
    """The weights of one head."""

    act: Act
    bias: float
    evidence: Mapping[str, Mapping[str, float]]
    """By window, then by name of evidence."""
    directions: Mapping[str, tuple[float, Sequence[int]]]
    """By window, what the product of a turn's vector and these numbers is multiplied by, and the numbers."""


@cache
def heads() -> tuple[Head, ...]:
    """The heads as they are shipped."""
    stored = json.loads((files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8"))
    return tuple(map(head_from, stored.values()))


def head_from(given: Mapping[str, Any]) -> Head:
    """A head as it is stored: a signed byte a weight, in base 85."""
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
    """The acts of each turn of a segment, with those that a head finds in turns in which the rules found none.

    What is in doubt falls to `PERHAPS` points. `vectors` are sentence vectors by the number of the turn; one without is
    not judged by a head that looks at them.
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
    """Those of some turns, in ascending order, that have others of them near on either side, enough for a run."""
    return frozenset(at for at in sure if bisect_right(sure, at + NEAR) - bisect_left(sure, at - NEAR) >= RUN)


def scores_of(head: Head, evidence: Sequence[Mapping[str, float]], vectors: Sequence[Vector]) -> list[float]:
    """How sure the head is of each turn; above 0 is enough."""
    scores = [head.bias] * len(evidence)
    for window, weights in head.evidence.items():
        _add_window(scores, [_weighed(about_turn, weights) for about_turn in evidence], window)
    for window, (factor, direction) in head.directions.items():
        _add_window(scores, [_along(vector, direction) * factor for vector in vectors], window)
    return scores


def _weighed(evidence: Mapping[str, float], weights: Mapping[str, float]) -> float:
    # `sum` rounds otherwise from one version of Python to the next.
    return fsum(weights.get(name, 0.0) * much for name, much in evidence.items())


def _along(vector: Vector, direction: Sequence[int]) -> int:
    """0 for no vector and for one of another model."""
    return sum(map(mul, numbers_of(vector), direction)) if len(vector) == len(direction) else 0


def _add_window(scores: list[float], values: Sequence[float], window: str) -> None:
    first, last = WINDOWS[window]
    for at in range(len(scores)):
        inside = values[max(at + first, 0) : max(at + last + 1, 0)]
        if inside:
            scores[at] += fsum(inside) / len(inside)


def _added(reading: Reading, acts: Sequence[Found], act: Act, score: float) -> list[Found]:
    """With the act in the clause that comes nearest to it: by the rules' points, by what it states, by its length."""
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
