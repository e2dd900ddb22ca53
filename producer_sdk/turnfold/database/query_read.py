"""The additional reads for a query: postings of its terms, and the passages that they point to.

Two statements, plus one for embeddings and one for the text of the turns that answer best.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any, Final

from turnfold.assemble.by_value.answers import TIGHT
from turnfold.assemble.last_turns import LAST_TURNS
from turnfold.assemble.material import overtaken_of
from turnfold.code_blocks.blocks import INTRODUCTION
from turnfold.code_blocks.index import BlockEntry, FoundBlock, unpack_blocks
from turnfold.code_blocks.ranking import ranked, told_by_words
from turnfold.code_blocks.requests import asked_block
from turnfold.contract.dropped_postings import MARK
from turnfold.contract.notes import Note
from turnfold.contract.outlines import Outline, overtaken_by
from turnfold.contract.overtaken import NOTHING_OVERTAKEN
from turnfold.contract.passages import (
    STANDING,
    Passage,
    bundle_of,
    number_of,
    passages_among,
    unpack_passages,
    unpack_pointers,
    unpack_written,
)
from turnfold.contract.periods import as_utc
from turnfold.contract.posting_pieces import Piece, WantedPieces, opened
from turnfold.contract.records import TurnState
from turnfold.contract.results import Excerpt
from turnfold.contract.turn_limits import LEAST_CAP, Shortening, cap_for
from turnfold.contract.vectors import numbers_of_each
from turnfold.contract.words import note_stems
from turnfold.database import query_statements, statements
from turnfold.database.conversation_cache import NOTHING_TOLD, Answers, Known, Wanted
from turnfold.database.driver import Call, Driver, DriverConnection
from turnfold.database.rows import shortened_record, turn_record
from turnfold.errors import InvalidInput
from turnfold.search.answerable import answerable
from turnfold.search.event_times import EventTime, event_of
from turnfold.search.first_mentions import first_mentions, one_a_turn, spread
from turnfold.search.matter import MOST_STEERED, Matter, heaviest_matter
from turnfold.search.note_hits import hits, said_by
from turnfold.search.order_questions import asks_for_order, of_asker, subject_of
from turnfold.search.query_times import NO_TIMES, query_times
from turnfold.search.relevance import QUERY_TERMS, query_terms
from turnfold.search.turn_scores import (
    POINTERS_A_TERM,
    Field,
    PostingRow,
    best_of,
    best_turns,
    near_passages,
    passages_for,
    scores_of,
    told_by,
    with_replacing,
    with_standing,
    with_times,
)

_ANSWER: Final = Shortening.to(2 * LEAST_CAP, last_seq=0)
"""Read limits of a turn that answers a query."""
_SCOPED: Final = 4
"""Factor on the number of candidate passages if only some speakers or origins may answer."""
_BESIDE_FIRST: Final = 4
"""Factor on the budget for candidate notes if one note per turn is shown."""
_PLACES_OF_EVENT: Final = 8
"""Passages that are searched for the day of an event that the question names."""
_MOST_BLOCKS: Final = 4
"""Maximum number of blocks whose text is read."""


def answers(driver: Driver, connection: DriverConnection, wanted: Wanted, known: Known, question: str) -> Answers:
    """Return the notes relevant to a question, turns that answer it if there is room, and blocks that it asks for.

    Ends the connection's snapshot, unless the question has no search terms.
    """
    if known.outline is None:
        return Answers(question)
    return _Query(driver, connection, wanted, known, known.outline, question).answers()


def _today(wanted: Wanted, known: Known) -> date | None:
    """Return the day that a query is relative to: the caller's, else that of the newest turn."""
    now = wanted.now or next((turn.created_at for turn in known.turns[: -LAST_TURNS - 1 : -1] if turn.created_at), None)
    return None if now is None else as_utc(now).date()


def _check_length(wanted: Wanted, blocks: Iterable[bytes]) -> None:
    """Reject a query vector of another dimension than all stored ones, which would silently have no effect."""
    stored = set(map(numbers_of_each, blocks)) - {0}
    given = len(wanted.query_vector)
    if stored and given not in stored:
        msg = f"query_vector has {given} dimensions, but the vectors of this conversation have {max(stored)}"
        raise InvalidInput(msg, remedy=f"compute it with their model, {wanted.vector_model}")


class _Query:
    """The search for one question in one conversation."""

    def __init__(
        self, driver: Driver, connection: DriverConnection, wanted: Wanted, known: Known, outline: Outline,
        question: str,
    ) -> None:  # fmt: skip
        self._driver = driver
        self._connection = connection
        self._wanted = wanted
        self._head = head = known.head
        self._outline = outline
        self._overtaken = (
            overtaken_by(outline, up_to=wanted.as_of.last_seq) if wanted.as_of else overtaken_of(outline, known.memo)
        )
        self._question = question
        self._today = _today(wanted, known)
        self._times = query_times(question, self._today) if wanted.query else NO_TIMES
        # The event that a time is relative to, if the question names no time itself.
        self._event = event_of(question) if wanted.query and not self._times.terms else None
        self._asked = (
            query_terms(subject_of(question), without=self._times.words) if wanted.query else heaviest_matter(question)
        )
        self._of_conversation = {"conversation": head.id}
        self._field = Field(said=outline.said, segments=head.node_count)
        self._request = asked_block(question, is_query=bool(wanted.query))
        self._pieces: dict[int, Piece] = {}
        """Pieces of postings read so far, by number."""
        self._written_on: dict[int, int] = {}
        """Passage number -> segment, for passages that a model wrote."""
        self._entries: list[BlockEntry] = []
        self._told_of_blocks: Mapping[str, float] = NOTHING_TOLD
        self._told: Mapping[str, float] = NOTHING_TOLD
        """Weight of each search term."""
        self._has_lost_postings = False
        self._of_time: frozenset[int] = frozenset()
        """Numbers of the passages of the times that the query names."""

    def answers(self) -> Answers:
        """Return notes, turns and blocks; nothing for a question without terms and times to search for."""
        if not (self._asked or self._times.terms):
            return Answers(self._question)
        budget = self._wanted.budget_tokens
        scores = self._scores()
        is_about_order = bool(self._wanted.query) and asks_for_order(self._question)
        # A question about order gets a single list of notes, without quoted turns.
        may_quote = budget > TIGHT and not is_about_order
        best = best_turns(scores, query_statements.ANSWERING) if may_quote else {}
        blocks = self._meant()
        written = self._written_passages(scores)
        rows, *results = self._connection.batch(
            self._passages(scores), *written, *map(self._block, blocks), *self._turns(best), last=True
        )
        written_rows = unpack_written([row[0] for note_hits in results[: len(written)] for row in note_hits])
        del results[: len(written)]
        turns = results[len(blocks) :]
        passages = unpack_passages([*passages_among(rows, scores), *[row for row in written_rows if row[0] in scores]])
        if not (scope := self._wanted.scope).is_all:
            passages = [
                candidate for candidate in passages if scope.allows(candidate.notes[0].role, candidate.notes[0].speaker)
            ]
        if not self._wanted.query:
            matter = Matter.of(self._question, self._told, segments=self._head.node_count)
            passages = matter.among(passages)
        if is_about_order:
            passages = of_asker(self._question, passages)
        # First mentions count even if the statement was superseded later.
        gone = NOTHING_OVERTAKEN if self._wanted.in_order else self._overtaken
        most_tokens = budget * _BESIDE_FIRST if is_about_order else budget
        note_hits = hits(self._asked, scores, passages, self._field, most_tokens=most_tokens, overtaken=gone)
        if is_about_order:
            note_hits = tuple(one_a_turn(note_hits, self._asked))
        if self._wanted.in_order:
            note_hits = tuple(first_mentions(note_hits, chain.from_iterable(passage.notes for passage in passages)))
        room = budget - sum([note.least_tokens for note in note_hits])
        if self._wanted.query and room >= budget // 2 and not is_about_order:
            note_hits = (*note_hits, *said_by(self._asked, self._outline.notes, note_hits, most_tokens=room))
        if not self._wanted.query:
            fitting = {passage.notes[0].seq for passage in passages}
            best = {seq: score for seq, score in best.items() if seq in fitting}
        excerpts = self._excerpts(chain.from_iterable(turns), best)
        likely = None
        if self._wanted.query and self._asked and not self._has_lost_postings:
            likely = self._likely([*passages, *self._late()])
        return Answers(
            self._question, note_hits, excerpts, self._found(blocks, results), self._told_of_blocks, likely,
            self._has_lost_postings, self._times,
        )  # fmt: skip

    def _likely(self, passages: Sequence[Passage]) -> float:
        """Return the likelihood of an answer, by words other than those of a time that passages are of."""
        of_time = self._of_time.intersection(passage.number for passage in passages)
        asked = [term for term in self._asked if term not in self._times.named] if of_time else self._asked
        return answerable(asked, self._told, passages, of_time=of_time if self._times.terms else None)

    def _late(self) -> list[Passage]:
        """Return the notes of the open tail as passages, except questions, which answer nothing."""
        notes = [note for note in self._outline.tail if not note.text.endswith("?")]
        return [
            Passage(number_of(note.seq, note.place), (note,), (" ".join(note_stems(note.text)),))
            for note in notes
            if self._wanted.scope.allows(note.role, note.speaker) and note.text != self._wanted.query
        ]

    def _scores(self) -> dict[int, int]:
        """Return the scores of the candidate passages, best first."""
        wanted, field = self._wanted, self._field
        pieces = WantedPieces(self._asked[: QUERY_TERMS - 1 - bool(self._request)], self._head.node_count)
        # Standing wishes matter for the answer to a query, not for a topic that a turn touches on.
        standing = WantedPieces([STANDING] if wanted.query else [], self._head.node_count)
        timed = WantedPieces(self._times.terms, self._head.node_count)
        event = WantedPieces(self._event.terms if self._event else (), self._head.node_count)
        calls = [self._all_of(pieces, standing, timed, event)]
        if self._request:
            calls.append((query_statements.BLOCK_LISTS, self._of_conversation))
        if wanted.query_vector:
            calls.append((query_statements.NEWEST_SIGNS, {**self._of_conversation, "model": wanted.vector_model}))
        rows, *results = self._connection.batch(*calls)
        self._open([(number, body) for number, body, of_model in rows if not of_model])
        of_models = {number: opened(number, bytes(body)) for number, body, of_model in rows if of_model}
        postings = self._postings(pieces, of_models)
        if self._request:
            lists = results.pop(0)
            self._entries = [entry for row in lists for entry in unpack_blocks(bytes(row[0]))]
        blocks = [bytes(row[0]) for rows in results for row in rows]
        _check_length(wanted, blocks)
        near = near_passages(wanted.query_vector, blocks)
        self._told = told_by(self._asked, postings, field)
        scores = scores_of(self._told, postings, field, near=near)
        if not wanted.query:
            # Passages off the turn's topic are removed later, once their text is read.
            return with_replacing(best_of(scores, MOST_STEERED), self._overtaken.overtaken_by)
        if wanted.in_order:
            scores = spread(scores, last_seq=self._head.turn_count)
        if self._event is not None and (terms := self._days_of(self._event, event)):
            timed = WantedPieces(terms, self._head.node_count)
            (rows,) = self._connection.batch(self._missing(timed))
            self._open(rows)
            scores = with_times(scores, self._postings(timed, {}), field)
        elif self._times.terms:
            postings = self._postings(timed, of_models)
            self._of_time = frozenset(chain.from_iterable(unpack_pointers(row[3])[0] for row in postings))
            scores = with_times(scores, postings, field)
        scores = with_standing(
            with_replacing(scores, self._overtaken.overtaken_by),
            self._postings(standing, of_models, enough_pointers=math.inf),
        )
        most_passages = passages_for(wanted.budget_tokens)
        return best_of(scores, most_passages if wanted.scope.is_all else _SCOPED * most_passages)

    def _days_of(self, event: EventTime, pieces: WantedPieces) -> tuple[str, ...]:
        """Return the time terms relative to an event; none if no note dates the event."""
        postings = self._postings(pieces, {})
        told = told_by(event.terms, postings, self._field)
        scores = best_of(scores_of(told, postings, self._field), _PLACES_OF_EVENT)
        (rows,) = self._connection.batch(self._passages(scores))
        passages = unpack_passages(passages_among(rows, scores))
        notes = (note for passage in passages for note in passage.notes if self._allows(note))
        last = self._wanted.as_of.last_seq if self._wanted.as_of else self._head.turn_count
        late = (note for note in self._outline.tail if note.seq <= last and self._allows(note))
        days = event.day_in(chain(notes, late), self._overtaken)
        return () if days is None else event.time_terms(*days, self._today)

    def _allows(self, note: Note) -> bool:
        return self._wanted.scope.allows(note.role, note.speaker)

    def _all_of(self, *wanted: WantedPieces) -> Call:
        """Return the call that reads the pieces that may contain some terms, both by the rules and by models."""
        numbers = frozenset((MARK,)).union(*[terms.numbers for terms in wanted])
        return query_statements.ALL_POSTINGS, {**self._of_conversation, "numbers": ",".join(map(str, numbers))}

    def _missing(self, wanted: WantedPieces) -> Call:
        """Return the call that reads the pieces that may contain some terms and are not read yet."""
        numbers = wanted.numbers - self._pieces.keys()
        return query_statements.POSTINGS, {**self._of_conversation, "numbers": ",".join(map(str, numbers))}

    def _open(self, rows: Sequence[Any]) -> None:
        """Keep pieces that were read, and note whether postings were dropped."""
        self._has_lost_postings |= any(number == MARK for number, _ in rows)
        self._pieces |= {number: opened(number, bytes(body)) for number, body in rows if number != MARK}

    def _postings(
        self, wanted: WantedPieces, of_models: Mapping[int, Piece], *, enough_pointers: float = POINTERS_A_TERM
    ) -> list[PostingRow]:
        """Return the postings of terms in the pieces read so far and in the given pieces by models."""
        most_postings = query_statements.POSTINGS_A_TERM
        postings = wanted.heaviest(self._pieces, most_postings, enough_pointers=enough_pointers)
        if of_models:
            written = wanted.heaviest(of_models, most_postings)
            for _, idx, _, pointers in written:
                self._written_on |= dict.fromkeys(unpack_pointers(pointers)[0], idx)
            postings += written
        return postings

    def _written_passages(self, numbers: Iterable[int]) -> list[Call]:
        """Return the call that reads models' passages with these numbers; empty if there are none."""
        segments = sorted({self._written_on[number] for number in numbers if number in self._written_on})
        if not segments:
            return []
        wanted = {**self._of_conversation, "segments": ",".join(map(str, segments))}
        return [(query_statements.MODEL_PASSAGES, wanted)]

    def _passages(self, numbers: Iterable[int]) -> Call:
        """Return the call that reads the bundles of passages with these numbers."""
        bundles = set(map(bundle_of, numbers))
        return query_statements.HIT_PASSAGES, {**self._of_conversation, "numbers": ",".join(map(str, bundles))}

    def _meant(self) -> list[BlockEntry]:
        """Return the blocks that the question may refer to."""
        if self._request is None or not self._entries:
            return []
        self._told_of_blocks = told_by_words(self._request, self._entries)
        return [
            ranked_block.entry
            for ranked_block in ranked(self._request, self._entries, self._told_of_blocks, most=_MOST_BLOCKS)
        ]

    def _block(self, entry: BlockEntry) -> Call:
        """Return the call that reads a block with the text shortly before it."""
        begin = max(0, entry.start - INTRODUCTION)
        length = min(entry.end, entry.start + cap_for(self._wanted.budget_tokens)) - begin
        return statements.TURN_PART, {**self._of_conversation, "seq": entry.seq, "begin": begin, "length": length}

    def _found(self, entries: Sequence[BlockEntry], rows: Iterable[Sequence[Any]]) -> tuple[FoundBlock, ...]:
        blocks = []
        named = self._driver.naming(statements.TURN_PART)
        for entry, (row, *_) in [(entry, read) for entry, read in zip(entries, rows, strict=False) if read]:
            turn = turn_record(named(row))
            introduction_length = min(entry.start, INTRODUCTION)
            text = turn.content[introduction_length:]
            if turn.state == TurnState.STORED and entry.is_of(text):
                blocks.append(FoundBlock(entry, turn, turn.content[:introduction_length], text))
        return tuple(blocks)

    def _turns(self, best: Mapping[int, float]) -> list[Call]:
        """Return the call that reads the text of the best turns."""
        if not best:
            return []
        seqs = [*best, *([-1] * (query_statements.ANSWERING - len(best)))]
        wanted = {f"s{i}": seq for i, seq in enumerate(seqs)}
        short = {"head": _ANSWER.head, "tail": _ANSWER.tail}
        return [(query_statements.ANSWERING_TURNS, {**self._of_conversation, **wanted, **short})]

    def _excerpts(self, rows: Iterable[Any], best: Mapping[int, float]) -> tuple[Excerpt, ...]:
        excerpts = [
            Excerpt(turn=shortened_record(row, _ANSWER), score=best[row.seq], node_idx=row.node_idx)
            for row in map(self._driver.naming(query_statements.ANSWERING_TURNS), rows)
            if row.seq in best and row.seq <= self._head.closed_seq and row.state == TurnState.STORED
        ]
        return tuple(sorted(excerpts, key=lambda excerpt: (-excerpt.score, excerpt.turn.seq)))
