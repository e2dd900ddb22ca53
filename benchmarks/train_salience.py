"""Fit the weights that tell clauses a reader would miss from those that a reader would not.

python benchmarks/train_salience.py            write worker/…/pipeline/notes/salience.json
python benchmarks/train_salience.py --table    write nothing; print the fit to unseen talks

Ridge regression on `labelled_talk`. Needs scikit-learn. Equal talk and code make equal weights.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import anchor_system
import numpy as np
from labelled_talk import LabelledClause, LabelledTurn, labelled_talks
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from turnfold.contract.records import Role
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.notes.salience import WEIGHT_SCALE, WEIGHTS_FILE, features_of
from turnfold_worker.pipeline.notes.turn_notes import noted
from turnfold_worker.pipeline.turns.reading import Reading

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/notes" / WEIGHTS_FILE
VALUES: Final = (0.0, 0.15, 0.7, 1.0)
"""Target value of a clause, by its label."""
LEAST_USES: Final = 10
"""Clauses that must contain a word before it gets a weight of its own: weights of rarer ones do not generalize."""
PENALTY: Final = 20.0
FOLDS: Final = 5
ASSISTANT: Final = "assistant"
"""Feature of an assistant's clauses: fitted, so that assistants' repetition lowers no other weight, then dropped."""
_LEAST_SHARED: Final = 6
"""Code points that a clause must share with a labelled one to inherit its value."""


class Example(NamedTuple):
    """A clause's features, its target value, and the number of its talk."""

    features: dict[str, float]
    value: float
    talk: int
    worth: int
    """Its current salience, in hundredths."""


def examples() -> Iterator[Example]:
    """Yield the clauses that notes are made of, in all talks."""
    for number, talk in enumerate(labelled_talks()):
        replies = False
        for turn, reading in zip(talk, readings_of(talk), strict=True):
            place = 0
            for note, said in noted([reading]):
                value = value_of(Span(note.start, note.end), turn.clauses)
                if value is None:
                    continue
                features = dict(features_of(said, place=place, replies=replies))
                yield Example(features | {ASSISTANT: float(note.role == Role.ASSISTANT)}, value, number, note.worth)
                place += 1
            replies = "?" in turn.content[-60:]


def readings_of(talk: Sequence[LabelledTurn]) -> list[Reading]:
    """Read the turns as a fold does."""
    return anchor_system.readings_of([{"speaker": turn.speaker, "text": turn.content} for turn in talk])


def value_of(span: Span, clauses: Sequence[LabelledClause]) -> float | None:
    """Return the midpoint of mean and maximum of a note's labelled clauses; None if it has none."""
    shared = [(min(span.end, one.end) - max(span.start, one.start), VALUES[one.label]) for one in clauses]
    shared = [(letters, value) for letters, value in shared if letters > 0]
    if not shared:
        return None
    mean = sum(letters * value for letters, value in shared) / sum(letters for letters, _ in shared)
    return (mean + max((value for letters, value in shared if letters > _LEAST_SHARED), default=0.0)) / 2


def fitted(chosen: Sequence[Example]) -> dict[str, float]:
    """Return the weight of each feature."""
    uses = Counter(name for one in chosen for name in one.features)
    rows = [{name: v for name, v in one.features.items() if _is_learned(name, uses)} for one in chosen]
    vectorizer = DictVectorizer()
    model = Ridge(PENALTY, fit_intercept=False).fit(vectorizer.fit_transform(rows), [one.value for one in chosen])
    return dict(zip(vectorizer.get_feature_names_out(), model.coef_, strict=True))


def _is_learned(name: str, uses: Counter[str]) -> bool:
    return not name.startswith("=") or uses[name] >= LEAST_USES


def table(chosen: Sequence[Example]) -> str:
    """Return rank correlation and explained variance over talks that the weights were not fitted to."""
    values = np.array([one.value for one in chosen])
    told = np.zeros(len(chosen))
    for train, test in GroupKFold(FOLDS).split(values, groups=[one.talk for one in chosen]):
        weights = fitted([chosen[i] for i in train])
        told[test] = [sum(v * weights.get(name, 0.0) for name, v in chosen[i].features.items()) for i in test]
    explained = 1 - ((told - values) ** 2).sum() / ((values - values.mean()) ** 2).sum()
    return f"{len(chosen)} clauses: rank correlation {_rank_correlation(told, values):.3f}, R² {explained:.3f}"


def _rank_correlation(left: np.ndarray, right: np.ndarray) -> float:
    return float(np.corrcoef(_ranks(left), _ranks(right))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks, with the mean rank for equal values."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])


def main() -> None:
    """Fit, then write or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="write nothing, print how well unseen talks are told")
    chosen = list(examples())
    if parser.parse_args().table:
        print(table(chosen))
        return
    weights = {name: round(WEIGHT_SCALE * weight) for name, weight in fitted(chosen).items()}
    del weights[ASSISTANT]
    lines = [f"  {json.dumps(name)}: {weight}" for name, weight in sorted(weights.items()) if weight]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{TARGET}: {len(lines)} weights")


if __name__ == "__main__":
    main()
