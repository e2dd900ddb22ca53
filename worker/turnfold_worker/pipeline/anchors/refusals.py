"""Refusals such as 'No, I want a car', which correct something only if they state another value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import NO_TO_A_PROPOSAL
from turnfold_worker.pipeline.anchors.reconcile.differences import same_value, sort_of
from turnfold_worker.pipeline.anchors.rules.rule import Act, Found
from turnfold_worker.pipeline.language.facts import VALUES, extract_facts
from turnfold_worker.pipeline.language.quantities import in_one_form
from turnfold_worker.pipeline.language.refusal import proposes
from turnfold_worker.pipeline.language.spoken import is_question, plain_words
from turnfold_worker.pipeline.turns.reading import Reading

_NO: Final = r"^(?:(?:oh|well|um|uh|hm+),? )?(?:no|nope|nah)(?: (?:thanks|thank you))?[,.!;]? "
_STATES: Final = lazy_pattern(
    rf"{_NO}(?:it|that|this|they|he|she|there|i (?:said|meant|mean|asked|was)|i'm|my|the|actually|wait|sorry)"
    r"(?:'s|'re)?(?!\w)"
)
"""A correction of what was asked: 'No, it's on 7 May'."""
_WISHES: Final = lazy_pattern(
    rf"{_NO}(?:(?:but|and|then|rather|please) )?(?:i(?:'d| would| will|'ll)? (?:also |really |just |rather |only )?"
    r"(?:want|need|prefer|like|love|have|take|rather)|(?:please )?(?:make|let's|change|play|share|book|use|take|get|"
    rf"give|find|look|send|try|show|search)|for|in|on|at|to|from)(?!\w)|{_NO}not [^,.;:]{{1,60}}\W*$"
)
"""'No, I want …', 'No, book …', 'No, not that one'."""


def with_refusals(readings: Sequence[Reading], acts: Sequence[Sequence[Found]]) -> list[list[Found]]:
    """Turn corrections that only refuse what was asked or proposed into facts."""
    corrected: list[list[Found]] = []
    question, asker = "", ""
    for reading, acts_of_turn in zip(readings, acts, strict=True):
        answers = question if reading.speaker != asker else ""
        corrected.append([_as_it_is(act, reading, answers) for act in acts_of_turn] if answers else list(acts_of_turn))
        if reading.sentences and not reading.tool:
            last = reading.text(reading.sentences[-1])
            question, asker = (last if is_question(last) or proposes(last) else ""), reading.speaker
    return corrected


def _as_it_is(act: Found, reading: Reading, question: str) -> Found:
    if act.act is not Act.CORRECTION:
        return act
    text = reading.text(act.span)
    plain_text = plain_words(text)
    refuses = _WISHES.match(plain_text) or (act.rule == NO_TO_A_PROPOSAL and not _STATES.match(plain_text))
    return act if not refuses or _gives_another_value(text, question) else replace(act, act=Act.FACT)


def _gives_another_value(text: str, question: str) -> bool:
    """Check whether both texts state a value of one kind and unit, and the values differ: '4 people' for '3 people'."""
    ours, theirs = (
        {(fact.kind, sort_of(fact.text, fact.kind), fact.text) for fact in facts.of(*VALUES)}
        for facts in map(extract_facts, map(in_one_form, (text, question)))
    )
    return any(
        (kind, sort) == (other, of) and not same_value(value, other_value)
        for kind, sort, value in ours
        for other, of, other_value in theirs
    )
