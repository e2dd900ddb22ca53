"""Train the head of the anchors on public labelled talk, and write its weights into the pipeline.

    python benchmarks/train_anchor_head.py DATA                 write worker/…/pipeline/anchor_weights.py
    python benchmarks/train_anchor_head.py DATA --tables        write nothing; print what it brings to other talks
    python benchmarks/train_anchor_head.py DATA --keep FOLDER   keep the sentence vectors there for the next time

DATA holds `ami.jsonl`, `mrda.jsonl` and `email.jsonl`: a conversation a line, `turns` of `speaker` and
`text`, `anchors` of `type` and `turn`, perhaps `ignore` (turns without labels) and `group` (conversations that belong
together). Their licences allow it; NOTICE names them. Needs `turnfold-worker[semantic]` and scikit-learn, and takes
some ten minutes. The table is of a five-fold cross-validation by conversation. Equal data, code and processor make
equal weights.
"""

from __future__ import annotations

import argparse
import json
from base64 import b85encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from anchor_system import readings_of
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from turnfold.contract.vectors import SCALE, Vector
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder
from turnfold_worker.pipeline.act_rules import Act
from turnfold_worker.pipeline.acts import ENOUGH
from turnfold_worker.pipeline.anchor_evidence import evidence_of
from turnfold_worker.pipeline.anchor_head import JUDGED, WINDOWS
from turnfold_worker.pipeline.anchors import segment_acts

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/anchor_weights.py"
FOLDS: Final = 5
OTHERS_KEPT: Final = 0.4
"""Share of the turns without the act that is learned from where they are many; each stands for those left out."""
MANY: Final = 10_000
TOLD: Final = 3.0
"""A unit vector is made this much longer, so that one penalty suits it and the evidence."""
DECIMALS: Final = 2
_LARGEST: Final = 127
_NUMBERS: Final = 384


@dataclass(frozen=True)
class Recipe:
    """What the head of an act is learned from, and what it looks at."""

    sets: tuple[str, ...]
    evidence: tuple[str, ...]
    """Windows."""
    directions: tuple[str, ...]
    strength: float
    """Inverse of the penalty on large weights."""
    least: float = 0.0
    """The lowest score that may be enough: 0 is as likely as not."""


RECIPES: Final = {
    Act.COMMITMENT: Recipe(
        ("ami", "mrda"),
        tuple(WINDOWS),
        ("turn", "three before", "three after", "ten before", "ten after"),
        0.5,
        least=-3.0,
    ),
    Act.REQUEST: Recipe(("email",), ("turn",), ("turn",), 0.15),
}


@dataclass(frozen=True)
class Talk:
    """A conversation of a set, read."""

    group: str
    evidence: Sequence[Mapping[str, float]]
    vectors: np.ndarray
    """(turns, 384), of unit length about."""
    judged: np.ndarray
    """The head may speak of the turn, and it has labels."""
    scored: np.ndarray
    """It has labels."""
    by_rule: np.ndarray
    true: np.ndarray


@dataclass(frozen=True)
class Examples:
    """The turns of a set that have labels."""

    columns: np.ndarray
    groups: np.ndarray
    judged: np.ndarray
    by_rule: np.ndarray
    true: np.ndarray


def vectors_of(name: str, texts: Sequence[str], keep: Path | None, embedder: SentenceTransformerEmbedder) -> np.ndarray:
    """Stored vectors of texts as numbers, zeros where one has none; read from `keep` if they are there."""
    file = keep / f"{name}.npy" if keep else None
    if file is not None and file.exists():
        return np.load(file)
    found = np.array([_numbers(vector) for vector in embedder.embed(texts)])
    if file is not None:
        np.save(file, found)
    return found


def _numbers(vector: Vector) -> np.ndarray:
    return np.frombuffer(vector, np.int8) if vector else np.zeros(_NUMBERS, np.int8)


def read_set(data: Path, name: str, act: Act, keep: Path | None, embedder: SentenceTransformerEmbedder) -> list[Talk]:
    """The conversations of a set: each as one segment."""
    rows = [json.loads(line) for line in (data / f"{name}.jsonl").open(encoding="utf-8")]
    vectors = vectors_of(name, [turn["text"] for row in rows for turn in row["turns"]], keep, embedder)
    talks: list[Talk] = []
    start = 0
    for row in rows:
        readings = readings_of(row["turns"])
        acts = segment_acts(readings)
        end = start + len(readings)
        scored = np.ones(len(readings), bool)
        scored[row.get("ignore", [])] = False
        true = np.zeros(len(readings), bool)
        true[[one["turn"] for one in row["anchors"] if one["type"] == act.value]] = True
        talks.append(
            Talk(
                group=row.get("group", row["id"]),
                evidence=evidence_of(readings, acts),
                vectors=vectors[start:end].astype(np.float32) / SCALE * TOLD,
                judged=np.array(JUDGED[act](readings)) & scored,
                scored=scored,
                by_rule=np.array([any(one.act is act and one.points >= ENOUGH for one in found) for found in acts]),
                true=true,
            )
        )
        start = end
    return talks


def window_means(values: np.ndarray, window: str) -> np.ndarray:
    """As the head takes them: the mean over the turns of a window, zeros where it has none."""
    first, last = WINDOWS[window]
    count = len(values)
    totals = np.vstack([np.zeros((1, values.shape[1]), np.float64), np.cumsum(values, axis=0, dtype=np.float64)])
    places = np.arange(count)
    low, high = np.clip(places + first, 0, count), np.clip(places + last + 1, 0, count)
    return ((totals[high] - totals[low]) / np.maximum(high - low, 1)[:, None]).astype(np.float32)


def columns_of(recipe: Recipe, sets: Mapping[str, Sequence[Talk]]) -> list[tuple[str, str]]:
    """Window and name of each column of evidence; rules count in the turn itself."""
    names = sorted({name for talks in sets.values() for talk in talks for one in talk.evidence for name in one})
    return [(window, name) for window in recipe.evidence for name in names if window == "turn" or name[:5] != "rule "]


def examples(talks: Sequence[Talk], recipe: Recipe, columns: Sequence[tuple[str, str]]) -> Examples:
    """The labelled turns of some talks as rows of numbers: evidence, then vectors."""
    rows: list[np.ndarray] = []
    for talk in talks:
        parts: list[np.ndarray] = []
        for window in recipe.evidence:
            names = [name for at, name in columns if at == window]
            table = np.array([[one.get(name, 0.0) for name in names] for one in talk.evidence], np.float32)
            parts.append(window_means(table, window))
        parts += [window_means(talk.vectors, window) for window in recipe.directions]
        rows.append(np.hstack(parts)[talk.scored])
    return Examples(
        columns=np.vstack(rows),
        groups=np.concatenate([[talk.group] * int(talk.scored.sum()) for talk in talks]),
        judged=np.concatenate([talk.judged[talk.scored] for talk in talks]),
        by_rule=np.concatenate([talk.by_rule[talk.scored] for talk in talks]),
        true=np.concatenate([talk.true[talk.scored] for talk in talks]),
    )


def trained(sets: Sequence[tuple[Examples, np.ndarray]], strength: float) -> tuple[np.ndarray, float]:
    """Weights and bias from the chosen rows of some sets, as far as the head judges them."""
    chance = np.random.default_rng(0)
    columns, true, weights = [], [], []
    for one, chosen in sets:
        rows = chosen[one.judged[chosen]]
        share = OTHERS_KEPT if len(rows) > MANY else 1.0
        rows = rows[one.true[rows] | (chance.random(len(rows)) < share)]
        columns.append(one.columns[rows])
        true.append(one.true[rows])
        weights.append(np.where(one.true[rows], 1.0, 1 / share))
    model = LogisticRegression(C=strength, max_iter=200)
    model.fit(np.vstack(columns), np.concatenate(true), sample_weight=np.concatenate(weights))
    return model.coef_[0], float(model.intercept_[0])


def f1(found: np.ndarray, true: np.ndarray) -> float:
    """Harmonic mean of precision and recall."""
    return 2 * float((found & true).sum()) / max(int(found.sum() + true.sum()), 1)


def with_rules(one: Examples, scores: np.ndarray, least: float) -> np.ndarray:
    """Turns that have the act by a rule or by the head."""
    return one.by_rule | (one.judged & (scores > least))


def best_threshold(recipe: Recipe, sets: Sequence[tuple[Examples, np.ndarray, np.ndarray]]) -> float:
    """The score from which the head helps most on average and hurts no set; the last array of a set chooses rows."""
    best, at = 0.0, 9.0
    for least in np.arange(recipe.least, 3, 0.1):
        gains = [
            f1(with_rules(one, scores, least)[rows], one.true[rows]) - f1(one.by_rule[rows], one.true[rows])
            for one, scores, rows in sets
        ]
        if min(gains) >= 0 and sum(gains) > best:
            best, at = sum(gains), round(float(least), 1)
    return at


def judge(act: Act, recipe: Recipe, sets: Mapping[str, Examples]) -> float:
    """Print what the head brings to talks that it was not trained on; the threshold that serves best."""
    scores = {name: np.zeros(len(one.true)) for name, one in sets.items()}
    folds = {name: list(GroupKFold(FOLDS).split(one.columns, one.true, one.groups)) for name, one in sets.items()}
    for fold in range(FOLDS):
        weights, bias = trained([(one, folds[name][fold][0]) for name, one in sets.items()], recipe.strength)
        for name, one in sets.items():
            rows = folds[name][fold][1]
            scores[name][rows] = one.columns[rows] @ weights + bias
    found = {name: np.zeros(len(one.true), bool) for name, one in sets.items()}
    for fold in range(FOLDS):
        least = best_threshold(recipe, [(one, scores[name], folds[name][fold][0]) for name, one in sets.items()])
        for name, one in sets.items():
            rows = folds[name][fold][1]
            found[name][rows] = with_rules(one, scores[name], least)[rows]
    for name, one in sets.items():
        print(
            f"| {name}, {act.value} | {f1(one.by_rule, one.true):.3f} | {f1(found[name], one.true):.3f} |", flush=True
        )
    return best_threshold(recipe, [(one, scores[name], np.arange(len(one.true))) for name, one in sets.items()])


def head(
    recipe: Recipe, sets: Mapping[str, Examples], columns: Sequence[tuple[str, str]], least: float
) -> dict[str, Any]:
    """A head as it is written: rounded weights, directions as signed bytes in base 85."""
    weights, bias = trained([(one, np.arange(len(one.true))) for one in sets.values()], recipe.strength)
    evidence: dict[str, dict[str, float]] = {window: {} for window in recipe.evidence}
    for (window, name), weight in zip(columns, np.round(weights[: len(columns)], DECIMALS), strict=True):
        if weight:
            evidence[window][name] = float(weight)
    directions = {}
    for window, direction in zip(recipe.directions, weights[len(columns) :].reshape(-1, _NUMBERS), strict=True):
        step = float(np.abs(direction).max()) / _LARGEST
        packed = np.round(direction / step).astype(np.int8).tobytes()
        directions[window] = (round(step * TOLD, 6), b85encode(packed).decode())
    return {"bias": round(bias - least, DECIMALS), "evidence": evidence, "directions": directions}


_LINE: Final = 96
_HEADER: Final = '''"""Weights of the anchors' head: written by `python benchmarks/train_anchor_head.py`, not by hand.

Learned from labelled turns of public talk, none of which is part of this project; worker/NOTICE names whose.
"""

from __future__ import annotations

from typing import Any, Final

HEADS: Final[dict[str, dict[str, Any]]] = {
'''


def written(heads: Mapping[Act, Mapping[str, Any]]) -> str:
    """The module with the weights."""
    lines: list[str] = []
    for act, one in heads.items():
        lines += [f'    "{act.value}": {{', f'        "bias": {one["bias"]},', '        "evidence": {']
        for window, weights in one["evidence"].items():
            lines += [f'            "{window}": {{']
            lines += [f'                "{name}": {weight},' for name, weight in weights.items()]
            lines += ["            },"]
        lines += ["        },", '        "directions": {']
        for window, (factor, packed) in one["directions"].items():
            lines += [f'            "{window}": (', f"                {factor},", "                ("]
            lines += [f'                    "{packed[at : at + _LINE]}"' for at in range(0, len(packed), _LINE)]
            lines += ["                ),", "            ),"]
        lines += ["        },", "    },"]
    return _HEADER + "\n".join([*lines, "}"]) + "\n"


def main() -> None:
    """Train and write, or say how well it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with the labelled sets")
    parser.add_argument("--tables", action="store_true", help="print the tables and write nothing")
    parser.add_argument("--keep", type=Path, help="folder in which sentence vectors are kept")
    arguments = parser.parse_args()
    embedder = SentenceTransformerEmbedder()
    heads = {}
    print("| set, act | F1 by rules | with the head |\n|---|--:|--:|", flush=True)
    for act, recipe in RECIPES.items():
        talks = {name: read_set(arguments.data, name, act, arguments.keep, embedder) for name in recipe.sets}
        columns = columns_of(recipe, talks)
        sets = {name: examples(some, recipe, columns) for name, some in talks.items()}
        least = judge(act, recipe, sets)
        heads[act] = head(recipe, sets, columns, least)
    if not arguments.tables:
        TARGET.write_text(written(heads), encoding="utf-8")
        print(f"written: {TARGET}", flush=True)


if __name__ == "__main__":
    main()
