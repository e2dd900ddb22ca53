"""The edge refuses invalid turns with a message that names the fault."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import json_values
from turnfold import InvalidIdentifier, InvalidInput, InvalidTurn, Turn
from turnfold.wire.encode import accept
from turnfold.wire.json_values import MAX_DEPTH

ROOMY = 16 * 1_048_576


def refusal(turn: object, *, max_bytes: int = ROOMY) -> str:
    """Return the message of the `InvalidTurn` that a turn raises."""
    with pytest.raises(InvalidTurn) as refused:
        accept(turn, max_bytes=max_bytes)
    return str(refused.value)


def user(**fields: object) -> dict[str, object]:
    return {"role": "user", "content": "Hello.", **fields}


def test_a_message_may_name_its_own_subject_but_no_other_than_its_append() -> None:
    assert json.loads(accept(user(subject="user-ana"), max_bytes=ROOMY).body)["subject"] == "user-ana"
    assert json.loads(accept(user(subject="u"), max_bytes=ROOMY, subject="u").body) == user(subject="u")
    with pytest.raises(InvalidTurn, match="pass only one of them"):
        accept(user(subject="user-ana"), max_bytes=ROOMY, subject="user-ben")
    with pytest.raises(InvalidIdentifier, match="subject must be a string, not int"):
        accept(user(subject=7), max_bytes=ROOMY)


@pytest.mark.parametrize("role", ["moderator", "", "USER", 7, ["user"]])
def test_an_unknown_role_is_refused_with_the_list_of_known_ones(role: object) -> None:
    message = refusal({"role": role, "content": "Hello."})
    assert "unknown role" in message
    assert "system, developer, user, assistant, tool" in message


def test_a_turn_without_a_role_is_refused_with_the_list_of_them() -> None:
    message = refusal({"content": "Hello."})
    assert message == "the turn has no role: use one of system, developer, user, assistant, tool"


def test_a_text_in_place_of_the_role_is_not_repeated_whole() -> None:
    assert len(refusal({"role": "my secret " * 10_000, "content": "user"})) < 200


@pytest.mark.parametrize(
    "turn",
    [
        {"role": "user"},
        {"role": "user", "content": None},
        {"role": "user", "content": ""},
        {"role": "user", "content": " \n\t"},
        {"role": "user", "content": []},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "assistant", "content": "", "annotations": []},
        Turn(role="system"),
    ],
)
def test_a_turn_that_says_nothing_is_refused(turn: object) -> None:
    assert "has no content: give text, content parts or tool_calls" in refusal(turn)


def test_a_tool_result_may_be_empty() -> None:
    body = json.loads(accept({"role": "tool", "content": "", "tool_call_id": "call-1"}, max_bytes=ROOMY).body)
    assert body == {"role": "tool", "content": "", "parts": {"tool_call_id": "call-1"}}


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        (None, "null"), (5, "a number"), ("Hello.", "text"), (b"Hello.", "bytes"), (["user", "Hello."], "a list"),
        (object(), "object"),
    ],
)  # fmt: skip
def test_what_is_neither_a_turn_nor_a_message_is_refused(turn: object, kind: str) -> None:
    assert refusal(turn) == f"a turn must be a Turn or an object with role and content, not {kind}"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (5, "a number"), (1.5, "a number"), (True, "true or false"), (b"bytes", "bytes"),
        ({"type": "text", "text": "one part, no list"}, "an object"),
    ],
)  # fmt: skip
def test_content_that_is_neither_text_nor_a_list_is_refused(content: object, kind: str) -> None:
    assert f"content must be text, a list of content parts or null, not {kind}" in refusal(
        {"role": "user", "content": content}
    )


@pytest.mark.parametrize("part", [5, None, ["text"], b"text"])
def test_a_content_part_that_is_neither_object_nor_text_is_refused(part: object) -> None:
    assert "each content part must be" in refusal({"role": "user", "content": ["Hello.", part]})


@pytest.mark.parametrize("calls", ["call", b"call", 5, {"id": "call-1"}, {1, 2}])
def test_tool_calls_that_are_no_list_are_refused(calls: object) -> None:
    assert "tool_calls must be a list" in refusal({"role": "assistant", "content": None, "tool_calls": calls})


def test_a_tool_call_that_is_no_object_is_refused() -> None:
    assert "each of tool_calls" in refusal({"role": "assistant", "content": None, "tool_calls": ["run()"]})


def test_a_tool_call_id_that_is_no_text_is_refused() -> None:
    assert "tool_call_id must be a string, not a number" in refusal({"role": "tool", "content": "", "tool_call_id": 5})


@pytest.mark.parametrize("name", [5, ["Ada"], {"first": "Ada"}])
def test_a_name_that_is_no_text_is_refused(name: object) -> None:
    assert "name must be a string" in refusal(user(name=name))


def test_a_name_of_more_than_200_characters_is_refused() -> None:
    assert "at most 200 characters long, not 201" in refusal(user(name="a" * 201))


@pytest.mark.parametrize("importance", ["urgent", "", 3, True, ["high"]])
def test_an_unknown_importance_is_refused_with_the_list_of_known_ones(importance: object) -> None:
    message = refusal(user(importance=importance))
    assert "unknown importance" in message
    assert "low, normal, medium, high, pin" in message


@pytest.mark.parametrize("created_at", [datetime(2026, 3, 2, 9, 0), "2026-03-02T09:00:00", "2026-03-02"])  # noqa: DTZ001
def test_a_time_without_a_zone_is_refused_because_a_machines_own_must_not_decide(created_at: object) -> None:
    assert "created_at has no time zone: write it as 2025-03-01T09:30:00Z" in refusal(user(created_at=created_at))


@pytest.mark.parametrize("created_at", ["yesterday", "", "2026-13-01T00:00:00Z", "12:30"])
def test_a_text_that_is_no_iso_time_is_refused(created_at: str) -> None:
    assert "is not an ISO 8601 time" in refusal(user(created_at=created_at))


@pytest.mark.parametrize("created_at", [1_700_000_000, 1.7e9, ["2026-03-02"]])
def test_a_time_of_another_type_is_refused(created_at: object) -> None:
    assert "must be a datetime or ISO 8601 text" in refusal(user(created_at=created_at))


@pytest.mark.parametrize(
    "created_at",
    [
        datetime.min.replace(tzinfo=timezone(timedelta(hours=5))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))),
    ],
)
def test_a_time_beyond_the_calendar_in_utc_is_refused(created_at: datetime) -> None:
    assert "is out of range in UTC" in refusal(user(created_at=created_at))


@pytest.mark.parametrize("metadata", ["text", 5, ["a"], [("a", 1)]])
def test_metadata_that_is_no_dict_is_refused(metadata: object) -> None:
    assert re.search("metadata must be an object, not (text|a number|a list)", refusal(user(metadata=metadata)))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_does_not_have_are_refused(number: float) -> None:
    assert "a turn must be JSON" in refusal(user(metadata={"score": number}))
    assert "a turn must be JSON" in refusal({"role": "user", "content": [{"type": "chart", "value": number}]})


@pytest.mark.parametrize("value", [datetime(2026, 3, 2, tzinfo=UTC), {1, 2}, b"bytes", object()])
def test_metadata_that_json_does_not_have_is_refused(value: object) -> None:
    assert "a turn must be JSON" in refusal(user(metadata={"value": value}))


def test_metadata_that_holds_itself_is_refused() -> None:
    metadata: dict[str, Any] = {}
    metadata["self"] = metadata
    assert "must not be nested" in refusal(user(metadata=metadata))


def test_parts_that_are_nested_too_deep_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    assert f"more than {MAX_DEPTH} levels deep" in refusal(
        {"role": "user", "content": [{"type": "tree", "nodes": deep}]}
    )


def test_a_turn_above_the_limit_is_refused_with_its_size_and_the_way_out() -> None:
    message = refusal(user(content="ä" * 2_000), max_bytes=4_000)
    assert "exceeds the limit of 4000" in message
    assert "TURNFOLD_MAX_TURN_BYTES" in message


def test_the_limit_counts_bytes_of_the_whole_turn() -> None:
    size = len(accept(user(), max_bytes=ROOMY).body)
    assert accept(user(), max_bytes=size).body
    assert "exceeds the limit" in refusal(user(), max_bytes=size - 1)
    assert "exceeds the limit" in refusal(user(metadata={"note": "x"}), max_bytes=size)


@pytest.mark.parametrize("turn_id", ["", "a\nb", "a\x00b", "a\x7fb", "a\x85b", "a" * 201, "ä" * 101, "\ud800", 5])
def test_a_turn_id_that_cannot_be_an_id_is_refused(turn_id: object) -> None:
    with pytest.raises(InvalidIdentifier, match="turn_id"):
        accept(user(turn_id=turn_id), max_bytes=ROOMY)


FIELDS = [
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "importance",
    "created_at",
    "metadata",
    "turn_id",
    "refusal",
    "audio",
    "x",
]


@given(
    st.dictionaries(
        st.sampled_from(FIELDS),
        st.one_of(json_values(st.text(max_size=8)), st.sampled_from(["user", "assistant", "tool", "high"])),
        max_size=5,
    )
)
def test_whatever_is_given_is_taken_or_refused_by_name(turn: dict[str, object]) -> None:
    with suppress(InvalidInput):
        assert accept(turn, max_bytes=ROOMY).body
