"""Decode JSON bodies and query strings into declared types, and encode responses from the SDK's records."""

from __future__ import annotations

import re
import zlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from turnfold_gateway.inputs import whole_body
from turnfold_gateway.problems import Problem
from turnfold_gateway.rest.decoding import decoded

_Kind = TypeVar("_Kind", bound=msgspec.Struct)

_GZIP: Final = 16 + zlib.MAX_WBITS
_UNKNOWN_FIELD: Final = re.compile(r"Object contains unknown field `.*`", re.DOTALL)
"""Error of the top-level object; for a nested one, msgspec appends the path."""
_NO_CHOICE: Final = re.compile(r"Invalid enum value .* - at `\$\.(\w+)`", re.DOTALL)


async def read_body(request: Request, kind: type[_Kind]) -> _Kind:
    """Decode the request's body into a declared type; an empty body is read as `{}`.

    Raises `Problem` that names the invalid field, or says that the body is too large or is not JSON.
    """
    most_bytes = request.app.state.settings.max_body_bytes
    body = await whole_body(
        _unpacked(request, most_bytes), most_bytes=most_bytes,
        remedy="append in several requests, or raise TURNFOLD_GATEWAY_MAX_BODY_BYTES",
    )  # fmt: skip
    try:
        return await decoded(body or b"{}", kind)
    except msgspec.ValidationError as error:
        raise _not_as_declared(error, kind, what="the body") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(
            400, "invalid-json", "The body is not JSON", detail=f"the body is not JSON: {error}",
            remedy="send a JSON object in UTF-8",
        ) from error  # fmt: skip


def read_query(request: Request, kind: type[_Kind]) -> _Kind:
    """Decode the query string into a declared type; list parameters may be repeated. Raises `Problem`."""
    lists = _lists_of(kind)
    given = request.query_params
    values = {name: given.getlist(name) if name in lists else given[name] for name in given}
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _not_as_declared(error, kind, what="the query string") from error


@cache
def _lists_of(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Return the names of list fields. Cached, because resolving type hints compiles them each time."""
    return frozenset(name for name, hint in get_type_hints(kind).items() if get_origin(hint) is tuple)


def moment(name: str, text: str | None) -> datetime | None:
    """Parse an ISO 8601 time with an offset, or a day, meaning its start in UTC. Raises `Problem`."""
    if text is None:
        return None
    try:
        # In a query string, a plus sign means a space.
        time = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    except ValueError:
        time = None
    if time is not None and time.tzinfo is None and "T" not in text and " " not in text:
        time = time.replace(tzinfo=UTC)
    if time is None or time.tzinfo is None:
        raise Problem(
            422, "invalid-input", "Invalid request",
            detail=f"{name} is neither a day nor a time with an offset",
            remedy="write 2026-03-06, or 2026-03-06T12:00:00Z",
        )  # fmt: skip
    return time


def answer(document: Any, status: int = 200, **headers: str) -> Response:
    """Return a JSON response that must not be cached."""
    return Response(
        msgspec.json.encode(document), status, {"Cache-Control": "no-store", **headers}, media_type="application/json"
    )


def _not_as_declared(error: Exception, kind: type[msgspec.Struct], *, what: str) -> Problem:
    told = str(error)
    remedy = "correct this field; /openapi.json describes it"
    if _UNKNOWN_FIELD.fullmatch(told):
        remedy = f"use {', '.join(kind.__struct_encode_fields__)}; /openapi.json describes them"
    elif wrong := _NO_CHOICE.fullmatch(told):
        remedy = f"use one of {', '.join(map(str, get_args(get_type_hints(kind)[wrong[1]])))}"
    return Problem(
        422, "invalid-input", "Invalid request", detail=f"{what} does not match the schema: {told}", remedy=remedy
    )


async def _unpacked(request: Request, most_bytes: int) -> AsyncIterator[bytes]:
    """Yield the body in pieces, none of them much larger than the limit, however well it was compressed."""
    encoding = request.headers.get("content-encoding", "identity").lower()
    if encoding == "identity":
        async for chunk in request.stream():
            yield chunk
        return
    if encoding != "gzip":
        raise Problem(
            415, "unknown-encoding", "Unsupported Content-Encoding",
            detail=f"Content-Encoding {encoding!r} is not supported",
            remedy="send the body uncompressed or with gzip", headers={"Accept-Encoding": "gzip"},
        )  # fmt: skip
    unpack = zlib.decompressobj(_GZIP)
    try:
        async for chunk in request.stream():
            if chunk and unpack.eof:
                # zlib would collect the rest, and copy it with each further piece.
                raise _broken_gzip()
            yield unpack.decompress(chunk, most_bytes + 1)
    except zlib.error as error:
        raise _broken_gzip() from error
    if unpack.unused_data or not (unpack.eof or unpack.unconsumed_tail):
        raise _broken_gzip()


def _broken_gzip() -> Problem:
    return Problem(
        400, "invalid-gzip", "The body is not gzip",
        detail="the body does not match its Content-Encoding, or is truncated",
        remedy="send the complete body, or omit Content-Encoding",
    )  # fmt: skip
