"""Differences between two anchors: another value of the same thing, another word, another order."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, bare_value, own_words, same_person, same_speaker
from turnfold_worker.pipeline.anchors.reconcile.subjects import of_other_things
from turnfold_worker.pipeline.anchors.rules import statement_rules
from turnfold_worker.pipeline.anchors.statements.completion_reports import ANY_FORM
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, FactKind
from turnfold_worker.pipeline.language.quantities import sort_of_amount
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.language.words import words
from turnfold_worker.pipeline.turns.reading import is_participant

_LEAST_SLIPPED: Final = 4
"""Minimum length of a value for which a difference in one or two characters counts as a typo."""
_MOST_SLIPPED: Final = 2
_LEAST_SAME: Final = 4
"""Minimum number of words of two sentences that differ in one word."""
_TIME: Final = lazy_pattern(r"\d:\d|\d\s?[aApP]\.?[mM]")
_ASSIGNED: Final = lazy_pattern(
    r"^(?:(?:so|and|by the way|also|fyi)[,:]? )?"
    r"(?P<subject>(?:the|my|our|your|his|her|their) [^,.;:!?]{2,60}?) (?:is|are|=)"
    r"(?: now| actually)?:? (?P<value>\S+(?: \S+){0,2}?)(?: now)?[.!]?$"
)
"""'The wifi password is tulip-12.'"""
_NUMBERED: Final = lazy_pattern(
    r"(?<!\w)(?:(?!(?:an|as|at|by|if|in|is|of|on|or|so|to|up) )[a-z]{2,20} |#)(?P<number>\d{1,9}+) "
    r"(?:is|are|was|were|isn't|aren't|wasn't|weren't|must|may|can|can't|should|will|won't|has|have|hasn't|haven't|had|"
    r"needs?|does|do|did|doesn't|don't|didn't|works|supports|covers|runs)(?!\w)"
)
_CALLED: Final = lazy_pattern(
    r"(?<!\w)(?:number|no\.|nr\.|item|row|room|step|part|chapter|page|#) ?(?P<number>\d{1,9}+)(?![\w%]|[.,:]\d)"
)
"""'We looked at fence number 3.'"""
_DONE_TO: Final = lazy_pattern(
    rf"(?<!\w)(?:{ANY_FORM}) (?:the |our |my |your |their )?(?!(?:version|port|level|step) )[a-z]{{3,20}} "
    r"(?P<number>\d{1,9}+)(?![\w%]|[.,:]\d)"
)
"""'I sent report 3.'"""
_SUBJECT: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:the|my|our|your|his|her|their|its) (?!(?:other|first|second|last|one|right|correct)(?!\w))"
    r"(?P<subject>[a-z][\w'-]{2,30}(?: [a-z][\w'-]{2,30})?) "
    r"(?:is|are|was|were|has|have|had|must|should|will|needs?|holds?|takes?|costs?|starts?|ends?|runs?|listens?|stays?)(?!\w)"
)
_SAID_BEFORE: Final = lazy_pattern(r"(?i)(?<!\w)(?:i|we) (?:said|wrote|told you) ([^,;.!?]{1,40})")
_ANY_NUMBER: Final = lazy_pattern(r"\d+(?:[.,:]\d+)*")
_ANY_WORD: Final = lazy_pattern(r"[\w'-]+")
_MONTHS: Final = lazy_pattern(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)")

_ANOTHER_KIND: Final = listed(
    "return outbound connecting backup spare secondary temporary interim private personal sister former"
)
"""Words that distinguish a thing from another of its kind."""


def orders_otherwise(new: Known, old: Known) -> bool:
    """Check whether two standing orders about the same thing differ: 'answer in German', 'in French'."""
    if not (same_speaker(new, old) and old.order and new.order and old.said != new.said):
        return False
    return new.order == old.order and new.tokens != old.tokens


def others(known_anchor: Known, other: Known, kind: FactKind) -> tuple[str, ...]:
    """Return the facts of a kind that an anchor states, without people addressed and denied values ('not Tuesday')."""
    speakers = [each.anchor.speaker for each in (known_anchor, other) if each.anchor.speaker]
    stated = known_anchor.text.partition(", not ")[0]
    return tuple(
        text
        for text in known_anchor.facts.texts(kind)
        if text in stated
        and not is_participant(text, speakers)
        and not (kind in NAMES and stated.rstrip("!.?").endswith(f", {text}"))
    )


def contradicts(known_anchor: Known) -> bool:
    """Check whether an anchor says that someone else was wrong."""
    return statement_rules.CONTRADICTION.search(known_anchor.said) is not None


def one_word_apart(known_anchor: Known, other: Known) -> bool:
    """Check whether each has one content word of its own: 'the room is the blue one', 'the room is the green one'."""
    return known_anchor.negations == other.negations and len(own_words(known_anchor, other)) == 1 == len(
        own_words(other, known_anchor)
    )


def same_but_for_a_word(known_anchor: Known, other: Known) -> bool:
    """Check whether all words but one are equal after a correction opener: 'wait, we'll take the blue one'."""
    ours, theirs = (re.split(r"[,:] ", each.said)[-1].rstrip("!.").split() for each in (known_anchor, other))
    pairs = zip(ours, theirs, strict=False)
    return len(ours) == len(theirs) >= _LEAST_SAME and sum(word != other_word for word, other_word in pairs) == 1


def another_value(known_anchor: Known, other: Known, kind: FactKind, *, of_any_unit: bool = False) -> bool:
    """Check whether both state one value of a kind and of the same unit or form of date, and the values differ.

    `of_any_unit`: a number without a unit may be compared with one that has a unit.
    """
    ours, theirs = (_by_sort(others(*pair, kind), kind) for pair in ((known_anchor, other), (other, known_anchor)))
    if of_any_unit and len(ours) == 1 == len(theirs) and kind is FactKind.NUMBER and ("" in ours or "" in theirs):
        ours, theirs = ({"": next(iter(each.values()))} for each in (ours, theirs))
    return any(
        len(ours[sort]) == 1 == len(theirs[sort]) and not same_value(ours[sort][0], theirs[sort][0])
        for sort in ours.keys() & theirs
    )


def of_another_number(known_anchor: Known, other: Known) -> bool:
    """Check whether numbers identify two different things: 'room 12 is free', 'room 14 is free'."""
    return _numbers_of(known_anchor) != _numbers_of(other)


def _numbers_of(one: Known) -> set[str]:
    """Return the numbers that identify things: 'room 12 is free'."""
    found = {match["number"] for pattern in (_NUMBERED, _DONE_TO, _CALLED) for match in pattern.finditer(one.said)}
    return found - set(_ANY_NUMBER.findall(" ".join(one.facts.texts(FactKind.DATE))))


def denies_of_another_number(known_anchor: Known, other: Known) -> bool:
    """Check whether one denies of a numbered thing what the other says of another: 'PR 8 is not merged', 'PR 7 is'."""
    if known_anchor.negations == other.negations:
        return False
    ours, theirs = _numbers_of(known_anchor), _numbers_of(other)
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def narrower(known_anchor: Known, other: Known) -> bool:
    """Check whether one covers only a part of the other: 'we ship the beta on 12 June', 'we ship on 5 June'."""
    values = [plain_words(text) for text in known_anchor.facts.texts(*VALUES)]
    words_before = known_anchor.said[: min((at for at in map(known_anchor.said.find, values) if at >= 0), default=0)]
    named = frozenset(words(words_before))
    return any(word in named for word in own_words(known_anchor, other)) and not [
        word for word in own_words(other, known_anchor) if not any(map(str.isdigit, word))
    ]


def is_told_apart(new: Known, old: Known) -> bool:
    """Check whether a qualifier distinguishes their subjects: 'our return flight', 'the backup server'."""
    return _ANOTHER_KIND.isdisjoint(new.tokens) is not _ANOTHER_KIND.isdisjoint(old.tokens)


def about_another(new: Known, old: Known) -> bool:
    """Check whether two similar anchors are about different things.

    Either the new anchor says which value was wrong and the old one states another, or the word before a shared noun
    differs: 'the wallet service', 'the portal service'.
    """
    taken_back = [*statement_rules.TAKEN_BACK.findall(new.said), *_SAID_BEFORE.findall(new.said)]
    wrong = set(_ANY_NUMBER.findall(" ".join(taken_back)))
    stated = set(_ANY_NUMBER.findall(old.said))
    if wrong and not wrong & stated:
        return True
    if of_other_things(new, old):
        return True
    ours, theirs = _told_apart_by(new), _told_apart_by(old)
    return any(
        not ours[thing] & theirs[thing] and not ours[thing] & old.words.keys() and not theirs[thing] & new.words.keys()
        for thing in ours.keys() & theirs
    )


def _told_apart_by(known_anchor: Known) -> dict[str, set[str]]:
    """Map each specific word to the specific words directly before it."""
    words_before_thing: dict[str, set[str]] = {}
    for word_before, thing in pairwise(_ANY_WORD.findall(known_anchor.said.lower())):
        if (
            word_before in known_anchor.specific
            and thing in known_anchor.specific
            and word_before.isalpha()
            and thing.isalpha()
        ):
            words_before_thing.setdefault(thing, set()).add(word_before)
    return words_before_thing


def has_a_subject_of_its_own(new: Known, old: Known) -> bool:
    """Check whether a correction names a subject that the other lacks: 'the cache holds 500 entries'."""
    subjects = [match["subject"].lower().split() for match in _SUBJECT.finditer(new.said)]
    spoken = set(_ANY_WORD.findall(old.said.lower()))
    return bool(subjects) and not any(word in spoken for subject in subjects for word in subject)


def same_value(one: str, other: str) -> bool:
    """Check whether one value contains the other: '3 May 2026' and '3 May', '47 seats' and '47'."""
    ours, theirs = (frozenset(bare_value(text).split()) for text in (one, other))
    return ours <= theirs or theirs <= ours


def _by_sort(texts: tuple[str, ...], kind: FactKind) -> dict[str, list[str]]:
    by_sort: dict[str, list[str]] = {}
    for text in texts:
        by_sort.setdefault(sort_of(text, kind), []).append(text)
    return by_sort


def sort_of(text: str, kind: FactKind) -> str:
    """Return the unit of a number, or whether a date is a weekday, a time or a day."""
    if kind is FactKind.NUMBER:
        return sort_of_amount(text)
    if _TIME.search(text):
        return "time"
    return "weekday" if text.endswith(("day", "days")) and not any(map(str.isdigit, text)) else "day"


def assigns_otherwise(known_anchor: Known, other: Known) -> bool:
    """Check whether both assign the same thing, with different values that have digits: 'the password is tulip-12'."""
    ours = _ASSIGNED.match(known_anchor.said)
    theirs = _ASSIGNED.match(other.said) if ours else None
    if not ours or not theirs or ours["subject"] != theirs["subject"] or ours["value"] == theirs["value"]:
        return False
    return all(any(map(str.isdigit, each["value"])) for each in (ours, theirs)) and same_person(known_anchor, other)


def nearly_same_value(known_anchor: Known, other: Known) -> bool:
    """Check whether two values may differ by a typo: '88231' and '88213', or two days of one month."""
    ours, theirs = (set(each.facts.texts(FactKind.NUMBER, FactKind.IDENTIFIER)) for each in (known_anchor, other))
    if any(_slipped(text, other_text) for text in ours - theirs for other_text in theirs - ours):
        return True
    days = [[_MONTHS.findall(text) for text in each.facts.texts(FactKind.DATE)] for each in (known_anchor, other)]
    return any(month and month in days[1] for month in days[0])


def _slipped(text: str, statement: str) -> bool:
    differing = sum(a != b for a, b in zip(text, statement, strict=False))
    return len(text) == len(statement) >= _LEAST_SLIPPED and 0 < differing <= _MOST_SLIPPED
