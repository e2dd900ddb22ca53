"""No route leads from a tenant's key to another tenant's conversations, and none works without a key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.routing import Route

from support.gateway import Gateway
from turnfold import Settings, Turnfold, UnknownConversation
from turnfold_gateway import rest
from turnfold_gateway.app import create_app
from turnfold_gateway.rest.operations import Operation
from turnfold_gateway.settings import GatewaySettings

pytestmark = pytest.mark.processes

SECRET = "Zanzibar"
TURNS = [
    {"role": "user", "content": f"Decision: the launch code is {SECRET}.", "turn_id": "m-1"},
    {"role": "assistant", "content": f"I will remember {SECRET}.", "turn_id": "m-2"},
]
PARTS = {"conversation": "talk", "turn": "m-1", "marker": "L0:turn-1", "subject": "ana"}
BODIES: dict[str, Any] = {
    "appendTurns": {"turns": [{"role": "user", "content": "I am somebody else.", "turn_id": "m-1"}]},
    "editTurn": {"content": "I am somebody else."},
    "rewindConversation": {"after": "m-1"},
    "configureConversation": {"goal": "Steal.", "title": "Stolen"},
    "readContext": {"budget_tokens": 2000, "query": SECRET, "expand": ["L0:turn-1"]},
}
QUERIES = {"searchConversation": {"query": SECRET}, "forgetConversation": {"timeout_seconds": 5}}


def call(client: httpx.Client, operation: Operation) -> httpx.Response:
    """Send a request that would have an effect for the client's own tenant."""
    path = operation.path.replace(":id}", "}").format(**{name: quote(part, safe="") for name, part in PARTS.items()})
    body = BODIES.get(operation.name)
    return client.request(operation.method, path, params=QUERIES.get(operation.name), json=body)


@pytest.fixture
def victim(tf: Turnfold) -> Turnfold:
    """A tenant with data to lose."""
    tf.append("talk", TURNS, subject="ana")
    tf.wait("talk")
    return tf


@pytest.mark.parametrize("operation", rest.operations, ids=lambda operation: operation.name)
def test_a_key_of_another_tenant_reads_nothing_and_changes_nothing(
    gateway: Gateway, victim: Turnfold, operation: Operation
) -> None:
    before = victim.turns("talk"), victim.anchors("talk"), victim.context("talk", budget_tokens=500).fingerprint
    with gateway.client(gateway.key(f"{victim.tenant}-thief", "append", "read", "admin")) as thief:
        answer = call(thief, operation)

    assert answer.status_code < 500
    assert SECRET not in answer.text
    after = victim.turns("talk"), victim.anchors("talk"), victim.context("talk", budget_tokens=500).fingerprint
    assert after == before


def test_the_same_calls_do_something_for_their_own_tenant(gateway: Gateway, victim: Turnfold) -> None:
    """Without this, the test above would prove nothing."""
    with gateway.client(gateway.key(victim.tenant, "append", "read", "admin")) as owner:
        answers = {operation.name: call(owner, operation) for operation in rest.operations}

    refused = {name: answer.text for name, answer in answers.items() if not answer.is_success}
    # Calls before these may have erased what they address.
    assert set(refused) <= {"deleteTurn", "editTurn", "rewindConversation", "expandMarker", "listAnchors", "listNotes"}
    assert SECRET in answers["listTurns"].text
    with pytest.raises(UnknownConversation):
        victim.turns("talk")


@pytest.mark.parametrize("operation", rest.operations, ids=lambda operation: operation.name)
def test_a_key_without_the_scope_is_refused(gateway: Gateway, tenant: str, operation: Operation) -> None:
    other = "read" if operation.scope == "append" else "append"
    with gateway.client(gateway.key(tenant, other)) as somebody:
        assert call(somebody, operation).status_code == 403


def test_nothing_of_the_api_answers_without_a_key(gateway: Gateway) -> None:
    app = create_app(GatewaySettings(turnfold=Settings()))
    calls = {
        (method, route.path.replace(":id}", "}").format_map(AnyPart()))
        for route in app.routes
        if isinstance(route, Route) and route.path.startswith("/v1/")
        for method in route.methods or ()
    }
    with gateway.client() as nobody:
        statuses = {nobody.request(method, path, json={}).status_code for method, path in calls}

    assert len(calls) > 15
    assert statuses == {401}


class AnyPart(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "talk"


def test_what_an_administrator_does_is_in_the_audit_log(gateway: Gateway, victim: Turnfold) -> None:
    from turnfold_gateway.keys.audit import AuditLog, conversation_hash
    from turnfold_gateway.keys.store import KeyStore

    key = gateway.key(victim.tenant, "admin")
    reader = gateway.key(victim.tenant, "read")
    with gateway.client(reader) as other:
        other.delete("/v1/conversations/talk")
        other.post("/v1/conversations/talk/turns", json={})
    with gateway.client(key) as owner:
        owner.delete("/v1/conversations/talk/turns/m-1")
        owner.delete("/v1/conversations/talk/turns/m-9")
        owner.delete("/v1/conversations/talk")
        owner.get("/v1/conversations")
    store = KeyStore(replace(gateway.settings, tenant=victim.tenant))
    entries = AuditLog(store).entries(victim.tenant, limit=10)
    of_another = AuditLog(store).entries(victim.tenant, limit=10, conversation="another")
    store.close()

    noted = [(entry.action, entry.status) for entry in reversed(entries)]
    assert noted == [
        ("forgetConversation", 403), ("deleteTurn", 204), ("deleteTurn", 404), ("forgetConversation", 200)
    ]  # fmt: skip
    assert [entry.key_id for entry in reversed(entries)] == [one.split("_")[1] for one in (reader, key, key, key)]
    assert {entry.conversation_hash for entry in entries} == {conversation_hash(victim.tenant, "talk")}
    assert of_another == []
