"""Tables by which a read finds what answers a query, and vectors."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.

from sqlalchemy import BigInteger, Integer, LargeBinary, String, Text

from turnfold.contract.columns import Base, column, conversation_column, key_column


class PassageRow(Base, table=True):
    """Passages of one turn, which a query finds by their numbers: see `turnfold.contract.passages`."""

    __tablename__ = "passage"

    conversation: int = conversation_column()
    bundle: int = key_column(Integer)
    body: bytes = column(LargeBinary)
    times: str | None = column(Text, nullable=True)
    """When what its notes say was or holds: see `turnfold.contract.note_times`. No context reads it."""


class PostingRow(Base, table=True):
    """Which segments terms occur in, and in which of their passages: see `turnfold.contract.posting_pieces`."""

    __tablename__ = "posting"

    conversation: int = conversation_column()
    number: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class BlockListRow(Base, table=True):
    """The code, tables and outputs of a segment: see `turnfold.code_blocks.index`. Only a query for one reads them."""

    __tablename__ = "block_list"

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class PartListRow(Base, table=True):
    """The parts of a segment's long turns: see `turnfold.contract.turn_parts`. Only `search` and `expand` read them."""

    __tablename__ = "part_list"

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class RepeatMarkRow(Base, table=True):
    """Turns of a segment by marks of what they say, which folds look for: see `turnfold_worker.pipeline.turns.repeats`.

    A row for each mark, because a fold looks for a few of one conversation, and no read for any.
    """

    __tablename__ = "repeat_mark"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    mark: int = key_column(BigInteger)
    idx: int = key_column(Integer)
    seqs: bytes = column(LargeBinary)


class AnchorPostingRow(Base, table=True):
    """Which anchors hold a term: how candidates for deduplication are found without reading them all."""

    __tablename__ = "anchor_posting"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    term: str = key_column(String(64))
    anchor: int = key_column(Integer)


class TurnVectorRow(Base, table=True):
    """The direction of a turn's meaning by a sentence model, in signed bytes.

    Computed once, because two processors compute slightly different ones; holds while `content_hash` is the turn's.
    """

    __tablename__ = "turn_vector"

    conversation: int = conversation_column()
    seq: int = key_column(Integer)
    model: str = key_column(String(200))
    content_hash: bytes = column(LargeBinary(16))
    vector: bytes = column(LargeBinary)


class TurnMemoRow(Base, table=True):
    """What folds made of turns of the open tail, so that the next fold need not: `turnfold_worker.pipeline.turns.memo`.

    A row holds what one fold was the first to make, from turn `seq` on, until a segment that holds that turn is closed.
    """

    __tablename__ = "turn_memo"

    conversation: int = conversation_column()
    seq: int = key_column(Integer)
    body: bytes = column(LargeBinary)


class PassageSignsRow(Base, table=True):
    """The signs of the vectors of a segment's passages: what a query's vector is compared with, passage by passage."""

    __tablename__ = "passage_signs"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    model: str = key_column(String(200))
    idx: int = key_column(Integer)
    signs: bytes = column(LargeBinary)


class AnchorVectorRow(Base, table=True):
    """The direction of an anchor's meaning, by the hash of its text; as `TurnVectorRow`."""

    __tablename__ = "anchor_vector"

    conversation: int = conversation_column()
    model: str = key_column(String(200))
    text_hash: bytes = key_column(LargeBinary(16))
    vector: bytes = column(LargeBinary)
