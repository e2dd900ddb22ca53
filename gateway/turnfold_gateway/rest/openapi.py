"""Build the OpenAPI 3.1 document from the operations and their types.

`python -m turnfold_gateway.rest.openapi > gateway/openapi.json` writes the file in the repository.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import Any, Final

import msgspec

from turnfold_gateway.problems import MEDIA_TYPE
from turnfold_gateway.rest import openapi_proxy
from turnfold_gateway.rest.answers import Health
from turnfold_gateway.rest.operations import Operation

REF: Final = "#/components/schemas/{name}"
_PART: Final = re.compile(r"\{(\w+):id\}")
_PARTS: Final = {
    "conversation": "The conversation's id, percent-encoded: 1 to 200 bytes.",
    "turn": "A turn's id, percent-encoded.",
    "marker": "A marker as a context shows it, `L1:refunds-7`, percent-encoded.",
    "subject": "The id of an end user, percent-encoded.",
}

PROBLEM: Final = {
    "type": "object",
    "description": "An error (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": "`urn:turnfold:problem:` and the kind: unknown-marker …"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, in the SDK's words."},
        "remedy": {"type": "string", "description": "What to do about it."},
        "needed_tokens": {"type": "integer", "description": "For invalid-budget: the minimum budget."},
        "suggestion": {"type": "string", "description": "For unknown-marker: the nearest marker."},
        "retry_after_seconds": {"type": "integer", "description": "Same as the Retry-After header."},
        "turn_ids": {
            "type": "array", "items": {"type": "string"},
            "description": "For an append: resend the turns with these ids to avoid duplicates.",
        },
    },
    "required": ["type", "title", "status", "detail", "remedy"],
}  # fmt: skip

_ERRORS: Final[Mapping[str, str]] = {
    "400": "The body is not JSON.",
    "401": "No valid key.",
    "403": "The key lacks the scope.",
    "404": "Unknown conversation, turn or marker.",
    "408": "The body took too long to arrive.",
    "413": "The body is too large.",
    "415": "Unsupported Content-Encoding.",
    "422": "Invalid request: the detail says why.",
    "429": "Too many requests, or the inbox is full: repeat after Retry-After seconds.",
    "503": "Redis or the database did not answer: repeat after Retry-After seconds.",
}


_HEADER_ERRORS: Final = {
    "408": {"description": "The headers took too long to arrive."},
    "431": {"description": "The headers are too large."},
}
"""Responses of the server itself to any request; they have no body."""


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the document as JSON-compatible data, in a fixed order."""
    listed = sorted(operations, key=lambda operation: (operation.path, operation.method))
    kinds = [kind for operation in listed for kind in (operation.body, operation.answer) if kind is not None]
    _, schemas = msgspec.json.schema_components([*kinds, Health], ref_template=REF)
    for kind in _classes([*kinds, Health]):
        _describe(schemas[kind.__name__], kind)
    for schema in schemas.values():
        if "description" in schema:
            # Before Python 3.13, docstrings keep their indentation.
            schema["description"] = inspect.cleandoc(schema["description"])
    paths: dict[str, dict[str, Any]] = {}
    for operation in listed:
        path = _PART.sub(r"{\1}", operation.path)
        paths.setdefault(path, {})[operation.method.lower()] = _operation(operation)
    for path, summary in (("/healthz", "Whether the process is alive."), ("/readyz", "Whether Redis and SQL answer.")):
        paths[path] = {"get": _health(path, summary)}
    paths |= openapi_proxy.paths()
    for methods in paths.values():
        for described in methods.values():
            described["responses"] = dict(sorted((_HEADER_ERRORS | described["responses"]).items()))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Turnfold",
            "version": version("turnfold-gateway"),
            "description": "Conversations of any length, folded in the background, read within any budget of tokens.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "`turnfold keys create`"},
                **openapi_proxy.SECURITY_SCHEMES,
            },
            "schemas": {**dict(sorted(schemas.items())), "Problem": PROBLEM, **openapi_proxy.SCHEMAS},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": " ".join(filter(None, (operation.description, f"Scope: {operation.scope}."))),
        "parameters": [*_path_parameters(operation), *_query_parameters(operation)],
        "responses": _responses(operation),
    }
    if operation.body is not None:
        reference = {"$ref": REF.format(name=operation.body.__name__)}
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": reference}}}
    return described


def _path_parameters(operation: Operation) -> Iterator[dict[str, Any]]:
    for name in _PART.findall(operation.path):
        text = {"type": "string", "minLength": 1, "maxLength": 200}
        yield {"name": name, "in": "path", "required": True, "description": _PARTS[name], "schema": text}
    if operation.takes_idempotency_key:
        yield {
            "name": "Idempotency-Key", "in": "header", "required": False,
            "description": "A repeat with the same key within a day adds nothing.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        }  # fmt: skip


def _query_parameters(operation: Operation) -> Iterator[dict[str, Any]]:
    if operation.query is None:
        return
    (_,), schemas = msgspec.json.schema_components([operation.query], ref_template=REF)
    schema = schemas[operation.query.__name__]
    _describe(schema, operation.query)
    for name, kind in schema["properties"].items():
        description = kind.pop("description", None)
        parameter = {"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": kind}
        yield parameter if description is None else {**parameter, "description": description}


def _responses(operation: Operation) -> dict[str, Any]:
    if operation.answer is None:
        responses: dict[str, Any] = {"204": {"description": "Done."}}
    else:
        content = {"application/json": {"schema": {"$ref": REF.format(name=operation.answer.__name__)}}}
        described = {"description": operation.summary, "content": content}
        responses = {str(status): described for status in operation.statuses}
    without = {"400", "408", "413", "415"} if operation.body is None else set()
    return {**responses, **{status: _problem(text) for status, text in _ERRORS.items() if status not in without}}


def _problem(description: str) -> dict[str, Any]:
    return {"description": description, "content": {MEDIA_TYPE: {"schema": {"$ref": REF.format(name="Problem")}}}}


def _health(path: str, summary: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": REF.format(name="Health")}}}
    responses = {"200": {"description": "Yes.", "content": content}}
    if path == "/readyz":
        responses["503"] = _problem(_ERRORS["503"])
    return {"operationId": path.strip("/"), "summary": summary, "security": [], "responses": responses}


def _classes(kinds: Iterable[Any]) -> Iterator[type]:
    """Yield every struct and dataclass that these types contain."""
    met: set[type] = set()
    waiting = list(msgspec.inspect.multi_type_info(kinds))
    while waiting:
        info = waiting.pop()
        if isinstance(info, (msgspec.inspect.StructType, msgspec.inspect.DataclassType)):
            if info.cls in met:
                continue
            met.add(info.cls)
            yield info.cls
            waiting += [field.type for field in info.fields]
        for name in ("types", "item_types"):
            waiting += getattr(info, name, ())
        waiting += [getattr(info, name) for name in ("item_type", "key_type", "value_type") if hasattr(info, name)]


def _describe(schema: dict[str, Any], kind: type) -> None:
    """Set each property's description to the docstring below its field."""
    for name, text in _field_docstrings(kind).items():
        if name in schema["properties"]:
            schema["properties"][name]["description"] = text


def _field_docstrings(kind: type) -> dict[str, str]:
    (declared,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(declared, ast.ClassDef)  # noqa: S101 - for the type checker
    texts = {}
    for field, after in zip(declared.body, declared.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            text = after.value.value if isinstance(after.value, ast.Constant) else None
            if isinstance(text, str):
                texts[field.target.id] = " ".join(text.split())
    return texts


def main() -> None:
    from turnfold_gateway.rest import openapi_document

    sys.stdout.write(json.dumps(openapi_document(), indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
