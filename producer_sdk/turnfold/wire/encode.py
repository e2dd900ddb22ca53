"""Validation of callers' turns, and their encoding as inbox entries. Pure except for generated ids."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from reprlib import repr as shortened
from typing import Any, Final

from turnfold.contract.keys import checked_id
from turnfold.contract.records import Importance, Role, Turn
from turnfold.contract.text import clean
from turnfold.errors import InvalidTurn
from turnfold.wire.decode import in_utc
from turnfold.wire.json_values import changed_texts, json_kind, plain
from turnfold.wire.projection import project
from turnfold.wire.redaction import Redact, redacted

IMPORTANCE: Final[Mapping[str, Importance]] = {
    "low": Importance.LOW, "normal": Importance.NORMAL, "medium": Importance.MEDIUM,
    "high": Importance.HIGH, "pin": Importance.PIN,
}  # fmt: skip

MAX_NAME_CHARACTERS: Final = 200

_TURN_FIELDS: Final = frozenset(field.name for field in fields(Turn))
_NO_PARTS: Final = _TURN_FIELDS | {"subject"}
TurnInput = Turn | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """An inbox entry to append: its id and its JSON body."""

    entry_id: str
    body: bytes


def new_turn_id() -> str:
    """Generate a turn id that sorts by time: 32 hexadecimal digits."""
    return f"{time.time_ns() // 1000:014x}{secrets.token_hex(9)}"


def accept(
    turn: object, *, max_bytes: int, may_wait: bool = False, redact: Redact | None = None, subject: str | None = None
) -> Entry:
    """Validate a turn and encode it as an inbox entry; one that `may_wait` is folded when nothing else is due.

    `subject` is the end user of the turn, already validated; a message dict may name its own.

    Accepts a `Turn`, a provider's message dict, or an object with `model_dump` (a provider client's message). Texts are
    stored as `redact` returns them. Raises `InvalidTurn`, naming the field and the remedy, or `InvalidInput` for a
    failure of `redact`.
    """
    given = _as_mapping(turn)
    subject = _subject(given.get("subject"), subject)
    if redact is not None:
        given = redacted(given, redact)
    role = _role(given.get("role"))
    words, calls = content_of(given.get("content")), _tool_calls(given.get("tool_calls"))
    parts = _parts(given, words, calls)
    content = clean(project(words, calls) or _beside_content(given))
    if not content.strip() and role is not Role.TOOL and not any(parts.values()):
        raise InvalidTurn(f"a turn with role {role} has no content", remedy="give text, content parts or tool_calls")
    body = {
        "role": str(role),
        "content": content,
        "name": _name(given.get("name")),
        "parts": parts or None,
        "importance": _importance(given.get("importance")),
        "created_at": _created_at(given.get("created_at")),
        "metadata": _metadata(given.get("metadata")),
        "may_wait": may_wait or None,
        "subject": subject,
    }
    encoded = encode({key: field for key, field in body.items() if field is not None})
    check_size("a turn", encoded, max_bytes=max_bytes)
    return Entry(_turn_id(given.get("turn_id")), encoded)


def _subject(own: object, of_all: str | None) -> str | None:
    """Return the end user that a message dict names, or that of the whole append; they must not differ."""
    if own is None:
        return of_all
    named = checked_id("subject", own)
    if of_all not in (None, named):
        msg = f"subject {shortened(named)} of a turn differs from subject={shortened(of_all)} of its append"
        raise InvalidTurn(msg, remedy="pass only one of them")
    return named


def check_size(what: str, body: bytes, *, max_bytes: int) -> None:
    """Raise `InvalidTurn` for a body that is too large for an inbox."""
    if len(body) > max_bytes:
        msg = f"{what} of {len(body)} bytes exceeds the limit of {max_bytes}"
        raise InvalidTurn(
            msg, remedy="shorten it, send images as URLs, or raise TURNFOLD_MAX_TURN_BYTES (up to 16 MiB)"
        )


def with_turn_id(turn: object, turn_id: str) -> TurnInput:
    """Return the turn with its id filled in, to be appended again."""
    if isinstance(turn, Turn):
        return replace(turn, turn_id=turn_id)
    return {**_as_mapping(turn), "turn_id": turn_id}


def _as_mapping(turn: object) -> Mapping[str, Any]:
    if isinstance(turn, Turn):
        return {name: field for name in _TURN_FIELDS if (field := getattr(turn, name)) is not None}
    given = plain(turn)
    if isinstance(given, Mapping):
        return given
    raise InvalidTurn(f"a turn must be a Turn or an object with role and content, not {json_kind(turn)}")


def _role(name: object) -> Role:
    if name == "function":
        # OpenAI's name of the role before an assistant could call several tools.
        return Role.TOOL
    try:
        return Role(name)  # type: ignore[arg-type]  # anything else is refused below
    except ValueError as error:
        msg = "the turn has no role" if name is None else f"unknown role {shortened(name)}"
        raise InvalidTurn(msg, remedy=f"use one of {', '.join(Role)}") from error


def content_of(value: object) -> str | list[object] | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Sequence):
        raise InvalidTurn(f"content must be text, a list of content parts or null, not {json_kind(value)}")
    parts = [plain(part) for part in value]
    if not all(isinstance(part, (str, Mapping)) for part in parts):
        raise InvalidTurn("each content part must be an object with a type, or text")
    return parts


def _tool_calls(value: object) -> list[object]:
    if value is None:
        return []
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Sequence):
        raise InvalidTurn(f"tool_calls must be a list of call objects, not {json_kind(value)}")
    calls = [plain(call) for call in value]
    if not all(isinstance(call, Mapping) for call in calls):
        raise InvalidTurn("each of tool_calls must be an object as the provider gave it")
    return calls


def _parts(given: Mapping[str, Any], words: str | list[object] | None, calls: list[object]) -> dict[str, Any]:
    """Collect everything other than plain text, as given."""
    parts = {str(key): field for key, field in given.items() if key not in _NO_PARTS and field is not None}
    if calls:
        parts["tool_calls"] = calls
    # The projection adds the calls to the text; the text alongside the calls is kept as given.
    if (words and isinstance(words, list)) or (calls and isinstance(words, str)):
        parts["content"] = words
    if (call_id := given.get("tool_call_id")) is not None:
        if not isinstance(call_id, str):
            raise InvalidTurn(f"tool_call_id must be a string, not {json_kind(call_id)}")
        parts["tool_call_id"] = call_id
    cleaned: dict[str, Any] = cleaned_json(parts)
    return cleaned


def _beside_content(given: Mapping[str, Any]) -> str:
    """Return what OpenAI's assistants say outside of `content`: a refusal, speech, or a call in the older format."""
    refusal, audio, call = given.get("refusal"), plain(given.get("audio")), plain(given.get("function_call"))
    if isinstance(refusal, str) and refusal:
        return refusal
    if isinstance(audio, Mapping):
        return str(audio.get("transcript") or project([{"type": "audio"}]))
    return project(None, [call]) if isinstance(call, Mapping) else ""


def cleaned_json(value: Any) -> Any:
    """Clean a JSON value so that both databases store it unchanged. Raises `InvalidTurn` if it is nested too deep."""
    return changed_texts(value, lambda text, _field, _beside: clean(text))


def _turn_id(given_id: object) -> str:
    if given_id is None:
        return new_turn_id()
    return checked_id("turn_id", given_id)


def _name(given_name: object) -> str | None:
    if given_name is None or given_name == "":
        return None
    if not isinstance(given_name, str):
        raise InvalidTurn(f"name must be a string, not {json_kind(given_name)}")
    name = " ".join(clean(given_name).split())
    if len(name) > MAX_NAME_CHARACTERS:
        raise InvalidTurn(f"name must be at most {MAX_NAME_CHARACTERS} characters long, not {len(name)}")
    return name or None


def _importance(level: object) -> int | None:
    if level is None:
        return None
    if not isinstance(level, str) or level not in IMPORTANCE:
        raise InvalidTurn(f"unknown importance {shortened(level)}", remedy=f"use one of {', '.join(IMPORTANCE)}")
    return int(IMPORTANCE[level])


def _created_at(moment: object) -> str | None:
    if moment is None:
        return None
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError as error:
            msg = f"created_at {shortened(moment)} is not an ISO 8601 time such as 2025-03-01T09:30:00Z"
            raise InvalidTurn(msg) from error
    if not isinstance(moment, datetime):
        raise InvalidTurn(f"created_at must be a datetime or ISO 8601 text, not {json_kind(moment)}")
    try:
        return in_utc(moment).isoformat()
    except ValueError as error:
        msg = "created_at has no time zone"
        raise InvalidTurn(
            msg, remedy="write it as 2025-03-01T09:30:00Z, or give an aware datetime such as datetime.now(UTC)"
        ) from error
    except OverflowError as error:
        msg = f"created_at {moment.isoformat()} is out of range in UTC"
        raise InvalidTurn(msg) from error


def _metadata(given_metadata: object) -> Any:
    if given_metadata is None:
        return None
    if not isinstance(given_metadata, Mapping):
        raise InvalidTurn(f"metadata must be an object, not {json_kind(given_metadata)}")
    return cleaned_json(given_metadata)


def encode(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        msg = f"a turn must be JSON: {error}"
        raise InvalidTurn(msg) from error
