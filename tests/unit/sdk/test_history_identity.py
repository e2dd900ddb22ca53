"""The id of a caller's message depends on its words and its position, not on how it is serialized."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.chat_history.identity import digest_of, stored_digest, turn_id_after, turn_ids
from turnfold.contract.records import Role, StoredTurn
from turnfold.wire.projection import project

CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1, "b": 2}'}}
IMAGE = {"type": "image_url", "image_url": {"url": "u"}}
RESPACED = {**CALL, "index": 0, "function": {"name": "look", "arguments": '{"b":2,"at":1}'}}


@pytest.mark.parametrize(
    ("message", "same"),
    [
        ({"role": "user", "content": "Hello."}, {"role": "user", "content": " Hello.\n"}),
        ({"role": "user", "content": "Hello."}, {"role": "user", "content": [{"type": "text", "text": "Hello."}]}),
        (
            {"role": "assistant", "content": "Yes."},
            {"role": "assistant", "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]},
        ),
        (
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "assistant", "content": "", "tool_calls": [RESPACED], "refusal": None},
        ),
        ({"role": "tool", "content": "1", "tool_call_id": "c"}, {"role": "tool", "content": "1", "tool_call_id": "c"}),
    ],
)
def test_what_clients_rewrite_is_the_same_message(message: dict[str, Any], same: dict[str, Any]) -> None:
    assert digest_of(message) == digest_of(same)


@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Hello!"},
        {"role": "user", "content": "Hello.", "name": "Ana"},
        {"role": "user", "content": [{"type": "text", "text": "Hello."}, IMAGE]},
        {"role": "tool", "content": "Hello.", "tool_call_id": "c"},
        {"role": "user", "content": None},
    ],
)  # fmt: skip
def test_what_says_something_else_is_another_message(other: dict[str, Any]) -> None:
    assert digest_of(other) != digest_of({"role": "user", "content": "Hello."})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@examples(200)
@given(st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "refusal", "tool_call_id", "x"]), JSON))
def test_any_message_has_a_digest_that_json_does_not_change(message: dict[str, Any]) -> None:
    digest = digest_of(message)
    assert len(digest) == 20
    assert digest_of(json.loads(json.dumps(message))) == digest


@examples(100)
@given(st.lists(st.text("0123456789abcdef", min_size=20, max_size=20), min_size=1, max_size=8), st.integers(0, 8))
def test_ids_are_a_chain_that_may_be_taken_up_anywhere(digests: list[str], cut: int) -> None:
    ids = turn_ids("", digests)
    cut = min(cut, len(ids) - 1)
    assert turn_ids(ids[cut - 1] if cut else "", digests[cut:]) == ids[cut:]
    assert len(set(ids)) == len(ids)


@examples(100)
@given(st.text().filter(str.strip), st.booleans())
def test_a_stored_turn_knows_its_digest_by_its_id_and_by_what_it_says(text: str, called: bool) -> None:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if called:
        message |= {"tool_calls": [CALL]}
    digest = digest_of(message)
    parts = {"content": text, "tool_calls": [CALL]} if called else None
    appended = StoredTurn(
        seq=1, turn_id="m-1", role=Role.ASSISTANT, content=project(text, [CALL] if called else []), parts=parts
    )
    assert stored_digest(appended) == digest
    redacted = StoredTurn(seq=1, turn_id=turn_id_after("m-0", digest), role=Role.ASSISTANT, content="***")
    assert stored_digest(redacted) == digest
