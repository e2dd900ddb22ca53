"""The outline of a conversation: its best notes over all that is folded, in the order in which a budget takes them.

Made anew after each fold from the notes of a bounded cover of nodes, so that a fold costs the same however long the
conversation is, and a read only takes the first notes that fit.
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
from turnfold_worker.pipeline.ledger import Ledger, merge_ledgers, rank, segment_ledger, tool_share
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
"""Estimated tokens of notes that an outline is made from, about."""
_TAIL_TOKENS: Final = 8_000
"""Estimated tokens of notes of the open tail."""
_TAIL_NAMES: Final = 100
_WORKS_WITH_TOOLS: Final = 10
"""Per cent of what was said that tools said, from which a conversation is the work of an agent."""


@dataclass(frozen=True, slots=True)
class NodeSize:
    """A node that a cover may hold."""

    covered: Covered
    note_tokens: int


@dataclass(frozen=True, slots=True)
class NodeNotes:
    """What an outline needs of a node."""

    notes: tuple[Note, ...]
    ledger: Ledger
    actions: tuple[Action, ...]
    said: Mapping[str, int]
    """Tokens of each role from the first turn of the conversation to the node's last."""


def choose_cover(nodes: Sequence[NodeSize], *, last_seq: int) -> list[Covered]:
    """The finest cover of turns 1 to `last_seq` whose notes are not too many: the highest chapters open first.

    `nodes` are the newest of each height; they must hold a cover, and children are used only when all are there.
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
    """The chapters that have only nodes of the cover below them, by name: a read may show them instead."""
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
    """The outline over a cover in order, without the turns after it.

    `chapters` are those over the cover, `settled` the anchors that are over, `users` the first and the newest turns of
    users in it.
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
        names=rank(merge_ledgers(*(folded.ledger for _, folded in cover)), worked_on(actions)),
        actions=actions,
        requests=requests_of(users) if _tool_percent(tokens_said) >= _WORKS_WITH_TOOLS else (),
        said=tokens_said,
        tool_percent=_tool_percent(tokens_said),
        overtaken=overtaken,
        outside=_outside(note for _, folded in cover for note in folded.notes),
    )


def read_tail(turns: Sequence[StoredTurn], memos: Mapping[int, TurnMemo] = NO_MEMOS) -> list[Reading]:
    """The turns of the open tail that have words to tell, read once for notes and anchors; `memos` by number."""
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
    """The outline with notes, names, actions and anchors of the open tail, without notes of what the tail takes back.

    `said` are the tokens of each role before it, `turns_before` those right before it, `readings` those of `read_tail`,
    `noted` their notes.
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
        # Without a tool's words no context shows names.
        tail_names=rank(segment_ledger(readings), told=outline.names)[:_TAIL_NAMES] if tool_percent else (),
        tool_percent=tool_percent,
        # What is stored of an outline has those of its older tail too.
        outside=tuple([*outside_before, *_outside(noted)][-TURNS_A_READ:]),
        tail_anchors=found.anchors,
    )


def _outside(notes: Iterable[Note]) -> tuple[int, ...]:
    """The newest turns of which some notes say what nobody said who takes part."""
    return tuple(sorted({note.seq for note in notes if note.role == OUTSIDE})[-TURNS_A_READ:])


def without_overtaken(outline: Outline, by_tail: tuple[Overtaken, ...]) -> Outline:
    """The outline without the notes that say what turns after it overtook."""
    index = OvertakenIndex(by_tail)
    notes = still_held(outline.notes, index) if index else outline.notes
    return replace(outline, notes=tuple(notes), tail_overtaken=by_tail)


def worked_on(actions: Sequence[Action]) -> frozenset[str]:
    """Files, without folders, that were changed, run, or opened last."""
    return frozenset(action.file for action in actions if action.file and not action.is_vain)


def _tool_percent(said: Mapping[str, int]) -> int:
    """Of all tokens, those that tools said."""
    return round(100 * tool_share(said.get(str(Role.TOOL), 0), sum(said.values())))


def plain_outline(cover: Sequence[Covered]) -> Outline:
    """The outline without words: what a conversation has when the rules fail. Total."""
    return Outline(last_seq=cover[-1].last_seq if cover else 0, cover=tuple(cover))
