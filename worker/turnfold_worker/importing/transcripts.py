"""Read conversations from files: lines of turns or messages, whole conversations, a ChatGPT export.

A file is read and checked completely before anything is stored: either all of it is valid, or every problem is reported
and nothing is imported.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from turnfold.contract.configuration import MAX_TITLE_CHARACTERS
from turnfold.contract.keys import checked_id
from turnfold.errors import InvalidInput
from turnfold.wire.encode import accept
from turnfold.wire.json_values import json_kind
from turnfold_worker.importing.chatgpt_export import chatgpt_turns, is_chatgpt_conversation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

STANDARD_INPUT: Final = Path("-")
"""Path that means standard input, which has no name to give to a conversation."""

_PACKED: Final = (
    (b"\x1f\x8b", "is compressed: decompress it first, for example with gunzip"),
    (b"PK\x03\x04", "is an archive: unpack it, and give the files in it, such as conversations.json"),
)
"""First bytes of compressed files, and the remedy."""

MOST_PROBLEMS: Final = 10
"""Problems that an error describes; further ones are only counted."""


class InvalidFile(InvalidInput):
    """Raised for a file without conversations, or with some that cannot be stored; names each problem."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation read from a file."""

    conversation_id: str
    turns: Sequence[Mapping[str, Any]]
    """Turns, each with a `turn_id`: the given one, or one derived from position and content, equal at each reading."""
    title: str | None = None
    """Title given in the file."""


@dataclass(slots=True)
class _Problems:
    path: Path
    outcome: str
    found: list[str] = field(default_factory=list)

    def add(self, line: int | None, message: str) -> None:
        name = "standard input" if self.path == STANDARD_INPUT else self.path
        self.found.append(f"{name}:{line}: {message}" if line else f"{name}: {message}")

    def raise_if_any(self) -> None:
        if self.found:
            more = len(self.found) - MOST_PROBLEMS
            tail = [f"… and {more} more"] if more > 0 else []
            raise InvalidFile("\n".join([*self.found[:MOST_PROBLEMS], *tail, self.outcome]))


@dataclass(frozen=True, slots=True)
class _Item:
    """A JSON value of a file and the line on which it began."""

    line: int
    value: Any


def read_transcripts(
    path: Path,
    *,
    conversation_id: str | None,
    max_turn_bytes: int,
    outcome: str = "nothing was imported from this file",
    unnamed: str = "",
) -> list[Transcript]:
    """Return the conversations of a file or of `STANDARD_INPUT`, with every turn checked as `append` would check it.

    A file of turns is one conversation: named `conversation_id`, else after the file, or `unnamed` for standard input,
    which is refused when that is empty. Files that name their conversations keep those names; `conversation_id` is
    refused if they contain more than one.

    Raises `InvalidFile`, which names each problem as `file:line` and ends with `outcome`.
    """
    problems = _Problems(path, outcome)
    items = _items(path, problems)
    problems.raise_if_any()
    if not items:
        problems.add(None, "the file contains no turns")
    stem = unnamed if path == STANDARD_INPUT else path.stem
    transcripts = _transcripts(items, stem, conversation_id, problems)
    problems.raise_if_any()
    given = {transcript.conversation_id for _, transcript in transcripts}
    if conversation_id is not None and len(given) > 1:
        problems.add(None, f"the file contains {len(given)} conversations: omit --conversation to keep their ids")
    if items and not any(transcript.turns for _, transcript in transcripts):
        problems.add(None, "the file contains no turns")
    for lines, transcript in transcripts:
        _check(transcript, lines, problems, max_turn_bytes=max_turn_bytes)
    problems.raise_if_any()
    return [transcript for _, transcript in transcripts]


def _items(path: Path, problems: _Problems) -> list[_Item]:
    text = _text_of(path, problems)
    if text.lstrip()[:1] == "[":
        return _whole(text, problems)
    # A single JSON object over many lines is one conversation.
    lines = text.split("\n")
    if text.lstrip()[:1] == "{" and _parsed(lines[_first_filled(lines)]) is None and _parsed(text) is not None:
        return _whole(text, problems)
    return list(_lines(lines, problems))


def _text_of(path: Path, problems: _Problems) -> str:
    """Return the text of a file; empty, with a problem added, when it cannot be read."""
    try:
        content = sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()
        packed = next((remedy for beginning, remedy in _PACKED if content.startswith(beginning)), None)
        if packed is None:
            return content.decode("utf-8-sig")
        problems.add(None, packed)
    except IsADirectoryError:
        problems.add(None, "is a folder: give the files in it")
    except OSError as error:
        problems.add(None, f"cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        problems.add(None, f"is not UTF-8 text (byte {error.start}): save it as UTF-8")
    return ""


def _first_filled(lines: Sequence[str]) -> int:
    return next(number for number, line in enumerate(lines) if line.strip())


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _whole(text: str, problems: _Problems) -> list[_Item]:
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError as error:
        problems.add(error.lineno, f"is not JSON: {error.msg} (column {error.colno})")
        return []
    except (ValueError, RecursionError) as error:
        problems.add(1, _beyond_python(error))
        return []
    return [_Item(0, element) for element in (parsed if isinstance(parsed, list) else [parsed])]


def _lines(lines: Sequence[str], problems: _Problems) -> Iterator[_Item]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _Item(number, json.loads(line))
        except json.JSONDecodeError as error:
            problems.add(number, f"is not JSON: {error.msg} (column {error.colno}); each line must be one JSON object")
        except (ValueError, RecursionError) as error:
            problems.add(number, _beyond_python(error))


def _beyond_python(error: Exception) -> str:
    """Explain why valid JSON cannot be read."""
    return "is nested too deeply" if isinstance(error, RecursionError) else "contains a number with too many digits"


def _transcripts(
    items: Sequence[_Item], stem: str, conversation_id: str | None, problems: _Problems
) -> list[tuple[list[int], Transcript]]:
    """Return each conversation with the line of each of its turns (0 where the file is one JSON value)."""
    whole = [element for element in items if isinstance(element.value, dict) and _is_conversation(element.value)]
    if whole and len(whole) < len(items):
        stray = next(element for element in items if element not in whole)
        problems.add(stray.line, "the file mixes turns and whole conversations: split it")
        return []
    if not whole:
        turns = [element.value for element in items]
        lines = [element.line for element in items]
        # An empty name is not replaced, so that it is refused later.
        return [(lines, Transcript(stem if conversation_id is None else conversation_id, _with_ids(turns)))]
    transcripts = []
    for position, element in enumerate(whole, start=1):
        try:
            turns = chatgpt_turns(element.value) if is_chatgpt_conversation(element.value) else _turns_of(element.value)
        except InvalidInput as error:
            problems.add(element.line, f"conversation {position}: {error}")
            continue
        if not isinstance(turns, list):
            problems.add(element.line, f"conversation {position}: its turns must be a list, not {json_kind(turns)}")
            continue
        made = f"{stem}-{position}" if stem else ""
        name = _name_of(element.value) or made if conversation_id is None else conversation_id
        transcripts.append(([element.line] * len(turns), Transcript(name, _with_ids(turns), _title_of(element.value))))
    return transcripts


def _is_conversation(value: Mapping[str, Any]) -> bool:
    return "role" not in value and ("turns" in value or "messages" in value or is_chatgpt_conversation(value))


def _turns_of(conversation: Mapping[str, Any]) -> Any:
    return conversation.get("turns", conversation.get("messages"))


def _name_of(conversation: Mapping[str, Any]) -> str | None:
    for key in ("conversation_id", "id"):
        if isinstance(conversation.get(key), str) and conversation[key]:
            return str(conversation[key])
    return None


def _title_of(conversation: Mapping[str, Any]) -> str | None:
    title = conversation.get("title")
    shortened = " ".join(title.split())[:MAX_TITLE_CHARACTERS].strip() if isinstance(title, str) else ""
    return shortened or None


def _with_ids(turns: Sequence[Any]) -> list[Any]:
    return [
        {**turn, "turn_id": _made_id(position, turn)} if _lacks_id(turn) else turn
        for position, turn in enumerate(turns, start=1)
    ]


def _lacks_id(turn: Any) -> bool:
    return isinstance(turn, dict) and turn.get("turn_id") is None


def _made_id(position: int, turn: Mapping[str, Any]) -> str:
    """Derive a turn id that sorts by position and changes with the content."""
    canonical = json.dumps(turn, sort_keys=True, separators=(",", ":")).encode()
    return f"{position:06d}-{blake2b(canonical, digest_size=8).hexdigest()}"


def _check(transcript: Transcript, lines: Sequence[int], problems: _Problems, *, max_turn_bytes: int) -> None:
    try:
        checked_id("conversation id", transcript.conversation_id)
    except InvalidInput as error:
        problems.add(lines[0] if lines else None, f"{error}: set the conversation id with --conversation")
    seen: dict[str, int] = {}
    for position, (line, turn) in enumerate(zip(lines, transcript.turns, strict=True), start=1):
        place = f"conversation {transcript.conversation_id!r}, turn {position}: "
        try:
            entry = accept(turn, max_bytes=max_turn_bytes)
        except InvalidInput as error:
            problems.add(line, f"{place}{error}")
            continue
        if entry.entry_id in seen:
            problems.add(line, f"{place}turn_id {entry.entry_id!r} is already used by turn {seen[entry.entry_id]}")
        seen[entry.entry_id] = position
