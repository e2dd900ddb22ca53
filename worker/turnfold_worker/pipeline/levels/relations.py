"""Extracts relations by rule: who is, has, uses or did what, and keys with values. Precision goes before recall.

A relation is a short statement in the words of one sentence, `subject verb object` or `key: value`; a speaker's `I`
becomes the speaker's name. Questions, conditions, negations and wishes yield none: a wrong relation is worse than a
missing one. Personal ties are the exception: "When does my sister Zoe arrive?" says that Zoe is a sister.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role
from turnfold.dates.resolve import resolve_relative_days
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.facts import Fact, FactKind
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.words import is_negation
from turnfold_worker.pipeline.levels.fact_lists import MAX_ENTRY_LENGTH
from turnfold_worker.pipeline.notes.phatic import bare_words
from turnfold_worker.pipeline.turns.reading import Reading

MAX_RELATIONS: Final = 12
"""Maximum number of relations of a segment."""
_SENTENCES: Final = 100
"""Maximum number of sentences of a turn that are checked."""
_LONGEST: Final = 240
"""Maximum code points of a sentence that is checked."""
_LONGEST_WITH_TIES: Final = 600
"""The same for personal ties, which a few words of a long sentence state."""
_ENTITIES: Final = (FactKind.NAME, FactKind.IDENTIFIER, FactKind.PATH)
_MOST_KEY_WORDS: Final = 4
_MOST_NAMES: Final = 8
"""Maximum number of names of a sentence that are checked."""
_LEAD: Final = 12
"""Maximum code points before a subject: `And the `."""

_OPEN: Final = listed(
    """
    if unless would could should might may maybe perhaps probably whether wish hope hoping almost until wonder imagine
    pretend example suppose let's will can must think guess believe want wants need needs barely hardly supposedly
    """
)
"""Words of sentences that do not state a fact."""
_HANGING: Final = listed(
    """
    a an the this that these those it them him her you me us one ones some any my your his our their to of for with from
    in on at by about like and or as both either so very more most other another both such last next same here there
    """
)
"""Words that do not make an object by themselves, and that none may end with."""
_LOOSE: Final = listed("too also already recently now again lately before though as well today currently yesterday")

_POINTING: Final = listed("it this that these those me myself my our you your them him her his its both ago")
"""Words that mean nothing outside their context."""
_WHEN: Final = lazy_pattern(r" (?:(?:last|next|this) \w+|on \w+day|the (?:other day|first time))$", re.IGNORECASE)

_FIRST_PERSON: Final = {
    "am": "is", "'m": "is", "work": "works", "live": "lives", "study": "studies", "teach": "teaches", "use": "uses",
    "own": "owns", "prefer": "prefers", "play": "plays", "have": "has", "volunteer": "volunteers",
}  # fmt: skip
"""Third-person forms of first-person verbs."""
_VERB: Final = (
    r"(?:(?:am|is|was|'m)(?= (?:an?|the|allergic|afraid|married|engaged|from|based|located|called|named|written|hosted"
    r"|deployed|owned|responsible)\b)"
    r"|(?:work(?:s|ed)?|stud(?:y|ies|ied)|live[sd]?|teach(?:es)?|taught|volunteer(?:s|ed)?)(?= (?:at|for|as|in|near)\b)"
    r"|moved(?= (?:to|from)\b)|graduated(?= from\b)|depends?(?= on\b)|runs?(?= on\b)|belongs?(?= to\b)"
    r"|points?(?= to\b)|reports?(?= to\b)|(?:uses?|owns?|leads|manages|maintains|requires"
    r"|prefers?|plays?|extends|implements|inherits|calls|replaces|returns"
    r"|imports|exports|contains|adopted|bought|married|joined|founded|hired|visited|signed|approved|released|won"
    r"|attended|finished|received|started|completed|ordered|sold|lost|built|painted|wrote|published|submitted|passed"
    r"|launched|created|designed|read|watched|planted|organi[sz]ed)(?= )|went(?= to\b)"
    r"|made(?= (?:an?|the|some)\b)"
    r"|ha(?:ve|s)(?= (?:an?|two|three|four|five|six|\d+)\b))"
)
_WORD: Final = r"[^\s,;:.!?()\[\]\"]+(?:\.[^\s,;:.!?()\[\]\"]+)*"
_OBJECT: Final = (
    rf"(?P<object>{_WORD}(?: {_WORD}){{0,6}}?)"
    r"(?=$|[.,;:!?()\[\]\"]|\s(?:and|but|because|so|when|while|which|that|who|if|since|after|before|though|then|where"
    r"|like|as|until|or|-|–|—)\b|\s[-–—])"
)
_START: Final = r"^(?:(?:and|but|so|well|yes|yeah|also|oh|now),? ){0,2}"
_SPOKEN: Final = lazy_pattern(
    rf"{_START}I(?:'ve)?(?: |(?='m\b))(?:(?:just|also|now|recently|finally|already) )?(?P<verb>{_VERB}) {_OBJECT}",
    re.IGNORECASE,
)
_OWNED: Final = lazy_pattern(
    rf"{_START}(?:my|our) (?P<owned>[\w-]+(?: [\w-]+){{0,2}}?)(?:'s name)? (?P<verb>is|was)(?: called| named)?"
    rf" {_OBJECT}",
    re.IGNORECASE,
)
_STATED: Final = lazy_pattern(rf" (?P<verb>{_VERB}) {_OBJECT}")
_TIE: Final = (
    r"(?P<tie>(?:[a-z][a-z-]{1,20} ){0,2}"
    r"(?:(?:step|half-|grand|great-grand)?(?:sister|brother|mother|father|daughter|son)(?:-in-law)?|m[uo]m|dad|parent|gran(?:dma|dpa|ny)|wife|husband|partner|fiancée?|girlfriend|boyfriend|cousin|aunt"
    r"|uncle|niece|nephew|friend|neighbou?r|roommate|flatmate|landlord|landlady|boss|manager|colleague|coworker|mentor"
    r"|coach|teacher|tutor|assistant|doctor|dentist|therapist|vet|lawyer|accountant|client|customer|supplier|designer"
    r"|developer|engineer|architect|lead|owner|dog|puppy|cat|kitten|horse))"
)
"""A personal tie or role: a noun with up to two words before it."""
_NAMED: Final = r"(?:(?P<is>,? (?:is called|is named|named|called|is|was)(?: our| my)?)|(?P<comma>,))? "
_MINE: Final = lazy_pattern(rf"(?<!\w)(?:[Mm]y|[Oo]ur) {_TIE}{_NAMED}")
_THEIRS: Final = lazy_pattern(rf"['\u2019]s {_TIE}{_NAMED}")
_IS_MINE: Final = lazy_pattern(rf"(?P<is> (?:is|was)|,) (?:my|our) {_TIE}(?=[.!;,)]|$| and I| who\b)")
_BY: Final = lazy_pattern(
    r"(?<!\w)(?:[Tt]he|[Oo]ur) (?P<thing>[\w-]{2,30}(?: [\w-]{2,30}){0,2}) (?P<verb>(?:is|was) (?:owned|led|run|managed"
    r"|maintained|written|built|designed|reviewed|approved|founded|hosted) by) "
)
_PAIR: Final = lazy_pattern(
    r"^(?P<key>[A-Za-z][\w .-]{1,40}?)(?: ?= ?|: )(?P<value>[^\s\\{}]{1,60}(?: [^\s\\{}]{1,20}){0,2})$"
)
_DIGIT: Final = lazy_pattern(r"\d")


def relations_of(readings: Sequence[Reading]) -> list[str]:
    """Return at most `MAX_RELATIONS` relations of a segment, most frequent first, ties by first mention."""
    counts: dict[str, int] = {}
    for reading in readings:
        for relation in dict.fromkeys(_of_turn(reading)):
            counts[relation] = counts.get(relation, 0) + 1
    return sorted(counts, key=lambda relation: -counts[relation])[:MAX_RELATIONS]


def _of_turn(reading: Reading) -> Iterator[str]:
    if reading.tool or reading.repeat is not None:
        return
    for span in reading.sentences[:_SENTENCES]:
        if span.end - span.start > _LONGEST_WITH_TIES:
            continue
        line = plain_line(reading.text(span)).replace("\u2019", "'").rstrip(" .!")
        stated = (_pair(line) or _stated(reading, span, line)) if span.end - span.start <= _LONGEST else ""
        for relation in (stated, *_ties(reading, span, line)):
            if relation and len(relation) <= MAX_ENTRY_LENGTH:
                yield relation


def _pair(line: str) -> str:
    """Return a line as `key: value` if its value is exact, else an empty string."""
    match = _PAIR.match(line) if ": " in line or "=" in line else None
    if match is None or len(match["key"].split()) > _MOST_KEY_WORDS or _states_nothing(line):
        return ""
    given = match["value"]
    exact = _DIGIT.search(given) or "/" in given or "_" in given
    return f"{match['key'].strip()}: {given}" if exact and not given.startswith("//") else ""


def _stated(reading: Reading, span: Span, line: str) -> str:
    """Return a statement about the speaker, the speaker's things, or a named entity; else an empty string."""
    entities = [fact for fact in reading.facts.within(span.start, span.end) if fact.kind in _ENTITIES]
    relation = _of_speaker(reading.speaker, line, entities) or _of_entity(line, entities)
    if not relation or _states_nothing(line):
        return ""
    return resolve_relative_days(relation, reading.day) if reading.day else relation


def _states_nothing(line: str) -> bool:
    return line.endswith("?") or any(word in _OPEN or is_negation(word) for word in bare_words(line))


def _ties(reading: Reading, span: Span, line: str) -> Iterator[str]:
    """Yield the ties of named people to the speaker or to each other, and who made or owns a thing."""
    facts = reading.facts.within(span.start, span.end)
    names = list(dict.fromkeys(fact.text for fact in facts if fact.kind is FactKind.NAME))
    if not names:
        return
    own = "" if reading.speaker == Role.ASSISTANT else reading.speaker
    if own:
        yield from _tied(own, _MINE.finditer(line), line, names)
    for name in names[:_MOST_NAMES]:
        at = line.find(name)
        if (match := _THEIRS.match(line, at + len(name))) is not None and at >= 0:
            yield from _tied(name, [match], line, names)
        if own and at == 0 and (match := _IS_MINE.match(line, len(name))) is not None and not _states_nothing(line):
            yield f"{own}'s {match['tie']} {match['is'].strip(' ,') or 'is'} {name}"
    match = _BY.search(line)
    name = "" if match is None or _states_nothing(line) else _name_at(match.end(), line, names)
    if match is not None and name and _POINTING.isdisjoint(match["thing"].lower().split()):
        yield f"{match['thing']} {match['verb']} {name}"


def _tied(whose: str, matches: Iterable[re.Match[str]], line: str, names: Sequence[str]) -> Iterator[str]:
    for match in matches:
        name = _name_at(match.end(), line, names)
        following = line[match.end() + len(name) :]
        # "My sister is Zoe's teacher", and "my sister, Zoe and I": neither says who the sister is.
        is_another = match["is"] and (following.startswith(("'s", "\u2019s")) or _states_nothing(line))
        is_listed = match["comma"] and (following[:1] not in {",", ""} or following.startswith(", and"))
        if name and not is_another and not is_listed:
            verb = "was" if (match["is"] or "").split()[-1:] == ["was"] else "is"
            yield f"{whose}'s {match['tie']} {verb} {name}"


def _name_at(at: int, line: str, names: Sequence[str]) -> str:
    """Return the longest of the names at a position of the line, or an empty string."""
    return max((name for name in names if line.startswith(name, at)), key=len, default="")


def _of_speaker(speaker: str, line: str, entities: Sequence[Fact]) -> str:
    if match := _OWNED.match(line):
        thing = _object(match)
        exact = _DIGIT.search(thing) or any(fact.text in thing for fact in entities)
        return f"{speaker}'s {match['owned'].lower()} {match['verb'].lower()} {thing}" if thing and exact else ""
    if match := _SPOKEN.match(line):
        if speaker == Role.ASSISTANT:
            # A model that writes `I` is writing for another person.
            return ""
        verb, thing = match["verb"].lower(), _object(match)
        return f"{speaker} {_FIRST_PERSON.get(verb, verb)} {thing}" if thing else ""
    return ""


def _of_entity(line: str, entities: Sequence[Fact]) -> str:
    for fact in entities[:2]:
        at = line.find(fact.text)
        if not 0 <= at <= _LEAD or (at and line[:at].strip().lower() not in {"the", "our", "and", "but", "so"}):
            continue
        match = _STATED.match(line, at + len(fact.text))
        thing = _object(match) if match else ""
        if match and thing:
            return f"{fact.text} {match['verb']} {thing}"
    return ""


def _object(match: re.Match[str]) -> str:
    """Return the object without loose words at its ends; empty if it is not specific."""
    words = _WHEN.sub("", match["object"]).split()
    if words and words[0].lower() in {"my", "our"}:
        words.pop(0)
    while words and words[-1].lower() in _LOOSE:
        words.pop()
    bare = [word.strip("'\"").lower() for word in words]
    tells = any(word not in _HANGING and not is_common(word) for word in bare)
    return " ".join(words) if tells and bare[-1] not in _HANGING and _POINTING.isdisjoint(bare) else ""
