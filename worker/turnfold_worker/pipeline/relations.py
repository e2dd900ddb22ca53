"""Relations by rule: who is, has, uses or does what, and which key has which value. Few, and right.

A relation is a short statement, `subject verb object` or `key: value`, in the words of one sentence; a speaker's `I` is
the speaker's name. Questions, conditions, negations and wishes give none: a wrong relation is worse than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from turnfold_worker.pipeline.common_words import is_common, listed
from turnfold_worker.pipeline.facts import MAX_ENTRY_LENGTH, FactKind
from turnfold_worker.pipeline.prose import Span
from turnfold_worker.pipeline.reading import Reading, plain_line
from turnfold_worker.pipeline.telegraph import is_negation

MAX_RELATIONS: Final = 12
"""Relations that a segment keeps."""
_SENTENCES: Final = 100
"""Sentences of a turn that are looked at."""
_LONGEST: Final = 240
"""Code points of a sentence that is looked at."""
_ENTITIES: Final = (FactKind.NAME, FactKind.IDENTIFIER, FactKind.PATH)
_MOST_KEY_WORDS: Final = 3

_OPEN: Final = listed(
    "if unless would could should might may maybe perhaps probably whether wish hope hoping almost until wonder imagine"
    " pretend example suppose let's"
)
"""Words of a sentence that states nothing that holds."""

_VERBS: Final = {
    "am": "is",
    "are": "is",
    "was": "was",
    "work": "works",
    "live": "lives",
    "study": "studies",
    "teach": "teaches",
    "use": "uses",
    "own": "owns",
    "need": "needs",
    "prefer": "prefers",
    "play": "plays",
    "run": "runs",
    "have": "has",
    "'m": "is",
    "'re": "is",
}
"""A verb of the first person as it is said of the speaker."""
_VERB: Final = (
    r"(?:(?:am|is|are|was|'m|'re)(?= (?:an?|the|allergic|afraid|married|engaged|from|based|located|called|named|written"
    r"|hosted|deployed|owned|responsible)\b)"
    r"|(?:work(?:s|ed)?|stud(?:y|ies|ied)|live[sd]?|teach(?:es)?|taught)(?= (?:at|for|as|in|near|with)\b)"
    r"|moved(?= (?:to|from)\b)|depends?(?= on\b)|runs?(?= (?:on|as|at|in)\b)|belongs?(?= to\b)|points?(?= to\b)"
    r"|(?:uses?|owns?|needs?|requires?|prefers?|plays?|extends|implements|inherits|calls|replaces|returns|imports"
    r"|exports|contains|listens|adopted|bought|married|joined|founded|hired|chose|visited|signed|approved|released)(?= )"
    r"|ha(?:ve|s)(?= (?:an?|two|three|four|five|six|\d)))"
)
_OBJECT: Final = (
    r"(?P<object>[^\s,;:.!?()\[\]\"]+(?:\.[^\s,;:.!?()\[\]\"]+)*(?: [^\s,;:!?()\[\]\".]+(?:\.[^\s,;:!?()\[\]\".]+)*){0,6}?)"
    r"(?=\.?$|\.\s|[,;:!?()\[\]\"]| (?:and|but|because|so|when|while|which|that|who|if|since|after|before|though|then)\b)"
)
_SPOKEN: Final = re.compile(
    rf"(?i)^(?:(?:and|but|so|well|yes|yeah|also|oh|now),? )?I(?: (?:just|also|now|recently))? ?(?P<verb>{_VERB}) {_OBJECT}"
)
_STATED: Final = re.compile(
    rf"^(?:(?:and|but|so|the|our) )?(?P<subject>\S+(?: \S+){{0,3}}?) (?P<verb>{_VERB}) {_OBJECT}"
)
_MINE: Final = re.compile(
    rf"(?i)^(?:(?:and|but|so|well|yes|yeah|also|oh),? )?(?:my|our) (?P<owned>[\w-]+(?: [\w-]+){{0,2}}?)(?:'s name)? (?P<verb>is|was|are)"
    rf"(?: called| named)? {_OBJECT}"
)
_PAIR: Final = re.compile(r"^(?P<key>[A-Za-z][\w .-]{1,40}?) ?(?P<joint>[:=]) ?(?P<value>\S{1,60}(?: \S{1,20}){0,2})$")
_DIGIT: Final = re.compile(r"\d")


def relations_of(readings: Sequence[Reading]) -> list[str]:
    """The relations that a segment states, most often stated first, then by first mention; at most `MAX_RELATIONS`."""
    counts: dict[str, int] = {}
    for reading in readings:
        for relation in dict.fromkeys(_of_turn(reading)):
            counts[relation] = counts.get(relation, 0) + 1
    order = {relation: place for place, relation in enumerate(counts)}
    return sorted(counts, key=lambda relation: (-counts[relation], order[relation]))[:MAX_RELATIONS]


def _of_turn(reading: Reading) -> Iterator[str]:
    treatment = reading.treatment
    if reading.tool or (treatment is not None and treatment.repeat is not None):
        return
    for span in reading.sentences[:_SENTENCES]:
        if span.end - span.start > _LONGEST:
            continue
        line = plain_line(reading.text(span)).replace("\u2019", "'").rstrip(" .!")
        relation = _pair(line) or _stated(reading, span, line)
        if relation and len(relation) <= MAX_ENTRY_LENGTH:
            yield relation


def _pair(line: str) -> str:
    """`key: value`, when the value is exact."""
    match = _PAIR.match(line)
    if not match or len(match.group("key").split()) > _MOST_KEY_WORDS:
        return ""
    value = match.group("value")
    exact = _DIGIT.search(value) or "/" in value or "_" in value
    return f"{match.group('key')}: {value}" if exact and not value.startswith("//") else ""


def _stated(reading: Reading, span: Span, line: str) -> str:
    words = [word.strip("\"'(),").lower() for word in line.split()]
    if line.endswith("?") or any(word in _OPEN or is_negation(word) for word in words):
        return ""
    if match := _MINE.match(line):
        entity = _is_exact(match.group("object"), reading, span)
        owned = match.group("owned")
        return f"{reading.speaker}'s {owned} {match.group('verb')} {match.group('object')}" if entity else ""
    if match := _SPOKEN.match(line):
        verb = match.group("verb").lower()
        shown = _VERBS.get(verb, verb)
        return f"{reading.speaker} {shown} {match.group('object')}" if _tells(match.group("object")) else ""
    match = _STATED.match(line)
    if not match or not _is_exact(match.group("subject"), reading, span, whole=True):
        return ""
    return (
        f"{match.group('subject')} {match.group('verb')} {match.group('object')}"
        if _tells(match.group("object"))
        else ""
    )


def _is_exact(text: str, reading: Reading, span: Span, *, whole: bool = False) -> bool:
    """True when the text holds a name, an identifier or a path of the sentence; `whole`: when it is one."""
    names: Iterable[str] = (fact.text for fact in reading.facts.within(span.start, span.end) if fact.kind in _ENTITIES)
    return any(name == text if whole else name in text for name in names)


def _tells(text: str) -> bool:
    """True when at least one word of an object is not an everyday word."""
    return any(word and not is_common(word) for word in (part.strip("'\"").lower() for part in text.split()))
