"""Tables of what models write beside the rules: their notes, and outlines in which these stand."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import date
from typing import Any

from sqlalchemy import Date, Integer, LargeBinary, SmallInteger, String, Text

from turnfold.contract.columns import Base, Json, column, conversation_column, key_column


class ModelNoteRow(Base, table=True):
    """A note that a model wrote on a node, in the order of the turns. Never canonical: the rules do not read it."""

    __tablename__ = "model_note"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    height: int = key_column(SmallInteger)
    idx: int = key_column(Integer)
    place: int = key_column(SmallInteger)
    turns: list[Any] = column(Json)
    """Numbers of the turns that it rests on: the first of its speaker, then the others in order."""
    speaker: str = column(String(40))
    role: str = column(String(9))
    said_on: date | None = column(Date, nullable=True)
    """Day of the first of its turns."""
    body: str = column(Text)
    brief: str | None = column(Text, nullable=True)
    """The same in fewer words, for where room is tight."""
    importance: int = column(SmallInteger)
    """1 to 5."""
    origin: str = column(String(9))
    """The least trusted of its turns: user, assistant, tool or outside."""
    day_meant: str | None = column(String(60), nullable=True)
    """When it was or will be, in words that its turns bear out."""
    valid_from: date | None = column(Date, nullable=True)
    valid_to: date | None = column(Date, nullable=True)
    model: str = column(String(100))
    prompt_version: str = column(String(60))
    source_hash: bytes = column(LargeBinary(16))


class ModelOutlineRow(Base, table=True):
    """An outline in which a model's notes stand for the rules' where there are some, in parts like `outline`."""

    __tablename__ = "model_outline"

    conversation: int = conversation_column()
    part: int = key_column(SmallInteger)
    body: str = column(Text)


class ModelPassageRow(Base, table=True):
    """A model's notes on a segment as a query finds them: JSON of pairs of a passage's number and its body."""

    __tablename__ = "model_passage"

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    body: str = column(Text)


class ModelPostingRow(Base, table=True):
    """As `posting`, of what a model wrote."""

    __tablename__ = "model_posting"

    conversation: int = conversation_column()
    number: int = key_column(Integer)
    body: bytes = column(LargeBinary)
