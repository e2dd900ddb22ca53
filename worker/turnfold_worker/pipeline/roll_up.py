"""Rolls eight nodes up into a chapter, from the rules' output for the nodes: never from an older version of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

from turnfold.contract.actions import kept_actions
from turnfold.contract.notes import Note
from turnfold.contract.records import FAN_OUT, Method, Node
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.fold import FoldedNode, first_that_fits
from turnfold_worker.pipeline.levels.fact_lists import merge_facts, rank_entries
from turnfold_worker.pipeline.levels.summarize import brief_of
from turnfold_worker.pipeline.levels.tags import FALLBACK, MAX_TAG_TOKENS, slug, tag_line, tags_of
from turnfold_worker.pipeline.name_index import merge_name_indexes
from turnfold_worker.pipeline.notes.ranking import ranked

MAX_DETAILED: Final = 1_200
"""Maximum estimated tokens of a chapter's level 1."""
MAX_BRIEF: Final = 400
"""Maximum estimated tokens of a chapter's level 2."""
MAX_NOTES: Final = 2_000
"""Maximum estimated tokens of a chapter's notes."""
Siblings = Callable[[int, int, int], Sequence[FoldedNode]]
"""Loads the stored nodes of a height, from a first to a last index inclusive, in order."""
_HASH_BYTES: Final = 16
_ENTRIES: Final = 24


def roll_up(children: Sequence[FoldedNode], *, height: int, idx: int) -> FoldedNode:
    """Build the chapter of eight neighbouring nodes, given in order. Anchors and postings stay with its segments."""
    facts = _facts(children)
    chapter_topics = _topics(children)
    union = [note for child in children for note in child.notes]
    most_tokens = min(MAX_NOTES, sum(note.tokens for note in union) * 2 // 3)
    notes = tuple(ranked(union, children[-1].said, most_tokens=most_tokens))
    source = _source_tokens(children)
    detailed = brief_of(notes, min(MAX_DETAILED, source)) or _shortest(children, source)
    brief = brief_of(notes, min(MAX_BRIEF, estimate_tokens(detailed))) or detailed
    levels = {1: detailed, 2: brief, 3: tag_line(chapter_topics, facts, min(MAX_TAG_TOKENS, estimate_tokens(brief)))}
    return _chapter(
        children, height=height, idx=idx, method=Method.RULES, slug_text=slug(facts, chapter_topics), levels=levels,
        facts=facts, notes=notes,
    )  # fmt: skip


def plain_roll_up(children: Sequence[FoldedNode], *, height: int, idx: int) -> FoldedNode:
    """Build a chapter without rules: only a token count. Total, for the same reason as `plain_fold`."""
    source = _source_tokens(children)
    text = first_that_fits((f"segments without summary, about {source} tokens\n",), source)
    return _chapter(
        children, height=height, idx=idx, method=Method.PLAIN, slug_text=FALLBACK,
        levels={1: text, 2: text, 3: f"{FALLBACK}\n"}, facts=merge_facts([]),
    )  # fmt: skip


def chapters_above(
    node: FoldedNode, siblings: Siblings, *, newest: bool = False, total: bool = False
) -> list[FoldedNode]:
    """Rebuild every complete chapter above a node, bottom up, each from its children's own texts.

    `newest`: no later node exists, so only chapters that end with this node are complete. `total`: when the rules fail,
    the chapter falls back to `plain_roll_up`; folding its last child again repairs it.
    """
    chapters: list[FoldedNode] = []
    while not newest or (node.node.idx + 1) % FAN_OUT == 0:
        height, idx = node.node.height, node.node.idx
        first = idx // FAN_OUT * FAN_OUT
        children = {child.node.idx: child for child in siblings(height, first, first + FAN_OUT - 1)} | {idx: node}
        if len(children) < FAN_OUT:
            break
        make = _roll_up_or_plain if total else roll_up
        node = make([*children.values()], height=height + 1, idx=idx // FAN_OUT)
        chapters.append(node)
    return chapters


def _roll_up_or_plain(children: Sequence[FoldedNode], *, height: int, idx: int) -> FoldedNode:
    try:
        return roll_up(children, height=height, idx=idx)
    except Exception:  # noqa: BLE001 - any failure of the rules
        return plain_roll_up(children, height=height, idx=idx)


def _source_tokens(children: Sequence[FoldedNode]) -> int:
    return sum(child.node.tokens[0] for child in children)


def _chapter(  # noqa: PLR0913 - everything a chapter is built from
    children: Sequence[FoldedNode],
    *,
    height: int,
    idx: int,
    method: Method,
    slug_text: str,
    levels: dict[int, str],
    facts: dict[str, list[str]],
    notes: tuple[Note, ...] = (),
) -> FoldedNode:
    node = Node(
        height=height,
        idx=idx,
        first_seq=children[0].node.first_seq,
        last_seq=children[-1].node.last_seq,
        slug=slug_text,
        tokens=(_source_tokens(children), *(estimate_tokens(levels[level]) for level in (1, 2, 3))),  # type: ignore[arg-type] # always four
        importance=_importance(children),
        started_at=next((folded_node.node.started_at for folded_node in children if folded_node.node.started_at), None),
        ended_at=next(
            (folded_node.node.ended_at for folded_node in reversed(children) if folded_node.node.ended_at), None
        ),
    )
    digest = hashlib.blake2b(b"".join(child.source_hash for child in children), digest_size=_HASH_BYTES)
    return FoldedNode(
        node=node, method=method, levels=levels, facts=facts, source_hash=digest.digest(), notes=notes,
        names=merge_name_indexes(*(child.names for child in children)), said=children[-1].said,
        actions=kept_actions([action for child in children for action in child.actions]),
    )  # fmt: skip


def _importance(children: Sequence[FoldedNode]) -> int:
    """Return the midpoint of the mean and the maximum of the children's importance."""
    scores = [child.node.importance for child in children]
    return (sum(scores) // len(scores) + max(scores)) // 2


def _facts(children: Sequence[FoldedNode]) -> dict[str, list[str]]:
    """Merge the children's facts; an entry weighs more the higher it ranks, and in the more children."""
    return rank_entries(
        (str(kind), str(text), _ENTRIES - min(place, _ENTRIES - 1))
        for child in children
        for kind, entries in child.facts.items()
        if isinstance(entries, list)
        for place, text in enumerate(entries)
    )


def _topics(children: Sequence[FoldedNode]) -> list[str]:
    """Rank the children's tags by the sum of their points, 10 for a first place to 1; ties by first mention."""
    totals: dict[str, int] = {}
    for child in children:
        for place, tag in enumerate(tags_of(child.levels[3]).get("tags", ())):
            totals[tag] = totals.get(tag, 0) + 10 - min(place, 9)
    order = {tag: i for i, tag in enumerate(totals)}
    return sorted(totals, key=lambda tag: (-totals[tag], order[tag]))


def _shortest(children: Sequence[FoldedNode], limit: int) -> str:
    """Return the children's shortest tag line if it fits, for children without notes; else the fallback line."""
    shortest = min((child.levels[3] for child in children), key=estimate_tokens)
    return shortest if estimate_tokens(shortest) <= limit else f"{FALLBACK}\n"
