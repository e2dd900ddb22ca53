"""Folds a segment into a node: levels, facts, anchors, postings. `plain_fold` is the fallback that cannot fail."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from turnfold.code_blocks.index import MOST_OF_A_SEGMENT, entries_of, pack_blocks
from turnfold.contract.actions import Action
from turnfold.contract.notes import Note
from turnfold.contract.periods import as_utc
from turnfold.contract.records import Importance, Method, Node, Role, StoredTurn, TurnState
from turnfold.contract.speakers import speaker_label
from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.reports import with_reports
from turnfold_worker.pipeline.levels.fact_lists import RELATIONS, merge_facts
from turnfold_worker.pipeline.levels.parts import named_by_parts, packed_parts, parts_of
from turnfold_worker.pipeline.levels.relations import relations_of
from turnfold_worker.pipeline.levels.summarize import source_tokens, summarize
from turnfold_worker.pipeline.levels.tags import FALLBACK, slug
from turnfold_worker.pipeline.name_index import NameIndex, segment_name_index
from turnfold_worker.pipeline.notes.own_anchors import weighed_by_anchors, with_settling, without_pasted_changes
from turnfold_worker.pipeline.notes.passages import Passage, Posting, postings_of
from turnfold_worker.pipeline.notes.ranking import ranked
from turnfold_worker.pipeline.notes.repeat_notes import repeat_marks
from turnfold_worker.pipeline.notes.search_rows import passages_said, term_counts
from turnfold_worker.pipeline.notes.turn_notes import noted
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.actions import actions_of
from turnfold_worker.pipeline.turns.memo import NO_MEMOS, TurnMemo
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.tool_groups import voice_of
from turnfold_worker.pipeline.turns.treatment import read_segment

_PLAIN_HEAD: Final = 120
_PLAIN_TAIL: Final = 60
_HASH_BYTES: Final = 16
NOTES_SHARE: Final = 2
"""A segment's best notes get at most one token per this many source tokens: more than any context shows of them."""
LEAST_NOTES: Final = 40
"""Tokens that a segment's best notes may use however short the segment is."""


NOTHING_SAID: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedNode:
    """A node with its texts and everything else that folding stores."""

    node: Node
    method: Method
    levels: Mapping[int, str]
    """Texts of levels 1, 2 and 3; each ends in one newline."""
    facts: dict[str, Any]
    """A list of texts for each kind of fact and for relations, heaviest first; serializable as JSON."""
    source_hash: bytes
    """16-byte hash of the node's source."""
    drafts: tuple[AnchorDraft, ...] = ()
    postings: tuple[Posting, ...] = field(default=())
    """Segments only: the terms, heaviest first, with the passages they occur in."""
    blocks: bytes = b""
    """Segments only: code, tables and outputs in stored form; empty without any."""
    parts: bytes = b""
    """Segments only: the parts of long turns in stored form; empty without any."""
    repeats: tuple[tuple[int, bytes], ...] = ()
    """Segments only: marks by which later segments find the turns they repeat, each with the numbers of its turns."""
    notes: tuple[Note, ...] = ()
    """The notes that a context may show without a query, best first."""
    passages: tuple[Passage, ...] = ()
    """Segments only: all notes, grouped into the passages that a query searches."""
    names: NameIndex = field(default=NameIndex())
    actions: tuple[Action, ...] = ()
    """The tool actions that whoever continues the work has to know about."""
    said: Mapping[str, int] = field(default_factory=dict)
    """Tokens by role, from the first turn of the conversation to the last turn of the node."""


def fold_segment(
    turns: Sequence[StoredTurn],
    *,
    idx: int,
    settings: FoldSettings,
    before: Sequence[StoredTurn] = (),
    earlier: Sequence[StoredTurn] = (),
    said: Mapping[str, int] = NOTHING_SAID,
    memos: Mapping[int, TurnMemo] = NO_MEMOS,
) -> FoldedNode:
    """Fold one segment.

    `turns` are in order and not empty; `before` are the turns right before them, `earlier` older turns that they may
    repeat; `said` holds the tokens by role up to the last turn; `memos` the cached results of earlier folds, by turn
    number.
    """
    if not (turns_told := not_deleted(turns)):
        return plain_fold(turns, idx=idx, said=said, method=Method.RULES)
    readings = read_segment(
        turns_told, before=not_deleted(before), earlier=not_deleted(earlier),
        residual_threshold=settings.residual_threshold, residual_share=settings.residual_share, memos=memos,
    )  # fmt: skip
    facts = merge_facts((reading.facts, _fact_weight(reading), reading.day) for reading in readings)
    facts[RELATIONS] = relations_of(readings)
    noted_words = noted(readings)
    notes = [note for note, _ in noted_words]
    drafts = extract_anchors(readings, settings)
    weighed = without_pasted_changes(weighed_by_anchors(notes, drafts), readings)
    best = ranked(weighed, said, most_tokens=max(LEAST_NOTES, source_tokens(readings) // NOTES_SHARE))
    passages = passages_said(readings, noted_words)
    levels, segment_topics = summarize(readings, facts, noted_words, best, said)
    parts = {turn.seq: of_turn for turn in turns_told if (of_turn := parts_of(turn))}
    topics = [*named_by_parts(turns_told, parts), *segment_topics]
    node = _node(
        turns, idx=idx, slug_text=slug(facts, topics), levels=levels, importance=_importance(turns_told, drafts)
    )
    return FoldedNode(
        node=node,
        method=Method.RULES,
        levels=levels,
        facts=facts,
        source_hash=source_hash(turns),
        drafts=with_reports(drafts, readings),
        postings=postings_of(term_counts(readings), passages),
        blocks=pack_blocks(islice(entries_of(turns_told, before=not_deleted(before)), MOST_OF_A_SEGMENT)),
        parts=packed_parts(parts, passages),
        repeats=repeat_marks(readings),
        notes=tuple(with_settling(best, weighed, drafts)),
        passages=tuple(passages),
        names=segment_name_index(readings),
        actions=actions_of(turns_told, before=before),
        said=said,
    )


def said_after(said: Mapping[str, int], turns: Sequence[StoredTurn]) -> dict[str, int]:
    """Return the tokens by role after adding those of `turns`."""
    total = dict(said)
    for turn in turns:
        voice = voice_of(turn)
        total[voice] = total.get(voice, 0) + turn.tokens
    return total


def _fact_weight(reading: Reading) -> int:
    """Weigh what people say more than what tools print."""
    return 1 if reading.tool else 3


def _importance(turns: Sequence[StoredTurn], drafts: Sequence[AnchorDraft]) -> int:
    """Score a node from 0 to 100 by its three best anchors and the importance that the caller gave its turns."""
    best = sorted((draft.score for draft in drafts), reverse=True)[:3]
    marks = max((int(turn.importance) for turn in turns), default=int(Importance.NORMAL))
    bonus = {int(Importance.HIGH): 20, int(Importance.PIN): 40, int(Importance.MEDIUM): 8}.get(marks, 0)
    if all(turn.importance is Importance.LOW for turn in turns):
        bonus = -20
    return min(max(10 + sum(best) // 4 + bonus, 0), 100)


def source_hash(turns: Sequence[StoredTurn]) -> bytes:
    """Hash the source of a node to 16 bytes: roles, names and contents, each prefixed with its length."""
    digest = hashlib.blake2b(digest_size=_HASH_BYTES)
    for turn in turns:
        for part in (str(turn.role), turn.name or "", turn.content):
            raw = part.encode("utf-8", "surrogatepass")
            digest.update(len(raw).to_bytes(8, "big"))
            digest.update(raw)
    return digest.digest()


def _node(turns: Sequence[StoredTurn], *, idx: int, slug_text: str, levels: Mapping[int, str], importance: int) -> Node:
    moments = [as_utc(turn.created_at) for turn in turns if turn.created_at is not None]
    whole = sum(turn.tokens + MESSAGE_TOKENS for turn in turns)
    return Node(
        height=0,
        idx=idx,
        first_seq=turns[0].seq if turns else 0,
        last_seq=turns[-1].seq if turns else 0,
        slug=slug_text,
        tokens=(whole, *(estimate_tokens(levels[level]) for level in (1, 2, 3))),  # type: ignore[arg-type] # always four
        importance=importance,
        started_at=moments[0] if moments else None,
        ended_at=moments[-1] if moments else None,
    )


def not_deleted(turns: Sequence[StoredTurn]) -> Sequence[StoredTurn]:
    """Return the turns that still have content; a deleted turn only keeps its number."""
    return [turn for turn in turns if turn.state is not TurnState.DELETED]


def plain_fold(
    turns: Sequence[StoredTurn], *, idx: int, said: Mapping[str, int] = NOTHING_SAID, method: Method = Method.PLAIN
) -> FoldedNode:
    """Fold without rules: the beginnings of the first and the last turn, and counts. Total: no rule could fail."""
    whole = sum(turn.tokens + MESSAGE_TOKENS for turn in turns)
    turns_told = not_deleted(turns)
    counted = f"turns without summary: {len(turns_told)}, about {whole} tokens\n"
    ends_shown = _plain_line(turns_told[0], _PLAIN_HEAD) if turns_told else ""
    if len(turns_told) > 1:
        ends_shown += _plain_line(turns_told[-1], _PLAIN_TAIL)
    detailed = first_that_fits((ends_shown + counted, ends_shown, counted), whole)
    brief = first_that_fits((counted,), estimate_tokens(detailed))
    levels = {1: detailed, 2: brief, 3: f"{FALLBACK}\n"}
    return FoldedNode(
        node=_node(turns, idx=idx, slug_text=FALLBACK, levels=levels, importance=0),
        method=method,
        levels=levels,
        facts=merge_facts([]),
        source_hash=source_hash(turns),
        said=said,
    )


def _plain_line(turn: StoredTurn, longest: int) -> str:
    """Render the head of a turn as one line of printable characters, without regexes; no marker can appear in it."""
    head = turn.content[: 4 * longest]
    printable = "".join(c if c.isprintable() and c != "→" else " " for c in head)
    words = " ".join(printable.split())[:longest]
    return f"{_plain_speaker(turn)}: {words or 'nothing'}\n"


def _plain_speaker(turn: StoredTurn) -> str:
    return str(turn.role) if turn.role in set(Role) and not turn.name else speaker_label(turn)


def first_that_fits(texts: Sequence[str], limit: int) -> str:
    """Return the first non-empty text of at most `limit` estimated tokens, else the fallback line."""
    return next((text for text in texts if text and estimate_tokens(text) <= limit), f"{FALLBACK}\n")
