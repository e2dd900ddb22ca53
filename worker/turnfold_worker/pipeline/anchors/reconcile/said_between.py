"""What was said between a statement and a correction without a subject, which refers to the last value said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.reconcile.differences import others, same_value, sort_of
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, same_root, shared
from turnfold_worker.pipeline.anchors.reconcile.subjects import does_the_same
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, FactKind, extract_facts
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.quantities import in_one_form
from turnfold_worker.pipeline.language.spoken import is_question, plain_words
from turnfold_worker.pipeline.turns.reading import Reading, is_participant

_MOST_CHARS: Final = 4_000
"""Length of a text above which it is not read, and counts as stating another value."""
_ASKS_A_VALUE: Final = lazy_pattern(
    r"(?<!\w)(?:how (?:many|much|long|often|old|far|big)|when|what (?:time|day|date|number|size|price)|"
    r"which (?:time|day|date|number|size))(?!\w)"
)
_FOR: Final = lazy_pattern(r"(?<!\w)for (?:the|my|our|your|his|her|their) (?P<thing>[a-z][\w-]{1,30})")

Value = tuple[str, str]
"""A value after its sort: values of one sort may take each other's place."""


def is_for_another(new: Known, old: Known) -> bool:
    """Check whether a correction names a thing that the other lacks: 'make it 80 for the lamp'."""
    named = _FOR.search(new.said)
    return named is not None and not any(same_root(named["thing"], word) for word in old.tokens if word)


def is_last_said(new: Known, old: Known) -> bool:
    """Check that the one value a correction may refer to is that of an earlier statement.

    Between the two nobody states another value, the speaker asks nothing, and nobody asks for a value. Where the turns
    between are unknown, both must share a telling word or a verb, or be about the speaker and state no number or date.
    """
    if new.turns_before is None or not any(reading.turn.seq == old.anchor.turn_seq for reading in new.turns_before):
        of_self = new.begins_with_self and old.begins_with_self and not new.values
        return of_self or does_the_same(new, old) or shared(new, old, least=2) > 0
    kinds, ours, theirs = _differing(new, old)
    if len({value for value in theirs if _may_replace(ours, value)}) > len(ours):
        return False
    speakers = [each.anchor.speaker for each in (new, old) if each.anchor.speaker]

    def is_another(value: Value) -> bool:
        is_known = any(same_value(value[1], text) for text in (*new.facts.texts(*kinds), *old.facts.texts(*kinds)))
        return _may_replace(ours, value) and not is_known and not is_participant(value[1], speakers)

    between = [(reading, _between(reading, new, old)) for reading in new.turns_before if not reading.tool]
    return not any(
        span.end - span.start > _MOST_CHARS
        or _asks(reading, span, new)
        or any(map(is_another, _values_in(reading.text(span), kinds)))
        for reading, span in between
        if span.start < span.end
    )


def _between(reading: Reading, new: Known, old: Known) -> Span:
    """Return the part of a turn after the old statement and before the new one."""
    seq = reading.turn.seq
    start = old.anchor.end if seq == old.anchor.turn_seq else 0
    end = new.anchor.start if seq == new.anchor.turn_seq else len(reading.turn.content)
    return Span(start, end) if old.anchor.turn_seq <= seq <= new.anchor.turn_seq else Span(0, 0)


def _asks(reading: Reading, between: Span, new: Known) -> bool:
    """Check whether a turn asks for a value there, or the corrector asks anything."""
    asked = (
        plain_words(reading.text(sentence))
        for sentence in reading.sentences
        if between.start <= sentence.start and sentence.end <= between.end
    )
    own = reading.speaker == new.anchor.speaker
    return any(is_question(plain) and (own or _ASKS_A_VALUE.search(plain)) for plain in asked)


def _differing(new: Known, old: Known) -> tuple[tuple[FactKind, ...], list[Value], list[Value]]:
    """Return the numbers and dates that one of two statements has, or the names if no numbers or dates differ."""
    for kinds in (VALUES, NAMES):
        ours, theirs = (
            [(_sort(text, kind), text) for kind in kinds for text in others(*pair, kind)]
            for pair in ((new, old), (old, new))
        )
        mine = [value for value in ours if not _is_one_of(value, theirs)]
        if mine and theirs:
            return kinds, mine, [value for value in theirs if not _is_one_of(value, ours)]
    return (), [], []


def _values_in(text: str, kinds: Iterable[FactKind]) -> list[Value]:
    facts = extract_facts(in_one_form(text))
    return [(_sort(stated, kind), stated) for kind in kinds for stated in facts.texts(kind)]


def _sort(text: str, kind: FactKind) -> str:
    if kind in NAMES:
        return kind
    sort = sort_of(text, kind)
    if kind is FactKind.NUMBER:
        return sort and f"of {sort}"
    return "time" if sort == "time" else "day"


def _may_replace(ours: Iterable[Value], value: Value) -> bool:
    """Check whether a value may be what one of a correction is instead of; a bare number fits all but days."""
    return any(sort == value[0] or ("" in {sort, value[0]} and "day" not in {sort, value[0]}) for sort, _ in ours)


def _is_one_of(value: Value, known: Iterable[Value]) -> bool:
    return any(same_value(value[1], other) for _, other in known)
