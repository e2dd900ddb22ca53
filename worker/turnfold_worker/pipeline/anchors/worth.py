"""Worth of a clause for later turns: a score from 0 to 100 as the sum of named factors.

The first factor is the phrase that shows what the clause does, under its rule's name. Factors for exact values, for the
speaker and for the caller's marks follow, then doubts, which are negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from turnfold.contract.records import AnchorType, Importance, Role
from turnfold_worker.pipeline.anchors.assistants import TEXT, Company
from turnfold_worker.pipeline.anchors.rules import doubt_rules, standing_rules, statement_rules
from turnfold_worker.pipeline.anchors.statements.alone import means_something_alone
from turnfold_worker.pipeline.anchors.statements.question_split import asks_for_a_reply
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, Fact, FactKind
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.words import specific_words, words
from turnfold_worker.pipeline.turns.reading import Reading

Factors = Mapping[str, int]

_MARKS: Final = {Importance.LOW: -20, Importance.MEDIUM: 8, Importance.HIGH: 15, Importance.PIN: 40}
_TOLD: Final = frozenset({AnchorType.CRITICAL_FACT, AnchorType.PREFERENCE})
_BY_NAMES: Final = frozenset({"exact"})
_HAPPENED: Final = frozenset({"what happened", "exact", "when", "done", "answer"})
"""Fact rules that also match small talk."""
_COMPUTED: Final = frozenset({"exact", "need", "answer", "what happened"})
_TOLD_BY_PHRASE: Final = frozenset(
    {"what happened", "name and person", "need", "preference", "who somebody is", "health"}
    | statement_rules.OF_WHAT_WAS_NAMED
)
_ORDERS: Final = frozenset({"order", "advice", "order under a condition", "proposal"})
_AGREEMENTS: Final = frozenset({"agreement", "agreed to", "question"})
_LOOSE: Final = frozenset({"wanted", "duty taken", "promise of anything", "you asked to act", "offer"})
"""Deed rules that also match small talk between people."""
_ADVICE: Final = _ORDERS | {"availability", "meeting", "work given", "work named"}
"""Request rules that also match an assistant's advice."""
_MEAN_SOMETHING: Final = frozenset(AnchorType) - {AnchorType.UNRESOLVED_QUESTION, AnchorType.CORRECTION}
"""Types that must be understandable alone; a question has its answer, and 'scratch that' what it takes back."""
_FEW: Final = 2
"""Minimum number of specific words in an answer."""
_SOME: Final = 5
"""The same minimum between people, who ask and answer for the sake of talking."""
_KINDS_OF_ADDRESS: Final = frozenset({FactKind.URL, FactKind.EMAIL, FactKind.PATH})


def score_of(factors: Factors) -> int:
    """Return the sum of the factors, limited to 0 to 100."""
    return min(max(sum(factors.values()), 0), 100)


def marks_of(statement: str, reading: Reading, span: Span, wanted: frozenset[str], company: Company) -> dict[str, int]:
    """Return the factors that apply to any clause, whatever it does; `wanted` are words of the goal."""
    stated = reading.facts.within(span.start, span.end)
    person = reading.turn.role in {Role.USER, Role.ASSISTANT} and not company.by_assistant
    factors = {
        "value": 8 * any(fact.kind in VALUES for fact in stated),
        "name": 6 * any(fact.kind in NAMES for fact in stated),
        "person": 6 * person,
        "not a person": -4 * (not person),
        "takes back": 14 * _takes_back_a_value(statement),
        "goal": 10 * (bool(wanted) and not wanted.isdisjoint(words(reading.text(span)))),
        "marked": _MARKS.get(reading.turn.importance, 0),
    }
    return {name: points for name, points in factors.items() if points}


def doubts_of(
    kind: AnchorType, rule: str, statement: str, reading: Reading, span: Span, company: Company
) -> dict[str, int]:
    """Return factors that lower the score of a clause."""
    stated = reading.facts.within(span.start, span.end)
    explains = company.by_assistant and len(reading.turn.content) >= TEXT
    factors: dict[str, int] = {}
    if kind in _TOLD:
        factors = _of_fact(kind, rule, statement, stated, company)
        factors["explains"] = -16 * explains
    elif kind is AnchorType.DECISION:
        agrees = rule in _AGREEMENTS and not company.with_assistant and not any(map(_is_strong, stated))
        asks = statement.endswith("?") or doubt_rules.WANTS_HELP.match(statement) is not None
        chats = agrees or doubt_rules.CHIT_CHAT.search(statement) is not None
        factors = {"explains": -16 * explains, "asks": -20 * (asks and rule != "agreed to")}
        factors["small talk"] = -20 * chats
    elif kind is AnchorType.COMMITMENT:
        factors = _of_deed(rule, statement, stated, company)
    elif kind is AnchorType.UNRESOLVED_QUESTION:
        small = doubt_rules.SMALL_QUESTION.search(statement) is not None
        certain = bool(stated) or doubt_rules.DEFINITE.search(statement) is not None
        of_them = not (company.with_assistant or certain) and doubt_rules.OF_THEIR_LIFE.search(statement) is not None
        factors["small talk"] = -20 * (small or of_them)
    if kind in _MEAN_SOMETHING or (kind is AnchorType.CORRECTION and rule == "actually"):
        exact = [fact for fact in stated if _is_strong(fact) or fact.kind in NAMES]
        named = [fact.text for fact in exact if not _addresses(reading, fact, span)]
        factors["points elsewhere"] = -40 * (not means_something_alone(statement, named))
    if kind is AnchorType.CORRECTION and not any(_is_strong(fact) or fact.kind in NAMES for fact in stated):
        factors["only admits"] = -30 * (doubt_rules.ADMITS.search(statement) is not None)
    return {name: points for name, points in factors.items() if points}


def _of_fact(kind: AnchorType, rule: str, statement: str, stated: tuple[Fact, ...], company: Company) -> dict[str, int]:
    valued = any(fact.kind in VALUES for fact in stated) or statement_rules.COUNTED.search(statement) is not None
    named = any(fact.kind in NAMES for fact in stated)
    strong = any(_is_strong(fact) for fact in stated)
    timed = doubt_rules.WHEN.search(statement) is not None
    lasting = strong or doubt_rules.CONSEQUENCE.search(statement) is not None
    tells_past = doubt_rules.PAST.search(statement) is not None or rule == "what happened"
    dated = (valued or timed) and (rule == "what happened" or strong or not tells_past)
    is_sure = rule in statement_rules.OF_WHAT_WAS_NAMED
    aims = doubt_rules.AIM.search(statement) is not None and not (kind is AnchorType.PREFERENCE or is_sure)
    few = _FEW if company.with_assistant else _SOME
    bare = rule == "answer" and not valued and not named and len(specific_words(statement)) < few
    likes = kind is AnchorType.PREFERENCE and standing_rules.PREFERENCE.search(statement) is not None
    empty = rule in _HAPPENED | _TOLD_BY_PHRASE and not (likes or valued or named or specific_words(statement))
    feels = doubt_rules.FEELING.search(statement) is not None and standing_rules.BODILY.search(statement) is None
    return {
        "feeling": (-8 if strong or ((valued or timed) and rule in _TOLD_BY_PHRASE) else -20) * feels,
        "hearsay": (-8 if strong else -20) * (doubt_rules.HEARSAY.search(statement) is not None and not is_sure),
        "aim": (-8 if strong else -24 if company.with_assistant or not named else -14) * aims,
        "names only": (-16 if company.with_assistant else -20) * (rule in _BY_NAMES and not valued and not lasting),
        "bygone": -22 * (rule in _HAPPENED and tells_past and not dated and not lasting),
        "bare": -20 * ((bare and not timed) or empty),
        "asks": -20 * statement.endswith("?"),
        "computes": -14 * (rule in _COMPUTED and doubt_rules.COMPUTES.search(statement) is not None),
        "asks for help": -20 * (company.with_assistant and doubt_rules.WANTS_HELP.search(statement) is not None),
        "announces": -20 * (statement.endswith(":") and not strong and ": " not in statement),
        "small talk": (-8 if strong or (valued and named) else -20)
        * (doubt_rules.CHIT_CHAT.search(statement) is not None),
    }


def _addresses(reading: Reading, fact: Fact, span: Span) -> bool:
    """Check whether a name only addresses the listener: 'I'm getting there, Ana'."""
    content = reading.turn.content
    return content[: fact.start].endswith(", ") and not content[fact.end : span.end].strip(" .!?")


def _of_deed(rule: str, statement: str, stated: tuple[Fact, ...], company: Company) -> dict[str, int]:
    if doubt_rules.UNSURE.match(statement):
        return {"unsure": -30}
    if company.with_assistant and not company.by_assistant and asks_for_a_reply(statement):
        # Score it like a deed without exact values, whatever it states: it is kept but not shown.
        valued, named = (any(fact.kind in kinds for fact in stated) for kinds in (VALUES, NAMES))
        return {"a reply settles it": -12 - 8 * valued - 6 * named}
    exact = any(fact.kind in VALUES or fact.kind in _KINDS_OF_ADDRESS for fact in stated)
    if exact or any(fact.kind in NAMES for fact in stated):
        return {}
    kind = not company.with_assistant and doubt_rules.KIND.search(statement) is not None
    if doubt_rules.DEFINITE.search(statement):
        return {"vague": -20 * kind}
    advises = (rule in _ORDERS and not company.with_assistant) or (rule in _ADVICE and company.by_assistant)
    return {
        "vague": -20 * (doubt_rules.VAGUE.search(statement) is not None),
        "loose": -12 * (rule in _LOOSE and not company.with_assistant),
        "advice": -16 * advises,
        "small talk": -20 * (doubt_rules.CHIT_CHAT.search(statement) is not None),
    }


def _takes_back_a_value(statement: str) -> bool:
    """Check whether a clause says that an earlier value no longer holds: 'The port is 587, not 2525'."""
    stated = statement_rules.TAKEN_BACK.search(statement)
    return stated is not None and all(any(map(str.isdigit, part)) for part in (stated[1], statement[: stated.start()]))


def _is_strong(fact: Fact) -> bool:
    """Check for a day, time, amount or address, as opposed to 'last week', 'two' or a version."""
    if fact.kind in VALUES:
        return any(map(str.isdigit, fact.text))
    return fact.kind in _KINDS_OF_ADDRESS
