"""What somebody gave up having or left: 'we sold the camper van', 'Gustav has left the billing team'.

Such a text ends what its subject said to have, or to do in that place. It states no other value.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules import frame_rules
from turnfold_worker.pipeline.anchors.statements.frames import clauses_of, stems_in_order
from turnfold_worker.pipeline.anchors.statements.when import is_bygone, waits
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 120
_CUES: Final = (
    "sold", "ended", "terminated", "cancel", "gave away", "given away", "left", "quit", "resigned", "dropped out",
    " off ",
)  # fmt: skip
"""Most texts have none of these, and are looked at no further: strings are found faster than by a pattern."""
_WHO: Final = r"(?P<who>(?:[a-z][\w'-]*,? ){1,3}?)(?:(?:have|has) )?"
_WHAT: Final = r"(?:the|our|my|his|her|their) (?P<thing>[^,;:.!?]{2,60}?)"
_ENDS: Final = (
    r"(?= (?:yesterday|today|last \w+|this \w+|in (?:the )?\w+|on \w+day|a \w+ ago|"
    r"because|after|and|so|for good)(?!\w)|"
    r"[,;:.!?]|$)"
)
_GAVE_UP: Final = lazy_pattern(rf"^{_WHO}(?:sold|ended|terminated|cancell?ed|gave away|given away) {_WHAT}{_ENDS}")
_LEFT: Final = lazy_pattern(rf"^{_WHO}(?:left|quit|resigned from|dropped out of) {_WHAT}{_ENDS}")
_OFF: Final = lazy_pattern(rf"^{_WHO}(?:am|is|are) off (?P<thing>[a-z][\w-]{{3,30}}){_ENDS}")
_NO_SUBJECTS: Final = listed("it he she they this that these those there who which what nobody you")
_HAS: Final = listed("have own got rent keep")
_DOES_THERE: Final = listed("in on at for with of")


class Departure(NamedTuple):
    """What somebody has or does no longer, in stems."""

    who: tuple[str, ...]
    thing: tuple[str, ...]
    leads: frozenset[str]
    """Words of which one stands before the thing where it was had or where something was done."""


@lru_cache(maxsize=1_024)
def departure_of(text: str) -> Departure | None:
    """What a short text says to be given up or left; None where it only asks, wants, supposes or quotes it.

    >>> departure_of("We sold the camper van.").thing
    ('camper', 'van')
    >>> departure_of("I almost sold the camper van.")
    """
    if len(text) > _LONGEST or not any(cue in text for cue in _CUES) or is_question(text):
        return None
    plain = plain_words(without_quotes(text))
    clause = frame_rules.bare_clause(plain)
    if waits(plain) or is_bygone(plain) or frame_rules.DOUBTS.search(clause) or frame_rules.NEGATION.search(clause):
        return None
    for pattern, leads in ((_GAVE_UP, _HAS), (_LEFT, _DOES_THERE), (_OFF, frozenset({"on"}))):
        match = pattern.match(clause)
        if match is None:
            continue
        who, thing = stems_in_order(match["who"]), stems_in_order(match["thing"])
        if who and thing and who[0] not in _NO_SUBJECTS:
            return Departure(who, thing, leads)
    return None


def departs(new: str, old: str) -> bool:
    """Whether a later text ends what an earlier one of its speaker says that somebody has or does somewhere.

    >>> departs("Gustav has left the billing team.", "Gustav works on the billing team.")
    True
    >>> departs("Gustav has left the office.", "Gustav works on the billing team.")
    False
    """
    departure = departure_of(new)
    if departure is None or len(old) > _LONGEST or is_question(old):
        return False
    return any(
        frame_rules.NEGATION.search(clause) is None and _is_over(departure, stems_in_order(clause))
        for clause, _ in clauses_of(old)
    )


def _is_over(departure: Departure, stated: tuple[str, ...]) -> bool:
    who, thing = departure.who, departure.thing
    if stated[: len(who)] != who:
        return False
    behind = stated[len(who) :]
    places = (at for at in range(1, len(behind) - len(thing) + 1) if behind[at : at + len(thing)] == thing)
    at = next(places, None)
    # Of 'we have a van' the stems leave out the verb.
    has = departure.leads is _HAS and behind[: len(thing)] == thing
    return has or (at is not None and behind[at - 1] in departure.leads)
