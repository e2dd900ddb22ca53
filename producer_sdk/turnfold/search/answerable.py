"""Estimate how likely the passages that a query found answer it. Pure, by words alone.

A question about a person is searched for in what that person says, and in what others say to the person: "your
necklace" is about the one spoken to. If the words of a question are in statements about another person instead, the
question confuses the two.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.passages import Passage
from turnfold.contract.records import Role
from turnfold.contract.terms import terms
from turnfold.search.relevance import query_terms

_YOU: Final = lazy_pattern(r"(?i)\b(?:you|yours?|u|ya)\b")
_I: Final = lazy_pattern(r"\b(?:I|[Mm](?:e|y|ine)|[Ww]e|[Oo]urs?|[Uu]s)\b")
_ROLES: Final = frozenset(map(str, Role))
_OF_TALKING: Final = frozenset(
    terms(
        "anything discuss everything happen hear know mention new news remember said say something speak talk tell told"
    )
)
"""Terms of a question that name no subject: 'What did we discuss in May?' matches whatever was said in May."""
_SHARPNESS: Final = 4.0
"""Exponent of a turn's share of a question: many turns with small shares do not answer it."""
_LEAST: Final = 0.01
_MIDDLE: Final = 0.7
"""Midpoint of the balance between two people: at a threshold of 0.1, about one valid question in fifty is rejected as
confusing them (`benchmarks/answerable.py`)."""


def answerable(
    asked: Sequence[str],
    told: Mapping[str, float],
    passages: Iterable[Passage],
    *,
    of_time: Collection[int] | None = None,
) -> float:
    """Likelihood of an answer, from 0, where no passage is about the query, to 1.

    `asked` are the terms of the query without those of its times, `told` their weights. `of_time` are the numbers of
    passages of the times that the query names, None if it names none.

    >>> answerable(["rent"], {"rent": 2.0}, [])
    0.0
    """
    candidates = list(passages)
    named = _named(asked, candidates)
    subject = [term for term in asked if term not in named and term not in _OF_TALKING]
    if not subject:
        return float(not asked or _any_by(set(named.values()), candidates, of_time))
    wanted = {term: told[term] for term in subject if term in told}
    whole = sum(wanted.values())
    if not whole or not candidates:
        return 0.0
    if len(speakers := set(named.values())) == 1 and len(_people(candidates)) > 1:
        return _of_person(speakers.pop(), wanted, whole, candidates)
    held = {term for passage in candidates for words in passage.words for term in wanted.keys() & set(words.split())}
    return min(1.0, sum([weight for term, weight in wanted.items() if term in held]) / whole)


def with_late(likely: float, query: str, late: Iterable[str], *, matched: Collection[str] = ()) -> float:
    """Raise a likelihood to the share of the query's words in turns that are not folded yet, if that is more.

    Questions and repetitions of the query do not count. `matched` are terms for the query's times, and for
    the speakers of turns of such a time that no segment contains: a query that names nothing else is answered by them.

    >>> with_late(0.0, "When does the ferry leave?", ["The ferry leaves at nine.", "When does the bus leave?"])
    1.0
    """
    asked = frozenset(query_terms(query, without=matched)) - _OF_TALKING
    if not asked:
        return 1.0 if matched else likely
    told = [text for text in late if text.strip() != query.strip() and not text.rstrip().endswith("?")]
    return max(likely, len(asked.intersection(chain.from_iterable(map(terms, told)))) / len(asked))


def _any_by(speakers: Collection[str], passages: Iterable[Passage], of_time: Collection[int] | None) -> bool:
    """Whether a passage is by one of the speakers, by anyone if there are none, and of the time that is asked about."""
    return any(
        (not speakers or passage.notes[0].speaker in speakers) and (of_time is None or passage.number in of_time)
        for passage in passages
    )


def _people(passages: Iterable[Passage]) -> set[str]:
    return {passage.notes[0].speaker for passage in passages} - _ROLES


def _named(question_terms: Sequence[str], passages: Sequence[Passage]) -> dict[str, str]:
    """Terms of a question that name speakers, each with the speaker's label."""
    return {term: speaker for speaker in _people(passages) for term in terms(speaker) if term in question_terms}


def _of_person(person: str, wanted: Mapping[str, float], whole: float, passages: Sequence[Passage]) -> float:
    """Likelihood from how much more of a question is in statements about a person than in those about others."""
    about: dict[tuple[int, bool], set[str]] = {}
    for passage in passages:
        speaker, seq = passage.notes[0].speaker, passage.notes[0].seq
        for note, words in zip(passage.notes, passage.words, strict=True):
            held = wanted.keys() & set(words.split())
            if not held:
                continue
            to_other = _YOU.search(note.text) is not None
            of_self = not to_other or (not note.text.endswith("?") and _I.search(note.text) is not None)
            for is_about, is_person in ((of_self, speaker == person), (to_other, speaker != person)):
                if is_about:
                    about.setdefault((seq, is_person), set()).update(held)
    of_person = of_others = _LEAST
    greatest_share = 0.0
    # Sorted, because float sums depend on the order.
    for (_, is_person), held in sorted(about.items(), key=itemgetter(0)):
        share = sum([weight for term, weight in wanted.items() if term in held]) / whole
        if is_person:
            of_person += share**_SHARPNESS
            greatest_share = max(greatest_share, share)
        else:
            of_others += share**_SHARPNESS
    balance = math.log(of_person / of_others) + greatest_share
    return 1.0 / (1.0 + math.exp(_MIDDLE - balance))
