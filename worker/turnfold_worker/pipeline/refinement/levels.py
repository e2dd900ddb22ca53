"""What becomes of a model's summaries: levels of their own where they are short enough and true to what was said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations, pairwise
from typing import Final

from turnfold.contract.records import StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.language.dates import as_utc
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.levels.summarize import Part, lines_of
from turnfold_worker.pipeline.levels.tags import FALLBACK, MAX_TAG_TOKENS, tag_line
from turnfold_worker.pipeline.refinement.faithfulness import Evidence
from turnfold_worker.pipeline.refinement.replies import NodeWords, Statement
from turnfold_worker.pipeline.refinement.requests import level_limit
from turnfold_worker.pipeline.refinement.sources import NodeSource, RefineSource, is_readable

_MISSING: Final = "it was not written"
_EMPTY: Final = "it has no statements"
_NO_TAGS: Final = "no tag was said in the source"
_KINDS: Final = {1: "detailed", 2: "brief", 3: "tags"}


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedNode:
    """What of a model's words for a node may be shown."""

    source: NodeSource
    levels: Mapping[int, str] = field(default_factory=dict)
    """Texts by level, each ending in a newline; levels that are not here keep the rules' words."""
    problems: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Why levels were refused; nothing of the words is in it."""
    unfitting: tuple[int, ...] = ()
    """Levels that are right, but longer than what would stand above them or shorter than what stands below."""

    @property
    def refused(self) -> int:
        """Levels that keep the rules' words."""
        return len(self.problems) + len(self.unfitting)

    @property
    def tokens(self) -> Mapping[int, int]:
        """Estimated tokens of the levels."""
        return {level: estimate_tokens(text) for level, text in self.levels.items()}

    @property
    def complaints(self) -> tuple[str, ...]:
        """The problems in words for the model."""
        return tuple(f"{_KINDS[level]}: {reason}" for level, found in self.problems.items() for reason in found)


def accept_levels(
    source: RefineSource, replies: Sequence[NodeWords], wanted: Sequence[NodeSource]
) -> list[AcceptedNode]:
    """Check the words for each node that was asked for; whatever else a reply holds is left aside."""
    by_number: dict[int, NodeWords] = {}
    for words in replies:
        by_number.setdefault(words.number, words)
    return [_accept(source, node, by_number.get(node.number)) for node in wanted]


def better_of(first: AcceptedNode, second: AcceptedNode) -> AcceptedNode:
    """A node from two replies: each level from the first that had it right."""
    both = {**second.levels, **first.levels}
    levels = descending(both, first.source)
    problems = {level: found for level, found in second.problems.items() if level not in both}
    return AcceptedNode(
        source=first.source, levels=levels, problems=problems, unfitting=tuple(sorted(both.keys() - levels.keys()))
    )


def _accept(source: RefineSource, node: NodeSource, words: NodeWords | None) -> AcceptedNode:
    if words is None:
        return AcceptedNode(source=node, problems={1: (_MISSING,), 2: (_MISSING,), 3: (_MISSING,)})
    turns = node.turns or source.turns
    evidence = Evidence(turns, kept=source.briefs if node.node.height else ())
    levels: dict[int, str] = {}
    problems: dict[int, tuple[str, ...]] = {}
    for level, statements in ((1, words.detailed), (2, words.brief)):
        text, found = _statements(statements, turns, evidence, joint=". " if level == 1 else "; ")
        size, limit = estimate_tokens(text), level_limit(node, level)
        if not found and size > limit:
            found = (f"it is too long by {round(100 * (size - limit) / size)} %",)
        if found:
            problems[level] = found
        else:
            levels[level] = text
    tags = [tag for tag in words.tags if evidence.mentions(tag)]
    if tags:
        facts = {kind: entries for kind, entries in node.facts.items() if isinstance(entries, list)}
        brief = estimate_tokens(levels[2]) if 2 in levels else node.node.tokens[2]
        levels[3] = tag_line(tags, facts, min(MAX_TAG_TOKENS, brief))
    else:
        problems[3] = (_NO_TAGS,)
    kept = descending(levels, node)
    return AcceptedNode(
        source=node, levels=kept, problems=dict(sorted(problems.items())),
        unfitting=tuple(sorted(levels.keys() - kept.keys())),
    )  # fmt: skip


def descending(levels: Mapping[int, str], node: NodeSource) -> dict[int, str]:
    """The most of a model's levels with which no level is longer than the one above it: a read counts on that."""
    sizes = {level: estimate_tokens(text) for level, text in levels.items()}
    for count in range(len(levels), -1, -1):
        for chosen in combinations(sorted(levels), count):
            shown = [node.node.tokens[0], *(sizes[n] if n in chosen else node.node.tokens[n] for n in (1, 2, 3))]
            if all(above >= below for above, below in pairwise(shown)):
                return {level: levels[level] for level in chosen}
    return {}


def _statements(
    statements: Sequence[Statement], turns: Sequence[StoredTurn], evidence: Evidence, *, joint: str
) -> tuple[str, tuple[str, ...]]:
    """Statements as lines, or why they are refused."""
    by_seq = {turn.seq: turn for turn in turns if is_readable(turn)}
    speakers = {speaker_label(turn).lower() for turn in turns}
    shown: list[tuple[StoredTurn, str]] = []
    problems: list[str] = []
    # A model that goes round in circles says each thing once.
    for statement in dict.fromkeys(statements):
        text = _without_speaker(plain_line(statement.text), speakers)
        if not text:
            continue
        problems += evidence.problems(text, statement.turn)
        if statement.turn in by_seq:
            shown.append((by_seq[statement.turn], text))
    if not shown and not problems:
        problems.append(_EMPTY)
    ordered = sorted(shown, key=lambda one: one[0].seq)
    lines = lines_of([Part(_day_of(turn), speaker_label(turn), text, joint) for turn, text in ordered])
    return lines or f"{FALLBACK}\n", tuple(str(problem) for problem in dict.fromkeys(problems))


def _day_of(turn: StoredTurn) -> date | None:
    return as_utc(turn.created_at).date() if turn.created_at else None


def _without_speaker(text: str, speakers: set[str]) -> str:
    """A sentence without a speaker before it: who spoke is known from its turn."""
    before, colon, after = text.partition(": ")
    text = after if colon and before.lower() in speakers else text
    return re.sub(r"\A[\W_]+", "", text) if not text[:1].isalnum() else text.strip()


__all__ = ["AcceptedNode", "accept_levels", "better_of", "descending"]
