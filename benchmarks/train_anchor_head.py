"""Train the heads of the anchors on public labelled talk, and write their weights into the pipeline.

python benchmarks/train_anchor_head.py DATA                 write worker/…/pipeline/anchors/heads/heads.json
python benchmarks/train_anchor_head.py DATA --tables        write nothing; print the gain on other talks
python benchmarks/train_anchor_head.py DATA --keep FOLDER   keep the sentence vectors there for the next time

DATA contains `ami.jsonl`, `mrda.jsonl` and `email.jsonl`, with a conversation a line: `turns` of `speaker` and `text`,
`anchors` of `type` and `turn`, and optionally `ignore` (turns without labels) and `group` (conversations that belong
together). Their licences permit this use; NOTICE lists them. Needs `turnfold-worker[semantic]` and scikit-learn, and
takes some ten minutes. The tables show five-fold cross-validations by conversation. Equal data, code and CPU make equal
weights.
"""

from __future__ import annotations

import argparse
import json
from base64 import b85encode
from collections import Counter
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
from turnfold_worker.pipeline.anchors.extraction import segment_acts
from turnfold_worker.pipeline.anchors.heads.evidence import WORD, evidence_of
from turnfold_worker.pipeline.anchors.heads.head import BY_ITSELF, IN_RUNS, JUDGED, MANY, WINDOWS, in_runs
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, Act
from turnfold_worker.pipeline.turns.reading import Reading

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/anchors/heads/heads.json"
FOLDS: Final = 5
SPLITS: Final = 4
"""Random splits into folds, because the result of a single one is off by .03."""
_LARGEST: Final = 127
_NUMBERS: Final = 384
LEAST_SPREAD: Final = 0.02
"""Smallest standard deviation that a column is scaled by."""
APART: Final = 1_000_000
"""More turns than any segment has, so that no run continues into the next segment."""
SEGMENT: Final = 30
CUT: Final = f" in segments of {SEGMENT} turns"
NEVER: Final = 9.0
"""A score above that of any turn."""
LOSS: Final = 0.005
"""Largest loss of F1 of a set when the head's threshold is chosen: less than a turn or two."""


@dataclass(frozen=True)
class Recipe:
    """Training data and features of a head."""

    act: Act
    sets: tuple[str, ...]
    """Sets whose turns with the act are positive examples."""
    evidence: tuple[str, ...]
    """Windows of turns."""
    directions: tuple[str, ...]
    strength: float
    """Inverse of the penalty on large weights."""
    others: tuple[str, ...] = ()
    """Further sets that provide only negative examples, and on which the head must not lose."""
    word_weight: float = 1.0
    """Factor of word columns: below 1, phrases and rules matter more."""
    words: int = 0
    """Number of words that are features of their own; they are common in all sets, so that no topic is learned."""


RECIPES: Final = {
    "work given out": Recipe(
        Act.COMMITMENT, ("ami",), tuple(WINDOWS), (), strength=0.015, others=("mrda",), word_weight=0.6, words=400
    ),
    "what a mail asks for": Recipe(Act.REQUEST, ("email",), ("turn",), ("turn",), strength=0.1, words=200),
}
"""Recipes by the name of the head."""


@dataclass(frozen=True)
class Talk:
    """A conversation of a set, as the rules read it."""

    group: str
    readings: Sequence[Reading]
    evidence: list[dict[str, float]]
    vectors: np.ndarray
    """(turns, 384), of roughly unit length; (turns, 0) without an embedder."""
    judged: np.ndarray
    """Turns with labels that the head may judge."""
    scored: np.ndarray
    """Turns with labels."""
    by_rule: np.ndarray
    true: np.ndarray


@dataclass(frozen=True)
class Examples:
    """The labelled turns of a set."""

    columns: np.ndarray
    places: np.ndarray
    """Number of the turn in its segment, plus the segment's number times `APART`."""
    groups: np.ndarray
    judged: np.ndarray
    by_rule: np.ndarray
    true: np.ndarray


def vectors_of(name: str, texts: Sequence[str], keep: Path | None, embedder: SentenceTransformerEmbedder) -> np.ndarray:
    """Return the stored vectors of texts as numbers, zeros for a text without one; read from `keep` if possible."""
    file = keep / f"{name}.npy" if keep else None
    if file is not None and file.exists():
        return np.load(file)
    found = np.array([_numbers(vector) for vector in embedder.embed(texts)])
    if file is not None:
        np.save(file, found)
    return found


def _numbers(vector: Vector) -> np.ndarray:
    return np.frombuffer(vector, np.int8) if vector else np.zeros(_NUMBERS, np.int8)


def read_set(
    data: Path, name: str, act: Act, keep: Path | None, embedder: SentenceTransformerEmbedder | None
) -> list[Talk]:
    """Read the conversations of a set, each as one segment. Without an embedder they have no vectors."""
    rows = [json.loads(line) for line in (data / f"{name}.jsonl").open(encoding="utf-8")]
    texts = [turn["text"] for row in rows for turn in row["turns"]]
    vectors = vectors_of(name, texts, keep, embedder) if embedder else np.zeros((len(texts), 0), np.int8)
    vectors = vectors.astype(np.float32) / SCALE
    talks: list[Talk] = []
    start = 0
    for row in rows:
        end = start + len(row["turns"])
        labelled = np.ones(end - start, bool)
        labelled[row.get("ignore", [])] = False
        true = np.zeros(end - start, bool)
        true[[one["turn"] for one in row["anchors"] if one["type"] == act.value]] = True
        talks.append(
            talk_of(row.get("group", row["id"]), readings_of(row["turns"]), vectors[start:end], labelled, true, act)
        )
        start = end
    return talks


def talk_of(
    group: str, readings: Sequence[Reading], vectors: np.ndarray, scored: np.ndarray, true: np.ndarray, act: Act
) -> Talk:
    """Treat turns as one segment."""
    acts = segment_acts(readings)
    return Talk(
        group=group,
        readings=readings,
        evidence=evidence_of(readings, acts),
        vectors=vectors,
        judged=np.array(JUDGED[act](readings)) & scored,
        scored=scored,
        by_rule=np.array([any(one.act is act and one.points >= ENOUGH for one in found) for found in acts]),
        true=true,
    )


def in_segments(talks: Sequence[Talk], act: Act) -> list[Talk]:
    """Cut talks into segments as a worker that knows no topics would; nothing beyond a segment is seen."""
    return [
        talk_of(
            talk.group, talk.readings[at : at + SEGMENT], talk.vectors[at : at + SEGMENT],
            talk.scored[at : at + SEGMENT], talk.true[at : at + SEGMENT], act,
        )
        for talk in talks
        for at in range(0, len(talk.readings), SEGMENT)
    ]  # fmt: skip


def window_means(values: np.ndarray, window: str) -> np.ndarray:
    """Return the mean over each turn's window, as the head computes it; zeros for an empty window."""
    first, last = WINDOWS[window]
    count = len(values)
    totals = np.vstack([np.zeros((1, values.shape[1]), np.float64), np.cumsum(values, axis=0, dtype=np.float64)])
    places = np.arange(count)
    low, high = np.clip(places + first, 0, count), np.clip(places + last + 1, 0, count)
    return ((totals[high] - totals[low]) / np.maximum(high - low, 1)[:, None]).astype(np.float32)


def common_words(sets: Mapping[str, Sequence[Talk]], most: int) -> set[str]:
    """Return the names of the words that are most frequent, judged by the set in which each is rarest."""
    held = [Counter(name for talk in talks for one in talk.evidence for name in one) for talks in sets.values()]
    words = [name for name in held[0] if name.startswith(WORD)]
    return set(sorted(words, key=lambda name: (-min(count[name] for count in held), name))[:most])


def names_of(recipe: Recipe, sets: Mapping[str, Sequence[Talk]]) -> list[str]:
    """Return the names of the weighted evidence, the same in each window."""
    chosen = common_words(sets, recipe.words)
    names = {name for talks in sets.values() for talk in talks for one in talk.evidence for name in one}
    return sorted(name for name in names if not name.startswith(WORD) or name in chosen)


def examples(talks: Sequence[Talk], recipe: Recipe, names: Sequence[str]) -> Examples:
    """Return the labelled turns of talks as rows of numbers: evidence, then vectors."""
    rows: list[np.ndarray] = []
    for talk in talks:
        table = np.array([[one.get(name, 0.0) for name in names] for one in talk.evidence], np.float32)
        parts = [window_means(table, window) for window in recipe.evidence]
        parts += [window_means(talk.vectors, window) for window in recipe.directions]
        rows.append(np.hstack(parts)[talk.scored])
    return Examples(
        columns=np.vstack(rows),
        places=np.concatenate([np.flatnonzero(talk.scored) + number * APART for number, talk in enumerate(talks)]),
        groups=np.concatenate([[talk.group] * int(talk.scored.sum()) for talk in talks]),
        judged=np.concatenate([talk.judged[talk.scored] for talk in talks]),
        by_rule=np.concatenate([talk.by_rule[talk.scored] for talk in talks]),
        true=np.concatenate([talk.true[talk.scored] for talk in talks]),
    )


def trained(
    recipe: Recipe, names: Sequence[str], sets: Mapping[str, Examples], chosen: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, float]:
    """Train weights and bias on the chosen rows of each set, as far as the head judges them."""
    columns, true = [], []
    for name, one in sets.items():
        rows = chosen[name][one.judged[chosen[name]]]
        rows = rows if name.removesuffix(CUT) in recipe.sets else rows[~one.true[rows]]
        columns.append(one.columns[rows])
        true.append(one.true[rows])
    together = np.vstack(columns)
    scale = scale_of(together, recipe, names)
    together *= scale
    model = LogisticRegression(C=recipe.strength, max_iter=300)
    model.fit(together, np.concatenate(true))
    return model.coef_[0] * scale, float(model.intercept_[0])


def scale_of(columns: np.ndarray, recipe: Recipe, names: Sequence[str]) -> np.ndarray:
    """Return a factor for each column, so that one penalty suits rare words, means over thirty turns and vectors."""
    scale = 1 / np.sqrt(np.maximum(columns.std(0), LEAST_SPREAD))
    words = np.tile([name.startswith(WORD) for name in names], len(recipe.evidence))
    scale[: len(words)][words] *= recipe.word_weight
    return scale


def f1(found: np.ndarray, true: np.ndarray) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * float((found & true).sum()) / max(int(found.sum() + true.sum()), 1)


def with_rules(act: Act, one: Examples, scores: np.ndarray, least: float) -> np.ndarray:
    """Return the turns that have the act by a rule or by the head, as `head.with_head` does."""
    found = one.judged & (scores > least)
    if act not in IN_RUNS:
        return one.by_rule | found
    runs = np.isin(one.places, list(in_runs(one.places[found].tolist())))
    found &= runs | (scores > least + BY_ITSELF)
    segments, counts = np.unique(one.places[found] // APART, return_counts=True)
    doubted = one.judged & np.isin(one.places // APART, segments[counts >= MANY])
    return found | (one.by_rule & ~doubted)


def best_threshold(act: Act, scored: Mapping[str, tuple[Examples, np.ndarray, np.ndarray]]) -> float:
    """Return the threshold with the best average gain and no loss in any set; a set's last array selects its rows."""
    best, at = 0.0, NEVER
    for least in np.arange(-4, 6, 0.1):
        gains = [
            f1(with_rules(act, one, scores, least)[rows], one.true[rows]) - f1(one.by_rule[rows], one.true[rows])
            for one, scores, rows in scored.values()
        ]
        if min(gains) >= -LOSS and sum(gains) > best:
            best, at = sum(gains), round(float(least), 1)
    return at


def judge(recipe: Recipe, sets: Mapping[str, Examples], names: Sequence[str]) -> float:
    """Print the head's gain on talks that it was not trained on; return the best threshold."""
    splits = [cross_validated(recipe, sets, names, seed) for seed in range(SPLITS)]
    for name, one in sets.items():
        reached = [f1(found[name], one.true) for found, _ in splits]
        told = f"{np.mean(reached):.3f} | {min(reached):.3f} to {max(reached):.3f}"
        print(f"| {name}, {recipe.act.value} | {f1(one.by_rule, one.true):.3f} | {told} |", flush=True)
    return round(float(np.mean([least for _, least in splits])), 1)


def cross_validated(
    recipe: Recipe, sets: Mapping[str, Examples], names: Sequence[str], seed: int
) -> tuple[dict[str, np.ndarray], float]:
    """Return the turns found in talks that the head was not trained on, by set, and the best threshold for all."""
    cut = GroupKFold(FOLDS, shuffle=True, random_state=seed)
    folds = {name: list(cut.split(one.columns, one.true, one.groups)) for name, one in sets.items()}
    scores = {name: np.zeros(len(one.true)) for name, one in sets.items()}
    for fold in range(FOLDS):
        weights, bias = trained(recipe, names, sets, {name: folds[name][fold][0] for name in sets})
        for name, one in sets.items():
            rows = folds[name][fold][1]
            scores[name][rows] = one.columns[rows] @ weights + bias
    found = {name: np.zeros(len(one.true), bool) for name, one in sets.items()}
    for fold in range(FOLDS):
        least = best_threshold(
            recipe.act, {name: (one, scores[name], folds[name][fold][0]) for name, one in sets.items()}
        )
        for name, one in sets.items():
            rows = folds[name][fold][1]
            found[name][rows] = with_rules(recipe.act, one, scores[name], least)[rows]
    everything = {name: (one, scores[name], np.arange(len(one.true))) for name, one in sets.items()}
    return found, best_threshold(recipe.act, everything)


def head(recipe: Recipe, sets: Mapping[str, Examples], names: Sequence[str], least: float) -> dict[str, Any]:
    """Serialize a head: a signed byte for each weight, in base 85, and the size of a step."""
    weights, bias = trained(recipe, names, sets, {name: np.arange(len(one.true)) for name, one in sets.items()})
    told = len(recipe.evidence) * len(names)
    evidence = {
        window: packed(row) for window, row in zip(recipe.evidence, weights[:told].reshape(-1, len(names)), strict=True)
    }
    directions = {
        window: packed(row) for window, row in zip(recipe.directions, weights[told:].reshape(-1, _NUMBERS), strict=True)
    }
    told_as = {"evidence": evidence, "directions": directions}
    return {"act": recipe.act.value, "bias": round(bias - least, 2), "names": "|".join(names), **told_as}


def packed(weights: np.ndarray) -> tuple[float, str]:
    """Return the size of a step, and the weights in steps."""
    step = float(np.abs(weights).max()) / _LARGEST or 1.0
    return round(step, 6), b85encode(np.round(weights / step).astype(np.int8).tobytes()).decode()


def main() -> None:
    """Train and write, or print how well it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with the labelled sets")
    parser.add_argument("--tables", action="store_true", help="print the tables and write nothing")
    parser.add_argument("--keep", type=Path, help="folder in which sentence vectors are kept")
    arguments = parser.parse_args()
    embedder = SentenceTransformerEmbedder()
    heads = {}
    print("| set, act | F1 by rules | with the head | in the splits |\n|---|--:|--:|--:|", flush=True)
    for called, recipe in RECIPES.items():
        print(f"| **{called}** | | | |", flush=True)
        model = embedder if recipe.directions else None
        wanted = (*recipe.sets, *recipe.others)
        talks = {name: read_set(arguments.data, name, recipe.act, arguments.keep, model) for name in wanted}
        if len(recipe.evidence) > 1:
            talks |= {name + CUT: in_segments(some, recipe.act) for name, some in talks.items()}
        names = names_of(recipe, talks)
        sets = {name: examples(some, recipe, names) for name, some in talks.items()}
        least = judge(recipe, sets, names)
        heads[called] = head(recipe, sets, names, least)
    if not arguments.tables:
        TARGET.write_text(f"{json.dumps(heads, indent=1)}\n", encoding="utf-8")
        print(f"written: {TARGET}", flush=True)


if __name__ == "__main__":
    main()
