"""Train the segmenter's coefficients on made talk, and write them into the pipeline.

    python benchmarks/train_segmenter.py            both forms, tables, worker/…/pipeline/segmenter_weights.py
    python benchmarks/train_segmenter.py --tables   the tables alone; nothing is written

Needs `turnfold-worker[semantic]`; takes a few minutes. Nothing but `made_talk` is learned from. Equal code and
processor make equal coefficients. The tables say how well a form tells joins of kinds of talk that it was not trained on.
"""

from __future__ import annotations

import argparse
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
from turnfold.tokens import estimate_tokens
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder
from turnfold_worker.pipeline.gap_features import AFTER, LEXICAL, REACH, SEMANTIC, features
from turnfold_worker.pipeline.gap_signs import REMEMBERED, Signs, signs_of
from turnfold_worker.pipeline.vectors import Vector
from turnfold_worker.ports import SentenceEmbedder

TARGET: Final = Path(__file__).parents[1] / "worker/turnfold_worker/pipeline/segmenter_weights.py"
TURNS_OF_A_KIND: Final = 1_800
JOINS_OF_A_KIND: Final = 90
MISSED_CUTS: Final = 0.2
"""Share of cuts that the segmenter is taken to have missed before the gap at hand."""
STRENGTH: Final = 0.3
"""Inverse of the penalty on large coefficients."""
_BEGINNING: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Gaps:
    """The gaps of a kind's talk: evidence in the order of `SEMANTIC`, whether a segment begins, how long the last is."""

    evidence: np.ndarray
    begins: np.ndarray
    lengths: np.ndarray
    """Natural logarithms: of the talk's mean length of a segment, and of how far the open one is from it."""
    roles: bool


def stored(talk: Talk) -> list[StoredTurn]:
    """Made talk as the segmenter sees turns."""
    return [
        StoredTurn(
            seq=seq, turn_id=str(seq), role=Role(turn.role), name=turn.name, content=turn.text,
            tokens=estimate_tokens(turn.text),
            created_at=None if turn.seconds is None else _BEGINNING + timedelta(seconds=turn.seconds),
        )
        for seq, turn in enumerate(talk.turns, start=1)
    ]  # fmt: skip


def gaps_of(kind: str, embedder: SentenceEmbedder) -> Gaps:
    """Evidence at every gap of a kind's talk."""
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
        roles, many = {Role.USER, Role.ASSISTANT} <= {turn.role for turn in one}, _people(one) > 2
        chance, start = random.Random(number), 0  # noqa: S311 - made talk
        mean = len(one) / (len(talk.boundaries) + 1)
        for gap in range(1, len(one)):
            found = features(marks[max(start, gap - REACH) : gap], marks[gap : gap + AFTER], roles=roles, many=many)
            evidence.append([found.get(name, 0.0) for name in SEMANTIC])
            begins.append(gap in talk.boundaries)
            lengths.append((np.log(mean), np.clip(np.log((gap - start) / mean), -1.5, 1.5)))
            if begins[-1] and chance.random() >= MISSED_CUTS:
                start = gap
    return Gaps(np.array(evidence), np.array(begins), np.array(lengths), roles)


def _people(turns: Sequence[StoredTurn]) -> int:
    return len({turn.speaker for turn in turns if turn.role is Role.USER})


def read(turns: Sequence[StoredTurn], vectors: Iterable[Vector]) -> list[Signs]:
    """Signs of a conversation's turns."""
    marks: list[Signs] = []
    for turn, vector in zip(turns, vectors, strict=False):
        marks.append(signs_of(turn, vector, marks[-REMEMBERED:]))
    return marks


def trained(gaps: Mapping[str, Gaps], names: Sequence[str]) -> tuple[np.ndarray, float]:
    """Coefficients and bias; every kind weighs the same, and lengths explain what they can before they are left out."""
    columns = [SEMANTIC.index(name) for name in names]
    evidence = np.vstack([np.c_[one.evidence[:, columns], one.lengths] for one in gaps.values()])
    begins = np.concatenate([one.begins for one in gaps.values()])
    weights = np.concatenate([np.full(len(one.begins), 1 / len(one.begins)) for one in gaps.values()])
    model = LogisticRegression(C=STRENGTH, max_iter=5_000).fit(evidence, begins, sample_weight=weights / weights.mean())
    return model.coef_[0][: len(names)], float(model.intercept_[0])


def scores(one: Gaps, names: Sequence[str], coefficients: np.ndarray, bias: float) -> np.ndarray:
    return one.evidence[:, [SEMANTIC.index(name) for name in names]] @ coefficients + bias


def form(gaps: Mapping[str, Gaps], names: Sequence[str]) -> dict[str, Any]:
    """A form as it is written: rounded coefficients, and the mean and deviation of its scores."""
    coefficients, bias = trained(gaps, names)
    coefficients, bias = np.round(coefficients, 3), round(bias, 3)
    usual = {}
    for style, roles in (("roles", True), ("people", False)):
        of_style = [scores(one, names, coefficients, bias) for one in gaps.values() if one.roles is roles]
        mean = np.mean([one.mean() for one in of_style])
        deviation = np.sqrt(np.mean([((one - mean) ** 2).mean() for one in of_style]))
        usual[style] = (round(float(mean), 3), round(float(deviation), 3))
    return {"bias": bias, "weights": dict(zip(names, map(float, coefficients), strict=True)), "usual": usual}


GROUPS: Final = {
    "all evidence": (),
    "without shared words": ("words", "nothing", "new_words", "many_words", "many_new_words"),
    "without names": ("new_names", "kept_names"),
    "without cue and closing phrases": ("cue", "closed", "greeting", "thanks", "marker", "many_cue", "many_marker"),
    "without how a turn begins and ends": (
        "answered", "ask", "reply", "leaning", "user_statement", "many_ask",
    ),
    "without who speaks": ("same_speaker", "by_", "user_statement", "new_speakers", "many_same"),
    "without lengths of turns": ("short", "long", "lengths", "many_short", "many_long", "many_lengths"),
    "without pauses": ("pause", "long_pause", "many_pause"),
    "without meaning": ("meaning", "many_meaning"),
}  # fmt: skip


def print_tables(gaps: Mapping[str, Gaps]) -> None:
    """Area under the ROC curve on the kind that was left out of the training: the whole, then without a group."""
    print(f"| {'left out of the training':36} | " + " | ".join(gaps) + " | mean |")
    print("|---|" + "--:|" * (len(gaps) + 1))
    for title, prefixes in GROUPS.items():
        names = [name for name in SEMANTIC if not name.startswith(prefixes)] if prefixes else list(SEMANTIC)
        areas = []
        for kind, held_out in gaps.items():
            fitted = trained({other: one for other, one in gaps.items() if other != kind}, names)
            areas.append(roc_auc_score(held_out.begins, scores(held_out, names, *fitted)))
        print(f"| {title:36} | " + " | ".join(f"{area:.3f}" for area in areas) + f" | {np.mean(areas):.3f} |")


def written(forms: Mapping[str, Mapping[str, Any]]) -> str:
    """The module with the coefficients."""
    lines = [
        '"""Coefficients of the segmenter: written by `python benchmarks/train_segmenter.py`, not by hand."""', "",
        "from __future__ import annotations", "", "from typing import Any, Final", "",
    ]  # fmt: skip
    for name, one in forms.items():
        lines += [f"{name}: Final[dict[str, Any]] = {{", f'    "bias": {one["bias"]},', '    "weights": {']
        lines += [f'        "{feature}": {weight},' for feature, weight in one["weights"].items()]
        lines += ["    },", '    "usual": {']
        lines += [f'        "{style}": ({mean}, {deviation}),' for style, (mean, deviation) in one["usual"].items()]
        lines += ["    },", "}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Train, write, and say how well it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", action="store_true", help="print the tables alone")
    arguments = parser.parse_args()
    embedder = SentenceTransformerEmbedder(threads=2)
    gaps = {}
    for kind in KINDS:
        gaps[kind] = gaps_of(kind, embedder)
        print(f"made talk, {kind}: {len(gaps[kind].begins)} gaps, {gaps[kind].begins.sum()} of them joins", flush=True)
    if not arguments.tables:
        forms = {"LEXICAL_FORM": form(gaps, LEXICAL), "SEMANTIC_FORM": form(gaps, SEMANTIC)}
        TARGET.write_text(written(forms), encoding="utf-8")
        print(f"written: {TARGET}", flush=True)
    print_tables(gaps)


if __name__ == "__main__":
    main()
