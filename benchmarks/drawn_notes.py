"""Sample notes and standing facts from contexts of conversations, each next to its turn, to be judged by hand.

python benchmarks/drawn_notes.py SET.jsonl … [--drawn 500] [--seed 18] [--budgets 1000,4000] [--flags]

A SET has one conversation a line: `{id, turns: [{role, name, ts, content}]}`. Statements are sampled evenly over sets,
each at most once. `--flags` prints only those that a machine can doubt: with a number, a name or a negation that the
turn does not have, or without a negation of the turn's clause. Printed statements still need a judge, and others may be
wrong, too.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import tiktoken
from retention_system import parse_time

from turnfold.assemble.diff import Statement
from turnfold_worker.offline import fold

_NEGATION: Final = re.compile(r"(?i)\b(?:no|not|never|none|nobody|nothing|without|cannot|neither|nor|\w+n['\u2019]t)\b")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]\w+")
_WORD: Final = re.compile(r"\w+")
_ADDED: Final = re.compile(
    r"\((?:before: |about |since )[^)]*\)|\b(?:[Oo]n|[Ii]n|before|after|of) (?:\d{1,2} )?(?:[A-Z]\w+ )?\d{4}\b"
    r"|\bthe (?:week|weekend|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|night|month|year)s?"
    r" (?:before|after|of)\b(?! \d)"
    r"|\b\d+ (?:files?|folders?)\b",
    re.IGNORECASE,
)
"""Additions of notes to the text of turns: overtaken values, resolved dates, counts of files."""


class Drawn(NamedTuple):
    """A statement of a context, with the turns that it may come from."""

    conversation: str
    statement: Statement
    turn: str
    before: str


def told_of(path: Path, budgets: Sequence[int]) -> list[Drawn]:
    """Return all statements of a set's contexts except raw turns, once each."""
    encoder = tiktoken.get_encoding("o200k_base")
    drawn: dict[tuple[str, int, str], Drawn] = {}
    for line in path.read_text().splitlines():
        conversation = json.loads(line)
        turns = [_turn(turn, seq) for seq, turn in enumerate(conversation["turns"], start=1)]
        contents = ["", *(turn["content"] for turn in turns)]
        with fold(turns, conversation_id=conversation["id"]) as folded:
            for budget in budgets:
                context = folded.context(
                    budget_tokens=budget, count_tokens=lambda text: len(encoder.encode_ordinary(text))
                )
                for one in context.statements:
                    if one.kind != "turn":
                        told = Drawn(conversation["id"], one, contents[one.turn_seq], contents[one.turn_seq - 1])
                        drawn.setdefault((conversation["id"], one.turn_seq, one.text), told)
    return list(drawn.values())


def _turn(turn: dict[str, str], seq: int) -> dict[str, str]:
    made = {"turn_id": f"t{seq}", "role": turn["role"], "content": turn["content"] or "[empty]"}
    if turn["name"] != turn["role"]:
        made["name"] = turn["name"]
    if turn["ts"] and (time := parse_time(turn["ts"])) is not None:
        made["created_at"] = time.isoformat()
    return made


def doubts_of(drawn: Drawn) -> Iterator[str]:
    """Yield the parts of a statement that are in no turn that it may come from."""
    said = _ADDED.sub("", drawn.statement.text)
    sources = f"{drawn.before}\n{drawn.turn}"
    have = set(_WORD.findall(sources.lower()))
    if lost := {one for one in _NUMBER.findall(said) if one not in sources}:
        yield f"numbers {sorted(lost)}"
    if lost := {one for one in _NAME.findall(said) if one.lower() not in have}:
        yield f"names {sorted(lost)}"
    if _NEGATION.search(said) and not _NEGATION.search(sources):
        yield "a negation that nobody said"
    if not _NEGATION.search(said) and _denied(drawn.turn, said):
        yield "a negation lost"


def _denied(turn: str, said: str) -> bool:
    """Return whether a negated clause of the turn contains all words of a statement."""
    words = set(_WORD.findall(said.lower()))
    for clause in re.split(r"[.!?;,\n]", turn):
        if words and words <= set(_WORD.findall(clause.lower())) and _NEGATION.search(clause):
            return True
    return False


def main() -> None:
    """Print a sample, or only the doubtful part of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--drawn", type=int, default=500)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--budgets", default="1000,4000")
    parser.add_argument("--flags", action="store_true")
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311
    budgets = [int(one) for one in given.budgets.split(",")]
    sample: list[Drawn] = []
    for left, path in zip(range(len(given.sets), 0, -1), sorted(given.sets, key=str, reverse=True), strict=True):
        told = told_of(path, budgets)
        sample += chance.sample(told, min(len(told), (given.drawn - len(sample)) // left))
    doubted = 0
    for number, drawn in enumerate(sample, start=1):
        doubts = list(doubts_of(drawn))
        doubted += bool(doubts)
        if doubts or not given.flags:
            print(f"{number}. {drawn.conversation} {drawn.statement} {'; '.join(doubts)}")
            print(f"    turn: {' '.join(drawn.turn.split())[:600]}")
    print(f"{len(sample)} statements, {doubted} of them in doubt")


if __name__ == "__main__":
    main()
