"""Build model requests: prompt text and schema. Equal sources give equal requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from turnfold.contract.periods import day_label
from turnfold.contract.records import AnchorType
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.refinement.sources import (
    ChapterSource,
    ModelRequest,
    NodeSource,
    Prompt,
    Purpose,
    RefineSource,
    fenced,
    framing,
    source_text,
)

_TOKENS_A_NOTE: Final = 140
"""Source tokens per note: a few turns of talk, or a paragraph of a long one."""
_MOST_OF_A_TURN: Final = 255
"""Tokens of a turn that count for notes and quotes: a longer turn has more words, but not more to ask about later."""
_TOKENS_A_QUOTE: Final = 400
_LEAST_NOTES: Final = 2
_MOST_NOTES: Final = 60
_CHAPTER_SHARE: Final = 3
"""A chapter gets one note per this many notes of its segments."""
_WORDS_SHARE: Final = 0.06
"""Words in all briefs of a segment per counted token of its turns: about a twelfth of its tokens."""
_CHAPTER_WORDS_SHARE: Final = 0.055
"""The same share for a chapter: with what surrounds them, nearly all briefs fit a tenth of the source."""
_LEAST_WORDS: Final = 10
_TELLING: Final = 3
"""Minimum importance of a segment's note that its chapter is made from."""
_MOST_CHAPTER_NOTES: Final = 30
_TOKENS_OF_NOTE: Final = 130
"""Reply tokens per note, with its share of JSON."""
_TOKENS_OF_QUOTE: Final = 60
_REPLY_HEADROOM: Final = 400
_MOST_REPLY: Final = 16_000
_SHOWN_REPLY: Final = 40_000
_WORTH_REPAIRING: Final = 120
"""Minimum code points of a reply that may contain what was asked for."""


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


_INTEGER: Final = {"type": "integer"}
_TEXT: Final = {"type": "string"}
_INTEGERS: Final = {"type": "array", "items": _INTEGER}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_KIND: Final = {"type": "string", "enum": [str(kind) for kind in AnchorType]}
_NOTES: Final = {
    "type": "array",
    "items": _object(turns=_INTEGERS, speaker=_TEXT, text=_TEXT, brief=_TEXT, importance=_INTEGER),
}
_QUOTES: Final = {"type": "array", "items": _object(turn=_INTEGER, type=_KIND, quote=_TEXT)}
_OVERTAKEN: Final = {"type": "array", "items": _object(before=_INTEGER, turn=_INTEGER, quote=_TEXT)}

NOTES_SCHEMA: Final[Mapping[str, Any]] = _object(
    segments={
        "type": "array",
        "items": _object(
            segment=_INTEGER, notes=_NOTES, quotes=_QUOTES, filler=_INTEGERS, overtaken=_OVERTAKEN, tags=_TEXTS
        ),
    }
)
CHAPTER_SCHEMA: Final[Mapping[str, Any]] = _object(notes=_NOTES, tags=_TEXTS)


def notes_request(source: RefineSource, *, model: str, prompt: Prompt) -> ModelRequest:
    """Ask for notes, quotes and tags of the segments of a source that a model can improve."""
    headings = {segment.number: f" ({_wanted(segment)})" for segment in source.nodes}
    numbers = ", ".join(map(str, headings))
    user = "".join((framing(source), source_text(source, headings), f"Write segments {numbers}.\n"))
    tokens = sum(
        _notes_of(segment) * _TOKENS_OF_NOTE + _quotes_of(segment) * _TOKENS_OF_QUOTE for segment in source.nodes
    )
    return ModelRequest(
        purpose=Purpose.NOTES, model=model, prompt_version=prompt.version, system=prompt.text, user=user,
        schema=NOTES_SCHEMA, max_tokens=min(_MOST_REPLY, _REPLY_HEADROOM + 2 * tokens),
    )  # fmt: skip


def _wanted(segment: NodeSource) -> str:
    """Return the part of a heading that says how much to write about a segment."""
    words = _words_of_briefs(segment, _WORDS_SHARE)
    return f"about {_notes_of(segment)} notes, briefs of {words} words in all, at most {_quotes_of(segment)} quotes"


def _words_of_briefs(node: NodeSource, share: float) -> int:
    """Return the number of words for all briefs of a node, as a share of its counted tokens."""
    return max(_LEAST_WORDS, int(share * _telling_tokens(node)))


def _notes_of(segment: NodeSource) -> int:
    return min(_MOST_NOTES, max(_LEAST_NOTES, _telling_tokens(segment) // _TOKENS_A_NOTE))


def _quotes_of(segment: NodeSource) -> int:
    return max(1, _telling_tokens(segment) // _TOKENS_A_QUOTE)


def _telling_tokens(segment: NodeSource) -> int:
    return sum(min(turn.tokens, _MOST_OF_A_TURN) for turn in segment.turns)


def chapter_request(source: ChapterSource, *, model: str, prompt: Prompt) -> ModelRequest:
    """Ask for the thematic notes of a chapter, based on the notes of its segments."""
    lines: list[str] = []
    day = ""
    for child in source.children:
        lines.append(f"=== segment {child.number}")
        telling = [note for note in child.notes if note.importance >= _TELLING] or child.notes
        for note in telling:
            said_on = day_label(note.said_on) if note.said_on else day
            if said_on != day:
                day = said_on
                lines.append(f"[{day}]")
            lines.append(f"{' '.join(f'#{seq}' for seq in note.turns)} {note.speaker}: {note.text}")
        lines += [plain_line(line) for line in child.brief.splitlines()]
    wanted = chapter_notes(source)
    words = _words_of_briefs(source.chapter, _CHAPTER_WORDS_SHARE)
    ending = f"Write about {wanted} notes, their briefs of about {words} words in all.\n"
    user = "".join((framing(source), fenced(source.fence, lines), ending))
    return ModelRequest(
        purpose=Purpose.CHAPTER, model=model, prompt_version=prompt.version, system=prompt.text, user=user,
        schema=CHAPTER_SCHEMA, max_tokens=min(_MOST_REPLY, _REPLY_HEADROOM + 2 * wanted * _TOKENS_OF_NOTE),
    )  # fmt: skip


def chapter_notes(source: ChapterSource) -> int:
    """Return about how many notes to ask for on a chapter."""
    return min(
        _MOST_CHAPTER_NOTES, max(_LEAST_NOTES, sum(len(child.notes) for child in source.children) // _CHAPTER_SHARE)
    )


def repaired_form(request: ModelRequest, reply: str, *, problem: str, prompt: Prompt) -> ModelRequest:
    """Ask for the same reply in a valid form.

    The conversation is sent again only if the reply is too short to contain anything.
    """
    if len(reply) < _WORTH_REPAIRING:
        return ModelRequest(
            purpose=Purpose.REPAIR, model=request.model, prompt_version=request.prompt_version, system=request.system,
            user=f"{request.user}An earlier reply was refused:\n{problem}\n", schema=request.schema,
            max_tokens=request.max_tokens,
        )  # fmt: skip
    user = f"Problem: {problem}\nReply:\n{reply[:_SHOWN_REPLY]}\n"
    return ModelRequest(
        purpose=Purpose.REPAIR, model=request.model, prompt_version=f"{request.prompt_version}+{prompt.version}",
        system=prompt.text, user=user, schema=request.schema, max_tokens=request.max_tokens,
    )  # fmt: skip
