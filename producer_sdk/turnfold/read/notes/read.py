"""Read a page of notes in the order of their turns, from one SQL snapshot."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from turnfold.contract.keys import Address
from turnfold.contract.results import Head, Note
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.read.notes.records import note_records
from turnfold.read.notes.wanted import WantedNotes
from turnfold.read.pending_edits import NO_CHANGES, Changes, changes_of
from turnfold.read.snapshot import known_head

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction


def notes(inbox: PendingSource, reader: ReadSource, address: Address, wanted: WantedNotes) -> list[Note]:
    """Read a page of notes, without those of turns with pending changes. Raises `UnknownConversation`."""
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> list[Note]:
        head = known_head(transaction, address, pending)
        if head is None:
            return []
        return notes_within(transaction, head, wanted, changes_of(transaction, head, pending))

    return reader.read(look)


def notes_within(
    transaction: ReadTransaction, head: Head, wanted: WantedNotes, changes: Changes = NO_CHANGES
) -> list[Note]:
    """Read a page of notes in an open transaction; turns are not split, so the next page begins at a new turn."""
    reading = transaction.notes(head)
    overtaken = reading.overtaken()
    records = (
        note
        for segment in reading.segments(wanted.first_turn, wanted.last_turn)
        for note in note_records(segment, overtaken, changes.hides, wanted.written_by)
        if note in wanted
    )
    page: list[Note] = []
    for _, of_turn in groupby(records, key=attrgetter("turn_seq")):
        together = list(of_turn)
        if page and len(page) + len(together) > wanted.limit:
            break
        page += together
        if len(page) >= wanted.limit:
            break
    return page
