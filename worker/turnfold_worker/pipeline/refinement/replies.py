"""Parse a model's reply, or say what is wrong with its form. Replies are untrusted: parsing never raises.

A malformed note or quote is skipped alone; the whole reply is rejected only if its frame is malformed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType
from turnfold.contract.text import clean

_FENCE: Final = "```"
_OPENING: Final = lazy_pattern(r"```[\w-]*[ \t]*\n")
_BEGUN: Final = lazy_pattern(r'\s*(?:```[\w-]*\s*)?\{\s*"(?P<key>\w{1,40})"\s*:\s*\[')
_INNER_LIST: Final = lazy_pattern(r'"(?P<key>notes|quotes|overtaken|tags)"\s*:\s*\[')
_SEGMENT: Final = lazy_pattern(r'"segment"\s*:\s*(?P<number>\d{1,9})')
_BETWEEN: Final = frozenset(" \t\r\n,")
_DECODER: Final = json.JSONDecoder()
MOST_QUOTES: Final = 200
MOST_NOTES: Final = 200
MOST_SEGMENTS: Final = 64
_MOST_TURNS: Final = 40
_MOST_TEXT: Final = 4_000
LEAST_IMPORTANCE: Final = 1
MOST_IMPORTANCE: Final = 5


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a model claims were said in a turn."""

    turn: int
    type: AnchorType
    text: str


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """A note as a model wrote it."""

    turns: tuple[int, ...]
    """Numbers of the cited turns."""
    speaker: str
    text: str
    importance: int
    """1 to 5."""
    brief: str = ""
    """The text in fewer words; empty if the model gave none."""


@dataclass(frozen=True, slots=True)
class Overtaking:
    """A model's claim that kept words no longer hold, with the words that replaced them."""

    before: int
    """Number of the kept words that no longer hold."""
    turn: int
    text: str
    """The replacing words, quoted from the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentWords:
    """The part of a reply for one segment, or for a chapter, which has the number 0."""

    number: int
    notes: tuple[WrittenNote, ...] = ()
    quotes: tuple[Quote, ...] = ()
    filler: tuple[int, ...] = ()
    """Numbers of kept words that the model considers unneeded."""
    overtaken: tuple[Overtaking, ...] = ()
    tags: tuple[str, ...] = ()
    malformed: int = 0
    """Number of notes and quotes skipped because of their form."""


@dataclass(frozen=True, slots=True)
class BadForm:
    """A reply that cannot be parsed."""

    problem: str
    """What is wrong, for the model to repair; contains nothing of the reply."""


_Found = TypeVar("_Found")


class _SchemaError(ValueError):
    """A value is missing or has the wrong type."""


def read_segments(content: str, *, cut_off: bool = False) -> tuple[SegmentWords, ...] | BadForm:
    """Parse the segments of a reply; if it was cut off, the complete values."""
    return _read(content, _segments, cut_off=cut_off)


def read_chapter(content: str, *, cut_off: bool = False) -> SegmentWords | BadForm:
    """Parse the notes and tags of a chapter."""
    return _read(content, lambda body: _segment({**body, "segment": 0, "quotes": []}), cut_off=cut_off)


def read_passage(content: str) -> str | BadForm:
    """Parse the passage of a reconstruction."""
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


def _whole_objects(content: str) -> dict[str, Any] | None:
    """Return the complete values of a reply that was cut off; None if there are none."""
    begun = _BEGUN.match(content)
    if begun is None:
        return None
    whole_values, at = _whole_of_list(content, begun.end())
    if begun["key"] == "segments":
        begun_segment = _begun_segment(content[at:])
        whole_values += [begun_segment] if begun_segment else []
    if not whole_values:
        return None
    whole: dict[str, Any] = {"notes": [], "tags": []} if begun["key"] == "notes" else {}
    return whole | {begun["key"]: whole_values}


def _begun_segment(rest: str) -> dict[str, Any] | None:
    """Return the complete notes, quotes and other entries of the segment in which a reply was cut off."""
    number = _SEGMENT.search(rest)
    lists = {match["key"]: _whole_of_list(rest, match.end())[0] for match in _INNER_LIST.finditer(rest)}
    if number is None or not any(lists.values()):
        return None
    return {"notes": [], "quotes": [], "tags": []} | lists | {"segment": int(number["number"])}


def _whole_of_list(content: str, at: int) -> tuple[list[Any], int]:
    """Return the complete values of a list that is open at `at`, and the offset where they end."""
    whole_values: list[Any] = []
    with suppress(ValueError, RecursionError):
        while True:
            while content[at : at + 1] in _BETWEEN and at < len(content):
                at += 1
            decoded, at = _DECODER.raw_decode(content, at)
            whole_values.append(decoded)
    return whole_values, at


def unfenced(content: str) -> str:
    """Return the inside of a Markdown code fence, which some models put around JSON; else the stripped content."""
    stripped = content.strip()
    opening = _OPENING.match(stripped)
    if opening is None or not stripped.endswith(_FENCE, opening.end()):
        return stripped
    return stripped[opening.end() : -len(_FENCE)].strip()


def _segments(body: Mapping[str, Any]) -> tuple[SegmentWords, ...]:
    segments = _list(body, "segments")[:MOST_SEGMENTS]
    if not all(isinstance(segment, Mapping) for segment in segments):
        raise _SchemaError("`segments` must be a list of objects")
    return tuple(map(_segment, segments))


def _segment(body: Mapping[str, Any]) -> SegmentWords:
    written, quoted = _list(body, "notes")[:MOST_NOTES], _list(body, "quotes")[:MOST_QUOTES]
    notes, quotes = _readable(written, _note), _readable(quoted, _quote)
    tags = [clean(tag[:_MOST_TEXT]) for tag in _list(body, "tags")[:MOST_NOTES] if isinstance(tag, str)]
    filler = [number for number in _list({"filler": [], **body}, "filler")[:MOST_QUOTES] if type(number) is int]
    replaced = _list({"overtaken": [], **body}, "overtaken")[:MOST_QUOTES]
    return SegmentWords(
        number=_whole(body, "segment"), notes=tuple(dict.fromkeys(notes)), quotes=tuple(quotes), tags=tuple(tags),
        filler=tuple(filler), overtaken=tuple(_readable(replaced, _overtaking)),
        malformed=len(written) - len(notes) + len(quoted) - len(quotes),
    )  # fmt: skip


def _readable(listed: Sequence[object], read: Callable[[Mapping[str, Any]], _Found]) -> list[_Found]:
    """Parse the entries of a list, skipping malformed ones."""
    found: list[_Found] = []
    for body in listed:
        if isinstance(body, Mapping):
            with suppress(_SchemaError):
                found.append(read(body))
    return found


def _note(body: Mapping[str, Any]) -> WrittenNote:
    turns = [turn for turn in _list(body, "turns")[:_MOST_TURNS] if isinstance(turn, int) and turn is not True]
    importance = min(MOST_IMPORTANCE, max(LEAST_IMPORTANCE, _whole(body, "importance")))
    brief = _text({"brief": "", **body}, "brief")
    return WrittenNote(tuple(dict.fromkeys(turns)), _text(body, "speaker"), _text(body, "text"), importance, brief)


def _quote(body: Mapping[str, Any]) -> Quote:
    return Quote(_whole(body, "turn"), _kind(body), _text(body, "quote"))


def _overtaking(body: Mapping[str, Any]) -> Overtaking:
    return Overtaking(_whole(body, "before"), _whole(body, "turn"), _text(body, "quote"))


def _list(body: Mapping[str, Any], key: str) -> list[Any]:
    listed = body.get(key)
    if not isinstance(listed, list):
        raise _SchemaError(f"`{key}` must be a list")
    return listed


def _whole(body: Mapping[str, Any], key: str) -> int:
    number = body.get(key)
    if isinstance(number, bool) or not isinstance(number, int):
        raise _SchemaError(f"`{key}` must be a whole number")
    return number


def _text(body: Mapping[str, Any], key: str) -> str:
    text = body.get(key)
    if not isinstance(text, str):
        raise _SchemaError(f"`{key}` must be a text")
    return clean(text[:_MOST_TEXT])


def _kind(body: Mapping[str, Any]) -> AnchorType:
    try:
        return AnchorType(_text(body, "type"))
    except ValueError:
        msg = f"`type` must be one of {', '.join(AnchorType)}"
        raise _SchemaError(msg) from None
