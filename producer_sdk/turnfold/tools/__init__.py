"""Answer a model's calls of `expand`, `search` and `anchors`.

A model's arguments are untrusted: an invalid one is answered with a text that says what to do instead.

schemas     the tools' definitions for providers
timelines   a timeline as lines of text for a model
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from turnfold.assemble.forms.clip import clip_text
from turnfold.assemble.forms.markers import ARROW
from turnfold.assemble.forms.render_text import closed_line, one_line, turns_named
from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold.contract.results import Expansion, Hit, TurnPart
from turnfold.errors import InvalidInput, UnknownConversation, UnknownMarker
from turnfold.tokens import estimate_tokens
from turnfold.tools.schemas import ARGUMENTS, MOST_HITS, TOOL_NAMES, ToolForm
from turnfold.wire.whole_numbers import whole_number

RESULT_TOKENS: Final = 2_000
"""Default limit of a result, in estimated tokens."""

LEAST_RESULT_TOKENS: Final = 100
_NO_BRACKETS: Final = dict.fromkeys(map(ord, "()[]\uff08\uff09\uff3b\uff3d"))
NOTHING_SAID: Final = "Nothing was said in this conversation before: there is nothing to look up.\n"
"""The answer about a conversation that has no turns or was forgotten."""

_FRAME_TOKENS: Final = 40
"""Tokens reserved for the line that says how to continue."""


@dataclass(frozen=True, slots=True)
class Lookups:
    """The reads of one conversation that a model's tool calls may use."""

    expand: Callable[..., Expansion]
    search: Callable[..., list[Hit]]
    anchors: Callable[..., list[Anchor]]


def handle(call: object, lookups: Lookups, *, max_tokens: object = RESULT_TOKENS) -> dict[str, Any]:
    """Answer a model's call in the call's own form, with at most `max_tokens` estimated tokens.

    Raises `InvalidInput` if `call` is not a tool call of OpenAI's or Anthropic's; never for the arguments of one.
    """
    room = whole_number("max_tokens", max_tokens, least=LEAST_RESULT_TOKENS)
    tool_call = _read(call)
    failed = False
    try:
        text = _answer(tool_call, lookups, room)
    except _BadArguments as error:
        text, failed = f"Error: {error}\n", True
    except UnknownMarker as error:
        text, failed = f"Error: {error}. Or use search to find a marker\n", True
    except UnknownConversation:
        text = NOTHING_SAID
    return tool_call.answered(clip_text(text, room)[0], failed=failed)


class _BadArguments(Exception):  # noqa: N818 - what a model did, told to the model
    """A model's call cannot be carried out; the text says what can."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool call in any provider's form."""

    form: ToolForm
    call_id: str
    name: object
    arguments: object

    def answered(self, text: str, *, failed: bool) -> dict[str, Any]:
        match self.form:
            case "openai":
                return {"role": "tool", "tool_call_id": self.call_id, "content": text}
            case "responses":
                return {"type": "function_call_output", "call_id": self.call_id, "output": text}
            case "anthropic":
                block = {"type": "tool_result", "tool_use_id": self.call_id, "content": text}
                return {**block, "is_error": True} if failed else block
            case _:
                assert_never(self.form)


def _read(call: object) -> _Call:
    given = call
    if not isinstance(given, Mapping) and callable(dump := getattr(given, "model_dump", None)):
        given = dump()
    if isinstance(given, Mapping):
        function = given.get("function")
        parts: tuple[ToolForm, object, object, object] | None = None
        if isinstance(function, Mapping):
            parts = "openai", given.get("id"), function.get("name"), function.get("arguments")
        elif given.get("type") == "function_call":
            parts = "responses", given.get("call_id"), given.get("name"), given.get("arguments")
        elif given.get("type") == "tool_use":
            parts = "anthropic", given.get("id"), given.get("name"), given.get("input")
        if parts is not None and isinstance(parts[1], str) and parts[1]:
            form, call_id, name, arguments = parts
            return _Call(form, str(call_id), name, arguments)
    msg = f"{type(call).__name__} is not a tool call"
    raise InvalidInput(
        msg,
        remedy=(
            "give an element of OpenAI's message.tool_calls, a function_call of its Responses, or a tool_use block of "
            "Anthropic's content, as it came, with its id"
        ),
    )


def _answer(call: _Call, lookups: Lookups, max_tokens: int) -> str:
    arguments = _arguments(call.arguments)
    _check_names(call.name, arguments)
    match call.name:
        case "expand":
            return _expanded(lookups.expand, arguments, max_tokens)
        case "search":
            return _found(lookups.search, arguments, max_tokens)
        case "anchors":
            return _listed(lookups.anchors, arguments, max_tokens)
        case _:
            named = _shown(call.name) if call.name else "without a name"
            raise _BadArguments(f"there is no tool {named}: use {', '.join(TOOL_NAMES)}")


def _arguments(given: object) -> Mapping[str, object]:
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError):
            msg = f"the arguments are not JSON: {_shown(given)}. Send one object, such as {{}}"
            raise _BadArguments(msg) from None
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _BadArguments(f"the arguments are not an object: {_shown(given)}. Send one, such as {{}}")
    return given


def _check_names(tool: object, arguments: Mapping[str, object]) -> None:
    """Reject unknown arguments: if it were ignored, a misspelt `type` would list anchors of every type."""
    known = ARGUMENTS.get(tool) if isinstance(tool, str) else None
    unknown = next((name for name in arguments if known is not None and name not in known), None)
    if known is not None and unknown is not None:
        raise _BadArguments(f"{tool} takes no {_shown(unknown)}: use {', '.join(known)}")


def _expanded(expand: Callable[..., Expansion], arguments: Mapping[str, object], max_tokens: int) -> str:
    marker = _text(arguments, "marker", "a marker such as L1:refunds-7, copied from the notes")
    expansion = expand(marker, max_tokens=max_tokens - 2 * _FRAME_TOKENS)
    turns = turns_named(expansion.first_seq, expansion.last_seq)
    how = ("word for word", "detailed summary", "brief summary", "tags")[expansion.level]
    verbatim = f"[word for word {ARROW}{expansion.verbatim_marker}]\n" if expansion.verbatim_marker else ""
    parts = "".join(map(_part_line, expansion.parts)) if expansion.next_marker or expansion.level else ""
    more = f"[goes on {ARROW}{expansion.next_marker}]\n" if expansion.next_marker else ""
    words = closed_line(expansion.text) if expansion.text else "[nothing is left of this]\n"
    text = f"[{turns} of this conversation, {how}]\n{words}{more}"
    # The content has priority: a turn of many parts may leave no room for all of their titles.
    with_marker = text + verbatim
    return next(
        (header for header in (with_marker + parts, with_marker) if estimate_tokens(header) <= max_tokens), text
    )


def _part_line(part: TurnPart) -> str:
    return f"[{_part_named(part)} {ARROW}{part.marker}] {_titled(part)}\n"


def _titled(part: TurnPart) -> str:
    """Return a part's title in parentheses that it cannot close: it is text of the conversation, so untrusted."""
    return f"({one_line(part.title).translate(_NO_BRACKETS)})"


def _part_named(part: TurnPart) -> str:
    return f"turn {part.turn_seq}, part {part.number} of {part.count}"


def _found(search: Callable[..., list[Hit]], arguments: Mapping[str, object], max_tokens: int) -> str:
    query = _text(arguments, "query", "the words to look for")
    limit = _whole(arguments, "limit", least=1, usual=10)
    hits = search(query, limit=min(limit, MOST_HITS))
    if not hits:
        return "Nothing was found: try other words that were likely said, such as names or numbers.\n"
    return _within(
        [_hit_line(hit) for hit in hits],
        max_tokens,
        lambda left: f"[{left} more results were left out: search for something narrower]\n",
    )


def _hit_line(hit: Hit) -> str:
    if hit.part is not None:
        return f"[{_part_named(hit.part)} {ARROW}{hit.part.marker}] {_titled(hit.part)} {one_line(hit.snippet)}\n"
    return f"[{turns_named(hit.first_seq, hit.last_seq)} {ARROW}{hit.marker}] {one_line(hit.snippet)}\n"


def _listed(anchors: Callable[..., list[Anchor]], arguments: Mapping[str, object], max_tokens: int) -> str:
    types = _choices(arguments, "types", tuple(AnchorType))
    states = _choices(arguments, "states", tuple(AnchorState)) or ["active"]
    skip = _whole(arguments, "skip", least=0, usual=0)
    before, page = 0, anchors(types=types, states=states)
    while page and skip >= before + len(page):
        before += len(page)
        page = anchors(types=types, states=states, first_turn=page[-1].turn_seq + 1)
    anchors_left = page[skip - before :]
    if not anchors_left:
        return f"There are {before} such anchors and none after them.\n" if before else "There are none.\n"
    return _within(
        [_anchor_line(anchor) for anchor in anchors_left],
        max_tokens,
        lambda left: f"[{left} more: call anchors with skip={before + len(page) - left}, or for one type]\n",
    )


def _anchor_line(anchor: Anchor) -> str:
    state = "" if anchor.state is AnchorState.ACTIVE else f"({anchor.state}) "
    kind, day = anchor.type.replace("_", " "), f", {anchor.day}" if anchor.day else ""
    speaker = f"{anchor.speaker}: " if anchor.speaker else ""
    return f"[{kind}, turn {anchor.turn_seq}{day}] {speaker}{state}{one_line(anchor.text)}\n"


def _within(lines: Sequence[str], max_tokens: int, left_out: Callable[[int], str]) -> str:
    """Return the first lines that fit, and a note about those left out. A first line that is too long is truncated."""
    room = max_tokens - _FRAME_TOKENS
    fitting: list[str] = []
    for line in lines:
        room -= estimate_tokens(line)
        if room < 0:
            break
        fitting.append(line)
    if not fitting:
        fitting = [closed_line(clip_text(lines[0], max_tokens - 2 * _FRAME_TOKENS)[0].rstrip() + " […]")]
    left = len(lines) - len(fitting)
    return "".join(fitting) + (left_out(left) if left else "")


def _text(arguments: Mapping[str, object], name: str, expected: str) -> str:
    argument = arguments.get(name)
    if isinstance(argument, str) and argument.strip():
        return argument
    given = "it is missing" if argument is None else f"it is {_shown(argument)}"
    raise _BadArguments(f"{name} must be {expected}; {given}")


def _whole(arguments: Mapping[str, object], name: str, *, least: int, usual: int) -> int:
    argument = arguments.get(name)
    if argument is None:
        return usual
    if isinstance(argument, float) and argument.is_integer():
        argument = int(argument)
    if isinstance(argument, bool) or not isinstance(argument, int) or argument < least:
        raise _BadArguments(f"{name} must be a whole number of at least {least}, it is {_shown(argument)}")
    return argument


def _choices(arguments: Mapping[str, object], name: str, known: Sequence[str]) -> list[str] | None:
    argument = arguments.get(name)
    if argument is None or argument == []:
        return None
    chosen = [argument] if isinstance(argument, str) else argument
    if isinstance(chosen, list) and all(isinstance(choice, str) and choice in known for choice in chosen):
        return chosen
    wrong = next((choice for choice in chosen if choice not in known), chosen) if isinstance(chosen, list) else chosen
    raise _BadArguments(f"{name} must be a list of {', '.join(known)}; there is {_shown(wrong)}")


def _shown(argument: object) -> str:
    """Return a model's argument, truncated for an error message."""
    if isinstance(argument, str):
        return repr(argument[:60])
    return repr(argument)[:60] if isinstance(argument, (int, float)) else f"a {type(argument).__name__}"
