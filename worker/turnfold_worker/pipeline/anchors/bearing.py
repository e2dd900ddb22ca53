"""How relevant an anchor is to later answers: little for a passing remark, much for a fact about who someone is.

Bearing only affects the rank of anchors that are already selected; none are added or dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.records import PASTED, AnchorType, Role
from turnfold.dates.spans import RECURRING
from turnfold_worker.pipeline.anchors.assistants import Company
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.ranks import ANSWERED_AT_ONCE, Bearing, borne_rank
from turnfold_worker.pipeline.anchors.rules import lasting_rules, reply_rules, statement_rules, wanted_rules
from turnfold_worker.pipeline.anchors.standing import MOST_POINTS_BY_WORDS
from turnfold_worker.pipeline.language.facts import VALUES, Fact, FactKind
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE
from turnfold_worker.pipeline.language.spoken import is_question, plain_words
from turnfold_worker.pipeline.turns.reading import Reading

_SET: Final = frozenset({"configuration", "pinned"})
"""Fact rules whose anchors keep the rank of their type."""
_OPENING: Final = 2
"""Number of opening sentences in which a reply may say that it has no answer yet."""
_LONG: Final = 4
"""Maximum number of sentences of a reply that puts a question off."""
_LEFT_OPEN: Final = (
    reply_rules.NO_ANSWER, wanted_rules.PUT_OFF, statement_rules.LATER, lasting_rules.STILL_OPEN,
)  # fmt: skip
_LASTS: Final = (lasting_rules.IDENTITY, lasting_rules.AIM, lasting_rules.DENIAL, lasting_rules.VALUE_NOW)
_RULES: Final = frozenset({Role.SYSTEM, Role.DEVELOPER})
"""Roles whose requests are binding without a date."""


def with_bearing(
    drafts: Sequence[AnchorDraft], readings: Sequence[Reading], company_of: Mapping[int, Company]
) -> list[AnchorDraft]:
    """Return the anchors of a segment, each re-ranked by its bearing."""
    by_seq = {reading.turn.seq: at for at, reading in enumerate(readings)}
    ranked: list[AnchorDraft] = []
    for draft in drafts:
        at = by_seq[draft.turn_seq]
        reading = readings[at]
        bearing = bearing_of(draft, reading, company_of[draft.turn_seq])
        if draft.type is AnchorType.UNRESOLVED_QUESTION and _is_talked_over(draft, readings[at:]):
            bearing = Bearing.PASSING
        rank = borne_rank(draft.type, draft.score, reading.turn.importance, bearing)
        rank = rank if draft.answer is None else ANSWERED_AT_ONCE
        ranked.append(draft if rank is None else replace(draft, rank=rank))
    return ranked


def bearing_of(draft: AnchorDraft, reading: Reading, company: Company) -> Bearing:
    """Return how far an anchor bears on later answers."""
    plain_text = plain_words(draft.text)
    if draft.type is AnchorType.CRITICAL_FACT:
        return _of_fact(draft, plain_text, company)
    passes = {
        AnchorType.COMMITMENT: _has_no_day,
        AnchorType.PREFERENCE: _is_for_once,
        AnchorType.DECISION: _is_told,
        AnchorType.CORRECTION: _only_contradicts,
    }.get(draft.type)
    return Bearing.PASSING if passes is not None and passes(draft, plain_text, reading, company) else Bearing.BY_TYPE


def bearing_by_words(sure: int, statement: str, stated: Sequence[Fact]) -> Bearing:
    """Return the bearing of a limit or order recognized by wording alone, from its points and the facts it states."""
    # 'I'm away on Thursday' is over on Friday.
    dated = any(fact.kind is FactKind.DATE for fact in stated) and not RECURRING.search(statement)
    return Bearing.LASTING if sure >= MOST_POINTS_BY_WORDS and not dated else Bearing.BY_WORDS


def _of_fact(draft: AnchorDraft, statement: str, company: Company) -> Bearing:
    if not _SET.isdisjoint(draft.factors):
        return Bearing.BY_TYPE
    if company.by_assistant or draft.role is Role.TOOL or PASTED in draft.factors or is_question(statement):
        return Bearing.PASSING
    if lasting_rules.HEALTH.search(statement):
        return Bearing.HEALTH
    return Bearing.LASTING if any(rule.search(statement) for rule in _LASTS) else Bearing.PASSING


def _has_no_day(draft: AnchorDraft, _said: str, reading: Reading, _company: Company) -> bool:
    """Check whether a deed has no date, or only a relative one ('tomorrow') in a turn without a timestamp."""
    if reading.turn.role in _RULES:
        return False
    days = [fact.text for fact in reading.facts.within(draft.start, draft.end) if fact.kind is FactKind.DATE]
    return not any(reading.turn.created_at is not None or any(map(str.isdigit, day)) for day in days)


def _is_for_once(_draft: AnchorDraft, statement: str, _reading: Reading, _company: Company) -> bool:
    return lasting_rules.ONCE.search(statement) is not None


def _is_told(draft: AnchorDraft, statement: str, reading: Reading, company: Company) -> bool:
    """Check whether people tell each other about a decision that contains no value."""
    if company.with_assistant or not lasting_rules.TELLS.search(statement):
        return False
    return not any(fact.kind in VALUES for fact in reading.facts.within(draft.start, draft.end))


def _only_contradicts(draft: AnchorDraft, statement: str, reading: Reading, _company: Company) -> bool:
    """Check whether the speaker only says that someone else is wrong."""
    valued = any(fact.kind in VALUES for fact in reading.facts.within(draft.start, draft.end))
    return not valued and statement_rules.SETS_RIGHT.search(statement) is not None


def _is_talked_over(draft: AnchorDraft, readings: Sequence[Reading]) -> bool:
    """Check whether another speaker took the floor after a question without putting it off.

    `readings` begin with the turn of the question. Without a reply, only a question without a question mark counts as
    talked over.
    """
    reply = next(
        (
            reading
            for reading in readings
            if not reading.tool and reading.speaker != draft.speaker and reading.sentences
        ),
        None,
    )
    if reply is None:
        return not draft.text.rstrip().endswith("?")
    if len(reply.sentences) > _LONG:
        return True
    opening = " ".join(plain_words(reply.text(sentence)[:MAX_CLAUSE]) for sentence in reply.sentences[:_OPENING])
    return not any(rule.search(opening) for rule in _LEFT_OPEN)
