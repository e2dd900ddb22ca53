from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.importing.transcripts import InvalidFile, Transcript, read_transcripts

Write = Callable[[str, object], Path]

TURNS = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi, how can I help?"}]


def read(path: Path, conversation_id: str | None = None) -> list[Transcript]:
    return read_transcripts(path, conversation_id=conversation_id, max_turn_bytes=1_048_576)


def contents(transcript: Transcript) -> list[Any]:
    return [turn["content"] for turn in transcript.turns]


def test_a_file_of_turns_is_one_conversation_named_after_the_file(write: Write) -> None:
    (transcript,) = read(write("support chat.jsonl", TURNS))

    assert transcript.conversation_id == "support chat"
    assert contents(transcript) == ["Hello.", "Hi, how can I help?"]


def test_empty_lines_a_byte_order_mark_and_windows_line_ends_do_not_matter(write: Write) -> None:
    lines = "\ufeff" + "\r\n\r\n".join(json.dumps(turn) for turn in TURNS) + "\r\n"

    (transcript,) = read(write("chat.jsonl", lines))

    assert contents(transcript) == ["Hello.", "Hi, how can I help?"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_array_of_messages_is_one_conversation(write: Write, indent: int | None) -> None:
    (transcript,) = read(write("chat.json", json.dumps(TURNS, indent=indent)))

    assert contents(transcript) == ["Hello.", "Hi, how can I help?"]


def test_a_line_separator_inside_a_string_does_not_end_a_line(write: Write) -> None:
    turn = json.dumps({"role": "user", "content": "one\u2028two\x85three"}, ensure_ascii=False)

    (transcript,) = read(write("chat.jsonl", turn + "\n"))

    assert contents(transcript) == ["one\u2028two\x85three"]


@pytest.mark.parametrize("key", ["turns", "messages"])
def test_each_line_may_be_a_whole_conversation_with_its_own_id(write: Write, key: str) -> None:
    lines = [{"id": "first", key: TURNS}, {"conversation_id": "second", key: TURNS[:1]}, {key: TURNS}]

    found = read(write("many.jsonl", lines))

    assert [transcript.conversation_id for transcript in found] == ["first", "second", "many-3"]
    assert [len(transcript.turns) for transcript in found] == [2, 1, 2]


def test_one_conversation_may_be_spread_over_many_lines(write: Write) -> None:
    (transcript,) = read(write("one.json", json.dumps({"id": "c", "turns": TURNS}, indent=2)))

    assert transcript.conversation_id == "c"


def test_a_conversation_id_renames_one_conversation_but_not_many(write: Write) -> None:
    assert read(write("one.jsonl", TURNS), "mine")[0].conversation_id == "mine"
    assert read(write("one.jsonl", [{"id": "theirs", "turns": TURNS}]), "mine")[0].conversation_id == "mine"


def test_turns_without_an_id_get_the_same_one_at_every_reading(write: Write) -> None:
    (first,) = read(write("chat.jsonl", TURNS))
    (again,) = read(write("chat.jsonl", [*TURNS, {"role": "user", "content": "Hello."}]))

    ids = [turn["turn_id"] for turn in again.turns]
    assert [turn["turn_id"] for turn in first.turns] == ids[:2]
    assert len(set(ids)) == 3
    assert ids == sorted(ids)


def test_given_turn_ids_are_kept(write: Write) -> None:
    (transcript,) = read(write("chat.jsonl", [{**TURNS[0], "turn_id": "m-1"}, TURNS[1]]))

    assert transcript.turns[0]["turn_id"] == "m-1"


BAD_FILES = {
    "a line that is not JSON": ('{"role": "user", "content": "a"}\n{oops\n', r"chat\.jsonl:2: is not JSON"),
    "prose": ("Dear diary,\n", r"chat\.jsonl:1: is not JSON"),
    "broken array": ('[{"role": "user"},\n oops]', r"chat\.jsonl:2: is not JSON"),
    "unknown role": ('{"role": "boss", "content": "a"}\n', r"chat\.jsonl:1: .*turn 1: unknown role 'boss'"),
    "no role": ('{"content": "a"}\n', r"chat\.jsonl:1: .*the turn has no role"),
    "empty turn": ('\n{"role": "user", "content": ""}\n', r"chat\.jsonl:2: .*has no content"),
    "a number as content": ('{"role": "user", "content": 5}\n', r"chat\.jsonl:1: .*content must be text"),
    "a line that is a string": ('"hello"\n', r"chat\.jsonl:1: .*must be a Turn or an object"),
    "a naive time": (
        '{"role": "user", "content": "a", "created_at": "2026-01-01T00:00:00"}\n',
        r"chat\.jsonl:1: .*no time zone",
    ),
    "the same id twice": (
        '{"role": "user", "content": "a", "turn_id": "x"}\n{"role": "user", "content": "b", "turn_id": "x"}\n',
        r"chat\.jsonl:2: .*turn_id 'x' is already used by turn 1",
    ),
    "turns that are no list": ('{"id": "c", "turns": "none"}\n', r"chat\.jsonl:1: .*must be a list, not text"),
    "turns and conversations mixed": (
        '{"id": "c", "turns": []}\n{"role": "user", "content": "a"}\n',
        r"chat\.jsonl:2: the file mixes turns and whole conversations",
    ),
    "an id with control characters": (
        '{"id": "a\\nb", "turns": [{"role": "user", "content": "a"}]}\n',
        r"chat\.jsonl:1: .*control characters.*--conversation",
    ),
    "a number that Python does not read": (
        '{"role": "user", "content": ' + "9" * 5000 + "}\n",
        r"chat\.jsonl:1: contains a number with too many digits",
    ),
    "the same in an array": ("[" + "9" * 5000 + "]", r"chat\.jsonl:1: contains a number with too many digits"),
    "nothing at all": ("\n\n", r"chat\.jsonl: the file contains no turns"),
    "another encoding": ("é".encode("latin-1"), r"chat\.jsonl: is not UTF-8 text \(byte 0\)"),
}


@pytest.mark.parametrize(("content", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_place_is_named_by_file_and_line(write: Write, content: object, message: str) -> None:
    with pytest.raises(InvalidFile, match=message):
        read(write("chat.jsonl", content))


def test_every_bad_place_is_named_up_to_ten(write: Write) -> None:
    with pytest.raises(InvalidFile) as raised:
        read(write("chat.jsonl", [{"role": "boss", "content": "a"}] * 12))

    lines = str(raised.value).splitlines()
    assert len(lines) == 12
    assert "… and 2 more" in lines
    assert lines[-1] == "nothing was imported from this file"


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be read"):
        read(tmp_path / "nowhere.jsonl")
    with pytest.raises(InvalidFile, match="is a folder: give the files in it"):
        read(tmp_path)


def test_a_turn_above_the_limit_is_refused_before_anything_is_sent(write: Write) -> None:
    path = write("chat.jsonl", [{"role": "user", "content": "a" * 3000}])

    with pytest.raises(InvalidFile, match="exceeds the limit of 2048"):
        read_transcripts(path, conversation_id=None, max_turn_bytes=2048)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(lines=st.lists(JSON, max_size=5))
def test_any_json_is_either_read_or_refused_with_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, lines: list[object]
) -> None:
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))

    try:
        found = read(path)
    except InvalidFile as error:
        assert str(error).startswith(str(path))  # noqa: PT017
    else:
        assert all(transcript.turns for transcript in found)


@pytest.mark.parametrize(
    ("content", "remedy"),
    [(gzip.compress(b"{}", mtime=0), "gunzip"), (b"PK\x03\x04rest", "conversations.json")],
    ids=["gzip", "zip"],
)
def test_a_packed_file_is_to_be_unpacked(write: Write, content: bytes, remedy: str) -> None:
    with pytest.raises(InvalidFile, match=remedy):
        read(write("export.zip", content))
