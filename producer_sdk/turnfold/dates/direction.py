"""Detect whether a clause is about the past or the future."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

INTENDS: Final = (
    r"will|shall|won't|going to|gonna|plan(?:s|ning)? (?:to|on)|about to|scheduled|booked for|need(?:s)? to|must"
    r"|have to|has to|want(?:s)? to|let's|remind"
)
"""Words of intention and obligation; a regex without word boundaries."""
REPORTS: Final = "said|told|promised|thought|heard|hoped|agreed|swore"
"""Verbs before what somebody said of a time; a regex without word boundaries."""
SHIFTS: Final = "(?:moved|slipped|pushed|changed|postponed|rescheduled|shifted|delayed) (?:back |out )?"
"""Words before the old or the new time of something; a regex without word boundaries."""
_AHEAD: Final = lazy_pattern(
    rf"(?i)\b(?:{INTENDS}|plan(?:s|ning)? for|planned (?:to|on|for)|hop(?:e|es|ing) to|due|upcoming|looking forward"
    r"|should|can't wait|intend(?:s)? to|deadline|expect(?:s|ing)?|by|until)\b|['\u2019]ll\b"
    r"|\b(?:am|is|are|'m|'re|'s) \w+ing\b"
    r"|\b(?:can|could|shall|may) (?:i|we|you|they|he|she)\b"
    r"|\b(?:is|are|'s|'re) (?:(?!used|supposed)\w{3,30}ed|set|put|cut|shut) (?:(?:off|on|up|down|out) )?(?:on|for|by)\b"
)
_COMES: Final = lazy_pattern(
    r"(?i)(?<!\bthe )(?<!\ba )(?<!\bhis )(?<!\bher )(?<!\bmy )(?<!\bour )(?<!\btheir )\b(?:"
    r"(?:comes|arrives|starts|begins|opens|ends|expires|runs out|gets (?:here|back|married)|turns \w{1,9}"
    r"|(?:i|we|they|you) turn \w{1,9}|takes place)"
    r"(?: (?:back|in|up|out|off|live|here|there|again))? (?:(?:on|at|from|in) (?:the )?)?"
    r"|(?:closes|leaves|lands|ships|returns)(?: (?:back|in|up|out|off|here|there|again))? (?:on|at|from) (?:the )?)$"
)
"""A verb right before a day that makes it a future one, whatever precedes: 'it is gone, the part comes on Friday'."""
_REPORTED: Final = lazy_pattern(
    rf"(?i)\b(?:{REPORTS})\b(?:[^.!?;]{{0,60}}(?:\b(?:would|is|are|comes?|arrives?"
    r"|starts?|begins?|opens?)\b(?! have\b)|['\u2019]d\b(?! (?:been|had|\w{3,30}ed)\b))| (?:\w+ )?to \w"
    r"| (?:\w+, )?(?:(?:not|before|by|until|after|for) )?(?:the )?$)"
)
"""What somebody said of a time, which may be past or to come: 'he said he'd come on', 'I said before'."""
_SHIFTED: Final = lazy_pattern(rf"(?i)\b{SHIFTS}(?:from [\w ]{{1,30}} )?to (?:the )?$")
"""Words before the new time of something, which may be past or to come."""
_CALLED_OFF: Final = lazy_pattern(
    r"(?i)^['\u2019]s(?: [\w-]+){1,3} (?:is|are|was|were|got|has been) (?:now )?"
    r"(?:cancel|postponed|moved|pushed|rescheduled|called off|off\b)"
)
"""What has become of something, at any time before its day or after."""
_IS: Final = lazy_pattern(r"(?i)^(?:['\u2019]s(?: [\w-]+){1,3})? (?:is|are|isn't|was|were)\b")
"""The verb of a time that is a subject, or of something of that time: 'Monday's lesson was'."""
_HAS_GOT: Final = lazy_pattern(
    r"(?i)(?:\bha(?:ve|s)|['\u2019](?:ve|s)) got an?\b(?P<what>[^.!?;:,\n]{1,40}) (?:on|at) (?:the )?$"
)
"""'I've got a call on the 26th'."""
PERFECT: Final = (
    r"(?:(?<!will )(?<!ll )(?<!to )ha(?:ve|s)(?:n['\u2019]t)?|['\u2019]ve|never|already|ever)"
    r" (?:(?:i|we|you|they|he|she|not|never|ever|already|just|only|also|really|hardly|barely|always) ){0,2}"
    r"(?:been(?! (?:set|put|meaning|going|planning|wanting|hoping|trying)\b)"
    r"|seen|gone|done|eaten|taken|given|written|spoken|driven|flown|begun|broken|chosen|drawn|fallen|forgotten"
    r"|grown|known|ridden|shown|sung|swum|stolen|thrown|torn|worn|woken|come|become|run|had|\w{3,30}ed)"
)
"""The present perfect: 'haven't seen', 'has never been'; a regex without word boundaries."""
_BEHIND: Final = lazy_pattern(
    r"(?i)\b(?:was|were|wasn't|weren't|had|did|didn't|went|got|came|saw|took|bought|made|met|told|said|gave|found|left|lost"
    r"|won|began|became|ran|ate|wrote|sold|spent|taught|thought|felt|heard|held|kept|led|paid|sent|built|broke"
    r"|(?:i|we|they|you|he|she|who|just|finally|already) (?:put|read|set|cut|hit|shut)"
    r"|brought|caught|chose|did|drew|drove|fell|flew|forgot|grew|knew|rode|sang|slept|spoke|stood|swam|wore|ago"
    r"|drank|dug|(?-i:fed)|fled|froze|hid|hung|rang|rose|sank|(?-i:sat)(?! \d)|shook|shot|stole|stuck|swept|threw"
    rf"|tore|woke|(?<!\bis )(?<!\bare )(?<!\bbe )\w{{3,30}}ed)\b|(?:(?<!\w)|(?=['\u2019])){PERFECT}\b"
)
_CLAUSE_END: Final = lazy_pattern(
    r"[.!?;:\n]|, (?:but|so) |,? (?:and|but|so|that) (?=(?:i|we|he|she|they|it|you|the|my|our)\b)", re.IGNORECASE
)
_GOES_ON: Final = lazy_pattern(r"(?i), (?=(?:i|we|he|she|they|it|you)\b)")
"""A comma that begins a new clause after one about the past: 'I sent it on Tuesday, you should have it'."""
_SINCE: Final = lazy_pattern(r"(?i)\bsince $")
_LOOKED: Final = 160
"""Code points on each side that are searched for a clause's verbs."""


def direction(text: str, start: int, end: int) -> int:
    """Return -1 if the clause around a span is about the past, 1 if about the future, 0 if unknown."""
    text_before = text[max(0, start - _LOOKED) : start]
    if _SINCE.search(text_before):
        return -1
    has_got = _HAS_GOT.search(text_before)
    if _COMES.search(text_before) or (has_got and not _BEHIND.search(has_got["what"])):
        return 1
    ends = [match.end() for pattern in (_CLAUSE_END, _GOES_ON) for match in pattern.finditer(text_before)]
    clause_before = text_before[max(ends) :] if ends else text_before
    behind = text[end : end + _LOOKED]
    stop = _CLAUSE_END.search(behind)
    behind = behind[: stop.start()] if stop else behind
    if (_BEHIND.search(clause_before) or _IS.search(behind)) and (goes_on := _GOES_ON.search(behind)):
        behind = behind[: goes_on.start()]
    clause = clause_before + " " + behind
    if _AHEAD.search(clause):
        # 'I was going to' and 'we planned to' are about the future too.
        return 1
    if _REPORTED.search(clause_before) or _SHIFTED.search(text_before) or _CALLED_OFF.search(behind):
        return 0
    return -1 if _BEHIND.search(clause) else 0
