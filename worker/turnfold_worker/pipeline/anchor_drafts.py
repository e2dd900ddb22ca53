"""Anchors before they meet the conversation's earlier ones, and what becomes of them within their own segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from turnfold.contract.records import AnchorState, AnchorType, Role
from turnfold_worker.pipeline import deeds, reply_rules, statement_rules
from turnfold_worker.pipeline.acts import SENTENCES_READ
from turnfold_worker.pipeline.prose import MAX_CLAUSE
from turnfold_worker.pipeline.reading import Reading
from turnfold_worker.pipeline.spoken import is_question, plain_words
from turnfold_worker.pipeline.words import specific_words, words

_ASKS_BACK: Final = 2
"""Sentences up to which a reply that ends in a question gives no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorDraft:
    """An anchor before it meets the conversation's earlier ones. `text == turn.content[start:end]`."""

    type: AnchorType
    text: str
    turn_seq: int
    start: int
    end: int
    score: int
    """0 to 100."""
    rank: int
    """Static order for the read: the caller's mark, then the type, then the score."""
    tokens: int
    state: AnchorState = AnchorState.ACTIVE
    """RESOLVED when the same segment answers or finishes it."""
    finishes: bool = False
    """It says that something promised is done."""
    speaker: str | None = None
    """The label of who said it."""


def settled(draft: AnchorDraft, readings: Sequence[Reading]) -> AnchorDraft:
    """A question that the next speaker answers, or a promise that is kept, within the same segment."""
    if draft.type is AnchorType.UNRESOLVED_QUESTION and _answered(draft, readings):
        return replace(draft, state=AnchorState.RESOLVED)
    if draft.type is AnchorType.COMMITMENT and (
        _told(draft, readings) or _carried_out(draft, readings) or _finished(draft, readings)
    ):
        return replace(draft, state=AnchorState.RESOLVED)
    return draft


def _told(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    """Words were asked for, 'Can you show me how?', and who was asked went on to say them."""
    if not statement_rules.WORDS_WANTED.search(plain_words(draft.text)):
        return False
    at = _place_of(draft, readings)
    reply = readings[at + 1] if at + 1 < len(readings) else None
    if reply is None or reply.tool or reply.calls or reply.speaker == draft.speaker or not reply.sentences:
        return False
    asks_back = is_question(reply.text(reply.sentences[-1])) and len(reply.sentences) <= _ASKS_BACK
    return not asks_back


def _carried_out(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    """An assistant's next step, 'Let me open the file', in the turn that does it: with code, or before a tool's."""
    at = _place_of(draft, readings)
    one = readings[at]
    if one.turn.role is not Role.ASSISTANT or statement_rules.LATER.search(plain_words(draft.text)):
        return False
    return bool(one.calls or one.code or (at + 1 < len(readings) and readings[at + 1].tool))


def _place_of(draft: AnchorDraft, readings: Sequence[Reading]) -> int:
    return next(i for i, reading in enumerate(readings) if reading.turn.seq == draft.turn_seq)


def _answered(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    at = _place_of(draft, readings)
    asked = specific_words(draft.text)
    ends_turn = not readings[at].turn.content[draft.end :].strip()
    for distance, reply in enumerate(readings[at + 1 : at + 4]):
        if reply.speaker == readings[at].speaker or reply.tool or not reply.sentences:
            continue
        opening = reply.text(reply.sentences[0])[:MAX_CLAUSE]
        if reply_rules.NO_ANSWER.search(plain_words(opening)) and len(reply.sentences) <= _ASKS_BACK:
            continue
        if distance == 0 and ends_turn and not opening.rstrip().endswith("?"):
            return True
        if len(asked.intersection(words(reply.turn.content[:2000]))) >= min(2, len(asked)):
            return True
    return False


def _finished(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    promised = specific_words(draft.text)
    at = _place_of(draft, readings)
    for place, reading in enumerate(readings):
        if place <= at or reading.tool or not reading.sentences:
            continue
        opening = reading.text(reading.sentences[0])[:MAX_CLAUSE]
        if place == at + 1 and reading.speaker != draft.speaker and deeds.opens_with(opening, draft.text):
            return True
        for sentence in reading.sentences[:SENTENCES_READ]:
            said = plain_words(reading.text(sentence)[:MAX_CLAUSE])
            if statement_rules.COMPLETIONS.search(said) and not promised.isdisjoint(words(said)):
                return True
            if deeds.does(said, draft.text):
                return True
    return False
