"""Sentence vectors of turns, anchors and passages: read from SQL, computed where missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from turnfold.contract.records import Anchor, ConversationId, StoredTurn
from turnfold.contract.vectors import Vector, pack_signs
from turnfold_worker.pipeline.anchors.deduplicate import texts_to_embed
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.ports.messages import Meant
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.use_cases.last_try import or_plain

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore


def vectors_of(
    conversation: ConversationId, turns: Sequence[StoredTurn], store: SqlStore, embedder: SentenceEmbedder
) -> dict[int, Vector]:
    """Return the vectors of consecutive turns by `seq`; compute and store missing ones."""
    if not turns:
        return {}
    known = store.turn_vectors(conversation, embedder.model, turns[0].seq, turns[-1].seq)
    missing = [turn for turn in turns if turn.seq not in known]
    if missing:
        vectors = embedder.embed([turn.content for turn in missing])
        known |= store.keep_turn_vectors(conversation, embedder.model, list(zip(missing, vectors, strict=True)))
    return known


def vectors_one_by_one(
    conversation: ConversationId, turns: Sequence[StoredTurn], store: SqlStore, embedder: SentenceEmbedder
) -> dict[int, Vector]:
    """As `vectors_of`, turn by turn: a text on which the model fails costs only its own vector."""
    known: dict[int, Vector] = {}
    for turn in turns:
        known |= or_plain(
            partial(vectors_of, conversation, [turn], store, embedder), dict, total=True,
            loss=f"turn {turn.seq} of conversation {conversation} has no vector",
        )  # fmt: skip
    return known


def anchor_vectors_of(
    drafts: Sequence[AnchorDraft],
    candidates: Sequence[Anchor],
    conversation: ConversationId,
    store: SqlStore,
    embedder: SentenceEmbedder | None,
) -> dict[str, Vector]:
    """Return vectors of anchors that may repeat each other, by text; stored before any decision uses them."""
    if embedder is None or not (wanted := texts_to_embed(drafts, candidates)):
        return {}
    known = store.anchor_vectors(conversation, embedder.model, wanted)
    missing = [text for text in wanted if text not in known]
    if missing:
        computed = list(zip(missing, embedder.embed(missing), strict=True))
        known |= store.keep_anchor_vectors(conversation, embedder.model, computed)
    return known


def meant_by(folded: FoldedNode, vectors: Mapping[int, Vector], embedder: SentenceEmbedder | None) -> Meant | None:
    """Return the passage vectors of a segment; a passage that is a single turn reuses the vector of the turn."""
    if embedder is None or not folded.passages:
        return None
    known = {
        passage.number: vectors[seq]
        for passage in folded.passages
        if passage.alone and (seq := passage.notes[0].seq) in vectors
    }
    unknown = [passage for passage in folded.passages if passage.number not in known]
    if unknown:
        computed = embedder.embed([passage.said for passage in unknown])
        known |= {passage.number: vector for passage, vector in zip(unknown, computed, strict=True)}
    return Meant(embedder.model, pack_signs(sorted(known.items())))
