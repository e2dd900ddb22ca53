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
    CONVERSATION: ("The conversation; without it a request and its answer pass untouched.", _TEXT),
    "X-Turnfold-Budget": (
        "Tokens of what is forwarded, system messages included, tools not; else the gateway's setting.",
        {"type": "integer", "minimum": 500, "maximum": 999_999_999},
    ),
    "X-Turnfold-Tokenizer": ("Counts: a tiktoken encoding whose file is cached; else the estimator does.", _TEXT),
    "X-Turnfold-History": (
        "`whole`: the body has the history, or its end. `new`: it has new messages alone.",
        {"type": "string", "enum": ["whole", "new"], "default": "whole"},
    ),
    "X-Turnfold-Recall": (
        "`off`: a question brings no notes back.",
        {"type": "string", "enum": ["on", "off"], "default": "on"},
    ),
    "X-Turnfold-Tools": (
        "`on`: the model may look things up that the block stands for.",
        {"type": "string", "enum": ["off", "on"], "default": "off"},
    ),
}
"""Description and schema by name. `X-Turnfold-Key` is a security scheme."""

ANSWER_HEADERS: Final[Mapping[str, str]] = {
    "X-Turnfold-Memory": "`on`, or `bypassed; reason=…` where the request was forwarded as it came.",
    "X-Turnfold-Tokens": "What was forwarded, counted.",
    "X-Turnfold-Folded": "Numbers of the turns that the block stands for: `1-195`.",
    "X-Turnfold-Lookups": "How often the model looked something up first.",
}

SECURITY_SCHEMES: Final = {
    "turnfoldKey": {
        "type": "apiKey", "in": "header", "name": "X-Turnfold-Key",
        "description": "`turnfold keys create`, with the scopes append and read. It is not forwarded.",
    },
    "providersKey": {"type": "http", "scheme": "bearer", "description": "The caller's own key, forwarded as it is."},
}  # fmt: skip

_ERROR: Final = {
    "type": "object",
    "description": "The same where clients of OpenAI look for it.",
    "properties": {
        "message": {"type": "string"}, "type": {"type": "string"}, "code": {"type": "string"},
        "param": {"type": "null"},
    },
    "required": ["message", "type", "code", "param"],
}  # fmt: skip
SCHEMAS: Final = {
    "ProviderBody": {"type": "object", "description": "What the provider takes, whatever is in it."},
    "ProviderAnswer": {"description": "What the provider answers, byte for byte."},
    "ProxyProblem": {
        "description": "An error of the gateway's, not of the provider's.",
        "allOf": [
            {"$ref": "#/components/schemas/Problem"},
            {"type": "object", "properties": {"error": _ERROR}, "required": ["error"]},
        ],
    },
}

_ERRORS: Final[Mapping[str, str]] = {
    "400": "A Turnfold key stands where it would be forwarded.",
    "401": "No valid Turnfold key.",
    "403": "The Turnfold key does not have the scopes.",
    "413": "The body is too large.",
    "422": "A header or the budget makes no sense.",
    "429": "Too many requests: repeat after Retry-After seconds.",
    "501": "No provider is configured.",
    "502": "The provider cannot be reached, or broke off.",
    "503": "The key cannot be looked up: the database does not answer.",
    "504": "The provider did not answer in time.",
}
_COMMON: Final = (
    "Forwarded to the provider, inside the budget where a header names a conversation. Every other header passes, but "
    "for those of one connection. Statuses of the provider pass as they are."
)


def paths() -> dict[str, Any]:
    """Return the path items of the proxy."""
    return {
        "/v1/chat/completions": {"post": _operation("forwardChatCompletion", "A chat completion.")},
        "/v1/responses": {"post": _operation("forwardResponse", "A response.")},
        "/v1/responses/compact": {
            "post": _operation(
                "compactResponses", "A compacted conversation, for any provider.",
                "With a conversation no provider is asked: the user's messages, and one readable item for the rest.",
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
            "200": {"description": "The provider's answer.", "headers": _answer_headers(), "content": content},
            **{status: {"description": text, "content": _PROBLEM} for status, text in _ERRORS.items()},
        },
    }


def _answer_headers() -> dict[str, Any]:
    return {
        name: {"description": text, "required": False, "schema": {"type": "string"}}
        for name, text in ANSWER_HEADERS.items()
    }
