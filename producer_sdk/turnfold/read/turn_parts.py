"""Parts of long turns: their titles and markers, and the part that answers a query."""

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
"""Long turns of one expansion whose parts are listed."""


def parts_of_turns(transaction: ReadTransaction, head: Head, turns: Iterable[StoredTurn]) -> tuple[TurnPart, ...]:
    """Return the parts of the first long turns among `turns` that are in closed segments, in order."""
    long = [turn.seq for turn in turns if turn.tokens >= LONG_TURN and turn.seq <= head.closed_seq][:_MOST_LONG]
    if not long:
        return ()
    segments = [node.idx for node in transaction.segments_over(head, long[0], long[-1], most=_MOST_LONG)]
    parts = parts_of_segments(transaction, head, segments)
    return tuple(part for seq in long for part in parts.get(seq, ()))


def parts_of_segments(
    transaction: ReadTransaction, head: Head, segments: Sequence[int]
) -> Mapping[int, tuple[TurnPart, ...]]:
    """Return the parts of segments' long turns, by turn number, without turns that retention removed."""
    return {seq: _shown(entries) for seq, entries in _entries(transaction, head, segments).items()}


def answering_parts(
    transaction: ReadTransaction, head: Head, segments: Sequence[int], postings: Sequence[PostingRow]
) -> dict[int, tuple[TurnPart, tuple[str, str]]]:
    """Return, by segment, the part of a long turn that best matches `postings`, with its passage's speaker and text.

    A segment whose best passage is in another turn has none.
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
    """Return the index of the part with the passage's best matching note: a passage may span two parts."""

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
    """Return the number of a segment's best matching passage, the first of equals; 0 if there is none."""
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
