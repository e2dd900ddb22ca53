"""Denials of ever having done something, and statements of the same speaker that contradict them.

'I've never attended any sailing courses' and 'I finished the sailing course in May': only the speaker knows which
holds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold.contract.words import note_words
from turnfold_worker.pipeline.anchors.rules.lasting_rules import DENIAL
from turnfold_worker.pipeline.anchors.rules.statement_rules import CONDITIONAL, NEGATION
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words

_KINDS: Final = tuple(
    frozenset(listed(forms))
    for forms in (
        """attended attending enrolled enrolling completed completing finished finishing taken took joined joining
        participated practiced practised practicing practising solved solving passed done did""",
        """written wrote writing implemented implementing created built coded developed made set configured designed
        handled published drawn drew""",
        "used using integrated integrating installed deployed deploying configured ran run running set worked working",
        "owned own had bought got have has adopted keep kept",
        "visited visiting been went travelled traveled flown flew",
        "eaten ate tried tasted drunk drank played seen watched read",
    )
)
"""Groups of verbs that contradict each other's denial: who finished a course has attended it."""
_OR: Final = lazy_pattern(r"(?:,? (?:or|nor)|,)(?!\w)")
_BESIDE: Final = lazy_pattern(
    r"(?<!\w)(?:for|in|on|at|of|to|into|with|about|from|related|regarding|before|during)(?!\w)"
)
_VERB: Final = lazy_pattern(r"^(?:[a-z]{2,20}ed )?(?:in |to |on |for )?")
"""Words that may open the second thing denied: 'or used the crane', 'enrolled in'."""
_NAMED: Final = lazy_pattern(r"(?<=[\w,] )[A-Z][\w-]{2,30}")
_ENDS: Final = lazy_pattern(r"[;:.!?](?=\s|$)|,? (?:so|but|because|although|though|and i|while|which|who)(?!\w)")
_DONE: Final = lazy_pattern(
    r"(?<!\w)(?:(?:i|we)(?:'ve| have|'m| am|'re| are)?(?: \w+ly| just| now| also| already| only| even| both){0,2}"
    r"(?: managed to)?|(?:after|by|from|of)) (?P<verb>[a-z]{2,20})(?!\w)"
)
"""The subject and verb of a completed deed."""
_PERFECT: Final = lazy_pattern(r"(?<!\w)(?:i|we)(?:'ve| have)(?: [\w./-]{1,40}){1,12}? (?P<verb>set)(?= up(?!\w))")
_EMPTY: Final = listed("any some such ever before actually really this that my our project yet kind sort thing things")
_LEAST_TOLD: Final = 2


class Denial(NamedTuple):
    """A deed that was never done, in stems."""

    verb: str
    objects: tuple[frozenset[str], ...]
    """One set for each thing denied: 'courses' and 'workshops'."""
    heads: frozenset[str]
    """The last word of each thing."""
    beside: frozenset[str]
    """Stems of the subject matter or place."""
    names: frozenset[str]
    """Stems of the names in the text."""


@lru_cache(maxsize=1_024)
def denial_of(text: str) -> Denial | None:
    """Return what a text denies its speaker ever did, or None.

    >>> denial_of("I've never attended any sailing courses.").verb
    'attended'
    >>> denial_of("Never use tabs.") is None
    True
    """
    plain_text = plain_words(text)
    match = DENIAL.search(plain_text)
    if match is None or is_question(plain_text) or CONDITIONAL.search(plain_text):
        return None
    named = _ENDS.split(f"{plain_text[match.end() :]} ")[0]
    objects: list[frozenset[str]] = []
    heads: set[str] = set()
    beside: set[str] = set()
    for part in _OR.split(named):
        thing, *further = _BESIDE.split(_VERB.sub("", part.strip()))
        stems = _stems(thing)
        if stems:
            objects.append(frozenset(stems))
            heads.add(stems[-1])
        beside.update(stem for other in further for stem in _stems(other))
    if not objects:
        return None
    return Denial(
        match["verb"] or match["left"] or match["owns"],
        tuple(objects),
        frozenset(heads),
        frozenset(beside),
        _names(text),
    )


def is_contradicted(denial: Denial, statement: str) -> bool:
    """Check whether a statement of the same speaker says that they did what they deny.

    >>> never = denial_of("I've never attended any sailing courses.")
    >>> is_contradicted(never, "I finished the sailing course in May.")
    True
    >>> is_contradicted(never, "I want to attend a sailing course.")
    False
    """
    plain_text = plain_words(statement)
    if (
        is_question(plain_text)
        or NEGATION.search(plain_text)
        or CONDITIONAL.search(plain_text)
        or not _tells_done(plain_text, denial.verb)
    ):
        return False
    told_stems = frozenset(_stems(plain_text))
    if len(denial.heads) >= _LEAST_TOLD and len(denial.heads & told_stems) >= _LEAST_TOLD:
        return True
    return any(
        named <= told_stems
        and (len(named) >= _LEAST_TOLD or not denial.beside or (denial.beside | denial.names) & told_stems)
        for named in denial.objects
    )


def _tells_done(statement: str, verb: str) -> bool:
    kind = frozenset({verb}).union(*(forms for forms in _KINDS if verb in forms))
    return any(match["verb"] in kind for pattern in (_DONE, _PERFECT) for match in pattern.finditer(statement))


def _names(text: str) -> frozenset[str]:
    return frozenset(_stems(" ".join(_NAMED.findall(text))))


def _stems(statement: str) -> list[str]:
    return [STEMS[word] for word in note_words(statement) if word not in _EMPTY and not word.isdigit()]
