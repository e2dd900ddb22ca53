"""The timeline of a conversation: first mentions of what a query is about, or its most informative notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from turnfold.assemble.forms.markers import turns_marker
from turnfold.contract.keys import Address
from turnfold.contract.note_times import UNKNOWN_TIME
from turnfold.contract.notes import Note, in_order
from turnfold.contract.origins import origin_of
from turnfold.contract.outlines import Outline, overtaken_by
from turnfold.contract.overtaken import OvertakenIndex
from turnfold.contract.passages import number_of, unpack_passages
from turnfold.contract.records import AnchorState, Role
from turnfold.contract.results import Head, TimelineEntry
from turnfold.contract.terms import terms
from turnfold.contract.text import ends_of
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.contract.words import note_stems
from turnfold.database.conversation_cache import Wanted
from turnfold.dates.note_time import time_of
from turnfold.dates.passed import day_of
from turnfold.errors import InvalidInput
from turnfold.read.notes.records import says
from turnfold.read.pending_edits import changes_of
from turnfold.read.snapshot import known_head
from turnfold.search.first_mentions import one_a_turn
from turnfold.search.query_times import check_now
from turnfold.search.relevance import query_terms
from turnfold.wire.whole_numbers import turn_number, whole_number

if TYPE_CHECKING:
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction

MOST_ENTRIES: Final = 200
_MOST_PAGED: Final = 500
"""Entries of a timeline that is read by pages: the most informative ones, in the order of the turns."""
_PART_SUPERSEDED: Final = 4
"""Without a query, at most one entry in this many is superseded."""
_PLACES_READ: Final = 16
"""Passages of a turn that are searched for superseded notes."""
_TOKENS_AN_ENTRY: Final = 60
"""Approximate tokens of a note, which set the token budget of the read."""


def timeline(
    inbox: PendingSource, reader: ReadSource, address: Address, query: str | None, *, limit: int,
    after: int | None = None, now: datetime | None = None,
) -> list[TimelineEntry]:  # fmt: skip
    """Return entries in the order of the turns: the `limit` best, or a page of the 500 best after turn `after`.

    Raises `UnknownConversation`, `InvalidInput`.
    """
    limit = _checked(query, limit)
    # Every page selects from the same entries.
    most_entries = limit if after is None else _MOST_PAGED
    first_seq = 1 if after is None else turn_number("after", after, least=0) + 1
    check_now(now)
    query = query and ends_of(query)
    pending = inbox.peek(address, newest=TURNS_A_READ)

    def look(transaction: ReadTransaction) -> list[TimelineEntry]:
        head = known_head(transaction, address, pending)
        if head is None:
            return []
        wanted = Wanted(address, most_entries * _TOKENS_AN_ENTRY, query=query, now=now, in_order=True)
        conversation = transaction.by_value(wanted)
        if conversation is None or conversation.known.outline is None:
            return []
        outline, hits = conversation.known.outline, conversation.answers.hits
        overtaken = overtaken_by(outline)
        tail = (*outline.tail, *_no_longer_held(outline))
        notes = _about(query, (*hits, *tail)) if query else (
            *islice(_superseded(transaction, head, outline, overtaken), most_entries // _PART_SUPERSEDED),
            *_telling(outline, most_entries),
        )  # fmt: skip
        chosen = changes_of(transaction, head, pending).notes(notes)
        entries = [note for note in in_order(one_a_turn(chosen)[:most_entries]) if note.seq >= first_seq][:limit]
        turn_ids = transaction.turn_ids(head, [note.seq for note in entries])
        listed = [_entry(note, turn_ids[note.seq], overtaken) for note in entries if note.seq in turn_ids]
        return list(_with_what_is_done(transaction, head, listed))

    return reader.read(look)


def _checked(query: object, limit: object) -> int:
    if query is not None and (not isinstance(query, str) or not query.strip()):
        raise InvalidInput(f"query must be non-empty text, or None for the most informative entries, not {query!r}")
    number = whole_number("limit", limit, least=1)
    if number > MOST_ENTRIES:
        msg = f"limit must be at most {MOST_ENTRIES}, not {number}"
        raise InvalidInput(msg)
    return number


def _telling(outline: Outline, limit: int) -> Iterator[Note]:
    """Yield the most informative notes, without tools': first the open tail's share of `limit`, then the others."""
    late = max(0, outline.tail_seq - outline.last_seq)
    of_tail = -(-limit * late // max(1, outline.tail_seq))
    yield from one_a_turn(note for note in outline.tail if note.role != Role.TOOL)[:of_tail]
    yield from (note for note in outline.notes if note.role != Role.TOOL)


def _superseded(
    transaction: ReadTransaction, head: Head, outline: Outline, overtaken: OvertakenIndex
) -> Iterator[Note]:
    """Yield superseded notes, most recently superseded first; the outline itself omits them."""
    yield from _no_longer_held(outline)
    closed = sorted(
        (statement for statement in (*outline.overtaken, *outline.tail_overtaken) if statement.seq),
        key=lambda statement: (-statement.by_seq, -statement.seq),
    )
    seqs = list(dict.fromkeys(statement.seq for statement in closed))
    numbers = [number_of(seq, place) for seq in seqs for place in range(_PLACES_READ)]
    by_seq: dict[int, list[Note]] = {}
    for passage in unpack_passages(transaction.passages(head, numbers)):
        for note, stems in zip(passage.notes, passage.words, strict=True):
            if overtaken.tells_statement(note.seq, stems.split()) and overtaken.mended(note) is None:
                by_seq.setdefault(note.seq, []).append(note)
    yield from (note for seq in seqs for note in by_seq.get(seq, ())[:1])


def _no_longer_held(outline: Outline) -> Iterator[Note]:
    """Yield notes of the open tail's own superseded anchors, which the outline omits."""
    told = {note.seq for note in outline.tail}
    for anchor in outline.tail_anchors.anchors:
        if anchor.state is AnchorState.SUPERSEDED and anchor.turn_seq not in told:
            text = anchor.text.rstrip(".")
            yield Note(
                anchor.turn_seq, 0, anchor.speaker or "", str(anchor.role or Role.USER), anchor.day, text, anchor.tokens
            )  # fmt: skip


def _about(query: str, notes: Iterable[Note]) -> Iterator[Note]:
    """Return the notes that contain a term of the query themselves."""
    query_stems = frozenset(query_terms(query))
    return (note for note in notes if not query_stems.isdisjoint(terms(note.text)))


def _with_what_is_done(
    transaction: ReadTransaction, head: Head, entries: Sequence[TimelineEntry]
) -> Iterator[TimelineEntry]:
    """Mark plans that were reported as done as resolved; reads anchors only if there is a plan."""
    plans = {entry.turn_seq for entry in entries if entry.is_plan}
    done = [anchor for anchor in transaction.anchors(head).of_turns(plans) if anchor.state is AnchorState.RESOLVED]
    for entry in entries:
        stems = note_stems(entry.text) if entry.is_plan else ()
        is_done = any(anchor.turn_seq == entry.turn_seq and says(stems, anchor) for anchor in done)
        yield replace(entry, is_plan=False, state=AnchorState.RESOLVED) if is_done else entry


def _entry(note: Note, turn_id: str, overtaken: OvertakenIndex) -> TimelineEntry:
    time = time_of(note.text, day_of(note.day)) or UNKNOWN_TIME
    return TimelineEntry(
        day=note.day, day_meant=time.day_meant, meant_from=time.meant_from, meant_to=time.meant_to,
        is_plan=time.is_plan, text=note.text, speaker=note.speaker, origin=origin_of(note.role), turn_seq=note.seq,
        turn_id=turn_id, marker=turns_marker(note.seq, note.seq),
        state=AnchorState.SUPERSEDED if overtaken.tells(note.seq, note_stems(note.text)) else AnchorState.ACTIVE,
    )  # fmt: skip
