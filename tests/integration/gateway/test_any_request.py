"""Any request, valid or not by the OpenAPI document, is answered without a 500."""

from __future__ import annotations

import pytest
import schemathesis
from schemathesis import Case, GenerationMode

from support.any_request import statuses
from support.gateway import Gateway, path_of
from turnfold_gateway import proxy, rest

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

EXAMPLES = 3
"""Examples of each operation and kind; many more in the long run."""

SCHEMA = schemathesis.openapi.from_dict(rest.openapi_document())
OPERATIONS = {
    listed.ok().definition.raw["operationId"]: listed.ok()
    for listed in SCHEMA.get_all_operations()
    if listed.ok().path.startswith("/v1/") and listed.ok().path not in proxy.PATHS
}
TALK = "talk"
"""An existing conversation, which every other valid request addresses."""


def about_the_talk(case: Case, place: int) -> None:
    """Let every other request address the existing conversation."""
    if place % 2 and "conversation" in case.path_parameters:
        case.path_parameters["conversation"] = TALK


def answers(gateway: Gateway, tenant: str, name: str, mode: GenerationMode, *, examples: int) -> list[int]:
    headers = {"Authorization": f"Bearer {key_with_a_talk(gateway, tenant)}"}
    change = {"change": about_the_talk} if mode is GenerationMode.POSITIVE else {}
    return statuses(OPERATIONS[name], mode, gateway.url, headers, examples=examples, **change)


def key_with_a_talk(gateway: Gateway, tenant: str) -> str:
    """Return a key for all scopes of a tenant that has a conversation."""
    key = gateway.key(tenant, "append", "read", "admin")
    with gateway.client(key) as client:
        turns = [{"role": "user", "content": "Decision: we take PostgreSQL 16.", "turn_id": "m-1"}]
        client.post(path_of(TALK, "turns"), json={"turns": turns}).raise_for_status()
    return key


@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_request_makes_the_gateway_fail(gateway: Gateway, tenant: str, name: str, mode: GenerationMode) -> None:
    assert answers(gateway, tenant, name, mode, examples=EXAMPLES)


@pytest.mark.long
@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_request_of_many_makes_the_gateway_fail(
    gateway: Gateway, tenant: str, name: str, mode: GenerationMode
) -> None:
    assert answers(gateway, tenant, name, mode, examples=60)
