"""Whatever is sent that the OpenAPI document allows, and what it does not, is answered: never with a 500."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode

from support.gateway import Gateway, path_of
from turnfold_gateway import rest

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

EXAMPLES = 3
"""Of each operation and kind; in the long run many more."""
NEVER = {500, 501, 502, 504}

SCHEMA = schemathesis.openapi.from_dict(rest.openapi_document())
OPERATIONS = {
    found.ok().definition.raw["operationId"]: found.ok()
    for found in SCHEMA.get_all_operations()
    if found.ok().path.startswith("/v1/")
}
TALK = "talk"
"""A conversation that there is: every other request that is as declared is about it."""


def statuses(gateway: Gateway, name: str, mode: GenerationMode, key: str, *, examples: int) -> list[int]:
    """The statuses that answer made-up requests."""
    answered: list[int] = []
    strategy = OPERATIONS[name].as_strategy(generation_mode=mode)

    @settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )  # fmt: skip
    @given(case=strategy)
    def send(case: Case) -> None:
        if mode is GenerationMode.POSITIVE and len(answered) % 2 and "conversation" in case.path_parameters:
            case.path_parameters["conversation"] = TALK
        response = case.call(base_url=gateway.url, headers={"Authorization": f"Bearer {key}"}, timeout=120)
        answered.append(response.status_code)
        assert response.status_code not in NEVER, f"{response.status_code}: {case.as_curl_command()}"
        if response.status_code >= 400:
            # Of what is no HTTP the server says so in plain text.
            assert response.headers["content-type"][0] in {"application/problem+json", "text/plain; charset=utf-8"}

    send()
    return answered


def key_with_a_talk(gateway: Gateway, tenant: str) -> str:
    """A key for everything of a tenant that has a conversation."""
    key = gateway.key(tenant, "append", "read", "admin")
    with gateway.client(key) as client:
        turns = [{"role": "user", "content": "Decision: we take PostgreSQL 16.", "turn_id": "m-1"}]
        client.post(path_of(TALK, "turns"), json={"turns": turns}).raise_for_status()
    return key


@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_request_makes_the_gateway_fail(gateway: Gateway, tenant: str, name: str, mode: GenerationMode) -> None:
    assert statuses(gateway, name, mode, key_with_a_talk(gateway, tenant), examples=EXAMPLES)


@pytest.mark.long
@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_no_request_of_many_makes_the_gateway_fail(
    gateway: Gateway, tenant: str, name: str, mode: GenerationMode
) -> None:
    assert statuses(gateway, name, mode, key_with_a_talk(gateway, tenant), examples=200)
