"""A model's reply as values, or what is wrong with its form. Replies are untrusted: nothing here can fail."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from turnfold.contract.records import AnchorType
from turnfold.contract.text import clean

_FENCE: Final = "```"
_OPENING: Final = re.compile(r"```[\w-]*[ \t]*\n")
_BEGUN: Final = re.compile(r'\s*(?:```[\w-]*\s*)?\{\s*"(?P<key>\w{1,40})"\s*:\s*\[')
_BETWEEN: Final = frozenset(" \t\r\n,")
_DECODER: Final = json.JSONDecoder()
MOST_QUOTES: Final = 200
MOST_STATEMENTS: Final = 200
_MOST_TEXT: Final = 4_000


@dataclass(frozen=True, slots=True)
class Quote:
    """What a model says was said."""

    turn: int
    type: AnchorType
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a summary, and the turn that it rests on: the turn tells who said it and when."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeWords:
    """What a model wrote for one node."""

    number: int
    detailed: tuple[Statement, ...]
    brief: tuple[Statement, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BadForm:
    """A reply that cannot be read."""

    problem: str
    """For the model: what is wrong with it. Holds nothing of the reply."""


_Found = TypeVar("_Found")


class _SchemaError(ValueError):
    """A value is missing or of another type."""


def read_extraction(content: str, *, cut_off: bool = False) -> tuple[Quote, ...] | BadForm:
    """The quotes of a reply; those that are whole, if it was cut off."""
    return _read(content, _quotes, cut_off=cut_off)


def read_summary(content: str, *, cut_off: bool = False) -> tuple[NodeWords, ...] | BadForm:
    """The nodes of a reply; those that are whole, if it was cut off."""
    return _read(content, _nodes, cut_off=cut_off)


def read_passage(content: str) -> str | BadForm:
    """The passage of a reconstruction."""
    return _read(content, lambda body: _text(body, "passage"))


def _read(content: str, read: Callable[[Mapping[str, Any]], _Found], *, cut_off: bool = False) -> _Found | BadForm:
    try:
        body = json.loads(unfenced(content))
    except (ValueError, RecursionError):
        body = _whole_objects(content) if cut_off else None
        if body is None:
            return BadForm("it is not valid JSON")
    if not isinstance(body, Mapping):
        return BadForm("it is not a JSON object")
    try:
        return read(body)
    except _SchemaError as error:
        return BadForm(f"it does not follow the schema: {error}")


def _whole_objects(content: str) -> dict[str, list[Any]] | None:
    """The one list of a reply that was cut off, without the object in which it ends; None when none is whole."""
    begun = _BEGUN.match(content)
    if begun is None:
        return None
    found: list[Any] = []
    at = begun.end()
    with suppress(ValueError, RecursionError):
        while True:
            while content[at : at + 1] in _BETWEEN:
                at += 1
            value, at = _DECODER.raw_decode(content, at)
            found.append(value)
    return {begun["key"]: found} if found else None


def unfenced(content: str) -> str:
    """The inside of a Markdown code fence, which some models put around JSON; else the content itself."""
    stripped = content.strip()
    opening = _OPENING.match(stripped)
    if opening is None or not stripped.endswith(_FENCE, opening.end()):
        return stripped
    return stripped[opening.end() : -len(_FENCE)].strip()


def _quotes(body: Mapping[str, Any]) -> tuple[Quote, ...]:
    return tuple(
        Quote(_whole(one, "turn"), _kind(one), _text(one, "quote")) for one in _list(body, "anchors")[:MOST_QUOTES]
    )


def _nodes(body: Mapping[str, Any]) -> tuple[NodeWords, ...]:
    return tuple(
        NodeWords(
            number=_whole(one, "node"), detailed=_statements(one, "detailed"), brief=_statements(one, "brief"),
            tags=tuple(clean(tag[:_MOST_TEXT]) for tag in _list(one, "tags", of=str)[:MOST_STATEMENTS]),
        )
        for one in _list(body, "nodes")[:MOST_STATEMENTS]
    )  # fmt: skip


def _statements(one: Mapping[str, Any], key: str) -> tuple[Statement, ...]:
    return tuple(Statement(_whole(said, "turn"), _text(said, "text")) for said in _list(one, key)[:MOST_STATEMENTS])


def _list(body: Mapping[str, Any], key: str, *, of: type = dict) -> list[Any]:
    found = body.get(key)
    if not isinstance(found, list) or not all(isinstance(item, of) for item in found):
        msg = f"`{key}` must be a list of {'objects' if of is dict else 'texts'}"
        raise _SchemaError(msg)
    return found


def _whole(body: Mapping[str, Any], key: str) -> int:
    found = body.get(key)
    if isinstance(found, bool) or not isinstance(found, int):
        msg = f"`{key}` must be a whole number"
        raise _SchemaError(msg)
    return found


def _text(body: Mapping[str, Any], key: str) -> str:
    found = body.get(key)
    if not isinstance(found, str):
        msg = f"`{key}` must be a text"
        raise _SchemaError(msg)
    return clean(found[:_MOST_TEXT])


def _kind(body: Mapping[str, Any]) -> AnchorType:
    try:
        return AnchorType(_text(body, "type"))
    except ValueError:
        msg = f"`type` must be one of {', '.join(AnchorType)}"
        raise _SchemaError(msg) from None
