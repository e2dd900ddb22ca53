"""The arguments of a call, which models write as text, become an object that any provider accepts, or stay text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.frameworks.reading import arguments_of
from turnfold.wire.json_values import MAX_DEPTH, object_in
from turnfold_worker.offline import fold

REFUSED = {
    "an open list": "[" * 100_000,
    "a deep list": "[" * 2_000 + "]" * 2_000,
    "a deep object": '{"a":' * 2_000 + "1" + "}" * 2_000,
    "one deeper than a turn may be": '{"a":' * (MAX_DEPTH + 2) + "1" + "}" * (MAX_DEPTH + 2),
    "one that a copy cannot follow": '{"a":' * 600 + "1" + "}" * 600,
    "no number": '{"a": NaN}',
    "an infinite number": '{"a": [1e999]}',
    "a negative one": '{"a": -Infinity}',
    "a number of many digits": '{"a": ' + "9" * 5_000 + "}",
    "no JSON": "{",
    "a list": "[1]",
    "nothing": "",
}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner, max_size=3)
)


def called(arguments: str) -> dict[str, Any]:
    function = {"name": "look", "arguments": arguments}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "t", "type": "function", "function": function}]}


@pytest.mark.parametrize("name", REFUSED)
def test_a_read_goes_on_whatever_a_model_wrote(name: str) -> None:
    written = REFUSED[name]
    result = {"role": "tool", "tool_call_id": "t", "content": "Found it."}
    turns = [{"role": "user", "content": "Look."}, called(written), result]
    with fold(turns, conversation_id="c") as folded:
        context = folded.context(budget_tokens=200_000)
    assert context.messages("openai")[1]["tool_calls"][0]["function"]["arguments"] == written
    (block,) = context.messages("anthropic")[1]["content"]
    assert block["input"] == {"arguments": written} == arguments_of(written)


def test_half_of_a_pair_never_reaches_a_provider() -> None:
    assert object_in(r'{"a\udfff": ["\ud83d"]}') == {"a\ufffd": ["\ufffd"]}


@examples(200)
@given(st.dictionaries(st.text(), values, max_size=4))
def test_what_is_an_object_can_be_sent(value: dict[str, Any]) -> None:
    given_object = object_in(json.dumps(value))
    if given_object is not None:
        assert json.loads(json.dumps(given_object, allow_nan=False)) == given_object
    arguments = arguments_of(json.dumps(value))
    assert json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
