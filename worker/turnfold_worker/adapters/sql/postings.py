"""Postings in SQL, written, replaced and deleted by segment: see `turnfold.contract.posting_pieces`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from sqlalchemy import Connection, and_, bindparam, delete, or_, select, update

from turnfold.contract.dropped_postings import MARK, pack_mark, unpack_mark
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
from turnfold.contract.tables import ConversationRow, PostingRow, table
from turnfold_worker.adapters.sql.bulk_insert import BulkInsert


class Postings:
    """The pieces of postings in one table."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows
        self._insert = BulkInsert(rows, ("conversation", "number", "body"))
        # Built once: SQLAlchemy takes longer to build the statement than the database to run it.
        self._take = (
            delete(rows)
            .where(rows.c.conversation == bindparam("of"), rows.c.number.in_(bindparam("numbers", expanding=True)))
            .returning(rows.c.number, rows.c.body)
        )

    def append(
        self, connection: Connection, conversation: ConversationId, idx: int, postings: Iterable[Posted]
    ) -> None:
        """Write the postings of the newest segment, and merge the pieces that are due with it."""
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
        """Replace the postings of a segment in a conversation of `segments` segments.

        Reads all pieces that may contain the segment, thousands in a long conversation: rare, and few are rewritten.
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
        """Delete postings after the first `segments`: as if there had never been more."""
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


class RulesPostings(Postings):
    """Postings of the rules' notes. A fold rebuilds those that an idle conversation lost, in order.

    Until then, edits and rewinds write postings only of segments that have theirs again.
    """

    def __init__(self) -> None:
        rows = table(PostingRow)
        super().__init__(rows)
        of_mark = (rows.c.conversation == bindparam("of"), rows.c.number == MARK)
        self._read_mark = select(rows.c.body).where(*of_mark)
        self._move_mark = update(rows).where(*of_mark).values(body=bindparam("moved"))
        self._drop_mark = delete(rows).where(*of_mark)
        self._drop_all = delete(rows).where(rows.c.conversation.in_(bindparam("conversations", expanding=True)))

    def standing(self, connection: Connection, conversation: ConversationId) -> int | None:
        """Return the number of leading segments that have postings; None where none were dropped."""
        body = connection.scalar(self._read_mark, {"of": conversation})
        return None if body is None else unpack_mark(bytes(body))

    def drop(self, connection: Connection, conversations: Sequence[ConversationId]) -> None:
        """Drop the postings of some locked conversations."""
        connection.execute(self._drop_all, {"conversations": list(conversations)})
        self._insert.run(connection, [(conversation, MARK, pack_mark(0)) for conversation in conversations])

    def append_again(
        self, connection: Connection, conversation: ConversationId, idx: int, postings: Iterable[Posted], *,
        segments: int,
    ) -> None:  # fmt: skip
        """Write the postings of the first segment without any, in a conversation of `segments` segments."""
        self.append(connection, conversation, idx, postings)
        if idx + 1 < segments:
            connection.execute(self._move_mark, {"of": conversation, "moved": pack_mark(idx + 1)})
        else:
            connection.execute(self._drop_mark, {"of": conversation})

    def replace(
        self, connection: Connection, conversation: ConversationId, idx: int, postings: Iterable[Posted], *,
        segments: int,
    ) -> None:  # fmt: skip
        """As `Postings.replace`; does nothing where the segment's postings are still to be rebuilt."""
        standing = self.standing(connection, conversation)
        if standing is None or idx < standing:
            super().replace(
                connection, conversation, idx, postings, segments=segments if standing is None else standing
            )

    def cut(self, connection: Connection, conversation: ConversationId, segments: int) -> None:
        """As `Postings.cut`, and ends the rebuilding; does nothing where segments that are left lack postings."""
        standing = self.standing(connection, conversation)
        if standing is None or segments <= standing:
            super().cut(connection, conversation, segments)
            connection.execute(self._drop_mark, {"of": conversation})


def _opened(row: Any) -> Iterable[Posted]:
    return Piece(row.number, bytes(row.body)).all()


def _between(rows: Any, ranges: Iterable[tuple[int, int]]) -> Any:
    return or_(*(rows.c.number.between(first, last) for first, last in ranges))


POSTINGS: Final = RulesPostings()

MARK_BODY: Final = (
    select(table(PostingRow).c.body)
    .where(table(PostingRow).c.conversation == table(ConversationRow).c.id, table(PostingRow).c.number == MARK)
    .correlate(table(ConversationRow))
    .scalar_subquery()
)
"""Subquery next to a conversation's row: the number of segments with postings, packed; NULL where none were dropped."""
