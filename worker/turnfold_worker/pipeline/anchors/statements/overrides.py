"""Phrases that set a plan aside without naming it: 'scratch that', 'new plan: …', 'ignore everything we said'."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.change_rules import PLAN, SETS_ASIDE, SETS_ASIDE_ALL
from turnfold_worker.pipeline.anchors.rules.rule import LEAD, joined
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes
from turnfold_worker.pipeline.language.words import specific_words


class Reach(IntEnum):
    """Plans that a text sets aside."""

    NONE = 0
    LATEST = 1
    """The last one, at most a few turns back."""
    EARLIER = 2
    """The last one, however long ago."""
    ALL = 3


_EARLIER: Final = lazy_pattern(
    rf"(?<!\w)(?:earlier|previous|prior|original|initial|first|old|former) {PLAN}|"
    r"(?<!\w)(?:new|change of) plans?(?!\w)|"
    r"(?<!\w)(?:scratch|scrap|forget|drop|ignore) all (?:of )?(?:this|that|it)(?!\w)|"
    r"(?<!\w)(?:full|complete|total|big) (?:pivot|reversal|u-turn)(?!\w)"
)
_INSTEAD: Final = lazy_pattern(
    joined(rf"""
    {LEAD}(?:we're (?:now )?going to|we'll|we will|let's|i want (?:you )?to|i'd like (?:you )?to|please|i'll|i will|
    do|use|go with|try|switch to|take) .{{1,150}}?(?<!\w)instead(?! of)(?=\W*$)|
    {LEAD}(?:let's|we'll|we will|we're going to|i'll|i will)(?: now)? instead(?! of)(?!\w)|
    {LEAD}instead,? (?:let's|we'll|we will|we're going to|i'll|please|use|go with|do|try|take)(?!\w)|
    {LEAD}we(?:'re| are) (?:now )?going to .{{1,150}}?(?<!\w)instead(?! of)(?=\W*$)
    """)
)
"""'Let's print it instead', but not 'if it rains, we'll take the bus instead'."""
_UNDECIDED: Final = lazy_pattern(
    r"(?<!\w)(?:if|unless|whether|maybe|perhaps|could|might|suppose|imagine|hypothetically|in theory|would|should i|"
    r"should we|wonder|pretend|when(?:ever)?|until|for example|for instance)(?!\w)"
)
_SAID_BY_OTHERS: Final = lazy_pattern(
    r"(?<![\w'])(?!(?:i|we|you) )[a-z]+ (?:said|says|told|tells|wrote|writes|wants|wanted|asks|asked|prefers)(?!\w)|"
    r"(?<!\w)(?:reads|labell?ed|titled|according to|command|button|phrase)(?!\w)"
)
_DENIED: Final = lazy_pattern(
    r"(?<!\w)(?:don't|do not|never|not|won't|can't|cannot|no need to|without|rather than|let's not|didn't) "
    r"(?:\w+ ){0,2}?(?:scratch|scrap|strike|ignore|disregard|forget|drop|discard|revise|rethink|start)"
)
_PLANNED: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:let's (?!(?:see|say|face|hope|revise|rethink|reconsider|start over|get back)(?!\w))\w|we'll|we will|
    we(?:'re| are) (?:now )?going to|i'll|i will|i'm going to|we should|i(?:'d like| want| need) you to|go(?:ing)? with|
    (?:plan|approach|strategy)(?: for [^:]{1,60})?: )
    """)
)
_TOPIC: Final = lazy_pattern(
    r"^(?:(?:and|so|but|ok|okay|now|also),? )?(?:for|on|about|regarding|as for) (?P<topic>[^,]{2,60}),"
)
_CHANGES: Final = lazy_pattern(
    rf"(?<!\w)(?:change|swap|switch|revise|rethink|replace|reconsider) (?:the|our|my) {PLAN}(?!\w)"
)


@lru_cache(maxsize=1_024)
def reach_of(text: str) -> Reach:
    """Return which plans a short text sets aside; `NONE` if the phrase is quoted, hypothetical, denied or reported.

    >>> reach_of("Hm, scratch that."), reach_of("Let's print it on paper instead.")
    (<Reach.LATEST: 1>, <Reach.LATEST: 1>)
    >>> reach_of("Please don't scratch that."), reach_of("If it rains, we'll take the bus instead.")
    (<Reach.NONE: 0>, <Reach.NONE: 0>)
    """
    plain_text = plain_words(without_quotes(text))
    if is_question(plain_text) or any(pattern.search(plain_text) for pattern in (_UNDECIDED, _DENIED, _SAID_BY_OTHERS)):
        return Reach.NONE
    if SETS_ASIDE_ALL.search(plain_text):
        return Reach.ALL
    if _EARLIER.search(plain_text) and (SETS_ASIDE.search(plain_text) or _labels_a_plan(plain_text)):
        return Reach.EARLIER
    sets_aside = SETS_ASIDE.search(plain_text) or _INSTEAD.search(plain_text) or _CHANGES.search(plain_text)
    return Reach.LATEST if sets_aside else Reach.NONE


def is_bare(text: str) -> bool:
    """Check whether a text that sets a plan aside says nothing else.

    >>> is_bare("Okay, ignore the earlier plan."), is_bare("Scratch that, we'll paint it blue.")
    (True, False)
    """
    plain_text = plain_words(text)
    rest = _CHANGES.sub(" ", SETS_ASIDE_ALL.sub(" ", SETS_ASIDE.sub(" ", plain_text)))
    return rest != plain_text and not (specific_words(rest) - _NO_PLAN) and "instead" not in rest


_NO_PLAN: Final = frozenset({"goal", "same", "actually", "wait", "plan"})


def plans(text: str) -> bool:
    """Check whether a text states a plan: 'let's …', 'we'll …', 'the plan: …'."""
    plain_text = plain_words(text)
    return not is_question(plain_text) and (
        _PLANNED.search(plain_text) is not None or _INSTEAD.search(plain_text) is not None
    )


def of_another_topic(new: str, old: str) -> bool:
    """Check whether a plan opens with a topic that an earlier one does not mention: 'For the garden, …'."""
    match = _TOPIC.match(plain_words(new))
    if match is None:
        return False
    return specific_words(match["topic"]).isdisjoint(specific_words(old))


def _labels_a_plan(statement: str) -> bool:
    return re.match(rf"{LEAD}(?:the |our |my )?(?:new|change of) plans?(?:[:,.!-]| is| for|$)", statement) is not None
