"""The text of a message is stable, because the offsets of anchors depend on it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import json_objects, stored_text
from turnfold.wire.projection import call_line, project


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"type": "text", "text": "Hi."}, "Hi."),
        ({"type": "input_text", "text": "Hi."}, "Hi."),
        ({"type": "output_text", "text": "Hi."}, "Hi."),
        ({"type": "text", "text": None}, ""),
        ({"type": "refusal", "refusal": "No."}, "No."),
        ({"type": "refusal", "refusal": None}, ""),
        ({"type": "image"}, "[image]"),
        ({"type": "image_url"}, "[image]"),
        ({"type": "input_image"}, "[image]"),
        ({"type": "audio"}, "[audio]"),
        ({"type": "input_audio"}, "[audio]"),
        ({"type": "file"}, "[file]"),
        ({"type": "input_file", "filename": "a.csv"}, "[file a.csv]"),
        ({"type": "file", "file": {"filename": "b.csv"}}, "[file b.csv]"),
        ({"type": "document", "title": "Contract"}, "[file Contract]"),
        ({"type": "thinking", "thinking": "secret"}, "[reasoning]"),
        ({"type": "redacted_thinking"}, "[reasoning]"),
        ({"type": "reasoning"}, "[reasoning]"),
        ({"type": "tool_use", "name": "now", "input": {}}, "[call now]"),
        ({"type": "tool_use"}, "[call tool]"),
        ({"type": "tool_result", "content": "ok"}, "ok"),
        ({"type": "tool_result", "content": None}, ""),
        ({"type": "tool_result", "content": [{"type": "text", "text": "ok"}, {"type": "image"}]}, "ok\n[image]"),
        ({"type": "web_search_tool_result"}, "[web_search_tool_result]"),
        ({}, "[part]"),
        ("plain", "plain"),
    ],
)
def test_each_kind_of_part_has_its_text_or_label(part: object, text: str) -> None:
    assert project([part]) == text


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ({"function": {"name": "run", "arguments": '{"a": 1}'}}, '[call run {"a": 1}]'),
        ({"custom": {"name": "grep", "input": "TODO"}}, "[call grep TODO]"),
        ({"name": "run", "arguments": {"a": 1}}, "[call run a=1]"),
        ({"name": "run", "input": {"b": "x"}}, "[call run b='x']"),
        ({"id": "call-1"}, "[call tool]"),
    ],
)
def test_a_tool_call_is_one_line_in_every_providers_form(call: dict[str, Any], line: str) -> None:
    assert project(None, [call]) == line


def test_calls_come_after_what_was_said_a_line_each() -> None:
    calls = [{"function": {"name": name, "arguments": ""}} for name in ("first", "second")]
    assert project("Looking.", calls) == "Looking.\n[call first]\n[call second]"


def test_parts_without_text_leave_no_empty_lines() -> None:
    assert project([{"type": "text", "text": ""}, {"type": "image"}, {"type": "text", "text": ""}]) == "[image]"


@given(stored_text)
def test_plain_text_is_its_own_projection(text: str) -> None:
    assert project(text) == text


@given(st.lists(json_objects() | stored_text, max_size=4), st.lists(json_objects(), max_size=3))
def test_any_parts_and_calls_have_a_projection_and_always_the_same(parts: list[Any], calls: list[Any]) -> None:
    assert project(parts, calls) == project(parts, calls)


@given(stored_text, json_objects())
def test_a_call_line_begins_and_ends_with_brackets(name: str, arguments: dict[str, Any]) -> None:
    line = call_line(name, arguments)
    assert line.startswith("[call ")
    assert line.endswith("]")
