"""Count the facts in force that contexts show, and the overtaken ones shown as if they were still in force.

python benchmarks/in_force.py FACTS CONVERSATION [--budgets 300,500] [--show]

FACTS is JSON whose `facts` have a `fact`, a `question`, and the regular expressions `in_force` and `overtaken` (or
null); CONVERSATION is JSON lines of turns. For each budget, a context is read without a query, and one with each fact's
question, where only that fact counts. An overtaken value after `(before: ` or `replaces "` is marked as such and not
counted.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from turnfold_worker.offline import FoldedConversation, fold

BUDGETS: Final = (300, 500, 1_000, 2_000, 4_000, 8_000)
_BEFORE: Final = re.compile(r"\(before: [^\n]*\)$|, replaces \"[^\n]*?\"\]", re.MULTILINE)


class Standing(NamedTuple):
    """Names of the facts that a context shows."""

    in_force: list[str]
    overtaken: list[str]
    """Overtaken facts shown without the value in force."""
    beside: list[str]
    """Overtaken facts shown next to the value in force."""


def standing(text: str, facts: Sequence[Mapping[str, Any]]) -> Standing:
    """Return the facts that a context shows, and those that it shows with overtaken values."""
    shown = _BEFORE.sub("", text)
    found = Standing([], [], [])
    for fact in facts:
        holds = re.search(fact["in_force"], shown) is not None
        if holds:
            found.in_force.append(fact["fact"])
        if fact["overtaken"] and re.search(fact["overtaken"], shown):
            (found.beside if holds else found.overtaken).append(fact["fact"])
    return found


def measured(
    folded: FoldedConversation, facts: Sequence[Mapping[str, Any]], budget_tokens: int
) -> tuple[Standing, Standing]:
    """Return the facts shown without a query, and the facts shown by contexts for their own questions."""
    unasked = standing(folded.context(budget_tokens=budget_tokens).text, facts)
    each = [
        standing(folded.context(budget_tokens=budget_tokens, query=fact["question"]).text, [fact]) for fact in facts
    ]
    asked = Standing(*(list(chain.from_iterable(names)) for names in zip(*each, strict=True)))
    return unasked, asked


def _row(label: str, found: Standing, many: int) -> str:
    return f"{label} in force {len(found.in_force):2} of {many}, overtaken {len(found.overtaken)} + {len(found.beside)}"


def main() -> None:
    """Print a line for each budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=Path)
    parser.add_argument("conversation", type=Path)
    parser.add_argument("--budgets", default=",".join(map(str, BUDGETS)))
    parser.add_argument("--show", action="store_true", help="name the facts")
    options = parser.parse_args()
    facts = json.loads(options.facts.read_text())["facts"]
    turns = [json.loads(line) for line in options.conversation.read_text().splitlines() if line.strip()]
    print("overtaken: shown without the value in force + beside it")
    with fold(turns) as folded:
        for budget_tokens in map(int, options.budgets.split(",")):
            unasked, asked = measured(folded, facts, budget_tokens)
            print(f"{budget_tokens:6,}  {_row('no query:', unasked, len(facts))}   {_row('asked:', asked, len(facts))}")
            if options.show:
                for label, found in (("no query", unasked), ("asked", asked)):
                    missing = [fact["fact"] for fact in facts if fact["fact"] not in found.in_force]
                    print(f"        {label}: missing {missing}, overtaken {found.overtaken}, beside {found.beside}")


if __name__ == "__main__":
    main()
