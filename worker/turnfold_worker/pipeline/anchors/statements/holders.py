"""Holders of roles that one person holds at a time, and new holders: 'I have a new lawyer, Mr Falk'."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules
from turnfold_worker.pipeline.anchors.rules.home_rules import is_no_place
from turnfold_worker.pipeline.anchors.statements.restated import says_now
from turnfold_worker.pipeline.anchors.statements.temporal_scope import is_bygone, waits
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 120
_MAY_HOLD: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:new|became|becomes|is|are|elected|appointed|named|changed?|switched|swapped|replaced|handed|"
    r"passed|made|promoted|chose|picked)(?!\w)|['\u2019]s(?= [a-z])"
)
_NAME: Final = (
    r"(?:(?:mr|ms|mrs|dr|prof|professor|miss|sister|father)\.? )?"
    r"[^\W\d_][\w'-]{1,30}(?: (?:& )?[^\W\d_][\w'-]{1,30}){0,2}?"
)
_ROLE: Final = r"(?P<role>[a-z][\w-]{2,20}(?: [a-z][\w-]{2,20})?)"
_OF_THING: Final = r" (?:of|at|for) (?:the |our |my )?(?P<of>[\w'-]{2,30}(?: [\w'-]{2,30}){0,2}?)"
_OF: Final = rf"(?:{_OF_THING})?"
_OWNER: Final = r"(?P<whose>my|our|the|(?:the |my |our )?[a-z][\w-]{1,30}(?: [a-z][\w-]{1,30})?'s?)"
_STOP: Final = r"(?=$| (?:in|at|on|from|since|for|now|last|this|yesterday|today|and|with|who|because|as)(?!\w))"
_HEADS: Final = ("head", "chair", "director", "president", "secretary", "treasurer")
_AT_THE_HEAD: Final = frozenset((STEMS[role],) for role in _HEADS)
_HOLDS: Final = (
    lazy_pattern(rf"^{_OWNER} (?P<new>new )?{_ROLE}{_OF} is (?:called |named )?(?P<name>{_NAME}){_STOP}"),
    lazy_pattern(rf"^(?P<name>{_NAME}) is {_OWNER} (?P<new>new )?{_ROLE}{_OF}{_STOP}"),
    lazy_pattern(rf"^(?P<name>{_NAME}) is (?P<role>{'|'.join(_HEADS)}){_OF_THING}{_STOP}"),
    lazy_pattern(
        rf"^(?P<name>{_NAME}) (?:has )?(?P<new>became|becomes|become|(?:was|is|got|has been) "
        rf"(?:elected|appointed|named|made)(?: as)?) "
        rf"(?:(?P<whose>my|our|the|[a-z][\w-]{{1,30}}'s) )?(?:new )?{_ROLE}{_OF}{_STOP}"
    ),
    lazy_pattern(
        r"^(?P<whose>i|we|(?:the |my |our )?[a-z][\w-]{1,30}(?: [a-z][\w-]{1,30})?) "
        rf"(?:have got|have|has got|has|got|found|hired|picked|chose) an? (?P<new>new) {_ROLE}"
        r"(?: (?:of|for) (?P<of>[\w'-]{2,30}))?"
        rf"(?:[,:]| [-\u2013\u2014]| called| named|, called|, named) (?:(?:called|named) )?(?P<name>{_NAME}){_STOP}"
    ),
    lazy_pattern(
        r"^(?:(?:i|we|they)(?: have)? (?P<new>changed|switched|swapped|replaced)|(?:please )?(?P<wanted>change)) "
        rf"(?P<whose>my|our|the) {_ROLE}{_OF} (?:to|for|with|by) (?P<name>{_NAME}){_STOP}"
    ),
    lazy_pattern(
        r"^(?P<whose>i|we)(?: have)? (?P<new>changed|switched) (?P<role>[a-z][\w-]{2,20}s),? (?:and )?(?:i|we|my|our) "
        rf"(?:go to|am with|are with|see|use|have) (?P<name>{_NAME}){_STOP}"
    ),
    lazy_pattern(
        rf"^(?:i|we|they)(?: have)? (?P<new>made|appointed|elected|promoted|chose|picked) (?P<name>{_NAME}) "
        rf"(?:to be |as |to )?(?P<whose>my|our|the) {_ROLE}{_OF}{_STOP}"
    ),
    lazy_pattern(
        rf"^{_OWNER} {_ROLE}{_OF} has (?P<new>changed)"
        r"(?:,|:| and| to| [-\u2013\u2014])(?: (?:it|he|she) is)? "
        rf"(?P<name>{_NAME}){_STOP}"
    ),
    lazy_pattern(
        rf"^(?:{_NAME})(?: has)? (?P<new>handed|passed)(?: over)? (?P<whose>the|our|my) {_ROLE}{_OF}(?: over| on)? to "
        rf"(?P<name>{_NAME}){_STOP}"
    ),
)
"""Named groups: `name` holds `role` for `whose` or in `of`; `new` marks a recent change."""
_LATER_PART: Final = lazy_pattern(r"[,;.!] (?=(?:my|our|the) new )")
"""The start of a separate clause: 'the flat was sold, my new landlord is Mrs Iyer'."""
_IN: Final = lazy_pattern(r"(?<!\w)in ([A-Z][\w-]+)")
_SELF: Final = frozenset({"my", "our", "i", "we"})
_TITLES: Final = listed("mr ms mrs dr prof professor miss")
_MANY: Final = listed("""
    friend colleague coworker co-worker client customer student neighbour neighbor cousin brother sister son daughter
    child kid aunt uncle teammate classmate member employee intern guest pupil cat dog horse pet developer engineer
    designer volunteer tenant player singer author contact reviewer mentee user supplier partner one name address
    favourite favorite plan idea home city town place car day job
""")
"""Roles and relations that several people can have at once, so that a new holder replaces none."""
_NO_NAMES: Final = frozenset({"it", "this", "that", "there", "he", "she", "who", "here", "what", "everybody", "nobody"})


class Holder(NamedTuple):
    """A role and its holder, in stems."""

    role: tuple[str, ...]
    of: frozenset[str]
    """The person or thing the role belongs to; `i` for the speaker's."""
    name: frozenset[str]
    is_new: bool


def takes_over(new: str, old: str) -> bool:
    """Check whether a later text names a new holder of the role that someone else holds in an earlier one.

    >>> takes_over("I have a new lawyer, Mr Falk.", "My lawyer is Ms Brandt.")
    True
    >>> takes_over("My sister has a new lawyer, Mr Falk.", "My lawyer is Ms Brandt.")
    False
    """
    later = holder_of(new)
    earlier = holder_of(old) if later is not None else None
    if later is None or earlier is None or earlier.role != later.role or _are_elsewhere(new, old):
        return False
    if later.is_new:
        return earlier.of == later.of and earlier.name.isdisjoint(later.name)
    # 'Sunita is head of product now' ends 'Sunita is head of design'.
    return later.role in _AT_THE_HEAD and earlier.name == later.name and earlier.of != later.of and says_now(new)


def _are_elsewhere(new: str, old: str) -> bool:
    """Check whether both texts name a place and have none in common: 'the manager in Hull', 'the manager in Bath'."""
    ours, theirs = ({name for name in _IN.findall(text) if not is_no_place(name.lower(), text)} for text in (new, old))
    return bool(ours and theirs) and ours.isdisjoint(theirs)


@lru_cache(maxsize=1_024)
def holder_of(text: str) -> Holder | None:
    """Return who holds which role, or None if a short text states no role, asks, supposes or quotes it."""
    if len(text) > _LONGEST or _MAY_HOLD.search(text) is None or is_question(text):
        return None
    unquoted = without_quotes(text)
    plain = plain_words(unquoted)
    if waits(plain) or is_bygone(plain):
        return None
    holder = _holder_by(plain, unquoted)
    if holder is not None or _LATER_PART.search(plain) is None:
        return holder
    parts = _LATER_PART.split(plain)[1:]
    return next(filter(None, (_holder_by(part, unquoted) for part in parts)), None)


def _holder_by(plain: str, text: str) -> Holder | None:
    """Return the holder stated by the opening clause of a normalized text."""
    if frame_rules.DOUBTS.search(_without_cue(plain)):
        return None
    clause = frame_rules.bare_clause(plain)
    if frame_rules.NEGATION.search(clause) or frame_rules.BESIDE.search(clause):
        return None
    matches = (pattern.match(clause) for pattern in _HOLDS)
    return next(filter(None, (_holder(match, text) for match in matches if match is not None)), None)


def _without_cue(plain: str) -> str:
    """Remove the auxiliary of 'was elected', which is about the present."""
    return re.sub(r"(?<!\w)(?:was|were) (?=(?:elected|appointed|named|made)(?!\w))", "", plain)


def _holder(match: re.Match[str], text: str) -> Holder | None:
    names = [word.rstrip(".") for word in match["name"].split()]
    proper = frozenset(name for name in names if name not in _TITLES and name != "&")
    if not proper or names[0] in _NO_NAMES or not all(_has_a_capital(name, text) for name in proper):
        return None
    role = tuple(STEMS[word] for word in match["role"].split() if word != "new")
    if (
        not role
        or match["role"].split()[-1] in _MANY
        or any(_has_a_capital(word, text) for word in match["role"].split())
    ):
        return None
    groups = match.groupdict()
    whose = _whose(groups.get("whose") or "", groups.get("of") or "")
    return Holder(role, whose, proper, is_new=bool(groups.get("new") or groups.get("wanted")))


def _whose(whose: str, of: str) -> frozenset[str]:
    words = [word.removesuffix("'s").removesuffix("'") for word in f"{whose if not of else ''} {of}".split()]
    named = frozenset(STEMS[word] for word in words if word not in _SELF and word != "the")
    return named or frozenset({"i"})


def _has_a_capital(word: str, text: str) -> bool:
    return word[0].upper() + word[1:] in text
