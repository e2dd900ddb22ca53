"""JSON in and out: bodies are decoded into declared types, answers encoded from the SDK's records."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from turnfold_gateway.problems import Problem

_Body = TypeVar("_Body", bound=msgspec.Struct)


async def read_body(request: Request, kind: type[_Body]) -> _Body:
    """The request's body as a declared type. Raises `Problem` naming the field that is wrong, or that it is too large.

    An empty body is taken for `{}`.
    """
    body = await _bounded(request, most_bytes=request.app.state.settings.max_body_bytes)
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise Problem(
            422, "invalid-input", "The request makes no sense", detail=f"the body is not as declared: {error}",
            remedy="correct this field; /openapi.json has the form",
        ) from error  # fmt: skip
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(
            400, "invalid-json", "The body is no JSON", detail=f"the body is no JSON: {error}",
            remedy="send a JSON object in UTF-8",
        ) from error  # fmt: skip


async def _bounded(request: Request, *, most_bytes: int) -> bytes:
    chunks = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most_bytes:
            raise Problem(
                413, "body-too-large", "The body is too large", detail=f"the body is above {most_bytes} bytes",
                remedy="append in several requests, or raise TURNFOLD_GATEWAY_MAX_BODY_BYTES",
            )  # fmt: skip
        chunks.append(chunk)
    return b"".join(chunks)


def answer(document: Any, status: int = 200) -> Response:
    """A response of JSON."""
    return Response(msgspec.json.encode(document), status, media_type="application/json")
