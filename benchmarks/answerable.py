"""Measure how well `Report.answerable` recognizes unanswerable questions, by words alone in one configuration.

python benchmarks/answerable.py SET.jsonl … [--budget 1000]

Each file contains conversations of an evidence-retention harness, whose questions of the categories `adversarial` and
`abstention` have no answer in them. Prints the area under the ROC curve, the share of unanswerable questions for which
a context states that no turn matches, and the same share of the other questions (false alarms).
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_left, bisect_right
from pathlib import Path
from types import SimpleNamespace

from retention_system import as_turn

from turnfold.assemble.policy import BALANCED
from turnfold_worker.offline import fold

UNANSWERABLE = frozenset({"adversarial", "abstention"})


def scores(path: Path, budget: int) -> tuple[list[float], list[float]]:
    """Return `answerable` for the questions with an answer, and for those without one."""
    with_answer: list[float] = []
    without: list[float] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        turns = [as_turn(SimpleNamespace(**turn), seq) for seq, turn in enumerate(row["turns"], start=1)]
        with fold(turns, conversation_id=row["id"]) as folded:
            for question in row["questions"]:
                likely = folded.context(budget_tokens=budget, query=question["q"]).report.answerable
                (without if question["category"] in UNANSWERABLE else with_answer).append(likely or 0.0)
    return with_answer, without


def area(with_answer: list[float], without: list[float]) -> float:
    """Return the area under the ROC curve: how often an answerable question outscores another (Mann-Whitney)."""
    ordered = sorted(with_answer)
    many = len(ordered)
    won = sum(many - bisect_right(ordered, score) + (bisect_right(ordered, score) - bisect_left(ordered, score)) / 2
              for score in without)  # fmt: skip
    return won / max(1, many * len(without))


def told_at(with_answer: list[float], without: list[float], threshold: float) -> tuple[float, float]:
    """Return the shares of unanswerable questions and of the others that score below a threshold."""
    return tuple(sum(score < threshold for score in of) / max(1, len(of)) for of in (without, with_answer))  # type: ignore[return-value]  # two


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--budget", type=int, default=1_000, help="tokens of each context")
    options = parser.parse_args()
    for path in options.sets:
        with_answer, without = scores(path, options.budget)
        recall, alarms = told_at(with_answer, without, BALANCED.no_match_below)
        at_two = sorted(with_answer)[int(0.02 * len(with_answer))] if with_answer else 0.0
        best, of_two = told_at(with_answer, without, at_two)
        print(
            f"{path.name}: {len(with_answer)} with an answer, {len(without)} without; "
            f"area {area(with_answer, without):.3f}; "
            f"told {recall:.3f} at {alarms:.3f} false alarms; at most {best:.3f} at {of_two:.3f} (below {at_two:.3f})"
        )


if __name__ == "__main__":
    main()
