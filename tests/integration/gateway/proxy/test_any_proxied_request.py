"""The proxy answers any request, valid or not, without an internal error."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import pytest
import schemathesis
from schemathesis import GenerationMode

from support.any_request import statuses
from support.gateway import Gateway
from support.provider import Provider, Reply
from turnfold_gateway import proxy as room
from turnfold_gateway import rest

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

PATHS: Final = [path for path in rest.openapi_document()["paths"] if path in room.PATHS]


@cache
def operations() -> dict[str, Any]:
    """Return the documented operations by path; not at import, since each process of a run collects this file."""
    listed = schemathesis.openapi.from_dict(rest.openapi_document()).get_all_operations()
    return {operation.ok().path: operation.ok() for operation in listed}


@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
@pytest.mark.parametrize("path", PATHS)
def test_no_request_makes_the_proxy_fail(
    proxy: Gateway, provider: Provider, key: str, path: str, mode: GenerationMode
) -> None:
    # The answer of a provider that cannot parse a request.
    provider.choose = lambda _: Reply(status=400, headers={"content-type": "application/problem+json"}, body=b"{}")
    headers = {"X-Turnfold-Key": key, "Authorization": "Bearer sk"}
    assert statuses(operations()[path], mode, proxy.url, headers, examples=3)
