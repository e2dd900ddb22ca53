"""Synonyms for relations: a group meets, gathers or gets together; a sofa costs or is priced at 800 euros.

Each line has the canonical words of the relation, then its synonyms. `verb*` stands for all present forms, `~` for
*is*, *are* and *am*, and `(…)` at the end for a pattern that must follow.
"""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.required_words import PatternIndex

_RELATIONS: Final = r"""
    meet = gather*; get* together; come* together; assemble*; convene*
    buy = source*; purchase*; get*( (?:our|my|the) [\w-]+ (?:from|at)); order*( (?:our|my|the) [\w-]+ (?:from|at))
    cost = ~ priced at; ~ sold for; sell* for; retail* at; ~ on sale for; go* for( \W?\d); come* to( \W?\d)
    start = begin*; kick* off; commence*; get* going; get* under way; get* underway
    end = finish*; conclude*; wrap* up
    live in = ~ based in; ~ located in; ~ situated in; ~ housed in; ~ hosted in; ~ stored in; ~ kept in; \
~ deployed in; reside* in
    live on = ~ hosted on; ~ stored on; ~ kept on; ~ deployed on
    live at = ~ based at; ~ located at; ~ hosted at; ~ housed at; reside* at
    work at = ~ employed at; have a job at; has a job at
    work for = ~ employed by
    report to = answer* to; ~ managed by; ~ supervised by
    is called = ~ named; ~ known as; go* by the name of
    leave = depart*; set* off; set* out; head* off; take* off( at| from| on)
    arrive = get* in( at)
    last = lasts; run* for( \d); go* on for( \d); take*( \d+ (?:minutes|hours|days|weeks|months)$)
    earn = make*( \d); take* home( \d); ~ paid( \d); get* paid( \d)
    hold = seat*( \d); accommodate*( \d); have room for( \d); has room for( \d)
    use = rely* on; make* use of
    train = work* out; exercise*
    is responsible for = ~ in charge of; ~ the owner of; look* after; take* care of; handle*; see* to
    is on = ~ set for; ~ scheduled for; ~ scheduled on; ~ planned for; ~ slated for; ~ fixed for; \
~ booked for( \w+day| \d)
    is = ~ set at( \d); ~ set to( \d); ~ fixed at( \d); ~ capped at( \d); ~ up to( \d); ~ down to( \d); \
~ back to( \d); ~ at( \d[\d.]*(?:%| (?:euros|dollars|pounds|degrees|people|pupils|users)))
    drive = get* around in
    study at = ~ a student at; go* to university at; ~ enrolled at
"""


def _pattern(alternative: str) -> str:
    """Return the regex of one synonym: 'gather*' is gather, gathers and is gathering."""
    words, opened, follows = alternative.partition("(")
    words = re.sub(r"(?<!\w)(\w+)\*", _of_verb, words).replace("~", "(?:is|are|am)")
    return words + (f"(?={follows[:-1]})" if opened else "")


def _of_verb(match: re.Match[str]) -> str:
    progressive, *present = _forms(match[1])
    return rf"(?:(?:(?:is|are|am) )?{progressive}|{'|'.join(present)})"


def _forms(verb: str) -> tuple[str, ...]:
    """Return the present forms, the longest first."""
    doubles = verb == "begin" or re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb) is not None
    stem = verb if verb.endswith("ee") else verb.removesuffix("e")
    third = f"{verb[:-1]}ie" if re.search(r"[^aeiou]y$", verb) else f"{verb}e" if verb.endswith(_HISSES) else verb
    return f"{stem}{verb[-1] * doubles}ing", f"{third}s", verb


_HISSES: Final = ("s", "sh", "ch", "x", "go")
_LINES: Final = [line.strip().partition(" = ") for line in _RELATIONS.replace("\\\n", "").strip().splitlines()]
_NAMES: Final = [relation for relation, _, _ in _LINES]
_WORDS: Final = lazy_pattern(
    lambda: (
        r"(?<![\w'-])(?:"
        + "|".join(f"({'|'.join(map(_pattern, alternatives.split('; ')))})" for _, _, alternatives in _LINES)
        + r")(?![\w'-])"
    )
)
_BY_WORD: Final = PatternIndex(
    lambda: (
        rf"(?<!\w){_pattern(alternative)}(?!\w)"
        for _, _, alternatives in _LINES
        for alternative in alternatives.split("; ")
    )
)
"""Index of the words of synonyms; clauses without any, the great majority, are skipped."""


def in_one_relation(clause: str) -> str:
    """Return a bare clause with its relation in canonical words.

    >>> in_one_relation("the choir gathers on thursdays"), in_one_relation("the sofa is priced at 650 euros")
    ('the choir meet on thursdays', 'the sofa cost 650 euros')
    """
    if not _BY_WORD.worth_trying(clause):
        return clause
    return _WORDS.sub(lambda match: _NAMES[(match.lastindex or 1) - 1], clause)
