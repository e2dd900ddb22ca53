"""Content-stable ids: the same message after the same turn has the same id, in every process. Pure.

A caller sends its whole history at each call, in which no message has an id. A turn's id hashes its own content and the
previous id, so that a message appended twice is one turn, and a message repeated later is two.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from turnfold.contract.records import StoredTurn, holds_results
from turnfold.wire.projection import kind_of

Message = Mapping[str, Any]

_DIGEST_BYTES: Final = 10
_TURN_ID: Final = re.compile(r"proxy-(?P<digest>[0-9a-f]{20})-[0-9a-f]{20}")
_TEXT: Final = frozenset({"text", "input_text", "output_text"})
_PASSING: Final = frozenset({"annotations", "cache_control", "detail", "id", "index", "logprobs", "status"})
"""Keys of a part that clients add, drop or change between calls although the content is the same."""


def digest_of(message: Message) -> str:
    """Return 20 hexadecimal digits of a chat message's content: equal for an answer and the same answer sent back.

    Clients turn null content into empty text, lists of one text into text, and trim: none of that changes the digest.
    """
    content = message.get("content")
    role = _sent_role(message)
    parts = [content] if isinstance(content, str) or content is None else list(_listed(content))
    lasting = {
        "role": role,
        "text": " ".join(" ".join(_texts(message, parts)).split()),
        "parts": [_lasting(part) for part in parts if isinstance(part, Mapping) and kind_of(part) not in _TEXT],
        "calls": [_call(call) for call in _listed(message.get("tool_calls")) if isinstance(call, Mapping)],
        "answers": message.get("tool_call_id"),
        "name": message.get("name") if role == "user" else None,
    }
    return blake2b(_canonical(lasting), digest_size=_DIGEST_BYTES).hexdigest()


def role_of(message: Message) -> str:
    """Return the role that a chat message has as a turn: a tool's for a result in a user's message."""
    role = _sent_role(message)
    return "tool" if role == "user" and holds_results(message.get("content")) else role


def _sent_role(message: Message) -> str:
    """Return the role with which a message is sent: `function` is the old name of `tool`."""
    role = str(message.get("role"))
    return "tool" if role == "function" else role


def turn_id_after(previous: str, digest: str) -> str:
    """Return the id of the message with a digest after the turn `previous`, which is empty for the first message."""
    link = blake2b(f"{previous}\n{digest}".encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"proxy-{digest}-{link}"


def turn_ids(previous: str, digests: Iterable[str]) -> list[str]:
    """Return the ids of consecutive messages after the turn `previous`."""
    ids = []
    for digest in digests:
        previous = turn_id_after(previous, digest)
        ids.append(previous)
    return ids


def stored_digest(turn: StoredTurn) -> str:
    """Return the digest of a stored turn's message: from its id, or computed for a turn that the SDK appended."""
    if match := _TURN_ID.fullmatch(turn.turn_id):
        return match["digest"]
    parts = turn.parts or {}
    content = parts.get("content", None if parts.get("tool_calls") else turn.content)
    role, name = turn.sent_as
    return digest_of({**parts, "role": str(role), "content": content, "name": name})


def _texts(message: Message, parts: Sequence[object]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Mapping) and kind_of(part) in _TEXT:
            yield str(part.get("text") or "")
    if isinstance(refusal := message.get("refusal"), str):
        yield refusal


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else () if value is None else (value,)


def _lasting(value: Any) -> Any:
    """Return a part without its volatile keys."""
    if isinstance(value, Mapping):
        return {str(key): _lasting(inner) for key, inner in value.items() if key not in _PASSING and inner is not None}
    return [_lasting(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _call(call: Mapping[str, Any]) -> list[Any]:
    """Return a tool call's id, name and parsed arguments, so that whitespace in these does not matter."""
    function = call.get("function") or call.get("custom") or call
    arguments = function.get("arguments", function.get("input")) if isinstance(function, Mapping) else function
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = arguments.strip()
    return [call.get("id"), function.get("name") if isinstance(function, Mapping) else None, arguments]


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str).encode()
