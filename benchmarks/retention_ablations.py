"""Measure the contribution of each idea to contexts by leaving out one at a time.

python benchmarks/retention_ablations.py HARNESS DATA             # without a query; ten minutes
python benchmarks/retention_ablations.py HARNESS DATA --query     # with the questions as queries, words alone
python benchmarks/retention_ablations.py HARNESS DATA --only "nothing" "the line of names" --exact

HARNESS is the folder of an evidence-retention harness, whose `data.load` and `data.render` read conversations,
`metrics.probes`, `metrics.Index` and `metrics.score` judge contexts, and `textutil.count_tokens` counts; DATA is its
folder of `locomo`, `beam` and `swe`. Each number is the mean of three budgets, the given one and a tenth below and
above it, or of the given one alone with `--exact`. Each idea is left out in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final

from retention_system import as_turn
from rich.progress import Progress

from turnfold import Policy
from turnfold_worker.offline import fold

BUDGETS: Final = {"locomo": ("1,000", "10 %", "20 %"), "beam": ("4,000", "10 %"), "swe": ("500", "1,000")}
"""Budgets of each set, in tokens or as shares of a conversation."""
QUERY_BUDGETS: Final = {"locomo": ("500", "1,000", "2,000"), "beam": ("1,000", "4,000"), "swe": ("1,000",)}
NEAR: Final = (0.9, 1.0, 1.1)
NAMES: Final = {"locomo": "LoCoMo", "beam": "BEAM", "swe": "SWE"}
_TURN_NOTES: Final = "turnfold_worker.pipeline.notes.turn_notes"
_WORD_WEIGHTS: Final = "turnfold_worker.pipeline.notes.word_weights"
_TOLD_CLAUSES: Final = "turnfold_worker.pipeline.notes.told_clauses"
_ORDER: Final = "turnfold_worker.pipeline.notes.ranking"
_HITS: Final = "turnfold.search.note_hits"
_QUERY_READ: Final = "turnfold.database.query_read"
_OUTLINE: Final = "turnfold_worker.pipeline.outline"
_USUAL: Final = 3.0
"""The rarity of every word when rarity is left out."""


@dataclass(frozen=True, slots=True)
class Idea:
    """Replacements that leave out an idea."""

    instead: tuple[tuple[str, str, Any], ...] = ()
    """Module, name, and the replacement."""
    policy: Policy | None = None


def _giving(*, value: Any) -> Callable[..., Any]:
    """Return a function that returns `value` for any arguments."""
    return lambda *_, **__: value


def _as_scored(scores: Any, *_: Any) -> Any:
    return scores


_NEVER: Final = _giving(value=False)

IDEAS: Final = {
    "nothing": Idea(),
    "redundancy (a word taken before counts half)": Idea(
        ((_ORDER, "_DECAY", 1.0), (_ORDER, "_HEAVY_DECAY", 1.0)),
    ),
    "voices weighed by how little they speak": Idea(((_ORDER, "voices", _giving(value={})),)),
    "long sentences cut into clauses": Idea(((_TOLD_CLAUSES, "LONGEST_CLAUSE", 10**9),)),
    "names and what is quoted ×3": Idea(((_WORD_WEIGHTS, "_NAMED", 1.0),)),
    "fewer words where room is tight": Idea(((_TURN_NOTES, "telegraphic", _giving(value="")),)),
    "nothing for pleasantries": Idea(((_TURN_NOTES, "is_phatic", _NEVER),)),
    "what would be missed (salience)": Idea(((_TURN_NOTES, "salience", _giving(value=0.5)),)),
    "rarity of words": Idea(((_WORD_WEIGHTS, "rarity_of", _giving(value=_USUAL)),)),
    "less for words of feeling": Idea(((_WORD_WEIGHTS, "FEELING_SHARE", 1.0),)),
    "more for words taken up again": Idea(((_WORD_WEIGHTS, "_TAKEN_UP", (1.0,) * 4),)),
    "the charge of six tokens a note": Idea(((_ORDER, "OVERHEAD", 0),)),
    "heavy words count .35 when said again": Idea(((_ORDER, "_HEAVY_DECAY", 0.5),)),
    "the line of names": Idea(((_OUTLINE, "rank", _giving(value=())),)),
    "names of turns not folded yet": Idea(((_OUTLINE, "_TAIL_NAMES", 0),)),
    "what was done last": Idea(policy=Policy(name="no-actions", actions_share=0.0)),
    "anchors and recent turns": Idea(policy=Policy(name="notes-alone", anchors_share=0.0, recent_share=0.0)),
}

QUERY_IDEAS: Final = {
    "nothing": Idea(),
    "what neighbours lend each other": Idea((("turnfold.search.turn_scores", "_with_neighbours", _as_scored),)),
    "more for a speaker who is named": Idea(((_HITS, "_SPEAKER", 0.0),)),
    "redundancy (a word taken before counts .35)": Idea(((_HITS, "_DECAY", 1.0),)),
    "a note's own worth": Idea(((_HITS, "_MANNER", 0.0),)),
    "better hits preferred by the third power": Idea(((_HITS, "_SHARPNESS", 1.0),)),
    "what a person wants from now on, or prefers": Idea(((_QUERY_READ, "with_standing", _as_scored),)),
    "notes that are not asked for": Idea(policy=Policy(name="asked-alone", unasked_share=0.0)),
}

Retained = tuple[dict[tuple[str, str], float], int]
"""The share of surviving answers by set and budget, and the number of contexts that exceeded theirs."""


def survived(name: str, harness: str, data: str, *, query: bool, shares: Sequence[float]) -> Retained:
    """Measure contexts without an idea, which is removed from this process for good."""
    idea = (QUERY_IDEAS if query else IDEAS)[name]
    for module, attribute, value in idea.instead:
        loaded = importlib.import_module(module)
        if not hasattr(loaded, attribute):
            msg = f"{module} has no {attribute} any more: mend the entry {name!r}"
            raise AttributeError(msg)
        setattr(loaded, attribute, value)
    sys.path.insert(0, harness)
    reading, metrics = importlib.import_module("data"), importlib.import_module("metrics")
    count = importlib.import_module("textutil").count_tokens
    policy: str | Policy = idea.policy or "balanced"
    found: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    overshoots = 0
    for data_set, budgets in (QUERY_BUDGETS if query else BUDGETS).items():
        for conversation in reading.load(Path(data) / f"{data_set}.dev.jsonl"):
            whole = count(reading.render(conversation.turns))
            turns = [as_turn(turn, seq) for seq, turn in enumerate(conversation.turns, start=1)]
            probes = metrics.probes(conversation)
            with fold(turns, conversation_id=conversation.id) as folded:
                for label, share in product(budgets, shares):
                    read = partial(folded.context, budget_tokens=int(share * _tokens(label, whole)), policy=policy)
                    asked = [[probe] for probe in probes] if query else [probes]
                    for those in asked:
                        context = read(query=those[0].question.q if query else None, count_tokens=count)
                        overshoots += count(context.text) > context.budget.budget_tokens
                        index = metrics.Index(context.text)
                        judged = [metrics.score(probe, index).survived for probe in those]
                        found[data_set, label] += [one for one in judged if one is not None]
    return {key: sum(judged) / len(judged) for key, judged in found.items()}, overshoots


def _tokens(budget: str, whole: int) -> float:
    if budget.endswith("%"):
        return whole * int(budget.removesuffix(" %")) / 100
    return int(budget.replace(",", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness", help="the harness's folder")
    parser.add_argument("data", help="its folder of sets")
    parser.add_argument("--query", action="store_true", help="with the questions as queries")
    parser.add_argument("--only", nargs="+", metavar="IDEA", help="rows of the table, by their names")
    parser.add_argument("--exact", action="store_true", help="at the given budgets alone")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    ideas = QUERY_IDEAS if given.query else IDEAS
    chosen = given.only or list(ideas)
    if unknown := [idea for idea in chosen if idea not in ideas]:
        parser.error(f"unknown idea {unknown[0]!r}: choose among {', '.join(ideas)}")
    labels = [
        (name, label) for name, budgets in (QUERY_BUDGETS if given.query else BUDGETS).items() for label in budgets
    ]
    measured = partial(survived, query=given.query, shares=(1.0,) if given.exact else NEAR)
    above = 0
    rows: dict[str, str] = {}
    spawned = multiprocessing.get_context("spawn")
    with Progress() as bar, ProcessPoolExecutor(given.processes, spawned, max_tasks_per_child=1) as pool:
        running = {pool.submit(measured, idea, given.harness, given.data): idea for idea in chosen}
        for done in bar.track(as_completed(running), total=len(running), description="ideas"):
            shares_left, overshoots = done.result()
            above += overshoots
            cells = " | ".join(_shown(shares_left[key]) for key in labels)
            rows[running[done]] = f"| {running[done]} | {cells} |"
    print("| without | " + " | ".join(f"{NAMES[name]} {label}" for name, label in labels) + " |")
    print("|---" + "|--:" * len(labels) + "|")
    print("\n".join(rows[idea] for idea in chosen))
    print(f"\ncontexts above their budget: {above}")


def _shown(share: float) -> str:
    return "1.00" if share == 1.0 else f"{share:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
