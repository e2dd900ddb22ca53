"""Fit the weights by which clauses are told apart that set a limit, give an order that stands or tell of a taste.

    python benchmarks/train_statement_kinds.py            write worker/…/pipeline/anchors/heads/statement_kinds.json
    python benchmarks/train_statement_kinds.py --table    write nothing; print what is found of authors it has not seen

Multinomial logistic regression on `labelled_sentences`. Needs scikit-learn. Equal sentences make equal weights.
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
    KINDS,
    STANDING,
    WEIGHT_SCALE,
    WEIGHTS_FILE,
    features_of,
)
from turnfold_worker.pipeline.language.spoken import plain_words

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/anchors/heads" / WEIGHTS_FILE
LEAST_USES: Final = 3
"""Sentences that hold a feature before it has a weight."""
INVERSE_PENALTY: Final = 1.0
LEAST_WEIGHT: Final = 15
"""The greatest weight of a feature that is kept, in the unit of the weights."""
MARGINS: Final = (0, 50, 100, 150, 200, 300)
"""Of the table, in the unit of the weights."""
ASSISTANTS: Final = frozenset({"assistant", "tool"})
"""Speakers whose clauses the head does not judge."""

MISSED_BY_NOBODY: Final = 1
"""The highest label of clauses of `labelled_talk` that state nothing of the kind."""
TALKS: Final = 5
"""Parts of `labelled_talk`, each judged by what is fitted to the others."""

Weights = dict[str, list[int]]


def examples() -> list[LabelledSentence]:
    """What people say; as examples of what is none an assistant's clauses, too, and those that nobody would miss."""
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


def fitted(chosen: Sequence[LabelledSentence]) -> tuple[list[int], Weights]:
    """The bias and the weights of each feature, in the order of `KINDS`."""
    features = [set(features_of(plain_words(sentence.text))) for sentence in chosen]
    uses = Counter(name for one in features for name in one)
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_transform([{name: 1.0 for name in one if uses[name] >= LEAST_USES} for one in features])
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=1_000, tol=1e-5)
    model.fit(rows, [sentence.kind for sentence in chosen])
    order = [list(model.classes_).index(kind) for kind in KINDS]
    scaled = np.rint(model.coef_[order] * WEIGHT_SCALE).astype(int)
    bias = [round(float(model.intercept_[place]) * WEIGHT_SCALE) for place in order]
    names = vectorizer.get_feature_names_out()
    tells = np.abs(scaled).max(axis=0) >= LEAST_WEIGHT
    return bias, {name: scaled[:, place].tolist() for place, name in enumerate(names) if tells[place]}


def table(chosen: Sequence[LabelledSentence]) -> str:
    """Recall of standing statements and share of the others taken for one, by margin, of authors not fitted to."""
    judgements: list[tuple[LabelledSentence, str, int]] = []
    for author in sorted({sentence.author for sentence in chosen}):
        bias, weights = fitted([sentence for sentence in chosen if sentence.author != author])
        judgements.extend(
            (sentence, *judgement(bias, weights, sentence.text)) for sentence in chosen if sentence.author == author
        )
    lines = ["margin   found  of its kind   " + "   ".join(f"{kind} taken" for kind in KINDS[len(STANDING) :])]
    for margin in MARGINS:
        taken = [(sentence, kind) for sentence, kind, sure in judgements if sure >= margin]
        standing = [sentence for sentence, *_ in judgements if sentence.kind in STANDING]
        found = sum(sentence.kind in STANDING for sentence, _ in taken) / len(standing)
        exact = sum(sentence.kind == kind for sentence, kind in taken) / len(standing)
        wrong = [
            sum(sentence.kind == other for sentence, _ in taken) / sum(sentence.kind == other for sentence in chosen)
            for other in KINDS[len(STANDING) :]
        ]
        lines.append(f"{margin:6} {found:7.3f} {exact:12.3f}   " + "   ".join(f"{share:10.3f}" for share in wrong))
    return "\n".join(lines)


def judgement(bias: Sequence[int], weights: Weights, text: str) -> tuple[str, int]:
    """As `judged`, by other weights."""
    rows = [weights[name] for name in set(features_of(plain_words(text))) if name in weights]
    scores = [sum(column) for column in zip(bias, *rows, strict=True)]
    standing = max(range(len(STANDING)), key=scores.__getitem__)
    return STANDING[standing], scores[standing] - max(scores[len(STANDING) :])


def main() -> None:
    """Fit, and write or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="write nothing, print what is found of unseen authors")
    chosen = examples()
    if parser.parse_args().table:
        print(table(chosen))
        return
    bias, weights = fitted(chosen)
    lines = [f"  {json.dumps(name)}: {json.dumps(weights[name], separators=(',', ':'))}" for name in sorted(weights)]
    TARGET.write_text(f'{{"bias": {json.dumps(bias)}, "weights": {{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8")
    print(f"{TARGET}: {len(weights)} features, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
