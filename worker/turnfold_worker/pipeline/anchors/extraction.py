"""Extraction of anchors by rules and small heads: verbatim spans, from a clause to a few sentences, that must survive.

The text of a draft is a slice of its turn by construction. `acts` finds what each clause does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import astuple, replace
from functools import partial
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import (
    HEALTH_RANK,
    PASTED,
    PINNED_RANK,
    STANDING_TYPES,
    AnchorState,
    AnchorType,
    Importance,
    Role,
)
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.agreed import agreed_proposals
from turnfold_worker.pipeline.anchors.assistants import Company, companies
from turnfold_worker.pipeline.anchors.bearing import bearing_by_words, with_bearing
from turnfold_worker.pipeline.anchors.candidates import candidates_of
from turnfold_worker.pipeline.anchors.commitment_filter import with_what_binds
from turnfold_worker.pipeline.anchors.dialogue_acts.open_exchange import NOTHING, Before, leaves_open
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import SENTENCES_READ, turn_acts
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft, packed_drafts, settled, unpacked_drafts
from turnfold_worker.pipeline.anchors.heads.head import HEAD, with_head
from turnfold_worker.pipeline.anchors.ranks import borne_rank, rank_of
from turnfold_worker.pipeline.anchors.refusals import with_refusals
from turnfold_worker.pipeline.anchors.rules.rule import Act, Found
from turnfold_worker.pipeline.anchors.statements.repairs import only_says_wrong
from turnfold_worker.pipeline.anchors.worth import Factors, doubts_of, marks_of, score_of
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.prose import JOINS, MAX_CLAUSE, Span, trimmed
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.language.words import words
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.memo import around_of, made_once
from turnfold_worker.pipeline.turns.reading import Reading

MAX_PER_SEGMENT: Final = 12
_MAX_PER_TURN: Final = {Role.USER: 4, Role.ASSISTANT: 2, Role.TOOL: 1, Role.SYSTEM: 4, Role.DEVELOPER: 4}
_SAYS_WHAT_WITHIN: Final = 3
"""Number of turns within which a speaker who said 'no, wait' states what is right."""
_PASTED_POINTS: Final = -8
_JOINT: Final = lazy_pattern(
    lambda: (
        rf"(?:{JOINS.pattern.removeprefix('(?i)')})?(?:(?:considering|given)(?: the fact)?(?: that)? "
        r"(?=(?:(?:i|we)(?:['\u2019]\w{1,2})?|(?:my|our) \w{2,20} (?:is|are)) ))?"
    ),
    re.IGNORECASE,
)
"""Words that only join a clause to the previous one: 'and', 'but', 'considering'."""
_OF_WHAT_IS_BEFORE: Final = lazy_pattern(
    r"(?i)(?:(?:and|but|so|also),? )?(?:(?:not|nor|neither) (?:for|on|in|at|with|to|by|even)\b"
    r"|(?:from (?:now|here) on|going forward|always),? (?:(?:for|in|on|with) )?(?:every|each|all|any|both)"
    r"(?: \w{1,20}){0,3}\W{0,3}$)"
)
"""A rule about what the previous sentence names: 'Not on the boat either', 'From now on, each letter'."""


def extract_anchors(readings: Sequence[Reading], settings: FoldSettings) -> tuple[AnchorDraft, ...]:
    """Extract the anchors of one segment in text order, at most `MAX_PER_SEGMENT` besides those of pinned turns.

    Limits and orders recognized by wording alone are added to these, at most two thirds as many.
    """
    aims = " ".join((settings.goal or "", *settings.constraints))
    wanted = frozenset(word for word in words(aims) if not is_common(word))
    acts = with_refusals(readings, with_head(readings, segment_acts(readings)))
    acts = [
        [drafted for drafted in done if drafted.act is Act.FACT or not reading.is_pasted(drafted.span)]
        for reading, done in zip(readings, with_what_binds(readings, acts), strict=True)
    ]
    drafts: list[AnchorDraft] = []
    company_of = dict(zip((reading.turn.seq for reading in readings), companies(readings), strict=True))
    for reading, span in agreed_proposals(readings, acts):
        company = company_of[reading.turn.seq]
        plain_text = plain_words(reading.text(span))
        factors = {"agreed to": 62, **marks_of(plain_text, reading, span, wanted, company)}
        factors |= doubts_of(AnchorType.DECISION, "agreed to", plain_text, reading, span, company)
        if score_of(factors) >= settings.anchor_threshold:
            drafts.append(_draft(reading, AnchorType.DECISION, span, factors))
    agreed = {draft.turn_seq: draft for draft in drafts}
    for reading, done in zip(readings, acts, strict=True):
        of_turn = _of_turn(reading, done, wanted, company_of[reading.turn.seq], least=settings.anchor_threshold)
        decided = agreed.get(reading.turn.seq)
        drafts.extend(drafted for drafted in of_turn if decided is None or not drafted.overlaps(decided))
    own = [drafted for drafted in drafts if PASTED not in drafted.factors]
    best = _best([settled(draft, readings, own) for draft in drafts], MAX_PER_SEGMENT, standing=MAX_PER_SEGMENT)
    best = with_bearing(best, readings, company_of)
    return tuple(sorted(best, key=lambda draft: (draft.turn_seq, draft.start, draft.end)))


def segment_acts(readings: Sequence[Reading]) -> list[list[Found]]:
    """Return the acts of each turn of a segment; tool turns have none."""
    speakers = list(dict.fromkeys(reading.speaker for reading in readings if not reading.tool))
    left_open, asker = NOTHING, ""
    marked: dict[str, int] = {}
    acts: list[list[Found]] = []
    for reading in readings:
        if reading.tool:
            acts.append([])
            continue
        # Speakers who go on after their own question do not answer it.
        before = left_open if reading.speaker != asker else NOTHING
        if len(acts) - marked.pop(reading.speaker, -_SAYS_WHAT_WITHIN - 1) <= _SAYS_WHAT_WITHIN:
            before = replace(before, corrects=True)
        if only_says_wrong(reading.turn.content):
            marked[reading.speaker] = len(acts)
        acts.append(_acts(reading, before, speakers))
        left_open, asker = leaves_open(reading, acts[-1]), reading.speaker
    return acts


def _acts(reading: Reading, left_open: Before, speakers: Sequence[str]) -> list[Found]:
    around = around_of(astuple(left_open), speakers)
    return made_once(
        reading.memo, "acts", around, partial(turn_acts, reading, left_open, speakers), pack=_packed, unpack=_unpacked
    )


def _packed(acts: Sequence[Found]) -> list[list[Any]]:
    return [[str(act.act), act.points, *act.span, act.rule] for act in acts]


def _unpacked(rows: Iterable[Sequence[Any]]) -> list[Found]:
    return [Found(Act(act), points, Span(start, end), rule) for act, points, start, end, rule in rows]


def _best(drafts: Sequence[AnchorDraft], limit: int, *, standing: int) -> list[AnchorDraft]:
    """Select the best-ranked drafts: up to `limit`, or up to `standing` for those of `HEALTH_RANK` and above.

    Standing types below that rank, recognized by wording alone, take no one else's place; they are at most two thirds
    of `standing`. Pinned drafts are always selected.
    """
    # Resolved drafts must not take the place of open ones.
    order = sorted(range(len(drafts)), key=lambda i: (drafts[i].state is not AnchorState.ACTIVE, -drafts[i].rank, i))
    chosen: list[AnchorDraft] = []
    by_words = 0
    for draft in map(drafts.__getitem__, order):
        surely = draft.rank >= HEALTH_RANK
        only_by_words = draft.type in STANDING_TYPES and not surely
        if only_by_words:
            has_room = len(chosen) < standing and by_words < 2 * standing // 3
        else:
            has_room = len(chosen) - by_words < (standing if surely else limit)
        if has_room or draft.rank >= PINNED_RANK:
            chosen.append(draft)
            by_words += only_by_words
    return chosen


def _of_turn(
    reading: Reading, acts: Sequence[Found], wanted: frozenset[str], company: Company, *, least: int
) -> list[AnchorDraft]:
    return made_once(
        reading.memo, "drafts", around_of(_packed(acts), sorted(wanted), company, least),
        partial(_drafts_of, reading, acts, wanted, company, least=least),
        pack=packed_drafts, unpack=partial(unpacked_drafts, reading),
    )  # fmt: skip


def _drafts_of(
    reading: Reading, acts: Sequence[Found], wanted: frozenset[str], company: Company, *, least: int
) -> list[AnchorDraft]:
    drafts: list[AnchorDraft] = []
    for candidate in sorted(candidates_of(reading, acts, company), key=lambda taken_draft: -taken_draft.points):
        if reading.manual is not None and reading.manual.start <= candidate.span.start < reading.manual.end:
            continue
        # Pasted text contains no decision, promise, request or rule of the person who pastes it.
        if candidate.kind is not AnchorType.CRITICAL_FACT and reading.is_pasted(candidate.span):
            continue
        plain_text = plain_words(reading.text(candidate.span))
        factors = {candidate.rule: candidate.points, **marks_of(plain_text, reading, candidate.span, wanted, company)}
        if score_of(factors) < least:
            continue
        factors |= doubts_of(candidate.kind, candidate.rule, plain_text, reading, candidate.span, company)
        spans = [candidate.span]
        if candidate.kind in STANDING_TYPES and (whole := _with_sentence_before(reading, candidate.span)) is not None:
            spans.insert(0, whole)
        for span in spans:
            draft = _draft(reading, candidate.kind, span, factors, stands=candidate.stands)
            if draft.score >= least and not any(draft.overlaps(taken_draft) for taken_draft in drafts):
                drafts.append(draft)
                break
    if reading.turn.importance is Importance.PIN:
        pinned = _pinned(reading)
        drafts = [
            *pinned,
            *(taken_draft for taken_draft in drafts if not any(taken_draft.overlaps(whole) for whole in pinned)),
        ]
    most_drafts = _MAX_PER_TURN[reading.turn.role]
    return _best(drafts, most_drafts, standing=2 * most_drafts)


def _draft(reading: Reading, kind: AnchorType, span: Span, factors: Factors, *, stands: bool = False) -> AnchorDraft:
    span = _without_joint(reading, span)
    text = reading.text(span)
    if reading.is_pasted(span):
        factors = {**factors, PASTED: _PASTED_POINTS}
    score = score_of(factors)
    rank = None
    if HEAD in factors and kind in STANDING_TYPES:
        stated = reading.facts.within(span.start, span.end)
        bearing = bearing_by_words(factors[HEAD], plain_words(text), stated)
        rank = borne_rank(kind, score, reading.turn.importance, bearing)
    if rank is None:
        rank = rank_of(kind, score, reading.turn.importance, stands=stands)
    return AnchorDraft(
        type=kind, text=text, turn_seq=reading.turn.seq, start=span.start, end=span.end, score=score,
        rank=rank, tokens=estimate_tokens(text),
        speaker=reading.speaker, role=reading.turn.role, factors=dict(factors), said_on=reading.day,
    )  # fmt: skip


def _without_joint(reading: Reading, span: Span) -> Span:
    """Strip a joining word whose other clause may not be shown, and an opening bracket without its closing one."""
    content = reading.turn.content
    if content.startswith("(", span.start) and content.find(")", span.start, span.end) < 0:
        span = Span(span.start + 1, span.end)
    joint = _JOINT.match(content, span.start, span.end)
    return span if joint is None else Span(joint.end(), span.end)


def _with_sentence_before(reading: Reading, span: Span) -> Span | None:
    """Extend a clause that depends on the previous sentence by that sentence; None for any other clause."""
    if not _OF_WHAT_IS_BEFORE.match(reading.turn.content, span.start, span.end):
        return None
    before = next((sentence for sentence in reversed(reading.sentences) if sentence.end <= span.start), None)
    if before is None or reading.turn.content[before.end : span.start] != " " or span.end - before.start > MAX_CLAUSE:
        return None
    return Span(before.start, span.end)


def _pinned(reading: Reading) -> list[AnchorDraft]:
    """Draft the whole of a short pinned turn, or the first sentences of a long one."""
    content = reading.turn.content
    whole = trimmed(content, Span(0, min(len(content), MAX_CLAUSE)))
    if whole.start == whole.end:
        return []
    if len(content) > MAX_CLAUSE:
        ends = [
            sentence.end for sentence in reading.sentences[:SENTENCES_READ] if sentence.end <= whole.start + MAX_CLAUSE
        ]
        cut = content.rfind(" ", whole.start + 1, whole.end)
        end = max(ends, default=0)
        whole = trimmed(content, Span(whole.start, end if end > whole.start else cut if cut > 0 else whole.end))
    return [_draft(reading, AnchorType.CRITICAL_FACT, whole, {"pinned": 100})]
