"""Parts of long turns, as a read names and shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from turnfold.assemble.forms.markers import turns_marker
from turnfold.contract.notes import Note
from turnfold.contract.passages import IMPACT, PLACES, unpack_passages, unpack_pointers
from turnfold.contract.records import StoredTurn
from turnfold.contract.results import Head, TurnPart
from turnfold.contract.terms import rarity, terms
from turnfold.contract.turn_parts import LONG_TURN, PartEntry, part_of_place

if TYPE_CHECKING:
    from turnfold.database.read_transaction import ReadTransaction
    from turnfold.search.turn_scores import PostingRow

_MOST_LONG: Final = 8
"""Long turns of one expansion of which the parts are told."""


def parts_of_turns(transaction: ReadTransaction, head: Head, turns: Iterable[StoredTurn]) -> tuple[TurnPart, ...]:
    """Parts of the first long ones of some turns in order, as far as they are folded."""
    long = [turn.seq for turn in turns if turn.tokens >= LONG_TURN and turn.seq <= head.closed_seq][:_MOST_LONG]
    if not long:
        return ()
    segments = [node.idx for node in transaction.segments_over(head, long[0], long[-1], most=_MOST_LONG)]
    parts = parts_of_segments(transaction, head, segments)
    return tuple(part for seq in long for part in parts.get(seq, ()))


def parts_of_segments(
    transaction: ReadTransaction, head: Head, segments: Sequence[int]
) -> Mapping[int, tuple[TurnPart, ...]]:
    """By turn, in order, the parts of the long turns of some segments of which the words are still stored."""
    return {seq: _shown(entries) for seq, entries in _entries(transaction, head, segments).items()}


def answering_parts(
    transaction: ReadTransaction, head: Head, segments: Sequence[int], postings: Sequence[PostingRow]
) -> dict[int, tuple[TurnPart, tuple[str, str]]]:
    """By segment, the part of a long turn that holds most of what a query's `postings` are of, and who says what there.

    Of a segment whose best passage is of another turn there is none.
    """
    entries = _entries(transaction, head, segments)
    if not entries:
        return {}
    best = {idx: number for idx in segments if (number := _best_passage(postings, idx)) // PLACES in entries}
    passages = {passage.number: passage for passage in unpack_passages(transaction.passages(head, list(best.values())))}
    asked_terms = dict.fromkeys(term for term, *_ in postings)
    part_by_segment: dict[int, tuple[TurnPart, tuple[str, str]]] = {}
    for idx, number in best.items():
        if number in passages:
            notes = passages[number].notes
            of_turn = entries[number // PLACES]
            part = _shown(of_turn)[_part_of(of_turn, number % PLACES, notes, asked_terms)]
            part_by_segment[idx] = part, (notes[0].speaker, " ".join([note.text for note in notes]))
    return part_by_segment


def _part_of(parts: Sequence[PartEntry], place: int, notes: Sequence[Note], asked_terms: Iterable[str]) -> int:
    """The part in which the note of a passage stands that tells most of what is asked: a passage may be of two."""

    def told(note: Note) -> int:
        held = set(terms(note.text))
        return sum(rarity(term) for term in asked_terms if term in held)

    best = max(notes, key=told)
    if not best.end:
        return part_of_place(parts, place)
    return max(i for i, part in enumerate(parts) if part.start <= best.start)


def _entries(transaction: ReadTransaction, head: Head, segments: Sequence[int]) -> dict[int, list[PartEntry]]:
    by_turn: dict[int, list[PartEntry]] = {}
    for entry in transaction.part_entries(head, segments):
        if entry.seq > head.expired_seq:
            by_turn.setdefault(entry.seq, []).append(entry)
    return by_turn


def _best_passage(postings: Iterable[PostingRow], idx: int) -> int:
    """The number of the passage of a segment that tells most of what is asked, the first of equals; 0 for none."""
    scores: Counter[int] = Counter()
    for term, of_segment, _, pointers in postings:
        if of_segment == idx:
            for number, mark in zip(*unpack_pointers(pointers), strict=True):
                scores[number] += rarity(term) * (mark & IMPACT)
    return min(scores, key=lambda number: (-scores[number], number), default=0)


def _shown(entries: Sequence[PartEntry]) -> tuple[TurnPart, ...]:
    return tuple(
        TurnPart(
            title=entry.title, number=i, count=len(entries), turn_seq=entry.seq, start=entry.start, end=entry.end,
            marker=turns_marker(entry.seq, entry.seq, offset=entry.start, until=entry.end),
        )
        for i, entry in enumerate(entries, start=1)
    )  # fmt: skip
