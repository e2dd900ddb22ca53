"""Earlier anchors and turns that new turns may change or repeat: a bounded number, however long the conversation."""

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
    """Return earlier anchors that share a rare term with a draft, and the newest ones; bounded in number."""
    if not drafts:
        return []
    wanted = dict.fromkeys(term for draft in drafts for term in sought_terms(draft.text))
    return store.anchor_candidates(conversation, list(wanted), first_seq)


def earlier_turns(
    turns: Sequence[StoredTurn], conversation: ConversationId, store: SqlStore, idx: int
) -> list[StoredTurn]:
    """Return turns of segments before `idx` that `turns` may repeat; bounded in number."""
    marks = sought_marks(turns)
    return store.earlier_turns(conversation, marks, idx) if marks and idx else []
