"""Candidates for anchors: the most certain act of each clause of a turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import STANDING_TYPES, AnchorType, Role
from turnfold_worker.pipeline.anchors.assistants import TEXT, Company
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import BARE_VALUE, REPLIES, SENTENCES_READ
from turnfold_worker.pipeline.anchors.heads.head import HEAD
from turnfold_worker.pipeline.anchors.rules import (
    courtesy_rules,
    reply_rules,
    standing_rules,
    statement_rules,
    wanted_rules,
)
from turnfold_worker.pipeline.anchors.rules.change_rules import SETS_ASIDE, SETS_ASIDE_ALL
from turnfold_worker.pipeline.anchors.rules.rule import PERHAPS, Act, Found
from turnfold_worker.pipeline.anchors.standing import (
    insisted_on,
    points_by_words,
    points_of,
    standing_type,
    stands_by_words,
)
from turnfold_worker.pipeline.anchors.statements.attributes import attributes_of
from turnfold_worker.pipeline.anchors.statements.completion_reports import tells_of_done
from turnfold_worker.pipeline.anchors.statements.overrides import is_bare, plans, reach_of
from turnfold_worker.pipeline.anchors.statements.question_split import asks_outright, wishes_to_know
from turnfold_worker.pipeline.anchors.statements.repairs import sets_right
from turnfold_worker.pipeline.language.facts import VALUES, FactKind
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span, clauses
from turnfold_worker.pipeline.language.spoken import is_question, plain_words
from turnfold_worker.pipeline.language.words import specific_words
from turnfold_worker.pipeline.turns.reading import Reading

_STATEMENTS: Final = frozenset({AnchorType.CRITICAL_FACT, AnchorType.CONSTRAINT})
_MIN_WORDS: Final = 3
_RULED_FROM: Final = 66
"""Points from which a correction remains one even if it also states a rule."""
_SET_RIGHT: Final = 84
"""Points of a statement joined with its repair, more than the repair alone has, so that both become one anchor."""
_PREFERRED: Final = {Act.CORRECTION: 12, Act.DECISION: 8, Act.COMMITMENT: 4}
"""Bonus points for choosing among the acts of a clause: an act that supersedes or commits says more than a request."""
_STEPS: Final = frozenset({"order", "order under a condition", "advice", "proposal", "work named"})
"""Request rules that match each step of an assistant's explanation, even the last, without asking for a deed."""
_DEEDS: Final = frozenset({Act.COMMITMENT, Act.REQUEST})
"""Acts that 'I need to understand …' or 'I wonder what could help me' do not commit anyone to."""
_ASKS_FOR_WORDS: Final = frozenset({"reply wanted", "may i", HEAD})
"""Request rules that, in a question, ask for an answer rather than a deed."""
_TYPE_OF: Final = {
    Act.COMMITMENT: AnchorType.COMMITMENT,
    Act.REQUEST: AnchorType.COMMITMENT,
    Act.DECISION: AnchorType.DECISION,
    Act.FACT: AnchorType.CRITICAL_FACT,
    Act.CORRECTION: AnchorType.CORRECTION,
}

_AND: Final = lazy_pattern(
    r"[,;] (?:and|but) (?=(?:the|my|our|your|his|her|its|their)\s[^,;.:!?]{2,60}?\s"
    r"(?:is|are|must|has|have|goes|listens|runs|costs|stays|starts|ends)\s)",
    re.IGNORECASE,
)
_JOINT: Final = lazy_pattern(r",? and ")


class Candidate(NamedTuple):
    """A type under which a clause may be kept, with its certainty."""

    kind: AnchorType
    points: int
    span: Span
    rule: str
    stands: bool = False
    """The clause holds from now on."""


def candidates_of(reading: Reading, acts: Sequence[Found], company: Company) -> Iterator[Candidate]:
    """Yield the most certain candidates for each clause of a turn."""
    if reading.tool:
        for error in reading.facts.of(FactKind.ERROR):
            if " " in error.text:
                yield Candidate(AnchorType.CRITICAL_FACT, 55, Span(error.start, error.end), "error")
        return
    yield from _configuration(reading)
    yield from (
        Candidate(AnchorType.CONSTRAINT, points_of(AnchorType.CONSTRAINT), span, "insisted on")
        for span in insisted_on(reading, company)
    )
    by_clause: dict[Span, list[Found]] = {}
    for act in acts:
        if act.rule not in REPLIES:
            by_clause.setdefault(act.span, []).append(act)
    own = (span for span in by_clause if not reading.is_pasted(span))
    if not company.by_assistant and any(reach_of(reading.text(span)) for span in own):
        yield from (Candidate(AnchorType.DECISION, 66, span, "plan instead") for span in _plans(reading))
    yield from _by_words(reading, by_clause, company)
    for span, found_there in by_clause.items():
        plain_text = plain_words(reading.text(span))
        enough = len(plain_text.split()) >= _MIN_WORDS or _in_few_words(plain_text, found_there)
        if enough or not plain_text.isascii():
            for candidate in _of_clause(plain_text, reading, span, found_there, company):
                yield from _whole(candidate, reading)


def _by_words(reading: Reading, by_clause: Mapping[Span, list[Found]], company: Company) -> Iterator[Candidate]:
    """Yield clauses, or else sentences, that hold by wording alone, unless they overlap a correction."""
    if company.by_assistant:
        return
    taking_back = [span for span, acts in by_clause.items() if any(act.act is Act.CORRECTION for act in acts)]
    for sentence in reading.sentences[:SENTENCES_READ]:
        parts = clauses(reading.turn.content, sentence, MAX_CLAUSE)
        by_part = _standing_by_words(parts, reading, company)
        for candidate in by_part or _standing_by_words([sentence] * (len(parts) > 1), reading, company):
            if not any(candidate.span.start < span.end and span.start < candidate.span.end for span in taking_back):
                yield candidate


def _standing_by_words(spans: Sequence[Span], reading: Reading, company: Company) -> list[Candidate]:
    judged = [(stands_by_words(plain_words(reading.text(span)), reading, company), span) for span in spans]
    return [Candidate(sure.kind, points_by_words(sure), span, HEAD) for sure, span in judged if sure is not None]


def _whole(candidate: Candidate, reading: Reading) -> Iterator[Candidate]:
    """Extend a candidate by its subject and its repair, or split it where it states two things."""
    span = candidate.span
    whole = _with_subject(reading, span) if candidate.rule in statement_rules.OF_WHAT_WAS_NAMED else span
    if (set_right := _with_repair(reading, whole)) != whole:
        yield candidate._replace(span=set_right, points=max(candidate.points, _SET_RIGHT))
        return
    parts = _two_things(reading, whole) if candidate.kind in _STATEMENTS and whole == span else (whole,)
    yield from (candidate._replace(span=part) for part in parts)


def _two_things(reading: Reading, span: Span) -> tuple[Span, ...]:
    """Split a clause into two statements if each states something exactly.

    'The port is 8443, and the contact is ops@velt.example' states a port and a contact.
    """
    content = reading.turn.content
    match = _AND.search(content, span.start, span.end)
    if match is not None:
        parts = (Span(span.start, match.start()), Span(match.end(), span.end))
        return parts if all(reading.facts.within(part.start, part.end) for part in parts) else (span,)
    for joint in _JOINT.finditer(content, span.start, span.end):
        parts = (Span(span.start, joint.start()), Span(joint.end(), span.end))
        if _state_apart(*(content[part.start : part.end] for part in parts)):
            return parts
    return (span,)


def _state_apart(one: str, other: str) -> bool:
    """Check whether two texts state values of different attributes: 'I'm 60', 'earning $85,000'."""
    ours, theirs = ({each.name for each in attributes_of(text) if each.changes} for text in (one, other))
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _with_subject(reading: Reading, span: Span) -> Span:
    """Extend a clause that begins with 'which' by the clause before it, which names the subject."""
    if not plain_words(reading.text(span)).startswith("which "):
        return span
    for sentence in reading.sentences[:SENTENCES_READ]:
        for clause_before, clause in pairwise(clauses(reading.turn.content, sentence, MAX_CLAUSE)):
            if clause == span and span.end - clause_before.start <= MAX_CLAUSE:
                return Span(clause_before.start, span.end)
    return span


def _with_repair(reading: Reading, span: Span) -> Span:
    """Extend a statement by a repair right after it: 'The budget is 2,000 euros. No, 3,500.'."""
    following = next((sentence for sentence in reading.sentences if sentence.start >= span.end), None)
    if (
        following is None
        or following.end - span.start > MAX_CLAUSE
        or reading.turn.content[span.end : following.start].strip()
    ):
        return span
    return Span(span.start, following.end) if sets_right(reading.text(span), reading.text(following)) else span


def _plans(reading: Reading) -> Iterator[Span]:
    for sentence in reading.sentences[:SENTENCES_READ]:
        for span in clauses(reading.turn.content, sentence, MAX_CLAUSE):
            text = reading.text(span)
            if plans(text) and not is_bare(text) and not reading.is_pasted(span):
                yield span


def _in_few_words(statement: str, acts: Sequence[Found]) -> bool:
    """Check whether a short clause performs an act: '9443, typo', 'Scratch that.'."""
    sets_aside = SETS_ASIDE.search(statement) or SETS_ASIDE_ALL.search(statement)
    return sets_aside is not None or any(act.rule == BARE_VALUE for act in acts)


def _of_clause(
    statement: str, reading: Reading, span: Span, acts: Sequence[Found], company: Company
) -> Iterator[Candidate]:
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
        yield Candidate(standing, points_of(standing, statement), span, str(standing))
    elif tells_of_done(statement) and (best is None or best.act is not Act.CORRECTION):
        points_told = best.points if best is not None and best.act is Act.FACT else 0
        yield Candidate(AnchorType.CRITICAL_FACT, max(55, points_told), span, "done")
    elif best is not None and best.points >= PERHAPS and not _says_nothing(best, statement, reading):
        asks_words = is_question(statement) and (
            best.rule in _ASKS_FOR_WORDS
            or (best.act is Act.REQUEST and wanted_rules.ASKS_TO_KNOW.search(statement) is not None)
        )
        kind = AnchorType.UNRESOLVED_QUESTION if asks_words else _TYPE_OF[best.act]
        yield Candidate(kind, best.points, span, best.rule, stands=standing in STANDING_TYPES)
    elif (
        (is_question(statement) or wishes or asks_outright(statement))
        and not (reply_rules.RHETORICAL.match(statement) or reply_rules.WONDERS.match(statement))
        and specific_words(statement)
    ):
        points_asked = 45 if reading.turn.role is Role.USER else 35
        yield Candidate(AnchorType.UNRESOLVED_QUESTION, points_asked + 5 * last, span, "question")


def _corrects(best: Found | None, standing: AnchorType, statement: str) -> bool:
    """Check whether a clause corrects something even if it also states a rule; 'I'd rather …' alone does not."""
    if best is None or best.act is not Act.CORRECTION or best.points < _RULED_FROM:
        return False
    return standing is not AnchorType.PREFERENCE or best.rule != "changed" or "instead" in statement


def _says_nothing(best: Found, statement: str, reading: Reading) -> bool:
    """Check for politeness or for an announcement of what follows: 'I've got the following code so far:'."""
    if courtesy_rules.POLITE.search(statement) or wanted_rules.ANNOUNCES.match(statement):
        return True
    stated = reading.facts.within(best.span.start, best.span.end)
    if statement.endswith(":") or (statement.endswith("**") and wanted_rules.LABEL.fullmatch(statement)):
        # 'The rule is: never push to main:' already states the rule.
        named = any(fact.kind in VALUES for fact in stated) if wanted_rules.LABEL.fullmatch(statement) else stated
        return not named and ": " not in statement and best.act is not Act.DECISION
    idle = courtesy_rules.PLEASANT.search(statement) or courtesy_rules.OFFERS_HELP.search(statement)
    return idle is not None and not any(fact.kind in VALUES for fact in stated)


def _configuration(reading: Reading) -> Iterator[Candidate]:
    content = reading.turn.content
    for block in reading.code:
        for match in statement_rules.CONFIGURATION.finditer(content, block.start, block.end):
            # 'PORT = getenv("PORT")' reads a setting but states none.
            if "(" not in match[1]:
                # A number was set on purpose, while a word is often from an example.
                points = 90 if any(map(str.isdigit, match[1])) else 60
                yield Candidate(AnchorType.CRITICAL_FACT, points, Span(*match.span(1)), "configuration")
