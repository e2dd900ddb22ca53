"""Score CompactBench's checks on contexts themselves, without a model: what a reader of the context could know.

pip install compactbench
python benchmarks/compactbench_probe.py TEMPLATES [--levels elite] [--distractors 200] [--budgets 25%,50%,500]

TEMPLATES is the folder of YAML templates (`benchmarks/public`) of the public repository compactbench/compactbench. The
package's generator makes the cases and its `run_check` scores them, on whole contexts in place of a model's answers:

- *told*: `contains_normalized` and `set_match`, unchanged;
- *left out*: `forbidden_absent`, if the forbidden text was decided once and has been overtaken.

Not scored: other `forbidden_absent` items, which forbid in an answer what a context has to state (a rule that a plan
must obey, another person's task), and `exact`, which no context equals. `all` is the share of cases in which every
scored item holds. Contexts are compared with the newest turns that fit the same budget, and with contexts queried with
the item's question.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from compactbench import contracts, dsl, engine, scoring  # type: ignore[import-not-found, unused-ignore]

from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import fold

SYSTEMS: Final = ("newest turns", "no query", "question")
_LEAST: Final = 100
"""Minimum budget for a share of a short transcript: a smaller one fits little beyond what is always shown."""
_TOLD: Final = frozenset({"contains_normalized", "set_match"})
Key = tuple[str, str, str, str]
"""Budget, family, kind of check and system."""


def main() -> None:
    """Make the cases, score them and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("templates", type=Path, help="folder with templates, also in folders below")
    parser.add_argument("--seeds", type=int, default=5, help="cases of a template and level (default: 5)")
    parser.add_argument("--levels", default="medium,hard,elite", help="difficulties, where a template has them")
    parser.add_argument("--distractors", type=int, help="turns of chatter, in place of those of a level")
    parser.add_argument("--budgets", default="25%,50%,500,1000", help="tokens, or shares of the transcript's")
    parser.add_argument("--misses", action="store_true", help="print what fails, without a query")
    arguments = parser.parse_args()
    scores: dict[Key, list[float]] = defaultdict(list)
    levels = arguments.levels.split(",") if arguments.distractors is None else ["medium"]
    cases = list(_cases(arguments.templates, levels, arguments.seeds, arguments.distractors))
    for family, case in cases:
        _score(scores, family, case, arguments.budgets.split(","), misses=arguments.misses)
    print(f"{len(cases)} cases")
    print(f"{'budget':8}{'family':22}{'check':10}{'items':>6}" + "".join(f"{system:>14}" for system in SYSTEMS))
    for budget, family, kind in dict.fromkeys(key[:3] for key in sorted(scores)):
        columns = [scores[budget, family, kind, system] for system in SYSTEMS]
        print(
            f"{budget:8}{family:22}{kind:10}{len(columns[0]):6}" + "".join(f"{fmean(ones):14.3f}" for ones in columns)
        )


def _cases(
    folder: Path, levels: Sequence[str], seeds: int, distractors: int | None
) -> Iterator[tuple[str, contracts.GeneratedCase]]:
    for path in sorted(folder.rglob("*.yaml")):
        template = dsl.parse_template_file(path)
        if distractors is not None:
            policy = dsl.DifficultyPolicy(distractor_turns=dict.fromkeys(map(dsl.DifficultyLevel, levels), distractors))
            template = template.model_copy(update={"difficulty_policy": policy})
        for level in map(dsl.DifficultyLevel, levels):
            if level in template.difficulty_policy.distractor_turns:
                for slot in range(seeds):
                    seed = engine.derive_case_seed(f"{path.parent.name}@{template.version}", "default", slot)
                    yield template.family, engine.generate_case(template, seed, level)


def _score(
    scores: dict[Key, list[float]], family: str, case: contracts.GeneratedCase, budgets: Sequence[str], *, misses: bool
) -> None:
    turns = [{"role": str(turn.role), "content": turn.content} for turn in case.transcript.turns]
    lines = [f"{turn['role']}: {turn['content']}\n" for turn in turns]
    costs = [estimate_tokens(line) for line in lines]
    scored = [(kind, item) for item in case.evaluation_items if (kind := _kind(item, case))]
    with fold(turns) as folded:
        for name in budgets:
            budget = max(_LEAST, sum(costs) * int(name[:-1]) // 100) if name.endswith("%") else int(name)
            first = next(first for first in range(len(lines) + 1) if sum(costs[first:]) <= budget)
            plain = folded.context(budget_tokens=budget, query=False).text
            held: dict[str, list[float]] = defaultdict(list)
            for kind, item in scored:
                asked = folded.context(budget_tokens=budget, query=item.prompt).text
                for system, text in zip(SYSTEMS, ("".join(lines[first:]), plain, asked), strict=True):
                    held[system].append(scoring.run_check(item.expected, text))
                    scores[name, family, kind, system].append(held[system][-1])
                if misses and not held["no query"][-1]:
                    print(f"{name} {case.case_id} {item.key}, {kind}: {item.expected}\n{plain}")
            for system, shares in held.items():
                scores[name, family, "all", system].append(min(shares))


def _kind(item: contracts.EvaluationItem, case: contracts.GeneratedCase) -> str:
    """Return the kind of an item's check, or an empty string if only an answer can be scored."""
    if item.expected["check"] in _TOLD:
        return "told"
    value = item.expected.get("value")
    wanted = {other.expected.get("value") for other in case.evaluation_items if other.expected["check"] in _TOLD}
    overtaken = item.item_type == "forbidden_behavior_retention" and value in case.ground_truth.forbidden_behaviors
    return "left out" if item.expected["check"] == "forbidden_absent" and overtaken and value not in wanted else ""


if __name__ == "__main__":
    main()
