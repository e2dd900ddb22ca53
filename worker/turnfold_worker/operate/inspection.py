"""Inspect a conversation: its tree with the text of each level, anchors and notes, and how much is stored."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select

from turnfold.assemble import MemoryTiers
from turnfold.contract.keys import Address
from turnfold.contract.records import FAN_OUT, Anchor, Node, TurnState
from turnfold.contract.results import Head, Note, TieredSegment
from turnfold.contract.turn_limits import INSPECTED_SEGMENTS, TURNS_A_READ
from turnfold.contract.wanted_anchors import WantedAnchors
from turnfold.database.read_transaction import ReadTransaction
from turnfold.database.reader import Reader
from turnfold.database.rows import turn_record
from turnfold.database.statements import turn, turn_columns
from turnfold.read.anchor_pages import anchor_page
from turnfold.read.notes.read import notes_within
from turnfold.read.notes.wanted import WantedNotes
from turnfold.read.segment_tiers import tiers_within
from turnfold.read.snapshot import readable_head
from turnfold.redis.inbox import ProducerInbox
from turnfold.redis.servers import InboxServers
from turnfold_worker.errors import not_stored
from turnfold_worker.operate import conversation_tree as trees
from turnfold_worker.operate.conversation_tree import NOT_EXPANDED, LookedUp, SegmentAccess
from turnfold_worker.operate.provenance import Provenance, Sources, sources
from turnfold_worker.pipeline.language.facts import NAMES
from turnfold_worker.pipeline.turns.importance import POINTS, score_turns


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredTurn:
    """The importance of a turn in its segment, by the rules that select the turns quoted verbatim in level 1."""

    seq: int
    turn_id: str
    score: int
    """0 to 100."""
    factors: Mapping[str, int]
    """Points of each factor, by name."""


NodeFacts = Mapping[tuple[int, int], Mapping[str, Sequence[str]]]
"""Facts of nodes by height and index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A node with everything below it."""

    node: Node
    levels: Mapping[int, str]
    """Text of levels 1 to 3."""
    anchors: tuple[Anchor, ...]
    """Anchors of a segment; empty for a chapter, whose segments have them."""
    facts: Mapping[str, Sequence[str]]
    """Entities and relations by kind, heaviest first; empty kinds are left out."""
    provenance: Mapping[int, Provenance] = field(default_factory=dict)
    """Provenance by level."""
    anchor_provenance: Mapping[int, Provenance] = field(default_factory=dict)
    """Provenance by anchor id."""
    children: tuple[Branch, ...] = ()
    notes: tuple[Note, ...] = ()
    """Notes of a segment in every state, including those that make no sense on their own."""
    turns: tuple[ScoredTurn, ...] = ()
    """Scores of a segment's turns that still have text; empty unless scores were requested."""
    expansions: int = 0
    """Recorded expansions of a segment."""
    expanded_at: datetime | None = None
    """When an expansion of the segment was last counted."""
    ratios: Mapping[int, float] = field(default_factory=dict)
    """Compression ratio by level: tokens of the turns per token of the level."""
    tiered: TieredSegment | None = None
    """Importance and tier of a segment without a query; None for chapters and for old segments never expanded."""
    entities: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """By level, the node's names, paths, identifiers and addresses that its text still contains."""

    @property
    def named(self) -> list[str]:
        """All names, paths, identifiers and addresses of the node."""
        return _names(self.facts)

    def walk(self) -> Iterator[Branch]:
        """Yield this branch, then its descendants in depth-first order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A conversation as stored in SQL."""

    conversation_id: str
    head: Head
    branches: tuple[Branch, ...]
    """Nodes without a stored parent, in the order of their turns; chapters contain only the segments of this page."""
    anchors: tuple[Anchor, ...]
    """Anchors of these nodes in the order of their turns, and on the last page those of the open tail."""
    looked_up: LookedUp
    next_turn: int | None = None
    """First turn of the next page; None on the last page."""

    @property
    def open_turns(self) -> int:
        """Number of stored turns that are not in a segment yet."""
        return self.head.turn_count - self.head.closed_seq

    def tokens(self, level: int) -> int:
        """Return the estimated tokens of this page's segments at a level."""
        return sum(part.node.tokens[level] for root in self.branches for part in root.walk() if part.node.height == 0)


def inspect_conversation(
    reader: Reader, address: Address, *, turns: bool = False, first_turn: int = 1, limit: int = INSPECTED_SEGMENTS
) -> Inspection:
    """Read a page of a conversation in one snapshot; `turns` adds the scores of its turns.

    The page has at most `limit` segments, starting with the one that contains `first_turn`; no other segment is read.
    Raises `UnknownConversation` when nothing is stored.
    """

    def look(transaction: ReadTransaction) -> Inspection | None:
        head = transaction.head(address)
        if head is None:
            return None
        page = trees.page_from(transaction, head, first_turn, most=limit)
        segments, first, last = page.segments, page.first_turn, page.last_turn
        anchors = anchor_page(transaction.anchors(head), WantedAnchors(first, last))
        looked_up, expanded = trees.expansions(transaction, head, segments)
        return Inspection(
            conversation_id=address.conversation, head=head, anchors=anchors, looked_up=looked_up,
            next_turn=page.next_turn,
            branches=branches(
                trees.tree(transaction, address, segments), anchors, trees.facts(transaction, head, segments), expanded,
                sources=sources(transaction.connection, head.id, page),
                notes=notes_within(transaction, head, WantedNotes(first_turn=first, last_turn=last)),
                scored=(lambda node: _scored_turns(transaction, head, node)) if turns else lambda _: (),
                tiered=tiers_within(transaction, head, rules=MemoryTiers()),
            ),
        )  # fmt: skip

    inspection = reader.read(look)
    if inspection is None:
        raise not_stored(address.tenant, address.conversation)
    return inspection


def branches(  # noqa: PLR0913 - data of the nodes, passed by name
    nodes: Sequence[tuple[Node, Mapping[int, str]]],
    anchors: Sequence[Anchor],
    facts: NodeFacts,
    expanded: Mapping[int, SegmentAccess],
    *,
    sources: Sources,
    notes: Sequence[Note],
    scored: Callable[[Node], tuple[ScoredTurn, ...]],
    tiered: Sequence[TieredSegment],
) -> tuple[Branch, ...]:
    """Build branches by putting nodes under their chapters: the parent of (h, i) is (h + 1, i // 8).

    `expanded` holds accesses by segment index.
    """
    at = {(node.height, node.idx): (node, levels) for node, levels in nodes}
    seqs = [note.turn_seq for note in notes]
    tiered_at = {segment.node.idx: segment for segment in tiered}
    anchors_of: dict[int, list[Anchor]] = {}
    for anchor in anchors:
        anchors_of.setdefault(anchor.node_idx, []).append(anchor)

    def branch(height: int, idx: int) -> Branch:
        node, levels = at[height, idx]
        mine = () if height else tuple(anchors_of.get(idx, ()))
        access = NOT_EXPANDED if height else expanded.get(idx, NOT_EXPANDED)
        of_node = {kind: texts for kind, texts in facts.get((height, idx), {}).items() if texts}
        below = [(height - 1, FAN_OUT * idx + child) for child in range(FAN_OUT)] if height else []
        return Branch(
            node=node,
            levels=levels,
            anchors=mine,
            facts=of_node,
            provenance=sources.levels.get((height, idx), {}),
            anchor_provenance={
                anchor.id: sources.anchors[anchor.id] for anchor in mine if anchor.id in sources.anchors
            },
            children=tuple(branch(*key) for key in below if key in at),
            notes=() if height else tuple(notes[bisect_left(seqs, node.first_seq) : bisect_right(seqs, node.last_seq)]),
            turns=() if height else scored(node),
            expansions=access.expansions,
            expanded_at=access.expanded_at,
            tiered=None if height else tiered_at.get(idx),
            ratios={level: round(node.tokens[0] / max(1, node.tokens[level]), 1) for level in levels},
            entities={level: [name for name in _names(of_node) if name in text] for level, text in levels.items()},
        )

    roots = [key for key in at if (key[0] + 1, key[1] // FAN_OUT) not in at]
    return tuple(sorted((branch(*key) for key in roots), key=lambda root: root.node.first_seq))


def _scored_turns(look: ReadTransaction, head: Head, node: Node) -> tuple[ScoredTurn, ...]:
    """Score the turns of a segment as its fold did."""
    rows = look.connection.execute(
        select(*turn_columns(capped=False))
        .where(turn.c.conversation == head.id, turn.c.seq.between(node.first_seq, node.last_seq))
        .order_by(turn.c.seq)
    )
    stored = [one for one in map(turn_record, rows) if one.state is TurnState.STORED]
    return tuple(
        ScoredTurn(
            seq=one.seq, turn_id=one.turn_id, score=found.score, factors={name: POINTS[name] for name in found.factors}
        )
        for one, found in zip(stored, score_turns(stored), strict=True)
    )


def _names(facts: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names in a node's facts, by kind, heaviest first."""
    return [text for kind in NAMES for text in facts.get(kind, ())]


def stored_among(servers: InboxServers, reader: Reader, address: Address, turn_ids: Sequence[str]) -> int:
    """Count those of `turn_ids` that are stored in SQL; appending them again changes nothing. Ignores waiting turns."""
    pending = ProducerInbox(servers).peek(address, newest=0)

    def look(transaction: ReadTransaction) -> int:
        head = readable_head(transaction, address, pending)
        if head is None:
            return 0
        blocks = [turn_ids[start : start + TURNS_A_READ] for start in range(0, len(turn_ids), TURNS_A_READ)]
        return sum(len(transaction.stored_seqs(head, block)) for block in blocks)

    return reader.read(look)
