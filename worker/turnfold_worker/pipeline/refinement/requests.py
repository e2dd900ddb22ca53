"""The requests: which words and schema a model gets. Equal sources give equal requests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold.contract.records import AnchorType
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.plain_lines import one_line
from turnfold_worker.pipeline.refinement.sources import (
    ModelRequest,
    NodeSource,
    Prompt,
    Purpose,
    RefineSource,
    framing,
    source_text,
)

EARLIER_SHARE: Final = 25
"""Earlier anchors have about one token for this many of the source."""
_LEAST_EARLIER: Final = 60
_WORDS_A_TOKEN: Final = 0.5
_LEAST_WORDS: Final = 12
_REPLY_HEADROOM: Final = 400
_MOST_REPLY: Final = 16_000
_SHOWN_REPLY: Final = 40_000
_WORTH_REPAIRING: Final = 120
"""Code points of a reply from which it may hold what was asked for."""

LIMIT_SHARE: Final = 1.5
"""A model's level may be longer than the rules' by this, and no longer: budgets count on the sizes of levels."""
_ALL: Final = (1, 2, 3)
LEAST_LIMITS: Final = {1: 64, 2: 32}
"""Tokens that levels 1 and 2 may always have, if the source is not shorter."""


def level_limit(source: NodeSource, level: int) -> int:
    """Most estimated tokens of a model's level 1 or 2."""
    rules = source.node.tokens[level]
    return min(source.node.tokens[0], max(LEAST_LIMITS[level], int(LIMIT_SHARE * rules)))


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


_INTEGER: Final = {"type": "integer"}
_TEXT: Final = {"type": "string"}
_KIND: Final = {"type": "string", "enum": [str(kind) for kind in AnchorType]}
_STATEMENTS: Final = {"type": "array", "items": _object(turn=_INTEGER, text=_TEXT)}

EXTRACTION_SCHEMA: Final[Mapping[str, Any]] = _object(
    anchors={
        "type": "array",
        "items": _object(turn=_INTEGER, type=_KIND, quote=_TEXT),
    }
)
SUMMARY_SCHEMA: Final[Mapping[str, Any]] = _object(
    nodes={
        "type": "array",
        "items": _object(
            node=_INTEGER, detailed=_STATEMENTS, brief=_STATEMENTS, tags={"type": "array", "items": _TEXT}
        ),
    }
)


def extraction_request(source: RefineSource, *, model: str, prompt: Prompt) -> ModelRequest:
    """Ask for what the rules missed: verbatim quotes with their types."""
    user = "".join((framing(source), _known(source), source_text(source, {})))
    return ModelRequest(
        purpose=Purpose.EXTRACT, model=model, prompt_version=prompt.version, system=prompt.text, user=user,
        schema=EXTRACTION_SCHEMA, max_tokens=min(_MOST_REPLY, _REPLY_HEADROOM + estimate_tokens(user) // 2),
    )  # fmt: skip


def _known(source: RefineSource) -> str:
    """The best earlier anchors, few: a correction can only be told from a first mention by what it corrects."""
    room = max(_LEAST_EARLIER, sum(segment.node.tokens[0] for segment in source.segments) // EARLIER_SHARE)
    lines = []
    for anchor in source.earlier:
        line = f"kept before: {one_line(anchor.text)}\n"
        room -= estimate_tokens(line)
        if room < 0:
            break
        lines.append(line)
    return "".join(lines)


def summary_request(
    source: RefineSource,
    *,
    model: str,
    prompt: Prompt,
    wanted: Mapping[int, Collection[int]] | None = None,
) -> ModelRequest:
    """Ask for levels 1 to 3 of the source's nodes; only for the levels in `wanted`, by a node's number, if given."""
    levels = dict.fromkeys((one.number for one in source.nodes), _ALL) if wanted is None else wanted
    nodes = [one for one in source.nodes if one.number in levels]
    chapter = next((one for one in nodes if one.node.height), None)
    headings = {one.number: f" ({_asked(one, levels[one.number])})" for one in nodes if one.node.height == 0}
    if chapter is None and len(nodes) < len(source.segments):
        source = _narrowed(source, nodes)
    parts = [framing(source)]
    if chapter is not None:
        parts += [f"before these segments, same chapter: {' '.join(brief.split())}\n" for brief in source.briefs]
    parts.append(source_text(source, headings))
    numbers = ", ".join(str(one.number) for one in nodes if one.node.height == 0)
    if numbers:
        parts.append(f"Write nodes for segments {numbers}.\n")
    if chapter is not None:
        parts.append(f"Write node 0 for all of it ({_asked(chapter, levels[0])}).\n")
    if any(len(asked) < len(_ALL) for asked in levels.values()):
        parts.append("Where it says only, leave the other lists empty.\n")
    return ModelRequest(
        purpose=Purpose.SUMMARIZE, model=model, prompt_version=prompt.version, system=prompt.text,
        user="".join(parts), schema=SUMMARY_SCHEMA, max_tokens=_summary_tokens(nodes),
    )  # fmt: skip


def _narrowed(source: RefineSource, wanted: Sequence[NodeSource]) -> RefineSource:
    """Only the segments that are asked for: a repair pays for what failed, not for all."""
    turns = {turn.seq for one in wanted for turn in one.turns}
    return RefineSource(
        goal=source.goal, constraints=source.constraints, segments=tuple(wanted),
        anchors=(), marked=tuple(anchor for anchor in source.marked if anchor.turn_seq in turns),
    )  # fmt: skip


def _asked(one: NodeSource, levels: Collection[int]) -> str:
    """The sizes to keep to; with which lists are wanted, when not all of them are."""
    told = [
        f"{kind}: {max(_LEAST_WORDS, int(level_limit(one, level) * _WORDS_A_TOKEN))} words"
        for level, kind in ((1, "detailed"), (2, "brief"))
        if level in levels
    ]
    if len(levels) == len(_ALL):
        return ", ".join(told)
    return f"only {', '.join([*told, 'tags'] if 3 in levels else told)}"


def _summary_tokens(wanted: Sequence[NodeSource]) -> int:
    """Room for every level at its limit, with the numbers and quotes of its JSON."""
    levels = sum(level_limit(one, 1) + level_limit(one, 2) + 60 for one in wanted)
    return min(_MOST_REPLY, _REPLY_HEADROOM + 2 * levels)


def repaired_form(request: ModelRequest, reply: str, *, problem: str, prompt: Prompt) -> ModelRequest:
    """Ask for the same reply in its right form.

    The conversation is not sent again, unless the reply is so short that nothing can be in it.
    """
    if len(reply) < _WORTH_REPAIRING:
        return repaired_words(request, {}, problem=problem)
    user = f"Problem: {problem}\nReply:\n{reply[:_SHOWN_REPLY]}\n"
    return ModelRequest(
        purpose=Purpose.REPAIR, model=request.model, prompt_version=f"{request.prompt_version}+{prompt.version}",
        system=prompt.text, user=user, schema=request.schema, max_tokens=request.max_tokens,
    )  # fmt: skip


def repaired_words(request: ModelRequest, problems: Mapping[int, Sequence[str]], *, problem: str = "") -> ModelRequest:
    """Ask again for nodes whose words were refused, and say why. The conversation comes first, as it did before."""
    told = "".join(f"{line}\n" for line in (problem, *_complaints(problems)) if line)
    return ModelRequest(
        purpose=Purpose.REPAIR, model=request.model, prompt_version=request.prompt_version, system=request.system,
        user=f"{request.user}An earlier reply was refused:\n{told}", schema=request.schema,
        max_tokens=request.max_tokens,
    )  # fmt: skip


def _complaints(problems: Mapping[int, Sequence[str]]) -> Iterator[str]:
    for number, found in sorted(problems.items()):
        yield f"node {number}: {'; '.join(dict.fromkeys(found))}"
