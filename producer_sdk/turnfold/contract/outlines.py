"""Outlines: what a context needs of all that is folded, and how it is stored.

The best notes of the conversation in the order in which a budget takes them, its names, and which nodes hold its
turns. In parts, so that a reader fetches what its budget can hold, and parses no part that it does not reach.
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
"""Estimated tokens of notes after which a part of an outline ends: a read fetches what its budget can hold."""

MODEL_PART: Final = -1
"""The part beside a model's notes that says what a model found to hold no more."""
FRAME_PART: Final = 0
"""The part of an outline that says what it covers."""
NAMES_PART: Final = 1
"""The part that holds the names."""
FIRST_TIER: Final = 2
_LAST_PART: Final = FIRST_TIER + len(OUTLINE_TIERS) - 1
FIRST_CHAPTER_TIER: Final = 32
"""The first part of those with a model's notes on chapters before its notes on their segments."""

_covered: Final = cast("Callable[[Iterable[Any]], Covered]", partial(tuple.__new__, Covered))
_chapter: Final = cast("Callable[[Iterable[Any]], ChapterName]", partial(tuple.__new__, ChapterName))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """All that is folded, as a context within a budget takes it."""

    last_seq: int = 0
    """Last turn that it covers."""
    cover: tuple[Covered, ...] = ()
    """The nodes that hold turns 1 to `last_seq`, in order, without gap."""
    chapters: tuple[ChapterName, ...] = ()
    """What the chapters are called whose nodes are all in the cover, or below such chapters: for coarser lines."""
    notes: Sequence[Note] = ()
    """Best first, as many as the read asked for."""
    chapter_notes: Sequence[Note] = ()
    """The same with a model's notes on chapters before those on their segments, for where room is tight: they put
    together what many say. Empty where no model wrote any."""
    tail: tuple[Note, ...] = ()
    """Notes of turns after `last_seq`, best first."""
    tail_seq: int = 0
    """Last turn that `tail` speaks for."""
    names: tuple[str, ...] = ()
    """Paths, symbols and names, best first."""
    tail_names: tuple[str, ...] = ()
    """Those of turns after `last_seq`."""
    actions: tuple[Action, ...] = ()
    """What was done last with tools up to `last_seq`."""
    tail_actions: tuple[Action, ...] = ()
    """The same of the turns after it."""
    requests: tuple[Request, ...] = ()
    """What users asked for up to `last_seq`, where tools work."""
    tail_requests: tuple[Request, ...] = ()
    """The same of the turns after it."""
    said: Mapping[str, int] = field(default_factory=dict)
    """Tokens of each role up to `last_seq`."""
    tool_percent: int = 0
    """Of the conversation's tokens, those that tools said."""
    overtaken: tuple[Overtaken, ...] = ()
    """What was said and holds no more by what was said up to `last_seq`: none of `notes` says it."""
    tail_overtaken: tuple[Overtaken, ...] = ()
    """The same by the turns after it."""
    outside: tuple[int, ...] = ()
    """Of the newest turns that it speaks for, those that hold words of `Origin.OUTSIDE`."""
    tail_anchors: TailAnchors = NO_TAIL_ANCHORS
    """Anchors of the turns after it, and what they do to stored ones."""

    @property
    def speakers(self) -> frozenset[str]:
        """Who says any of the notes that were read, as it is shown."""
        notes = self.notes
        of_notes = notes.speakers if isinstance(notes, Tiers) else [note.speaker for note in notes]
        return frozenset([*of_notes, *(note.speaker for note in self.tail)])

    @property
    def tokens_a_turn(self) -> int:
        """Tokens of a usual turn of what is folded; 0 without any."""
        return sum(self.said.values()) // self.last_seq if self.last_seq else 0

    @property
    def all_actions(self) -> tuple[Action, ...]:
        """What was done last, in order, of all turns that it speaks for."""
        return kept_actions((*self.actions, *self.tail_actions))

    def within(self, last_part: int) -> Outline:
        """The outline without the parts after one: what a read of so many parts finds."""
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
    """All that holds no more; `up_to` a turn only what it and those before it closed."""
    if not outline.overtaken and not outline.tail_overtaken:
        return NOTHING_OVERTAKEN
    statements = (*outline.overtaken, *outline.tail_overtaken)
    return OvertakenIndex(
        statement for statement in statements if up_to is None or statement.by_seq <= up_to or statement.by_seq == NEVER
    )


def tail_anchors_of(outline: Outline | None, closed_seq: int) -> TailAnchors:
    """What an outline tells of anchors of turns that no segment holds, where the last one ends with `closed_seq`."""
    return NO_TAIL_ANCHORS if outline is None else outline.tail_anchors.after(closed_seq)


def pack_outline(outline: Outline) -> dict[int, str]:
    """The parts of an outline by number."""
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
    # On a line of its own, before the lines of the tail's notes.
    body = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    parts = {FRAME_PART: f"{body}\n{pack_notes(outline.tail, gains=True)}"}
    if outline.names:
        parts[NAMES_PART] = json.dumps(list(outline.names), ensure_ascii=False)
    for first, every in ((FIRST_TIER, outline.notes), (FIRST_CHAPTER_TIER, outline.chapter_notes)):
        for number, notes in enumerate(_tiers(every), first):
            parts[number] = pack_notes(notes, gains=True)
    return parts


def unpack_outline(parts: Iterable[tuple[int, str]]) -> Outline | None:
    """An outline from its parts in the order of their numbers; None without the first."""
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
    """The last part of an outline that a budget has a use for; by age it has one for all notes on what is new."""
    if by_age:
        return _LAST_PART
    for number, tier in enumerate(OUTLINE_TIERS):
        # Counters differ from the estimator, and notes of turns that are shown raw are passed over.
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
