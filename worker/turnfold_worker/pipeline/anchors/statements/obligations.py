"""What a statement forbids, demands, allows or excuses, so that a permission can lift an earlier prohibition.

'You may use tabs now' lifts 'never use tabs'; 'it's fine to deploy the docs now' does not lift 'never deploy on
Fridays', because it allows less than the rule forbids.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words


class Duty(StrEnum):
    """The ruling on a deed."""

    EXCUSED = "excused"
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    DEMANDED = "demanded"
    IGNORED = "ignored"
    """Earlier statements about it no longer count."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruling of a clause on a deed."""

    duty: Duty
    words: frozenset[str]
    """Roots of the words that describe the deed, without verbs common to all deeds."""
    lasts: bool
    """The ruling holds beyond this once: 'again', 'any time', 'no longer'."""


_PHRASES: Final = {
    Duty.IGNORED: r"""
        (?<!don't )(?<!do not )(?<!never )(?<!i )(?:ignore|disregard|forget(?: about)?)(?= (?:the|my|our|that|those|
        what)\b)|(?:doesn't|does not|don't|do not|no longer) (?:apply|applies|count|counts|hold|holds)|
        (?:is|are|was|were|has been|have been) (?:lifted|off the table|waived|withdrawn|cancelled|
        canceled|called off)
    """,
    Duty.EXCUSED: r"""
        (?:don't|doesn't|do not|does not|didn't) (?:have|need) to|need(?:n't| not)|no need (?:to|for)|
        no longer (?:need|needs|have to|has to|require|requires|required|necessary|mandatory)|
        (?:isn't|aren't|is not|are not|not) (?:required|needed|necessary|mandatory)|(?:is|are) (?:now )?optional
    """,
    Duty.FORBIDDEN: r"""
        never|(?:don't|do not)(?: ever)?|(?:must|may|should|shall|can)(?:n't| not)|cannot|
        (?:isn't|aren't|not) (?:allowed|permitted)|(?:nobody|no one) (?:may|can|is allowed|is permitted)|
        forbidden|prohibited|(?:^|please )(?:stop|avoid|no more|quit|no(?! (?:problem|worries|idea|doubt|way|wonder|
        thanks|one|longer|later|less|fewer|need)\b)(?=[ ]))
    """,
    Duty.ALLOWED: r"""
        (?<!how )(?:may|can)(?! (?:you|we|i|they|he|she|it)\b)|(?:it's|it is|is|are|that's)(?: now)?(?: perfectly|
        totally| absolutely)? (?:fine|ok|okay|all right|alright|safe|allowed|permitted)|feel free|go ahead and|
        no problem (?:to|with)
    """,
    Duty.DEMANDED: r"""
        always|must|(?:has|have|needs?) to|(?:is|are) (?:required|mandatory)|needs|(?:be|make) sure|^please
    """,
}
_SO_AGAIN: Final = (Duty.ALLOWED, lazy_pattern(r"(?<!\w)(?:again|now)(?!\w)"))
"""'We ship to Norway again': a permission without a word for allowing."""
_TRIGGERS: Final = (
    *((duty, lazy_pattern(rf"(?<!\w)(?:{joined(phrases)})(?!\w)")) for duty, phrases in _PHRASES.items()),
    _SO_AGAIN,
)
LASTS: Final = lazy_pattern(
    r"(?<!\w)(?:again|any ?more|any ?time|any longer|no longer|whenever|after all|always|from now on|from here on|"
    r"in future|in general|going forward|from today)(?!\w)"
)
"""The ruling holds beyond this once."""
_DENIES: Final = lazy_pattern(r"(?<!\w)(?:not|no|never|none|nobody|cannot|\w+n't)(?!\w)")
_ENDED: Final = lazy_pattern(rf"(?<!\w)no longer(?!\w)|{_DENIES.pattern}.{{1,60}}?(?:any ?more|any longer)(?!\w)")
"""A former state that no longer holds."""
_NO_MORE: Final = lazy_pattern(rf"(?<!\w)(?:no longer|any ?more|any longer)(?!\w)|{_DENIES.pattern}")
_CLAUSES: Final = lazy_pattern(
    r"[,;:.!?](?=\s|$)|\s(?:because|since|as|so|but|unless|until|though|(?:that |which )?(?:we|i|you) (?:talked|said|"
    r"mentioned|agreed|discussed|had|spoke)|and(?= (?:don't|do not|never|always|you|we|it's)\b))(?!\w)"
)
_AROUND: Final = lazy_pattern(r"(?<!\w)(?:in|for|on|of) (?:this|our|your|my) \w+")
"""'In this repo' says no more than 'here'."""
_EMPTY: Final = listed("""
    a an the this that these those any all some each every it its i you we they he she me us them him her my your our
    their everybody everyone anyone anybody people nobody one ones is are was were be been being am do does did doing
    don't done have has had having will would shall should can could may might must need needs want wants please now
    again anymore anymore longer time times always never ever today tomorrow week month day days here there to of in on
    at by for from with without into onto over under about after before during between as and or if not no yes too
    also just only even still then than so well okay ok fine alright safe allowed permitted required sure it's that's
    you're we're i'm there's don't use uses using used touch touching edit editing change changing changed write
    writing make making take put get go going set give sure actually what when where who how
    i've we've they've he's she's
    apply applies future general forward own more first currently back file files folder directory repo repository
""")
"""Words that do not distinguish one deed from another."""
_ROOT: Final = 5
_PLANS: Final = frozenset({"plan", "idea", "appro", "propo", "optio"})
"""Roots of words for a plan, which say nothing about its content."""
_ENDING: Final = lazy_pattern(r"(?<=\w{3})(?:ing|ed|es|s|e)$")
_WORD: Final = lazy_pattern(r"[^\W_][\w'./-]*")
_FEW: Final = 2
"""Number of content words up to which one of them is enough to identify a statement."""
_MOST: Final = 6
"""Number of words above which a deed is too specific to compare, so that it neither lifts nor is lifted."""


@lru_cache(maxsize=1_024)
def duties_of(text: str) -> tuple[Ruled, ...]:
    """Return the rulings of the clauses of a short text; empty for a question."""
    plain_text = plain_words(text)
    if is_question(plain_text):
        return ()
    lasts = LASTS.search(plain_text) is not None
    ruled = []
    for clause in _CLAUSES.split(plain_text):
        about = _AROUND.sub(" ", clause)
        for duty, trigger in _TRIGGERS:
            if trigger.search(about):
                words = deed_words(trigger.sub(" ", about))
                if 0 < len(words) <= _MOST:
                    ruled.append(Ruled(duty, words, lasts))
                break
    return tuple(ruled)


def deed_words(statement: str) -> frozenset[str]:
    """Return the roots of the words for the deed and its object."""
    return frozenset(deed_words_in_order(statement))


def deed_words_in_order(statement: str) -> tuple[str, ...]:
    """Return the same roots in text order."""
    words = (word.strip("'./-").removesuffix("'s") for word in _WORD.findall(statement))
    return tuple(_root(word) for word in words if word and word not in _EMPTY)


def _root(word: str) -> str:
    """Return the root of a word ('sign' of 'signed', 'deplo' of 'deploying'); tokens with other signs stay whole."""
    if not word.isalpha():
        return word
    return _ENDING.sub("", word)[:_ROOT]


_OVERTURNS: Final = {
    (Duty.ALLOWED, Duty.FORBIDDEN),
    (Duty.EXCUSED, Duty.DEMANDED),
    (Duty.FORBIDDEN, Duty.ALLOWED),
    (Duty.FORBIDDEN, Duty.DEMANDED),
    (Duty.DEMANDED, Duty.FORBIDDEN),
    (Duty.DEMANDED, Duty.EXCUSED),
}


def overturns(new: Ruled, old: Ruled) -> bool:
    """Check whether a later ruling reverses an earlier one on the same deed or, if it lasts, on a narrower one."""
    if (new.duty, old.duty) not in _OVERTURNS:
        return False
    lifts = new.duty in {Duty.ALLOWED, Duty.EXCUSED}
    return new.words == old.words or (lifts and new.lasts and new.words < old.words)


def takes_back_all(new: str, old: str) -> bool:
    """Check whether a later statement reverses every ruling of an earlier one that has at least one.

    >>> takes_back_all("You may now use tabs.", "Never use tabs in this repo.")
    True
    >>> takes_back_all("You may use tabs in the Makefile now.", "Never use tabs.")
    False
    """
    ours, theirs = duties_of(new), duties_of(old)
    if not ours or not theirs or _states_more(old):
        return False
    return all(any(overturns(ruling, other) for ruling in ours) for other in theirs)


def _states_more(text: str) -> bool:
    """Check whether a clause without a ruling contains a digit, which would be lost with the rest."""
    unruled = (
        clause for clause in _CLAUSES.split(plain_words(text)) if not any(t.search(clause) for _, t in _TRIGGERS)
    )
    return any(char.isdigit() for clause in unruled for char in clause)


def sets_aside(new: str, old: str) -> bool:
    """Check whether a later statement says that something an earlier one names no longer counts.

    Everything it names must be in the earlier one.

    >>> sets_aside("You can ignore the budget cap we talked about.", "The budget cap is 40,000 euros.")
    True
    >>> sets_aside("She isn't allergic to nuts anymore.", "My daughter is allergic to nuts.")
    True
    """
    ignored, ended = _withdrawn(new)
    if not (ignored or ended):
        return False
    earlier_text = plain_words(old)
    there = deed_words(earlier_text)
    if any((words - _PLANS or words) <= there for words in ignored):
        return True
    # One word of many is not enough: 'we have no nuts any more' does not end 'she is allergic to nuts'.
    least = 1 if len(there) <= _FEW else 2
    return any(len(words) >= least and words <= there for words in ended) and not _DENIES.search(earlier_text)


@lru_cache(maxsize=1_024)
def _withdrawn(text: str) -> tuple[tuple[frozenset[str], ...], tuple[frozenset[str], ...]]:
    """Return what a short text says to ignore and what it says has ended; cached since it is compared with many."""
    ignored = tuple(one.words for one in duties_of(text) if one.duty is Duty.IGNORED)
    plain_text = plain_words(text)
    if is_question(plain_text):
        return ignored, ()
    ended = (deed_words(_NO_MORE.sub(" ", one)) for one in _CLAUSES.split(plain_text) if _ENDED.search(one))
    return ignored, tuple(ended)
