"""Whether two anchors are about one thing, by the words around values, by past events and by what is taken back."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, same_root
from turnfold_worker.pipeline.anchors.rules.frame_rules import UNREAL
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, extract_facts
from turnfold_worker.pipeline.language.spoken import plain_words

_WORD: Final = lazy_pattern(r"[^\W\d_][\w'-]*")
_LEAST_LETTERS: Final = 3
_TELLS_NO_SUBJECT: Final = listed("""
    the and but for now all any are was were will has have had does did can may must should would could shall not its
    this that these those there here from into with about than then just also still only actually sorry correction
    decision wrong mistaken mean meant said thought think well okay yes yeah nope wait rather instead new old current
    set fixed due planned scheduled moved changed agreed decided confirmed updated raised lowered reduced increased
    postponed starts start begins begin ends end takes take took place happens runs run goes costs cost is leaves
    leave departs arrives arrive lands stays stay remains opens open closes close our your his her their mine
    want wants need needs like likes prefer prefers being been get gets got
    make made please let let's what when where which who how why day date time
    latest exactly about around nearly almost roughly until before after between under over within
""")
"""Words around a value that describe how it is stated, not what it belongs to."""
_HAPPENED: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:yesterday|last (?:night|week|weekend|month|year|summer|winter|spring|autumn|fall|time|\w+day)|
    (?:\w+ )?(?:days?|weeks?|weekends?|months?|years?) (?:ago|earlier)|the other (?:day|week|night)|
    this (?:morning|past \w+))(?!\w)
""")
)
_WAS: Final = lazy_pattern(r"(?<!\w)(?:is|are|was|were)(?!\w)")
_LIFTS: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:no longer|not any ?more|(?:doesn't|don't|does not|do not) (?:apply|count|hold) any ?more|
    (?:is|are) (?:gone|off the table|lifted)|forget (?:about )?(?:the|our|my))(?!\w)
""")
)
_NUMBER: Final = lazy_pattern(r"\d+(?:[.,:]\d+)*")
_SEVERAL: Final = 2
_CLAUSES: Final = lazy_pattern(r"[,;:.!?](?=\s|$)|\s(?:and|but|so)(?= (?:we|it|i|let's|they|the)(?!\w))")
_NAMES_OF_PLANS: Final = frozenset({"plan", "plans", "idea", "approach", "proposal", "option", "table", "longer"})
"""Words for what is taken back that say nothing about its subject."""
_POINTS: Final = lazy_pattern(r"(?<!\w)(?:it|it's|that|that's|this|them|they)(?!\w)")
_PARTS: Final = lazy_pattern(r"[,;:](?=\s)")
_ENDS: Final = lazy_pattern(r"[,;:.!?](?=\s)|\s(?:because|since|so|and|but|as|if|unless|when|while|after)(?!\w)")
_SUPPOSED: Final = lazy_pattern(
    r"^(?:(?:so|and|but|now|ok|okay),? )?(?:for example|for instance|an? example|e\.g\.|imagine|suppose|supposing|"
    r"assume|assuming|say(?=,)|let's (?:say|suppose|assume|imagine)|hypothetically|in theory|what if)(?!\w)"
)


_ADDS: Final = lazy_pattern(
    r"(?<=\w )also(?!\w)|(?<!\w)(?:as well|another|additionally|in addition|besides|on top of that|"
    r"(?:a|my|our|the) second(?= [a-z]{3})|(?:my|our|the) other(?= (?!(?:day|week|night|one)(?!\w))[a-z]{3}))(?!\w)"
)


_NOT_NEEDED: Final = lazy_pattern(r"(?<!\w)(?:\w+n't|not|no longer) (?:need|want|require)s? [^,;:.!?]*")


def adds_another(plain: str) -> bool:
    """Check whether a text adds one more of several things: 'it also listens on port 9090', 'a second budget'."""
    return _ADDS.search(_NOT_NEEDED.sub(" ", plain)) is not None


_DOES: Final = lazy_pattern(
    r"(?<!\w)(?:it|they|he|she|(?:the|my|our) (?:[\w-]{1,20} ){1,3}?)(?: now)? ?"
    r"(?P<verb>[a-z]{3,15}s)(?: (?:from|at|on|in|to|with|by|under|for))(?!\w)"
)


def does_something_else(new: Known, old: Known) -> bool:
    """Check whether a correction has a verb of action that the old statement lacks: 'it leaves from Gate C9'."""
    deed = _DOES.search(new.said)
    return deed is not None and not any(same_root(deed["verb"], word) for word in old.tokens if word)


def does_the_same(new: Known, old: Known) -> bool:
    """Check whether a correction has a verb of action in common with the old statement: 'it leaves at 8:10'."""
    return _DOES.search(new.said) is not None and not does_something_else(new, old)


def told_of(one: Known) -> frozenset[str]:
    """Return the words for what a value belongs to, around it up to a comma or reason; empty without a value."""
    plain = one.said
    values = [plain_words(text) for text in one.facts.texts(*VALUES)]
    places = [at for at in map(plain.find, values) if at >= 0]
    if not places:
        return frozenset()
    at = min(places)
    start = max((mark.end() for mark in _PARTS.finditer(plain, 0, at)), default=0)
    end = next((mark.start() for mark in _ENDS.finditer(plain, at)), len(plain))
    stated = {word for text in values for word in text.split()}
    told_words = (word.removesuffix("'s") for word in _WORD.findall(plain[start:end]))
    return frozenset(
        word.removesuffix("s")
        for word in told_words
        if len(word) >= _LEAST_LETTERS and word not in _TELLS_NO_SUBJECT and word not in stated
    )


def of_other_things(new: Known, old: Known) -> bool:
    """Check whether each names a thing of its own for its value: 'the left pump', 'Tom arrives on 12 May'."""
    if _POINTS.search(new.said):
        # 'Raise it to 8' refers to the earlier statement.
        return False
    ours, theirs = told_of(new), told_of(old)
    return _has_own(ours, theirs) and _has_own(theirs, ours)


def _has_own(some: frozenset[str], other_words: frozenset[str]) -> bool:
    return any(not any(same_root(word, other) for other in other_words) for word in some)


def supposes(plain: str) -> bool:
    """Check whether a text opens with a made-up case: 'suppose the fee is 5 euros'."""
    return _SUPPOSED.match(plain) is not None


@lru_cache(maxsize=1_024)
def is_unreal(plain: str) -> bool:
    """Check whether a text is about something that did not happen: 'they nearly raised the fee to 42 euros'."""
    return UNREAL.search(plain) is not None


@lru_cache(maxsize=1_024)
def happened_once(plain: str) -> bool:
    """Check whether a text reports a dated past event, which no later event replaces.

    >>> happened_once("i won a cup last week"), happened_once("the cup is next week")
    (True, False)
    """
    return _HAPPENED.search(plain) is not None and not _WAS.search(plain)


def lifts_another(new: Known, old: Known) -> bool:
    """Check whether the new text ends something other than what the earlier one states.

    'The 48-hour and 50% rules no longer apply' is about an anchor with both values, or with one of them and the thing.
    """
    if not _LIFTS.search(new.said):
        return False
    if takes_back_only(new) and not _names_what(new, old):
        return True
    lifted, stated = (set(_NUMBER.findall(statement.said)) for statement in (new, old))
    return bool(lifted) and not lifts(new, old) and not lifted <= stated


def takes_back_only(known_anchor: Known) -> bool:
    """Check whether a text says that something no longer holds and states no other value or name.

    >>> from turnfold.contract.records import Anchor, AnchorType
    >>> def known(text: str) -> Known:
    ...     return Known(Anchor(id=1, type=AnchorType.CORRECTION, text=text, turn_seq=1, start=0, end=len(text)))
    >>> takes_back_only(known("The Friday market is off the table."))
    True
    >>> takes_back_only(known("The Friday market is off the table, we sell on Sunday."))
    False
    """
    parts = _CLAUSES.split(known_anchor.text)
    beside = " ".join(part for part in parts if not _LIFTS.search(plain_words(part)))
    return len(beside) < len(known_anchor.text) - 1 and not extract_facts(beside).texts(*VALUES, *NAMES)


def _names_what(new: Known, old: Known) -> bool:
    """Check whether the earlier text has most of the later one's specific words."""
    telling = [word for word in new.specific if word not in _NAMES_OF_PLANS]
    there = [word for word in telling if any(same_root(word, other) for other in old.words)]
    return bool(telling) and 2 * len(there) > len(telling)


def lifts(new: Known, old: Known) -> bool:
    """Check whether a text ends what an earlier one states, by naming at least two of its values."""
    if not _LIFTS.search(new.said):
        return False
    lifted, stated = (set(_NUMBER.findall(statement.said)) for statement in (new, old))
    return len(lifted) >= _SEVERAL and lifted <= stated


def head_of(text: str, value: str) -> str:
    """Return the sentence up to the first comma after a value; the rest is about something else."""
    at = text.find(value)
    if at < 0:
        return text
    end = next((mark.start() for mark in _PARTS.finditer(text, at + len(value))), len(text))
    return text[:end]
