"""Sentence vectors of turns: computed once, read ever after."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select

from turnfold.contract.records import ConversationId, StoredTurn
from turnfold.contract.tables import AnchorVectorRow, ConversationRow, TurnRow, TurnSignsRow, TurnVectorRow, table
from turnfold.contract.vectors import SIGNS_BLOCK, Vector, pack_signs
from turnfold_worker.adapters.sql_turns import content_hash, insert_new

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_vector = table(TurnVectorRow)
_signs = table(TurnSignsRow)
_anchor_vector = table(AnchorVectorRow)


def turn_vectors(
    connection: Connection, conversation: ConversationId, model: str, first: int, last: int
) -> dict[int, Vector]:
    """Stored vectors of a range of turns; one that was computed from other content does not hold."""
    rows = connection.execute(
        select(_vector.c.seq, _vector.c.vector)
        .join(
            _turn,
            (_turn.c.conversation == _vector.c.conversation)
            & (_turn.c.seq == _vector.c.seq)
            & (_turn.c.content_hash == _vector.c.content_hash),
        )
        .where(_vector.c.conversation == conversation, _vector.c.model == model, _vector.c.seq.between(first, last))
    )
    return {row.seq: Vector(bytes(row.vector)) for row in rows}


def keep_turn_vectors(
    connection: Connection, conversation: ConversationId, model: str, vectors: Sequence[tuple[StoredTurn, Vector]]
) -> dict[int, Vector]:
    """Store vectors where none holds; those that then hold. Of a forgotten conversation: none."""
    there = select(_conversation.c.id).where(_conversation.c.id == conversation)
    # One at a time: signs are made from what is stored, and must not miss what another worker is storing.
    if not vectors or connection.scalar(there.with_for_update(key_share=True)) is None:
        return {}
    insert = insert_new(connection, _vector)
    upsert = insert.on_conflict_do_update(
        index_elements=["conversation", "seq", "model"],
        set_={"content_hash": insert.excluded.content_hash, "vector": insert.excluded.vector},
        where=_vector.c.content_hash != insert.excluded.content_hash,
    )
    rows = [
        {"conversation": conversation, "seq": turn.seq, "model": model, "content_hash": content_hash(turn.content),
         "vector": vector}
        for turn, vector in sorted(vectors, key=lambda one: one[0].seq)
    ]  # fmt: skip
    connection.execute(upsert, rows)
    seqs = [turn.seq for turn, _ in vectors]
    _keep_signs(connection, conversation, model, {seq // SIGNS_BLOCK for seq in seqs})
    return turn_vectors(connection, conversation, model, min(seqs), max(seqs))


def _keep_signs(connection: Connection, conversation: ConversationId, model: str, blocks: Collection[int]) -> None:
    """Make the signs of blocks anew from all their stored vectors: the same however the vectors came."""
    held: dict[int, dict[int, Vector]] = {block: {} for block in sorted(blocks)}
    first, last = min(blocks) * SIGNS_BLOCK, max(blocks) * SIGNS_BLOCK + SIGNS_BLOCK - 1
    for row in connection.execute(
        select(_vector.c.seq, _vector.c.vector).where(
            _vector.c.conversation == conversation, _vector.c.model == model, _vector.c.seq.between(first, last)
        )
    ):
        if row.seq // SIGNS_BLOCK in held:
            held[row.seq // SIGNS_BLOCK][row.seq] = Vector(bytes(row.vector))
    insert = insert_new(connection, _signs)
    upsert = insert.on_conflict_do_update(
        index_elements=["conversation", "model", "block"], set_={"signs": insert.excluded.signs}
    )
    rows = [
        {"conversation": conversation, "model": model, "block": block, "signs": pack_signs(vectors, block)}
        for block, vectors in held.items()
    ]
    connection.execute(upsert, rows)


def anchor_vectors(
    connection: Connection, conversation: ConversationId, model: str, texts: Sequence[str]
) -> dict[str, Vector]:
    """Stored vectors of anchors' texts."""
    hashes = {content_hash(text): text for text in texts}
    rows = connection.execute(
        select(_anchor_vector.c.text_hash, _anchor_vector.c.vector).where(
            _anchor_vector.c.conversation == conversation, _anchor_vector.c.model == model,
            _anchor_vector.c.text_hash.in_(hashes),
        )
    )  # fmt: skip
    return {hashes[bytes(row.text_hash)]: Vector(bytes(row.vector)) for row in rows}


def keep_anchor_vectors(
    connection: Connection, conversation: ConversationId, model: str, vectors: Sequence[tuple[str, Vector]]
) -> dict[str, Vector]:
    """Store vectors of texts where there are none; those that then hold. Of a forgotten conversation: none."""
    there = select(_conversation.c.id).where(_conversation.c.id == conversation)
    if not vectors or connection.scalar(there.with_for_update(read=True, key_share=True)) is None:
        return {}
    rows = [
        {"conversation": conversation, "model": model, "text_hash": content_hash(text), "vector": vector}
        for text, vector in sorted(dict(vectors).items())
    ]
    connection.execute(insert_new(connection, _anchor_vector).on_conflict_do_nothing(), rows)
    return anchor_vectors(connection, conversation, model, [text for text, _ in vectors])
