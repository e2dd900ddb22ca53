"""Filter for clauses that only sound like a promise or a request: farewells, cheers and wishes bind no one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role
from turnfold_worker.pipeline.anchors.rules.courtesy_rules import AND_ASKS, IDLE, TOLD
from turnfold_worker.pipeline.anchors.rules.deed_rules import COMMITMENTS, REQUESTS
from turnfold_worker.pipeline.anchors.rules.rule import Act, Found
from turnfold_worker.pipeline.language.facts import NAMES, VALUES
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.turns.memo import made_once
from turnfold_worker.pipeline.turns.reading import Reading


class Hearer(Enum):
    """The addressee of a clause."""

    PERSON = "person"
    ASSISTANT = "assistant"
    USER = "user"
    """The user, when the speaker is an assistant."""


_WANTS: Final = r"(?<!\w)i(?:'m| am|'ve been| have been)? (?:(?:also|really|just|still|now|only) ){0,2}"
_NOT_IDLE: Final = "to (?:ask|talk|speak|discuss|return|buy|book|order)"
_AIM: Final = {
    Hearer.PERSON: lazy_pattern(
        rf"{_WANTS}(?:(?:want(?:ed)?|trying|hoping|looking|wish)(?! {_NOT_IDLE}) to|wanna)(?!\w){AND_ASKS}"
    ),
    Hearer.ASSISTANT: lazy_pattern(
        rf"{_WANTS}(?:want(?:ed)?|need(?:ed)?|trying|hoping|looking) to (?:(?:really|just) )?(?:make sure|ensure|"
        rf"be (?:sure|able|confident|certain))(?!\w){AND_ASKS}|^(?:and |but )?so (?:that )?(?:i|we) can(?!\w){AND_ASKS}"
        r"|(?<!\w)go easy on (?:me|us)(?!\w)|(?<!\w)i(?:'ll| will) (?:(?:just|first|now|then|probably) ){0,2}"
        r"(?:start|begin|go on|continue|move on)(?= (?:with|by|from|to)(?!\w)|[,.!]|$)"
    ),
    Hearer.USER: lazy_pattern(
        rf"(?<!\w)i can (?:definitely |certainly |absolutely )?(?:help|assist|guide) you(?!\w){AND_ASKS}"
    ),
}
"""A personal aim, a starting point, or an assistant's offer that is fulfilled as it is made."""
_GAP: Final = "; "
_MARKS: Final = " ,.;:!?-\u2013\u2014"
_FEW_WORDS: Final = 2
"""Maximum number of words besides idle phrases for a clause to state nothing."""
_DEED_RULES: Final = (*COMMITMENTS, *REQUESTS)
_DEEDS: Final = frozenset({Act.COMMITMENT, Act.REQUEST})
_NOTHING: Final[frozenset[Act]] = frozenset()


def binds_somebody(statement: str, hearer: Hearer, *, exact: bool) -> bool:
    """Check whether a normalized clause still promises or asks for something without its idle phrases.

    With `exact` the clause states a value: 'See you later' is a farewell, 'I'll see you later, at 7' is more than that.

    >>> binds_somebody("keep it up, you are great", Hearer.PERSON, exact=False)
    False
    >>> binds_somebody("keep it up and send me the draft", Hearer.PERSON, exact=False)
    True
    """
    left = _AIM[hearer].sub(_GAP, TOLD.sub(_GAP, statement if exact else IDLE.sub(_GAP, statement))).strip(_MARKS)
    return left == statement.strip(_MARKS) or any(rule.pattern.search(left) for rule in _DEED_RULES)


def with_what_binds(readings: Sequence[Reading], acts: Sequence[Sequence[Found]]) -> list[list[Found]]:
    """Remove promises and requests that bind no one from the acts, and facts from clauses that state nothing else."""
    assisted = any(_is_nameless(reading, Role.ASSISTANT) for reading in readings)
    return [
        list(_binding(reading, acts_of_turn, _hearer(reading, assisted=assisted)))
        for reading, acts_of_turn in zip(readings, acts, strict=True)
    ]


def _is_nameless(reading: Reading, role: Role) -> bool:
    return reading.turn.role is role and reading.turn.name is None


def _hearer(reading: Reading, *, assisted: bool) -> Hearer:
    if _is_nameless(reading, Role.ASSISTANT):
        return Hearer.USER
    return Hearer.ASSISTANT if assisted or reading.turn.name is None else Hearer.PERSON


def _binding(reading: Reading, acts: Sequence[Found], hearer: Hearer) -> Iterator[Found]:
    left_out: dict[Span, frozenset[Act]] = {}
    for span in {act.span for act in acts if act.act in _DEEDS}:
        if not_bound := _not_bound(reading, span, hearer):
            left_out[span] = not_bound
    yield from (act for act in acts if act.act not in left_out.get(act.span, _NOTHING))


def _not_bound(reading: Reading, span: Span, hearer: Hearer) -> frozenset[Act]:
    """Return the acts to remove from a span that sounds like a promise or a request."""
    return made_once(
        reading.memo, f"idle {span.start} {span.end}", hearer.value, lambda: _idle_acts(reading, span, hearer),
        pack=sorted, unpack=lambda acts: frozenset(map(Act, acts)),
    )  # fmt: skip


def _idle_acts(reading: Reading, span: Span, hearer: Hearer) -> frozenset[Act]:
    plain_text = plain_words(reading.text(span))
    stated = {fact.kind for fact in reading.facts.within(span.start, span.end)}
    if binds_somebody(plain_text, hearer, exact=not stated.isdisjoint(VALUES)):
        return _NOTHING
    empty = stated.isdisjoint((*VALUES, *NAMES)) and (
        hearer is Hearer.ASSISTANT or len(IDLE.sub(_GAP, plain_text).strip(_MARKS).split()) <= _FEW_WORDS
    )
    return _DEEDS | ({Act.FACT} if empty else _NOTHING)
