"""gateway/openapi.json matches the gateway's code and is valid OpenAPI 3.1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.routing import Route

from turnfold_gateway import proxy, rest
from turnfold_gateway.problems import TABLE
from turnfold_gateway.proxy import headers
from turnfold_gateway.rest.openapi_proxy import ANSWER_HEADERS, REQUEST_HEADERS
from turnfold_gateway.rest.operations import Operation

FILE = Path(__file__).parents[2] / "gateway" / "openapi.json"


def test_the_file_is_what_the_code_says() -> None:
    """`python -m turnfold_gateway.rest.openapi > gateway/openapi.json` regenerates the file."""
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(json.dumps(rest.openapi_document()))


def test_every_route_of_the_api_is_in_it() -> None:
    routed = {
        (method, route.path.replace(":id}", "}"))
        for route in rest.routes
        if isinstance(route, Route) and route.path.startswith("/v1/")
        for method in route.methods or ()
        if method != "HEAD"
    }
    paths = rest.openapi_document()["paths"]
    described = {
        (method.upper(), path)
        for path, methods in paths.items()
        for method in methods
        if path.startswith("/v1/") and path not in proxy.PATHS
    }
    assert routed == described


def test_the_proxys_routes_and_headers_are_in_it() -> None:
    document = rest.openapi_document()
    described = {
        path for path, methods in document["paths"].items() if methods.get("post", {}).get("tags") == ["proxy"]
    }
    assert described == proxy.PATHS
    names = {name for kind, name in vars(headers).items() if kind.isupper() and isinstance(name, str)}
    taken = {name.lower() for name in (*REQUEST_HEADERS, *ANSWER_HEADERS)} | {"x-turnfold-key"}
    assert {name.lower() for name in names if name.lower().startswith("x-turnfold-")} == taken


@pytest.mark.parametrize("operation", rest.operations, ids=lambda operation: operation.name)
def test_what_is_erased_or_changed_for_good_needs_admin(operation: Operation) -> None:
    only_adds = operation.method == "GET" or operation.name in {"appendTurns", "readContext"}
    assert (operation.scope == "admin") is not only_adds


def test_every_reference_leads_somewhere() -> None:
    document = json.dumps(rest.openapi_document())
    schemas = rest.openapi_document()["components"]["schemas"]
    wanted = {part.split('"')[0] for part in document.split("#/components/schemas/")[1:]}
    assert wanted
    assert wanted <= schemas.keys()


def test_every_operation_may_be_refused_for_its_headers() -> None:
    answers = [
        described["responses"]
        for methods in rest.openapi_document()["paths"].values()
        for described in methods.values()
    ]  # fmt: skip
    assert len(answers) > 15
    assert all({"408", "431"} <= responses.keys() for responses in answers)
    assert [list(responses) for responses in answers] == [sorted(responses) for responses in answers]


def test_the_documents_list_every_kind_of_error() -> None:
    documented = (FILE.parents[1] / "docs" / "gateway.md").read_text(encoding="utf-8")
    kinds = {kind for _, kind, _ in TABLE.values()}
    assert len(kinds) > 10
    assert [kind for kind in sorted(kinds) if f"`{kind}`" not in documented] == []


def test_errors_are_told_apart_by_their_type() -> None:
    kinds = [kind for _, kind, _ in TABLE.values()]
    assert len(set(kinds)) == len(kinds)
