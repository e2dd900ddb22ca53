"""Train the head of the anchors on public labelled talk, and write its weights into the pipeline.

python benchmarks/train_anchor_head.py DATA                 write worker/…/pipeline/anchors/heads/head.json
python benchmarks/train_anchor_head.py DATA --tables        write nothing; print the gain on other talks

The positive examples are the commitments of AMI; MRDA provides only negative ones, and must not lose. DATA contains
`ami.jsonl` and `mrda.jsonl`, with a conversation a line: `turns` of `speaker` and `text`, `anchors` of `type` and
`turn`, and optionally `ignore` (turns without labels) and `group` (conversations that belong together). Their licences
permit this use; NOTICE lists them. Needs scikit-learn, and takes some ten minutes. The tables show five-fold
cross-validations by conversation. Equal data, code and CPU make equal weights.
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

from turnfold_worker.pipeline.anchors.extraction import segment_acts
from turnfold_worker.pipeline.anchors.heads.evidence import WORD, evidence_of
from turnfold_worker.pipeline.anchors.heads.head import BY_ITSELF, MANY, WINDOWS, in_a_group, in_runs
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, Act
from turnfold_worker.pipeline.turns.reading import Reading

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/anchors/heads/head.json"
FOLDS: Final = 5
SPLITS: Final = 4
"""Random splits into folds, because the result of a single one is off by .03."""
_LARGEST: Final = 127
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


POSITIVE: Final = "ami"
"""The set whose turns with a commitment are positive examples."""
SETS: Final = (POSITIVE, "mrda")
STRENGTH: Final = 0.015
"""Inverse of the penalty on large weights."""
WORD_WEIGHT: Final = 0.6
"""Factor of word columns: phrases and rules matter more."""
WORDS: Final = 400
"""Number of words that are features of their own; they are common in all sets, so that no topic is learned."""


@dataclass(frozen=True)
class Talk:
    """A conversation of a set, as the rules read it."""

    group: str
    readings: Sequence[Reading]
    evidence: list[dict[str, float]]
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


def read_set(data: Path, name: str) -> list[Talk]:
    """Read the conversations of a set, each as one segment."""
    talks: list[Talk] = []
    for line in (data / f"{name}.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        labelled = np.ones(len(row["turns"]), bool)
        labelled[row.get("ignore", [])] = False
        true = np.zeros(len(row["turns"]), bool)
        true[[one["turn"] for one in row["anchors"] if one["type"] == Act.COMMITMENT.value]] = True
        talks.append(talk_of(row.get("group", row["id"]), readings_of(row["turns"]), labelled, true))
    return talks


def talk_of(group: str, readings: Sequence[Reading], scored: np.ndarray, true: np.ndarray) -> Talk:
    """Treat turns as one segment."""
    acts = segment_acts(readings)
    return Talk(
        group=group,
        readings=readings,
        evidence=evidence_of(readings, acts),
        judged=np.array(in_a_group(readings)) & scored,
        scored=scored,
        by_rule=np.array([any(one.act is Act.COMMITMENT and one.points >= ENOUGH for one in found) for found in acts]),
        true=true,
    )


def in_segments(talks: Sequence[Talk]) -> list[Talk]:
    """Cut talks into segments as a worker that knows no topics would; nothing beyond a segment is seen."""
    return [
        talk_of(
            talk.group, talk.readings[at : at + SEGMENT],
            talk.scored[at : at + SEGMENT], talk.true[at : at + SEGMENT],
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


def names_of(sets: Mapping[str, Sequence[Talk]]) -> list[str]:
    """Return the names of the weighted evidence, the same in each window."""
    chosen = common_words(sets, WORDS)
    names = {name for talks in sets.values() for talk in talks for one in talk.evidence for name in one}
    return sorted(name for name in names if not name.startswith(WORD) or name in chosen)


def examples(talks: Sequence[Talk], names: Sequence[str]) -> Examples:
    """Return the labelled turns of talks as rows of numbers, by window."""
    rows: list[np.ndarray] = []
    for talk in talks:
        table = np.array([[one.get(name, 0.0) for name in names] for one in talk.evidence], np.float32)
        parts = [window_means(table, window) for window in WINDOWS]
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
    names: Sequence[str], sets: Mapping[str, Examples], chosen: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, float]:
    """Train weights and bias on the chosen rows of each set, as far as the head judges them."""
    columns, true = [], []
    for name, one in sets.items():
        rows = chosen[name][one.judged[chosen[name]]]
        rows = rows if name.removesuffix(CUT) == POSITIVE else rows[~one.true[rows]]
        columns.append(one.columns[rows])
        true.append(one.true[rows])
    together = np.vstack(columns)
    scale = scale_of(together, names)
    together *= scale
    model = LogisticRegression(C=STRENGTH, max_iter=300)
    model.fit(together, np.concatenate(true))
    return model.coef_[0] * scale, float(model.intercept_[0])


def scale_of(columns: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return a factor for each column, so that one penalty suits rare words and means over thirty turns."""
    scale = 1 / np.sqrt(np.maximum(columns.std(0), LEAST_SPREAD))
    scale[np.tile([name.startswith(WORD) for name in names], len(WINDOWS))] *= WORD_WEIGHT
    return scale


def f1(found: np.ndarray, true: np.ndarray) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * float((found & true).sum()) / max(int(found.sum() + true.sum()), 1)


def with_rules(one: Examples, scores: np.ndarray, least: float) -> np.ndarray:
    """Return the turns that have the act by a rule or by the head, as `head.with_head` does."""
    found = one.judged & (scores > least)
    runs = np.isin(one.places, list(in_runs(one.places[found].tolist())))
    found &= runs | (scores > least + BY_ITSELF)
    segments, counts = np.unique(one.places[found] // APART, return_counts=True)
    doubted = one.judged & np.isin(one.places // APART, segments[counts >= MANY])
    return found | (one.by_rule & ~doubted)


def best_threshold(scored: Mapping[str, tuple[Examples, np.ndarray, np.ndarray]]) -> float:
    """Return the threshold with the best average gain and no loss in any set; a set's last array selects its rows."""
    best, at = 0.0, NEVER
    for least in np.arange(-4, 6, 0.1):
        gains = [
            f1(with_rules(one, scores, least)[rows], one.true[rows]) - f1(one.by_rule[rows], one.true[rows])
            for one, scores, rows in scored.values()
        ]
        if min(gains) >= -LOSS and sum(gains) > best:
            best, at = sum(gains), round(float(least), 1)
    return at


def judge(sets: Mapping[str, Examples], names: Sequence[str]) -> float:
    """Print the head's gain on talks that it was not trained on; return the best threshold."""
    splits = [cross_validated(sets, names, seed) for seed in range(SPLITS)]
    for name, one in sets.items():
        reached = [f1(found[name], one.true) for found, _ in splits]
        told = f"{np.mean(reached):.3f} | {min(reached):.3f} to {max(reached):.3f}"
        print(f"| {name} | {f1(one.by_rule, one.true):.3f} | {told} |", flush=True)
    return round(float(np.mean([least for _, least in splits])), 1)


def cross_validated(
    sets: Mapping[str, Examples], names: Sequence[str], seed: int
) -> tuple[dict[str, np.ndarray], float]:
    """Return the turns found in talks that the head was not trained on, by set, and the best threshold for all."""
    cut = GroupKFold(FOLDS, shuffle=True, random_state=seed)
    folds = {name: list(cut.split(one.columns, one.true, one.groups)) for name, one in sets.items()}
    scores = {name: np.zeros(len(one.true)) for name, one in sets.items()}
    for fold in range(FOLDS):
        weights, bias = trained(names, sets, {name: folds[name][fold][0] for name in sets})
        for name, one in sets.items():
            rows = folds[name][fold][1]
            scores[name][rows] = one.columns[rows] @ weights + bias
    found = {name: np.zeros(len(one.true), bool) for name, one in sets.items()}
    for fold in range(FOLDS):
        least = best_threshold({name: (one, scores[name], folds[name][fold][0]) for name, one in sets.items()})
        for name, one in sets.items():
            rows = folds[name][fold][1]
            found[name][rows] = with_rules(one, scores[name], least)[rows]
    everything = {name: (one, scores[name], np.arange(len(one.true))) for name, one in sets.items()}
    return found, best_threshold(everything)


def head(sets: Mapping[str, Examples], names: Sequence[str], least: float) -> dict[str, Any]:
    """Serialize the head: a signed byte for each weight, in base 85, and the size of a step."""
    weights, bias = trained(names, sets, {name: np.arange(len(one.true)) for name, one in sets.items()})
    rows = zip(WINDOWS, weights.reshape(-1, len(names)), strict=True)
    evidence = {window: packed(row) for window, row in rows}
    return {"bias": round(bias - least, 2), "names": "|".join(names), "evidence": evidence}


def packed(weights: np.ndarray) -> tuple[float, str]:
    """Return the size of a step, and the weights in steps."""
    step = float(np.abs(weights).max()) / _LARGEST or 1.0
    return round(step, 6), b85encode(np.round(weights / step).astype(np.int8).tobytes()).decode()


def main() -> None:
    """Train and write, or print how well it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with the labelled sets")
    parser.add_argument("--tables", action="store_true", help="print the tables and write nothing")
    arguments = parser.parse_args()
    print("| set | F1 by rules | with the head | in the splits |\n|---|--:|--:|--:|", flush=True)
    talks = {name: read_set(arguments.data, name) for name in SETS}
    talks |= {name + CUT: in_segments(some) for name, some in talks.items()}
    names = names_of(talks)
    sets = {name: examples(some, names) for name, some in talks.items()}
    least = judge(sets, names)
    if not arguments.tables:
        TARGET.write_text(f"{json.dumps(head(sets, names, least), indent=1)}\n", encoding="utf-8")
        print(f"written: {TARGET}", flush=True)


if __name__ == "__main__":
    main()
