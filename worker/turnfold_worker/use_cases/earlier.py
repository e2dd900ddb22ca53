"""What of a conversation's earlier segments some turns may change or repeat: few, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnfold.contract.records import Anchor, ConversationId, StoredTurn
from turnfold_worker.pipeline.anchors.deduplicate import sought_terms
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.turns.repeats import sought_marks

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore


def candidates_of(
    drafts: Sequence[AnchorDraft], conversation: ConversationId, store: SqlStore, first_seq: int
) -> list[Anchor]:
    """Earlier anchors that share a rare term with one of the segment's, and the newest: few, however many there are."""
    if not drafts:
        return []
    wanted = dict.fromkeys(term for draft in drafts for term in sought_terms(draft.text))
    return store.anchor_candidates(conversation, list(wanted), first_seq)


def earlier_turns(
    turns: Sequence[StoredTurn], conversation: ConversationId, store: SqlStore, idx: int
) -> list[StoredTurn]:
    """Turns of segments before `idx` that these may repeat: few, however many there are."""
    marks = sought_marks(turns)
    return store.earlier_turns(conversation, marks, idx) if marks and idx else []
