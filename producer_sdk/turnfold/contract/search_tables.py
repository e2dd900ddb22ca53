"""Tables of the search index, of turn memos and of vectors."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.

from sqlalchemy import BigInteger, Integer, LargeBinary, String, Text

from turnfold.contract.columns import Base, column, conversation_column, key_column


class PassageRow(Base, table=True):
    """Bundles of passages of a turn, by number: see `turnfold.contract.passages`."""

    __tablename__ = "passage"

    conversation: int = conversation_column()
    bundle: int = key_column(Integer)
    body: bytes = column(LargeBinary)
    times: str | None = column(Text, nullable=True)
    """Times that the notes refer to: see `turnfold.contract.note_times`. No context reads them."""


class PostingRow(Base, table=True):
    """Pieces of postings, from terms to segments and passages: see `turnfold.contract.posting_pieces`."""

    __tablename__ = "posting"

    conversation: int = conversation_column()
    number: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class BlockListRow(Base, table=True):
    """Code, tables and outputs of a segment: see `turnfold.code_blocks.index`. Read only for a query about one."""

    __tablename__ = "block_list"

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class PartListRow(Base, table=True):
    """Parts of a segment's long turns: see `turnfold.contract.turn_parts`. Read by `search` and `expand` only."""

    __tablename__ = "part_list"

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class RepeatMarkRow(Base, table=True):
    """Turns of a segment by hashes of their content, for folds: see `turnfold_worker.pipeline.turns.repeats`.

    One row per hash, as a fold looks up a few of one conversation; reads use none.
    """

    __tablename__ = "repeat_mark"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    mark: int = key_column(BigInteger)
    idx: int = key_column(Integer)
    seqs: bytes = column(LargeBinary)


class AnchorPostingRow(Base, table=True):
    """Anchors that contain a term: finds candidates for deduplication without reading all anchors."""

    __tablename__ = "anchor_posting"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    term: str = key_column(String(64))
    anchor: int = key_column(Integer)


class TurnVectorRow(Base, table=True):
    """A turn's embedding by a sentence model, in signed bytes.

    Computed once, as embeddings differ slightly between CPUs; valid while `content_hash` equals the turn's.
    """

    __tablename__ = "turn_vector"

    conversation: int = conversation_column()
    seq: int = key_column(Integer)
    model: str = key_column(String(200))
    content_hash: bytes = column(LargeBinary(16))
    vector: bytes = column(LargeBinary)


class TurnMemoRow(Base, table=True):
    """Results of folds for turns of the open tail, reused by the next fold: `turnfold_worker.pipeline.turns.memo`.

    A row contains what one fold computed first, from turn `seq` on, until the segment of that turn is closed.
    """

    __tablename__ = "turn_memo"

    conversation: int = conversation_column()
    seq: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class PassageSignsRow(Base, table=True):
    """Sign bits of the embeddings of a segment's passages, which are compared with a query's embedding."""

    __tablename__ = "passage_signs"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    model: str = key_column(String(200))
    idx: int = key_column(Integer)
    signs: bytes = column(LargeBinary)


class AnchorVectorRow(Base, table=True):
    """An anchor's embedding, by the hash of its text; like `TurnVectorRow`."""

    __tablename__ = "anchor_vector"

    conversation: int = conversation_column()
    model: str = key_column(String(200))
    text_hash: bytes = key_column(LargeBinary(16))
    vector: bytes = column(LargeBinary)
