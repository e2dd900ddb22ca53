"""Answers are collected from streams and bodies that are split at any byte."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.chat_history.caller_turns import Api
from turnfold_gateway.proxy import answers
from turnfold_gateway.proxy.answers import AnswerCollector
from turnfold_gateway.proxy.relay import Received
from turnfold_gateway.proxy.sse import EventParser

MOST = 1_000_000
CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"at": "Köln"}'}}


def pieces(stream: bytes, cuts: list[int]) -> list[bytes]:
    """Split a stream at the given places."""
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [stream[begin:end] for begin, end in pairwise(places)]


def collected(api: Api, stream: bytes, cuts: list[int], *, streamed: bool = True) -> list[dict[str, Any]]:
    collector = AnswerCollector(api, streamed=streamed, most_bytes=MOST)
    for piece in pieces(stream, cuts):
        collector.feed(piece)
    return collector.messages()


def chat_stream(*deltas: dict[str, Any], finish: str | None = "stop", end: str = "\n\n") -> bytes:
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    if finish:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    chunks.append({"choices": [], "usage": {"total_tokens": 7}})
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}{end}" for chunk in chunks]
    return ": a comment\n\n".join(lines).encode() + b"data: [DONE]\n\n"


CUTS = st.lists(st.integers(0, 2_000), max_size=12)


@examples(150)
@given(
    st.lists(st.text(min_size=1), min_size=1).filter(lambda texts: "".join(texts).strip()),
    CUTS,
    st.sampled_from(["\n\n", "\r\n\r\n", "\r\r"]),
)
def test_a_chat_stream_says_the_same_wherever_it_is_cut(texts: list[str], cuts: list[int], end: str) -> None:
    stream = chat_stream({"role": "assistant"}, *({"content": text} for text in texts), end=end)
    assert collected("chat", stream, cuts) == [{"role": "assistant", "content": "".join(texts)}]


@examples(100)
@given(CUTS)
def test_calls_are_put_together_from_their_pieces(cuts: list[int]) -> None:
    arguments = CALL["function"]["arguments"]
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": arguments[:5]}}
    rest = {"index": 0, "function": {"arguments": arguments[5:]}}
    stream = chat_stream({"role": "assistant", "tool_calls": [first]}, {"tool_calls": [rest]}, finish="tool_calls")
    assert collected("chat", stream, cuts) == [{"role": "assistant", "content": None, "tool_calls": [CALL]}]


OUTPUT = [
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Grüße"}]},
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": '{"at": "Köln"}'},
]
EVENTS = [
    {"type": "response.created", "response": {"status": "in_progress", "output": []}},
    {"type": "response.output_text.delta", "delta": "Grüße"},
    {"type": "response.completed", "response": {"status": "completed", "output": OUTPUT}},
]


@examples(100)
@given(CUTS)
def test_a_responses_stream_says_the_same_wherever_it_is_cut(cuts: list[int]) -> None:
    stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in EVENTS).encode()
    message, calls = collected("responses", stream, cuts)
    assert message == {"role": "assistant", "content": OUTPUT[1]["content"]}
    assert calls == {"role": "assistant", "content": None, "tool_calls": [CALL]}


TWO_CHOICES = b'{"choices": [{"message": {"content": "a"}}, {"message": {"content": "b"}}]}'
FAILED = b'data: {"type": "response.failed", "response": {"output": []}}\n\n'


def test_a_body_is_read_as_a_stream_would_be() -> None:
    body = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [CALL]}}]}
    assert collected("chat", json.dumps(body).encode(), [3], streamed=False) == [
        {"role": "assistant", "content": None, "tool_calls": [CALL]}
    ]
    body = {"status": "completed", "output": OUTPUT}
    assert len(collected("responses", json.dumps(body).encode(), [3], streamed=False)) == 2


@pytest.mark.parametrize(
    ("api", "stream", "streamed"),
    [
        pytest.param("chat", chat_stream({"content": "Half of"}, finish=None), True, id="a broken chat stream"),
        pytest.param("chat", b'data: {"choices": [{"index": 0, "del', True, id="an event cut short"),
        pytest.param("chat", b"data: no json\n\ndata: [1]\n\n", True, id="events that are no objects"),
        pytest.param("chat", b'{"choices": [{"message": {"content": "Hal', False, id="a broken body"),
        pytest.param("chat", b"<html>", False, id="a page"),
        pytest.param("chat", TWO_CHOICES, False, id="two choices"),
        pytest.param("chat", b'{"choices": "none", "output": 3}', False, id="no choices"),
        pytest.param("responses", b'{"status": "in_progress", "output": []}', False, id="still in the background"),
        pytest.param("responses", FAILED, True, id="failed"),
    ],
)  # fmt: skip
def test_what_is_not_a_finished_answer_is_no_turn(api: Api, stream: bytes, streamed: bool) -> None:
    assert collected(api, stream, [], streamed=streamed) == []


_JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.sampled_from(["message", "function_call", "output_text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["arguments", "content", "delta", "function", "id", "index", "message", "name", "output",
                         "refusal", "status", "summary", "text", "tool_calls", "type"]), inner, max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@examples(300)
@given(_JSON, st.sampled_from(["chat", "responses"]), st.booleans())
def test_an_answer_of_any_form_is_collected_or_left_out(value: object, api: Api, streamed: bool) -> None:
    shapes: dict[Any, list[object]] = {
        ("chat", True): [{"choices": [{"delta": value, "finish_reason": "stop"}]}],
        ("chat", False): [{"choices": [{"message": value}]}],
        ("responses", True): [{"type": value}, {"type": "response.completed", "response": {"output": value}}],
        ("responses", False): [{"status": value}, {"output": [value]}],
    }
    outputs = []
    for shape in (value, *shapes[api, streamed]):
        body = json.dumps(shape).encode()
        collector = AnswerCollector(api, streamed=streamed, most_bytes=MOST)
        collector.feed(b"data: " + body + b"\n\n" if streamed else body)
        outputs.append(collector.output())
    assert all(isinstance(output, list) for output in outputs)


def test_a_large_call_costs_each_of_its_pieces_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = []

    class Piece(str):
        __slots__ = ()

        def __radd__(self, other: str) -> str:
            joined.append(len(other))
            return str(other) + str(self)

    monkeypatch.setattr(answers, "_text_of", lambda piece: Piece(piece or ""))
    stream = [{"tool_calls": [{"index": 0, "id": "c", "function": {"name": "", "arguments": "x"}}]}] * 200
    [message] = collected("chat", chat_stream(*stream), [])
    assert message["tool_calls"][0]["function"]["arguments"] == "x" * 200
    assert joined == []


def test_two_choices_of_a_stream_are_no_turn() -> None:
    chunk = {"choices": [{"index": index, "delta": {"content": "x"}, "finish_reason": "stop"} for index in (0, 1)]}
    assert collected("chat", f"data: {json.dumps(chunk)}\n\n".encode(), []) == []


def test_of_a_response_that_is_too_long_nothing_is_collected() -> None:
    collector = AnswerCollector("chat", streamed=True, most_bytes=100)
    collector.feed(chat_stream({"content": "x" * 200}))
    assert collector.messages() == []


@examples(200)
@given(st.binary(max_size=300), CUTS)
def test_any_bytes_give_the_same_events_wherever_they_are_cut(stream: bytes, cuts: list[int]) -> None:
    whole, cut = EventParser(), EventParser()
    assert list(whole.feed(stream)) == [event for piece in pieces(stream, cuts) for event in cut.feed(piece)]


def test_arguments_that_a_provider_gives_as_an_object_are_text() -> None:
    piece = {"index": 0, "id": "call_1", "function": {"name": "look", "arguments": {"at": "Köln"}}}
    [message] = collected("chat", chat_stream({"tool_calls": [piece]}), [])

    assert message["tool_calls"] == [CALL]


async def test_an_answer_that_cannot_be_read_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    collector = AnswerCollector("chat", streamed=True, most_bytes=MOST)
    monkeypatch.setattr(collector, "feed", lambda received: [][len(received)])
    stream = chat_stream({"content": "Yes."})

    received = Received(httpx.Response(200, content=_pieces_of(stream)), collector)

    assert b"".join([chunk async for chunk in received.chunks()]) == stream
    assert collector.messages() == []


async def _pieces_of(stream: bytes) -> AsyncIterator[bytes]:
    yield stream[:40]
    yield stream[40:]
