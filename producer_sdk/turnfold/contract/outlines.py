"""Outlines: what a context needs of everything folded, and the format in which it is stored.

An outline contains the best notes of a conversation, best first, its names, and the nodes that cover its turns. It is
stored in parts, so that a reader fetches and parses only as much as its budget can use.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, cast

from turnfold.contract.actions import Action, kept_actions, unpack_actions
from turnfold.contract.note_lists import Tiers, pack_notes, unpack_notes
from turnfold.contract.notes import ChapterName, Covered, Note
from turnfold.contract.overtaken import (
    NEVER,
    NOTHING_OVERTAKEN,
    Overtaken,
    OvertakenIndex,
    pack_overtaken,
    unpack_overtaken,
)
from turnfold.contract.requests import Request, unpack_requests
from turnfold.contract.tail_anchors import NO_TAIL_ANCHORS, TailAnchors, pack_tail_anchors, unpack_tail_anchors

OUTLINE_TIERS: Final = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
"""Cumulative estimated tokens of notes at which the parts of an outline end."""

MODEL_PART: Final = -1
"""Part stored with a model's notes: the statements that a model found to be no longer valid."""
FRAME_PART: Final = 0
"""Part with everything but notes and names."""
NAMES_PART: Final = 1
"""Part with the names."""
FIRST_TIER: Final = 2
_LAST_PART: Final = FIRST_TIER + len(OUTLINE_TIERS) - 1
FIRST_CHAPTER_TIER: Final = 32
"""First part of the notes in which a model's notes on chapters precede its notes on segments."""

_covered: Final = cast("Callable[[Iterable[Any]], Covered]", partial(tuple.__new__, Covered))
_chapter: Final = cast("Callable[[Iterable[Any]], ChapterName]", partial(tuple.__new__, ChapterName))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """Everything folded of a conversation, as far as a context within a budget needs it."""

    last_seq: int = 0
    """Last turn that the outline covers."""
    cover: tuple[Covered, ...] = ()
    """The nodes that hold turns 1 to `last_seq`, in order, without gaps."""
    chapters: tuple[ChapterName, ...] = ()
    """Chapters whose nodes are all in the cover or below such chapters, for coarser lines."""
    notes: Sequence[Note] = ()
    """Notes, best first, as many as the read fetched."""
    chapter_notes: Sequence[Note] = ()
    """Notes with a model's notes on chapters before those on segments, for tight budgets, as they sum up several
    notes each. Empty if no model wrote any."""
    tail: tuple[Note, ...] = ()
    """Notes of turns after `last_seq`, best first."""
    tail_seq: int = 0
    """Last turn that `tail` covers."""
    names: tuple[str, ...] = ()
    """Paths, symbols and names, best first."""
    tail_names: tuple[str, ...] = ()
    """Names in turns after `last_seq`."""
    actions: tuple[Action, ...] = ()
    """Last tool actions up to `last_seq`."""
    tail_actions: tuple[Action, ...] = ()
    """Last tool actions after `last_seq`."""
    requests: tuple[Request, ...] = ()
    """Requests of users up to `last_seq`, in conversations with tools."""
    tail_requests: tuple[Request, ...] = ()
    """Requests of users after `last_seq`."""
    said: Mapping[str, int] = field(default_factory=dict)
    """Tokens of each role up to `last_seq`."""
    tool_percent: int = 0
    """Percentage of the conversation's tokens that are of tools."""
    overtaken: tuple[Overtaken, ...] = ()
    """Statements invalidated by turns up to `last_seq`; excluded from `notes`."""
    tail_overtaken: tuple[Overtaken, ...] = ()
    """Statements invalidated by turns after `last_seq`."""
    outside: tuple[int, ...] = ()
    """Of the newest covered turns, those that contain words of `Origin.OUTSIDE`."""
    tail_anchors: TailAnchors = NO_TAIL_ANCHORS
    """Anchors of turns after `last_seq`, and their changes to stored ones."""

    @property
    def speakers(self) -> frozenset[str]:
        """Labels of the speakers of all fetched notes."""
        notes = self.notes
        of_notes = notes.speakers if isinstance(notes, Tiers) else [note.speaker for note in notes]
        return frozenset([*of_notes, *(note.speaker for note in self.tail)])

    @property
    def tokens_a_turn(self) -> int:
        """Mean tokens per folded turn; 0 without any."""
        return sum(self.said.values()) // self.last_seq if self.last_seq else 0

    @property
    def all_actions(self) -> tuple[Action, ...]:
        """The last tool actions of all covered turns, in order."""
        return kept_actions((*self.actions, *self.tail_actions))

    def within(self, last_part: int) -> Outline:
        """Return the outline without the parts after a given one, as a smaller read would have fetched it."""
        if not isinstance(self.notes, Tiers):
            return self
        many = last_part - FIRST_TIER + 1
        notes = self.notes.first(many)
        if notes is self.notes:
            return self
        chapters = self.chapter_notes
        return replace(
            self, notes=notes, chapter_notes=chapters.first(many) if isinstance(chapters, Tiers) else chapters
        )


def overtaken_by(outline: Outline, *, up_to: int | None = None) -> OvertakenIndex:
    """Index all statements that are no longer valid; with `up_to`, only those invalidated by turns up to that one."""
    if not outline.overtaken and not outline.tail_overtaken:
        return NOTHING_OVERTAKEN
    statements = (*outline.overtaken, *outline.tail_overtaken)
    return OvertakenIndex(
        statement for statement in statements if up_to is None or statement.by_seq <= up_to or statement.by_seq == NEVER
    )


def tail_anchors_of(outline: Outline | None, closed_seq: int) -> TailAnchors:
    """Return the anchors of an outline whose turns are not in a segment, given the last turn of the last segment."""
    return NO_TAIL_ANCHORS if outline is None else outline.tail_anchors.after(closed_seq)


def pack_outline(outline: Outline) -> dict[int, str]:
    """Serialize an outline into its parts, by number."""
    frame = {
        "last_seq": outline.last_seq,
        "cover": outline.cover,
        "chapters": outline.chapters,
        "tail_seq": outline.tail_seq,
        "tail_names": list(outline.tail_names),
        "actions": outline.actions,
        "tail_actions": outline.tail_actions,
        "requests": outline.requests,
        "tail_requests": outline.tail_requests,
        "tool_percent": outline.tool_percent,
        "said": dict(outline.said),
        "overtaken": pack_overtaken(outline.overtaken),
        "tail_overtaken": pack_overtaken(outline.tail_overtaken),
        "outside": outline.outside,
        "tail_anchors": pack_tail_anchors(outline.tail_anchors),
    }
    # The frame is the first line of its part, before the lines of the tail's notes.
    body = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    parts = {FRAME_PART: f"{body}\n{pack_notes(outline.tail, gains=True)}"}
    if outline.names:
        parts[NAMES_PART] = json.dumps(list(outline.names), ensure_ascii=False)
    for first, every in ((FIRST_TIER, outline.notes), (FIRST_CHAPTER_TIER, outline.chapter_notes)):
        for number, notes in enumerate(_tiers(every), first):
            parts[number] = pack_notes(notes, gains=True)
    return parts


def unpack_outline(parts: Iterable[tuple[int, str]]) -> Outline | None:
    """Deserialize an outline from its parts in the order of their numbers; None without the frame."""
    bodies = dict(parts)
    if FRAME_PART not in bodies:
        return None
    body, _, tail = bodies[FRAME_PART].partition("\n")
    frame = json.loads(body)
    return Outline(
        last_seq=frame["last_seq"],
        cover=tuple(map(_covered, frame["cover"])),
        chapters=tuple(map(_chapter, frame["chapters"])),
        tail=unpack_notes(tail),
        tail_names=tuple(frame["tail_names"]),
        actions=unpack_actions(frame["actions"]),
        tail_actions=unpack_actions(frame["tail_actions"]),
        requests=unpack_requests(frame.get("requests")),
        tail_requests=unpack_requests(frame.get("tail_requests")),
        tail_seq=frame["tail_seq"],
        tool_percent=frame["tool_percent"],
        said=frame["said"],
        overtaken=unpack_overtaken([*frame["overtaken"], *json.loads(bodies.get(MODEL_PART, "[]"))]),
        tail_overtaken=unpack_overtaken(frame["tail_overtaken"]),
        outside=tuple(frame["outside"]),
        tail_anchors=unpack_tail_anchors(frame.get("tail_anchors")),
        names=tuple(json.loads(bodies.get(NAMES_PART, "[]"))),
        notes=Tiers(body for number, body in sorted(bodies.items()) if FIRST_TIER <= number < FIRST_CHAPTER_TIER),
        chapter_notes=Tiers(body for number, body in sorted(bodies.items()) if number >= FIRST_CHAPTER_TIER),
    )


def last_part(budget_tokens: int, *, by_age: bool = False) -> int:
    """Return the last part of an outline that a budget can use; `by_age`, the last of all."""
    if by_age:
        return _LAST_PART
    for number, tier in enumerate(OUTLINE_TIERS):
        # Token counters deviate from the estimator, and notes of turns that are shown verbatim are skipped.
        if tier >= budget_tokens + budget_tokens // 2:
            return FIRST_TIER + number
    return _LAST_PART


def _tiers(notes: Sequence[Note]) -> list[list[Note]]:
    tiers: list[list[Note]] = []
    spent = 0
    for note in notes:
        tier = next((i for i, tier_tokens in enumerate(OUTLINE_TIERS) if spent < tier_tokens), None)
        if tier is None:
            break
        while len(tiers) <= tier:
            tiers.append([])
        tiers[tier].append(note)
        spent += note.least_tokens
    return tiers
