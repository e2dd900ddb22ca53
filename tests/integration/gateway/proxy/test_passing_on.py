"""The proxy passes some parts of a request on byte for byte, and others never."""

from __future__ import annotations

import gzip
import json
import threading
from typing import Any

import httpx
import pytest

from support.gateway import Gateway
from support.provider import Provider, Reply
from support.waiting import wait_until
from turnfold import Turnfold

NAMED = {"X-Turnfold-Conversation": "conv-1"}
CHAT = "/v1/chat/completions"


def question(text: str = "Hello?", **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def contents(tf: Turnfold) -> list[str]:
    return [turn.content for turn in tf.turns("conv-1")]


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("piece_bytes", [1, 7, 100_000])
def test_a_stream_passes_byte_for_byte_however_it_is_cut(
    provider: Provider, raw: httpx.Client, tf: Turnfold, named: bool, piece_bytes: int
) -> None:
    provider.then(Reply(text="Grüße aus Köln: 🙂.", piece_bytes=piece_bytes))
    with raw.stream("POST", CHAT, json=question(stream=True), headers=NAMED if named else {}) as response:
        received = b"".join(response.iter_raw())
    assert received == provider.bodies[0]
    assert response.headers["content-type"] == "text/event-stream"
    assert ("x-turnfold-memory" in response.headers) is named
    if named:
        assert contents(tf) == ["Hello?", "Grüße aus Köln: 🙂."]


@pytest.mark.parametrize("stream", [False, True])
def test_a_packed_answer_passes_packed_and_is_read_all_the_same(
    provider: Provider, raw: httpx.Client, tf: Turnfold, stream: bool
) -> None:
    provider.then(Reply(text="Packed. " * 50, zipped=True, piece_bytes=11))
    with raw.stream("POST", CHAT, json=question(stream=stream), headers=NAMED) as response:
        received = b"".join(response.iter_raw())
    assert received == provider.bodies[0]
    assert response.headers["content-encoding"] == "gzip"
    assert contents(tf)[1] == "Packed. " * 50


@pytest.mark.parametrize("budget", ["499", "1000000000", "many", "-1", ""])
def test_a_budget_out_of_bounds_is_told_both_bounds(provider: Provider, raw: httpx.Client, budget: str) -> None:
    answer = raw.post(CHAT, json=question(), headers={**NAMED, "X-Turnfold-Budget": budget})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:turnfold:problem:invalid-header")
    assert "500 to 999999999" in answer.json()["detail"]
    assert provider.sent == []


def test_without_a_conversation_anything_passes_and_nothing_is_kept(provider: Provider, raw: httpx.Client) -> None:
    body = b"\xff\x00 no JSON at all"
    provider.then(Reply(status=418, body=b"<teapot>", headers={"x-own": "1", "content-type": "text/html"}))
    response = raw.post(f"{CHAT}?api-version=3", content=body, headers={"OpenAI-Organization": "org"})
    assert (response.status_code, response.content, response.headers["x-own"]) == (418, b"<teapot>", "1")
    assert provider.last.body == body
    assert provider.last.path == f"{CHAT}?api-version=3"
    assert provider.last.headers["content-length"] == str(len(body))
    assert "transfer-encoding" not in provider.last.headers
    assert provider.last.headers["openai-organization"] == "org"
    assert provider.last.headers["authorization"] == "Bearer sk-of-the-provider"
    assert not [name for name in provider.last.headers if name.startswith("x-turnfold")]


def test_a_body_that_cannot_be_read_is_left_to_the_provider(provider: Provider, raw: httpx.Client) -> None:
    provider.then(Reply(status=400, body=b'{"error": {"message": "no"}}'), Reply())
    refused = raw.post(CHAT, content=b"no JSON", headers=NAMED)
    assert (refused.status_code, refused.headers["x-turnfold-memory"]) == (400, "bypassed; reason=unreadable-request")
    assert provider.last.body == b"no JSON"
    raw.post(CHAT, json={"model": "m", "messages": [{"role": "wizard", "content": "x"}]}, headers=NAMED)
    assert provider.last.json["messages"][0]["role"] == "wizard"


def test_errors_of_the_provider_pass_and_the_question_is_kept_once(
    provider: Provider, raw: httpx.Client, tf: Turnfold
) -> None:
    limited = Reply(status=429, body=b'{"error": {"message": "slow down"}}', headers={"retry-after": "7"})
    provider.then(limited, limited, Reply(text="At last."))
    first = raw.post(CHAT, json=question(), headers=NAMED)
    assert (first.status_code, first.content, first.headers["retry-after"]) == (429, limited.body, "7")
    raw.post(CHAT, json=question(), headers=NAMED)
    raw.post(CHAT, json=question(), headers=NAMED)
    assert contents(tf) == ["Hello?", "At last."]


def test_a_redirect_is_passed_on_and_never_followed(provider: Provider, raw: httpx.Client) -> None:
    provider.then(Reply(status=307, body=b"", headers={"location": f"{provider.url}/elsewhere"}))
    response = raw.post(CHAT, json=question(), headers=NAMED)
    assert response.status_code == 307
    assert len(provider.sent) == 1


@pytest.mark.parametrize("break_after", [0, 60])
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_breaks_off_breaks_off_for_the_client_and_is_no_turn(
    provider: Provider, raw: httpx.Client, tf: Turnfold, stream: bool, break_after: int
) -> None:
    provider.then(Reply(text="One half and the other", break_after=break_after))
    with pytest.raises(httpx.RemoteProtocolError):
        raw.post(CHAT, json=question(stream=stream), headers=NAMED)
    assert contents(tf) == ["Hello?"]


@pytest.mark.parametrize("begun", [False, True])
def test_a_client_that_goes_away_ends_the_request_to_the_provider(
    proxy: Gateway, provider: Provider, raw: httpx.Client, tf: Turnfold, begun: bool
) -> None:
    never = threading.Event()
    provider.then(Reply(piece_bytes=90, pause=never) if begun else Reply(hold=never))
    with pytest.raises(httpx.ReadTimeout):
        raw.post(CHAT, json=question(stream=True), headers=NAMED, timeout=httpx.Timeout(5, read=0.5))
    wait_until(lambda: provider.broken, what="the provider's connection was closed")
    assert contents(tf) == ["Hello?"]
    never.set()
    assert raw.post(CHAT, json=question(), headers=NAMED).status_code == 200


@pytest.mark.parametrize("path", [CHAT, "/v1/responses/compact"])
def test_a_client_that_goes_away_ends_a_request_without_memory_too(
    provider: Provider, raw: httpx.Client, path: str
) -> None:
    never = threading.Event()
    provider.then(Reply(hold=never))
    # The provider itself answers a compaction without messages.
    named, body = ({}, question()) if path == CHAT else (NAMED, {"model": "m", "input": 7})
    with pytest.raises(httpx.ReadTimeout):
        raw.post(path, json=body, headers=named, timeout=httpx.Timeout(5, read=0.5))
    try:
        wait_until(lambda: provider.broken, what="the provider's connection was closed")
    finally:
        never.set()


def test_ten_megabytes_pass_and_the_turn_keeps_both_ends(provider: Provider, raw: httpx.Client, tf: Turnfold) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 10_000_000}}
    parts = [{"type": "text", "text": "What is this?"}, image]
    body = {"model": "m", "messages": [{"role": "user", "content": parts}]}
    answered = raw.post(CHAT, json=body, headers=NAMED)
    assert answered.headers["x-turnfold-memory"] == "on"
    assert provider.last.json == body
    assert contents(tf) == ["What is this?\n[image]", "Noted."]
    long = "begins " + "x" * 3_000_000 + " ends"
    raw.post(CHAT, json={"model": "m", "messages": [{"role": "user", "content": long}]}, headers={
        **NAMED, "X-Turnfold-History": "new", "X-Turnfold-Budget": "9999999"
    })  # fmt: skip
    assert provider.last.items[-1]["content"] == long
    kept = contents(tf)[2]
    assert (kept[:7], kept[-5:], len(kept) < 1_000_000) == ("begins ", " ends", True)


def test_a_body_above_the_limit_is_refused_with_the_setting_that_raises_it(raw: httpx.Client) -> None:
    response = raw.post(CHAT, content=b" " * 34_000_000, headers=NAMED)
    assert response.status_code == 413
    assert "TURNFOLD_GATEWAY_MAX_BODY_BYTES" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-Turnfold-Key": ""}, 401),
        ({"X-Turnfold-Key": "tfk_000000000000_" + "A" * 43}, 401),
        ({"X-Turnfold-Budget": "many"}, 422),
        ({"X-Turnfold-Budget": "12"}, 422),
        ({"X-Turnfold-History": "some"}, 422),
        ({"X-Turnfold-Tokenizer": "klingon"}, 422),
        ({"X-Turnfold-Conversation": ""}, 422),
        ({"X-Turnfold-Conversation": "x" * 300}, 422),
    ],
)
def test_what_the_caller_has_to_correct_is_an_error_that_clients_read(
    provider: Provider, raw: httpx.Client, headers: dict[str, str], status: int
) -> None:
    response = raw.post(CHAT, json=question(), headers={**NAMED, **headers})
    assert response.status_code == status, response.text
    assert response.json()["error"]["message"]
    assert provider.sent == []


@pytest.mark.parametrize("wrong", ["", "wrong", "tfk_000000000000_" + "A" * 43])
def test_without_a_valid_key_the_remedy_names_the_header_of_the_proxy(raw: httpx.Client, wrong: str) -> None:
    told = raw.post(CHAT, json=question(), headers={**NAMED, "X-Turnfold-Key": wrong}).json()
    assert "X-Turnfold-Key" in told["remedy"]
    assert "Bearer" not in told["error"]["message"]


def test_a_turnfold_key_in_the_wrong_place_reaches_no_provider(
    proxy: Gateway, provider: Provider, raw: httpx.Client, key: str
) -> None:
    for misplaced in ({"Authorization": f"Bearer {key}"}, {"api-key": key}):
        response = raw.post(CHAT, json=question(), headers={**NAMED, **misplaced})
        assert response.status_code == 400
        assert key not in response.text
    assert raw.post(f"{CHAT}?key={key}", json=question()).status_code == 400
    assert provider.sent == []


def test_a_key_that_may_only_read_is_refused(
    proxy: Gateway, provider: Provider, raw: httpx.Client, tenant: str
) -> None:
    reader = proxy.key(tenant, "read")
    assert raw.post(CHAT, json=question(), headers={**NAMED, "X-Turnfold-Key": reader}).status_code == 403
    assert provider.sent == []


def test_a_packed_request_passes_as_it_is(provider: Provider, raw: httpx.Client) -> None:
    packed = gzip.compress(json.dumps(question()).encode())
    provider.then(Reply(body=b"{}"))
    answered = raw.post(CHAT, content=packed, headers={**NAMED, "Content-Encoding": "gzip"})
    assert answered.headers["x-turnfold-memory"] == "bypassed; reason=unreadable-request"
    assert (provider.last.body, provider.last.headers["content-encoding"]) == (packed, "gzip")
