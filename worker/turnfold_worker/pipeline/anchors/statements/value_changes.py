"""Reported changes of a value: 'we raised the monthly cap to 750 dollars', 'Marek took over billing from Priya'.

They name the thing and its new value; an earlier text with another value of the same thing no longer holds.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import value_change_rules
from turnfold_worker.pipeline.anchors.statements.temporal_scope import is_bygone, waits
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.quantities import in_one_form, sort_of_amount
from turnfold_worker.pipeline.language.required_words import PatternIndex
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 400
"""Maximum length in characters of a text that is searched for changes."""
_INSTEAD_OF: Final = lazy_pattern(r", (?:and )?not [^,;:!?]{1,40}?(?=[,;:!?](?!\w)|\.?$)")
_EMPTY: Final = listed("the a an our my of now just i we and so but its")
_OPENS: Final = listed("the a an our my so and but ok okay well actually update i we i'm we're currently now")
_NUMBER: Final = lazy_pattern(r"[$€£]?\d+(?:[.,:]\d+)*(?: ?%| [^\W\d_]+)?")
_ONE: Final = lazy_pattern(r"^an? (?=\w)")
_LENGTHS: Final = listed("second minute hour day night week fortnight month year")
_VERSION: Final = lazy_pattern(r"(?<![\w.])\d{1,4}(?:\.\d{1,4}){1,3}(?![\w.])")
_SPEAKS: Final = lazy_pattern(r"^(?:\w+,? )?(?:i|we|i'm|we're)(?!\w)")
_PLANNED: Final = lazy_pattern(
    r"(?<!\w)(?:is|are|takes? place|starts?|begins?|will be|happens?|meets?) (?:planned |scheduled |set )?"
    r"(?:on|at|in|for|from|this|next|tomorrow|tonight)(?!\w)"
)
_RATE: Final = lazy_pattern(rf"(?<!\w){value_change_rules.RATE}(?!\w)")
_MAY_TELL: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:raised?|increased?|lowered|reduced?|cut|dropped|bumped|upped|extended|expanded|scaled|upgraded|"
    r"downgraded|changed|set|adjusted|shortened|lengthened|updated|brought|risen|rose|goes|gone|went|shifted|fallen|"
    r"fell|grown|grew|shrunk|shrank|decreased|climbed|jumped|sunk|sank|reached|comes?|came|amounts|renamed|"
    r"rechristened|switched|moved|migrated|replace[sd]|replacing|succeed(?:s|ed)|swapped|took|taken?|takes|handed|"
    r"passed|transferred|reassigned|cancell?ed|called off|scrapped|put|pushed|turned|knocked|talked|beat|agreed|"
    r"settled|negotiated|landed|doubled|tripled|halved|widened|narrowed|up to|down to|back to)(?!\w)"
)
"""Cue words of changes; texts without one, the great majority, are skipped."""
_TELLING: Final = PatternIndex(lambda: [_MAY_TELL.pattern])
_PRODUCT: Final = lazy_pattern(r"[a-z][\w-]{0,30}(?= v?\d)")
_ON_A_TIER: Final = lazy_pattern(
    r"^(?:i|we|i'm|we're)(?: am| are)?(?: now| still| currently)? on (?:the |a )?[\w-]{2,20}(?: [\w-]{2,20})? "
    r"(?P<thing>plan|tier|package|tariff)(?!\w)"
)
_GOES_TO: Final = lazy_pattern(
    r"^(?:i|we|i'm|we're)(?: am| are|'ll| will)?(?: going| go)? to (?:go to )?(?:the |our |my )?"
)
_WORD: Final = lazy_pattern(r"[^\W_][\w'-]*")


class Kind(StrEnum):
    """The kind of change."""

    VALUE = "value"
    NAME = "name"
    OWNER = "owner"
    CANCELLED = "cancelled"
    TIER = "tier"


_CHANGES: Final = (
    *((Kind.NAME, pattern) for pattern in value_change_rules.NAME),
    *((Kind.OWNER, pattern) for pattern in value_change_rules.OWNER),
    (Kind.CANCELLED, value_change_rules.CANCELLED),
    (Kind.TIER, value_change_rules.TIER),
    *((Kind.VALUE, pattern) for pattern in value_change_rules.VALUE),
)
_CHANGES_BY_WORD: Final = PatternIndex(lambda: (pattern.pattern for _, pattern in _CHANGES))


class ValueChange(NamedTuple):
    """A changed value."""

    kind: Kind
    thing: tuple[str, ...]
    """Stems of the thing, in order; empty where the text names only the two values."""
    before: frozenset[str]
    """Stems of the earlier value, if the text names it."""
    after: str
    """The new value, normalized."""


@lru_cache(maxsize=1_024)
def value_change(text: str) -> ValueChange | None:
    """Return the change that a short text reports, or None if it only asks, wants, supposes or denies it.

    >>> value_change("We raised the monthly cap to 750 dollars.").thing
    ('monthly', 'cap')
    >>> value_change("We may raise the monthly cap to 750 dollars.")
    """
    if len(text) > _LONGEST or not _may_tell(text) or is_question(text):
        return None
    said = _INSTEAD_OF.sub("", plain_words(in_one_form(without_quotes(text))))
    if waits(said) or is_bygone(said) or value_change_rules.SUPPOSED.search(said):
        return None
    for place in _CHANGES_BY_WORD.worth_trying(said):
        kind, pattern = _CHANGES[place]
        match = pattern.search(said)
        if match is None:
            continue
        groups = match.groupdict()
        if groups.get("who") and value_change_rules.OF_OTHERS.search(said[: match.start("who")]):
            continue
        change = ValueChange(
            kind, _stems(groups.get("thing")), frozenset(_stems(groups.get("before"))), groups["after"]
        )
        return change if change.thing or change.before else None
    return None


def _may_tell(text: str) -> bool:
    # The word lookup comes first: it costs a fifth of the regex search.
    return bool(_TELLING.worth_trying(text.lower())) and _MAY_TELL.search(text) is not None


def overtakes_value(new: str, old: str) -> bool:
    """Check whether a later text reports a change of what an earlier one of the same speaker states.

    >>> overtakes_value("We raised the monthly cap to 750 dollars.", "The monthly cap is 500 dollars.")
    True
    >>> overtakes_value("We raised the weekly cap to 750 dollars.", "The monthly cap is 500 dollars.")
    False
    """
    change = value_change(new)
    if change is None or is_question(old) or len(old) > _LONGEST:
        return False
    said = plain_words(in_one_form(without_quotes(old)))
    stated = _stems(said)
    if waits(said) or is_bygone(said) or not {*change.thing, *change.before} <= set(stated):
        return False
    now = set(_stems(change.after))
    if now and now <= set(stated):
        return False
    return _TESTS[change.kind](change, said, stated)


def _is_its_value(change: ValueChange, said: str, stated: tuple[str, ...]) -> bool:
    """Check for an amount of the same unit, stated of the same thing."""
    now = _NUMBER.search(_ONE.sub("1 ", change.after))
    if now is None:
        return _RATE.match(change.after) is not None and _RATE.search(said) is not None and _begins_with(
            change.thing, said
        )  # fmt: skip
    versions = [_VERSION.search(each) for each in (change.after, said)]
    if all(versions):
        named = set(_stems(_VERSION.sub(" ", change.after)))
        return named <= set(stated)
    units = {_sort_of(amount) for amount in _NUMBER.findall(said)}
    unit = _sort_of(now.group())
    product = _PRODUCT.match(change.after)
    if product is not None and not set(_stems(product.group())) <= set(stated):
        return False
    same_unit = unit in units or (not unit and len(units) == 1) or units == {""}
    return same_unit and (_begins_with(change.thing, said) or _SPEAKS.match(said) is not None)


def _sort_of(amount: str) -> str:
    """Return the unit of an amount, with all units of time as one."""
    unit = sort_of_amount(amount)
    return "length" if unit in _LENGTHS else unit


def _is_its_name(change: ValueChange, said: str, _stated: tuple[str, ...]) -> bool:
    return _begins_with(change.thing, said) and any(word in said.split() for word in ("called", "named", "is"))


def _is_its_owner(change: ValueChange, said: str, _stated: tuple[str, ...]) -> bool:
    owns = value_change_rules.OWNS.search(said)
    return owns is not None and _stems(said[owns.end() :])[: len(change.thing)] == change.thing


def _is_cancelled(change: ValueChange, said: str, _stated: tuple[str, ...]) -> bool:
    if _begins_with(change.thing, said):
        return _PLANNED.search(said) is not None
    goes = _GOES_TO.match(said)
    return goes is not None and _stems(said[goes.end() :])[: len(change.thing)] == change.thing


def _is_its_tier(change: ValueChange, said: str, _stated: tuple[str, ...]) -> bool:
    on_it = _ON_A_TIER.search(said)
    return on_it is not None and _stems(on_it["thing"]) == change.thing


_TESTS: Final = {
    Kind.VALUE: _is_its_value, Kind.NAME: _is_its_name, Kind.OWNER: _is_its_owner,
    Kind.CANCELLED: _is_cancelled, Kind.TIER: _is_its_tier,
}  # fmt: skip


def _begins_with(thing: tuple[str, ...], said: str) -> bool:
    """Check whether a text is about the thing itself, not a part of it: 'the concert is', not 'the dinner after …'."""
    words = _WORD.findall(said)
    while words and words[0] in _OPENS:
        del words[0]
    return _stems(" ".join(words))[: len(thing)] == thing


def _stems(said: str | None) -> tuple[str, ...]:
    return tuple(STEMS[word.removesuffix("'s")] for word in _WORD.findall(said or "") if word not in _EMPTY)
