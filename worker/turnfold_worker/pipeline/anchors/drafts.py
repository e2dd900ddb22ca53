"""Anchor drafts, before they are compared with earlier anchors, and their settlement within their own segment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, NamedTuple

from turnfold.contract.records import AnchorState, AnchorType, Role
from turnfold_worker.pipeline.anchors.assistants import TEXT
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import SENTENCES_READ
from turnfold_worker.pipeline.anchors.rules import reply_rules, statement_rules, wanted_rules
from turnfold_worker.pipeline.anchors.statements import completion_reports
from turnfold_worker.pipeline.anchors.statements.question_split import asks_of_another
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_fillers
from turnfold_worker.pipeline.language.words import specific_words, words
from turnfold_worker.pipeline.turns.reading import Reading

_ASKS_BACK: Final = 2
"""Number of sentences up to which a reply that ends in a question is no answer."""


_TURNS_BEFORE: Final = 16
"""Number of turns up to a correction, its own included, in which it may find what it corrects."""
_LIST: Final = 3
"""Number of line breaks from which a turn is a list or a poem."""


class Answer(NamedTuple):
    """The sentence of a turn that answers a question."""

    turn_seq: int
    start: int
    end: int

    def is_in(self, draft: AnchorDraft) -> bool:
        """Check whether a draft overlaps the answer."""
        return draft.turn_seq == self.turn_seq and draft.overlaps(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorDraft:
    """An anchor before it is compared with earlier ones. `text == turn.content[start:end]`."""

    type: AnchorType
    text: str
    turn_seq: int
    start: int
    end: int
    score: int
    """Certainty that the anchor matters later, 0 to 100."""
    rank: int
    """Static display order: the caller's mark, then the type, then the score."""
    tokens: int
    state: AnchorState = AnchorState.ACTIVE
    """RESOLVED when the same segment answers or completes it."""
    speaker: str | None = None
    """The label of the speaker."""
    role: Role | None = None
    """The role of the speaker."""
    factors: Mapping[str, int] = field(default_factory=dict, hash=False)
    """The parts of the score by name."""
    said_on: date | None = None
    """The day of the turn; None for a turn without a timestamp."""
    reports: bool = False
    """A short text that only matters if it settles something: 'Sent.', 'Dana will run it.'."""
    answer: Answer | None = None
    """For a question, its answer in the same segment."""
    turns_before: tuple[Reading, ...] | None = field(default=None, compare=False, repr=False)
    """For a correction, its turn and those before it in the same segment, oldest first."""

    def overlaps(self, part: Span | Answer | AnchorDraft) -> bool:
        """Check whether the draft shares text with a part of its turn."""
        return self.start < part.end and part.start < self.end


def packed_drafts(drafts: Iterable[AnchorDraft]) -> list[list[Any]]:
    """Serialize the unsettled drafts of one turn for JSON, without what the turn itself provides."""
    return [[d.type, d.start, d.end, d.score, d.rank, d.tokens, dict(d.factors)] for d in drafts]


def unpacked_drafts(reading: Reading, rows: Iterable[Sequence[Any]]) -> list[AnchorDraft]:
    """Restore the drafts of a turn from `packed_drafts`."""
    return [
        AnchorDraft(
            type=AnchorType(kind), text=reading.turn.content[start:end], turn_seq=reading.turn.seq, start=start,
            end=end, score=score, rank=rank, tokens=tokens, speaker=reading.speaker, role=reading.turn.role,
            factors=dict(factors), said_on=reading.day,
        )
        for kind, start, end, score, rank, tokens, factors in rows
    ]  # fmt: skip


def settled(draft: AnchorDraft, readings: Sequence[Reading], drafts: Sequence[AnchorDraft]) -> AnchorDraft:
    """Mark a question as resolved if the next speakers answer it, and a promise if it is kept within the segment.

    A correction is given the turns before it. `drafts` are all drafts of the segment, since 'Sent it.' is about the
    latest promise that fits.
    """
    if draft.type is AnchorType.UNRESOLVED_QUESTION and (answer := _answer(draft, readings)):
        return replace(draft, state=AnchorState.RESOLVED, answer=answer)
    if draft.type is AnchorType.COMMITMENT and (
        _told(draft, readings)
        or _declined(draft, readings)
        or _carried_out(draft, readings)
        or _finished(draft, readings, drafts)
    ):
        return replace(draft, state=AnchorState.RESOLVED)
    if draft.type is AnchorType.CORRECTION:
        until = _place_of(draft, readings) + 1
        return replace(draft, turns_before=tuple(readings[max(0, until - _TURNS_BEFORE) : until]))
    return draft


def _told(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    """Check whether the next speaker supplied the words or text asked for: 'Can you show me how?'."""
    plain_text = plain_words(draft.text)
    at = _place_of(draft, readings)
    reply = readings[at + 1] if at + 1 < len(readings) else None
    if reply is None or reply.tool or reply.calls or reply.speaker == draft.speaker or not reply.sentences:
        return False
    if wanted_rules.PROMISES.search(plain_text) and not is_question(plain_text):
        return False
    if not wanted_rules.WORDS_WANTED.search(plain_text) and not (_wants_a_text(plain_text) and is_a_text(reply)):
        return False
    if len(reply.sentences) > _ASKS_BACK:
        return True
    opening = plain_words(reply.text(reply.sentences[0])[:MAX_CLAUSE])
    puts_off = any(pattern.search(opening) for pattern in (statement_rules.LATER, wanted_rules.PUT_OFF))
    return not puts_off and not is_question(reply.text(reply.sentences[-1]))


def _wants_a_text(statement: str) -> bool:
    """Check whether a normalized statement asks for something an assistant can write, and nothing beyond that."""
    return (
        wanted_rules.TEXT_WANTED.search(statement) is not None
        and wanted_rules.WORLD.search(statement) is None
        and statement_rules.LATER.search(statement) is None
    )


def is_a_text(reading: Reading) -> bool:
    """Check whether a turn is an assistant's prose, code or list rather than talk."""
    content = reading.turn.content
    return reading.turn.role is Role.ASSISTANT and (
        len(content) >= TEXT or bool(reading.code) or content.strip().count("\n") >= _LIST
    )


def _declined(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    """Check whether an offer or request ('Shall I book it?') was refused, so that nothing is open."""
    if not is_question(plain_words(draft.text)):
        return False
    at = _place_of(draft, readings)
    reply = readings[at + 1] if at + 1 < len(readings) else None
    if reply is None or reply.tool or reply.speaker == draft.speaker or not reply.sentences:
        return False
    if reply.is_pasted(reply.sentences[0]):
        return False
    plain_text = plain_words(reply.text(reply.sentences[0])[:MAX_CLAUSE])
    put_off = " but " in plain_text or statement_rules.LATER.search(plain_text) is not None
    return reply_rules.DECLINES_OUTRIGHT.match(plain_text) is not None and not put_off


def _carried_out(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    """Check whether an assistant carried out its announced step in the same turn, by code, a tool call or a text."""
    at = _place_of(draft, readings)
    reading = readings[at]
    plain_text = plain_words(draft.text)
    if reading.turn.role is not Role.ASSISTANT or statement_rules.LATER.search(plain_text):
        return False
    if len(reading.turn.content) >= TEXT and wanted_rules.TEXT_ANNOUNCED.search(plain_text):
        return True
    return bool(reading.calls or reading.code or (at + 1 < len(readings) and readings[at + 1].tool))


def _place_of(draft: AnchorDraft, readings: Sequence[Reading]) -> int:
    return next(i for i, reading in enumerate(readings) if reading.turn.seq == draft.turn_seq)


def _answer(draft: AnchorDraft, readings: Sequence[Reading]) -> Answer | None:
    """Return the sentence of one of the next three turns that answers a question."""
    at = _place_of(draft, readings)
    asked_words = specific_words(draft.text)
    ends_turn = not readings[at].turn.content[draft.end :].strip()
    for_words = reply_rules.ASKS_WHAT.match(without_fillers(plain_words(draft.text))) is not None
    direct = True
    for reply in readings[at + 1 : at + 4]:
        if reply.speaker == readings[at].speaker or reply.tool or not reply.sentences:
            direct = False
            continue
        if for_words and reply_rules.MERE_YES.fullmatch(plain_words(reply.turn.content[:MAX_CLAUSE])):
            continue
        opening = _opening(reply)
        no_answer = reply_rules.NO_ANSWER.search(plain_words(opening)) and len(reply.sentences) <= _ASKS_BACK
        knows = not no_answer and not asks_of_another(draft.text, opening)
        if knows and direct and ends_turn and not opening.rstrip().endswith("?"):
            return _telling_most(reply, asked_words)
        if knows and len(asked_words.intersection(words(reply.turn.content[:2000]))) >= min(2, len(asked_words)):
            return _telling_most(reply, asked_words)
        direct = False
    return None


def _opening(reply: Reading) -> str:
    """Return the first sentence of a reply, or the second if the first is mere assent: 'Good question.'."""
    opening, *more = (reply.text(sentence)[:MAX_CLAUSE] for sentence in reply.sentences[:_ASKS_BACK])
    return more[0] if more and reply_rules.MERE_YES.fullmatch(plain_words(opening)) else opening


def _telling_most(reply: Reading, asked_words: frozenset[str]) -> Answer:
    """Return the sentence that shares most words with the question; at a tie the first that is no courtesy."""

    def telling(span: Span) -> tuple[int, bool]:
        sentence = reply.text(span)[:MAX_CLAUSE]
        shared, plain = asked_words.intersection(words(sentence)), plain_words(sentence)
        return len(shared), not (reply_rules.THANKS.match(plain) or reply_rules.TAKES_IN.match(plain))

    return Answer(reply.turn.seq, *max(reply.sentences[:SENTENCES_READ], key=telling))


def _finished(draft: AnchorDraft, readings: Sequence[Reading], drafts: Sequence[AnchorDraft]) -> bool:
    at = _place_of(draft, readings)
    promises = [other_draft for other_draft in drafts if other_draft.type is AnchorType.COMMITMENT]
    for place, reading in enumerate(readings):
        own = [sentence for sentence in reading.sentences[:SENTENCES_READ] if not reading.is_pasted(sentence)]
        if place <= at or reading.tool or not own:
            continue
        opening = reading.text(own[0])[:MAX_CLAUSE]
        if place == at + 1 and reading.speaker != draft.speaker and completion_reports.opens_with(opening, draft.text):
            return True
        for sentence in own:
            plain_text = plain_words(reading.text(sentence)[:MAX_CLAUSE])
            if completion_reports.does(plain_text, draft.text):
                return True
            if place <= at + completion_reports.SOON and draft is last_meant(
                plain_text, promises, before=reading.turn.seq
            ):
                return True
    return False


def last_meant(statement: str, promises: Sequence[AnchorDraft], *, before: int) -> AnchorDraft | None:
    """Return the latest promise before a turn that a report without an object refers to: 'Sent it.'."""
    meant = [
        promise
        for promise in promises
        if promise.turn_seq < before and completion_reports.does_it(statement, promise.text)
    ]
    return max(meant, key=lambda draft: (draft.turn_seq, draft.start), default=None)
