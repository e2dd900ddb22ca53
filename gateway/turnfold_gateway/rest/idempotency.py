"""`Idempotency-Key`: a repeated append adds nothing, even if its turns have no ids.

Turns without ids get ids derived from the key and the whole request, so that Redis and SQL drop a repeat like any
repeated id. The hash of the request is stored under the key for a day: during that time other turns with the same key
are refused, afterwards they are appended; they are never dropped silently.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Final

import msgspec

from turnfold import Unavailable
from turnfold.contract.keys import gateway_idempotency
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.inputs import whole_number
from turnfold_gateway.problems import Problem
from turnfold_gateway.rest.decoding import DECODED_AT_ONCE
from turnfold_gateway.rest.operations import Call

REMEMBERED_SECONDS: Final = 86_400
LONGEST: Final = 200


async def with_ids(call: Call, turns: Sequence[dict[str, Any]], subject: str | None) -> list[dict[str, Any]]:
    """Return the turns, with ids derived from the request's key if it has one. Raises `Problem`, `Unavailable`."""
    key = call.request.headers.get("idempotency-key")
    if key is None:
        return list(turns)
    if not 1 <= len(key) <= LONGEST:
        raise Problem(
            422, "invalid-idempotency-key", "Invalid Idempotency-Key",
            detail=f"Idempotency-Key must be 1 to {LONGEST} characters long, not {len(key)}",
            remedy="send a new UUID with each append, and the same one only to repeat it",
        )  # fmt: skip
    # A large body is hashed in a thread, so that other requests can proceed.
    sent = await asyncio.to_thread(hash_of_turns, turns) if _may_be_large(call) else hash_of_turns(turns)
    if subject is not None:
        # The same text for another subject is another turn: as a repeat, it would stay with the first subject only.
        sent = blake2b(f"{sent} {subject}".encode(), digest_size=16).hexdigest()
    await _remember(call, key, sent)
    return [
        turn if turn.get("turn_id") is not None else {**turn, "turn_id": f"idem-{_digest(call, key, number, sent)}"}
        for number, turn in enumerate(turns)
    ]


def hash_of_turns(turns: Sequence[dict[str, Any]]) -> str:
    """Hash the turns' JSON turn by turn, since each call holds the interpreter lock."""
    digest = blake2b(digest_size=16)
    for place, turn in enumerate(turns):
        digest.update(b"," if place else b"[")
        digest.update(msgspec.json.encode(turn))
    digest.update(b"]" if turns else b"[]")
    return digest.hexdigest()


def _may_be_large(call: Call) -> bool:
    headers = call.request.headers
    length = whole_number(headers.get("content-length", ""))
    return length is None or length > DECODED_AT_ONCE or "content-encoding" in headers


async def forget_key(call: Call) -> None:
    """Allow other turns under the request's key, since the append was refused and none was stored."""
    key = call.request.headers.get("idempotency-key")
    if key is None:
        return
    cells: ServedCells = call.request.app.state.cells
    # If this fails, the key refuses other turns until it expires.
    with suppress(Unavailable):
        await cells.of(call.caller.tenant).redis.forget(_name(call, key))


async def _remember(call: Call, key: str, digest: str) -> None:
    cells: ServedCells = call.request.app.state.cells
    earlier = await cells.of(call.caller.tenant).redis.remember(_name(call, key), digest, seconds=REMEMBERED_SECONDS)
    if earlier not in {None, digest}:
        raise Problem(
            422, "idempotency-key-reused", "The Idempotency-Key was already used",
            detail="other turns were appended to this conversation under this Idempotency-Key",
            remedy="send a new key with each append, and the same one only to repeat it",
        )  # fmt: skip


def _name(call: Call, key: str) -> str:
    return gateway_idempotency(call.caller.tenant, _digest(call, key))


def _digest(call: Call, key: str, *more: object) -> str:
    text = "\0".join(map(str, (call.caller.tenant, call.conversation, key, *more)))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
