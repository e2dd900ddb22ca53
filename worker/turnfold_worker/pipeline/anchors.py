"""Anchors by rule: verbatim spans, a clause to a few sentences long, that must not be lost.

A draft's text is a slice of its turn by construction. Which phrases count is in `anchor_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from turnfold.contract.records import AnchorState, AnchorType, Importance, Role
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline import anchor_rules
from turnfold_worker.pipeline.facts import FactKind
from turnfold_worker.pipeline.prose import MAX_CLAUSE, Span, clauses, trimmed
from turnfold_worker.pipeline.reading import Reading, is_participant
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.words import specific_words, words

MAX_PER_SEGMENT: Final = 12
_MAX_PER_TURN: Final = {Role.USER: 4, Role.ASSISTANT: 2, Role.TOOL: 1, Role.SYSTEM: 4, Role.DEVELOPER: 4}
_SENTENCES_READ: Final = 200
"""Sentences of a turn that are looked at."""
_LEAST_SCORE: Final = 50
_TYPE_RANK: Final = {
    AnchorType.CORRECTION: 40,
    AnchorType.DECISION: 35,
    AnchorType.CRITICAL_FACT: 30,
    AnchorType.COMMITMENT: 25,
    AnchorType.UNRESOLVED_QUESTION: 15,
}
_MARK_SCORE: Final = {Importance.LOW: -20, Importance.MEDIUM: 8, Importance.HIGH: 15, Importance.PIN: 40}
_MARK_RANK: Final = {Importance.LOW: -50, Importance.MEDIUM: 20, Importance.HIGH: 200, Importance.PIN: 1000}
_EXACT: Final = (FactKind.NUMBER, FactKind.DATE)
_NAMED: Final = (FactKind.NAME, FactKind.IDENTIFIER, FactKind.PATH, FactKind.EMAIL, FactKind.URL)
_MIN_WORDS: Final = 3
_ASKS_FOR_ACTION: Final = re.compile(r".{0,60}?(?<!\w)(?:can|could|would|will) you(?!\w)|.{0,60}?(?<!\w)please(?!\w)")


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


def extract_anchors(readings: Sequence[Reading], settings: FoldSettings) -> tuple[AnchorDraft, ...]:
    """Anchors of one segment, in the order of its text, at most `MAX_PER_SEGMENT` beside those of pinned turns."""
    wanted = specific_words(" ".join((settings.goal or "", *settings.constraints)))
    speakers = list(dict.fromkeys(reading.speaker for reading in readings))
    found: list[AnchorDraft] = []
    for reading in readings:
        found.extend(_of_turn(reading, wanted, speakers))
    kept = sorted(_best(found, MAX_PER_SEGMENT), key=lambda draft: (draft.turn_seq, draft.start, draft.end))
    return tuple(_settled(draft, readings) for draft in kept)


def _best(drafts: Sequence[AnchorDraft], limit: int) -> list[AnchorDraft]:
    pinned = _MARK_RANK[Importance.PIN]
    order = sorted(range(len(drafts)), key=lambda i: (-drafts[i].rank, i))
    return [drafts[i] for place, i in enumerate(order) if place < limit or drafts[i].rank >= pinned]


def _of_turn(reading: Reading, wanted: frozenset[str], speakers: Sequence[str]) -> list[AnchorDraft]:
    drafts: list[AnchorDraft] = []
    for kind, score, span, finishes in _candidates(reading, speakers):
        bonus = _bonus(reading, span, wanted)
        draft = _draft(reading, kind, span, score + bonus, finishes=finishes)
        if draft.score >= _LEAST_SCORE and not any(one.start < draft.end and draft.start < one.end for one in drafts):
            drafts.append(draft)
    if reading.turn.importance is Importance.PIN:
        pinned = _pinned(reading)
        drafts = [*pinned, *(one for one in drafts if all(one.start >= p.end or one.end <= p.start for p in pinned))]
    return _best(drafts, _MAX_PER_TURN[reading.turn.role])


def _candidates(reading: Reading, speakers: Sequence[str]) -> Iterator[tuple[AnchorType, int, Span, bool]]:
    """Type, score of the rule, span, and whether it reports something done."""
    if reading.tool:
        for error in reading.facts.of(FactKind.ERROR):
            if " " in error.text:
                yield AnchorType.CRITICAL_FACT, 55, Span(error.start, error.end), False
        return
    yield from ((AnchorType.CRITICAL_FACT, 60, span, False) for span in _configuration(reading))
    for sentence in reading.sentences[:_SENTENCES_READ]:
        for clause in clauses(reading.turn.content, sentence, MAX_CLAUSE):
            said = plain_words(reading.text(clause))
            if len(said.split()) < _MIN_WORDS and said.isascii():
                continue
            found = _classified(said, reading, clause, speakers)
            if found:
                yield (*found[:2], clause, found[2])


def _configuration(reading: Reading) -> Iterator[Span]:
    content = reading.turn.content
    for block in reading.code:
        for match in anchor_rules.CONFIGURATION.finditer(content, block.start, block.end):
            yield Span(*match.span(1))


def plain_words(text: str) -> str:
    """Lower case, one line, straight apostrophes: what the rules look at."""
    return " ".join(text.lower().replace("\u2019", "'").split())


def _classified(
    said: str, reading: Reading, clause: Span, speakers: Sequence[str]
) -> tuple[AnchorType, int, bool] | None:
    """The best rule for a clause: type, score, and whether it reports something done."""
    if said.rstrip("\"')*_ ").endswith(("?", "\uff1f")):
        return _question(said, reading, clause)
    best: tuple[AnchorType, int, bool] | None = None
    for rule in anchor_rules.RULES:
        if (best is None or rule.score > best[1]) and rule.pattern.search(said):
            best = (rule.type, rule.score, False)
    if anchor_rules.COMPLETIONS.search(said) and (best is None or best[0] is not AnchorType.CORRECTION):
        return AnchorType.CRITICAL_FACT, 55, True
    if best and best[0] in {AnchorType.COMMITMENT, AnchorType.DECISION} and anchor_rules.CONDITIONAL.search(said):
        return best[0], best[1] - 15, False
    if best is None and reading.turn.role is Role.USER and _exact(reading, clause, speakers):
        return AnchorType.CRITICAL_FACT, 42, False
    return best


def _question(said: str, reading: Reading, clause: Span) -> tuple[AnchorType, int, bool] | None:
    if anchor_rules.MENDED.search(said):
        return AnchorType.CORRECTION, 70, False
    specific = specific_words(said)
    if anchor_rules.RHETORICAL.match(said) or not specific:
        return None
    for rule in (*anchor_rules.COMMITMENTS, *anchor_rules.REQUESTS):
        if _ASKS_FOR_ACTION.match(said) and rule.pattern.search(said):
            return AnchorType.COMMITMENT, rule.score, False
    asked_by_user = reading.turn.role is Role.USER
    last = reading.sentences and clause.end >= reading.sentences[-1].end
    return AnchorType.UNRESOLVED_QUESTION, (45 if asked_by_user else 35) + (5 if last else 0), False


def _exact(reading: Reading, span: Span, speakers: Sequence[str]) -> bool:
    """True when a span names something exactly, other than who is spoken to."""
    return any(
        fact.kind in (*_EXACT, *_NAMED) and not (fact.kind is FactKind.NAME and is_participant(fact.text, speakers))
        for fact in reading.facts.within(span.start, span.end)
    )


def _bonus(reading: Reading, span: Span, wanted: frozenset[str]) -> int:
    facts = reading.facts.within(span.start, span.end)
    points = 8 if any(fact.kind in _EXACT for fact in facts) else 0
    points += 6 if any(fact.kind in _NAMED for fact in facts) else 0
    points += 6 if reading.turn.role is Role.USER else -4
    if wanted and not wanted.isdisjoint(words(reading.text(span))):
        points += 10
    return points + _MARK_SCORE.get(reading.turn.importance, 0)


def _draft(reading: Reading, kind: AnchorType, span: Span, score: int, *, finishes: bool = False) -> AnchorDraft:
    text = reading.text(span)
    score = min(max(score, 0), 100)
    rank = _MARK_RANK.get(reading.turn.importance, 0) + _TYPE_RANK[kind] + score
    return AnchorDraft(
        type=kind, text=text, turn_seq=reading.turn.seq, start=span.start, end=span.end, score=score, rank=rank,
        tokens=estimate_tokens(text), finishes=finishes,
    )  # fmt: skip


def _pinned(reading: Reading) -> list[AnchorDraft]:
    """The whole of a short pinned turn, else its first sentences."""
    content = reading.turn.content
    whole = trimmed(content, Span(0, min(len(content), MAX_CLAUSE)))
    if whole.start == whole.end:
        return []
    if len(content) > MAX_CLAUSE:
        ends = [one.end for one in reading.sentences[:_SENTENCES_READ] if one.end <= whole.start + MAX_CLAUSE]
        cut = content.rfind(" ", whole.start + 1, whole.end)
        end = max(ends, default=0)
        whole = trimmed(content, Span(whole.start, end if end > whole.start else cut if cut > 0 else whole.end))
    return [_draft(reading, AnchorType.CRITICAL_FACT, whole, 100)]


def _settled(draft: AnchorDraft, readings: Sequence[Reading]) -> AnchorDraft:
    """A question that the next speaker answers, or a promise that is kept, within the same segment."""
    if draft.type is AnchorType.UNRESOLVED_QUESTION and _answered(draft, readings):
        return replace(draft, state=AnchorState.RESOLVED)
    if draft.type is AnchorType.COMMITMENT and _finished(draft, readings):
        return replace(draft, state=AnchorState.RESOLVED)
    return draft


def _answered(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    at = next(i for i, reading in enumerate(readings) if reading.turn.seq == draft.turn_seq)
    asked = specific_words(draft.text)
    ends_turn = not readings[at].turn.content[draft.end :].strip()
    for distance, reply in enumerate(readings[at + 1 : at + 4]):
        if reply.speaker == readings[at].speaker or reply.tool or not reply.sentences:
            continue
        opening = reply.text(reply.sentences[0])[:MAX_CLAUSE]
        if distance == 0 and ends_turn and not opening.rstrip().endswith("?"):
            return True
        if len(asked.intersection(words(reply.turn.content[:2000]))) >= min(2, len(asked)):
            return True
    return False


def _finished(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    promised = specific_words(draft.text)
    for reading in readings:
        if reading.turn.seq <= draft.turn_seq or reading.tool:
            continue
        for sentence in reading.sentences[:_SENTENCES_READ]:
            said = plain_words(reading.text(sentence)[:MAX_CLAUSE])
            if anchor_rules.COMPLETIONS.search(said) and not promised.isdisjoint(words(said)):
                return True
    return False
