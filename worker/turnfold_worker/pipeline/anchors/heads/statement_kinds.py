"""Classifier for the kind of statement a clause makes: a limit, a standing order, a preference, a decision.

Multinomial logistic regression over stems and stem bigrams. `benchmarks/train_statement_kinds.py` fits it to invented,
labelled sentences and writes the weights next to this module. It catches what fixed phrases miss: "the office closes at
noon and takes nothing late".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.bounded_memo import remembers_clauses
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType
from turnfold.contract.terms import STEMS

KINDS: Final = ("constraint", "instruction", "preference", "decision", "fact", "commitment", "none")
"""Class names, in the order of the weights."""
WEIGHTS_FILE: Final = "statement_kinds.json"
WEIGHT_SCALE: Final = 100
"""Stored weight per unit of log-odds."""
JUDGED: Final = (AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.PREFERENCE, AnchorType.DECISION)
"""The first of `KINDS`, as anchor types; rules are more reliable for the others."""
_LASTING: Final = JUDGED[:3]
"""Kinds that hold from now on; the margin compares them as a group with the others."""
_START, _END, _NUMBER = "^", "$", "0"
_CANNOT: Final = lazy_pattern(r"can(?:'t|not)(?!\w)")
_WONT: Final = lazy_pattern(r"won't(?!\w)")
_NOT: Final = lazy_pattern(r"n't(?!\w)")
_TOKEN: Final = lazy_pattern(r"[a-z]+|'[a-z]+|\d[\d.,:]*|[?!]", re.ASCII)


class Judgement(NamedTuple):
    """The judgement of a clause, in hundredths of a unit of log-odds."""

    kind: AnchorType
    """The likeliest of `JUDGED`."""
    margin: int
    """Lead over the best rival; for lasting kinds the best non-lasting one. Negative if the rival leads."""


class Weights(NamedTuple):
    """Weights for each of `KINDS`, in hundredths of a unit of log-odds."""

    bias: Sequence[int]
    by_feature: Mapping[str, Sequence[int]]


@remembers_clauses
def judged(statement: str) -> Judgement:
    """Return the likeliest kind of a clause normalized by `plain_words`."""
    return judged_by(_weights(), statement)


def judged_by(weights: Weights, statement: str) -> Judgement:
    """Return the likeliest kind by the given weights; integer sums make it equal on every machine."""
    features = weights.by_feature.keys() & set(features_of(statement))
    rows = [weights.by_feature[feature] for feature in features]
    scores = [sum(column) for column in zip(weights.bias, *rows, strict=True)]
    likeliest = max(range(len(JUDGED)), key=scores.__getitem__)
    lasts = likeliest < len(_LASTING)
    rivals = scores[len(_LASTING) :] if lasts else scores[:likeliest] + scores[likeliest + 1 :]
    return Judgement(JUDGED[likeliest], scores[likeliest] - max(rivals))


def features_of(statement: str) -> Iterator[str]:
    """Yield the stems of a normalized clause and its stem bigrams, with markers for both ends."""
    words = _TOKEN.findall(_NOT.sub(" not", _CANNOT.sub("can not", _WONT.sub("will not", statement))))
    stems = [_START, *map(_stem, words), _END]
    yield from stems[1:-1]
    for left, right in pairwise(stems):
        yield f"{left} {right}"


def _stem(token: str) -> str:
    return _NUMBER if token[0].isdigit() else STEMS[token]


@cache
def _weights() -> Weights:
    return Weights(**json.loads((files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8")))
