"""Fit the weights that classify clauses as limits, standing orders, tastes, decisions and the like.

python benchmarks/train_statement_kinds.py            write worker/…/pipeline/anchors/heads/statement_kinds.json
python benchmarks/train_statement_kinds.py --table    write nothing; print precision and recall on unseen authors

Multinomial logistic regression on `labelled_sentences`. Needs scikit-learn. Equal sentences make equal weights on one
machine.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from labelled_sentences import LabelledSentence, labelled_sentences
from labelled_talk import labelled_talks
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from turnfold_worker.pipeline.anchors.heads.statement_kinds import (
    JUDGED,
    KINDS,
    WEIGHT_SCALE,
    WEIGHTS_FILE,
    Judgement,
    Weights,
    features_of,
    judged_by,
)
from turnfold_worker.pipeline.language.spoken import plain_words

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/anchors/heads" / WEIGHTS_FILE
LEAST_USES: Final = 3
"""Sentences that must contain a feature before it gets a weight."""
INVERSE_PENALTY: Final = 1.0
LEAST_WEIGHT: Final = 15
"""Minimum absolute value of a kept feature's largest weight, in the unit of the weights."""
MARGINS: Final = (0, 50, 100, 150, 200, 300)
"""Margins of the table, in the unit of the weights."""
ASSISTANTS: Final = frozenset({"assistant", "tool"})
"""Speakers whose clauses the head does not judge."""

MISSED_BY_NOBODY: Final = 1
"""The highest label of clauses of `labelled_talk` that serve as negative examples."""
TALKS: Final = 5
"""Parts of `labelled_talk`, each judged by weights fitted to the others."""


def examples() -> list[LabelledSentence]:
    """Return people's sentences, with clauses of assistants, and those not worth missing, as negative examples."""
    sentences = [
        sentence if sentence.speaker.lower() not in ASSISTANTS else sentence._replace(kind="none")
        for sentence in labelled_sentences()
    ]
    for number, talk in enumerate(labelled_talks()):
        for turn in talk:
            sentences.extend(
                LabelledSentence(
                    turn.content[clause.start : clause.end], "none", f"talk {number % TALKS}", turn.speaker
                )
                for clause in turn.clauses
                if clause.label <= MISSED_BY_NOBODY
            )
    return sentences


def fitted(chosen: Sequence[LabelledSentence]) -> Weights:
    """Return the weights that classify the given sentences."""
    features = [set(features_of(plain_words(sentence.text))) for sentence in chosen]
    uses = Counter(name for names in features for name in names)
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_transform([{name: 1.0 for name in names if uses[name] >= LEAST_USES} for names in features])
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=1_000, tol=1e-5)
    model.fit(rows, [sentence.kind for sentence in chosen])
    order = [list(model.classes_).index(kind) for kind in KINDS]
    scaled = np.rint(model.coef_[order] * WEIGHT_SCALE).astype(int)
    tells = np.abs(scaled).max(axis=0) >= LEAST_WEIGHT
    names = vectorizer.get_feature_names_out()
    return Weights(
        [round(float(model.intercept_[place]) * WEIGHT_SCALE) for place in order],
        {name: scaled[:, place].tolist() for place, name in enumerate(names) if tells[place]},
    )


def table(chosen: Sequence[LabelledSentence]) -> str:
    """Return recall and precision of each kind, by margin, on unseen authors, and the false positives in talk."""
    judgements: list[tuple[str, Judgement]] = []
    for author in sorted({sentence.author for sentence in chosen}):
        weights = fitted([sentence for sentence in chosen if sentence.author != author])
        judgements.extend(
            (sentence.kind, judged_by(weights, plain_words(sentence.text)))
            for sentence in chosen
            if sentence.author == author
        )
    kinds = [kind for kind, _ in judgements]
    lines = ["margin  " + "".join(f"{kind:>16}" for kind in JUDGED) + f"{'of the others':>16}"]
    for margin in MARGINS:
        believed = [(kind, judgement.kind) for kind, judgement in judgements if judgement.margin >= margin]
        cells = []
        for judged_kind in JUDGED:
            labels = [kind for kind, believed_kind in believed if believed_kind is judged_kind]
            right = labels.count(judged_kind)
            cells.append(f"{right / kinds.count(judged_kind):.2f} / {right / max(1, len(labels)):.2f}")
        talk = sum(kind == KINDS[-1] for kind, _ in believed) / kinds.count(KINDS[-1])
        lines.append(f"{margin:6}  " + "".join(f"{cell:>16}" for cell in cells) + f"{talk:16.3f}")
    return "\n".join(lines)


def main() -> None:
    """Fit, then write or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="write nothing, print what is found of unseen authors")
    chosen = examples()
    if parser.parse_args().table:
        print(table(chosen))
        return
    weights = fitted(chosen)
    by_feature = sorted(weights.by_feature.items())
    lines = [f"  {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in by_feature]
    TARGET.write_text(
        f'{{"bias": {json.dumps(weights.bias)}, "by_feature": {{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8"
    )
    print(f"{TARGET}: {len(lines)} features, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
