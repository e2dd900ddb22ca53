"""Whether what was promised or asked for is reported as done, or given up, by the verb and what it is done to."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from turnfold_worker.pipeline.duties import deed_words
from turnfold_worker.pipeline.spoken import is_question, plain_words

_IRREGULAR: Final = {
    "bring": "brought", "build": "built", "buy": "bought", "come": "came", "cut": "cut", "do": "did done",
    "drive": "drove driven", "eat": "ate eaten", "find": "found", "get": "got gotten", "give": "gave given",
    "go": "went gone", "keep": "kept", "leave": "left", "make": "made", "meet": "met", "pay": "paid", "put": "put",
    "read": "read", "run": "ran run", "sell": "sold", "send": "sent", "set": "set",
    "speak": "spoke spoken", "take": "took taken", "teach": "taught", "tell": "told", "write": "wrote written",
    "rewrite": "rewrote rewritten", "hold": "held", "draw": "drew drawn", "choose": "chose chosen", "feed": "fed",
    "dig": "dug", "reset": "reset", "rerun": "reran",
}  # fmt: skip
_ADVERBS: Final = (
    r"(?:(?:also|just|then|now|definitely|certainly|probably|go and|go|please|quickly|try to|first) ){0,3}"
)
_PROMISED: Final = re.compile(
    rf"(?<!\w)(?:i(?:'ll| will| shall)|we(?:'ll| will)|i(?:'m| am) (?:going to|gonna)|let me|"
    rf"i (?:have|need|promise) to|"
    rf"(?:can|could|will|would) (?:you|someone|somebody)|please|remember to|don't forget to|let's|"
    rf"i(?:'d| would) like you to|remind me to|^(?:ok|okay|and|then|so|now)[,.]?) {_ADVERBS}"
    r"(?P<verb>[a-z]+(?:-[a-z]+)?)"
)
_ORDERED: Final = re.compile(r"^(?P<verb>[a-z]+)(?= )")
_UNDONE: Final = re.compile(
    r"(?<!\w)(?:not|never|\w+n't|no|will|'ll|going to|should|would|could|can|might|if|when|once|until|before|unless|"
    r"after|hope|want|need|try|trying|tried|almost|nearly)(?!\w)"
)
_REPORTS: Final = (
    r"(?:^|[.!;:,] |(?<!\w)(?:i|we|i've|we've|i have|we have|been|is|are|was|were|got|already|just|now|and) )"
)
_READY: Final = re.compile(r"(?<!\w)(?:is|are|'s|'re) (?:now |all )?(?:ready|done|finished|complete|sorted)(?!\w)")
_GIVEN_UP: Final = re.compile(
    r"(?<!\w)i(?:'m| am) not (?:going to )?(?=\w)|(?<!\w)i (?:can't|cannot|won't|will not|couldn't)(?: \w+ly)? (?=\w)|"
    r"(?<!\w)i (?:won't|will not) be able to |(?<!\w)i(?:'m| am) (?:unable|no longer able) to "
)
_END: Final = re.compile(r"[,;:!?.](?=\s|$)|\s(?:because|since|as|so|but|until|before|unless)(?!\w)")
_CIRCUMSTANCE: Final = re.compile(
    r"[,;:!?.](?=\s|$)|\s(?:to|for|at|by|on|in|before|after|with|from|tonight|tomorrow|today|when|once|if|and|so|then|as|"
    r"within|until|next|this|please)(?!\w)"
)


@lru_cache(maxsize=1_024)
def promised_verb(text: str) -> str:
    """The verb of the deed that a text promises or asks for; empty where none is told."""
    said = plain_words(text)
    match = _PROMISED.search(said) or _ORDERED.match(said)
    return match["verb"] if match else ""


def past_forms(verb: str) -> tuple[str, ...]:
    """How a deed is reported: 'sent', 'restarted', 'tried'."""
    if verb in _IRREGULAR:
        return tuple(_IRREGULAR[verb].split())
    if verb.endswith("e"):
        return (f"{verb}d",)
    if re.search(r"[^aeiou]y$", verb):
        return (f"{verb[:-1]}ied",)
    return (f"{verb}ed", f"{verb}{verb[-1]}ed")


def does(report: str, promise: str) -> bool:
    """Whether a report says that the promised deed was done to the same thing.

    >>> does("I restarted worker-3.", "Can someone restart worker-3?")
    True
    >>> does("I restarted worker-4.", "Can someone restart worker-3?")
    False
    """
    verb = promised_verb(promise)
    said = plain_words(report)
    if not verb or is_question(said) or not (_READY.search(said) or any(form in said for form in past_forms(verb))):
        return False
    forms = "|".join(map(re.escape, past_forms(verb)))
    thing = _thing(promise, verb)
    for clause in re.split(r"(?<=[.;!])\s|, (?:and|but) ", said):
        told = _READY.search(clause) or re.search(rf"{_REPORTS}(?:{forms})(?!\w)|(?<!\w)(?:{forms})\W*$", clause)
        if told and thing and not _UNDONE.search(clause) and thing <= deed_words(clause):
            return True
    return False


def opens_with(reply: str, promise: str) -> bool:
    """Whether a reply opens by saying that what was asked for is done: 'Booked: 3 June', 'Done.'.

    >>> opens_with("Booked: 3 June, 9:40.", "Book it please.")
    True
    """
    said, verb = plain_words(reply), promised_verb(promise)
    forms = "|".join(map(re.escape, past_forms(verb) if verb else ()))
    done = rf"(?:{forms}|all done|done)" if forms else "(?:all done|done)"
    opening = re.match(rf"(?:(?:ok|okay|great|sure|good)[,.!] )?{done}(?=[.,:;!]|$| (?:and|it|the|for)\b)", said)
    return opening is not None and not is_question(said)


def _thing(promise: str, verb: str) -> frozenset[str]:
    """What it is done to: the words up to the first that say to whom, where or when."""
    return deed_words(_CIRCUMSTANCE.split(plain_words(promise).partition(f"{verb} ")[2])[0])


def gives_up(later: str, promise: str) -> bool:
    """Whether somebody says that he will not do what he promised.

    >>> gives_up("I'm not bringing dessert after all.", "I'll bring the dessert.")
    True
    >>> gives_up("I can't open the dessert box.", "I'll bring the dessert.")
    False
    """
    said = plain_words(later)
    verb = promised_verb(promise)
    match = _GIVEN_UP.search(said)
    if match is None or not verb or is_question(said):
        return False
    given_up = deed_words(_END.split(said[match.end() :])[0])
    thing = _thing(promise, verb)
    return bool(thing) and thing <= given_up and bool(deed_words(verb) <= given_up or not deed_words(verb))
