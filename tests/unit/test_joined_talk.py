"""Joined conversations have whole parts, speakers who alternate over each join, and boundaries at the joins."""

from __future__ import annotations

import importlib.util
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

_SPEC = importlib.util.spec_from_file_location(
    "joined_talk", Path(__file__).parents[2] / "benchmarks" / "joined_talk.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
joined_talk = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(joined_talk)
PARTS: int = joined_talk.PARTS


def row(number: int, turns: int, boundaries: list[int] | None = None) -> dict[str, Any]:
    """Return a conversation whose texts identify its turns."""
    said = [{"speaker": "AB"[at % 2], "text": f"{number}/{at}"} for at in range(turns)]
    return {"id": str(number), "turns": said, **({} if boundaries is None else {"boundaries": boundaries})}


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def parts(path: Path, take: str) -> list[tuple[str, list[dict[str, str]]]]:
    chance = random.Random(1)
    return [part for one in joined_talk.conversations(path) for part in joined_talk.parts_of(one, take, chance)]


@pytest.mark.parametrize("take", ["whole", "topic", "opening", "3", "4"])
def test_speakers_take_turns_over_every_join_and_neighbours_are_of_different_talks(tmp_path: Path, take: str) -> None:
    path = written(tmp_path / "set.jsonl", [row(number, 5 + number % 7, [4]) for number in range(2 * PARTS)])
    made = list(joined_talk.joined(parts(path, take)))
    assert made
    for turns, boundaries in made:
        assert len(boundaries) == PARTS - 1
        assert all(one["speaker"] != other["speaker"] for one, other in pairwise(turns))
        starts = [0, *boundaries, len(turns)]
        of = [{one["text"].split("/")[0] for one in turns[start:end]} for start, end in pairwise(starts)]
        assert all(len(names) == 1 for names in of)
        assert all(one != other for one, other in pairwise(of))


@pytest.mark.parametrize(
    ("take", "lengths"),
    [("whole", [8]), ("topic", [4]), ("opening", range(2, 9)), ("7", range(4, 9)), ("3", range(2, 7))],
)
def test_a_part_is_as_long_as_was_asked(tmp_path: Path, take: str, lengths: list[int]) -> None:
    path = written(tmp_path / "set.jsonl", [row(number, 9, [5]) for number in range(2 * PARTS)])
    made = list(joined_talk.joined(parts(path, take)))
    assert made
    for turns, boundaries in made:
        assert {end - start for start, end in pairwise([0, *boundaries, len(turns)])} <= set(lengths)


def test_a_part_holds_its_turns_in_their_order(tmp_path: Path) -> None:
    path = written(tmp_path / "set.jsonl", [row(number, 6) for number in range(PARTS)])
    ((turns, boundaries),) = joined_talk.joined(parts(path, "whole"))
    first = [one["text"] for one in turns[: boundaries[0]]]
    assert first == [f"{first[0].split('/')[0]}/{at}" for at in range(6)]


def test_what_is_no_talk_of_two_by_turns_is_not_read(tmp_path: Path) -> None:
    three = row(1, 4)
    three["turns"][3]["speaker"] = "C"
    twice = row(2, 4)
    twice["turns"][3]["speaker"] = "A"
    path = written(tmp_path / "set.jsonl", [three, twice])
    assert [(one["id"], len(one["turns"])) for one in joined_talk.conversations(path)] == [("2", 3)]


def test_roles_and_contents_are_read_as_speakers_and_texts(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    path = written(tmp_path / "set.jsonl", [{"id": "a", "turns": turns}])
    (found,) = joined_talk.conversations(path)
    assert found["turns"] == [{"speaker": "user", "text": "Hi."}, {"speaker": "assistant", "text": "Hello."}]


def test_the_same_file_is_written_each_time_and_ids_can_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "talk.dev.jsonl", [row(number, 6) for number in range(3 * PARTS)])
    other = written(tmp_path / "other.jsonl", [row(number, 6) for number in range(PARTS)])
    texts = []
    for out in ("one", "two"):
        command = ["joined_talk", str(path), str(tmp_path / out), "whole", "--without", str(other)]
        monkeypatch.setattr("sys.argv", command)
        joined_talk.main()
        texts.append((tmp_path / out / "talk.jsonl").read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) == 2
    assert '"1/0"' not in texts[0]
    assert "2 conversations of 10 parts, 6.0 turns a part" in capsys.readouterr().out


@pytest.mark.parametrize("take", ["whole", "1", "halves"])
def test_too_few_parts_and_unknown_ones_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, take: str) -> None:
    path = written(tmp_path / "set.jsonl", [row(1, 6)])
    monkeypatch.setattr("sys.argv", ["joined_talk", str(path), str(tmp_path / "out"), take])
    with pytest.raises(SystemExit):
        joined_talk.main()
    assert not (tmp_path / "out").exists()
