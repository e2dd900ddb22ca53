"""The adapter maps every possible response of a server, over real HTTP, to a reply or to the right error."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from turnfold.errors import InvalidSettings
from turnfold_worker.adapters.openai.bounded_http import MOST_REPLY_BYTES
from turnfold_worker.adapters.openai.model import OpenAIModel
from turnfold_worker.errors import ModelAway, ModelRefused, ModelWaits
from turnfold_worker.pipeline.refinement.requests import NOTES_SCHEMA
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Purpose
from turnfold_worker.ports.models import Finish
from turnfold_worker.testing import model_server as behaves
from turnfold_worker.testing.model_server import Behaviour, OpenAIServer

SECRET = "wire the 40,000 EUR"
REQUEST = ModelRequest(
    purpose=Purpose.NOTES, model="gpt-4o", prompt_version="notes-8", system="You find anchors.", user=SECRET,
    schema=NOTES_SCHEMA, max_tokens=500,
)  # fmt: skip
TIMEOUT_SECONDS = 2.0
"""A busy machine may need half a second for a successful answer."""
GZIP = 16
"""Added to zlib's window bits, selects gzip's header and trailer."""
PACKED = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "packed"}}
OK_BODY = json.dumps({"id": "c", "choices": [PACKED]}).encode()


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(lambda _: '{"anchors": []}') as server:
        yield server


@pytest.fixture
def model(server: OpenAIServer) -> Iterator[OpenAIModel]:
    model = OpenAIModel(api_key="sk-test", base_url=server.base_url, timeout_seconds=TIMEOUT_SECONDS)
    yield model
    model.close()


def test_a_correct_answer_comes_with_what_it_used(model: OpenAIModel, server: OpenAIServer) -> None:
    reply = model.complete(REQUEST)
    assert (reply.content, reply.finish) == ('{"anchors": []}', Finish.STOP)
    assert (reply.used.input_tokens, reply.used.output_tokens) == (server.billed_input, server.billed_output)
    assert (reply.used.cached_tokens, reply.used.estimated) == (0, False)
    assert model.complete(REQUEST).used.cached_tokens > 0


def test_without_openais_client_a_call_says_what_to_install(
    model: OpenAIModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnfold_worker.adapters.openai.model.find_spec", lambda name: None)
    for _ in range(2):
        with pytest.raises(InvalidSettings, match=r"pip install 'turnfold-worker\[openai\]'"):
            model.complete(REQUEST)


def test_the_request_is_strict_has_no_tools_and_begins_with_what_never_changes(
    model: OpenAIModel, server: OpenAIServer
) -> None:
    model.complete(REQUEST)
    (sent,) = server.requests
    assert sent["messages"] == [{"role": "system", "content": REQUEST.system}, {"role": "user", "content": SECRET}]
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert sent["response_format"]["json_schema"]["schema"] == NOTES_SCHEMA
    assert (sent["max_tokens"], sent["temperature"]) == (500, 0)
    assert "tools" not in sent


@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        (behaves.RATE_LIMITED, "HTTP 429"), (behaves.SERVER_ERROR, "HTTP 500"), (behaves.error(503), "HTTP 503"),
        (behaves.HTML, "not JSON"), (behaves.BROKEN_BODY, "not JSON"), (Behaviour(body=b"[]"), "no choice"),
        (Behaviour(body=b'"text"'), "no choice"), (Behaviour(body=b'{"choices": [3]}'), "no choice"),
        (Behaviour(body=b"[" * 100_000), "not JSON"), (behaves.NO_CHOICES, "no choice"),
        (behaves.DROPPED, "no connection"), (behaves.CUT_SHORT, "no connection"),
        (Behaviour(delay_seconds=5), "no complete answer"), (behaves.DRIPPING, "no complete answer"),
    ],
)  # fmt: skip
def test_what_may_pass_by_itself_is_said_so_within_the_deadline_and_without_content(
    model: OpenAIModel, server: OpenAIServer, behaviour: Behaviour, says: str
) -> None:
    server.then(behaviour)
    began = time.monotonic()
    with pytest.raises(ModelAway, match=says) as raised:
        model.complete(REQUEST)
    assert time.monotonic() - began < 15 * TIMEOUT_SECONDS, "a busy machine alone takes several to import the client"
    assert SECRET not in repr(raised.value)
    assert "said by the server" not in repr(raised.value)
    assert raised.value.__cause__ is None
    assert len(server.requests) == 1, "the client retries nothing"
    assert model.complete(REQUEST).finish is Finish.STOP


def test_a_retry_after_is_read(model: OpenAIModel, server: OpenAIServer) -> None:
    server.then(
        behaves.error(429, Retry_After="7"),
        behaves.error(429, Retry_After_ms="250"),
        behaves.error(429, Retry_After="Wed, 21 Oct 2026 07:28:00 GMT"),
        behaves.error(429, Retry_After="nonsense"),
        behaves.error(429, Retry_After="1e99"),
    )
    asked = []
    for _ in range(5):
        with pytest.raises(ModelAway) as raised:
            model.complete(REQUEST)
        asked.append(raised.value.retry_after_seconds)
    assert asked == [7.0, 0.25, None, None, None]


@pytest.mark.parametrize(
    "behaviour", [behaves.NO_QUOTA, behaves.error(401), behaves.error(403), behaves.error(404, "model_not_found")]
)
def test_what_a_person_has_to_mend_waits_and_is_not_a_fault_of_the_request(
    model: OpenAIModel, server: OpenAIServer, behaviour: Behaviour
) -> None:
    server.then(behaviour)
    with pytest.raises(ModelWaits, match="check the key") as raised:
        model.complete(REQUEST)
    assert raised.value.seconds >= 60


def test_a_request_that_the_server_will_never_take_is_refused_for_good(
    model: OpenAIModel, server: OpenAIServer
) -> None:
    server.then(behaves.error(400, "context_length_exceeded"))
    with pytest.raises(ModelRefused, match="HTTP 400 context_length_exceeded"):
        model.complete(REQUEST)


def test_replies_that_are_no_answer_say_why_and_keep_what_they_used(model: OpenAIModel, server: OpenAIServer) -> None:
    filtered = Behaviour(finish="content_filter")
    server.then(behaves.REFUSAL, behaves.TRUNCATED, filtered, behaves.NO_USAGE)
    found = [model.complete(REQUEST) for _ in range(4)]
    assert [reply.finish for reply in found] == [Finish.REFUSAL, Finish.LENGTH, Finish.REFUSAL, Finish.STOP]
    assert all(reply.used.input_tokens > 0 for reply in found)
    assert [reply.used.estimated for reply in found] == [False, False, False, True]


def test_a_server_that_is_not_there_is_said_so() -> None:
    model = OpenAIModel(api_key="", base_url="http://127.0.0.1:9/v1", timeout_seconds=2)
    with pytest.raises(ModelAway, match="no connection"):
        model.complete(REQUEST)
    model.close()
    model.close()


def _packed() -> Behaviour:
    """Return a reply of 300 KB on the wire that decompresses to 300 MB."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | GZIP)
    spaces = b" " * 1_000_000
    pieces = [packer.compress(b'{"choices": []'), *(packer.compress(spaces) for _ in range(300)), packer.compress(b"}")]
    return Behaviour(body=b"".join([*pieces, packer.flush()]), headers={"content-encoding": "gzip"})


@pytest.mark.parametrize(
    "reply",
    [
        _packed, lambda: Behaviour(body=b" " * (MOST_REPLY_BYTES + 1)),
        lambda: Behaviour(body=b"{}", headers={"content-encoding": "br"}), lambda: replace(_packed(), status=500),
    ],
    ids=["gzip", "plain", "unknown", "error"],
)  # fmt: skip
def test_a_reply_that_is_too_long_is_refused_before_it_is_unpacked(
    server: OpenAIServer, reply: Callable[[], Behaviour]
) -> None:
    model = OpenAIModel(api_key="sk-test", base_url=server.base_url, timeout_seconds=20)
    # Import the client before memory is measured.
    model.complete(REQUEST)
    server.then(reply())
    tracemalloc.start()
    try:
        with pytest.raises(ModelAway, match="reply was rejected"):
            model.complete(REQUEST)
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < 5 * MOST_REPLY_BYTES
    # The connection is dropped, and the next call opens another.
    assert model.complete(REQUEST).content == '{"anchors": []}'
    model.close()


def test_a_packed_reply_is_read(model: OpenAIModel, server: OpenAIServer) -> None:
    server.then(Behaviour(body=gzip.compress(OK_BODY), headers={"content-encoding": "gzip"}))
    assert model.complete(REQUEST).content == "packed"


def test_no_redirect_is_followed(model: OpenAIModel, server: OpenAIServer) -> None:
    server.then(Behaviour(status=307, body=b"", headers={"location": f"{server.base_url}/elsewhere"}))
    with pytest.raises(ModelWaits, match="TURNFOLD_OPENAI_BASE_URL"):
        model.complete(REQUEST)
    assert len(server.requests) == 1
