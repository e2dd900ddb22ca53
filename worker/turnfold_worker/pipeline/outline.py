"""The outline of a conversation: the best notes of all folded turns, in the order in which a budget is spent on them.

Rebuilt after each fold from the notes of a bounded cover of nodes. So a fold costs the same however long the
conversation is, and a read just takes the first notes that fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from turnfold.contract.actions import Action, kept_actions
from turnfold.contract.notes import ChapterName, Covered, Note, in_order
from turnfold.contract.origins import OUTSIDE
from turnfold.contract.outlines import OUTLINE_TIERS, Outline
from turnfold.contract.overtaken import Overtaken, OvertakenIndex
from turnfold.contract.records import FAN_OUT, AnchorState, AnchorType, Role, StoredTurn
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold_worker.pipeline.fold import not_deleted, said_after
from turnfold_worker.pipeline.name_index import NameIndex, merge_name_indexes, rank, segment_name_index, tool_share
from turnfold_worker.pipeline.notes.in_force import still_held, weighed_by_force
from turnfold_worker.pipeline.notes.overtaken_values import (
    SettledAnchor,
    corrections_among,
    overtaken_by_anchors,
    overtaken_by_notes,
)
from turnfold_worker.pipeline.notes.own_anchors import without_pasted_changes
from turnfold_worker.pipeline.notes.ranking import ranked
from turnfold_worker.pipeline.notes.taken_back import OPENS_A_CORRECTION, cues_among, taken_back
from turnfold_worker.pipeline.tail_anchors import NOTHING_FOUND, MergedTail
from turnfold_worker.pipeline.turns.actions import actions_of
from turnfold_worker.pipeline.turns.memo import NO_MEMOS, TurnMemo
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.requests import requests_of
from turnfold_worker.pipeline.turns.treatment import read_segment

COVER_TOKENS: Final = 32_000
"""Estimated tokens of the notes that an outline is built from, approximately."""
_TAIL_TOKENS: Final = 8_000
"""Maximum estimated tokens of the notes of the open tail."""
_TAIL_NAMES: Final = 100
_WORKS_WITH_TOOLS: Final = 10
"""Percentage of tool tokens from which a conversation counts as the work of an agent."""


@dataclass(frozen=True, slots=True)
class NodeSize:
    """A node that may be part of a cover, with the size of its notes."""

    covered: Covered
    note_tokens: int


@dataclass(frozen=True, slots=True)
class NodeNotes:
    """The parts of a node that an outline is built from."""

    notes: tuple[Note, ...]
    names: NameIndex
    actions: tuple[Action, ...]
    said: Mapping[str, int]
    """Tokens by role, from the first turn of the conversation to the last turn of the node."""


def choose_cover(nodes: Sequence[NodeSize], *, last_seq: int) -> list[Covered]:
    """Return the finest cover of turns 1 to `last_seq` whose notes have at most about `COVER_TOKENS` tokens.

    Starts from the coarsest cover and replaces chapters by their children, highest and newest first. `nodes` are the
    newest of each height; they must contain a cover, and a chapter is replaced only when all its children are present.
    """
    by_key = {(node.covered.height, node.covered.idx): node for node in nodes}
    cover = _coarsest(by_key, last_seq)
    spent = sum(node.note_tokens for node in cover)
    for height in range(max((node.covered.height for node in cover), default=0), 0, -1):
        for node in [node for node in reversed(cover) if node.covered.height == height]:
            first = node.covered.idx * FAN_OUT
            children = [by_key.get((height - 1, first + i)) for i in range(FAN_OUT)]
            whole = [child for child in children if child is not None]
            grown = spent - node.note_tokens + sum(child.note_tokens for child in whole)
            if len(whole) == FAN_OUT and grown <= COVER_TOKENS:
                at = cover.index(node)
                cover[at : at + 1] = whole
                spent = grown
    return [node.covered for node in cover]


def chapters_over(nodes: Sequence[NodeSize], cover: Sequence[Covered]) -> tuple[ChapterName, ...]:
    """Return the names of the chapters that the cover's nodes fully make up: a read may show them instead."""
    by_key = {(node.covered.height, node.covered.idx): node.covered for node in nodes}
    inside = {(node.height, node.idx) for node in cover}
    chapters: list[ChapterName] = []
    for height, idx in sorted(by_key):
        if height and all((height - 1, idx * FAN_OUT + i) in inside for i in range(FAN_OUT)):
            inside.add((height, idx))
            chapters.append(ChapterName(height, idx, by_key[height, idx].slug))
    return tuple(chapters)


def _coarsest(by_key: Mapping[tuple[int, int], NodeSize], last_seq: int) -> list[NodeSize]:
    starting: dict[int, NodeSize] = {}
    for key in sorted(by_key):
        node = by_key[key]
        if node.covered.last_seq <= last_seq:
            starting[node.covered.first_seq] = node
    cover: list[NodeSize] = []
    seq = 1
    while (coarsest := starting.get(seq)) is not None:
        cover.append(coarsest)
        seq = coarsest.covered.last_seq + 1
    return cover


def make_outline(
    cover: Sequence[tuple[Covered, NodeNotes]],
    chapters: tuple[ChapterName, ...] = (),
    settled: Sequence[SettledAnchor] = (),
    users: Sequence[StoredTurn] = (),
) -> Outline:
    """Build the outline of a cover, whose nodes come in order; turns after the cover are not included.

    `chapters` are those above the cover, `settled` the superseded or resolved anchors, `users` the first and the newest
    user turns in the cover.
    """
    if not cover:
        return Outline()
    tokens_said = cover[-1][1].said
    notes = in_order(note for _, folded in cover for note in folded.notes)
    overtaken = (
        *overtaken_by_anchors(settled), *overtaken_by_notes(notes),
        *taken_back(cues_among(notes, corrections_among(settled)), notes),
    )  # fmt: skip
    notes = weighed_by_force(notes, settled, OvertakenIndex(overtaken))
    actions = kept_actions([action for _, folded in cover for action in folded.actions])
    return Outline(
        last_seq=cover[-1][0].last_seq,
        cover=tuple(covered for covered, _ in cover),
        chapters=chapters,
        notes=tuple(ranked(notes, tokens_said, most_tokens=OUTLINE_TIERS[-1])),
        names=rank(merge_name_indexes(*(folded.names for _, folded in cover)), worked_on(actions)),
        actions=actions,
        requests=requests_of(users) if _tool_percent(tokens_said) >= _WORKS_WITH_TOOLS else (),
        said=tokens_said,
        tool_percent=_tool_percent(tokens_said),
        overtaken=overtaken,
        outside=_outside(note for _, folded in cover for note in folded.notes),
    )


def read_tail(turns: Sequence[StoredTurn], memos: Mapping[int, TurnMemo] = NO_MEMOS) -> list[Reading]:
    """Read the turns of the open tail that still have content, once for notes and anchors; `memos` by turn number."""
    return read_segment(not_deleted(turns), memos=memos)


def with_tail(
    outline: Outline,
    turns: Sequence[StoredTurn],
    said: Mapping[str, int],
    *,
    readings: Sequence[Reading],
    noted: Sequence[Note],
    found: MergedTail = NOTHING_FOUND,
    turns_before: Sequence[StoredTurn] = (),
) -> Outline:
    """Add the notes, names, actions and anchors of the open tail, and drop the notes that the tail takes back.

    `said` holds the tokens by role before the tail, `turns_before` are the turns right before it, `readings` come from
    `read_tail`, and `noted` are their notes.
    """
    turns_told = not_deleted(turns)
    changes = without_pasted_changes(noted, readings)
    corrections = [
        (anchor.turn_seq, anchor.text)
        for anchor in found.anchors.anchors
        if anchor.state is AnchorState.ACTIVE
        and (anchor.type is AnchorType.CORRECTION or anchor.text.startswith(OPENS_A_CORRECTION))
    ]
    cues = cues_among(changes, corrections, {reading.turn.seq: reading.memo for reading in readings})
    overtaken = (
        *overtaken_by_anchors(found.settled), *overtaken_by_notes(changes),
        *(taken_back(cues, in_order([*outline.notes, *noted])) if cues else ()),
    )  # fmt: skip
    notes = weighed_by_force(noted, found.settled, OvertakenIndex((*outline.overtaken, *overtaken)))
    said = said_after(said, turns)
    tool_percent = _tool_percent(said)
    outside_before = [seq for seq in outline.outside if seq <= outline.last_seq]
    return replace(
        without_overtaken(outline, overtaken),
        tail=tuple(ranked(notes, said, most_tokens=_TAIL_TOKENS)),
        tail_seq=turns[-1].seq if turns else 0,
        tail_actions=actions_of(turns_told, before=turns_before),
        tail_requests=requests_of(turns_told) if tool_percent >= _WORKS_WITH_TOOLS else (),
        # No context shows names in a conversation without tool output.
        tail_names=rank(segment_name_index(readings), told=outline.names)[:_TAIL_NAMES] if tool_percent else (),
        tool_percent=tool_percent,
        # A stored outline still lists the turns of an older tail.
        outside=tuple([*outside_before, *_outside(noted)][-TURNS_A_READ:]),
        tail_anchors=found.anchors,
    )


def _outside(notes: Iterable[Note]) -> tuple[int, ...]:
    """Return the newest turns with notes on text that no participant wrote: fetched pages, pasted mails."""
    return tuple(sorted({note.seq for note in notes if note.role == OUTSIDE})[-TURNS_A_READ:])


def without_overtaken(outline: Outline, by_tail: tuple[Overtaken, ...]) -> Outline:
    """Drop the notes of an outline that later turns, those of the tail, overtook."""
    index = OvertakenIndex(by_tail)
    notes = still_held(outline.notes, index) if index else outline.notes
    return replace(outline, notes=tuple(notes), tail_overtaken=by_tail)


def worked_on(actions: Sequence[Action]) -> frozenset[str]:
    """Return the file names, without folders, of the actions that were not in vain: changed, run, or opened last."""
    return frozenset(action.file for action in actions if action.file and not action.is_vain)


def _tool_percent(said: Mapping[str, int]) -> int:
    """Return the percentage of tokens that tools wrote, capped at `MAX_TOOL_SHARE`."""
    return round(100 * tool_share(said.get(str(Role.TOOL), 0), sum(said.values())))


def plain_outline(cover: Sequence[Covered]) -> Outline:
    """Build an outline without any text: the fallback when the rules fail. Total."""
    return Outline(last_seq=cover[-1].last_seq if cover else 0, cover=tuple(cover))
