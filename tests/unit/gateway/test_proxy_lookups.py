"""A model's calls of Turnfold's tools are answered in any form, and none fails the caller's request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.chat_history.caller_turns import Api
from turnfold.testing import LocalTurnfold, in_memory
from turnfold_gateway.proxy import lookups
from turnfold_gateway.proxy.answers import AnswerCollector

_NAMES = ["turnfold_expand", "turnfold_search", "turnfold_anchors", "turnfold_nothing", "look"]
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["L1:nope", "{}", "["]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_ARGUMENTS = _VALUES | st.dictionaries(
    st.sampled_from(["marker", "query", "limit", "types", "states", "skip"]), _VALUES, max_size=4
).map(json.dumps)
_FUNCTIONS = {"name": st.sampled_from(_NAMES) | _VALUES, "arguments": _ARGUMENTS}
_CALLS = _VALUES | st.fixed_dictionaries(
    {},
    optional={
        **_FUNCTIONS, "type": st.sampled_from(["function", "function_call", "custom_tool_call"]) | _VALUES,
        "id": _VALUES, "call_id": _VALUES,
        "function": st.fixed_dictionaries({}, optional=_FUNCTIONS) | _VALUES,
    },
)  # fmt: skip


class _Memory:
    """The part of an asynchronous client that lookups use."""

    def __init__(self, turnfold: LocalTurnfold) -> None:
        self._turnfold = turnfold

    async def handle_tool_call(self, conversation: str, call: dict[str, Any]) -> object:
        return self._turnfold.handle_tool_call(conversation, call)


@pytest.fixture(scope="module")
def memory() -> Iterator[_Memory]:
    with in_memory() as tf:
        tf.append("c", {"role": "user", "content": "We must use PostgreSQL."})
        yield _Memory(tf)


@examples(300)
@given(st.lists(_CALLS, min_size=1, max_size=3), st.sampled_from(["chat", "responses"]))
def test_calls_of_any_form_are_answered(memory: _Memory, calls: list[Any], api: Api) -> None:
    body = {"output": calls} if api == "responses" else {"choices": [{"message": {"tool_calls": calls}}]}
    collector = AnswerCollector(api, streamed=False, most_bytes=1_000_000)
    collector.feed(json.dumps(body).encode())
    output = collector.output()
    made = lookups.calls_in(output, api)
    ours = [call for call in made if lookups.is_ours(call)]
    sent = asyncio.run(lookups.answered(memory, "c", output, made, api))  # type: ignore[arg-type]  # the part it uses
    assert len(json.loads(json.dumps(sent))) >= len(made) >= len(ours)
