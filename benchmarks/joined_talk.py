"""Join whole short dialogues, or pieces of long ones, into conversations whose topics are known: where parts meet.

    python benchmarks/joined_talk.py SET.jsonl OUT whole      # dialogues as they are
    python benchmarks/joined_talk.py SET.jsonl OUT topic      # each up to the first change of topic that it marks
    python benchmarks/joined_talk.py SET.jsonl OUT opening    # the first 2 to 10 turns of each
    python benchmarks/joined_talk.py SET.jsonl OUT 7          # pieces of about so many turns, from all of each
    python benchmarks/joined_talk.py SET.jsonl OUT whole --without OTHER.jsonl   # not those whose id is in another set

SET has a conversation a line: `id`, `turns` of `speaker` and `text` (or `role` and `content`), perhaps `boundaries`,
the indexes of turns with which topics begin. `OUT/SET.jsonl` has lines of the same form for a segmentation harness, the
boundaries being the joins. Two speakers take turns in every conversation, also over a join, so that no join shows by
who speaks; neighbouring parts are of different conversations. The same files each time.
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
"""Turns that a piece is longer or shorter than wanted at most, so that no count of turns finds the joins."""
LEAST: Final = 2
"""Turns of a part at least."""

Turn = dict[str, str]
Part = tuple[str, list[Turn]]
"""The conversation that it is of, and its turns."""


def conversations(path: Path, without: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """The rows of a set but some, each turn with `speaker` and `text`; the two speakers become `user` and `assistant`.

    Speakers are named by who comes first, and rows with other than two are left out, so that parts of different rows
    can take turns. Two turns of one speaker in a row end what is read of it.
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
    """What is taken of a conversation; each part begins with the user and ends with the assistant."""
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
    """Conversations of `PARTS` parts each, with the indexes at which parts after the first begin."""
    waiting = list(parts)
    while len(waiting) >= PARTS:
        turns: list[Turn] = []
        boundaries: list[int] = []
        of = ""
        for _ in range(PARTS):
            # The last one that is of another conversation than the part before, if there is one.
            place = next((i for i in reversed(range(len(waiting))) if waiting[i][0] != of), len(waiting) - 1)
            of, part = waiting.pop(place)
            if turns:
                boundaries.append(len(turns))
            turns += part
        yield turns, boundaries


def main() -> None:
    """Write one file and say how long its parts are."""
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
