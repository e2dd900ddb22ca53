"""The MCP server at `/mcp` of a real gateway, called by the official client: the key selects the tenant."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from support.gateway import Gateway, gateway_process
from turnfold import Settings, Turnfold

ACCEPT = {"Accept": "application/json, text/event-stream"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
TURNS = [{"role": "user", "content": "The vault opens with tangerine-41."}]


@pytest.fixture(scope="module")
def pages_gateway(gateway_settings: Settings) -> Iterator[Gateway]:
    """A gateway that web pages of one origin may call."""
    with gateway_process(gateway_settings, TURNFOLD_GATEWAY_CORS_ORIGINS="https://app.example.com") as running:
        yield running


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> Any:
    """The current protocol, and the one with a handshake."""
    return request.param


async def call(gateway: Gateway, key: str, mode: Any, tool: str, **arguments: Any) -> tuple[str, bool]:
    """Return a call's text, and whether it is an error."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{gateway.url}/mcp", http_client=http), mode=mode) as agent,
    ):
        answer = await agent.call_tool(tool, arguments)
    return answer.content[0].text, bool(answer.is_error)


async def test_an_agent_appends_and_recalls_with_a_key(gateway: Gateway, tenant: str, tf: Turnfold, mode: Any) -> None:
    key = gateway.key(tenant, "append", "read")
    _, append_failed = await call(gateway, key, mode, "append", conversation_id="c", turns=TURNS)
    tf.wait("c")
    text, failed = await call(gateway, key, mode, "search", conversation_id="c", query="vault")
    listed, _ = await call(gateway, key, mode, "conversations")
    assert not append_failed
    assert not failed
    assert "tangerine-41" in text
    assert "- c: (1 turn," in listed


async def test_a_key_without_append_has_no_such_tool(gateway: Gateway, tenant: str, tf: Turnfold) -> None:
    tf.append("c", TURNS)
    reader = gateway.key(tenant, "read")
    text, failed = await call(gateway, reader, "auto", "append", conversation_id="c", turns=TURNS)
    recalled, _ = await call(gateway, reader, "auto", "context", conversation_id="c")
    assert failed
    assert "there is no tool 'append' here" in text
    assert "tangerine-41" in recalled


async def test_a_key_of_another_tenant_reads_nothing_of_this_one(gateway: Gateway, tenant: str, tf: Turnfold) -> None:
    tf.append("c", TURNS)
    tf.wait("c")
    other = gateway.key("somebody-else", "admin")
    answers = [
        await call(gateway, other, "auto", "context", conversation_id="c"),
        await call(gateway, other, "auto", "search", conversation_id="c", query="vault"),
        await call(gateway, other, "auto", "conversations"),
    ]
    assert ["tangerine" in text or "- c:" in text for text, _ in answers] == [False] * 3


@pytest.mark.parametrize(
    ("authorization", "status"),
    [("", 401), ("Bearer tfk_000000000000_" + "a" * 43, 401), ("Basic YTpi", 401), ("append-only", 403)],
)
def test_no_request_is_read_without_a_key(gateway: Gateway, tenant: str, authorization: str, status: int) -> None:
    value = f"Bearer {gateway.key(tenant, 'append')}" if authorization == "append-only" else authorization
    with gateway.client(Authorization=value) as http:
        answer = http.post("/mcp", json=LIST, headers=ACCEPT)
    assert answer.status_code == status
    assert answer.json()["remedy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://rebound.example", "Host": "rebound.example"},
        {"Origin": "https://app.example.com.elsewhere.example"},
    ],
)
def test_no_page_that_is_not_named_calls_even_by_a_name_that_leads_here(
    pages_gateway: Gateway, tenant: str, headers: dict[str, str]
) -> None:
    with pages_gateway.client(pages_gateway.key(tenant, "read")) as http:
        refused = http.post("/mcp", json=LIST, headers={**ACCEPT, **headers})
        named = http.post("/mcp", json=LIST, headers={**ACCEPT, "Origin": "https://app.example.com"})
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:turnfold:problem:foreign-origin")
    assert named.status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("authorization, content-type, mcp-protocol-version", 200),
        ("authorization, content-type, mcp-method, mcp-name, mcp-protocol-version", 200),
        ("authorization, x-elsewhere", 400),
    ],
)
def test_a_page_that_is_named_may_send_the_headers_of_the_protocol(
    pages_gateway: Gateway, headers: str, status: int
) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": headers}
    with pages_gateway.client() as http:
        answer = http.options("/mcp", headers={"Origin": "https://app.example.com", **asked})
    assert answer.status_code == status


def test_another_keys_session_or_cancellation_changes_nothing(gateway: Gateway, tenant: str, tf: Turnfold) -> None:
    """The server keeps no state between requests, so a session named by a caller never exists."""
    tf.append("c", TURNS)
    call_of_c = {"name": "context", "arguments": {"conversation_id": "c"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call_of_c}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    session = {**ACCEPT, "Mcp-Session-Id": "a" * 32}
    with gateway.client(gateway.key(tenant, "read")) as own, gateway.client(gateway.key("other", "read")) as other:
        begun = own.post("/mcp", json=INITIALIZE, headers=session)
        foreign = other.post("/mcp", json=body, headers=session)
        ended = other.delete("/mcp", headers=session)
        cancelled = other.post("/mcp", json=cancel, headers=session)
        answer = own.post("/mcp", json=body, headers=session)
    assert "mcp-session-id" not in begun.headers
    assert (ended.status_code, cancelled.status_code) == (405, 202)
    assert "tangerine-41" in answer.text
    assert "tangerine-41" not in foreign.text


def test_callers_that_go_away_before_their_answer_leave_no_traceback(gateway_settings: Settings, tenant: str) -> None:
    """The log is checked after the gateway has ended."""
    with gateway_process(gateway_settings) as gateway:
        key, url = gateway.key(tenant, "read"), httpx.URL(gateway.url)
        for number in range(30):
            arguments = {"conversation_id": f"c-{number}", "query": "vault " * 20_000}
            params = {"name": "search", "arguments": arguments}
            content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
            head = (
                f"POST /mcp HTTP/1.1\r\nHost: {url.host}\r\nAuthorization: Bearer {key}\r\n"
                "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                f"Content-Length: {len(content)}\r\n\r\n"
            )
            with socket.create_connection((url.host, url.port or 80)) as connection:
                connection.sendall(f"{head}{content}".encode())
        with gateway.client(key) as http:
            assert http.post("/mcp", json=LIST, headers=ACCEPT).status_code == 200


def test_there_is_no_stream_to_open(gateway: Gateway, tenant: str) -> None:
    with gateway.client(gateway.key(tenant, "read")) as http:
        answer = http.get("/mcp")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_keys_limit_holds_for_agents_too(gateway: Gateway, tenant: str) -> None:
    with gateway.client(gateway.key(tenant, "read", requests_per_minute=1)) as http:
        statuses = [http.post("/mcp", json=LIST, headers=ACCEPT).status_code for _ in range(3)]
    assert statuses[0] == 200
    assert 429 in statuses[1:]


def test_clients_that_go_away_while_they_send_leave_no_traceback(gateway_settings: Settings, tenant: str) -> None:
    """The log is checked after the gateway has ended."""
    with gateway_process(gateway_settings) as gateway:
        key = gateway.key(tenant, "read")
        url = httpx.URL(gateway.url)
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: {url.host}\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            "Content-Length: 100000\r\n\r\n"
        )
        for sent in (head, head + "{" * 50_000):
            with socket.create_connection((url.host, url.port or 80)) as connection:
                connection.sendall(sent.encode())
        with gateway.client(key) as http:
            answer = http.post("/mcp", json=LIST, headers=ACCEPT)
            too_large = http.post("/mcp", content=b"[" * 40_000_000, headers={"Content-Type": "application/json"})
    assert answer.status_code == 200
    assert (too_large.status_code, too_large.json()["type"]) == (413, "urn:turnfold:problem:body-too-large")
