"""`Idempotency-Key`: a repeated append adds nothing, also where its turns have no ids.

The ids of such turns are made of the key and of all that was sent with it, so that Redis and SQL drop a repeat as they
drop any repeated id. What was sent with a key is remembered for a day by its hash: other turns under the same key are
refused so long, and appended after it; never are they dropped unseen.
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
    """A subject's turns, with ids made of the request's key where it has one. Raises `Problem` (422), `Unavailable`."""
    key = call.request.headers.get("idempotency-key")
    if key is None:
        return list(turns)
    if not 1 <= len(key) <= LONGEST:
        raise Problem(
            422, "invalid-idempotency-key", "The Idempotency-Key cannot be used",
            detail=f"Idempotency-Key must be 1 to {LONGEST} characters long, not {len(key)}",
            remedy="send a new UUID with each append, and the same one with a repeat of it",
        )  # fmt: skip
    # A large body in a thread, where other requests go on beside it.
    sent = await asyncio.to_thread(hash_of_turns, turns) if _may_be_large(call) else hash_of_turns(turns)
    if subject is not None:
        # The same words for another end user are other turns: a repeat would leave them with the first.
        sent = blake2b(f"{sent} {subject}".encode(), digest_size=16).hexdigest()
    await _remember(call, key, sent)
    return [
        turn if turn.get("turn_id") is not None else {**turn, "turn_id": f"idem-{_digest(call, key, number, sent)}"}
        for number, turn in enumerate(turns)
    ]


def hash_of_turns(turns: Sequence[dict[str, Any]]) -> str:
    """The hash of the turns' JSON, turn by turn: a call holds the interpreter as long as it takes."""
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
    """Let the request's key be used with other turns: those that it came with were refused, and none is stored."""
    key = call.request.headers.get("idempotency-key")
    if key is None:
        return
    cells: ServedCells = call.request.app.state.cells
    # A key that is still remembered is refused with other turns, and ends by itself.
    with suppress(Unavailable):
        await cells.of(call.caller.tenant).redis.forget(_name(call, key))


async def _remember(call: Call, key: str, digest: str) -> None:
    cells: ServedCells = call.request.app.state.cells
    earlier = await cells.of(call.caller.tenant).redis.remember(_name(call, key), digest, seconds=REMEMBERED_SECONDS)
    if earlier not in {None, digest}:
        raise Problem(
            422, "idempotency-key-reused", "The Idempotency-Key was used before",
            detail="other turns were appended to this conversation under this Idempotency-Key",
            remedy="send a new key with each append, and the same one only with a repeat of it",
        )  # fmt: skip


def _name(call: Call, key: str) -> str:
    return gateway_idempotency(call.caller.tenant, _digest(call, key))


def _digest(call: Call, key: str, *more: object) -> str:
    text = "\0".join(map(str, (call.caller.tenant, call.conversation, key, *more)))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
