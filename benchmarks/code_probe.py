"""Measure whether contexts of small budgets show a fenced block of code whole when a query asks for it.

python benchmarks/code_probe.py FOLDER [--most 40]

FOLDER contains JSONL files with a conversation of `id` and `turns` in each line. Requests are generated from the blocks
themselves: by an identifier, by the words that introduce a block, for the newest and the first of several versions.
Those for `code_probe_blocks`, which are inserted into each conversation, are written by hand. Prints the share of
requests whose block is whole in the context, among blocks that take at most half of the budget.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from code_probe_blocks import MADE
from retention_system import as_turn

from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import fold

BUDGETS = (1_000, 2_000, 4_000)
_FENCE = re.compile(r"^([ \t]*)```([^\n`]*)\n(.*?)\n[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
_IDENTIFIER = re.compile(r"\b(?:[a-z]+_[a-z_]+[a-z]|[a-z]+(?:[A-Z][a-z]+)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+)\b")
_WORD = re.compile(r"[A-Za-z][a-z]{3,}")
_DULL = frozenset(
    _WORD.findall(
        "here with this that your will have need first then next make sure using following example update step create"
        " from code file want help some like into there when also more them what should would could"
    )
)
_ALIKE = 0.5
_SHORTEST = 40
"""Code points of the shortest block that is requested."""
_FEWEST_WORDS, _MOST_WORDS = 2, 4
_BESIDE = 60
"""Tokens of a context's half reserved for lines around a block."""


@dataclass(frozen=True)
class Held:
    """A fenced block of a conversation."""

    seq: int
    language: str
    text: str
    before: str


@dataclass(frozen=True)
class Asked:
    """A request, and the text of the requested block."""

    kind: str
    query: str
    text: str


def main() -> None:
    """Ask for every block and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="JSONL files: a conversation with `id` and `turns` a line")
    parser.add_argument("--most", type=int, default=40, help="requests of a kind and conversation")
    parser.add_argument("--misses", action="store_true", help="print what was not shown")
    arguments = parser.parse_args()
    counts: dict[tuple[str, int], list[bool]] = {}
    for name, original in _conversations(arguments.folder):
        turns = _with_made(original)
        requests = [*_made(), *_requests(_held(turns), most=arguments.most)]
        with fold(turns, conversation_id=name) as folded:
            for asked in requests:
                for budget in BUDGETS:
                    if estimate_tokens(asked.text) > budget // 2 - _BESIDE:
                        continue
                    shown = folded.context(budget_tokens=budget, query=asked.query).text
                    stands = _bare(asked.text) in _bare(shown)
                    counts.setdefault((asked.kind, budget), []).append(stands)
                    if arguments.misses and not stands:
                        print(f"{name} {budget} {asked.kind}: {asked.query!r} -> {asked.text[:100]!r}")
    for (kind, budget), found in sorted(counts.items()):
        print(f"{kind:14} {budget:6} {sum(found):4} of {len(found):4}  {sum(found) / len(found):.3f}")
    for budget in BUDGETS:
        found = [one for (_, size), ones in counts.items() if size == budget for one in ones]
        print(f"{'all':14} {budget:6} {sum(found):4} of {len(found):4}  {sum(found) / max(1, len(found)):.3f}")


def _conversations(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            turns = [as_turn(SimpleNamespace(**turn), seq) for seq, turn in enumerate(row["turns"], start=1)]
            if any("```" in turn["content"] for turn in turns):
                yield row["id"], turns


def _with_made(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the turns with the made blocks inserted between the first and the last tenth."""
    longer = list(turns)
    step = max(1, len(turns) * 8 // 10 // len(MADE))
    for i, made in reversed(list(enumerate(MADE))):
        at = len(turns) // 10 + i * step
        longer[at:at] = [
            {"turn_id": f"m{i}q", "role": "user", "content": made.question},
            {"turn_id": f"m{i}a", "role": "assistant", "content": made.answer},
        ]
    return longer


def _made() -> list[Asked]:
    return [Asked(made.version or "paraphrased", query, made.block) for made in MADE for query in made.queries]


def _held(turns: Sequence[dict[str, Any]]) -> list[Held]:
    return [
        Held(seq, match[2].strip(), match[3], turn["content"][max(0, match.start() - 200) : match.start()])
        for seq, turn in enumerate(turns, start=1)
        if turn["role"] != "tool"
        for match in _FENCE.finditer(turn["content"])
    ]


def _requests(held: Sequence[Held], *, most: int) -> list[Asked]:
    """Return requests for blocks that are long enough to be worth asking for."""
    identified: dict[str, Asked] = {}
    introduced: dict[str, Asked] = {}
    newest: dict[str, Asked] = {}
    oldest: dict[str, Asked] = {}
    made = {made.block for made in MADE}
    for block in held:
        if len(block.text) < _SHORTEST or block.text in made:
            continue
        for word in dict.fromkeys(_IDENTIFIER.findall(block.text)):
            holding = [one for one in held if re.search(rf"\b{word}\b", one.text)]
            if len(holding) == 1 and not any(word in one.before for one in held if one is not block):
                identified[block.text] = Asked("identifier", f"Show me the code with {word} again.", block.text)
            elif len(holding) > 1 and all(_are_alike(one, holding[-1]) for one in holding):
                newest[word] = Asked("newest version", f"Can you paste the code that has {word}?", holding[-1].text)
                query = f"What was the first version of the code with {word}?"
                oldest[word] = Asked("first version", query, holding[0].text)
                break
        if words := _introducing(block):
            meant = [one for one in held if all(word in f"{one.before} {one.text}".lower() for word in words)]
            if all(_are_alike(one, block) for one in meant):
                newest_one = [one for one in held if one.seq >= block.seq and _are_alike(one, block)][-1]
                query = f"Please show the {block.language or 'code'} snippet about {' '.join(words)} once more"
                introduced[query] = Asked("introduced", query, newest_one.text)
    found = (identified, introduced, newest, oldest)
    return [asked for ones in found for asked in _spread(list(ones.values()), most)]


def _introducing(block: Held) -> list[str]:
    """Return the words of the line before a block; none if too few to identify it or too many for a question."""
    line = block.before.split("```")[-1].strip().rsplit("\n", 1)[-1].lower()
    words = [word for word in dict.fromkeys(_WORD.findall(line)) if word not in _DULL]
    return words if _FEWEST_WORDS <= len(words) <= _MOST_WORDS else []


def _are_alike(one: Held, other: Held) -> bool:
    """Return whether two blocks are versions of each other, with most lines in common."""
    lines, others = _lines(one.text), _lines(other.text)
    return len(lines & others) >= _ALIKE * max(1, len(lines | others))


@cache
def _lines(text: str) -> frozenset[str]:
    return frozenset(filter(None, map(str.strip, text.splitlines())))


def _spread(found: Sequence[Asked], most: int) -> list[Asked]:
    return list(found) if len(found) <= most else [found[i * len(found) // most] for i in range(most)]


def _bare(text: str) -> str:
    """Return the text without indentation."""
    return "\n".join(line.strip() for line in text.splitlines())


if __name__ == "__main__":
    main()
