"""Read segments from SQL, weigh them, and apply their tiers to a context whose policy has tiers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from turnfold.assemble.importance import tiered_segments
from turnfold.assemble.policy import MemoryTiers
from turnfold.contract.results import Often, Snapshot, TieredSegment
from turnfold.contract.text import ends_of
from turnfold.read.snapshot import known_head
from turnfold.search.relevance import query_terms, score_segments

if TYPE_CHECKING:
    from turnfold.contract.keys import Address
    from turnfold.contract.results import Head
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction


def tiers(
    inbox: PendingSource, reader: ReadSource, address: Address, *, query: str | None, rules: MemoryTiers
) -> list[TieredSegment]:
    """Read the segments of a conversation with importance and tier, in order. Raises `UnknownConversation`."""
    pending = inbox.peek(address, newest=0)

    def look(transaction: ReadTransaction) -> list[TieredSegment]:
        head = known_head(transaction, address, pending)
        return [] if head is None else list(tiers_within(transaction, head, query=query, rules=rules))

    return reader.read(look)


def tiers_within(
    transaction: ReadTransaction, head: Head, *, query: str | None = None, rules: MemoryTiers
) -> tuple[TieredSegment, ...]:
    """Read the segments as `tiers` does, in an open transaction."""
    relevance = None
    if query and head.node_count:
        terms_asked = query_terms(ends_of(query))
        postings = [(term, idx, weight) for term, idx, weight, _ in transaction.postings(head, terms_asked)]
        if head.id not in transaction.missed:
            relevance = dict(score_segments(postings, segments=head.node_count))
    signs = transaction.segment_signs(head)
    return tiered_segments(signs, rules, last_seq=head.turn_count, relevance=relevance)


def with_tiers(transaction: ReadTransaction, snapshot: Snapshot, *, query: str | None, rules: MemoryTiers) -> Snapshot:
    """Set a snapshot's cold segments, and its hot ones in place of those that are often expanded."""
    head = snapshot.head
    if head is None:
        return snapshot
    segments = tiers_within(transaction, head, query=query, rules=rules)
    hot = tuple(Often(segment.node, segment.importance) for segment in segments if segment.tier == "hot")
    cold = tuple((segment.first_seq, segment.last_seq) for segment in segments if segment.tier == "cold")
    return replace(snapshot, head=replace(head, often=hot), cold=cold)
