"""Anchors by rule: verbatim spans, a clause to a few sentences long, that must not be lost.

A draft's text is a slice of its turn by construction. What a clause does is found by `acts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import PASTED, PINNED_RANK, AnchorState, AnchorType, Importance, Role
from turnfold.contract.vectors import NO_VECTORS, Vector
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.acts.before import NOTHING, Before, leaves_open
from turnfold_worker.pipeline.anchors.acts.turn_acts import (
    BARE_VALUE,
    REPLIES,
    SENTENCES_READ,
    YES_TO_A_PROPOSAL,
    turn_acts,
)
from turnfold_worker.pipeline.anchors.assistants import TEXT, Company, companies
from turnfold_worker.pipeline.anchors.bearing import with_bearing
from turnfold_worker.pipeline.anchors.binding import with_what_binds
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft, packed_drafts, settled, unpacked_drafts
from turnfold_worker.pipeline.anchors.heads.head import HEAD, with_head
from turnfold_worker.pipeline.anchors.ranks import STANDING, rank_of
from turnfold_worker.pipeline.anchors.refusals import with_refusals
from turnfold_worker.pipeline.anchors.rules import (
    courtesy_rules,
    reply_rules,
    standing_rules,
    statement_rules,
    wanted_rules,
)
from turnfold_worker.pipeline.anchors.rules.change_rules import SETS_ASIDE, SETS_ASIDE_ALL
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, PERHAPS, Act, Found
from turnfold_worker.pipeline.anchors.standing import points_of, standing_type
from turnfold_worker.pipeline.anchors.statements.asked import asks_outright, wishes_to_know
from turnfold_worker.pipeline.anchors.statements.done import tells_of_done
from turnfold_worker.pipeline.anchors.statements.overrides import is_bare, plans, reach_of
from turnfold_worker.pipeline.anchors.statements.two_things import two_things
from turnfold_worker.pipeline.anchors.worth import Factors, doubts_of, marks_of, score_of
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.facts import VALUES, FactKind
from turnfold_worker.pipeline.language.prose import JOINS, MAX_CLAUSE, Span, clauses, trimmed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words
from turnfold_worker.pipeline.language.words import specific_words, words
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.memo import around_of, made_once
from turnfold_worker.pipeline.turns.reading import Reading

MAX_PER_SEGMENT: Final = 12
_MAX_PER_TURN: Final = {Role.USER: 4, Role.ASSISTANT: 2, Role.TOOL: 1, Role.SYSTEM: 4, Role.DEVELOPER: 4}
_STATEMENTS: Final = frozenset({AnchorType.CRITICAL_FACT, AnchorType.CONSTRAINT})
_MIN_WORDS: Final = 3
_RULED_FROM: Final = 66
"""Points from which a correction stays one though it says what must hold."""
_PREFERRED: Final = {Act.CORRECTION: 12, Act.DECISION: 8, Act.COMMITMENT: 4}
"""Points of preference when a clause does several things: what overtakes or binds tells more than what is asked."""
_PASTED_POINTS: Final = -8
_STEPS: Final = frozenset({"order", "order under a condition", "advice", "proposal", "work named"})
"""Rules of requests that each step of an assistant's explanation makes, also its last: it asks nobody for a deed."""
_DEEDS: Final = frozenset({Act.COMMITMENT, Act.REQUEST})
"""What nobody is bound to who says 'I need to understand …', 'I wonder what could help me'."""
_ASKS_FOR_WORDS: Final = frozenset({"reply wanted", "may i", HEAD})
"""Rules of requests that, with a question mark, want an answer rather than a deed."""
_JOINT: Final = lazy_pattern(
    lambda: (
        rf"(?:{JOINS.pattern.removeprefix('(?i)')})?(?:(?:considering|given)(?: the fact)?(?: that)? "
        r"(?=(?:(?:i|we)(?:['\u2019]\w{1,2})?|(?:my|our) \w{2,20} (?:is|are)) ))?"
    ),
    re.IGNORECASE,
)
"""What only joins a clause to the one before it: 'and', 'but', 'considering'."""
_TYPE_OF: Final = {
    Act.COMMITMENT: AnchorType.COMMITMENT,
    Act.REQUEST: AnchorType.COMMITMENT,
    Act.DECISION: AnchorType.DECISION,
    Act.FACT: AnchorType.CRITICAL_FACT,
    Act.CORRECTION: AnchorType.CORRECTION,
}


def extract_anchors(
    readings: Sequence[Reading], settings: FoldSettings, vectors: Mapping[int, Vector] = NO_VECTORS
) -> tuple[AnchorDraft, ...]:
    """Anchors of one segment, in the order of its text, at most `MAX_PER_SEGMENT` beside those of pinned turns.

    `vectors` are sentence vectors by the number of the turn: with them some are found that no rule tells.
    """
    aims = " ".join((settings.goal or "", *settings.constraints))
    wanted = frozenset(word for word in words(aims) if not is_common(word))
    acts = with_refusals(readings, with_head(readings, segment_acts(readings), vectors))
    acts = [
        [drafted for drafted in done if drafted.act is Act.FACT or not reading.is_pasted(drafted.span)]
        for reading, done in zip(readings, with_what_binds(readings, acts), strict=True)
    ]
    drafts: list[AnchorDraft] = []
    company_of = dict(zip((reading.turn.seq for reading in readings), companies(readings), strict=True))
    for reading, span in _agreed(readings, acts):
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
        drafts.extend(drafted for drafted in of_turn if decided is None or not _overlap(drafted, decided))
    own = [drafted for drafted in drafts if PASTED not in drafted.factors]
    best = _best([settled(draft, readings, own) for draft in drafts], MAX_PER_SEGMENT, standing=MAX_PER_SEGMENT)
    best = with_bearing(best, readings, company_of)
    return tuple(sorted(best, key=lambda draft: (draft.turn_seq, draft.start, draft.end)))


def segment_acts(readings: Sequence[Reading]) -> list[list[Found]]:
    """The acts of each turn of a segment; a tool does nothing."""
    speakers = list(dict.fromkeys(reading.speaker for reading in readings if not reading.tool))
    left_open, asker = NOTHING, ""
    acts: list[list[Found]] = []
    for reading in readings:
        if reading.tool:
            acts.append([])
            continue
        # Who goes on after a question of his own does not answer it.
        acts.append(_acts(reading, left_open if reading.speaker != asker else NOTHING, speakers))
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
    """Those of the best ranks; of a turn twice as many where they tell what must hold or is wanted from now on."""
    # What is done with already takes no place of what is open.
    order = sorted(range(len(drafts)), key=lambda i: (drafts[i].state is not AnchorState.ACTIVE, -drafts[i].rank, i))
    return [
        drafts[i]
        for place, i in enumerate(order)
        if place < (standing if drafts[i].type in STANDING else limit) or drafts[i].rank >= PINNED_RANK
    ]


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
    for candidate in sorted(_candidates(reading, acts, company), key=lambda taken_draft: -taken_draft.points):
        if reading.manual is not None and reading.manual.start <= candidate.span.start < reading.manual.end:
            continue
        # Nobody who pastes a text decides, promises, asks or forbids what stands in it.
        if candidate.kind is not AnchorType.CRITICAL_FACT and reading.is_pasted(candidate.span):
            continue
        plain_text = plain_words(reading.text(candidate.span))
        factors = {candidate.rule: candidate.points, **marks_of(plain_text, reading, candidate.span, wanted, company)}
        if score_of(factors) < least:
            continue
        factors |= doubts_of(candidate.kind, candidate.rule, plain_text, reading, candidate.span, company)
        draft = _draft(reading, candidate.kind, candidate.span, factors, stands=candidate.stands)
        if draft.score >= least and not any(_overlap(taken_draft, draft) for taken_draft in drafts):
            drafts.append(draft)
    if reading.turn.importance is Importance.PIN:
        pinned = _pinned(reading)
        drafts = [
            *pinned,
            *(taken_draft for taken_draft in drafts if not any(_overlap(taken_draft, whole) for whole in pinned)),
        ]
    most_drafts = _MAX_PER_TURN[reading.turn.role]
    return _best(drafts, most_drafts, standing=2 * most_drafts)


def _overlap(draft: AnchorDraft, other: AnchorDraft) -> bool:
    return draft.start < other.end and other.start < draft.end


class _Candidate(NamedTuple):
    kind: AnchorType
    points: int
    span: Span
    rule: str
    stands: bool = False
    """It holds from now on."""


def _candidates(reading: Reading, acts: Sequence[Found], company: Company) -> Iterator[_Candidate]:
    """Of each clause what it does most surely."""
    if reading.tool:
        for error in reading.facts.of(FactKind.ERROR):
            if " " in error.text:
                yield _Candidate(AnchorType.CRITICAL_FACT, 55, Span(error.start, error.end), "error")
        return
    yield from (_Candidate(AnchorType.CRITICAL_FACT, *_setting(reading, span)) for span in _configuration(reading))
    by_clause: dict[Span, list[Found]] = {}
    for act in acts:
        if act.rule not in REPLIES:
            by_clause.setdefault(act.span, []).append(act)
    own = (span for span in by_clause if not reading.is_pasted(span))
    if not company.by_assistant and any(reach_of(reading.text(span)) for span in own):
        yield from (_Candidate(AnchorType.DECISION, 66, span, "plan instead") for span in _plans(reading))
    for span, found_there in by_clause.items():
        plain_text = plain_words(reading.text(span))
        enough = len(plain_text.split()) >= _MIN_WORDS or _in_few_words(plain_text, found_there)
        if enough or not plain_text.isascii():
            for candidate in _of_clause(plain_text, reading, span, found_there, company):
                whole = _with_subject(reading, span) if candidate.rule in statement_rules.OF_WHAT_WAS_NAMED else span
                parts = two_things(reading, whole) if candidate.kind in _STATEMENTS and whole == span else (whole,)
                yield from (candidate._replace(span=part) for part in parts)


def _with_subject(reading: Reading, span: Span) -> Span:
    """A clause that goes on with 'which', with the one before it, which says of what."""
    if not plain_words(reading.text(span)).startswith("which "):
        return span
    for sentence in reading.sentences[:SENTENCES_READ]:
        for clause_before, clause in pairwise(clauses(reading.turn.content, sentence, MAX_CLAUSE)):
            if clause == span and span.end - clause_before.start <= MAX_CLAUSE:
                return Span(clause_before.start, span.end)
    return span


def _plans(reading: Reading) -> Iterator[Span]:
    for sentence in reading.sentences[:SENTENCES_READ]:
        for span in clauses(reading.turn.content, sentence, MAX_CLAUSE):
            text = reading.text(span)
            if plans(text) and not is_bare(text) and not reading.is_pasted(span):
                yield span


def _in_few_words(statement: str, acts: Sequence[Found]) -> bool:
    """Whether few words do something: '9443, typo', 'Scratch that.'."""
    sets_aside = SETS_ASIDE.search(statement) or SETS_ASIDE_ALL.search(statement)
    return sets_aside is not None or any(act.rule == BARE_VALUE for act in acts)


def _of_clause(
    statement: str, reading: Reading, span: Span, acts: Sequence[Found], company: Company
) -> Iterator[_Candidate]:
    if standing_rules.NAMES_RULES.match(statement):
        return
    explains = company.by_assistant and len(reading.turn.content) >= TEXT
    last = bool(reading.sentences) and span.end >= reading.sentences[-1].end
    wishes = wishes_to_know(statement)
    statements = [
        act
        for act in acts
        if act.act is not Act.QUESTION
        and not (explains and act.act is Act.REQUEST and (act.rule in _STEPS or not last))
        and not (wishes and act.act in _DEEDS)
    ]
    best = max(statements, key=lambda one: one.points + _PREFERRED.get(one.act, 0), default=None)
    standing = standing_type(statement, reading, acts, company)
    if standing is not None and not _corrects(best, standing, statement):
        yield _Candidate(standing, points_of(standing, statement), span, str(standing))
    elif tells_of_done(statement) and (best is None or best.act is not Act.CORRECTION):
        points_told = best.points if best is not None and best.act is Act.FACT else 0
        yield _Candidate(AnchorType.CRITICAL_FACT, max(55, points_told), span, "done")
    elif best is not None and best.points >= PERHAPS and not _says_nothing(best, statement, reading):
        asks_words = is_question(statement) and (
            best.rule in _ASKS_FOR_WORDS
            or (best.act is Act.REQUEST and wanted_rules.ASKS_TO_KNOW.search(statement) is not None)
        )
        kind = AnchorType.UNRESOLVED_QUESTION if asks_words else _TYPE_OF[best.act]
        yield _Candidate(kind, best.points, span, best.rule, stands=standing in STANDING)
    elif (
        (is_question(statement) or wishes or asks_outright(statement))
        and not reply_rules.RHETORICAL.match(statement)
        and specific_words(statement)
    ):
        points_asked = 45 if reading.turn.role is Role.USER else 35
        yield _Candidate(AnchorType.UNRESOLVED_QUESTION, points_asked + 5 * last, span, "question")


def _corrects(best: Found | None, standing: AnchorType, statement: str) -> bool:
    """Whether a clause takes something back, whatever it says for all that follows; 'I'd rather …' alone does not."""
    if best is None or best.act is not Act.CORRECTION or best.points < _RULED_FROM:
        return False
    return standing is not AnchorType.PREFERENCE or best.rule != "changed" or "instead" in statement


def _says_nothing(best: Found, statement: str, reading: Reading) -> bool:
    """Politeness, or the announcement of what follows: 'I've got the following code so far:'."""
    if courtesy_rules.POLITE.search(statement) or wanted_rules.ANNOUNCES.match(statement):
        return True
    stated = reading.facts.within(best.span.start, best.span.end)
    if statement.endswith(":") or (statement.endswith("**") and wanted_rules.LABEL.fullmatch(statement)):
        # 'The rule is: never push to main:' says it already.
        named = any(fact.kind in VALUES for fact in stated) if wanted_rules.LABEL.fullmatch(statement) else stated
        return not named and ": " not in statement and best.act is not Act.DECISION
    idle = courtesy_rules.PLEASANT.search(statement) or courtesy_rules.OFFERS_HELP.search(statement)
    return idle is not None and not any(fact.kind in VALUES for fact in stated)


def _configuration(reading: Reading) -> Iterator[Span]:
    content = reading.turn.content
    for block in reading.code:
        for match in statement_rules.CONFIGURATION.finditer(content, block.start, block.end):
            # 'PORT = getenv("PORT")' reads a setting, and says none.
            if "(" not in match[1]:
                yield Span(*match.span(1))


def _setting(reading: Reading, span: Span) -> tuple[int, Span, str]:
    """A line of a configuration with its points: a number is what was set, a word is often an example's."""
    return (90 if any(map(str.isdigit, reading.text(span))) else 60), span, "configuration"


def _agreed(readings: Sequence[Reading], acts: Sequence[Sequence[Found]]) -> Iterator[tuple[Reading, Span]]:
    """What a yes agreed to, with its turn: 'Yes, that is right' says nothing without the proposal before it."""
    for proposal, reply in zip(readings, acts[1:], strict=False):
        if (
            proposal.sentences
            and _waits(proposal)
            and (len(proposal.turn.content) < TEXT or proposal.facts.within(*_ends(proposal)))
            and any(act_found.rule == YES_TO_A_PROPOSAL and act_found.points >= ENOUGH for act_found in reply)
        ):
            yield proposal, _proposed(proposal)


def _waits(reading: Reading) -> bool:
    plain_text = plain_words(reading.text(reading.sentences[-1]))
    if is_question(plain_text) and wanted_rules.WORDS_WANTED.search(plain_text) and "confirm" not in plain_text:
        # 'Do you have any recommendations?' proposes nothing.
        return False
    return (
        is_question(plain_text) or "confirm" in plain_text or plain_text.startswith(("you want", "you would", "you'd"))
    )


def _ends(reading: Reading) -> tuple[int, int]:
    return reading.sentences[-1].start, reading.sentences[-1].end


def _proposed(reading: Reading) -> Span:
    """The sentence that says most of what is proposed, of the last three."""
    last = reading.sentences[-3:] if len(reading.turn.content) < TEXT else reading.sentences[-1:]
    span = max(
        last,
        key=lambda sentence: (len(reading.facts.within(sentence.start, sentence.end)), sentence.end - sentence.start),
    )
    return clauses(reading.turn.content, span, MAX_CLAUSE)[0]


def _draft(reading: Reading, kind: AnchorType, span: Span, factors: Factors, *, stands: bool = False) -> AnchorDraft:
    span = _without_joint(reading, span)
    text = reading.text(span)
    if reading.is_pasted(span):
        factors = {**factors, PASTED: _PASTED_POINTS}
    score = score_of(factors)
    return AnchorDraft(
        type=kind, text=text, turn_seq=reading.turn.seq, start=span.start, end=span.end, score=score,
        rank=rank_of(kind, score, reading.turn.importance, stands=stands), tokens=estimate_tokens(text),
        speaker=reading.speaker, role=reading.turn.role, factors=dict(factors), said_on=reading.day,
    )  # fmt: skip


def _without_joint(reading: Reading, span: Span) -> Span:
    """A clause without what joins it to one that may not stand beside it."""
    joint = _JOINT.match(reading.turn.content, span.start, span.end)
    return span if joint is None else Span(joint.end(), span.end)


def _pinned(reading: Reading) -> list[AnchorDraft]:
    """The whole of a short pinned turn, else its first sentences."""
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
