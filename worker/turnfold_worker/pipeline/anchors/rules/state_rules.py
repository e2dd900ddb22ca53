"""Scales of states that a thing goes through; a later state of the same scale supersedes an earlier one.

A word may be on several scales: *pending* gives way to *approved* and to *done*, while *approved* and *paid* share
none, so both hold. Synonyms on one scale are unified. See `statements.frames`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern

_SCALES: Final = tuple(
    scale.strip().split("|")
    for scale in """
    red|green|yellow|amber
    up|down|online|offline
    open|closed|resolved|merged|done
    open|vacant|filled
    pending|signed|approved|rejected|accepted|denied|cancelled|confirmed|submitted|published|paid|unpaid|overdue
    pending|in review|approved|rejected|accepted|denied|granted
    pending|not started|planned|ongoing|paused|unfinished|done
    pending|placed|shipped|in transit|delivered|returned|cancelled
    draft|in review|final|signed|unsigned|published
    unpaid|overdue|paid|refunded
    expired|valid|renewed
    single|engaged|married|divorced|widowed|separated
    broken|fixed|working
    enabled|disabled|on|off
    full|empty
    in stock|sold out
    sold|available|booked|free|reserved
    sick|healthy|recovered
    employed|unemployed|retired
    locked|unlocked
    blocked|unblocked
    public|private
    failing|passing|red|green
    """.strip().splitlines()
)
_SAME: Final = {
    "finished": "done", "complete": "done", "completed": "done", "underway": "ongoing", "under way": "ongoing",
    "in progress": "ongoing", "on hold": "paused", "under review": "in review", "being reviewed": "in review",
    "declined": "rejected", "refused": "rejected", "dispatched": "shipped", "not begun": "not started",
    "out of stock": "sold out",
    "unstarted": "not started", "not paid": "unpaid", "out of order": "broken", "repaired": "fixed", "a draft": "draft",
    "reopened": "open", "shut": "closed",
    "on its way": "in transit", "on the way": "in transit", "arrived": "delivered",
    "back up": "up", "back online": "online", "back down": "down", "canceled": "cancelled", "not signed": "unsigned",
}  # fmt: skip
_SCALES_OF: Final = {
    word: tuple(str(place) for place, scale in enumerate(_SCALES) if word in scale)
    for word in sorted({word for scale in _SCALES for word in scale})
}
_OF_PEOPLE: Final = frozenset({"single", "engaged", "married", "divorced", "widowed", "separated", "sick", "healthy",
                               "recovered", "employed", "unemployed", "retired", "sold", "available", "booked", "free",
                               "reserved"})  # fmt: skip
"""States that may apply to people; 'I am done' is only about the moment."""
_SPEAKERS: Final = frozenset({"i", "we"})
_REACHED: Final = (
    "signed|approved|rejected|accepted|denied|granted|declined|refused|cancelled|canceled|confirmed|submitted|published|"
    "paid|shipped|dispatched|delivered|returned|refunded|renewed|completed|finished|filled|repaired|fixed|reopened|"
    "resolved|sold|reserved|merged"
)
_CAME: Final = "reopened|arrived|expired|recovered"
_LATELY: Final = (
    r"today|yesterday|this (?:morning|week)|on \w+day|last (?:week|night)|(?:an|two|three) (?:hour|day)s? ago"
)
_BEHIND: Final = (
    rf"(?: by (?:the|our|my|your) [\w'-]{{2,20}}| for (?:good|now|repairs?|maintenance|renovations?))?"
    rf"(?: (?:{_LATELY}))?"
    r"(?:,? (?:because|since|as|thanks|after|now that) .{1,80})?$"
)
"""Words after a state that name no other state."""
REACHED: Final = lazy_pattern(
    rf"(?<!\w)(?:(?:was|were|has been|have been|got) (?=(?:{_REACHED}){_BEHIND})|"
    rf"(?:has|have) (?=(?:{_CAME}){_BEHIND}))"
)
"""Recent events that are expressed as states: 'the application was approved', 'the order has arrived'."""
SUBJECT: Final = (
    r"(?!(?:it|this|that|these|those|there|he|she|they|who|what|which|you|everyone|everything|nothing|nobody|all)(?!\w))"
    r"(?:[^\s,]+,? ){1,9}?"
)
"""A subject that names what a clause is about."""
_STATE: Final = lazy_pattern(
    rf"^(?P<subject>{SUBJECT})(?:is|are|am) (?:all |fully )?"
    rf"(?P<state>{'|'.join(sorted((*_SAME, *_SCALES_OF), key=len, reverse=True))})"
    rf"(?: (?:again|yet|as planned))?{_BEHIND}"
)

_MADE: Final = lazy_pattern(
    r"^(?:i|we|they) (?:have )?(?P<state>reopened|merged|approved|rejected|fixed|repaired|submitted|published|"
    r"cancelled) "
    r"(?P<subject>(?:the|our|my) [\w'#-]{2,30}(?: [\w'#-]{1,30}){0,4})$"
)
"""'We reopened the incident' reports a state of the incident."""


def states_of(clause: str) -> Iterator[tuple[str, str, str]]:
    """Yield the subject of a normalized clause, its state, and each scale of that state.

    >>> list(states_of("the audit is complete"))
    [('the audit', 'done', '2'), ('the audit', 'done', '6')]
    >>> list(states_of("the audit is expensive"))
    []
    """
    match = _STATE.match(clause) or _MADE.match(clause)
    if match is None:
        return
    subject, state = match["subject"].strip(), _SAME.get(match["state"], match["state"])
    if subject in _SPEAKERS and state not in _OF_PEOPLE:
        return
    for scale in _SCALES_OF[state]:
        yield subject, state, scale
