"""Detection of standing statements: limits, instructions, preferences and decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import AnchorType, Role
from turnfold_worker.pipeline.anchors.assistants import TEXT, Company
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import SENTENCES_READ
from turnfold_worker.pipeline.anchors.heads.statement_kinds import Judgement, judged
from turnfold_worker.pipeline.anchors.rules import standing_rules, statement_rules
from turnfold_worker.pipeline.anchors.rules.rule import Act, Found
from turnfold_worker.pipeline.anchors.statements.temporal_scope import is_bygone
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span, clauses
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes
from turnfold_worker.pipeline.turns.reading import Reading

_POINTS: Final = {AnchorType.CONSTRAINT: 82, AnchorType.INSTRUCTION: 82, AnchorType.PREFERENCE: 72}
_LESS_THAN_A_PHRASE: Final = 2
MOST_POINTS_BY_WORDS: Final = _POINTS[AnchorType.CONSTRAINT] - _LESS_THAN_A_PHRASE
"""Points of a limit or order that `stands_by_words` accepts with full margin."""
_MIN_WORDS: Final = 3
_LIKED: Final = 62
"""Points of something that the speaker only loves or enjoys."""
_DECIDED: Final = 62
_MOST_WORDS: Final = 30
_LEAST_MARGIN, _LEAST_MARGIN_IN_A_TEXT = 100, 200
"""Minimum margins of `judged`; higher in long turns, where much is about others."""
_FOR_ONCE: Final = lazy_pattern(
    r"(?<!\w)(?:today|tonight|tomorrow|this (?:time|once|one|morning|afternoon|evening)|for (?:now|once|the moment)|"
    r"right now|just now)(?!\w)"
)
_FULL_MARGIN, _MARGIN_OF_A_POINT = 250, 10
"""The margin that earns all points, and the missing margin that costs one point."""


def points_of(kind: AnchorType, statement: str = "") -> int:
    """Return the points of a normalized clause that `standing_type` assigned to a type."""
    likes = kind is AnchorType.PREFERENCE and not standing_rules.PREFERENCE.search(statement)
    return _LIKED if likes else _POINTS[kind]


def points_by_words(judgement: Judgement) -> int:
    """Return the points of a judgement of `stands_by_words`, below those of a matching phrase of the same type.

    Decisions have fewer points, so that they are shown only if they name something or state a value.
    """
    if judgement.kind is AnchorType.DECISION:
        return _DECIDED
    short_of_all = (_FULL_MARGIN - min(judgement.margin, _FULL_MARGIN)) // _MARGIN_OF_A_POINT
    return _POINTS[judgement.kind] - _LESS_THAN_A_PHRASE - short_of_all


def standing_type(statement: str, reading: Reading, acts: Sequence[Found], company: Company) -> AnchorType | None:
    """Return the standing type of a normalized clause, or None.

    Assistants set no limits and have no tastes, and instructions need an assistant among the speakers.
    """
    if company.by_assistant or reading.tool:
        return None
    ordered = standing_rules.INSTRUCTION.search(statement) is not None
    # 'When I ask about costs, give both' opens like a question.
    asks = is_question(statement) and not standing_rules.ORDERS_BY_ASKING.search(statement)
    if asks and "please" not in statement and (not ordered or statement.endswith("?")):
        return None
    if (_to_assistant(reading, company) and ordered) or any(act.rule == statement_rules.STANDS.name for act in acts):
        return AnchorType.INSTRUCTION
    if (
        standing_rules.CONSTRAINT.search(statement)
        and not standing_rules.NOTES_DOWN.match(statement)
        and not is_bygone(statement)
        and not statement_rules.CONDITIONAL.search(statement)
    ):
        return AnchorType.CONSTRAINT
    if standing_rules.BODILY.search(statement):
        return None
    likes = any(act.act is Act.FACT and act.rule == "preference" for act in acts)
    return AnchorType.PREFERENCE if likes or standing_rules.PREFERENCE.search(statement) else None


def stands_by_words(statement: str, reading: Reading, company: Company) -> Judgement | None:
    """Return the judgement of `judged` on a normalized clause or sentence, if it can be trusted.

    None if the margin is too small, for speakers that `standing_type` skips, and for questions, quotations, the past
    and one-off wishes.
    """
    if company.by_assistant or reading.tool or not _MIN_WORDS <= len(statement.split()) <= _MOST_WORDS:
        return None
    if is_question(statement) or is_bygone(statement) or without_quotes(statement) != statement:
        return None
    if _FOR_ONCE.search(statement) or standing_rules.BODILY.search(statement):
        return None
    judgement = judged(statement)
    if judgement.margin < (_LEAST_MARGIN if len(reading.turn.content) < TEXT else _LEAST_MARGIN_IN_A_TEXT):
        return None
    # People mention tastes to each other all the time, and take no orders.
    personal = judgement.kind in {AnchorType.INSTRUCTION, AnchorType.PREFERENCE}
    return None if personal and not _to_assistant(reading, company) else judgement


def _to_assistant(reading: Reading, company: Company) -> bool:
    role = reading.turn.role
    return company.with_assistant or role in {Role.SYSTEM, Role.DEVELOPER} or reading.turn.name is None


def insisted_on(reading: Reading, company: Company) -> Iterator[Span]:
    """Yield clauses that a following phrase turns into limits: 'The old doors stay. Not negotiable.'."""
    content = reading.turn.content
    if company.by_assistant or not standing_rules.INSISTED.search(content):
        return
    spans = [span for sentence in reading.sentences[:SENTENCES_READ] for span in clauses(content, sentence, MAX_CLAUSE)]
    for before, span in pairwise(spans):
        if not standing_rules.INSISTS.match(plain_words(reading.text(span))) or reading.is_pasted(before):
            continue
        statement = plain_words(reading.text(before))
        hangs_on = statement_rules.CONDITIONAL.search(statement) and not standing_rules.FORBIDS.search(statement)
        if is_question(statement) or is_bygone(statement) or hangs_on:
            continue
        # A very short clause is kept with the phrase that insists on it: 'No marble. My one veto.'.
        yield before if len(statement.split()) >= _MIN_WORDS else Span(before.start, span.end)
