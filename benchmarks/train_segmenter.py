"""Train the segmenter's coefficients on made talk, and write them into the pipeline.

python benchmarks/train_segmenter.py                    write worker/…/pipeline/segments/coefficients.json
python benchmarks/train_segmenter.py --without meaning  the same without a group of evidence, to measure its worth
python benchmarks/train_segmenter.py --tables           write nothing; print how well joins are recognized

Needs `turnfold-worker[semantic]`; takes a few minutes. `made_talk` is the only training data. Equal code and CPU make
equal coefficients. The tables are for kinds of talk that were left out of the training.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from made_talk import KINDS, Talk, make_talk
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.vectors import Vector
from turnfold.tokens import estimate_tokens
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder
from turnfold_worker.pipeline.segments.gap_features import (
    AFTER,
    GROUP_LEXICAL,
    GROUP_SEMANTIC,
    LEXICAL,
    REACH,
    SEMANTIC,
    features,
)
from turnfold_worker.pipeline.segments.gap_signs import REMEMBERED, Signs, signs_of
from turnfold_worker.ports.storage import SentenceEmbedder

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/segments/coefficients.json"
TURNS_OF_A_KIND: Final = 3_000
JOINS_OF_A_KIND: Final = 240
NAMES: Final = tuple(dict.fromkeys((*SEMANTIC, *GROUP_SEMANTIC)))
MISSED_CUTS: Final = 0.2
"""Share of cuts that the segmenter is assumed to have missed before the current gap."""
DECIMALS: Final = 2
"""Significant decimals of a coefficient."""
STRENGTH: Final = 0.3
"""Inverse of the penalty on large coefficients."""
_BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Gaps:
    """The gaps of a kind's talk: evidence in the order of `NAMES`, whether a segment begins, and lengths."""

    evidence: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray
    """Natural logarithms of the talk's mean segment length, and of the open segment's length relative to it."""
    roles: bool
    group: bool
    """More than two people talk."""


def stored(talk: Talk) -> list[StoredTurn]:
    """Return made talk as the segmenter's turns."""
    return [
        StoredTurn(
            seq=seq, turn_id=str(seq), role=Role(turn.role), name=turn.name, content=turn.text,
            tokens=estimate_tokens(turn.text),
            created_at=None if turn.seconds is None else _BEGINNING + timedelta(seconds=turn.seconds),
        )
        for seq, turn in enumerate(talk.turns, start=1)
    ]  # fmt: skip


def gaps_of(kind: str, embedder: SentenceEmbedder) -> Gaps:
    """Return the evidence at every gap of a kind's talk."""
    talks: list[Talk] = []
    while (
        sum(len(talk.turns) for talk in talks) < TURNS_OF_A_KIND
        or sum(len(talk.boundaries) for talk in talks) < JOINS_OF_A_KIND
    ):
        talks.append(make_talk(kind, len(talks)))
    turns = [stored(talk) for talk in talks]
    vectors = iter(embedder.embed([turn.content for one in turns for turn in one]))
    evidence: list[list[float]] = []
    begins: list[bool] = []
    lengths: list[tuple[float, float]] = []
    for number, (talk, one) in enumerate(zip(talks, turns, strict=True)):
        marks = read(one, vectors)
        roles, group = {Role.USER, Role.ASSISTANT} <= {turn.role for turn in one}, _people(one) > 2
        chance, start = random.Random(number), 0  # noqa: S311 - made talk
        mean = len(one) / (len(talk.boundaries) + 1)
        for gap in range(1, len(one)):
            found = features(marks[max(start, gap - REACH) : gap], marks[gap : gap + AFTER], roles=roles)
            evidence.append([found.get(name, 0.0) for name in NAMES])
            begins.append(gap in talk.boundaries)
            lengths.append((np.log(mean), np.clip(np.log((gap - start) / mean), -1.5, 1.5)))
            if begins[-1] and chance.random() >= MISSED_CUTS:
                start = gap
    return Gaps(np.array(evidence), np.array(begins), np.array(lengths), roles, group)


def _people(turns: Sequence[StoredTurn]) -> int:
    return len({turn.speaker for turn in turns if turn.role is Role.USER})


def read(turns: Sequence[StoredTurn], vectors: Iterable[Vector]) -> list[Signs]:
    """Return the signs of a conversation's turns."""
    marks: list[Signs] = []
    for turn, vector in zip(turns, vectors, strict=False):
        marks.append(signs_of(turn, vector, marks[-REMEMBERED:]))
    return marks


def columns(one: Gaps, names: Sequence[str]) -> np.ndarray:
    """Return the evidence, and its product with wordiness if that is among the names."""
    evidence = one.evidence[:, [NAMES.index(name) for name in names]]
    if "wordy" not in names:
        return evidence
    return np.hstack([evidence, evidence * one.evidence[:, [NAMES.index("wordy")]]])


def trained(gaps: Mapping[str, Gaps], names: Sequence[str]) -> tuple[np.ndarray, float]:
    """Train coefficients and bias; all kinds weigh the same, and lengths absorb their effect before being dropped."""
    evidence = np.vstack([np.c_[columns(one, names), one.lengths] for one in gaps.values()])
    begins = np.concatenate([one.begins for one in gaps.values()])
    weights = np.concatenate([np.full(len(one.begins), 1 / len(one.begins)) for one in gaps.values()])
    model = LogisticRegression(C=STRENGTH, max_iter=5_000).fit(evidence, begins, sample_weight=weights / weights.mean())
    return model.coef_[0][:-2], float(model.intercept_[0])


def scores(one: Gaps, names: Sequence[str], coefficients: np.ndarray, bias: float) -> np.ndarray:
    return columns(one, names) @ coefficients + bias


def form(gaps: Mapping[str, Gaps], judged: Mapping[str, Gaps], names: Sequence[str]) -> dict[str, Any]:
    """Serialize a form: rounded coefficients, and the mean and deviation of its scores on the talk it is for."""
    coefficients, bias = trained(gaps, names)
    coefficients, bias = np.round(coefficients, DECIMALS), round(bias, DECIMALS)
    usual = {}
    for style, roles in (("roles", True), ("people", False)):
        alike = [one for one in judged.values() if one.roles is roles] or list(judged.values())
        of_style = [scores(one, names, coefficients, bias) for one in alike]
        mean = np.mean([one.mean() for one in of_style])
        deviation = np.sqrt(np.mean([((one - mean) ** 2).mean() for one in of_style]))
        usual[style] = (round(float(mean), DECIMALS), round(float(deviation), DECIMALS))
    weights, wordy = coefficients[: len(names)], coefficients[len(names) :]
    return {
        "bias": bias,
        "weights": dict(zip(names, map(float, weights), strict=True)),
        "wordy": dict(zip(names, map(float, wordy), strict=False)),
        "usual": usual,
    }


GROUPS: Final = {
    "words": ("words_", "nothing", "new_words"),
    "phrases": ("cue", "closed", "greeting", "thanks", "marker", "about_talk", "end"),
    "sentences": ("answered", "ask", "reply", "leaning", "pointing", "introducing", "user_statement"),
    "speakers": ("same_speaker", "by_", "user_statement", "new_speakers", "floor"),
    "lengths": ("short", "long_after", "lengths"),
    "pauses": ("pause", "long_pause", "slower"),
    "meaning": ("meaning",),
}
"""Prefixes of the names of each group's evidence."""


def kept(names: Sequence[str], group: str | None) -> list[str]:
    """Return the names without those of a group."""
    return [name for name in names if not (group and name.startswith(GROUPS[group]))]


def print_table(gaps: Mapping[str, Gaps], judged: Mapping[str, Gaps], names: Sequence[str]) -> None:
    """Print the area under the ROC curve on each kind left out of the training, with all evidence and less a group."""
    print(f"\n| {'left out':10} | " + " | ".join(judged) + " | mean |")
    print("|---|" + "--:|" * (len(judged) + 1))
    for group in (None, *GROUPS):
        left, areas = kept(names, group), []
        for kind, held_out in judged.items():
            fitted = trained({other: one for other, one in gaps.items() if other != kind}, left)
            areas.append(roc_auc_score(held_out.begins, scores(held_out, left, *fitted)))
        cells = [f"{area:.3f}" for area in (*areas, np.mean(areas))]
        print(f"| {group or 'nothing':10} | " + " | ".join(cells) + " |")


def main() -> None:
    """Train and write, or print how well it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", action="store_true", help="print the tables and write nothing")
    parser.add_argument("--without", choices=GROUPS, help="a group of evidence to leave out")
    arguments = parser.parse_args()
    embedder = SentenceTransformerEmbedder()
    gaps = {}
    for kind in KINDS:
        gaps[kind] = gaps_of(kind, embedder)
        print(f"made talk, {kind}: {len(gaps[kind].begins)} gaps, {gaps[kind].begins.sum()} of them joins", flush=True)
    dialogue = {kind: one for kind, one in gaps.items() if not one.group}
    # Greetings and pauses are so telling in a channel's talk that the evidence for agenda items would be lost.
    group = {"meeting": gaps["meeting"]}
    if arguments.tables:
        print_table(gaps, dialogue, SEMANTIC)
        print_table(group, {"team": gaps["team"]}, GROUP_SEMANTIC)
        return
    forms = {
        "lexical_dialogue": form(gaps, dialogue, kept(LEXICAL, arguments.without)),
        "lexical_group": form(group, group, kept(GROUP_LEXICAL, arguments.without)),
        "semantic_dialogue": form(gaps, dialogue, kept(SEMANTIC, arguments.without)),
        "semantic_group": form(group, group, kept(GROUP_SEMANTIC, arguments.without)),
    }
    TARGET.write_text(f"{json.dumps(forms, indent=1)}\n", encoding="utf-8")
    print(f"written: {TARGET}", flush=True)


if __name__ == "__main__":
    main()
