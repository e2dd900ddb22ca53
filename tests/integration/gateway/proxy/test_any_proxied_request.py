"""The proxy answers any request, valid or not, without an internal error."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from schemathesis import GenerationMode

from support.any_request import statuses
from support.gateway import Gateway
from support.provider import Provider, Reply
from turnfold_gateway import proxy as room
from turnfold_gateway import rest

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

OPERATIONS: dict[str, Any] = {
    listed.ok().path: listed.ok()
    for listed in schemathesis.openapi.from_dict(rest.openapi_document()).get_all_operations()
    if listed.ok().path in room.PATHS
}


@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
@pytest.mark.parametrize("path", OPERATIONS)
def test_no_request_makes_the_proxy_fail(
    proxy: Gateway, provider: Provider, key: str, path: str, mode: GenerationMode
) -> None:
    # The answer of a provider that cannot parse a request.
    provider.choose = lambda _: Reply(status=400, headers={"content-type": "application/problem+json"}, body=b"{}")
    headers = {"X-Turnfold-Key": key, "Authorization": "Bearer sk"}
    assert statuses(OPERATIONS[path], mode, proxy.url, headers, examples=3)
