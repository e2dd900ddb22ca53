"""How likely a gap is to be a change of topic, compared with the other gaps of its conversation.

Evidence is weighed by coefficients that `benchmarks/train_segmenter.py` learns from made talk and writes beside this
module. What a score means differs from talk to talk, so a gap is judged by how far its score stands out from those
seen so far, which begin with what is usual for its kind of talk; and how far it has to stand out follows from the
wanted length of a segment.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Final

COEFFICIENTS_FILE: Final = "coefficients.json"

_MEMORY: Final = 300
"""Gaps over which running means forget."""
_PRIOR: Final = 20
"""Gaps that what is usual counts for."""
_UNIT: Final = 1_000_000
"""Scores are kept in millionths: whole numbers are the same after they were stored."""
_LARGEST: Final = 1_000 * _UNIT

STANDS_OUT: Final = 0.55
"""Standard deviations for each natural logarithm of the wanted length, as quantiles of a logistic distribution grow."""
MARGIN: Final = 0.3
"""More of them, because a needless cut harms more than a missing one."""
PULL: Final = 0.6
"""Standard deviations for each logarithm by which the open segment is longer, or shorter, than wanted; where more than
two people talk none, because items of an agenda differ too much in length."""
_FAR: Final = 1.5
"""Logarithms at which that pull ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Coefficients of one form of the scorer, and what its scores usually are."""

    name: str
    bias: float
    weights: Mapping[str, float]
    wordy: Mapping[str, float]
    """What is added to a coefficient where talk is as wordy as can be, less of it where it is less so."""
    usual: Mapping[str, tuple[float, float]]
    """Mean and standard deviation over all gaps of talk with `roles`, and of talk among `people`."""


def _stored_forms() -> dict[str, Form]:
    stored = json.loads((files(__package__) / COEFFICIENTS_FILE).read_text(encoding="utf-8"))
    return {name: Form(name=name, **form) for name, form in stored.items()}


_FORMS: Final = _stored_forms()


def form_of(*, semantic: bool, group: bool) -> Form:
    """The form for talk with or without sentence vectors, of a group (more than two people) or not."""
    return _FORMS[f"{'semantic' if semantic else 'lexical'}_{'group' if group else 'dialogue'}"]


def score(evidence: Mapping[str, float], form: Form) -> float:
    """The weighed evidence: the log-odds of a change of topic, up to what is usual for the talk."""
    wordy = evidence.get("wordy", 0.0)
    return form.bias + sum(
        (weight + wordy * form.wordy.get(name, 0.0)) * evidence.get(name, 0.0) for name, weight in form.weights.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Running statistics of a conversation's scores, in whole numbers."""

    gaps: int = 0
    """Gaps that count, at most `_MEMORY`."""
    mean: int = 0
    """In millionths."""
    variance: int = 0
    """In millionths."""
    form: str = ""
    """By which form; those of another say nothing."""

    def seen(self, value: float, form: Form) -> Scores:
        """With one more score."""
        earlier = self if self.form == form.name else Scores(form=form.name)
        gaps = min(earlier.gaps + 1, _MEMORY)
        new = min(max(round(value * _UNIT), -_LARGEST), _LARGEST)
        difference = new - earlier.mean
        mean = earlier.mean + difference // gaps
        variance = earlier.variance + (difference * (new - mean) // _UNIT - earlier.variance) // gaps
        return replace(earlier, gaps=gaps, mean=mean, variance=max(0, variance))

    def outstanding(self, value: float, form: Form, *, roles: bool) -> float:
        """Standard deviations by which a score is above the mean."""
        mean, deviation = form.usual["roles" if roles else "people"]
        variance = deviation * deviation
        if self.form == form.name and self.gaps:
            mean = (mean * _PRIOR + self.mean / _UNIT * self.gaps) / (_PRIOR + self.gaps)
            variance = (variance * _PRIOR + self.variance / _UNIT * self.gaps) / (_PRIOR + self.gaps)
        return (value - mean) / math.sqrt(variance)

    def to_json(self) -> dict[str, Any]:
        return {"gaps": self.gaps, "mean": self.mean, "variance": self.variance, "form": self.form}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Scores:
        """What cannot be read is as for a new conversation."""
        gaps, mean, variance = (given.get(name) for name in ("gaps", "mean", "variance"))
        given_form = given.get("form")
        form = given_form if isinstance(given_form, str) and given_form in _FORMS else ""
        if not isinstance(gaps, int) or not isinstance(mean, int) or not isinstance(variance, int):
            return cls()
        return cls(
            gaps=min(max(gaps, 0), _MEMORY), mean=min(max(mean, -_LARGEST), _LARGEST),
            variance=min(max(variance, 0), _LARGEST * 1_000), form=form,
        )  # fmt: skip


def needed(length: int, target: int, *, group: bool) -> float:
    """Standard deviations by which a gap has to stand out after `length` turns where `target` are wanted."""
    far = min(max(math.log(length / target), -_FAR), _FAR)
    return STANDS_OUT * math.log(max(target - 1, 1)) + MARGIN - (0 if group else PULL * far)
