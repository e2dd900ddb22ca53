"""In what two anchors differ: another value of the same thing, another word, another order."""

from __future__ import annotations

import re
from typing import Final

from turnfold_worker.pipeline import statement_rules
from turnfold_worker.pipeline.facts import FactKind
from turnfold_worker.pipeline.likeness import Known, own_words, same_person, same_speaker
from turnfold_worker.pipeline.reading import is_participant

_LEAST_SLIPPED: Final = 4
"""Characters of a value from which one that differs in one or two places is taken for a slip of the hand."""
_MOST_SLIPPED: Final = 2
_TIME: Final = re.compile(r"\d:\d|\d\s?[aApP]\.?[mM]")
_ASSIGNED: Final = re.compile(
    r"^(?:(?:so|and|by the way|also|fyi)[,:]? )?"
    r"(?P<subject>(?:the|my|our|your|his|her|their) [^,.;:!?]{2,60}?) (?:is|are|=)"
    r"(?: now| actually)?:? (?P<value>\S+(?: \S+){0,2}?)(?: now)?[.!]?$"
)
"""'The wifi password is tulip-12.'"""
_MONTHS: Final = re.compile(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)")


def orders_otherwise(new: Known, old: Known) -> bool:
    """True when both tell what is wanted from now on, of one thing and differently: 'answer in German', 'in French'."""
    if not (same_speaker(new, old) and old.order and new.order and old.said != new.said):
        return False
    return new.order == old.order and new.tokens != old.tokens


def others(one: Known, other: Known, kind: FactKind) -> tuple[str, ...]:
    """What it states of a kind: not who is called by name, nor what it denies: 'Wednesday, not Tuesday'."""
    speakers = [each.anchor.speaker for each in (one, other) if each.anchor.speaker]
    stated = one.anchor.text.partition(", not ")[0]
    return tuple(
        text
        for text in one.facts.texts(kind)
        if text in stated and not is_participant(text, speakers) and not stated.rstrip("!.?").endswith(f", {text}")
    )


def contradicts(one: Known) -> bool:
    """Whether it says that somebody else was wrong."""
    return statement_rules.CONTRADICTION.search(one.said) is not None


def one_word_apart(one: Known, other: Known) -> bool:
    """Whether each has one telling word of its own: 'the room is the blue one', 'the room is the green one'."""
    return one.negations == other.negations and len(own_words(one, other)) == 1 == len(own_words(other, one))


def another_value(one: Known, other: Known, kind: FactKind, *, of_any_unit: bool = False) -> bool:
    """Whether both state one value of a kind, not the same one: of one unit, or both a weekday, a time or a day.

    `of_any_unit`: where one of two numbers has no unit, it may be of that of the other.
    """
    ours, theirs = (_by_sort(others(*pair, kind), kind) for pair in ((one, other), (other, one)))
    if of_any_unit and len(ours) == 1 == len(theirs) and kind is FactKind.NUMBER and ("" in ours or "" in theirs):
        ours, theirs = ({"": next(iter(each.values()))} for each in (ours, theirs))
    return any(
        len(ours[sort]) == 1 == len(theirs[sort]) and ours[sort] != theirs[sort] for sort in ours.keys() & theirs
    )


def _by_sort(texts: tuple[str, ...], kind: FactKind) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in texts:
        found.setdefault(_sort_of(text, kind), []).append(text)
    return found


def _sort_of(text: str, kind: FactKind) -> str:
    """The unit of a number; whether a date is a weekday, a time or a day."""
    if kind is FactKind.NUMBER:
        return "$" if text[:1] in "$£€¥" else text.lstrip("+-0123456789.,").strip().rstrip("s")
    if _TIME.search(text):
        return "time"
    return "weekday" if text.endswith(("day", "days")) and not any(map(str.isdigit, text)) else "day"


def assigns_otherwise(one: Known, other: Known) -> bool:
    """Whether both say what one thing is, in a word with a digit, and differently: 'the password is tulip-12'."""
    ours, theirs = _ASSIGNED.match(one.said), _ASSIGNED.match(other.said)
    if not ours or not theirs or ours["subject"] != theirs["subject"] or ours["value"] == theirs["value"]:
        return False
    return all(any(map(str.isdigit, each["value"])) for each in (ours, theirs)) and same_person(one, other)


def nearly_same_value(one: Known, other: Known) -> bool:
    """Whether both state a value that a slip of the hand may turn into the other's: '88231' and '88213', or days."""
    ours, theirs = (set(each.facts.texts(FactKind.NUMBER, FactKind.IDENTIFIER)) for each in (one, other))
    if any(_slipped(text, said) for text in ours - theirs for said in theirs - ours):
        return True
    days = [[_MONTHS.findall(text) for text in each.facts.texts(FactKind.DATE)] for each in (one, other)]
    return any(month and month in days[1] for month in days[0])


def _slipped(text: str, said: str) -> bool:
    differing = sum(a != b for a, b in zip(text, said, strict=False))
    return len(text) == len(said) >= _LEAST_SLIPPED and 0 < differing <= _MOST_SLIPPED
