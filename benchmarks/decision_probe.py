"""Measure whether a decision in the middle of a long turn is shown when a query asks for it.

python benchmarks/decision_probe.py FOLDER [--misses]

FOLDER contains JSONL files with a conversation of `id` and `turns` in each line. Neighbouring turns are joined to turns
of some thousand tokens, and a made decision is inserted in the middle of each: as a paragraph, a sentence among others,
or an item of a list. Each query uses other words than its decision. Prints the share of decisions whose values are
together in one line of the context, by budget and by form.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from retention_system import as_turn

from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import fold

BUDGETS = (1_000, 2_000, 4_000)
_LONG = 3_000
"""Minimum estimated tokens of a turn that contains a decision."""
_FEWEST_TURNS = 30


class Decision(NamedTuple):
    """A decision, a question about it, and the values that an answer must name."""

    text: str
    query: str
    values: tuple[str, ...]


MADE = (
    Decision(
        "We decided to tie the roof beams with lime mortar and ash pegs.",
        "How will the roof beams be joined?",
        ("lime mortar", "ash pegs"),
    ),
    Decision(
        "The regatta moves to 14 June because the harbour is dredged until May.",
        "When is the regatta now?",
        ("14 June",),
    ),
    Decision(
        "From now on the apiary invoices go through Okralink instead of paper slips.",
        "Which service handles the apiary invoices?",
        ("Okralink",),
    ),
    Decision(
        "Let's use a 48 tooth sprocket on the ferry winch.", "Which sprocket did we pick for the winch?", ("48 tooth",)
    ),
    Decision(
        "We agreed that Marit signs for the lighthouse keys.", "Who signs for the keys of the lighthouse?", ("Marit",)
    ),
    Decision(
        "The choir will rehearse in the granary on Tuesdays at 19:30.",
        "Where and when does the choir practise?",
        ("granary", "19:30"),
    ),
    Decision(
        "I chose the blue heron as the emblem of the rowing club.",
        "What is on the rowing club's emblem?",
        ("blue heron",),
    ),
    Decision(
        "Never ship the kiln with its glaze shelves mounted.",
        "What is the rule about shipping the kiln?",
        ("glaze shelves",),
    ),
    Decision(
        "We will keep the tide tables in Redis and rebuild them every 6 hours.",
        "How often are the tide tables rebuilt?",
        ("6 hours",),
    ),
    Decision(
        "The budget for the orchard fence is final: 2,750 euros.",
        "How much may the fence of the orchard cost?",
        ("2,750",),
    ),
    Decision("We rejected the copper gutters and ordered zinc ones.", "Which gutters were ordered?", ("zinc",)),
    Decision(
        "The almanac is printed on 90 gram paper by Halvorsen.",
        "Who prints the almanac and on what paper?",
        ("90 gram", "Halvorsen"),
    ),
    Decision(
        "Our deadline for the seed catalogue is Friday 3 October.",
        "By when must the seed catalogue be ready?",
        ("3 October",),
    ),
    Decision(
        "The museum's lanterns must stay below 50 lux at all times.",
        "How bright may the lanterns in the museum be?",
        ("50 lux",),
    ),
    Decision(
        "I settled on the name Corncrake for the ferry's ticket app.",
        "What is the ticket app of the ferry called?",
        ("Corncrake",),
    ),
    Decision(
        "We switch the greenhouse sensors from Zigbee to LoRa next spring.",
        "Which radio will the greenhouse sensors use?",
        ("LoRa",),
    ),
)
"""Decisions that occur in no conversation."""

_OUTPUT = re.compile(r"^\s*(?:\d+:|[*/#(\[{]|bash)", re.MULTILINE)
_PLACES = ("paragraph", "sentence", "item")


def main() -> None:
    """Ask for every decision and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="JSONL files: a conversation with `id` and `turns` a line")
    parser.add_argument("--misses", action="store_true", help="print what was not shown")
    arguments = parser.parse_args()
    counts: dict[tuple[str, int], list[bool]] = {}
    for name, turns in _conversations(arguments.folder):
        with fold(_with_decisions(turns), conversation_id=name) as folded:
            for number, decision in enumerate(MADE):
                for budget in BUDGETS:
                    shown = folded.context(budget_tokens=budget, query=decision.query).text
                    stands = any(all(value in line for value in decision.values) for line in shown.splitlines())
                    for kind in (_place(number), "all"):
                        counts.setdefault((kind, budget), []).append(stands)
                    if arguments.misses and not stands:
                        print(f"{name} {budget} {_place(number)}: {decision.query!r}")
    for (kind, budget), stands in sorted(counts.items()):
        print(f"{kind:10} {budget:6} {sum(stands):4} of {len(stands):4}  {sum(stands) / len(stands):.3f}")


def _conversations(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            turns = [as_turn(SimpleNamespace(**turn), seq) for seq, turn in enumerate(row["turns"], start=1)]
            if len(turns) >= _FEWEST_TURNS:
                yield row["id"], turns


def _place(number: int) -> str:
    return _PLACES[number % len(_PLACES)]


def _with_decisions(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Insert the long turns between the first and the last tenth, alternately by user and assistant."""
    longer = list(turns)
    for number, decision in reversed(list(enumerate(MADE))):
        at = len(turns) // 10 + number * (len(turns) * 8 // 10) // len(MADE)
        role = ("user", "assistant")[number // len(_PLACES) % 2]
        # Words from far away, because a turn that repeats its neighbours gets a single line.
        far = (at + len(turns) // 2) % len(turns)
        content = _long_turn(turns[far:] + turns[:far], decision.text, _place(number))
        longer.insert(at, {"turn_id": f"d{number}", "role": role, "content": content})
    return longer


def _long_turn(turns: Sequence[dict[str, Any]], decision: str, place: str) -> str:
    """Join turns to a long one, with a decision near its middle."""
    blocks: list[str] = []
    tokens = 0
    for turn in turns:
        blocks += re.split(r"\n{2,}", turn["content"])
        tokens += estimate_tokens(turn["content"])
        if tokens >= _LONG and turn["role"] != "tool":
            break
    nearest = sorted(range(len(blocks)), key=lambda place: abs(place - len(blocks) // 2))
    middle = next((place for place in nearest if _is_prose(blocks, place)), 0)
    if place == "sentence" and _is_prose(blocks, middle):
        first, _, rest = blocks[middle].partition(". ")
        blocks[middle] = f"{first}. {decision} {rest}" if rest else f"{first} {decision}"
    else:
        blocks.insert(middle, f"- {decision}\n- The rest stays as it is." if place == "item" else decision)
    return "\n\n".join(blocks)


def _is_prose(blocks: Sequence[str], place: int) -> bool:
    """Return whether a block is a paragraph, outside fences and output of tools."""
    fences = sum(block.count("```") for block in blocks[: place + 1])
    is_code = "```" in blocks[place] or _OUTPUT.search(blocks[place])
    return fences % 2 == 0 and not is_code and blocks[place].strip().endswith(".")


if __name__ == "__main__":
    main()
