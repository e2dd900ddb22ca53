"""The proxy's routes in the OpenAPI document: a provider's bodies, with our headers.

The provider defines the bodies, so they are described as arbitrary objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from turnfold_gateway.problems import MEDIA_TYPE

TAG: Final = "proxy"
CONVERSATION: Final = "X-Turnfold-Conversation"
_PROBLEM: Final = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProxyProblem"}}}
_TEXT: Final[Mapping[str, Any]] = {"type": "string", "minLength": 1, "maxLength": 200}

REQUEST_HEADERS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    CONVERSATION: ("The conversation; without it, request and response pass unchanged.", _TEXT),
    "X-Turnfold-Budget": (
        "Token budget of the forwarded messages, with system messages, without tools; default: the gateway's setting.",
        {"type": "integer", "minimum": 500, "maximum": 999_999_999},
    ),
    "X-Turnfold-Tokenizer": ("Tokenizer: a tiktoken encoding whose file is cached; default: the estimator.", _TEXT),
    "X-Turnfold-History": (
        "`whole`: the body contains the history, or the end of it. `new`: only new messages.",
        {"type": "string", "enum": ["whole", "new"], "default": "whole"},
    ),
    "X-Turnfold-Recall": (
        "`off`: the question does not retrieve notes.",
        {"type": "string", "enum": ["on", "off"], "default": "on"},
    ),
    "X-Turnfold-Tools": (
        "`on`: the model may look up what the block replaces.",
        {"type": "string", "enum": ["off", "on"], "default": "off"},
    ),
}
"""Description and schema by name. `X-Turnfold-Key` is a security scheme."""

ANSWER_HEADERS: Final[Mapping[str, str]] = {
    "X-Turnfold-Memory": "`on`, or `bypassed; reason=…` if the request was forwarded unchanged.",
    "X-Turnfold-Tokens": "Tokens forwarded.",
    "X-Turnfold-Folded": "Numbers of the turns that the block replaces: `1-195`.",
    "X-Turnfold-Lookups": "Number of lookups by the model before its answer.",
}

SECURITY_SCHEMES: Final = {
    "turnfoldKey": {
        "type": "apiKey", "in": "header", "name": "X-Turnfold-Key",
        "description": "Key from `turnfold keys create` with the scopes append and read. Not forwarded.",
    },
    "providersKey": {"type": "http", "scheme": "bearer", "description": "The caller's provider key, forwarded "
        "unchanged."},
}  # fmt: skip

_ERROR: Final = {
    "type": "object",
    "description": "The same, where OpenAI clients expect it.",
    "properties": {
        "message": {"type": "string"}, "type": {"type": "string"}, "code": {"type": "string"},
        "param": {"type": "null"},
    },
    "required": ["message", "type", "code", "param"],
}  # fmt: skip
SCHEMAS: Final = {
    "ProviderBody": {"type": "object", "description": "Any request body that the provider accepts."},
    "ProviderAnswer": {"description": "The provider's response, byte for byte."},
    "ProxyProblem": {
        "description": "An error from the gateway, not the provider.",
        "allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"type": "object", "properties": {"error": _ERROR}, "required": ["error"]},
        ],
    },
}

_ERRORS: Final[Mapping[str, str]] = {
    "400": "A Turnfold key is where it would be forwarded.",
    "401": "No valid Turnfold key.",
    "403": "The Turnfold key lacks a scope.",
    "408": "The body took too long to arrive.",
    "413": "The body is too large.",
    "422": "Invalid header or budget.",
    "429": "Too many requests: repeat after Retry-After seconds.",
    "501": "No provider is configured.",
    "502": "The provider cannot be reached, or its response was interrupted.",
    "503": "The key cannot be looked up: the database does not answer.",
    "504": "The provider did not answer in time.",
}
_COMMON: Final = (
    "Forwarded to the provider; if a header names a conversation, the messages are cut to the budget. "
    "All other headers are passed through, except hop-by-hop ones. The provider's status codes are passed through."
)


def paths() -> dict[str, Any]:
    """Return the path items of the proxy."""
    return {
        "/v1/chat/completions": {"post": _operation("forwardChatCompletion", "Create a chat completion.")},
        "/v1/responses": {"post": _operation("forwardResponse", "A response.")},
        "/v1/responses/compact": {
            "post": _operation(
                "compactResponses", "Compact a conversation, for any provider.",
                "With a conversation, no provider is called: returns the user's messages, and one readable item for "
                "the rest.",
                streams=False,
            )
        },
    }  # fmt: skip


def _operation(name: str, summary: str, more: str = "", *, streams: bool = True) -> dict[str, Any]:
    answer = {"$ref": "#/components/schemas/ProviderAnswer"}
    content: dict[str, Any] = {"application/json": {"schema": answer}}
    if streams:
        content["text/event-stream"] = {"schema": {"type": "string"}}
    body = {"$ref": "#/components/schemas/ProviderBody"}
    return {
        "operationId": name,
        "tags": [TAG],
        "summary": summary,
        "description": f"{_COMMON} {more}".strip(),
        "security": [{"turnfoldKey": [], "providersKey": []}, {"providersKey": []}],
        "parameters": [
            {"name": header, "in": "header", "required": False, "description": text, "schema": dict(schema)}
            for header, (text, schema) in REQUEST_HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            "200": {"description": "The provider's response.", "headers": _answer_headers(), "content": content},
            **{status: {"description": text, "content": _PROBLEM} for status, text in _ERRORS.items()},
        },
    }


def _answer_headers() -> dict[str, Any]:
    return {
        name: {"description": text, "required": False, "schema": {"type": "string"}}
        for name, text in ANSWER_HEADERS.items()
    }
