"""Scores how likely a gap is to be a change of topic, relative to the other gaps of its conversation.

Features are weighted by coefficients that `benchmarks/train_segmenter.py` learns from synthetic conversations and
writes next to this module. Scores of different conversations are not comparable. So a gap is judged by how many
standard deviations its score is above the mean of the scores so far, with the usual mean of its kind of talk as a
prior. The threshold follows from the target length of a segment.
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
"""Maximum number of gaps that a running mean counts; beyond it, older gaps fade."""
_PRIOR: Final = 20
"""Number of gaps that the prior counts for."""
_UNIT: Final = 1_000_000
"""Scores are kept as integers, in millionths, so that storing them does not change them."""
_LARGEST: Final = 1_000 * _UNIT

STANDS_OUT: Final = 0.55
"""Standard deviations per natural logarithm of the target length, as the quantiles of a logistic distribution grow."""
MARGIN: Final = 0.3
"""Standard deviations added to the threshold, because a needless cut harms more than a missing one."""
PULL: Final = 0.6
"""Standard deviations off the threshold per natural logarithm of the open segment's length relative to the target.
Not applied with more than two speakers, because agenda items differ too much in length."""
_FAR: Final = 1.5
"""Bound of that logarithm, in both directions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Coefficients of one variant of the scorer, with the usual distribution of its scores."""

    name: str
    bias: float
    weights: Mapping[str, float]
    wordy: Mapping[str, float]
    """Term added to a coefficient, multiplied by the feature `wordy`."""
    usual: Mapping[str, tuple[float, float]]
    """Mean and standard deviation of scores in talk of user and assistant (`roles`), and in talk among `people`."""


def _stored_forms() -> dict[str, Form]:
    stored = json.loads((files(__package__) / COEFFICIENTS_FILE).read_text(encoding="utf-8"))
    return {name: Form(name=name, **form) for name, form in stored.items()}


_FORMS: Final = _stored_forms()


def form_of(*, semantic: bool, group: bool) -> Form:
    """Select the form for talk with or without sentence vectors, of a group (more than two speakers) or a dialogue."""
    return _FORMS[f"{'semantic' if semantic else 'lexical'}_{'group' if group else 'dialogue'}"]


def score(evidence: Mapping[str, float], form: Form) -> float:
    """Return the weighted sum of the features: the log-odds of a change of topic, up to an offset per conversation."""
    wordy = evidence.get("wordy", 0.0)
    return form.bias + sum(
        (weight + wordy * form.wordy.get(name, 0.0)) * evidence.get(name, 0.0) for name, weight in form.weights.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Running statistics of a conversation's scores, as integers."""

    gaps: int = 0
    """Number of gaps counted, at most `_MEMORY`."""
    mean: int = 0
    """In millionths."""
    variance: int = 0
    """In millionths."""
    form: str = ""
    """Name of the form that computed the scores; statistics of another form are ignored."""

    def seen(self, value: float, form: Form) -> Scores:
        """Return the statistics after one more score."""
        earlier = self if self.form == form.name else Scores(form=form.name)
        gaps = min(earlier.gaps + 1, _MEMORY)
        new = min(max(round(value * _UNIT), -_LARGEST), _LARGEST)
        difference = new - earlier.mean
        mean = earlier.mean + difference // gaps
        variance = earlier.variance + (difference * (new - mean) // _UNIT - earlier.variance) // gaps
        return replace(earlier, gaps=gaps, mean=mean, variance=max(0, variance))

    def outstanding(self, value: float, form: Form, *, roles: bool) -> float:
        """Return by how many standard deviations a score is above the mean."""
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
        """Read stored statistics; invalid ones become those of a new conversation."""
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
    """Return the threshold, in standard deviations, after `length` turns of the open segment for a `target` length."""
    far = min(max(math.log(length / target), -_FAR), _FAR)
    return STANDS_OUT * math.log(max(target - 1, 1)) + MARGIN - (0 if group else PULL * far)
