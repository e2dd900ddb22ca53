"""Anchors by rule: verbatim spans, a clause to a few sentences long, that must not be lost.

A draft's text is a slice of its turn by construction. What a clause does is found by `acts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from turnfold.contract.records import AnchorState, AnchorType, Importance, Role
from turnfold.contract.vectors import NO_VECTORS, Vector
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline import reply_rules, statement_rules
from turnfold_worker.pipeline.act_rules import Act
from turnfold_worker.pipeline.acts import (
    ENOUGH,
    NOTHING,
    REPLIES,
    SENTENCES_READ,
    YES_TO_A_PROPOSAL,
    Found,
    is_question,
    leaves_open,
    plain_words,
    turn_acts,
)
from turnfold_worker.pipeline.anchor_head import HEAD, with_head
from turnfold_worker.pipeline.common_words import is_common
from turnfold_worker.pipeline.facts import NAMES, VALUES, FactKind
from turnfold_worker.pipeline.prose import MAX_CLAUSE, Span, clauses, trimmed
from turnfold_worker.pipeline.reading import Reading
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.words import specific_words, words

MAX_PER_SEGMENT: Final = 12
_MAX_PER_TURN: Final = {Role.USER: 4, Role.ASSISTANT: 2, Role.TOOL: 1, Role.SYSTEM: 4, Role.DEVELOPER: 4}
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
_PERSONS: Final = frozenset({"you", "your", "tomorrow", "tonight", "later", "soon"})
_MIN_WORDS: Final = 3
_AGREED_SCORE: Final = 62
_LEAST_ACT: Final = 42
"""Points of an act from which its anchor may still reach the least score by what it names and by its marks."""
_PREFERRED: Final = {Act.CORRECTION: 12, Act.DECISION: 8, Act.COMMITMENT: 4}
"""Points of preference when a clause does several things: what overtakes or binds tells more than what is asked."""
_ASKS_FOR_WORDS: Final = frozenset({"reply wanted", "may i", HEAD})
"""Rules of requests that, with a question mark, want an answer rather than a deed."""
_TYPE_OF: Final = {
    Act.COMMITMENT: AnchorType.COMMITMENT,
    Act.REQUEST: AnchorType.COMMITMENT,
    Act.DECISION: AnchorType.DECISION,
    Act.FACT: AnchorType.CRITICAL_FACT,
    Act.CORRECTION: AnchorType.CORRECTION,
}


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


def extract_anchors(
    readings: Sequence[Reading], settings: FoldSettings, vectors: Mapping[int, Vector] = NO_VECTORS
) -> tuple[AnchorDraft, ...]:
    """Anchors of one segment, in the order of its text, at most `MAX_PER_SEGMENT` beside those of pinned turns.

    `vectors` are sentence vectors by the number of the turn: with them some are found that no rule tells.
    """
    aims = " ".join((settings.goal or "", *settings.constraints))
    wanted = frozenset(word for word in words(aims) if not is_common(word))
    acts = with_head(readings, segment_acts(readings), vectors)
    found: list[AnchorDraft] = []
    for reading, span in _agreed(readings, acts):
        found.append(_draft(reading, AnchorType.DECISION, span, _AGREED_SCORE + _bonus(reading, span, wanted)))
    agreed = {draft.turn_seq: draft for draft in found}
    for place, (reading, done) in enumerate(zip(readings, acts, strict=True)):
        of_turn = _of_turn(reading, done, wanted)
        if _does_it(reading, readings[place + 1 : place + 2]):
            of_turn = [draft for draft in of_turn if draft.type is not AnchorType.COMMITMENT or _to_somebody(draft)]
        decided = agreed.get(reading.turn.seq)
        found.extend(one for one in of_turn if decided is None or not _overlap(one, decided))
    kept = sorted(_best(found, MAX_PER_SEGMENT), key=lambda draft: (draft.turn_seq, draft.start, draft.end))
    return tuple(_settled(draft, readings) for draft in kept)


def _does_it(reading: Reading, after: Sequence[Reading]) -> bool:
    """True for an assistant's turn that a tool answers: what it says it will do, it does."""
    return reading.turn.role is Role.ASSISTANT and (bool(reading.calls) or any(one.tool for one in after))


def _to_somebody(draft: AnchorDraft) -> bool:
    """True for what is said to a person, or is of a time: no call of a tool settles it."""
    return not _PERSONS.isdisjoint(plain_words(draft.text).split())


def segment_acts(readings: Sequence[Reading]) -> list[list[Found]]:
    """The acts of each turn of a segment; a tool does nothing."""
    speakers = list(dict.fromkeys(reading.speaker for reading in readings if not reading.tool))
    before = NOTHING
    acts: list[list[Found]] = []
    for reading in readings:
        acts.append([] if reading.tool else turn_acts(reading, before, speakers))
        if not reading.tool:
            before = leaves_open(reading, acts[-1])
    return acts


def _best(drafts: Sequence[AnchorDraft], limit: int) -> list[AnchorDraft]:
    pinned = _MARK_RANK[Importance.PIN]
    order = sorted(range(len(drafts)), key=lambda i: (-drafts[i].rank, i))
    return [drafts[i] for place, i in enumerate(order) if place < limit or drafts[i].rank >= pinned]


def _of_turn(reading: Reading, acts: Sequence[Found], wanted: frozenset[str]) -> list[AnchorDraft]:
    drafts: list[AnchorDraft] = []
    for kind, score, span, finishes in sorted(_candidates(reading, acts), key=lambda one: -one[1]):
        if reading.manual is not None and reading.manual.start <= span.start < reading.manual.end:
            continue
        draft = _draft(reading, kind, span, score + _bonus(reading, span, wanted), finishes=finishes)
        if draft.score >= _LEAST_SCORE and not any(_overlap(one, draft) for one in drafts):
            drafts.append(draft)
    if reading.turn.importance is Importance.PIN:
        pinned = _pinned(reading)
        drafts = [*pinned, *(one for one in drafts if not any(_overlap(one, whole) for whole in pinned))]
    return _best(drafts, _MAX_PER_TURN[reading.turn.role])


def _overlap(one: AnchorDraft, other: AnchorDraft) -> bool:
    return one.start < other.end and other.start < one.end


def _candidates(reading: Reading, acts: Sequence[Found]) -> Iterator[tuple[AnchorType, int, Span, bool]]:
    """Type, score, span, and whether it reports something done: of each clause what it does most surely."""
    if reading.tool:
        for error in reading.facts.of(FactKind.ERROR):
            if " " in error.text:
                yield AnchorType.CRITICAL_FACT, 55, Span(error.start, error.end), False
        return
    yield from ((AnchorType.CRITICAL_FACT, 60, span, False) for span in _configuration(reading))
    by_clause: dict[Span, list[Found]] = {}
    for found in acts:
        if found.rule not in REPLIES:
            by_clause.setdefault(found.span, []).append(found)
    for span, found_there in by_clause.items():
        said = plain_words(reading.text(span))
        if len(said.split()) >= _MIN_WORDS or not said.isascii():
            yield from _of_clause(said, reading, span, found_there)


def _of_clause(
    said: str, reading: Reading, span: Span, acts: Sequence[Found]
) -> Iterator[tuple[AnchorType, int, Span, bool]]:
    statements = [one for one in acts if one.act is not Act.QUESTION]
    best = max(statements, key=lambda one: one.points + _PREFERRED.get(one.act, 0), default=None)
    if statement_rules.COMPLETIONS.search(said) and (best is None or best.act is not Act.CORRECTION):
        yield AnchorType.CRITICAL_FACT, 55, span, True
    elif best is not None and best.points >= _LEAST_ACT and not reply_rules.POLITE.search(said):
        asks_words = best.rule in _ASKS_FOR_WORDS and is_question(said)
        yield AnchorType.UNRESOLVED_QUESTION if asks_words else _TYPE_OF[best.act], best.points, span, False
    elif is_question(said) and not reply_rules.RHETORICAL.match(said) and specific_words(said):
        last = bool(reading.sentences) and span.end >= reading.sentences[-1].end
        yield AnchorType.UNRESOLVED_QUESTION, (45 if reading.turn.role is Role.USER else 35) + 5 * last, span, False


def _configuration(reading: Reading) -> Iterator[Span]:
    content = reading.turn.content
    for block in reading.code:
        for match in statement_rules.CONFIGURATION.finditer(content, block.start, block.end):
            yield Span(*match.span(1))


def _agreed(readings: Sequence[Reading], acts: Sequence[Sequence[Found]]) -> Iterator[tuple[Reading, Span]]:
    """What a yes agreed to, with its turn: 'Yes, that is right' says nothing without the proposal before it."""
    for proposal, reply in zip(readings, acts[1:], strict=False):
        if (
            proposal.sentences
            and _waits(proposal)
            and any(one.rule == YES_TO_A_PROPOSAL and one.points >= ENOUGH for one in reply)
        ):
            yield proposal, _proposed(proposal)


def _waits(reading: Reading) -> bool:
    said = plain_words(reading.text(reading.sentences[-1]))
    return is_question(said) or "confirm" in said or said.startswith(("you want", "you would", "you'd"))


def _proposed(reading: Reading) -> Span:
    """The sentence that says most of what is proposed, of the last three."""
    last = reading.sentences[-3:]
    span = max(last, key=lambda one: (len(reading.facts.within(one.start, one.end)), one.end - one.start))
    return clauses(reading.turn.content, span, MAX_CLAUSE)[0]


def _bonus(reading: Reading, span: Span, wanted: frozenset[str]) -> int:
    facts = reading.facts.within(span.start, span.end)
    points = 8 if any(fact.kind in VALUES for fact in facts) else 0
    points += 6 if any(fact.kind in NAMES for fact in facts) else 0
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
        tokens=estimate_tokens(text), finishes=finishes, speaker=reading.speaker,
    )  # fmt: skip


def _pinned(reading: Reading) -> list[AnchorDraft]:
    """The whole of a short pinned turn, else its first sentences."""
    content = reading.turn.content
    whole = trimmed(content, Span(0, min(len(content), MAX_CLAUSE)))
    if whole.start == whole.end:
        return []
    if len(content) > MAX_CLAUSE:
        ends = [one.end for one in reading.sentences[:SENTENCES_READ] if one.end <= whole.start + MAX_CLAUSE]
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
        for sentence in reading.sentences[:SENTENCES_READ]:
            said = plain_words(reading.text(sentence)[:MAX_CLAUSE])
            if statement_rules.COMPLETIONS.search(said) and not promised.isdisjoint(words(said)):
                return True
    return False
