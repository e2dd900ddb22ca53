"""Have a model write text for turns that retention removed, from what is kept; always labelled a reconstruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from turnfold.contract.periods import as_utc, day_label
from turnfold.contract.records import Anchor, Node, StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold_worker.pipeline.language.plain_lines import one_line, plain_line
from turnfold_worker.pipeline.refinement.faithfulness import Evidence
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Prompt, Purpose

LABEL: Final = "[reconstruction by a model of turns {first}-{last}, from their summary: not the speakers' words]\n"
SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object", "properties": {"passage": {"type": "string"}}, "required": ["passage"],
    "additionalProperties": False,
}  # fmt: skip
_ENTITIES: Final = 40
_MOST_TOKENS: Final = 4_000
_SPEAKERS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The remains of a node whose turns were removed."""

    node: Node
    levels: Mapping[int, str]
    """The rules' texts by level."""
    facts: Mapping[str, Any]
    anchors: Sequence[Anchor]
    turns: Sequence[StoredTurn]
    """Without text; speakers and times remain."""


def reconstruction_request(kept: Kept, *, model: str, prompt: Prompt) -> ModelRequest:
    """Ask for a passage: on a segment from its level 1, on a chapter from level 2, each with facts and anchors."""
    return ModelRequest(
        purpose=Purpose.RECONSTRUCT, model=model, prompt_version=prompt.version, system=prompt.text,
        user="\n".join(_lines(kept)) + "\n", schema=SCHEMA,
        max_tokens=min(_MOST_TOKENS, 400 + 3 * kept.node.tokens[1]),
    )  # fmt: skip


def _lines(kept: Kept) -> list[str]:
    """Return everything that is kept, one line each."""
    speakers = list(dict.fromkeys(speaker_label(turn) for turn in kept.turns))[:_SPEAKERS]
    days = list(dict.fromkeys(day_label(as_utc(turn.created_at).date()) for turn in kept.turns if turn.created_at))
    lines = [f"Speakers: {', '.join(speakers)}"] if speakers else []
    lines += [f"Days: {' to '.join(dict.fromkeys((days[0], days[-1])))}"] if days else []
    for kind, entries in kept.facts.items():
        if isinstance(entries, list) and entries:
            lines.append(f"{kind}: {', '.join(one_line(str(entry)) for entry in entries[:_ENTITIES])}")
    lines += [f"Said word for word: {one_line(anchor.text)}" for anchor in kept.anchors]
    lines.append("Summary:")
    lines.append(kept.levels.get(1 if kept.node.height == 0 else 2, "").rstrip("\n"))
    return lines


def accept_passage(passage: str, kept: Kept) -> str | tuple[str, ...]:
    """Return the passage under its label, or the reasons to refuse it: it may say only what is kept."""
    text = "\n".join(line for raw in passage.splitlines() if (line := plain_line(raw)))
    if not text:
        return ("it is empty",)
    problems = Evidence((), kept=[*_lines(kept), *kept.levels.values()]).passage_problems(text)
    if problems:
        return tuple(map(str, problems))
    return LABEL.format(first=kept.node.first_seq, last=kept.node.last_seq) + text + "\n"
