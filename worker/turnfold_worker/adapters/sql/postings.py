"""Postings in SQL, written, replaced and taken out by segment: see `turnfold.contract.posting_pieces`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, delete, or_, select

from turnfold.contract.posting_pieces import (
    Piece,
    Posted,
    in_pieces,
    merged_with,
    pack_piece,
    pieces_beyond,
    pieces_over,
)
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import PostingRow, table
from turnfold_worker.adapters.sql.bulk_insert import BulkInsert


class Postings:
    """The pieces of one table."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows
        self._insert = BulkInsert(rows, ("conversation", "number", "body"))
        # Built once: SQLAlchemy takes longer to build it than the database to run it.
        self._take = (
            delete(rows)
            .where(rows.c.conversation == bindparam("of"), rows.c.number.in_(bindparam("numbers", expanding=True)))
            .returning(rows.c.number, rows.c.body)
        )

    def append(
        self, connection: Connection, conversation: ConversationId, idx: int, postings: Iterable[Posted]
    ) -> None:
        """Write those of a segment that is a conversation's last, and merge the pieces that are due with it."""
        held: Sequence[Posted] = list(postings)
        numbers = merged_with(idx + 1)
        if numbers:
            taken = connection.execute(self._take, {"of": conversation, "numbers": numbers})
            held = [*chain.from_iterable(_opened(row) for row in taken), *held]
        self._put(connection, conversation, in_pieces(held, idx + 1))

    def replace(
        self, connection: Connection, conversation: ConversationId, idx: int, postings: Iterable[Posted], *,
        segments: int,
    ) -> None:  # fmt: skip
        """Write those of a segment in the place of its older ones, of a conversation of so many segments.

        Reads all pieces over the segment, of a long conversation thousands: rare, and few of them are written.
        """
        rows = self._rows
        found = connection.execute(
            select(rows.c.number, rows.c.body).where(
                rows.c.conversation == conversation, _between(rows, pieces_over(idx))
            )
        )
        added = in_pieces(postings, segments)
        kept: dict[int, list[Posted]] = {}
        for row in found:
            held = list(_opened(row))
            others = [posted for posted in held if posted[1] != idx]
            if row.number in added or len(others) < len(held):
                kept[row.number] = others
        if kept:
            gone = and_(rows.c.conversation == conversation, rows.c.number.in_(list(kept)))
            connection.execute(delete(rows).where(gone))
        changed = {number: [*kept.get(number, ()), *added.get(number, ())] for number in kept.keys() | added.keys()}
        self._put(connection, conversation, changed)

    def cut(self, connection: Connection, conversation: ConversationId, segments: int) -> None:
        """Leave the first segments: as if there had never been more."""
        rows = self._rows
        taken = connection.execute(
            delete(rows)
            .where(rows.c.conversation == conversation, _between(rows, pieces_beyond(segments)))
            .returning(rows.c.number, rows.c.body)
        )
        held = [posted for row in taken for posted in _opened(row) if posted[1] < segments]
        self._put(connection, conversation, in_pieces(held, segments))

    def _put(
        self, connection: Connection, conversation: ConversationId, pieces: Mapping[int, Sequence[Posted]]
    ) -> None:
        self._insert.run(
            connection,
            [(conversation, number, pack_piece(number, held)) for number, held in sorted(pieces.items()) if held],
        )


def _opened(row: Any) -> Iterable[Posted]:
    return Piece(row.number, bytes(row.body)).all()


def _between(rows: Any, ranges: Iterable[tuple[int, int]]) -> Any:
    return or_(*(rows.c.number.between(first, last) for first, last in ranges))


POSTINGS: Final = Postings(table(PostingRow))
"""Of the rules' notes."""
