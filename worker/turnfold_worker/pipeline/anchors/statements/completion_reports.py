"""Whether a promised deed is reported as done, by its verb and its object."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.statement_rules import COMPLETIONS
from turnfold_worker.pipeline.anchors.statements.deeds import object_words, promised_verb, thing_of
from turnfold_worker.pipeline.anchors.statements.obligations import deed_words
from turnfold_worker.pipeline.anchors.statements.temporal_scope import is_bygone, is_habit
from turnfold_worker.pipeline.language.spoken import is_question, plain_words

_IRREGULAR: Final = {
    "bring": "brought", "build": "built", "buy": "bought", "come": "came", "cut": "cut", "do": "did done",
    "drive": "drove driven", "eat": "ate eaten", "find": "found", "get": "got gotten", "give": "gave given",
    "go": "went gone", "keep": "kept", "leave": "left", "make": "made", "meet": "met", "pay": "paid", "put": "put",
    "read": "read", "run": "ran run", "sell": "sold", "send": "sent", "set": "set",
    "speak": "spoke spoken", "take": "took taken", "teach": "taught", "tell": "told", "write": "wrote written",
    "rewrite": "rewrote rewritten", "hold": "held", "draw": "drew drawn", "choose": "chose chosen", "feed": "fed",
    "dig": "dug", "reset": "reset", "rerun": "reran",
}  # fmt: skip
_BASES: Final = {form: verb for verb, forms in _IRREGULAR.items() for form in forms.split()} | {
    "goes": "go", "going": "go", "flew": "fly", "flown": "fly", "began": "begin", "begun": "begin", "won": "win",
    "using": "use",
}  # fmt: skip
_KIN: Final = (
    frozenset({"send", "email", "e-mail", "mail", "forward", "deliver", "submit"}),
    frozenset({"book", "reserve"}),
    frozenset({"buy", "order", "purchase", "get"}),
    frozenset({"fix", "repair", "resolve", "patch"}),
    frozenset({"call", "phone", "ring"}),
    frozenset({"delete", "remove"}),
)
"""Verbs for the same deed."""
_MAKES: Final = frozenset(
    {"add", "arrange", "build", "clean", "complete", "configure", "create", "design", "develop", "document", "draft",
     "draw", "finish", "fix", "handle", "implement", "make", "migrate", "organise", "organize", "patch", "prepare",
     "produce", "refactor", "repair", "resolve", "rewrite", "set", "solve", "translate", "update", "write"}
)  # fmt: skip
"""Verbs of deeds that leave the object itself ready."""
_READY: Final = r"ready|done|finished|completed?|sorted|live|merged|deployed|released|shipped|in place"
_OVER: Final = r"done|finished|completed?|sorted"
_FIRST: Final = (
    r"(?<!\w)(?:once|when|whenever|until|till|unless|if|whether|before|after|as soon as|by the time|as long as|in case|"
    r"(?:make|be) sure(?: that)?|hope(?: that)?) "
)
_FIRST_I: Final = lazy_pattern(rf"{_FIRST}$")
_FIRST_IT: Final = lazy_pattern(
    rf"{_FIRST}[^,;.:!?]{{1,60}} $|(?<!\w)(?:should|would|could|might|may|must|will|'ll|to)(?: (?:not|also|\w+ly))? $"
)
_UNDONE: Final = lazy_pattern(
    r"(?<!\w)(?:not|never|\w+n't|no|will|'ll|going to|should|would|could|can|might|may|must|if|when|once|until|before|"
    r"unless|after|hope|want|need|try|trying|tried|almost|nearly|maybe|perhaps|probably|partly|half|forgot|failed|thought|"
    r"think|wish|supposed|whether|who|why)(?!\w)"
)
_OTHER_DEED: Final = lazy_pattern(
    r"(?<!\w)(?:fully booked|(?:booked|sold) (?:out|up|solid)|called (?:off|out)|(?:put|set) (?:off|aside)|turned down|"
    r"(?:sent|given|gave|taken|took) back|got (?:sent|lost|stuck))(?!\w)"
)
"""Phrases that are no report of the deed: in 'the hotel is booked out' we booked nothing."""
_REPORTS: Final = (
    r"(?:^|[.!;:,] |(?<!\w)(?:i|we|i've|we've|i have|we have|been|is|are|was|were|got|already|just|now|and|all|"
    r"[a-z-]{2,20}'s) )"
)
_TO_PEOPLE: Final = frozenset({"ask", "call", "contact", "phone", "ring", "tell", "visit"})
"""Verbs whose past form with another subject is no report: 'the dentist called' is the dentist's deed."""
_WHEN: Final = deed_words(
    "already yesterday tonight morning afternoon evening earlier ago minute minutes just successfully"
)
_FEW_WORDS: Final = 8
ANY_FORM: Final = "|".join(
    sorted({r"\w{2,14}ed", "done", *(form for each in _IRREGULAR.values() for form in each.split())})
)
"""Past forms of a verb: what it looks like when the deed is done."""
_ANY_DEED: Final = lazy_pattern(
    r"^(?:(?:ok|okay|great|sure|good|yes|yep|all|and|so|just|now|i|we|it|they|that|i've|we've|it's|that's|has|have|is|are|"
    rf"been|already)[,.!]? ){{0,5}}(?:{ANY_FORM})(?!\w)|"
    rf"(?:(?<!\w)(?:is|are|been)|\w's|^\w{{1,20}}) (?:now |all )?(?:{ANY_FORM}|ready|live)\W*$"
)
"""A completed deed at the beginning or end of a short text."""
SOON: Final = 4
"""Number of turns within which 'Sent it.' refers to the last such promise."""
_CLAUSE_ENDS: Final = lazy_pattern(r"(?<=[.;!])\s|, (?=(?:and|but|so|which|the|i|we|he|she|it|they|you)(?!\w))")


def base_of(word: str) -> str:
    """Return the base form of an irregular past form, else the word itself.

    >>> base_of("went"), base_of("sent"), base_of("booked")
    ('go', 'send', 'booked')
    """
    return _BASES.get(word, word)


def past_forms(verb: str) -> tuple[str, ...]:
    """Return the past forms of a verb: 'sent', 'restarted', 'tried'."""
    if verb in _IRREGULAR:
        return tuple(_IRREGULAR[verb].split())
    if verb.endswith("e"):
        return (f"{verb}d",)
    if re.search(r"[^aeiou]y$", verb):
        return (f"{verb[:-1]}ied",)
    return (f"{verb}ed", f"{verb}{verb[-1]}ed")


def tells_of_done(statement: str) -> bool:
    """Check whether a statement, normalized by `plain_words`, reports something as done rather than as a condition.

    >>> tells_of_done("the lease has been signed."), tells_of_done("once the lease has been signed, we move in.")
    (True, False)
    """
    match = COMPLETIONS.search(statement)
    if match is None or is_question(statement):
        return False
    by_somebody = match[0].startswith(("i ", "i'", "we"))
    return not (_FIRST_I if by_somebody else _FIRST_IT).search(statement[: match.start()])


@lru_cache(maxsize=1_024)
def _done_forms(verb: str) -> str:
    """Return the regex alternatives by which the deed of a verb, or of a synonym, is reported."""
    kin = next((group for group in _KIN if verb in group), frozenset({verb}))
    forms = [form for each in sorted(kin) for form in past_forms(each)]
    return "|".join([*map(re.escape, forms), *([_READY] if verb in _MAKES else [])])


def does(report: str, promise: str) -> bool:
    """Check whether a report says that the promised deed was done to the same object.

    >>> does("I restarted worker-3.", "Can someone restart worker-3?")
    True
    >>> does("I restarted worker-4.", "Can someone restart worker-3?")
    False
    >>> does("The hotel is booked out.", "I'll book the hotel.")
    False
    """
    verb = promised_verb(promise)
    thing = thing_of(promise, verb) if verb else ()
    return bool(thing) and any(_about(clause, end, verb, thing) for clause, end in _told(report, verb))


@lru_cache(maxsize=1_024)
def _told(report: str, verb: str) -> tuple[tuple[str, int], ...]:
    """Return the clauses of a report that state the deed as done, each with the end of its verb.

    Cached because a report is compared with many promises, which share few verbs.
    """
    plain_text = plain_words(report)
    if is_question(plain_text) or is_bygone(plain_text) or is_habit(plain_text):
        return ()
    told_by = _reporting(verb)
    if not told_by.worth_trying.search(plain_text):
        return ()
    clauses_told = []
    for clause in _CLAUSE_ENDS.split(plain_text):
        news = next(filter(None, (pattern.search(clause) for pattern in told_by.news)), None)
        if news and not any(pattern.search(clause) for pattern in (_UNDONE, _OTHER_DEED, told_by.usual)):
            clauses_told.append((clause, news.end()))
    return tuple(clauses_told)


class _Reporting(NamedTuple):
    """Patterns for reports of the deed of a verb."""

    worth_trying: re.Pattern[str]
    news: tuple[re.Pattern[str], ...]
    """Reports: 'I booked it', 'the booking is done', 'table booked for 7'."""
    usual: re.Pattern[str]
    """Descriptions of routine: 'Booking is done by the client.'"""


@lru_cache(maxsize=256)
def _reporting(verb: str) -> _Reporting:
    forms, noun = _done_forms(verb), re.escape(verb[:5])
    news = [
        rf"{_REPORTS}(?:{forms})(?!\w)",
        rf"(?<!\w){noun}\w* .{{0,60}}(?<!\w)(?:is|are|been|was) (?:now |all )?(?:{_OVER})(?!\w)",
    ]
    if verb not in _TO_PEOPLE:
        news.append(rf"^(?:[\w'/.-]+ ){{1,4}}(?:{forms})(?= (?:for|at|on|to|in)(?!\w)|\W*$)")
    usual = rf"(?<!\w)(?:is|are|gets?) (?:{forms}|{_OVER}) (?:by|through|via|with|manually|automatically)(?!\w)"
    return _Reporting(re.compile(rf"(?:{forms}|{_OVER})(?!\w)"), tuple(map(re.compile, news)), re.compile(usual))


def _about(clause: str, end: int, verb: str, thing: tuple[str, ...]) -> bool:
    """Check whether a clause names the whole object, or only words of it with its head: 'the contract'."""
    if deed_words(clause) >= frozenset(thing):
        return True
    named = frozenset((*object_words(clause[end:]), *(deed_words(clause[:end]) - _verb_words(verb))))
    return thing[-1] in named and named <= frozenset(thing)


@lru_cache(maxsize=1_024)
def _verb_words(verb: str) -> frozenset[str]:
    return deed_words(f"{verb} {_done_forms(verb).replace('|', ' ')} {_OVER.replace('|', ' ')}")


def opens_with(reply: str, promise: str) -> bool:
    """Check whether a reply opens by saying that the requested deed is done: 'Booked: 3 June', 'Done.'.

    >>> opens_with("Booked: 3 June, 9:40.", "Book it please.")
    True
    """
    plain_reply, verb = plain_words(reply), promised_verb(promise)
    done = rf"(?:{_done_forms(verb)}|all done|done)" if verb else "(?:all done|done)"
    opening = re.match(rf"(?:(?:ok|okay|great|sure|good)[,.!] )?{done}(?=[.,:;!]|$| (?:and|it|the|for)\b)", plain_reply)
    return opening is not None and not is_question(plain_reply)


def may_report(statement: str) -> bool:
    """Check whether a short normalized text may report any deed: 'Sent.', 'the hotel is booked'."""
    few = len(statement.split()) <= _FEW_WORDS and not (
        is_question(statement) or is_bygone(statement) or is_habit(statement)
    )
    return few and _ANY_DEED.search(statement) is not None and not _UNDONE.search(statement)


def does_it(report: str, promise: str) -> bool:
    """Check whether a report says that the deed is done without naming an object: 'Booked it.', 'It's sent now.'.

    The caller makes sure that the promise is the latest one that fits.

    >>> does_it("I've just booked it.", "I'll book the hotel."), does_it("I booked a table.", "I'll book the hotel.")
    (True, False)
    """
    verb = promised_verb(promise)
    return bool(verb) and any(deed_words(clause) <= _verb_words(verb) | _WHEN for clause, _ in _told(report, verb))
