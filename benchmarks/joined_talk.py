"""Join short dialogues, or pieces of long ones, into conversations with known topics, which change at the joins.

python benchmarks/joined_talk.py SET.jsonl OUT whole      # dialogues as they are
python benchmarks/joined_talk.py SET.jsonl OUT topic      # each up to its first marked change of topic
python benchmarks/joined_talk.py SET.jsonl OUT opening    # the first 2 to 10 turns of each
python benchmarks/joined_talk.py SET.jsonl OUT 7          # pieces of about 7 turns that cover each dialogue
python benchmarks/joined_talk.py SET.jsonl OUT whole --without OTHER.jsonl   # less those whose id is in another set

SET has a conversation a line: `id`, `turns` of `speaker` and `text` (or `role` and `content`), and optionally
`boundaries`, the indexes of the turns that begin a topic. `OUT/SET.jsonl` has lines of the same form for a segmentation
harness, with the joins as boundaries. Two speakers alternate in every conversation, also across joins, so that speakers
do not reveal a join; neighbouring parts come from different conversations. Equal input makes equal files.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

SEED: Final = 20261123
PARTS: Final = 10
"""Parts of a joined conversation."""
OPENINGS: Final = range(2, 11, 2)
"""Turns of an opening."""
NEAR: Final = 3
"""Largest deviation of a piece from the wanted length, so that counting turns does not find the joins."""
LEAST: Final = 2
"""Minimum turns of a part."""

Turn = dict[str, str]
Part = tuple[str, list[Turn]]
"""The id of its conversation, and its turns."""


def conversations(path: Path, without: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Yield the rows of a set, each turn with `speaker` and `text`; the two speakers become `user` and `assistant`.

    Speakers are named by who comes first. Rows without exactly two speakers are left out, so that parts of
    different rows alternate. Two consecutive turns of one speaker end the part of a row that is read.
    """
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["id"] in without:
                continue
            turns = [
                {"speaker": str(turn.get("speaker") or turn["role"]), "text": str(turn.get("text") or turn["content"])}
                for turn in row["turns"]
            ]
            if len({turn["speaker"] for turn in turns}) == 2:
                yield row | {"turns": list(_taking_turns(turns))}


def _taking_turns(turns: Sequence[Turn]) -> Iterator[Turn]:
    first, last = turns[0]["speaker"], ""
    for turn in turns:
        if turn["speaker"] == last:
            return
        last = turn["speaker"]
        yield {"speaker": "user" if turn["speaker"] == first else "assistant", "text": turn["text"]}


def parts_of(row: dict[str, Any], take: str, chance: random.Random) -> Iterator[Part]:
    """Yield the parts used of a conversation; each begins with the user and ends with the assistant."""
    turns = row["turns"]
    if take.isdecimal():
        sizes = [size for size in range(int(take) - NEAR, int(take) + NEAR + 1) if size >= LEAST and size % 2 == 0]
        start, size = 0, chance.choice(sizes)
        while start + size <= len(turns):
            yield row["id"], turns[start : start + size]
            start, size = start + size, chance.choice(sizes)
        return
    end = len(turns)
    if take == "topic":
        end = min(row.get("boundaries") or [end])
    elif take == "opening":
        end = min(chance.choice(OPENINGS), end)
    part = turns[: end - end % 2]
    if len(part) >= LEAST:
        yield row["id"], part


def joined(parts: Sequence[Part]) -> Iterator[tuple[list[Turn], list[int]]]:
    """Yield conversations of `PARTS` parts each, with the indexes at which parts after the first begin."""
    waiting = list(parts)
    while len(waiting) >= PARTS:
        turns: list[Turn] = []
        boundaries: list[int] = []
        of = ""
        for _ in range(PARTS):
            # The last part from a different conversation than the previous one, if there is any.
            place = next((i for i in reversed(range(len(waiting))) if waiting[i][0] != of), len(waiting) - 1)
            of, part = waiting.pop(place)
            if turns:
                boundaries.append(len(turns))
            turns += part
        yield turns, boundaries


def main() -> None:
    """Write one file and print the lengths of its parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="JSONL: a conversation a line")
    parser.add_argument("out", type=Path, help="folder for the file")
    parser.add_argument("take", help="whole, topic, opening, or a number of turns")
    parser.add_argument("--without", type=Path, help="JSONL: ids of conversations to leave out")
    arguments = parser.parse_args()
    if arguments.take not in {"whole", "topic", "opening"} and not (
        arguments.take.isdecimal() and int(arguments.take) >= LEAST
    ):
        parser.error("take: whole, topic, opening, or a number of turns from 2")
    chance = random.Random(SEED)  # noqa: S311 - parts to join, no secret
    without = frozenset(row["id"] for row in conversations(arguments.without)) if arguments.without else frozenset()
    parts = [part for row in conversations(arguments.set, without) for part in parts_of(row, arguments.take, chance)]
    chance.shuffle(parts)
    rows = list(joined(parts))
    if not rows:
        parser.error(f"{arguments.set}: {len(parts)} parts of talk of two, and a conversation needs {PARTS}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    target = arguments.out / f"{arguments.set.name.split('.')[0]}.jsonl"
    made = ({"id": f"joined-{n}", "turns": turns, "boundaries": cuts} for n, (turns, cuts) in enumerate(rows, start=1))
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in made), encoding="utf-8")
    length = sum(len(turns) for turns, _ in rows) / (PARTS * len(rows))
    print(f"{target}: {len(rows)} conversations of {PARTS} parts, {length:.1f} turns a part")


if __name__ == "__main__":
    main()
