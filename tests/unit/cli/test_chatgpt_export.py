from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnfold_worker.importing.transcripts import InvalidFile, read_transcripts


def node(id_: str, parent: str | None, message: dict[str, Any] | None, *children: str) -> dict[str, Any]:
    return {"id": id_, "parent": parent, "children": list(children), "message": message}


def said(role: str, *parts: object, **more: Any) -> dict[str, Any]:
    return {
        "id": f"id-{role}-{parts[0] if isinstance(parts[0], str) else 'x'}",
        "author": {"role": role},
        "content": {"content_type": "text", "parts": list(parts)},
        **more,
    }


EXPORT = [
    {
        "title": "Trip",
        "conversation_id": "conv-1",
        "current_node": "answer-2",
        "mapping": {
            "root": node("root", None, None, "hidden"),
            "hidden": node(
                "hidden",
                "root",
                {**said("system", "secret"), "metadata": {"is_visually_hidden_from_conversation": True}},
                "question",
            ),
            "question": node("question", "hidden", said("user", "Where to?", create_time=1_767_225_600.5), "a1", "a2"),
            "answer-1": node("answer-1", "question", said("assistant", "Rome.")),
            "thinking": node(
                "thinking",
                "question",
                {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": []}},
            ),
            "code": node(
                "code",
                "thinking",
                {"author": {"role": "assistant"}, "content": {"content_type": "code", "text": "search('Lisbon')"}},
            ),
            "answer-2": node(
                "answer-2",
                "code",
                said("assistant", {"content_type": "image_asset_pointer", "asset_pointer": "file-1"}, "Lisbon."),
            ),
        },
    }
]


def test_the_last_branch_of_an_export_is_read_without_what_nobody_said(write: Callable[[str, object], Path]) -> None:
    path = write("conversations.json", json.dumps(EXPORT))

    (transcript,) = read_transcripts(path, conversation_id=None, max_turn_bytes=100_000)

    assert transcript.conversation_id == "conv-1"
    assert [turn["role"] for turn in transcript.turns] == ["user", "assistant", "assistant"]
    question, code, answer = transcript.turns
    assert question["content"] == "Where to?"
    assert question["created_at"] == "2026-01-01T00:00:00.500000+00:00"
    assert question["turn_id"] == "id-user-Where to?"
    assert code["content"] == "search('Lisbon')"
    assert [part["type"] for part in answer["content"]] == ["image", "text"]


def test_an_export_without_a_current_node_ends_at_its_newest_leaf(write: Callable[[str, object], Path]) -> None:
    conversation = {
        "id": "conv-2",
        "mapping": {
            "a": node("a", None, said("user", "a", create_time=1.0), "b", "c"),
            "b": node("b", "a", said("assistant", "newer", create_time=3.0)),
            "c": node("c", "a", said("assistant", "older", create_time=2.0)),
        },
    }
    path = write("conversations.json", json.dumps([conversation]))

    (transcript,) = read_transcripts(path, conversation_id=None, max_turn_bytes=100_000)

    assert [turn["content"] for turn in transcript.turns] == ["a", "newer"]


def test_a_circle_in_a_damaged_export_ends(write: Callable[[str, object], Path]) -> None:
    mapping = {"a": node("a", "b", said("user", "a")), "b": node("b", "a", said("assistant", "b"))}
    path = write("conversations.json", json.dumps([{"id": "c", "current_node": "a", "mapping": mapping}]))

    (transcript,) = read_transcripts(path, conversation_id=None, max_turn_bytes=100_000)

    assert [turn["content"] for turn in transcript.turns] == ["b", "a"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"author": "user"}, "message 'm': its author must be an object, not text"),
        ({"content": ["a"]}, "message 'm': its content must be an object, not a list"),
        ({"metadata": 5}, "message 'm': its metadata must be an object, not a number"),
        ({"create_time": 1e308}, "message 'm': its create_time is not a valid time"),
        ({"create_time": float("nan")}, "message 'm': its create_time is not a valid time"),
    ],
)
def test_a_damaged_message_is_named(write: Callable[[str, object], Path], more: dict[str, Any], says: str) -> None:
    mapping = {"a": node("a", None, {**said("user", "a"), "id": "m", **more})}
    path = write("conversations.json", json.dumps([{"id": "c", "mapping": mapping}]))

    with pytest.raises(InvalidFile, match=f"conversations.json: conversation 1: {says}"):
        read_transcripts(path, conversation_id=None, max_turn_bytes=100_000)


@pytest.mark.parametrize("role", [[], {}, 5, None, "critic"])
def test_a_role_that_nobody_has_says_nothing(write: Callable[[str, object], Path], role: object) -> None:
    mapping = {
        "a": node("a", None, said("user", "a", create_time="now")),
        "b": node("b", "a", {**said("user", "b"), "author": {"role": role}, "create_time": 1.0}),
    }
    path = write("conversations.json", json.dumps([{"id": "c", "current_node": "b", "mapping": mapping}]))

    (transcript,) = read_transcripts(path, conversation_id=None, max_turn_bytes=100_000)

    assert [turn["content"] for turn in transcript.turns] == ["a"]
