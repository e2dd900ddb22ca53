"""Build levels of a node from a model's notes: 1 all notes, 2 their briefs in up to a third of the tokens, 3 tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Final

from turnfold.contract.records import Anchor
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.levels.lines import Part, lines_of
from turnfold_worker.pipeline.levels.tags import MAX_TAG_TOKENS, tag_line
from turnfold_worker.pipeline.refinement.faithfulness import Evidence
from turnfold_worker.pipeline.refinement.notes import AcceptedNotes, ModelNote, accept_notes
from turnfold_worker.pipeline.refinement.replies import SegmentWords
from turnfold_worker.pipeline.refinement.sources import ChapterSource, NodeSource, RefineSource
from turnfold_worker.pipeline.refinement.told import raised

BRIEF_SHARE: Final = 3
"""Level 2 has about one token per this many of level 1."""
LIMIT_SHARE: Final = 1.5
"""Maximum size of a model's level relative to the rules' level: budgets rely on the sizes of levels."""
LEAST_LIMITS: Final = {1: 64, 2: 32}
"""Tokens that levels 1 and 2 may always use, unless the source is shorter."""


def level_limit(source: NodeSource, level: int) -> int:
    """Return the maximum estimated tokens of a model's level 1 or 2."""
    rules = source.node.tokens[level]
    return min(source.node.tokens[0], max(LEAST_LIMITS[level], int(LIMIT_SHARE * rules)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedNode:
    """The parts of a model's reply for a node that may be shown."""

    source: NodeSource
    accepted: AcceptedNotes = field(default_factory=AcceptedNotes)
    levels: Mapping[int, str] = field(default_factory=dict)
    """Texts by level, each ending in a newline; a missing level keeps the rules' text."""
    malformed: int = 0

    @property
    def notes(self) -> tuple[ModelNote, ...]:
        """The accepted notes, sorted by first turn."""
        return self.accepted.notes

    @property
    def refused(self) -> int:
        """The number of notes left out, malformed ones included."""
        return self.accepted.refusals + self.malformed

    @property
    def tokens(self) -> Mapping[int, int]:
        """Estimated tokens by level."""
        return {level: estimate_tokens(text) for level, text in self.levels.items()}


def accept_segments(source: RefineSource, replies: Sequence[SegmentWords]) -> list[AcceptedNode]:
    """Check the reply for each requested segment; segments that were not requested are ignored."""
    evidence = Evidence(source.turns)
    by_number: dict[int, SegmentWords] = {}
    for words in replies:
        by_number.setdefault(words.number, words)
    return [
        _accept(node, by_number[node.number], evidence, source.marked)
        for node in source.nodes
        if node.number in by_number
    ]


def accept_chapter(source: ChapterSource, words: SegmentWords) -> AcceptedNode:
    """Check the reply for a chapter against the turns of its segments."""
    return _accept(source.chapter, words, Evidence(source.chapter.turns))


def _accept(node: NodeSource, words: SegmentWords, evidence: Evidence, marked: Sequence[Anchor] = ()) -> AcceptedNode:
    accepted = accept_notes(words.notes, evidence, node.turns)
    accepted = replace(accepted, notes=raised(accepted.notes, marked))
    tags = [tag for tag in words.tags if evidence.mentions(tag)]
    return AcceptedNode(
        source=node, accepted=accepted, levels=_levels(node, accepted.notes, tags), malformed=words.malformed
    )


def _levels(node: NodeSource, notes: Sequence[ModelNote], tags: Sequence[str]) -> dict[int, str]:
    levels: dict[int, str] = {}
    detailed = _rendered(notes, [note.shown for note in notes], level_limit(node, 1), ". ")
    if detailed:
        levels[1] = detailed
        limit = min(level_limit(node, 2), max(LEAST_LIMITS[2], estimate_tokens(detailed) // BRIEF_SHARE))
        in_brief = [(note.shown_in_brief or note.shown).rstrip(".") for note in notes]
        brief = _rendered(notes, in_brief, limit, " / ")
        if brief:
            levels[2] = brief
    if tags:
        facts = {kind: entries for kind, entries in node.facts.items() if isinstance(entries, list)}
        above = estimate_tokens(levels[2]) if 2 in levels else node.node.tokens[2]
        levels[3] = tag_line(tags, facts, min(MAX_TAG_TOKENS, above))
    return descending(levels, node)


def _rendered(notes: Sequence[ModelNote], texts: Sequence[str], limit: int, joint: str) -> str:
    """Render the most important notes that fit as lines in turn order; empty if none fits."""
    ranked = sorted(range(len(notes)), key=lambda at: (-notes[at].importance, at))

    def shown(count: int) -> str:
        return lines_of(
            Part(notes[at].turns[0], notes[at].said_on, notes[at].speaker, texts[at], joint)
            for at in sorted(ranked[:count])
        )

    # Searched from above: a label may make fewer notes longer than more.
    texts_shown = map(shown, range(len(notes), 0, -1))
    return next((text for text in texts_shown if estimate_tokens(text) <= limit), "")


def descending(levels: Mapping[int, str], node: NodeSource) -> dict[int, str]:
    """Keep as many of a model's levels as possible with no level longer than the one above, as reads rely on."""
    sizes = {level: estimate_tokens(text) for level, text in levels.items()}
    for count in range(len(levels), -1, -1):
        for chosen in combinations(sorted(levels), count):
            sizes_shown = [node.node.tokens[0], *(sizes[n] if n in chosen else node.node.tokens[n] for n in (1, 2, 3))]
            if all(above >= below for above, below in pairwise(sizes_shown)):
                return {level: levels[level] for level in chosen}
    return {}
