"""Sentence vectors of turns and anchors, computed once, and signs of passage embeddings."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from turnfold.contract.records import ConversationId, StoredTurn
from turnfold.contract.tables import AnchorVectorRow, PassageSignsRow, TurnRow, TurnVectorRow, table
from turnfold.contract.vectors import Vector
from turnfold_worker.adapters.sql.turns import content_hash, insert_new, stays
from turnfold_worker.ports.messages import Meant

_turn = table(TurnRow)
_vector = table(TurnVectorRow)
_signs = table(PassageSignsRow)
_anchor_vector = table(AnchorVectorRow)


def turn_vectors(
    connection: Connection, conversation: ConversationId, model: str, first: int, last: int
) -> dict[int, Vector]:
    """Read vectors of a range of turns, without those computed from other content."""
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
    """Store missing vectors and return the valid ones; none if the conversation was forgotten or its text changed."""
    if not vectors or not stays(connection, conversation):
        return {}
    insert = insert_new(connection, _vector)
    upsert = insert.on_conflict_do_update(
        index_elements=["conversation", "seq", "model"],
        set_={"content_hash": insert.excluded.content_hash, "vector": insert.excluded.vector},
        where=_vector.c.content_hash != insert.excluded.content_hash,
    )
    seqs = [turn.seq for turn, _ in vectors]
    said = select(_turn.c.seq, _turn.c.content_hash).where(
        _turn.c.conversation == conversation, _turn.c.seq.between(min(seqs), max(seqs))
    )
    hashes = {row.seq: bytes(row.content_hash) for row in connection.execute(said)}
    # The old text of an edited or deleted turn must not come back in a vector that was computed meanwhile.
    rows = [
        {"conversation": conversation, "seq": turn.seq, "model": model, "content_hash": hashes[turn.seq],
         "vector": vector}
        for turn, vector in sorted(vectors, key=lambda one: one[0].seq)
        if hashes.get(turn.seq) == content_hash(turn.content)
    ]  # fmt: skip
    if rows:
        connection.execute(upsert, rows)
    return turn_vectors(connection, conversation, model, min(seqs), max(seqs))


def keep_signs(connection: Connection, conversation: ConversationId, idx: int, meant: Meant) -> None:
    """Store the passage signs of a segment that has none by this model."""
    connection.execute(
        _signs.insert(), {"conversation": conversation, "model": meant.model, "idx": idx, "signs": meant.signs}
    )


def drop_signs(connection: Connection, conversation: ConversationId, idx: int) -> None:
    """Drop the passage signs of a segment, of all models."""
    connection.execute(_signs.delete().where(_signs.c.conversation == conversation, _signs.c.idx == idx))


def anchor_vectors(
    connection: Connection, conversation: ConversationId, model: str, texts: Sequence[str]
) -> dict[str, Vector]:
    """Read the vectors of anchors' texts."""
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
    """Store missing vectors of texts and return all; none if the conversation was forgotten."""
    if not vectors or not stays(connection, conversation):
        return {}
    rows = [
        {"conversation": conversation, "model": model, "text_hash": content_hash(text), "vector": vector}
        for text, vector in sorted(dict(vectors).items())
    ]
    connection.execute(insert_new(connection, _anchor_vector).on_conflict_do_nothing(), rows)
    return anchor_vectors(connection, conversation, model, [text for text, _ in vectors])
