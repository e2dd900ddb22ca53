"""What kind of statement a clause makes, by its words: a limit, a standing order, a taste or another. Pure.

Multinomial logistic regression over stems and pairs of neighbouring ones. `benchmarks/train_statement_kinds.py` fits it
to invented sentences that carry labels, and writes the weights beside this module. What rules with fixed phrases do not
know is found so: "the auditors will have our heads if that leaves Oslo".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType
from turnfold.contract.remembered import remembers_clauses
from turnfold.contract.terms import STEMS

KINDS: Final = ("constraint", "instruction", "preference", "fact", "decision", "commitment", "none")
"""In the order of the weights."""
WEIGHTS_FILE: Final = "statement_kinds.json"
WEIGHT_SCALE: Final = 100
"""Stored weights are whole numbers, in hundredths of a unit of log-odds."""
STANDING: Final = (AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.PREFERENCE)
"""The first of `KINDS`, as types of anchors."""
_START, _END, _NUMBER = "^", "$", "0"
_TOKEN: Final = lazy_pattern(r"[a-z]+|'[a-z]+|\d[\d.,:]*|[?!]", re.ASCII)


class Judgement(NamedTuple):
    """What a clause states, in hundredths of a unit of log-odds."""

    kind: AnchorType
    """The likeliest of `STANDING`."""
    margin: int
    """By how much it is likelier than what does not stand; below 0 another kind is."""


@remembers_clauses
def judged(statement: str) -> Judgement:
    """What is likeliest of a clause in plain words. The same on every machine: whole numbers are added."""
    bias, weights = _model()
    rows = [weights[feature] for feature in set(features_of(statement)) if feature in weights]
    scores = [sum(column) for column in zip(bias, *rows, strict=True)]
    standing = max(range(len(STANDING)), key=scores.__getitem__)
    return Judgement(STANDING[standing], scores[standing] - max(scores[len(STANDING) :]))


def features_of(statement: str) -> Iterator[str]:
    """Stems of a clause in plain words, and pairs of those that stand side by side, its ends among them."""
    stems = [_START, *map(_stem, _TOKEN.findall(statement.replace("n't", " not").replace("cannot", "can not"))), _END]
    yield from stems[1:-1]
    for left, right in pairwise(stems):
        yield f"{left} {right}"


def _stem(token: str) -> str:
    return _NUMBER if token[0].isdigit() else STEMS[token]


@cache
def _model() -> tuple[Sequence[int], Mapping[str, Sequence[int]]]:
    stored = json.loads((files(__package__) / WEIGHTS_FILE).read_text(encoding="utf-8"))
    return stored["bias"], stored["weights"]
