"""Decode JSON bodies into declared types; large ones in a thread, entry by entry, so that other requests can proceed.

A decoder holds the interpreter lock for the whole call, also in a thread: a millisecond per megabyte. A large body is
therefore split into raw entries by one call, and each entry is decoded by another.
"""

from __future__ import annotations

import asyncio
import re
from functools import cache
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Raw, Struct

DECODED_AT_ONCE: Final = 262_144
"""Bytes of a body that are decoded in one call: a quarter of a millisecond."""

_Kind = TypeVar("_Kind", bound=Struct)

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
"""An escape in a JSON string; the group is a lone surrogate, which JavaScript writes where it cut an emoji in two."""


async def decoded(body: bytes | bytearray, kind: type[_Kind]) -> _Kind:
    """Decode a body; a lone surrogate becomes U+FFFD, as in the SDK.

    Raises `msgspec.ValidationError`, `msgspec.DecodeError`, `UnicodeDecodeError`.
    """
    try:
        return await _decoded(body, kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Looking for the escapes to replace takes seconds in some bodies, and few that are no JSON have any.
        if not _SURROGATE.search(body):
            raise
        readable = await asyncio.to_thread(_without_lone_surrogates, body)
        if readable == body:
            raise
    return await _decoded(readable, kind)


def _without_lone_surrogates(body: bytes | bytearray) -> bytes:
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], body)


async def _decoded(body: bytes | bytearray, kind: type[_Kind]) -> _Kind:
    if len(body) <= DECODED_AT_ONCE:
        return msgspec.json.decode(body, type=kind)
    return await asyncio.to_thread(decoded_by_entries, body, kind)


def decoded_by_entries(body: bytes | bytearray, kind: type[_Kind]) -> _Kind:
    """Decode a body like `decoded`, with a separate call for each entry of a list. Raises the same errors."""
    try:
        undecoded = msgspec.json.decode(body, type=_of_raw_entries(kind))
        fields: dict[str, Any] = msgspec.structs.asdict(undecoded)
        for name, entry in _entry_types(kind).items():
            fields[name] = [msgspec.json.decode(raw, type=entry) for raw in fields[name]]
    except msgspec.ValidationError:
        # Decoding the whole body gives an error that names the place.
        return msgspec.json.decode(body, type=kind)
    return kind(**fields)


@cache
def _entry_types(kind: type[Struct]) -> dict[str, Any]:
    """Return the entry type of each list field."""
    return {name: get_args(hint)[0] for name, hint in get_type_hints(kind).items() if get_origin(hint) is list}


@cache
def _of_raw_entries(kind: type[Struct]) -> type[Struct]:
    """Return a copy of the type whose list entries stay undecoded."""
    entries = _entry_types(kind)
    fields: list[Any] = []
    for field in msgspec.structs.fields(kind):
        type_ = list[Raw] if field.name in entries else field.type
        if field.default_factory is not NODEFAULT:
            fields.append((field.name, type_, msgspec.field(default_factory=field.default_factory)))
        elif field.default is not NODEFAULT:
            fields.append((field.name, type_, field.default))
        else:
            fields.append((field.name, type_))
    return msgspec.defstruct(kind.__name__, fields, forbid_unknown_fields=True, kw_only=True)
