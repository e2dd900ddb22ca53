"""Any request, valid or not by the OpenAPI document, is answered without a 500."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import pytest
import schemathesis
from schemathesis import Case, GenerationMode

from support.any_request import statuses
from support.gateway import Gateway, path_of
from turnfold_gateway import proxy, rest

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

EXAMPLES = 3
"""Examples of each operation and kind; many more in the long run."""

DOCUMENT: Final = rest.openapi_document()
OPERATIONS: Final[list[str]] = [
    operation["operationId"]
    for path, methods in DOCUMENT["paths"].items()
    if path.startswith("/v1/") and path not in proxy.PATHS
    for operation in methods.values()
    if "operationId" in operation
]
TALK = "talk"
"""An existing conversation, which every other valid request addresses."""


@cache
def operations() -> dict[str, Any]:
    """Return the documented operations by id; not at import, since each process of a run collects this file."""
    listed = schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()
    return {operation.ok().definition.raw["operationId"]: operation.ok() for operation in listed}


def about_the_talk(case: Case, place: int) -> None:
    """Let every other request address the existing conversation."""
    if place % 2 and "conversation" in case.path_parameters:
        case.path_parameters["conversation"] = TALK


def answers(gateway: Gateway, tenant: str, name: str, mode: GenerationMode, *, examples: int) -> list[int]:
    headers = {"Authorization": f"Bearer {key_with_a_talk(gateway, tenant)}"}
    change = {"change": about_the_talk} if mode is GenerationMode.POSITIVE else {}
    return statuses(operations()[name], mode, gateway.url, headers, examples=examples, **change)


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
