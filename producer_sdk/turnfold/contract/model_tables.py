"""Tables written by models alongside those of the rules: notes, outlines, and search rows of notes."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import date
from typing import Any

from sqlalchemy import Date, Integer, LargeBinary, SmallInteger, String, Text

from turnfold.contract.columns import Base, Json, column, conversation_column, key_column


class ModelNoteRow(Base, table=True):
    """A note that a model wrote on a node, in the order of the turns; never canonical, as the rules do not read it."""

    __tablename__ = "model_note"
    __table_args__ = ({"sqlite_with_rowid": False},)

    conversation: int = conversation_column()
    height: int = key_column(SmallInteger)
    idx: int = key_column(Integer)
    place: int = key_column(SmallInteger)
    turns: list[Any] = column(Json)
    """Numbers of the turns that support the note: the first of its speaker, then the others in order."""
    speaker: str = column(String(40))
    role: str = column(String(9))
    said_on: date | None = column(Date, nullable=True)
    """Day of the first of the turns."""
    body: str = column(Text)
    brief: str | None = column(Text, nullable=True)
    """A shorter wording, for tight budgets."""
    importance: int = column(SmallInteger)
    """Importance from 1 to 5."""
    origin: str = column(String(9))
    """Origin of the least trusted turn: user, assistant, tool or outside."""
    day_meant: str | None = column(String(60), nullable=True)
    """The time that the note is about, in words that its turns support."""
    valid_from: date | None = column(Date, nullable=True)
    valid_to: date | None = column(Date, nullable=True)
    model: str = column(String(100))
    prompt_version: str = column(String(60))
    source_hash: bytes = column(LargeBinary(16))


class ModelOutlineRow(Base, table=True):
    """An outline in which a model's notes replace those of the rules where there are any, in parts like `outline`."""

    __tablename__ = "model_outline"

    conversation: int = conversation_column()
    part: int = key_column(SmallInteger)
    body: str = column(Text)


class ModelPassageRow(Base, table=True):
    """A model's notes on a segment as passages for search: JSON of pairs of a passage's number and body."""

    __tablename__ = "model_passage"

    conversation: int = conversation_column()
    idx: int = key_column(Integer)
    body: str = column(Text)


class ModelPostingRow(Base, table=True):
    """A row like `posting`, for notes of a model."""

    __tablename__ = "model_posting"

    conversation: int = conversation_column()
    number: int = key_column(Integer)
    body: bytes = column(LargeBinary)
