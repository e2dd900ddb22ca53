"""Needs, with who needs what and for whom: 'we need a monitor for Ola', 'Ola doesn't need a monitor after all'."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules
from turnfold_worker.pipeline.anchors.rules.value_change_rules import SUPPOSED
from turnfold_worker.pipeline.anchors.statements.temporal_scope import is_bygone, waits
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.quantities import SPELLED
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 160
_NEED: Final = lazy_pattern(
    r"^(?P<who>(?:[\w'-]+ ){1,5}?)(?:(?P<denied>(?:do|does|will) not|no longer) )?(?:needs?|requires?) "
    r"(?P<thing>(?!to(?!\w))[^,;:.!?]{2,80}?)(?: for (?P<whom>[^,;:.!?]{2,60}))?$"
)
_NOT_NEEDED: Final = lazy_pattern(
    r"^(?P<the>the |our |my |an? )(?P<thing>[^,;:.!?]{2,80}?) (?:is|are|will be) (?:not|no longer) "
    r"(?:needed|necessary|required)(?: for (?P<whom>[^,;:.!?]{2,60}))?$"
)
"""'The tent isn't needed any more', whoever needed it."""
_NO_NEED: Final = lazy_pattern(
    r"^(?:(?:so |and |but |actually,? )?(?:there is |there's )?no need for|we have no need for) "
    r"(?P<the>the |our |my |an? )(?P<thing>[^,;:.!?]{2,60}?)"
    r"(?: for (?P<whom>[^,;:.!?]{2,60}))?$"
)
"""'No need for the tent'."""
_MAY_TELL: Final = lazy_pattern(r"(?i)(?<!\w)(?:needs?|needed|requires?|required|necessary)(?!\w)")
_DENIAL: Final = lazy_pattern(
    r"(?<!\w)(?:(?:do|does|did|will) not|(?:do|does|is|are)n't|no longer|never|not|no(?= need for))(?!\w)"
)
_AFTERWARDS: Final = lazy_pattern(r"(?<!\w)(?:any ?more|any longer|after all|then)(?!\w)")
_CLAUSE_ENDS: Final = lazy_pattern(r"(?<=\w), (?=(?:i|we|it|the|my|our|he|she|they|that|this|because|since)(?!\w))")
_FOR_WHOM: Final = lazy_pattern(r"for (?P<whom>[^,;:.!?]{2,60}?),? (?=(?:i|we|he|she|they)(?!\w))")
"""'For the wedding we need a tent'."""
_SPEAKERS: Final = frozenset({"i", "we", "me", "us"})
_SPEAKER: Final = frozenset({"i"})
_EMPTY: Final = listed("the a an any some our my no more two few several couple of that those these this")


class Need(NamedTuple):
    """A need, or the denial of one."""

    thing: tuple[str, ...]
    """Stems of what is needed, in order, without quantities."""
    whom: frozenset[str]
    """Stems of the person or purpose it is for; `i` for the speaker."""
    is_denied: bool
    is_anybodys: bool = False
    """The need is denied without naming for whom."""
    who: frozenset[str] = frozenset()
    """Stems of who needs it on behalf of `whom`; `i` for the speaker."""


def ends_need(new: str, old: str) -> bool:
    """Check whether a later text says that the need stated by an earlier one no longer exists.

    >>> ends_need("Ola doesn't need a monitor after all.", "We need a second monitor for Ola.")
    True
    >>> ends_need("Tim doesn't need a monitor.", "We need a second monitor for Ola.")
    False
    """
    later, earlier = need_of(new), need_of(old)
    if later is None or earlier is None or not later.is_denied or earlier.is_denied:
        return False
    same_thing = later.thing[-1] == earlier.thing[-1] and set(later.thing) <= set(earlier.thing)
    same_one = later.whom == earlier.whom and (not later.who or not earlier.who or later.who == earlier.who)
    return same_thing and (later.is_anybodys or same_one)


@lru_cache(maxsize=1_024)
def need_of(text: str) -> Need | None:
    """Return the need that a short text states or denies, or None if it only asks, wants, supposes or quotes it."""
    if len(text) > _LONGEST or _MAY_TELL.search(text) is None or is_question(text):
        return None
    plain = plain_words(without_quotes(text))
    if waits(plain) or is_bygone(plain) or SUPPOSED.search(_DENIAL.sub(" ", plain)):
        return None
    first = _CLAUSE_ENDS.split(plain, maxsplit=1)[0]
    if _DENIAL.search(denied := plain.partition(", ")[0]) and len(denied.split()) > 1:
        first = denied
    clause = " ".join(_AFTERWARDS.sub(" ", frame_rules.bare_clause(first)).split())
    clause = clause.strip(" ,")
    if (unneeded := _NOT_NEEDED.match(clause) or _NO_NEED.match(first)) is not None:
        thing, whom = _stems(unneeded["thing"]), frozenset(_stems(unneeded["whom"] or ""))
        is_anybodys = not whom and unneeded["the"] not in {"a ", "an "}
        return Need(thing, whom, is_denied=True, is_anybodys=is_anybodys) if thing and (whom or is_anybodys) else None
    for_whom = _FOR_WHOM.match(clause)
    match = _NEED.match(clause[for_whom.end() :] if for_whom else clause)
    if match is None:
        return None
    thing, who = _stems(match["thing"]), frozenset(_stems(match["who"]))
    named = frozenset(_stems(match["whom"] or (for_whom["whom"] if for_whom else "")))
    whom = named or who
    if not thing or not whom:
        return None
    by = (_SPEAKER if who <= _SPEAKERS else who) if named else frozenset[str]()
    return Need(thing, _SPEAKER if whom <= _SPEAKERS else whom, match["denied"] is not None, who=by)


def _stems(words: str) -> tuple[str, ...]:
    bare = (word.strip("'\"().:").removesuffix("'s") for word in words.split())
    return tuple(
        STEMS[word] if word.isalpha() else word
        for word in bare
        if word and word not in _EMPTY and word not in SPELLED and not word.isdigit()
    )
