"""Sentences that no rule keeps but that may settle something earlier: brief reports, replies and new values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from turnfold.contract.records import AnchorType, Role
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.ranks import rank_of
from turnfold_worker.pipeline.anchors.statements.attributes import states_an_attribute
from turnfold_worker.pipeline.anchors.statements.completion_reports import may_report
from turnfold_worker.pipeline.anchors.statements.employers import employment_of
from turnfold_worker.pipeline.anchors.statements.endings import ending_of, ends
from turnfold_worker.pipeline.anchors.statements.frames import clauses_of, states_a_value
from turnfold_worker.pipeline.anchors.statements.holders import holder_of
from turnfold_worker.pipeline.anchors.statements.moves import moved_thing
from turnfold_worker.pipeline.anchors.statements.needs import need_of
from turnfold_worker.pipeline.anchors.statements.repairs import says_otherwise
from turnfold_worker.pipeline.anchors.statements.restated import restates_otherwise, says_now
from turnfold_worker.pipeline.anchors.statements.slots import may_fill
from turnfold_worker.pipeline.anchors.statements.turnovers import turnovers_of, turns_over
from turnfold_worker.pipeline.anchors.statements.value_changes import overtakes_value, value_change
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.turns.memo import made_once
from turnfold_worker.pipeline.turns.reading import Reading

_MOST: Final = 4
"""Maximum number of reports per segment."""
_MOST_REPLIES: Final = 4
"""Maximum number per segment of direct statements that may answer a question in other words."""
_MOST_VALUES: Final = 8
"""Maximum number per segment of statements of a value."""
_SENTENCES: Final = 2
"""Number of sentences at the start of a turn that may contain news."""
_SENTENCES_OF_VALUES: Final = 12
_STATED: Final = 50
"""Score of a statement that supersedes another."""

_STATES: Final[tuple[Callable[[str], object], ...]] = (
    states_a_value, moved_thing, states_an_attribute, need_of, holder_of, employment_of, ending_of, turnovers_of,
    value_change, says_now, lambda text: text.startswith("Actually, ") and bool(clauses_of(text)),
)  # fmt: skip
"""Tests for a sentence that gives the value of a thing, or ends or changes it."""
_TELL_OF_A_CHANGE: Final[tuple[Callable[[str], object], ...]] = (ending_of, turnovers_of, says_now, value_change)
_OVER: Final = (says_otherwise, ends, turns_over, restates_otherwise, overtakes_value)
"""Tests for a text that ends or changes what another says."""


def with_reports(drafts: Sequence[AnchorDraft], readings: Sequence[Reading]) -> tuple[AnchorDraft, ...]:
    """Add a segment's first reports and replies that no draft covers, in text order."""
    stated = (*drafts, *islice(_values(readings, drafts), _MOST_VALUES))
    stated = (*stated, *islice(_corrected(readings, stated), _MOST_VALUES))
    reports = tuple(islice(_brief(readings, stated, lambda text: may_report(plain_words(text))), _MOST))
    replies = _brief(readings, (*stated, *reports), may_fill)
    every = (*stated, *reports, *islice(replies, _MOST_REPLIES))
    every = (*every, *_answers(every, readings))
    return tuple(sorted(every, key=lambda draft: (draft.turn_seq, draft.start, draft.end)))


def _brief(
    readings: Sequence[Reading], kept: Sequence[AnchorDraft], may_settle: Callable[[str], bool]
) -> Iterator[AnchorDraft]:
    """Yield opening sentences of turns that may settle something and that no draft covers."""
    for reading in readings:
        if reading.tool:
            continue
        for span in reading.sentences[:_SENTENCES]:
            text = reading.text(span)
            if not (reading.is_pasted(span) or _is_covered(reading, span, kept)) and may_settle(text):
                yield _draft(reading, span, text)


def _answers(kept: Sequence[AnchorDraft], readings: Sequence[Reading]) -> Iterator[AnchorDraft]:
    """Yield answers to the segment's questions that no draft covers."""
    of_turn = {reading.turn.seq: reading for reading in readings}
    for answer in dict.fromkeys(draft.answer for draft in kept if draft.answer is not None):
        if not any(map(answer.is_in, kept)):
            reading, span = of_turn[answer.turn_seq], Span(answer.start, answer.end)
            yield _draft(reading, span, reading.text(span))


def _values(readings: Sequence[Reading], kept: Sequence[AnchorDraft]) -> Iterator[AnchorDraft]:
    """Yield sentences of users that state a value and that no draft covers, the latest turn first."""
    for reading in reversed(readings):
        if reading.tool or reading.turn.role is not Role.USER:
            continue
        for place in _stating(reading):
            span = reading.sentences[place]
            if not _is_covered(reading, span, kept):
                yield _draft(reading, span, reading.text(span), score=_STATED)


def _stating(reading: Reading) -> list[int]:
    """Return the indexes of the sentences of a turn that state, end or change a value."""

    def places() -> list[int]:
        spans = enumerate(reading.sentences[:_SENTENCES_OF_VALUES])
        return [
            place
            for place, span in spans
            if not reading.is_pasted(span) and any(states(reading.text(span)) for states in _STATES)
        ]

    return made_once(reading.memo, "stated", "", places, pack=list, unpack=list)


def _corrected(readings: Sequence[Reading], kept: Sequence[AnchorDraft]) -> Iterator[AnchorDraft]:
    """Yield the latest sentence that each correction of the same speaker changes or ends, unless a draft covers it."""
    corrections = [
        draft
        for draft in kept
        if draft.type is AnchorType.CORRECTION or any(tells(draft.text) for tells in _TELL_OF_A_CHANGE)
    ]
    for correction in corrections:
        for reading, span in _sentences_before(readings, correction):
            text = reading.text(span)
            if not any(over(correction.text, text) for over in _OVER):
                continue
            if not _is_covered(reading, span, kept):
                yield _draft(reading, span, text, score=_STATED)
            break


def _sentences_before(readings: Sequence[Reading], draft: AnchorDraft) -> Iterator[tuple[Reading, Span]]:
    """Yield the earlier sentences of a draft's speaker in the segment, the newest first."""
    for reading in reversed(readings):
        is_same = reading.speaker == draft.speaker and reading.turn.role is draft.role and not reading.tool
        if is_same and reading.turn.seq < draft.turn_seq:
            spans = reading.sentences[:_SENTENCES_OF_VALUES]
            yield from ((reading, span) for span in reversed(spans) if not reading.is_pasted(span))


def _is_covered(reading: Reading, span: Span, kept: Sequence[AnchorDraft]) -> bool:
    return any(draft.turn_seq == reading.turn.seq and draft.overlaps(span) for draft in kept)


def _draft(reading: Reading, span: Span, text: str, *, score: int = 0) -> AnchorDraft:
    rank = rank_of(AnchorType.CRITICAL_FACT, score, reading.turn.importance) if score else 0
    return AnchorDraft(
        type=AnchorType.CRITICAL_FACT, text=text, turn_seq=reading.turn.seq, start=span.start, end=span.end,
        score=score, rank=rank, tokens=estimate_tokens(text), speaker=reading.speaker, role=reading.turn.role,
        factors={"stated" if score else "settles": score}, said_on=reading.day, reports=not score,
    )  # fmt: skip
